/**
 * What today's run says to a published claim, in words.
 */
import { noSlopeText } from "./findings.js";
import { isRatio } from "../analyse/claims.js";
import { measure } from "../analyse/measures.js";
import { counted, number, times } from "../numbers.js";
import { schemeName } from "../plan/workload.js";
import {
  amount,
  amountRange,
  settingTitle,
  slopesTitle,
  timesWithInterval,
  titleOfProxy,
} from "./words.js";

/** @import { Analysis, Claim, ClaimFigure, ClaimFilter, ClaimRule, Measure, Setting, Slopes } from "../analyse/types.js" */
/** @import { Estimate } from "../statistics/types.js" */

/** A claim about more figures than this shows those that decide. */
const SHOWN_FIGURES = 4;

/**
 * @typedef {Pick<Analysis, "results" | "settings" | "slopes">} Analysed
 *
 * @param {Claim} claim
 * @param {Analysed} analysed
 * @returns {string} figures and limits; why it cannot be told where there are none
 */
export function claimText({ rule, reason = "", outcome, figures, places }, analysed) {
  if (!rule) return reason;
  if (outcome === "not comparable")
    return "Shared cores: its times are those of a closed loop on a saturated machine, time in the queue.";
  if (figures.length === 0) return nothingText(rule, places > 0, analysed);
  const shown = figures
    .slice(0, SHOWN_FIGURES)
    .map((figure) => figureText(rule, figure, places > 1, analysed));
  const rest = figures.slice(SHOWN_FIGURES);
  if (rest.length > 0) {
    const holding = rest.filter(({ outcome }) => outcome === "holds").length;
    shown.push(`and ${rest.length} more, of which ${holding} agree`);
  }
  return `${shown.join("; ")}. The claim needs ${limitsText(rule)}.`;
}

/**
 * @param {ClaimRule} rule
 * @param {ClaimFigure} figure
 * @param {boolean} isOneOfSeveral so it says which
 * @param {Analysed} analysed
 */
function figureText(rule, figure, isOneOfSeveral, analysed) {
  const { at } = figure;
  return Array.isArray(at)
    ? settingsText(rule, { ...figure, at }, isOneOfSeveral, analysed)
    : slopeText(rule, { ...figure, at }, isOneOfSeveral, analysed);
}

/**
 * @param {ClaimRule} rule
 * @param {ClaimFigure & {at: Setting[]}} figure
 * @param {boolean} isOneOfSeveral
 * @param {Analysed} analysed
 */
function settingsText(rule, { at, other, estimate }, isOneOfSeveral, analysed) {
  const { results, settings } = analysed;
  const { measure: key, of, against } = rule;
  const where = isOneOfSeveral ? `, ${settingTitle(at[0], settings)}` : "";
  const sum = at.length > 1 ? `, all ${counted(at.length, "setting")} together` : "";
  const second = other === null ? "itself" : titleOfProxy(results, other);
  const to = isRatio(rule)
    ? ` to ${second}${against ? otherwiseText(against, rule.at, analysed) : ""}`
    : "";
  const what = `${measure(key).title}${where}${sum}: ${titleOfProxy(results, of)}${to}`;
  if (!estimate) return `${what} was not measured`;
  return withEstimate(what, rule, estimate, "rounds");
}

/**
 * @param {ClaimRule} rule
 * @param {ClaimFigure & {at: Slopes}} figure
 * @param {boolean} isOneOfSeveral
 * @param {Analysed} analysed
 */
function slopeText(rule, { at, estimate }, isOneOfSeveral, { results, slopes }) {
  const where = isOneOfSeveral ? `, ${slopesTitle(at, slopes)}` : "";
  const what = `${measure(rule.measure).title}, per connection${where}: ${titleOfProxy(results, rule.of)}`;
  if (estimate) return withEstimate(what, rule, estimate, "counts of connections");
  const row = at.parts
    .find((part) => part.measure === rule.measure)
    ?.rows.find(({ proxy }) => proxy === rule.of);
  return `${what}: ${noSlopeText(row?.missing ?? null)}`;
}

/**
 * @param {string} what
 * @param {ClaimRule} rule
 * @param {Estimate} estimate of it
 * @param {string} repeats what there are too few of where there is no interval
 */
function withEstimate(what, rule, estimate, repeats) {
  const text = `${what} ${estimateText(estimate, isRatio(rule) ? null : measure(rule.measure))}`;
  return estimate.interval ? text : `${text}, too few ${repeats} for an interval`;
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
 * @param {boolean} isHalf the run has what it is about, and not what that is held against
 * @param {Pick<Analysed, "results">} analysed
 */
function nothingText({ at, against, slope }, isHalf, analysed) {
  const test = slope ? "slope over connections" : "test";
  const asked = `This run has no ${at.scenario} ${test}${otherwiseText({ ...at, scenario: undefined }, at, analysed)}`;
  return against && isHalf
    ? `${asked} beside one${otherwiseText(against, at, analysed)}.`
    : `${asked}.`;
}

/**
 * @param {Partial<ClaimFilter>} filter
 * @param {ClaimFilter} at where the scenario is, unless the filter has another
 * @param {Pick<Analysed, "results">} analysed
 * @returns {string} ` in idle over wss with CONNECTIONS=1000`
 */
function otherwiseText({ scenario, scheme, parameters = {} }, at, { results }) {
  // A scenario that the run has not is known by its name alone.
  const workload = results.plan.scenarios[scenario ?? at.scenario] ?? { protocol: "websocket" };
  const each = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return [
    scenario ? ` in ${scenario}` : "",
    scheme ? ` over ${schemeName({ scheme, workload })}` : "",
    each.length > 0 ? ` with ${each.join(", ")}` : "",
  ].join("");
}
