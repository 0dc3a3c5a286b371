/**
 * Published claims over many runs, in words.
 *
 * @import { ClaimRow, ClaimState, PublishedRun, TellingRun } from "../analyse/claim-table.js"
 * @import { ClaimRule, Setting } from "../analyse/types.js"
 */
import { ENOUGH_ROUNDS } from "../analyse/ranking.js";
import { count, counted } from "../numbers.js";
import { claimText } from "./claim-texts.js";
import { missingText } from "./findings.js";
import { dated } from "./model.js";
import { list, titleOfProxy } from "./words.js";

/**
 * @typedef {object} ClaimEntry
 * @property {string} claim what was claimed
 * @property {string} by where and when
 * @property {ClaimState} state
 * @property {string} today the figure, or why there is none
 * @property {string} run folder of the run that tells it; empty: none does
 */

/** Stands above the table of claims. */
export const HOW_CLAIMS_ARE_TOLD =
  "Figures of another machine at another time: order and ratios are compared, single figures are not. A claim holds when the whole interval of each of its figures lies inside of its limits, and holds no longer when one lies outside. A time that is a queue's at the study's load is told one at a time, where none waits for another, if the claim is about an order, or about two as fast: how many times as long something takes under load that does not tell.";

/** In the order in which they are counted. @type {Record<ClaimState, string>} */
const COUNTED = {
  holds: "holding",
  "no longer": "no longer holding",
  inconclusive: "inconclusive",
  "not comparable": "not comparable",
  advice: "advice, which no run measures",
  "not measured": "about what no battle can ask",
  "no run yet": "without a published run yet",
};

/**
 * @param {ClaimRow[]} rows
 * @returns {ClaimEntry[]}
 */
export function claimEntries(rows) {
  return rows.map((row) => ({
    claim: row.claim.claim,
    by: dated(row.study.title, row.study),
    state: row.state,
    today: todayText(row),
    run: row.told?.run.name ?? "",
  }));
}

/** @param {ClaimRow} row */
function todayText({ claim, state, told, others, battles }) {
  const { rule } = claim;
  if (!rule) return claim.reason ?? "";
  if (!told) {
    const asking = battles.map(({ name }) => `./bench run ${name}`);
    return asking.length > 0
      ? `No published run has what it is about: ${asking.join(" or ")} would tell.`
      : "No battle asks it as it is now.";
  }
  if (!told.claim.isTold) return voidText(told, rule);
  const { analysis } = told.run;
  return [
    claimText({ claim: { ...told.claim, battles: [] }, rule }, analysis),
    ...(state === "inconclusive" ? [undecidedText(told, battles)] : []),
    ...(others.length > 0
      ? [`Run ${list(others.map(({ run }) => dayOf(run)))} says the opposite.`]
      : []),
  ].join(" ");
}

/**
 * @param {TellingRun} told without a figure that counts
 * @param {ClaimRule} rule
 * @returns {string} why none does
 */
function voidText({ run, claim }, { measure, of, to = [] }) {
  const { results } = run.analysis;
  const reasons = [of, ...to].flatMap((proxy) => {
    // Each cell may have figures of its own in its reason: the first tells enough.
    const [missing] = claim.figures.flatMap(({ at }) =>
      Array.isArray(at) ? at.flatMap((setting) => missingIn(setting, measure, proxy)) : [],
    );
    return missing ? [`${titleOfProxy(results, proxy)}: ${missingText([missing])}`] : [];
  });
  const why = reasons.length > 0 ? `: ${[...new Set(reasons)].join("; ")}` : "";
  return `Run ${dayOf(run)} has no figure that counts${why}.`;
}

/**
 * @param {Setting} setting
 * @param {string} key of a measure
 * @param {string} proxy
 */
function missingIn({ comparisons }, key, proxy) {
  const comparison = comparisons.find(({ measure }) => measure === key) ?? comparisons[0];
  return comparison?.rows.find((row) => row.proxy === proxy)?.missing ?? [];
}

/**
 * @param {TellingRun} told
 * @param {ClaimRow["battles"]} battles those that ask it
 */
function undecidedText({ claim: { figures } }, [battle]) {
  const isEnough = figures.every(({ estimate }) => estimate?.interval);
  if (isEnough) return "The interval lies on both sides of that.";
  if (!battle) return "";
  const option = battle.rounds < ENOUGH_ROUNDS ? ` --rounds ${ENOUGH_ROUNDS}` : "";
  return `More rounds would tell: ./bench run ${battle.name}${option}.`;
}

/**
 * @param {PublishedRun} run
 * @returns {string} `balancerbattle of 2026-11-21`
 */
export function dayOf({ name, analysis }) {
  return `${name} of ${analysis.results.run.startedAt.slice(0, 10)}`;
}

/**
 * @param {ClaimEntry[]} entries
 * @returns {string} how many there are of each state
 */
export function claimCounts(entries) {
  const parts = Object.entries(COUNTED).flatMap(([state, words]) => {
    const own = entries.filter((entry) => entry.state === state);
    return own.length > 0 ? [`${count(own.length)} ${words}`] : [];
  });
  return `${counted(entries.length, "claim")}: ${parts.join("; ")}.`;
}
