/**
 * Made-up results of a search, for tests.
 */
import { probed } from "../../run/cell-record.ts";
import { cellRecord, plannedCell, runOf } from "./results.ts";
import type { Judgement, Probe } from "../../model/cell.ts";
import type { CapacityPart, PlannedCell } from "../../model/plan.ts";
import type { Results } from "../../model/record.ts";

type Verdict = Judgement["verdict"];
type Course = { search?: [number, Verdict][]; at?: Verdict[]; above?: Verdict[] };

const PARAMETERS = {
  ...{ CONNECTIONS_PER_SECOND: 100, ARRIVE_SECONDS: 5, MESSAGES: 1, MESSAGE_BYTES: 64 },
};
const VERDICTS: Record<string, Verdict> = { "+": "holds", "-": "fails", "?": "limited" };

/** @param text such as `+200 -400`: it holds at 200, and fails at 400 */
export function steps(text: string): [number, Verdict][] {
  return text.split(" ").map(([sign, ...rate]) => [Number(rate.join("")), VERDICTS[sign]]);
}

/** confirmed: fresh cells agree a quarter below the rate found, and at twice that */
const CONFIRMED: Required<Course> = {
  search: steps("+200 -400 -400 +283 -336 +308 +322"),
  at: ["holds", "holds", "holds"],
  above: ["fails", "fails", "fails"],
};

/**
 * @param course of nginx: its search, and fresh cells; others: of more proxies; the control has not
 *   run
 * @returns half a core, 50 ms
 */
export function capacityResults({
  others = {},
  ...course
}: Course & { others?: Record<string, Course> } = {}): Results {
  const cells: PlannedCell[] = [];
  const plan: (
    round: number,
    proxy: string,
    capacity: CapacityPart,
    part: string,
  ) => PlannedCell = (round, proxy, capacity, part) => {
    const id = `r${round}-${proxy}-arrivals-ws-${part}`;
    const about = { scenario: "arrivals", parameters: PARAMETERS };
    cells.push(plannedCell({ id, round, proxy, capacity, ...about }));
    return cells[cells.length - 1];
  };
  const range = { part: "search" as const, lowest: 1, highest: 1e5 };
  plan(1, "none", range, "search");
  const courses = Object.entries({ nginx: course, ...others });
  const records = courses.flatMap(([proxy, own]) => {
    const { search, at, above } = { ...CONFIRMED, ...own };
    const searched = plan(1, proxy, range, "search");
    const probes = search.map(([rate, verdict]) => probeAt(rate, verdict));
    const found = Math.max(
      ...search.filter(([, verdict]) => verdict === "holds").map(([rate]) => rate),
    );
    const fresh = (name: string, factor: number) =>
      (name === "at" ? at : above).map((verdict, i) => {
        const cell = plan(i + 2, proxy, { part: "fresh", search: searched.id, factor }, name);
        const rate = Number((factor * found).toPrecision(3));
        const { broken, limits, reference, sends, handshakeMs, containers } = probeAt(
          rate,
          verdict,
        );
        return {
          ...{ ...cellRecord(cell), reference, sends, handshakeMs, containers },
          parameters: { ...PARAMETERS, CONNECTIONS_PER_SECOND: rate },
          judgement: { verdict, broken, limits },
        };
      });
    return [{ ...cellRecord(searched), probes }, ...fresh("at", 0.75), ...fresh("above", 2)];
  });
  const promise = { sloMs: 50, failedPercent: 0.1, sentPercent: 99 };
  return {
    ...runOf({
      ...{ rounds: 4, proxies: ["none", ...courses.map(([proxy]) => proxy)], settings: [] },
      ...{ records: () => [], plan: { proxyCpus: 0.5, promise, cells } },
    }),
    cells: records,
  };
}

function probeAt(rate: number, verdict: Verdict): Probe {
  const record = cellRecord();
  const p99 = verdict === "holds" ? 10 : 90;
  return {
    ...{ rate, verdict, broken: verdict === "holds" ? [] : ["p99"] },
    limits: verdict === "limited" ? ["generator"] : [],
    ...probed({
      ...record,
      sends: { due: 5 * rate, late: 0, dropped: 0 },
      handshakeMs: record.handshakeMs && { ...record.handshakeMs, p99 },
    }),
  };
}
