/**
 * How soon all were back that were cut at once, in words and as a table.
 *
 * @import { Analysis, Rounds, StormAnswer, StormFigures, StormSetting } from "../analyse/types.js"
 */
import { count, counted, figure, NONE, range, times } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { schemeName } from "../plan/workload.js";
import { missingText } from "./findings.js";
import { causesText, shareText } from "./survival-texts.js";
import { amount, list, meaningTexts, timesRange, titleOfProxy } from "./words.js";

const BYTES = { unit: "bytes" };

/** The columns after the proxy's name. */
export const STORM_COLUMNS = [
  "50 % back after",
  "99 % back after",
  "All back after",
  "99 %, × no proxy",
  "Back",
  "Attempts a connection",
  "Failed attempts",
  "CPU of the proxy",
  "Memory at the peak",
];

/** How to read it. */
export const STORM_NOTE =
  "All connections are cut at once, and each client opens its own again until it has one with a message echoed. Times are from the cut, medians of the repetitions, in brackets the lowest and the highest. Without a proxy it takes as long as this machine and its generator need: a proxy that takes no longer was not the limit.";

/**
 * @param {Omit<StormSetting, "answers">} setting
 * @returns {string} `2,000 connections, back-off with full jitter over 1 s, wss`
 */
export function stormTitle({ scheme, parameters, workload }) {
  return [
    counted(workload.connections ?? 0, "connection"),
    ...meaningTexts({ parameters, workload }, [
      "backoff",
      ...(workload.backoff ? [/** @type {const} */ ("backoffSeconds")] : []),
      // Without TLS there is nothing to resume.
      ...(scheme === "wss" ? [/** @type {const} */ ("resumed")] : []),
    ]),
    schemeName({ scheme, workload }),
  ].join(", ");
}

/**
 * @param {Pick<Analysis, "results">} analysis
 * @param {StormSetting} setting
 * @returns {{proxy: string, title: string, isControl: boolean, cells: string[]}[]} cells: as STORM_COLUMNS
 */
export function stormRows({ results }, { answers }) {
  return answers.map(({ proxy, figures, missing, toControl }) => ({
    proxy,
    title: titleOfProxy(results, proxy),
    isControl: proxy === CONTROL,
    cells: figures
      ? cellsOf(figures, toControl)
      : [missingText(missing), ...STORM_COLUMNS.slice(1).map(() => NONE)],
  }));
}

/**
 * @param {StormFigures} figures
 * @param {number | null} toControl
 */
function cellsOf(figures, toControl) {
  const { ms, back, attempts, causes, cpuSeconds, peakBytes, rounds } = figures;
  return [
    ...[ms.p50, ms.p99, ms.p100].map((time) => timeText(time, rounds)),
    toControl === null ? NONE : `×${times(toControl)}`,
    back ? `${count(back.count)} of ${count(back.of)}` : NONE,
    figure(attempts),
    causesText(causes) || NONE,
    cpuSeconds === null ? NONE : `${figure(cpuSeconds)} s`,
    peakBytes === null ? NONE : amount(peakBytes, BYTES),
  ];
}

/**
 * @param {Rounds | null} time in ms
 * @param {number} rounds of all
 * @returns {string} `1.20 s (1.10–1.30)`
 */
function timeText(time, rounds) {
  if (!time) return "never";
  const own = time.values.length;
  const [value, ...ends] = [time.median, time.lowest, time.highest].map((ms) => ms / 1000);
  const extent = own > 1 ? [range([ends[0], ends[1]], value)] : [];
  const part = own < rounds ? [`in ${own} of ${rounds} repetitions`] : [];
  const notes = [...extent, ...part];
  return `${figure(value)} s${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
}

/**
 * @param {StormAnswer} answer
 * @param {StormSetting} setting
 * @returns {string} a sentence without its end
 */
export function stormText({ proxy, figures, missing, toControl, isSlower }, { answers }) {
  if (!figures) return missingText(missing);
  const { ms, back, attempts, rounds, causes } = figures;
  const none = answers.find((one) => one.proxy === CONTROL)?.figures;
  const lost = back && back.count < back.of;
  const parts = [
    `50 % back after ${timeText(ms.p50, rounds)}, 99 % after ${timeText(ms.p99, rounds)}, ${ms.p100 ? `all after ${timeText(ms.p100, rounds)}` : "never all"}`,
    lost ? `back ${shareText(back)}` : "",
    proxy === CONTROL ? "how fast this machine can at all" : boundText(toControl, isSlower, none),
    attempts !== null && attempts > 1 ? `${figure(attempts)} attempts a connection` : "",
    causes.length > 0 ? `failed attempts: ${causesText(causes)}` : "",
  ];
  return parts.filter(Boolean).join("; ");
}

/**
 * @param {number | null} toControl
 * @param {boolean | null} isSlower
 * @param {StormFigures | null | undefined} none the control's
 */
function boundText(toControl, isSlower, none) {
  if (toControl === null || !none?.ms.p99) return "";
  const bound = `${times(toControl)} times as long to 99 % as without a proxy`;
  if (isSlower === null) return `${bound} (too few repetitions to tell them apart)`;
  return isSlower
    ? bound
    : `${bound}, which is not told from it: machine and generator were the limit`;
}

/**
 * @param {StormSetting[]} storms
 * @param {(proxy: string) => string} titleOf
 * @returns {string[]} what all of them tell together, each a sentence; empty: nothing was measured
 */
export function stormSentences(storms, titleOf) {
  const told = storms
    .flatMap(({ answers }) => answers)
    .flatMap(({ figures, ...answer }) =>
      figures?.back ? [{ ...answer, back: figures.back }] : [],
    );
  if (told.length === 0) return [];
  const lacking = told.filter(({ back }) => back.count < back.of).map(({ proxy }) => proxy);
  const names = list([...new Set(lacking)].map(titleOf));
  const ratios = Map.groupBy(
    told.filter(({ toControl }) => toControl !== null),
    ({ proxy }) => proxy,
  );
  const texts = [...ratios].map(([proxy, own]) => {
    const all = own.map(({ toControl }) => Number(toControl));
    const ends = timesRange([Math.min(...all), Math.max(...all)]);
    return `${titleOf(proxy)} ${all.length > 1 ? ends : times(all[0])}`;
  });
  const isFew = told.every(({ proxy, isSlower }) => proxy === CONTROL || isSlower === null);
  return [
    lacking.length === 0
      ? "In every storm all connections came back through every proxy."
      : `Not all connections came back through ${names}.`,
    ...(texts.length > 0
      ? [
          `Until 99 % were back it took, in times of what it took without a proxy: ${list(texts)}${isFew ? " (too few repetitions to tell them apart)" : ""}.`,
        ]
      : []),
  ];
}
