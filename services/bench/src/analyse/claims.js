/**
 * Published claims, as rules that today's run is held against.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { median } from "simple-statistics";
import { didYouMean } from "../errors.js";
import { Document } from "../plan/document.js";
import { CONTROL } from "../plan/proxies.js";
import { connectionsInAll, workloadOf } from "../plan/workload.js";
import { medianInterval } from "../statistics/index.js";
import { comparesServers, CONFIDENCE, ratioOf, settingKey, sumsByRound } from "./settings.js";
import { MEASURES } from "./measures.js";
import { PER_CONNECTION } from "./operation-costs.js";
import { LEAST_COUNTS } from "./slopes.js";

/** @import { Analysis, Claim, ClaimFigure, ClaimFilter, ClaimOutcome, ClaimRule, GateFigures, PublishedClaim, PublishedStudy, Setting } from "./types.js" */
/** @import { Plan, PlannedCell } from "../model/plan.ts" */
/** @import { Estimate } from "../statistics/types.js" */

/**
 * @typedef {Omit<PublishedStudy, "claims"> & {claims: PublishedClaim[], battles?: {name: string, plan: Plan}[]}} PublishedRules
 *   battles: those that were made for the study, as they are planned today
 *
 * @typedef {Pick<Analysis, "results" | "settings" | "cells" | "slopes">} Analysed
 */

/** From the one that decides over the claim to the one that leaves it to the others. */
const OUTCOMES = /** @type {const} */ (["not comparable", "no longer", "inconclusive", "holds"]);

/** A time, or what a closed loop makes of one. */
const OF_TIME = /_ms_|^total_seconds$/;

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
function refuseFaultyClaim(document, claim, i) {
  const { rule } = claim;
  const path = ["claims", i];
  const words = /** @type {const} */ (["kind", "reason"]);
  if (!rule) {
    const lacking = words.find((word) => claim[word] === undefined);
    if (!lacking) return;
    const next = "Expected a kind and a reason: why no run of this benchmark can tell.";
    throw document.mistake([...path, "rule"], `the rule is null, and no ${lacking} is given`, next);
  }
  const { measure: key, of, to, serial, against, slope, min, max } = rule;
  /** @type {(keys: string[], fact: string, next: string) => void} */
  const refuse = (keys, fact, next) => {
    throw document.mistake([...path, ...keys], fact, next);
  };
  const excess = words.find((word) => claim[word] !== undefined);
  if (excess)
    refuse(
      [excess],
      `there is a rule and a ${excess}`,
      `Expected a ${excess} only where rule is null.`,
    );
  const measures = MEASURES.map((one) => one.key);
  if (!measures.includes(key))
    refuse(
      ["rule", "measure"],
      `there is no measure "${key}"`,
      `${didYouMean(key, measures)}Expected a column of results.csv.`,
    );
  if (serial && !isTime(key))
    refuse(
      ["rule", "serial"],
      `serial is given, and ${key} is no time`,
      "Expected it only of times, which are a queue's under load.",
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
export function studyOf({ battles = [], ...published }, analysed) {
  const claims = published.claims.map((claim) => ({
    ...claimOf(claim, analysed),
    battles: battles.flatMap(({ name, plan }) => (isAskedIn(claim, plan) ? [name] : [])),
  }));
  return { ...published, claims };
}

/**
 * @param {Pick<PublishedClaim, "rule">} claim
 * @param {Plan} plan
 * @returns {boolean} it has the tests, and the proxies, that the claim is about
 */
export function isAskedIn({ rule }, plan) {
  if (!rule) return false;
  const { of, to = [], against, slope } = rule;
  if (![of, ...to].every((proxy) => plan.proxies.includes(proxy))) return false;
  const settings = [...new Map(plan.cells.map((cell) => [settingKey(cell), cell])).values()];
  const matching = settings.filter((setting) => answers(setting, rule));
  if (slope) return hasSlope(matching, plan);
  return matching.some((setting) => !against || counterpart(setting, against, settings));
}

/**
 * @param {PlannedCell[]} cells a setting each, of one scenario and scheme
 * @param {Plan} plan
 */
function hasSlope(cells, plan) {
  const counts = cells.map((cell) => connectionsInAll(workloadOf(plan, cell)));
  return new Set(counts).size >= LEAST_COUNTS;
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
 * @returns {Omit<Claim, "battles">}
 */
export function claimOf(published, analysed) {
  const { rule } = published;
  const nothing = { outcome: /** @type {const} */ ("inconclusive"), figures: [], places: 0 };
  if (!rule) return { ...published, ...nothing, isTold: false };
  const { figures, places } = rule.slope ? slopesIn(rule, analysed) : figuresOf(rule, analysed);
  figures.sort((a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome));
  return {
    ...published,
    outcome: figures[0]?.outcome ?? "inconclusive",
    figures,
    places,
    isTold: figures.some(({ estimate }) => estimate),
  };
}

/**
 * @param {ClaimRule} rule
 * @param {Analysed} analysed
 * @returns {Pick<Claim, "figures" | "places">} of every setting that matches and, where it is held against another, has that other
 */
function figuresOf(rule, analysed) {
  const { against, to = [null] } = rule;
  const matching = placesOf(
    rule,
    analysed.settings.filter((setting) => answers(setting, rule)),
  );
  const figures = matching.flatMap((at) => {
    const base = against
      ? at.map((setting) => counterpart(setting, against, analysed.settings))
      : at;
    if (!base.every((setting) => setting !== undefined)) return [];
    return to.map((other) => figureOf(rule, { at, other, base }, analysed));
  });
  return { figures, places: matching.length };
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
 * @returns {Pick<Claim, "figures" | "places">} of every family of settings that matches
 */
function slopesIn(rule, { slopes }) {
  const matching = slopes.filter((family) => matches(family, rule.at));
  const figures = matching.flatMap((family) => {
    const rows = family.parts.find(({ measure }) => measure === rule.measure)?.rows ?? [];
    const row = rows.find(({ proxy }) => proxy === rule.of);
    if (!row) return [];
    const { slope: estimate } = row;
    const outcome = outcomeOf(estimate, rule);
    return [{ at: family, other: null, estimate, outcome, queue: null, instead: null }];
  });
  return { figures, places: matching.length };
}

/**
 * @param {Pick<Setting, "scenario" | "scheme" | "parameters">} setting
 * @param {ClaimRule} rule
 * @returns {boolean} it is one that the claim is about
 */
function answers(setting, { at, serial }) {
  if (matches(setting, at)) return true;
  return !!serial && matches(setting, { ...at, parameters: { ...at.parameters, ...serial } });
}

/**
 * @param {Pick<Setting, "scenario" | "scheme" | "parameters">} setting
 * @param {Partial<ClaimFilter>} filter
 */
function matches(setting, { scenario, scheme, parameters = {} }) {
  return (
    (scenario ?? setting.scenario) === setting.scenario &&
    (scheme ?? setting.scheme) === setting.scheme &&
    Object.entries(parameters).every(([name, value]) => setting.parameters[name] === value)
  );
}

/**
 * @template {Pick<Setting, "scenario" | "scheme" | "parameters">} S
 * @param {S} setting
 * @param {Partial<ClaimFilter>} against what is otherwise in the other
 * @param {S[]} settings
 * @returns {S | undefined} the other; undefined: there is none, or it is this one
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
 * @typedef {object} Sides
 * @property {Setting[]} at whose figures are added up
 * @property {string | null} other proxy that it is held against; null: none other
 * @property {Setting[]} base where that is
 *
 * @param {ClaimRule} rule
 * @param {Sides} sides
 * @param {Analysed} analysed
 * @returns {ClaimFigure}
 */
function figureOf(rule, sides, analysed) {
  const { at, other, base } = sides;
  const estimate = estimateOf(rule, sides, analysed);
  const queue = queueOf([...at, ...base], rule.measure);
  return {
    ...{ at, other, estimate, queue },
    outcome: queue ? "not comparable" : outcomeOf(estimate, rule),
    instead: queue && insteadOf(rule, sides, analysed),
  };
}

/**
 * @param {ClaimRule} rule
 * @param {Sides} sides
 * @param {Analysed} analysed
 * @returns {Estimate | null}
 */
function estimateOf(rule, { at, other, base }, { results, cells }) {
  const { measure, of } = rule;
  const values = (/** @type {string} */ proxy, /** @type {Setting[]} */ settings) =>
    sumsByRound(
      settings.map((setting) => cells.filter((cell) => cell.setting === setting.key)),
      proxy,
      measure,
    );
  const own = values(of, at);
  return isRatio(rule)
    ? ratioOf(own, values(other ?? of, base), results.plan.seed)
    : medianOf([...own.values()]);
}

/**
 * @param {Setting[]} settings
 * @param {string} key of a measure
 * @returns {GateFigures["queue"] | null} of the busiest; null: it is no time, or times of those settings are no queue's
 */
function queueOf(settings, key) {
  if (!isTime(key)) return null;
  const found = settings.flatMap(({ comparisons }) =>
    comparisons.flatMap(({ findings }) =>
      findings.flatMap((finding) => (finding.gate === "queue" ? finding.figures : [])),
    ),
  );
  return found.toSorted((a, b) => b.percent - a.percent)[0] ?? null;
}

/**
 * @param {string} key of a measure
 * @returns {boolean} it is a time, and under load can be a queue's
 */
export function isTime(key) {
  return OF_TIME.test(key);
}

/** CPU time, the first that is compared. */
const INSTEAD = [PER_CONNECTION, "proxy_cpu_us_per_request", "servers_cpu_seconds"];

/**
 * @param {ClaimRule} rule about a time
 * @param {Sides} sides
 * @param {Analysed} analysed
 * @returns {ClaimFigure["instead"]}
 */
function insteadOf(rule, sides, analysed) {
  const [{ comparisons, workload }] = sides.at;
  // The control's CPU time is that of a server, which compares with servers alone.
  const isOfServer = [rule.of, sides.other].includes(CONTROL) && !comparesServers(workload);
  if (!isRatio(rule) || isOfServer) return null;
  const measure = INSTEAD.find((key) => comparisons.some((one) => one.measure === key));
  const estimate = measure ? estimateOf({ ...rule, measure }, sides, analysed) : null;
  return measure && estimate ? { measure, estimate } : null;
}

/**
 * @param {ClaimRule} rule
 * @returns {boolean} its figure is a ratio, without a unit
 */
export function isRatio({ to, against }) {
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
 * @param {Estimate | null} estimate
 * @param {ClaimRule} rule
 * @returns {ClaimOutcome}
 */
function outcomeOf(estimate, { min = -Infinity, max = Infinity }) {
  if (!estimate?.interval) return "inconclusive";
  const [low, high] = estimate.interval;
  if (low >= min && high <= max) return "holds";
  return high < min || low > max ? "no longer" : "inconclusive";
}
