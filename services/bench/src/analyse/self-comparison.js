/**
 * A proxy against a copy of itself: whatever differs is noise.
 */
import { median } from "simple-statistics";
import { detectableRatio, medianInterval, smallestP } from "../statistics/index.js";
import { CONFIDENCE, isRanked, ratioOf, settingsOf, valuesByRound } from "./settings.js";
import { ALPHA, judge } from "./ranking.js";

/** @import { Plan } from "../model/plan.ts" */
/** @import { Analysis, NoiseFloor, SelfComparison, Verdict } from "./types.js" */

/** @typedef {Pick<SelfComparison, "proxy" | "copy" | "unobserved" | "isCopy">} Pair */

/**
 * @param {Plan} plan
 * @returns {Pair | null} null: no proxy of it is a copy of another
 */
export function pairOf({ cells }) {
  const copied = cells.find(({ proxy, profile }) => proxy !== profile);
  const original = cells.find(({ proxy }) => proxy === copied?.profile);
  if (!copied || !original) return null;
  const isObserved = (/** @type {string} */ name) =>
    cells.every(({ proxy, observed }) => proxy !== name || observed !== false);
  return {
    proxy: original.proxy,
    copy: copied.proxy,
    unobserved: isObserved(original.proxy) !== isObserved(copied.proxy),
    isCopy: true,
  };
}

/**
 * Judged over all measures of all settings together that proxies are ranked by, so that chance alone shows a difference in one of
 * 20 runs and not in one of 20 measures.
 *
 * @param {Pick<Analysis, "results" | "settings" | "cells">} analysed
 * @returns {SelfComparison | null} null: the run is of another kind
 */
export function selfComparisonOf({ results, settings, cells }) {
  const pair = pairOf(results.plan);
  return pair && comparisonOf(pair, { results, settings, cells });
}

/** What the work costs, a measure of each kind: memory is a container's own, whatever work it does. */
const OF_WORK = [
  "cpu_us_per_connection",
  "cpu_us_per_handshake",
  "cpu_us_per_message",
  "proxy_cpu_us_per_request",
  "handshake_ms_mean",
  "echo_latency_ms_mean",
  "request_ms_mean",
  "connections_per_second",
  "messages_per_second",
  "requests_per_second",
];

/**
 * Two proxies that do the same work are an A/A pair in every run that has both.
 *
 * @param {Pick<Analysis, "results" | "settings" | "cells">} analysed
 * @returns {SelfComparison[]} those that have figures
 */
export function sameWorkOf({ results, settings, cells }) {
  const { proxies } = results;
  return proxies.flatMap(({ name, sameWorkAs }) => {
    const other = proxies.find((one) => one.name === sameWorkAs?.proxy);
    if (!other) return [];
    const own = settings
      .filter(({ scheme }) => scheme === sameWorkAs?.scheme)
      .map((setting) => ({
        ...setting,
        comparisons: setting.comparisons.filter(({ measure: key }) => OF_WORK.includes(key)),
      }));
    const pair = { proxy: other.name, copy: name, unobserved: false, isCopy: false };
    const comparison = comparisonOf(pair, { results, settings: own, cells });
    return comparison.settings.some(({ measures }) => measures.length > 0) ? [comparison] : [];
  });
}

/**
 * @param {Pair} pair
 * @param {Pick<Analysis, "results" | "settings" | "cells">} analysed
 * @returns {SelfComparison}
 */
function comparisonOf(pair, { results, settings, cells }) {
  const compared = settings.flatMap((setting) => {
    const own = cells.filter((cell) => cell.setting === setting.key);
    const ranked = setting.comparisons.filter(({ measure: key }) => isRanked(key));
    return ranked.flatMap(({ measure: key }) => {
      const [original, copy] = [pair.proxy, pair.copy].map((name) => valuesByRound(own, name, key));
      const ratio = ratioOf(copy, original, results.plan.seed);
      return ratio ? [{ setting, measure: key, original, copy, ratio }] : [];
    });
  });
  const names = compared.map((_, i) => /** @type {const} */ ([`original ${i}`, `copy ${i}`]));
  const judgement = judge(
    new Map(
      compared.flatMap(({ original, copy }, i) => [
        [names[i][0], [...original.values()]],
        [names[i][1], [...copy.values()]],
      ]),
    ),
    names.map(([a, b]) => [a, b]),
    (a) => compared[names.findIndex(([name]) => name === a)].ratio,
  );
  const measures = compared.map(({ setting, measure: key, original, copy, ratio }, i) => ({
    setting,
    measure: key,
    original: estimateOf(original),
    copy: estimateOf(copy),
    ratio,
    differs: judgement.method === "none" ? null : judgement.differ(...names[i]),
    p: judgement.p(...names[i]),
    detectableRatio: detectable(judgement.method, {
      groups: [[...original.values()], [...copy.values()]],
      tests: compared.length,
      seed: results.plan.seed,
    }),
  }));
  return {
    ...pair,
    method: judgement.method,
    settings: settings.map((setting) => ({
      setting,
      measures: measures.flatMap(({ setting: own, ...one }) => (own === setting ? [one] : [])),
    })),
  };
}

/**
 * @param {SelfComparison["method"]} method
 * @param {{groups: [number[], number[]], tests: number, seed: number}} options
 * @returns {number | null} as of `SelfMeasure`
 */
function detectable(method, { groups, tests, seed }) {
  if (method === "none") return null;
  if (method === "test") return detectableRatio(groups, { alpha: ALPHA, tests, seed });
  // Ranges that do not touch are the test's most extreme outcome.
  const [a, b] = groups;
  return detectableRatio(groups, { alpha: smallestP(a.length, b.length), tests: 1, seed });
}

/** @param {Map<number, number>} values by round, at least one */
function estimateOf(values) {
  const all = [...values.values()];
  return { value: median(all), interval: medianInterval(all, CONFIDENCE) };
}

/**
 * How far apart a proxy and its copy came out over a number of rounds. Medians of more rounds lie closer together, so the
 * rounds are taken in groups of as many as those have that the floor is for, and the largest ratio of a group is the floor.
 *
 * @param {Pick<Analysis, "results" | "cells">} analysed an A/A run
 * @param {number} rounds of the run that the floor is for
 * @returns {NoiseFloor | null} null: there is no pair with figures, or the copy was no copy
 */
export function floorOf({ results, cells }, rounds) {
  const pair = pairOf(results.plan);
  if (!pair || pair.unobserved) return null;
  const settings = settingsOf(results);
  const size = Math.min(rounds, results.plan.rounds);
  /** @type {Record<string, number>} */
  const ratios = {};
  for (const { key, compared } of settings) {
    const own = cells.filter((cell) => cell.setting === key);
    for (const { key: name } of compared) {
      const original = valuesByRound(own, pair.proxy, name);
      const copy = valuesByRound(own, pair.copy, name);
      for (const group of groupsOf(
        [...original.keys()].filter((round) => copy.has(round)),
        size,
      )) {
        const [a, b] = [original, copy].map((values) =>
          median(group.map((round) => values.get(round) ?? NaN)),
        );
        if (a > 0 && b > 0) ratios[name] = Math.max(apart(b / a), ratios[name] ?? 1);
      }
    }
  }
  if (Object.keys(ratios).length === 0) return null;
  const sizes = new Set(settings.flatMap(({ workload }) => workload.connections ?? []));
  return {
    run: results.run.name,
    proxy: pair.proxy,
    connections: [...sizes].sort((a, b) => a - b),
    scenarios: [...new Set(settings.map(({ scenario }) => scenario))],
    rounds: size,
    ratios,
  };
}

/**
 * @param {number[]} rounds
 * @param {number} size
 * @returns {number[][]} all of that size; the rounds themselves where they are fewer
 */
function groupsOf(rounds, size) {
  if (rounds.length <= size) return rounds.length > 0 ? [rounds] : [];
  return Array.from({ length: Math.floor(rounds.length / size) }, (_, i) =>
    rounds.slice(i * size, (i + 1) * size),
  );
}

/** @param {number} ratio in either direction */
function apart(ratio) {
  return Math.max(ratio, 1 / ratio);
}

/**
 * @param {Pick<Analysis, "results" | "settings" | "cells">} analysed
 * @param {SelfComparison} comparison
 * @returns {Pick<Analysis, "asked" | "verdicts">}
 */
export function selfVerdicts(analysed, comparison) {
  const { results, settings } = analysed;
  const { proxy, unobserved } = comparison;
  const scope = { scenario: null, parameters: {}, description: null };
  const asked = settings.map((setting) => ({
    settings: [setting],
    comparisons: setting.comparisons,
  }));
  const floor = floorOf(analysed, results.plan.rounds);
  const answers = comparison.settings.map(({ setting, measures }) => ({
    settings: [setting],
    measures,
    caveats: [],
  }));
  /** @type {Verdict[]} */
  const verdicts = [{ question: "self", proxy, unobserved, scope, answers, caveats: [] }];
  if (floor)
    verdicts.push({
      question: "noise",
      scope,
      answers: [{ settings, floor, caveats: [] }],
      caveats: [],
    });
  return { asked, verdicts };
}
