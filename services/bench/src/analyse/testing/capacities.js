/**
 * Made-up results of a search, for tests.
 */
import { SCENARIOS } from "../../plan/testing/scenarios.js";
import { probed } from "../../run/cell-record.js";
import { cellRecord, containerRecord, plannedCell, results } from "./results.js";

/** @import { CellRecord, Judgement, Probe } from "../../model/cell.ts" */
/** @import { CapacityPart, PlannedCell } from "../../model/plan.ts" */
/** @import { Results } from "../../model/record.ts" */

/** @typedef {Judgement["verdict"]} Verdict */
/** @typedef {{search?: [number, Verdict][], at?: Verdict[], above?: Verdict[]}} Course */

const PARAMETERS = {
  CONNECTIONS_PER_SECOND: 100,
  ARRIVE_SECONDS: 5,
  MESSAGES: 1,
  MESSAGE_BYTES: 64,
};
/** Every cell: 5 s on two cores; the proxy uses 2 CPU s, the generator 1. */
const CONTAINERS = {
  nginx: containerRecord({ role: "proxy", cpuSeconds: 2 }),
  "load-1": containerRecord({ role: "load", cpuSeconds: 1 }),
  reference: containerRecord({ role: "reference", cpuSeconds: 0.05 }),
};

/** @type {Required<Course>} confirmed: 322 holds, 354 fails */
const CONFIRMED = {
  search: [
    [200, "holds"],
    [400, "fails"],
    [400, "fails"],
    [283, "holds"],
    [336, "fails"],
    [308, "holds"],
    [322, "holds"],
  ],
  at: ["holds", "holds", "holds"],
  above: ["fails", "fails", "fails"],
};

/**
 * @param {Course & {others?: Record<string, Course>}} [course] of nginx: its search, and fresh cells; others: of more proxies; the
 *   control has not run
 * @returns {Results} half a core, 50 ms
 */
export function capacityResults({ others = {}, ...course } = {}) {
  const base = results({ rounds: 1 });
  /** @type {PlannedCell[]} */
  const cells = [];
  /** @type {CellRecord[]} */
  const records = [];
  /** @type {(round: number, proxy: string, capacity: CapacityPart, part: string) => PlannedCell} */
  const plan = (round, proxy, capacity, part) => {
    const id = `r${round}-${proxy}-arrivals-ws-${part}`;
    const about = { scenario: "arrivals", parameters: PARAMETERS };
    const cell = plannedCell({ id, round, proxy, capacity, ...about });
    cells.push(cell);
    return cell;
  };
  const range = { part: /** @type {const} */ ("search"), lowest: 1, highest: 1e5 };
  plan(1, "none", range, "search");
  const courses = Object.entries({ nginx: course, ...others });
  for (const [proxy, own] of courses) {
    const { search, at, above } = { ...CONFIRMED, ...own };
    const searched = plan(1, proxy, range, "search");
    const probes = search.map(([rate, verdict]) => probeAt(rate, verdict));
    records.push({ ...cellRecord(searched), probes });
    const found = Math.max(
      ...search.filter(([, verdict]) => verdict === "holds").map(([rate]) => rate),
    );
    for (const [name, factor, verdicts] of /** @type {[string, number, Verdict[]][]} */ ([
      ["at", 1, at],
      ["above", 1.1, above],
    ])) {
      for (const [i, verdict] of verdicts.entries()) {
        const cell = plan(i + 2, proxy, { part: "fresh", search: searched.id, factor }, name);
        const rate = Number((factor * found).toPrecision(3));
        const { broken, limits, ...measured } = probeAt(rate, verdict);
        records.push({
          ...{ ...cellRecord(cell), ...measuredOf(measured) },
          parameters: { ...PARAMETERS, CONNECTIONS_PER_SECOND: rate },
          judgement: { verdict, broken, limits },
        });
      }
    }
  }
  return {
    ...base,
    plan: {
      ...base.plan,
      proxies: ["none", ...courses.map(([proxy]) => proxy)],
      rounds: 4,
      proxyCpus: 0.5,
      promise: { sloMs: 50, failedPercent: 0.1, sentPercent: 99 },
      scenarios: SCENARIOS,
      cells,
    },
    cells: records,
  };
}

/**
 * @param {number} rate
 * @param {Verdict} verdict
 * @returns {Probe}
 */
function probeAt(rate, verdict) {
  const record = cellRecord();
  return {
    rate,
    verdict,
    broken: verdict === "holds" ? [] : ["p99"],
    limits: verdict === "limited" ? ["generator"] : [],
    ...probed({
      ...record,
      reference: { connections: 200, messages: 200, requests: 0 },
      sends: { due: 5 * rate, late: 0, dropped: 0 },
      handshakeMs: record.handshakeMs && {
        ...record.handshakeMs,
        p99: verdict === "holds" ? 10 : 90,
      },
      containers: CONTAINERS,
    }),
  };
}

/** @param {Omit<Probe, "broken" | "limits">} probe */
function measuredOf({ reference, sends, handshakeMs, containers }) {
  return { reference, sends, handshakeMs, containers };
}
