/**
 * Memory over held connections: what one more costs, without what a proxy needs anyway.
 */
import { median } from "simple-statistics";
import { connectionsInAll, without, workloadOf } from "../plan/workload.js";
import { CONTROL } from "../plan/proxies.js";
import { medianInterval, simultaneousIntervals, theilSen } from "../statistics/index.js";
import { compareText, CONFIDENCE, reasonsOf, holdsForSeconds, settingKey } from "./settings.js";
import { isAbout } from "./gates.js";
import { held } from "./measures.js";
import { rank } from "./ranking.js";

/** @import { Parameters, PlannedCell, Workload } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, Finding, Missing, Setting, SlopeRow, Slopes } from "./types.js" */
/** @import { Estimate, Interval } from "../statistics/types.js" */

/** @typedef {PlannedCell & {workload: Workload}} HeldCell */

/** A line through fewer says nothing about whether it is one. */
export const LEAST_COUNTS = 4;

/** The mean over the hold, as a peak is one sample; and what it is before the load. */
const PARTS = [
  ["proxy_memory_mean_usage_bytes", "proxy_memory_baseline_usage_bytes"],
  ["proxy_memory_mean_rss_bytes", "proxy_memory_baseline_rss_bytes"],
  ["proxy_memory_mean_kernel_bytes", "proxy_memory_baseline_kernel_bytes"],
];

const GIB = 2 ** 30;

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

/**
 * @param {Slopes[]} slopes of the run
 * @param {Pick<Setting, "scenario" | "scheme" | "parameters" | "workload">} setting
 * @returns {Slopes | null} those over its number of connections; null: too few numbers were planned, or it holds none
 */
export function slopesAround(slopes, setting) {
  const key = familyKey(setting);
  return slopes.find((one) => settingKey(one) === key) ?? null;
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
  const ids = new Set(family.map(({ id }) => id));
  const own = cells.filter(({ record }) => ids.has(record.id));
  const last = lastAttempts(own);
  const counted = last.filter(countsForMemory);
  const ended = (/** @type {string} */ proxy) =>
    endOf(
      family.filter((cell) => cell.proxy === proxy),
      last,
    );
  const rowsOf = (/** @type {string[]} */ [mean, baseline]) =>
    results.plan.proxies.map((proxy) => ({
      ...rowOf(
        proxy,
        counted.filter(({ record }) => record.proxy === proxy),
        { mean, baseline },
      ),
      ended: ended(proxy),
    }));
  const [whole, ...others] = PARTS.map((part) => ({ measure: part[0], rows: rowsOf(part) }));
  const { rows, unranked } = ranked(whole.rows);
  return {
    scenario,
    scheme,
    parameters: withoutCount(parameters, workload),
    most: Math.max(...countsOf(family)),
    parts: [{ ...whole, rows }, ...others],
    unranked,
  };
}

/**
 * @param {AnalysedCell[]} cells every attempt, in the order of the record
 * @returns {AnalysedCell[]} the last at each
 */
export function lastAttempts(cells) {
  return [...new Map(cells.map((cell) => [cell.record.id, cell])).values()];
}

/**
 * What takes CPU time from a cell makes it slow, and leaves its memory as it is.
 *
 * @param {Pick<AnalysedCell, "record" | "findings">} cell the last attempt
 */
export function countsForMemory({ record, findings }) {
  return record.status === "ok" && !findings.some(isOfMemory);
}

/** @param {Finding} finding of a cell */
function isOfMemory(finding) {
  return finding.severity === "invalid" && isAbout(finding, PARTS[0][0]);
}

/**
 * A slope rests on connection counts, so that it needs no rounds to be ranked. Two slopes differ where their intervals do not
 * overlap; the intervals all hold together, so that the chance of even one false difference is that of a comparison of any other
 * measure.
 *
 * @param {SlopeRow[]} rows
 * @returns {Pick<Slopes, "unranked"> & {rows: SlopeRow[]}}
 */
function ranked(rows) {
  const contenders = rows.filter(({ proxy }) => proxy !== CONTROL);
  const measured = contenders.filter(({ slope }) => slope);
  const voided = contenders.filter(
    ({ slope, ended }) => !slope && (ended?.why.kind === "invalid" || ended?.why.kind === "voided"),
  );
  if (voided.length > 0 && measured.length > 0) {
    const figures = { proxies: voided.map(({ proxy }) => proxy) };
    return { rows, unranked: { gate: "survivors", severity: "weak", figures } };
  }
  if (measured.length < 2) return { rows, unranked: null };
  const intervals = simultaneousIntervals(
    measured.map(({ points }) => points.map(placed)),
    CONFIDENCE,
  );
  if (!intervals) {
    const points = Math.min(...measured.map((row) => row.points.length));
    const figures = { proxies: measured.length, points };
    return { rows, unranked: { gate: "few-points", severity: "weak", figures } };
  }
  const of = new Map(measured.map(({ proxy }, i) => [proxy, intervals[i]]));
  const interval = (/** @type {string} */ proxy) => /** @type {Interval} */ (of.get(proxy));
  const order = measured.toSorted((a, b) => slopeIn(a) - slopeIn(b)).map(({ proxy }) => proxy);
  const ranks = rank(order, (a, b) => !overlap(interval(a), interval(b)));
  return { rows: rows.map((row) => ({ ...row, ...ranks.get(row.proxy) })), unranked: null };
}

/** @param {SlopeRow} row with a slope */
function slopeIn({ slope }) {
  return slope?.value ?? NaN;
}

/**
 * @param {Interval} a
 * @param {Interval} b
 */
function overlap([low, high], [otherLow, otherHigh]) {
  return low <= otherHigh && otherLow <= high;
}

/** @param {{connections: number, bytes: number}} point */
function placed({ connections, bytes }) {
  return { x: connections, y: bytes };
}

/**
 * @param {string} proxy
 * @param {AnalysedCell[]} cells of it
 * @param {{mean: string, baseline: string}} measures
 * @returns {Omit<SlopeRow, "ended">}
 */
function rowOf(proxy, cells, { mean, baseline }) {
  const points = cells
    .filter(({ measures }) => mean in measures)
    .map(({ record, measures }) => ({
      connections: /** @type {number} */ (held(record)),
      bytes: measures[mean],
      growthBytes: measures[mean] - measures[baseline],
    }))
    .sort((a, b) => a.connections - b.connections);
  const counts = new Set(points.map(({ connections }) => connections)).size;
  const slope = theilSen(points.map(placed), CONFIDENCE);
  const baselines = cells.flatMap(({ measures }) => measures[baseline] ?? []);
  const row = {
    proxy,
    points,
    baseline:
      baselines.length > 0
        ? { value: median(baselines), interval: medianInterval(baselines, CONFIDENCE) }
        : null,
    rank: null,
    ties: [],
  };
  if (!slope || counts < LEAST_COUNTS) {
    /** @type {SlopeRow["missing"]} */
    const missing =
      points.length === 0 && cells.length > 0
        ? { kind: "uncounted" }
        : { kind: "few-counts", counts, least: LEAST_COUNTS };
    return { ...row, slope: null, connectionsPerGiB: null, missing };
  }
  return { ...row, slope, connectionsPerGiB: perGiB(slope), missing: null };
}

/**
 * @param {Estimate} slope bytes a connection
 * @returns {Estimate | null}
 */
function perGiB({ value, interval }) {
  if (value <= 0) return null;
  const isAboveZero = interval && interval[0] > 0;
  return {
    value: GIB / value,
    interval: isAboveZero ? [GIB / interval[1], GIB / interval[0]] : null,
  };
}

/**
 * @param {HeldCell[]} planned of one proxy
 * @param {AnalysedCell[]} cells the last attempt at each
 * @returns {SlopeRow["ended"]}
 */
function endOf(planned, cells) {
  const last = new Map(cells.map((cell) => [cell.record.id, cell]));
  const whole = planned.filter(({ id }) => {
    const cell = last.get(id);
    return cell && countsForMemory(cell);
  });
  const most = Math.max(0, ...whole.map(connectionsOf));
  const beyond = planned
    .filter((cell) => connectionsOf(cell) > most)
    .sort((a, b) => connectionsOf(a) - connectionsOf(b));
  if (beyond.length === 0) return null;
  const [{ id, skip }] = beyond;
  const cell = last.get(id);
  /** @type {Missing[]} */
  const reasons = skip ? [{ kind: "skipped", why: skip }] : cell ? reasonsOf(cell) : [];
  const ofMemory = reasons.find(
    (reason) => reason.kind !== "invalid" || isOfMemory(reason.finding),
  );
  return {
    connections: most,
    next: connectionsOf(beyond[0]),
    why: ofMemory ?? { kind: "not-run" },
  };
}
