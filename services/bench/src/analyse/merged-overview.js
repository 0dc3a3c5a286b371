/**
 * The overviews of many runs as one: each question answered by the run that says most about it.
 */
import { columnsOf, inOrder, isAtSetRate, questionKey, QUESTION_KEYS } from "./overview.js";

/** @import { PublishedRun } from "./claim-table.js" */
/** @import { Contest, Overview, OverviewColumn } from "./types.js" */

/**
 * @typedef {OverviewColumn & {run: PublishedRun}} MergedColumn
 * @typedef {Omit<Overview, "columns"> & {columns: MergedColumn[]}} MergedOverview
 *
 * @typedef {Pick<MergedColumn, "cells" | "isFirstLook" | "run"> & {at: Contest["at"] | null}} Answering what a run answers to a question
 */

/**
 * Of two runs that answer the same, the one that says more: ranked by tests, then of more proxies, then held against the reference proxy,
 * then at a set rate, then over more settings, then of more rounds, then the newer.
 *
 * @param {Answering} a
 * @param {Answering} b
 * @returns {number} below 0: a says more
 */
export function sayingMore(a, b) {
  const [first, second] = [a, b].map(({ run, cells, isFirstLook, at }) => [
    Number(!isFirstLook),
    cells.filter(({ rank }) => rank !== null).length,
    cells.filter(({ value }) => value !== null).length,
    Number(cells.some(({ toReference }) => toReference !== null)),
    Number(isAtSetRate(at)),
    Array.isArray(at) ? at.length : 1,
    run.analysis.results.plan.rounds,
    Date.parse(run.analysis.results.run.startedAt),
  ]);
  const differing = first.findIndex((value, i) => value !== second[i]);
  return differing < 0 ? 0 : second[differing] - first[differing];
}

/**
 * @param {PublishedRun[]} runs
 * @param {string[]} proxies that it is about
 * @returns {MergedOverview} of WebSockets; its columns are those that a run has measured for one of them at least, with the best of all
 */
export function mergedOverview(runs, proxies) {
  const isNamed = (/** @type {{proxy: string}} */ { proxy }) => proxies.includes(proxy);
  const all = runs.flatMap((run) =>
    columnsOf(run.analysis)
      .filter(({ at, protocol }) => at && protocol === "websocket")
      // Ratios to one that is not shown say nothing.
      .filter(({ cells }) => cells.every((cell) => isNamed(cell) || !cell.isBest))
      .map((column) => ({ ...column, run, cells: column.cells.filter(isNamed) }))
      .filter(({ cells }) => cells.some(({ value }) => value)),
  );
  const columns = [...Map.groupBy(all, questionKey).values()]
    .map((own) => own.toSorted(sayingMore)[0])
    .toSorted(
      (a, b) => QUESTION_KEYS.indexOf(questionKey(a)) - QUESTION_KEYS.indexOf(questionKey(b)),
    );
  const named = proxies.filter((name) =>
    columns.some(({ cells }) => cells.some(({ proxy, value }) => proxy === name && value)),
  );
  return { proxies: inOrder(named, columns), columns };
}

/**
 * @param {Pick<PublishedRun, "analysis">[]} runs
 * @returns {OverviewColumn[]} what is asked of runs like these, and none of them can speak to, each once
 */
export function unmeasured(runs) {
  const columns = runs.flatMap(({ analysis }) => columnsOf(analysis));
  const measured = new Set(columns.filter(({ at }) => at).map(questionKey));
  const gaps = columns.filter((column) => !measured.has(questionKey(column)));
  return [...new Map(gaps.map((column) => [questionKey(column), column])).values()];
}
