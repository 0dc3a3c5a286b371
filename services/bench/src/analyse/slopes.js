/**
 * Memory over held connections: what one more costs, without what a proxy needs anyway.
 */
import { connectionsInAll, without, workloadOf } from "../plan/workload.js";
import { theilSen } from "../statistics/index.js";
import { compareText, CONFIDENCE, reasonsOf, holdsForSeconds, settingKey } from "./settings.js";
import { held } from "./measures.js";

/** @import { Workload } from "../plan/workload.js" */
/** @import { Parameters, PlannedCell, Results } from "../record/types.js" */
/** @import { AnalysedCell, Missing, SlopeRow, Slopes } from "./types.js" */

/** @typedef {PlannedCell & {workload: Workload}} HeldCell */

/** A line through fewer says nothing about whether it is one. */
const LEAST_COUNTS = 4;

/** The mean over the hold: a peak is one sample. */
const PARTS = [
  "proxy_memory_mean_usage_bytes",
  "proxy_memory_mean_rss_bytes",
  "proxy_memory_mean_kernel_bytes",
];

/**
 * @param {Results} results
 * @param {AnalysedCell[]} cells
 * @returns {Slopes[]} ws before wss
 */
export function slopesOf(results, cells) {
  const planned = results.plan.cells
    .map((cell) => ({ ...cell, workload: workloadOf(results.plan, cell) }))
    .filter(({ workload }) => holdsForSeconds(workload));
  const families = [...Map.groupBy(planned, familyKey).values()].filter(
    (family) => countsOf(family).length >= LEAST_COUNTS,
  );
  return families
    .map((family) => slopesOfFamily(results, family, cells))
    .sort(
      (a, b) =>
        compareText(a.scenario, b.scenario) ||
        compareText(JSON.stringify(a.parameters), JSON.stringify(b.parameters)) ||
        compareText(a.scheme, b.scheme),
    );
}

/** @param {Pick<HeldCell, "scenario" | "scheme" | "parameters" | "workload">} cell */
function familyKey({ scenario, scheme, parameters, workload }) {
  return settingKey({ scenario, scheme, parameters: withoutCount(parameters, workload) });
}

/**
 * @param {Parameters} parameters
 * @param {Workload} workload
 * @returns {Parameters} without that which says how many connections are held
 */
function withoutCount(parameters, { parameterNames }) {
  return without(parameters, [parameterNames.connections]);
}

/** @param {HeldCell} cell */
function connectionsOf({ workload }) {
  return connectionsInAll(workload);
}

/** @param {HeldCell[]} family */
function countsOf(family) {
  return [...new Set(family.map(connectionsOf))];
}

/**
 * @param {Results} results
 * @param {HeldCell[]} family
 * @param {AnalysedCell[]} cells
 * @returns {Slopes}
 */
function slopesOfFamily(results, family, cells) {
  const [{ scenario, scheme, parameters, workload }] = family;
  const key = familyKey(family[0]);
  const counted = cells.filter(
    ({ counted, record, workload }) => counted && familyKey({ ...record, workload }) === key,
  );
  return {
    scenario,
    scheme,
    parameters: withoutCount(parameters, workload),
    most: Math.max(...countsOf(family)),
    parts: PARTS.map((measure) => ({
      measure,
      rows: results.plan.proxies.map((proxy) => ({
        ...rowOf(
          proxy,
          counted.filter(({ record }) => record.proxy === proxy),
          measure,
        ),
        ended: endOf(
          family.filter((cell) => cell.proxy === proxy),
          cells,
        ),
      })),
    })),
  };
}

/**
 * @param {string} proxy
 * @param {AnalysedCell[]} cells of it
 * @param {string} measure
 * @returns {Omit<SlopeRow, "ended">}
 */
function rowOf(proxy, cells, measure) {
  const points = cells
    .filter(({ measures }) => measure in measures)
    .map(({ record, measures }) => ({
      connections: /** @type {number} */ (held(record)),
      bytes: measures[measure],
    }))
    .sort((a, b) => a.connections - b.connections);
  const counts = new Set(points.map(({ connections }) => connections)).size;
  const line = theilSen(
    points.map(({ connections, bytes }) => ({ x: connections, y: bytes })),
    CONFIDENCE,
  );
  if (!line || counts < LEAST_COUNTS) {
    /** @type {SlopeRow["missing"]} */
    const missing =
      points.length === 0 && cells.length > 0
        ? { kind: "uncounted" }
        : { kind: "few-counts", counts, least: LEAST_COUNTS };
    return { proxy, points, slope: null, interceptBytes: null, missing };
  }
  const { intercept, ...slope } = line;
  return { proxy, points, slope, interceptBytes: intercept, missing: null };
}

/**
 * @param {HeldCell[]} planned of one proxy
 * @param {AnalysedCell[]} cells
 * @returns {SlopeRow["ended"]}
 */
function endOf(planned, cells) {
  const last = new Map(cells.map((cell) => [cell.record.id, cell]));
  const whole = planned.filter(({ id }) => last.get(id)?.counted);
  const most = Math.max(0, ...whole.map(connectionsOf));
  const beyond = planned
    .filter((cell) => connectionsOf(cell) > most)
    .sort((a, b) => connectionsOf(a) - connectionsOf(b));
  if (beyond.length === 0) return null;
  const [{ id, skip }] = beyond;
  const cell = last.get(id);
  /** @type {Missing[]} */
  const reasons = skip ? [{ kind: "skipped", why: skip }] : cell ? reasonsOf(cell) : [];
  return {
    connections: most,
    next: connectionsOf(beyond[0]),
    why: reasons[0] ?? { kind: "not-run" },
  };
}
