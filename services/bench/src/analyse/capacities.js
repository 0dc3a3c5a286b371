/**
 * The most that each proxy carried under the run's promise, from the probes of its search and the fresh cells after it.
 */
import { CONTROL } from "../plan/proxies.js";
import { rateName, workloadOf } from "../plan/workload.js";
import { usageOnce } from "../record/carriers.js";
import { referenceCpuUs } from "../record/machine-index.js";
import { capacityOf } from "../statistics/capacity-search.js";
import { medianOf } from "../statistics/index.js";
import { ofRole } from "./measures.js";
import { settingKey } from "./settings.js";

/** @import { CellRecord, Judgement, Probe } from "../model/cell.ts" */
/** @import { PlannedCell, Workload } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { CapacityAnswer, CapacityPoint, CapacitySetting } from "./types.js" */

/** Fresh cells of each kind that have to agree before a rate is confirmed. */
export const FRESH_CELLS = 3;

/** A proxy that used less of its budget, in %, broke its promise for want of something else than CPU time in all. */
const USED_UP_PERCENT = 90;

/** @typedef {Omit<Probe, keyof Judgement | "rate" | "startedAt">} Measured */
/** @typedef {Omit<CapacityAnswer, "rank" | "ties">} UnrankedAnswer */

/**
 * @param {Results} results
 * @returns {Results} without the cells of searches: at rates of their own, they are compared with nothing
 */
export function withoutCapacity(results) {
  const searched = new Set(
    results.plan.cells.filter(({ capacity }) => capacity).map(({ id }) => id),
  );
  if (searched.size === 0) return results;
  return {
    ...results,
    plan: { ...results.plan, cells: results.plan.cells.filter(({ id }) => !searched.has(id)) },
    cells: results.cells.filter(({ id }) => !searched.has(id)),
  };
}

/**
 * @param {Results} results
 * @returns {Results} with those cells alone
 */
export function capacityAlone(results) {
  const others = new Set(withoutCapacity(results).cells);
  return { ...results, cells: results.cells.filter((record) => !others.has(record)) };
}

/**
 * @param {Results} results
 * @returns {CapacitySetting[]} in the order of the battle; empty: it searches nothing
 */
export function capacitiesOf(results) {
  const { plan } = results;
  const searches = plan.cells.filter(({ capacity }) => capacity?.part === "search");
  return [...Map.groupBy(searches, settingKey)].map(([key, cells]) => {
    const [{ scenario, scheme, parameters }] = cells;
    const workload = workloadOf(plan, cells[0]);
    return {
      ...{ key, scenario, scheme, parameters, workload },
      answers: ranked(
        plan.proxies.flatMap((proxy) => {
          const search = cells.find((cell) => cell.proxy === proxy);
          return search ? answerOf(results, search, workload) : [];
        }),
      ),
    };
  });
}

/**
 * One carries more than another where the lowest rate that it is known to carry is above the highest that the other may. Of whom no upper
 * end is known has no rank while it is known to carry less than another's lowest rate: it may be anywhere, and would tie with all.
 *
 * @param {UnrankedAnswer[]} answers
 * @returns {CapacityAnswer[]} the control without a rank, and who was not measured
 */
function ranked(answers) {
  const isMore = (/** @type {UnrankedAnswer} */ a, /** @type {UnrankedAnswer} */ b) =>
    a.low !== null && b.high !== null && a.low > b.high;
  const measured = answers.filter(
    ({ proxy, low, high }) => proxy !== CONTROL && (low !== null || high !== null),
  );
  const leastOfBest = Math.max(
    ...measured.flatMap(({ low, high }) => (low !== null && high !== null ? low : [])),
  );
  const rivals = measured.filter(({ low, high }) => high !== null || Number(low) >= leastOfBest);
  return answers.map((own) => {
    if (!rivals.includes(own)) return { ...own, rank: null, ties: [] };
    const more = rivals.filter((other) => isMore(other, own));
    const alike = rivals.filter(
      (other) => other !== own && !more.includes(other) && !isMore(own, other),
    );
    return { ...own, rank: 1 + more.length, ties: alike.map(({ proxy }) => proxy) };
  });
}

/**
 * @param {Results} results
 * @param {PlannedCell} search
 * @param {Workload} workload
 * @returns {UnrankedAnswer}
 */
function answerOf(results, search, workload) {
  const budget = results.plan.proxyCpus;
  const last = (/** @type {string} */ id) =>
    results.cells.findLast((record) => record.id === id && record.status !== "failed") ??
    results.cells.findLast((record) => record.id === id);
  const record = last(search.id);
  const searched = (record?.probes ?? []).map((probe) =>
    pointOf(probe, probe, { rate: probe.rate, cell: search.id, isFresh: false }),
  );
  const freshOf = (/** @type {(factor: number) => boolean} */ isWanted) =>
    results.plan.cells.flatMap(({ id, capacity }) => {
      if (capacity?.part !== "fresh" || capacity.search !== search.id) return [];
      const fresh = isWanted(capacity.factor) ? last(id) : undefined;
      if (fresh?.status !== "ok" || !fresh.judgement) return [];
      const about = { rate: rateOf(fresh, workload), cell: id, isFresh: true };
      return pointOf(fresh, fresh.judgement, about);
    });
  const at = freshOf((factor) => factor === 1);
  const above = freshOf((factor) => factor > 1);
  const found = capacityOf(searched, { at, above }, FRESH_CELLS);
  const points = [...searched, ...at, ...above];
  const failing = points
    .filter(({ verdict }) => verdict === "fails")
    .sort((a, b) => a.rate - b.rate);
  const lowest = failing.filter(({ rate }) => rate === failing[0].rate);
  const perCore = (/** @type {number | null} */ rate) =>
    rate === null || budget === 0 ? null : rate / budget;
  const held = points.filter(({ verdict, rate }) => verdict === "holds" && rate === found.low);
  const referenceUs = medianOf(points.map((point) => point.referenceUs));
  const lowPerCore = perCore(found.low);
  const brokeFirst = [...new Set(lowest.flatMap(({ broken }) => broken))];
  const budgetPercent = medianOf(lowest.map((point) => point.budgetPercent));
  return {
    proxy: search.proxy,
    ...found,
    perCore: { low: lowPerCore, high: perCore(found.high) },
    againstReference:
      lowPerCore === null || referenceUs === null ? null : (lowPerCore * referenceUs) / 1e6,
    points,
    fresh: { at: at.length, above: above.length },
    brokeFirst,
    generatorPercent: medianOf(held.map((point) => point.generatorPercent)),
    budgetPercent,
    stretchedMs:
      brokeFirst.includes("p99") && budgetPercent !== null && budgetPercent < USED_UP_PERCENT
        ? (10 * budgetPercent) / lowest[0].rate
        : null,
    atRate:
      found.low === null
        ? null
        : {
            rate: found.low,
            p99Ms: medianOf(held.map((point) => point.p99Ms)),
            throttled: medianOf(held.map((point) => point.throttled)),
          },
    why: record?.status === "ok" ? null : (record?.cause?.message ?? "it has not run"),
  };

  /**
   * @param {Measured} measured
   * @param {Judgement} judgement
   * @param {Pick<CapacityPoint, "rate" | "cell" | "isFresh">} about
   * @returns {CapacityPoint}
   */
  function pointOf(measured, { verdict, broken, limits }, about) {
    const latency = workload.holdsConnections ? measured.echoLatencyMs : measured.handshakeMs;
    const generator = perSecond(measured, "load", "totalSeconds");
    const proxy = perSecond(measured, "proxy", "totalSeconds");
    const isAlone = ofRole(measured, "proxy").length === 1;
    const operations = workload.holdsConnections ? "messages" : "connections";
    return {
      ...{ ...about, verdict, broken, limits },
      endMs: measured.measured?.toMs ?? null,
      p99Ms: latency?.p99 ?? null,
      generatorPercent:
        generator === null || !measured.machine
          ? null
          : (100 * generator) / coresAround(measured, measured.machine.cores),
      budgetPercent: proxy === null || budget === 0 ? null : (100 * proxy) / budget,
      throttled: isAlone ? perSecond(measured, "proxy", "throttledSeconds") : null,
      referenceUs: referenceCpuUs(measured, operations),
    };
  }
}

/**
 * @param {Pick<CellRecord, "containers" | "machines">} measured
 * @param {number} cores of the machine that is the only one
 * @returns {number} of the load's machines
 */
function coresAround({ containers, machines }, cores) {
  const loads = Object.values(containers).filter(({ role }) => role === "load");
  const names = loads.flatMap(({ machine }) => machine ?? []);
  const around = usageOnce(machines ?? {}, names);
  return around.reduce((sum, each) => sum + each.cores, 0) || cores;
}

/**
 * @param {CellRecord} fresh
 * @param {Workload} workload
 * @returns {number} a second, as it was run
 */
function rateOf({ parameters }, workload) {
  return parameters[String(rateName(workload))];
}

/**
 * @param {Measured} measured
 * @param {"proxy" | "load"} role
 * @param {"totalSeconds" | "throttledSeconds"} what of its CPU time
 * @returns {number | null} seconds in each of the measured phase; null: it was not measured
 */
function perSecond(measured, role, what) {
  if (!measured.measured) return null;
  const { fromMs, toMs } = measured.measured;
  const used = ofRole(measured, role).reduce((sum, { cpu }) => sum + cpu[what], 0);
  return toMs > fromMs ? (1000 * used) / (toMs - fromMs) : null;
}
