/**
 * Published claims, as rules that today's run is held against.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Document } from "../plan/document.js";
import { ratioOf, titleOfProxy, valuesByRound } from "./compare.js";
import { measure, MEASURES } from "./measures.js";
import { amount, range, times, timesWithInterval } from "./words.js";

/** @import { Results, Scheme } from "../record/types.js" */
/** @import { AnalysedCell, Analysis, Claim, Estimate, Measure, PublishedStudy, Setting } from "./types.js" */

/**
 * A claim as a rule: the ratio of `of` to each of `to` under a measure lies between `min` and `max`; without `to`, the
 * figure itself does.
 *
 * @typedef {object} ClaimRule
 * @property {string} claim
 * @property {string} measure
 * @property {string} of
 * @property {string[]} [to]
 * @property {Scheme} scheme
 * @property {Record<string, number>} parameters
 * @property {number} [min]
 * @property {number} [max]
 *
 * @typedef {Omit<PublishedStudy, "claims"> & {claims: ClaimRule[]}} PublishedRules
 */

const schema = JSON.parse(
  readFileSync(new URL("./published.schema.json", import.meta.url), "utf8"),
);

/**
 * @param {string} file in battles/published/
 * @returns {PublishedRules}
 * @throws {import("../errors.js").UserError} for a mistake in it, with its line
 */
export function readPublished(file) {
  const document = new Document(file, `battles/published/${basename(file)}`);
  document.check(schema);
  const study = /** @type {PublishedRules} */ (document.value);
  study.tables.forEach(({ columns, rows }, i) =>
    rows.forEach((row, j) => {
      if (row.length !== columns.length)
        throw document.mistake(
          ["tables", i, "rows", j],
          `the row has ${row.length} entries, the table ${columns.length} columns`,
          `Expected one entry a column: ${columns.join(", ")}.`,
        );
    }),
  );
  study.claims.forEach((claim, i) => {
    if (!MEASURES.some(({ key }) => key === claim.measure))
      throw document.mistake(
        ["claims", i, "measure"],
        `there is no measure "${claim.measure}"`,
        "Expected a column of results.csv.",
      );
  });
  return study;
}

/**
 * @param {PublishedRules} published
 * @param {Pick<Analysis, "results" | "settings" | "cells">} analysed
 * @returns {PublishedStudy}
 */
export function studyOf(published, analysed) {
  return { ...published, claims: published.claims.map((rule) => claimOf(rule, analysed)) };
}

/**
 * A claim holds when the whole interval of its figure is inside of its limits, and no longer when all of it is outside.
 * Otherwise this run cannot tell.
 *
 * @param {ClaimRule} rule
 * @param {Pick<Analysis, "results" | "settings" | "cells">} analysed
 * @returns {Claim}
 */
function claimOf(rule, { results, settings, cells }) {
  const { claim } = rule;
  const setting = settings.find(
    ({ scheme, parameters }) =>
      scheme === rule.scheme &&
      Object.entries(rule.parameters).every(([name, value]) => parameters[name] === value),
  );
  if (!setting) {
    const asked = Object.entries(rule.parameters).map(([name, value]) => `${name}=${value}`);
    const today = `this run has nothing over ${rule.scheme} with ${asked.join(", ")}`;
    return { claim, outcome: "cannot be told here", today };
  }
  const figures = (rule.to ?? [null]).map((to) => figureOf(rule, to, { results, setting, cells }));
  const outcomes = figures.map(({ outcome }) => outcome);
  const today = `${figures.map(({ text }) => text).join("; ")}. The claim needs ${limitsText(rule)}.`;
  if (outcomes.includes("no longer")) return { claim, outcome: "no longer", today };
  if (outcomes.includes("cannot be told here"))
    return { claim, outcome: "cannot be told here", today };
  return { claim, outcome: "holds", today };
}

/**
 * @param {ClaimRule} rule
 * @param {string | null} to null: the figure itself
 * @param {{results: Results, setting: Setting, cells: AnalysedCell[]}} run
 * @returns {{outcome: Claim["outcome"], text: string}}
 */
function figureOf(rule, to, { results, setting, cells }) {
  const of = measure(rule.measure);
  const own = titleOfProxy(results, rule.of);
  const what = `${of.title}: ${own}${to ? ` to ${titleOfProxy(results, to)}` : ""}`;
  const estimate = estimateOf(rule, to, { results, setting, cells });
  if (!estimate) return { outcome: "cannot be told here", text: `${what} was not measured` };
  const text = `${what} ${estimateText(estimate, to ? null : of)}`;
  if (!estimate.interval)
    return { outcome: "cannot be told here", text: `${text}, too few rounds for an interval` };
  return { outcome: outcomeOf(estimate.interval, rule), text };
}

/**
 * @param {ClaimRule} rule
 * @param {string | null} to
 * @param {{results: Results, setting: Setting, cells: AnalysedCell[]}} run
 * @returns {Estimate | null}
 */
function estimateOf(rule, to, { results, setting, cells }) {
  if (to === null) {
    const comparison = setting.comparisons.find((one) => one.measure === rule.measure);
    return comparison?.rows.find(({ proxy }) => proxy === rule.of)?.median ?? null;
  }
  const here = cells.filter((cell) => cell.setting === setting.key);
  const values = (/** @type {string} */ proxy) => valuesByRound(here, proxy, rule.measure);
  return ratioOf(values(rule.of), values(to), results.plan.seed);
}

/**
 * @param {Estimate} estimate
 * @param {Measure | null} measure null: it is a ratio
 */
function estimateText(estimate, measure) {
  if (!measure) return timesWithInterval(estimate);
  const { value, interval } = estimate;
  return `${amount(value, measure)}${interval ? ` (${range(interval, value, measure)})` : ""}`;
}

/**
 * @param {[number, number]} interval
 * @param {ClaimRule} rule
 * @returns {Claim["outcome"]}
 */
function outcomeOf([low, high], { min = -Infinity, max = Infinity }) {
  if (low >= min && high <= max) return "holds";
  return high < min || low > max ? "no longer" : "cannot be told here";
}

/** @param {ClaimRule} rule */
function limitsText({ min, max, to, measure: key }) {
  const text = (/** @type {number} */ limit) =>
    to ? `${times(limit)} times` : amount(limit, measure(key));
  if (min === undefined) return `at most ${text(/** @type {number} */ (max))}`;
  return max === undefined
    ? `at least ${text(min)}`
    : `at least ${text(min)} and at most ${text(max)}`;
}
