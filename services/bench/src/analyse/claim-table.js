/**
 * Published claims over many runs: a row each, told by the run that says most about it.
 */
import { claimOf, isAskedIn } from "./claims.js";

/** @import { Plan } from "../model/plan.ts" */
/** @import { PublishedRules } from "./claims.js" */
/** @import { Analysis, Claim, PublishedClaim } from "./types.js" */

/**
 * @typedef {object} PublishedRun
 * @property {string} name of its folder
 * @property {Analysis} analysis
 *
 * @typedef {object} TellingRun
 * @property {PublishedRun} run
 * @property {Omit<Claim, "battles">} claim as that run tells it
 *
 * @typedef {object} ClaimRow
 * @property {PublishedRules} study
 * @property {PublishedClaim} claim
 * @property {ClaimState} state
 * @property {TellingRun | null} told by a figure, or by figures that do not count; null: no run has what it is about
 * @property {TellingRun[]} others those that come to the opposite, the newest first
 * @property {{name: string, rounds: number}[]} battles those that ask it
 *
 * @typedef {Claim["outcome"] | NonNullable<PublishedClaim["kind"]> | "no run yet"} ClaimState
 */

/** How much an outcome says. @type {Record<Claim["outcome"], number>} */
const STRENGTH = { holds: 2, "no longer": 2, "not comparable": 1, inconclusive: 0 };

/**
 * @param {PublishedRules[]} studies
 * @param {PublishedRun[]} runs
 * @param {{name: string, plan: Plan}[]} battles as they are planned today
 * @returns {ClaimRow[]} in the order of the studies and of their claims
 */
export function claimTable(studies, runs, battles) {
  return studies.flatMap((study) =>
    study.claims.map((claim) => {
      const telling = claim.rule ? tellingRuns(claim, runs) : [];
      const [told = null] = telling;
      const others = telling.filter((other) => told && areOpposite(told, other));
      const asked = battles
        .filter(({ plan }) => isAskedIn(claim, plan))
        .map(({ name, plan }) => ({ name, rounds: plan.rounds }));
      const state = stateOf(claim, told);
      return { study, claim, state, told, others, battles: asked };
    }),
  );
}

/**
 * @param {PublishedClaim} claim
 * @param {TellingRun | null} told
 * @returns {ClaimState}
 */
function stateOf({ kind }, told) {
  if (!told) return kind ?? "no run yet";
  // Of figures that do not count nothing can be said, not even that they do not compare.
  return told.claim.isTold ? told.claim.outcome : "inconclusive";
}

/**
 * @param {PublishedClaim} claim
 * @param {PublishedRun[]} runs
 * @returns {TellingRun[]} the one that says most first, then the newest
 */
function tellingRuns(claim, runs) {
  return runs
    .map((run) => ({ run, claim: claimOf(claim, run.analysis) }))
    .filter((one) => one.claim.figures.length > 0)
    .sort(
      (a, b) =>
        Number(b.claim.isTold) - Number(a.claim.isTold) ||
        STRENGTH[b.claim.outcome] - STRENGTH[a.claim.outcome] ||
        startOf(b.run).localeCompare(startOf(a.run)),
    );
}

/** @param {PublishedRun} run */
function startOf({ analysis }) {
  return analysis.results.run.startedAt;
}

/**
 * @param {TellingRun} a
 * @param {TellingRun} b
 */
function areOpposite({ claim: a }, { claim: b }) {
  return STRENGTH[a.outcome] === 2 && STRENGTH[b.outcome] === 2 && a.outcome !== b.outcome;
}
