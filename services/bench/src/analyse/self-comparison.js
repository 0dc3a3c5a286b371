/**
 * A proxy against a copy of itself: whatever differs is noise.
 */
import { median } from "simple-statistics";
import { counted, number, timesFinely } from "../numbers.js";
import { medianInterval } from "../statistics/index.js";
import { CONFIDENCE, ratioOf, settingsOf, titleOfProxy, valuesByRound } from "./settings.js";
import { measure } from "./measures.js";
import { ALPHA, judge } from "./ranking.js";
import { schemeName } from "./scenarios.js";
import { Style } from "../render/lead.js";
import { list } from "../render/words.js";

/** @import { Plan } from "../record/types.js" */
/** @import { Analysis, NoiseFloor, SelfComparison, SelfMeasure } from "./types.js" */

/**
 * @param {Plan} plan
 * @returns {Pick<SelfComparison, "proxy" | "copy" | "unobserved"> | null} null: no proxy of it is a copy of another
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
  };
}

/**
 * Judged over all measures of all settings together, so that chance alone shows a difference in one of 20 runs and not in
 * one of 20 measures.
 *
 * @param {Pick<Analysis, "results" | "settings" | "cells">} analysed
 * @returns {SelfComparison | null} null: the run is of another kind
 */
export function selfComparisonOf({ results, settings, cells }) {
  const pair = pairOf(results.plan);
  if (!pair) return null;
  const compared = settings.flatMap((setting) => {
    const own = cells.filter((cell) => cell.setting === setting.key);
    return setting.comparisons.flatMap(({ measure: key }) => {
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
  const sizes = new Set(settings.flatMap(({ parameters }) => parameters.CONNECTIONS ?? []));
  const load =
    sizes.size > 0
      ? `${list([...sizes].sort((a, b) => a - b).map(number))} connections`
      : list([...new Set(settings.map(({ scenario }) => scenario))]);
  return { run: results.run.name, proxy: pair.proxy, load, rounds: size, ratios };
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
 * @returns {Pick<Analysis, "lead" | "verdicts">}
 */
export function selfVerdicts(analysed, comparison) {
  const { results, settings } = analysed;
  const style = new Style(results, settings);
  const title = titleOfProxy(results, comparison.proxy);
  const floor = floorOf(analysed, results.plan.rounds);
  const answers = comparison.settings.map(({ setting, measures }) => ({
    over: style.over(setting, schemeName(setting)),
    text: style.sentence(tieText(style, measures)),
    caveats: [],
  }));
  const tie = {
    question: comparison.unobserved
      ? `Does ${title} come out the same with and without what observes it, InfluxDB and cAdvisor?`
      : `Is ${title} a tie with a copy of itself?`,
    answers,
    caveats: [],
  };
  const noise = floor && {
    question: "Which difference is noise here?",
    answers: [
      {
        over: "all",
        text: `With such a load and as many rounds on this machine, a difference means nothing up to ${floorTexts(floor).join("; ")}.`,
        caveats: [],
      },
    ],
    caveats: [],
  };
  return {
    lead: [...style.lead(settings), ...judgedLead(comparison)],
    verdicts: noise ? [tie, noise] : [tie],
  };
}

/**
 * @param {Style} style
 * @param {SelfMeasure[]} measures
 */
function tieText(style, measures) {
  if (measures.length === 0) return "cannot be told, as not both have cells that count";
  if (measures.every(({ differs }) => differs === null))
    return "cannot be told, as a single round says nothing about its spread";
  const told = (/** @type {SelfMeasure} */ { measure: key, ratio }) =>
    `${measure(key).title} ${style.ratio(ratio)}`;
  const differing = measures.filter(({ differs }) => differs);
  if (differing.length > 0)
    return `no, a difference is seen in ${number(differing.length)} of ${counted(measures.length, "measure")}: ${differing.map(told).join("; ")}`;
  const [furthest] = measures.toSorted((a, b) => apart(b.ratio.value) - apart(a.ratio.value));
  return `yes, no difference is seen in any of ${counted(measures.length, "measure")}; the furthest apart is ${told(furthest)}`;
}

/**
 * @param {SelfComparison} comparison
 * @returns {string[]} how a difference is seen
 */
function judgedLead({ method, settings }) {
  const comparisons = counted(settings.flatMap(({ measures }) => measures).length, "comparison");
  const alone = "; in the tables of figures each is judged by itself.";
  if (method === "test")
    return [
      `A difference is seen where Mann–Whitney's test finds it at the ${number(100 * ALPHA)} % level, corrected for all ${comparisons} of this run${alone}`,
    ];
  if (method === "range")
    return [
      `Too few rounds to test ${comparisons}: a difference is seen where all rounds of one lie below all of the other's${alone}`,
    ];
  return [];
}

/** What the noise floor is told of, in this order. */
const TOLD = [
  "cpu_us_per_handshake",
  "cpu_us_per_message",
  "handshake_ms_mean",
  "echo_latency_ms_mean",
  "proxy_memory_peak_usage_bytes",
  "connections_per_second",
];

/**
 * @param {NoiseFloor} floor
 * @returns {string[]} `CPU per handshake 1.02 times`, of what verdicts are about
 */
export function floorTexts({ ratios }) {
  return TOLD.flatMap((key) =>
    key in ratios ? [`${timesFinely(ratios[key])} times in ${measure(key).title}`] : [],
  );
}
