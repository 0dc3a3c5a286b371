/**
 * What today's run says to a published claim, in words.
 */
import { noSlopeText } from "./findings.js";
import { isRatio, isTime } from "../analyse/claims.js";
import { measure } from "../analyse/measures.js";
import { counted, number, times } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { withoutBuffers } from "./memory-texts.js";
import { connectionsAtATime, schemeName } from "../plan/workload.js";
import {
  amount,
  amountRange,
  settingTitle,
  slopesTitle,
  timesWithInterval,
  titleOfProxy,
} from "./words.js";

/** @import { Analysis, Claim, ClaimFigure, ClaimFilter, ClaimRule, Measure, PublishedStudy, Setting, Slopes } from "../analyse/types.js" */
/** @import { Estimate } from "../statistics/types.js" */

/** A claim about more figures than this shows those that decide. */
const SHOWN_FIGURES = 4;

/**
 * @typedef {Pick<Analysis, "results" | "settings" | "slopes" | "countsSocketBuffers">} Analysed
 *
 * @param {PublishedStudy} study
 * @returns {{claim: Claim, rule: ClaimRule}[]} those that the run has a figure for
 */
export function toldClaims({ claims }) {
  return claims.flatMap((claim) =>
    claim.rule && claim.isTold ? [{ claim, rule: claim.rule }] : [],
  );
}

/**
 * @param {PublishedStudy} study
 * @returns {string} how many claims the run says nothing about, and which battles would; empty where there is none
 */
export function untoldText({ claims }) {
  const untold = claims.filter(({ isTold }) => !isTold);
  if (untold.length === 0) return "";
  const asked = untold.filter(({ battles }) => battles.length > 0);
  const byBattles = Map.groupBy(asked, ({ battles }) => battles.join(" or "));
  const advice = untold.filter(({ rule }) => !rule).length;
  const nowhere = untold.length - asked.length - advice;
  const parts = [
    ...[...byBattles].map(([battles, own]) => `${number(own.length)} by ./bench run ${battles}`),
    ...(nowhere > 0 ? [`${number(nowhere)} by no battle as it is now`] : []),
    ...(advice > 0 ? [`${number(advice)} by no run of this benchmark`] : []),
  ];
  const others = `${counted(untold.length, "other claim")} of this study`;
  return `${others} ${untold.length === 1 ? "is" : "are"} about what this run did not measure, and can be told: ${parts.join("; ")}.`;
}

/**
 * @param {{claim: Claim, rule: ClaimRule}} told
 * @param {Analysed} analysed
 * @returns {string} figures and limits
 */
export function claimText({ claim: { outcome, figures, places }, rule }, analysed) {
  if (outcome === "not comparable") return queuedText(rule, figures, analysed);
  const told = figures
    .slice(0, SHOWN_FIGURES)
    .map((figure) => figureText(rule, figure, places > 1, analysed));
  // What several are ratios of is said once.
  const shown = told.map(({ subject, figure }, i) =>
    subject === told[i - 1]?.subject ? figure : `${subject} ${figure}`,
  );
  const rest = figures.slice(SHOWN_FIGURES);
  if (rest.length > 0) {
    const holding = rest.filter(({ outcome }) => outcome === "holds").length;
    shown.push(`and ${rest.length} more, of which ${holding} agree`);
  }
  return `${shown.join("; ")}. The claim needs ${limitsText(rule)}.`;
}

/**
 * @param {ClaimRule} rule about a time
 * @param {ClaimFigure[]} figures
 * @param {Analysed} analysed
 * @returns {string} why they are not comparable, and what of the same run is
 */
function queuedText({ measure: key, of }, figures, { results, settings }) {
  const queued = figures.flatMap(({ at, other, queue, instead }) =>
    Array.isArray(at) && queue ? [{ at, other, queue, instead }] : [],
  );
  const [{ at, queue }] = queued;
  const title = (/** @type {string} */ name) => titleOfProxy(results, name);
  const each = queued.flatMap(({ other, instead }) => {
    const to = other === null ? "itself" : title(other);
    return instead ? [`to ${to} ${timesWithInterval(instead.estimate)}`] : [];
  });
  const [stand] = queued.flatMap(({ instead }) => instead ?? []);
  return [
    `${measure(key).title}, ${settingTitle(at[0], settings)}: time in the queue, as ${number(queue.atATime)} at a time kept the machine ${number(queue.percent)} % busy (limit ${number(queue.limit)} %).`,
    stand
      ? `What can be compared there is ${measure(stand.measure).title}: ${title(of)} ${each.join(", ")}.`
      : queued.some(({ other }) => [of, other].includes(CONTROL))
        ? "No CPU time stands in for it: the control's is that of its own server."
        : "No CPU time of both counts.",
  ].join(" ");
}

/**
 * @param {ClaimRule} rule
 * @param {ClaimFigure} figure
 * @param {boolean} isOneOfSeveral so it says which
 * @param {Analysed} analysed
 * @returns {{subject: string, figure: string}} whose, of what; and how much
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
  const isSerial = isTime(key) && connectionsAtATime(at[0].workload) === 1;
  const where = isOneOfSeveral || isSerial ? `, ${settingTitle(at[0], settings)}` : "";
  const sum = at.length > 1 ? `, all ${counted(at.length, "setting")} together` : "";
  const second = other === null ? "itself" : titleOfProxy(results, other);
  const to = isRatio(rule)
    ? `to ${second}${against ? otherwiseText(against, rule.at, analysed) : ""} `
    : "";
  const subject = `${measure(key).title}${withoutBuffers(analysed, key)}${where}${sum}: ${titleOfProxy(results, of)}`;
  const figure = estimate ? withInterval(rule, estimate, "rounds") : "was not measured";
  return { subject, figure: `${to}${figure}` };
}

/**
 * @param {ClaimRule} rule
 * @param {ClaimFigure & {at: Slopes}} figure
 * @param {boolean} isOneOfSeveral
 * @param {Analysed} analysed
 */
function slopeText(rule, { at, estimate }, isOneOfSeveral, analysed) {
  const { results, slopes } = analysed;
  const where = isOneOfSeveral ? `, ${slopesTitle(at, slopes)}` : "";
  const subject = `${measure(rule.measure).title}, per connection${withoutBuffers(analysed, rule.measure)}${where}: ${titleOfProxy(results, rule.of)}`;
  if (estimate) return { subject, figure: withInterval(rule, estimate, "counts of connections") };
  const row = at.parts
    .find((part) => part.measure === rule.measure)
    ?.rows.find(({ proxy }) => proxy === rule.of);
  return { subject: `${subject}:`, figure: noSlopeText(row?.missing ?? null) };
}

/**
 * @param {ClaimRule} rule
 * @param {Estimate} estimate
 * @param {string} repeats what there are too few of where there is no interval
 */
function withInterval(rule, estimate, repeats) {
  const text = estimateText(estimate, isRatio(rule) ? null : measure(rule.measure));
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
