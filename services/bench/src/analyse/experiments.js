/**
 * Cells in which something happens to connections: what came of it is told, and no comparison of costs sees them.
 */
import { kindIn, skipKindOf } from "../plan/skips.js";
import { isExperiment, without, workloadOf } from "../plan/workload.js";
import { compareSettings, reasonsOf, settingKey } from "./settings.js";

/** @import { SkipKind } from "../plan/skips.js" */
/** @import { Meaning, PlannedCell, ScenarioDescription } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, Missing, Setting } from "./types.js" */

/** @typedef {Omit<Setting, "comparisons"> & {planned: PlannedCell[]}} PlannedSetting */

/**
 * @param {Results} results
 * @returns {Results} without cells of experiments
 */
export function withoutExperiments(results) {
  return withCells(results, false);
}

/**
 * @param {Results} results
 * @returns {Results} with those cells alone
 */
export function experimentsAlone(results) {
  return withCells(results, true);
}

/**
 * @param {Results} results
 * @param {boolean} areExperiments
 * @returns {Results} with the cells that are, or are not
 */
function withCells(results, areExperiments) {
  const { plan, cells } = results;
  const isWanted = (/** @type {{scenario: string}} */ { scenario }) =>
    isExperiment(plan.scenarios[scenario]) === areExperiments;
  if (plan.cells.every(isWanted)) return results;
  return {
    ...results,
    plan: { ...plan, cells: plan.cells.filter(isWanted) },
    cells: cells.filter(isWanted),
  };
}

/**
 * @param {Results} results
 * @param {ScenarioDescription["compares"]} kind
 * @param {Meaning[]} [aside] of parameters that make no other setting: how long it is looked on, say
 * @returns {PlannedSetting[]} ws before wss, then by parameters, which are without those
 */
export function settingsComparing({ plan }, kind, aside = []) {
  const planned = plan.cells.filter(({ scenario }) => plan.scenarios[scenario].compares === kind);
  const parametersOf = (/** @type {PlannedCell} */ { scenario, parameters }) =>
    without(
      parameters,
      aside.map((meaning) => plan.scenarios[scenario].parameterNames[meaning]),
    );
  const groups = Map.groupBy(planned, (cell) =>
    settingKey({ ...cell, parameters: parametersOf(cell) }),
  );
  const settings = [...groups].map(([key, own]) => {
    const [{ scenario, scheme }] = own;
    const [parameters, workload] = [parametersOf(own[0]), workloadOf(plan, own[0])];
    return { key, scenario, scheme, parameters, workload, planned: own };
  });
  return settings.sort(compareSettings);
}

/**
 * @template Figures
 * @param {Results} results
 * @param {PlannedCell[]} planned
 * @param {AnalysedCell[]} cells every attempt at cells of experiments
 * @param {(counted: AnalysedCell[]) => Figures | null} figuresOf null: none of them came so far
 * @returns {{proxy: string, figures: Figures | null, missing: Missing[]}[]} one a proxy that has such a cell, in the order of the plan
 */
export function answersOf({ plan }, planned, cells, figuresOf) {
  return plan.proxies.flatMap((proxy) => {
    const own = planned.filter((cell) => cell.proxy === proxy);
    if (own.length === 0) return [];
    const ids = new Set(own.map(({ id }) => id));
    const attempts = cells.filter(({ record }) => ids.has(record.id));
    const figures = figuresOf(attempts.filter(({ counted }) => counted));
    return { proxy, figures, missing: figures ? [] : missingOf(own, attempts) };
  });
}

/**
 * @param {PlannedCell[]} planned of one proxy
 * @param {AnalysedCell[]} attempts
 * @returns {Missing[]} why there is no figure, each reason once
 */
function missingOf(planned, attempts) {
  const ended = attempts.filter(({ record: { status } }) => status !== "skipped");
  /** @type {Missing[]} */
  const reasons = [
    ...planned.flatMap((cell) => skippedFor(cell.skip, skipKindOf(cell))),
    ...attempts.flatMap(({ record: { status, cause } }) =>
      status === "skipped" && cause ? skippedFor(cause.message, kindIn(cause.message)) : [],
    ),
    ...ended.flatMap(reasonsOf),
  ];
  if (reasons.length === 0) return [{ kind: ended.length > 0 ? "unreadable" : "not-run" }];
  return [...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values()];
}

/**
 * @param {string | null} why
 * @param {SkipKind | null} kind
 * @returns {Missing[]} []: it was not skipped
 */
function skippedFor(why, kind) {
  return why === null ? [] : [{ kind: kind === "has-none" ? kind : "skipped", why }];
}
