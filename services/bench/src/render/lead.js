/**
 * What the answers of a run share: load, and what stands in brackets. It is said once, in the lead.
 */
import { counted, number, times } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { isPaced } from "../plan/workload.js";
import { CONFIDENCE, isRanked } from "../analyse/settings.js";
import { ALPHA } from "../analyse/ranking.js";
import { queueOf } from "./model.js";
import { capital, list, nameOfProxy, timesRange } from "./words.js";

/** @import { Workload } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { Pool, Ratio, Setting } from "../analyse/types.js" */
/** @import { Interval } from "../statistics/types.js" */

const LEVEL = `${number(100 * CONFIDENCE)} %`;

export class Style {
  /**
   * @param {Results} results
   * @param {Pool[]} pools that are answered about
   */
  constructor(results, pools) {
    this.results = results;
    const loads = new Set(pools.map(({ settings }) => this.#loadOf(settings)));
    /** Of all answers; null: each has its own. */
    this.load = loads.size === 1 ? [...loads][0] : null;
    this.isPooled = pools.some(({ settings }) => settings.length > 1);
    this.comparisons = pools.flatMap(({ comparisons }) => comparisons);
    const rows = this.comparisons.flatMap((comparison) => comparison.rows);
    const repeated = rows.filter(({ values }) => values.length > 1);
    this.rounds = Math.max(0, ...rows.map(({ values }) => values.length));
    this.hasIntervals = repeated.some(({ median }) => median?.interval);
    this.hasRanges = repeated.some(({ median }) => !median?.interval);
  }

  /**
   * @param {Setting[]} settings that differ in connections alone
   * @param {string} name
   * @returns {string} the name, and the load where the lead does not say it
   */
  over(settings, name) {
    const load = this.#loadOf(settings);
    return load && load !== this.load ? `${name}, ${load}` : name;
  }

  /**
   * @param {Setting[]} settings
   * @returns {string} with the kind of loop that makes it
   */
  #loadOf(settings) {
    const load = loadText(settings);
    return load && `${load}, ${this.results.plan.scenarios[settings[0].scenario].loop} loop`;
  }

  /**
   * @param {Interval | null} interval
   * @param {Interval | null} rounds the lowest and the highest, for where there is no interval
   * @param {(ends: Interval) => string} text
   * @returns {string} ` (185 to 195)`; empty where nothing is known
   */
  bracket(interval, rounds, text) {
    const ends = interval ?? rounds;
    if (!ends) return "";
    const mark = !interval && this.hasIntervals ? "rounds " : "";
    return ` (${mark}${text(ends)})`;
  }

  /**
   * @param {Ratio} ratio
   * @returns {string} `1.42 times (1.38 to 1.47)`
   */
  ratio({ value, interval, rounds }) {
    return `${times(value)} times${this.bracket(interval, rounds, timesRange)}`;
  }

  /**
   * A sentence as it is read: only a proxy's name keeps its small letter.
   *
   * @param {string} text without a full stop
   */
  sentence(text) {
    const isName = this.results.plan.proxies.some((name) =>
      text.startsWith(nameOfProxy(this.results, name)),
    );
    return `${isName ? text : capital(text)}.`;
  }

  /** @returns {string[]} sentences about load and brackets */
  lead() {
    return [...this.#loadLead(), ...this.#queueLead(), ...this.#bracketLead()];
  }

  #queueLead() {
    return [...new Set(this.comparisons.flatMap((comparison) => queueOf(comparison) || []))].map(
      (queue) => `Times: ${queue}; what a proxy adds cannot be told from them.`,
    );
  }

  #loadLead() {
    const loads =
      this.load === null
        ? ["Each answer names its load."]
        : this.load
          ? [`All answers are for ${this.load}.`]
          : [];
    const pooled =
      "Several numbers of connections are answered for together: ratios and tests are stratified by that number, figures are means over them; what each says by itself is below.";
    return [...loads, ...(this.isPooled ? [pooled] : [])];
  }

  #bracketLead() {
    if (this.hasIntervals && this.hasRanges)
      return [
        `In brackets: the ${LEVEL} interval or, where it says rounds, the lowest and the highest of too few rounds for one.`,
      ];
    if (this.hasIntervals)
      return [`In brackets: the ${LEVEL} interval over ${counted(this.rounds, "round")}.`];
    if (this.hasRanges)
      return [
        `In brackets: the lowest and the highest round, as ${number(this.rounds)} are too few for a ${LEVEL} interval.`,
      ];
    return [];
  }

  /** @returns {string[]} how a difference is seen; empty unless every comparison tests */
  testLead() {
    const contested = this.comparisons.filter(
      ({ measure, rows }) =>
        isRanked(measure) &&
        rows.filter(({ proxy, median }) => proxy !== CONTROL && median).length > 1,
    );
    const isTested = contested.every(({ rows }) => rows.some(({ p }) => p !== null));
    if (contested.length === 0 || !isTested) return [];
    return [
      `A difference is seen where ${this.isPooled ? "van Elteren's stratified test (Mann–Whitney's, with one number of connections)" : "Mann–Whitney's test"} finds it at the ${number(100 * ALPHA)} % level, corrected for all pairs of a comparison.`,
    ];
  }
}

/**
 * @param {Pick<Setting, "workload">[]} settings that differ in connections alone
 * @returns {string} `10,000 connections, 100 at a time`; empty for a scenario that is known by other parameters
 */
export function loadText(settings) {
  const [{ workload }] = settings;
  const sizes = [...new Set(settings.flatMap((setting) => setting.workload.connections ?? []))];
  const { concurrency, requests, messages = 1, intervalSeconds } = workload;
  const { connectionsPerSecond = 0, phaseSeconds, protocol, holdsConnections } = workload;
  const { messagesPerSecond } = workload;
  const isAtRate = isPaced(workload);
  const atATime = concurrency && !isAtRate ? [`${number(concurrency)} at a time`] : [];
  if (requests) return [counted(requests, "request"), ...atATime, "a connection each"].join(", ");
  if (sizes.length === 0) return list(settings.map((setting) => rateOf(setting.workload)));
  const seconds = phaseSeconds ? `for ${number(phaseSeconds)} s` : "";
  const isKept = protocol === "http";
  return [
    sizes.length > 1 ? `${list(sizes.map(number))} connections` : counted(sizes[0], "connection"),
    ...(seconds && isKept ? [`kept ${seconds} of requests`] : []),
    ...atATime,
    ...(isAtRate ? [`${number(connectionsPerSecond)} a second`] : []),
    ...(seconds && !isKept ? [holdsConnections ? `held ${seconds}` : seconds] : []),
    ...(intervalSeconds ? [`a message on each every ${number(intervalSeconds)} s`] : []),
    ...(messagesPerSecond
      ? [`together ${counted(messagesPerSecond, "message")} a second${processOf(workload)}`]
      : []),
    ...(messages > 1 ? [`${number(messages)} messages each`] : []),
  ].join(", ");
}

/** @param {Workload} workload */
function rateOf(workload) {
  const { connectionsPerSecond, phaseSeconds, messages = 1 } = workload;
  if (!connectionsPerSecond || !phaseSeconds) return "";
  const rate = `${counted(connectionsPerSecond, "connection")} a second${processOf(workload)} for ${number(phaseSeconds)} s`;
  return messages > 1 ? `${rate}, ${number(messages)} messages each` : rate;
}

/** @param {Workload} workload */
function processOf({ poisson }) {
  return poisson ? " as a Poisson process" : "";
}
