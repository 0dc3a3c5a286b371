/**
 * Published claims, as rules that today's run is held against.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { median } from "simple-statistics";
import { counted, number, times } from "../numbers.js";
import { didYouMean } from "../errors.js";
import { Document } from "../plan/document.js";
import { medianInterval } from "../statistics/index.js";
import { CONFIDENCE, ratioOf, settingKey, sumsByRound, titleOfProxy } from "./settings.js";
import { measure, MEASURES } from "./measures.js";
import { schemeName } from "./scenarios.js";
import { noSlopeText } from "../render/missing.js";
import { amount, amountRange, timesWithInterval } from "../render/words.js";

/** @import { Parameters, Scheme } from "../record/types.js" */
/** @import { Analysis, Claim, Measure, PublishedStudy, Setting } from "./types.js" */
/** @import { Estimate } from "../statistics/types.js" */

/**
 * @typedef {object} Filter
 * @property {string} scenario
 * @property {Scheme} scheme
 * @property {Parameters} [parameters] those that must be so
 *
 * @typedef {object} ClaimRule The figure lies between `min` and `max` in every setting that `at` matches. The figure is one of:
 *   - without `to` and `against`: the median of `of` itself;
 *   - with `to`: its ratio to each of those proxies in the same setting;
 *   - with `against`: its ratio to itself in the setting that differs in just that, such as fewer connections or ws;
 *   - with both: its ratio to each of those proxies in that other setting;
 *   - with `slope`: what the measure grows by with each connection that is held.
 *   With `sumOver`, each of these figures is added up, round by round, over the settings that differ in that parameter alone.
 * @property {string} measure
 * @property {string} of
 * @property {string[]} [to]
 * @property {Filter} at
 * @property {Partial<Filter>} [against]
 * @property {true} [slope]
 * @property {string} [sumOver] a parameter
 * @property {number} [min]
 * @property {number} [max]
 *
 * @typedef {object} PublishedClaim
 * @property {string} claim
 * @property {ClaimRule | null} rule null: no run of this benchmark can tell
 * @property {string} [reason] why; only where rule is null
 *
 * @typedef {Omit<PublishedStudy, "claims"> & {claims: PublishedClaim[]}} PublishedRules
 *
 * @typedef {Pick<Analysis, "results" | "settings" | "cells" | "slopes">} Analysed
 *
 * @typedef {{outcome: Claim["outcome"], text: string}} Figure
 */

/** From the one that decides over the claim to the one that leaves it to the others. */
const OUTCOMES = /** @type {const} */ (["no longer", "cannot be told here", "holds"]);
/** A claim about more figures than this shows those that decide. */
const SHOWN_FIGURES = 4;

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
  study.claims.forEach((claim, i) => refuseFaultyClaim(document, claim, i));
  return study;
}

/**
 * What the schema cannot say.
 *
 * @param {Document} document
 * @param {PublishedClaim} claim
 * @param {number} i its place in the list
 */
function refuseFaultyClaim(document, { rule, reason }, i) {
  const path = ["claims", i];
  if (!rule) {
    if (reason) return;
    const next = "Expected a reason: it stands in the report in place of today's figure.";
    throw document.mistake([...path, "rule"], "the rule is null, and no reason is given", next);
  }
  const { measure: key, of, to, against, slope, min, max } = rule;
  /** @type {(keys: string[], fact: string, next: string) => void} */
  const refuse = (keys, fact, next) => {
    throw document.mistake([...path, ...keys], fact, next);
  };
  if (reason !== undefined)
    refuse(
      ["reason"],
      "there is a rule and a reason",
      "Expected a reason only where rule is null.",
    );
  const measures = MEASURES.map((one) => one.key);
  if (!measures.includes(key))
    refuse(
      ["rule", "measure"],
      `there is no measure "${key}"`,
      `${didYouMean(key, measures)}Expected a column of results.csv.`,
    );
  if (min === undefined && max === undefined)
    refuse(["rule"], "the rule has no limit", "Expected min, max or both.");
  if (min !== undefined && max !== undefined && min > max)
    refuse(["rule", "min"], `min is ${min}, above max, which is ${max}`, "Expected min up to max.");
  if (slope && (to || against))
    refuse(
      ["rule", "slope"],
      "a slope is held against another",
      "Expected it without to and against.",
    );
  if (to?.includes(of) && !against)
    refuse(["rule", "to"], `${of} is held against itself`, "Expected other proxies, or against.");
}

/**
 * @param {PublishedRules} published
 * @param {Analysed} analysed
 * @returns {PublishedStudy}
 */
export function studyOf(published, analysed) {
  return { ...published, claims: published.claims.map((claim) => claimOf(claim, analysed)) };
}

/**
 * A figure agrees when its whole interval is inside of the limits, and contradicts when all of it is outside. A claim holds
 * when every figure of it agrees, and no longer when one contradicts. Otherwise this run cannot tell.
 *
 * That every one of several must agree errs on the careful side (an intersection-union test: Berger, Technometrics 24 (1982)
 * 295-300). That one is enough to contradict does not: each has an interval of its own, not corrected for their number,
 * as six rounds allow no wider one.
 *
 * @param {PublishedClaim} published
 * @param {Analysed} analysed
 * @returns {Claim}
 */
function claimOf({ claim, rule, reason = "" }, analysed) {
  if (!rule) return { claim, outcome: "cannot be told here", today: reason };
  const figures = (rule.slope ? slopesIn(rule, analysed) : figuresOf(rule, analysed)).sort(
    (a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome),
  );
  if (figures.length === 0)
    return { claim, outcome: "cannot be told here", today: nothingText(rule, analysed) };
  const shown = figures.slice(0, SHOWN_FIGURES).map(({ text }) => text);
  const rest = figures.slice(SHOWN_FIGURES);
  if (rest.length > 0) {
    const holding = rest.filter(({ outcome }) => outcome === "holds").length;
    shown.push(`and ${rest.length} more, of which ${holding} agree`);
  }
  return {
    claim,
    outcome: figures[0].outcome,
    today: `${shown.join("; ")}. The claim needs ${limitsText(rule)}.`,
  };
}

/**
 * @param {ClaimRule} rule
 * @param {Analysed} analysed
 * @returns {Figure[]} of every setting that matches and, where it is held against another, has that other
 */
function figuresOf(rule, analysed) {
  const { against, to = [null] } = rule;
  const matching = placesOf(
    rule,
    analysed.settings.filter((setting) => matches(setting, rule.at)),
  );
  return matching.flatMap((place) => {
    const base = against
      ? place.map((setting) => counterpart(setting, against, analysed.settings))
      : place;
    if (!base.every((setting) => setting !== undefined)) return [];
    return to.map((other) => figureOf(rule, { place, other, base }, matching.length, analysed));
  });
}

/**
 * @param {ClaimRule} rule
 * @param {Setting[]} matching
 * @returns {Setting[][]} each the settings whose figures are added up to one
 */
function placesOf({ sumOver }, matching) {
  if (sumOver === undefined) return matching.map((setting) => [setting]);
  const family = (/** @type {Setting} */ { scenario, scheme, parameters }) => {
    const { [sumOver]: summed, ...rest } = parameters;
    return settingKey({ scenario, scheme, parameters: rest });
  };
  return [...Map.groupBy(matching, family).values()];
}

/**
 * @param {ClaimRule} rule
 * @param {Analysed} analysed
 * @returns {Figure[]} of every family of settings that matches
 */
function slopesIn(rule, { results, slopes }) {
  const of = measure(rule.measure);
  const matching = slopes.filter((family) => matches(family, rule.at));
  return matching.flatMap(({ title, parts }) => {
    const rows = parts.find(({ measure }) => measure === rule.measure)?.rows ?? [];
    const row = rows.find(({ proxy }) => proxy === rule.of);
    if (!row) return [];
    const place = matching.length > 1 ? `, ${title}` : "";
    const what = `${of.title}, per connection${place}: ${titleOfProxy(results, rule.of)}`;
    return row.slope
      ? told(rule, row.slope, what, "counts of connections")
      : { outcome: "cannot be told here", text: `${what}: ${noSlopeText(row)}` };
  });
}

/**
 * @param {Pick<Setting, "scenario" | "scheme" | "parameters">} setting
 * @param {Partial<Filter>} filter
 */
function matches(setting, { scenario, scheme, parameters = {} }) {
  return (
    (scenario ?? setting.scenario) === setting.scenario &&
    (scheme ?? setting.scheme) === setting.scheme &&
    Object.entries(parameters).every(([name, value]) => setting.parameters[name] === value)
  );
}

/**
 * @param {Setting} setting
 * @param {Partial<Filter>} against what is otherwise in the other
 * @param {Setting[]} settings
 * @returns {Setting | undefined} the other; undefined: there is none, or it is this one
 */
function counterpart(setting, against, settings) {
  const wanted = {
    scenario: against.scenario ?? setting.scenario,
    scheme: against.scheme ?? setting.scheme,
    parameters: { ...setting.parameters, ...against.parameters },
  };
  return settings.find(
    (other) =>
      other !== setting &&
      matches(other, { ...wanted, parameters: against.parameters }) &&
      // Another scenario may lack a parameter of this one, and have its own.
      Object.entries(other.parameters).every(
        ([name, value]) => (wanted.parameters[name] ?? value) === value,
      ),
  );
}

/**
 * @param {ClaimRule} rule
 * @param {object} sides
 * @param {Setting[]} sides.place settings whose figures are added up
 * @param {string | null} sides.other proxy that it is held against; null: none other
 * @param {Setting[]} sides.base where that is
 * @param {number} matching places that are told apart in the text
 * @param {Analysed} analysed
 * @returns {Figure}
 */
function figureOf(rule, { place, other, base }, matching, { results, cells }) {
  const { measure: key, of, against } = rule;
  const values = (/** @type {string} */ proxy, /** @type {Setting[]} */ settings) =>
    sumsByRound(
      settings.map((setting) => cells.filter((cell) => cell.setting === setting.key)),
      proxy,
      key,
    );
  const own = values(of, place);
  const estimate = isRatio(rule)
    ? ratioOf(own, values(other ?? of, base), results.plan.seed)
    : medianOf([...own.values()]);

  const where = matching > 1 ? `, ${place[0].title}` : "";
  const sum = place.length > 1 ? `, all ${counted(place.length, "setting")} together` : "";
  const second = other === null ? "itself" : titleOfProxy(results, other);
  const to = isRatio(rule) ? ` to ${second}${against ? otherwiseText(against, rule.at) : ""}` : "";
  const what = `${measure(key).title}${where}${sum}: ${titleOfProxy(results, of)}${to}`;
  return estimate
    ? told(rule, estimate, what, "rounds")
    : { outcome: "cannot be told here", text: `${what} was not measured` };
}

/**
 * @param {ClaimRule} rule
 * @param {Estimate} estimate
 * @param {string} what it is of
 * @param {string} repeats what there are too few of where there is no interval
 * @returns {Figure}
 */
function told(rule, estimate, what, repeats) {
  const text = `${what} ${estimateText(estimate, isRatio(rule) ? null : measure(rule.measure))}`;
  if (!estimate.interval)
    return { outcome: "cannot be told here", text: `${text}, too few ${repeats} for an interval` };
  return { outcome: outcomeOf(estimate.interval, rule), text };
}

/** @param {ClaimRule} rule */
function isRatio({ to, against }) {
  return to !== undefined || against !== undefined;
}

/**
 * @param {number[]} values
 * @returns {Estimate | null} null: there are none
 */
function medianOf(values) {
  if (values.length === 0) return null;
  return { value: median(values), interval: medianInterval(values, CONFIDENCE) };
}

/**
 * @param {Estimate} estimate
 * @param {Measure | null} measure null: it is a ratio
 */
function estimateText(estimate, measure) {
  if (!measure) return timesWithInterval(estimate);
  const { value, interval } = estimate;
  return `${amount(value, measure)}${interval ? ` (${amountRange(interval, value, measure)})` : ""}`;
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
function limitsText(rule) {
  const { min, max, measure: key } = rule;
  const text = (/** @type {number} */ limit) =>
    isRatio(rule) ? `${times(limit)} times` : amount(limit, measure(key), number);
  if (min === undefined) return `at most ${text(/** @type {number} */ (max))}`;
  return max === undefined
    ? `at least ${text(min)}`
    : `at least ${text(min)} and at most ${text(max)}`;
}

/**
 * @param {ClaimRule} rule that has no figure in this run
 * @param {Analysed} analysed
 */
function nothingText({ at, against, slope }, { settings }) {
  const test = slope ? "slope over connections" : "test";
  const asked = `This run has no ${at.scenario} ${test}${otherwiseText({ ...at, scenario: undefined }, at)}`;
  return against && settings.some((setting) => matches(setting, at))
    ? `${asked} beside one${otherwiseText(against, at)}.`
    : `${asked}.`;
}

/**
 * @param {Partial<Filter>} filter
 * @param {Filter} at where the scenario is, unless the filter has another
 * @returns {string} ` in idle over wss with CONNECTIONS=1000`
 */
function otherwiseText({ scenario, scheme, parameters = {} }, at) {
  const each = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return [
    scenario ? ` in ${scenario}` : "",
    scheme ? ` over ${schemeName({ scenario: scenario ?? at.scenario, scheme })}` : "",
    each.length > 0 ? ` with ${each.join(", ")}` : "",
  ].join("");
}
