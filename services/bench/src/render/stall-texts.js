/**
 * What clients cost that do not read, in words and as a table.
 *
 * @import { Analysis, Rounds, StallAnswer, StallFigures, StallSetting } from "../analyse/types.js"
 */
import { counted, figure, NONE, number, times } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { schemeName } from "../plan/workload.js";
import { missingText } from "./findings.js";
import { endsText } from "./survival-texts.js";
import { amount, list, meaningTexts, titleOfProxy } from "./words.js";

const BYTES = { unit: "bytes" };

/** The columns after the proxy's name. */
export const STALL_COLUMNS = [
  "Memory a stalled connection",
  "User part",
  "Kernel part",
  "Sent to it, least, median, most",
  "Bounded",
  "p99 of the others, before",
  "p99 of the others, meanwhile",
  "Delivered afterwards",
];

/** How to read it. */
export const STALL_NOTE =
  "Stalled clients go on asking and read nothing, so that the server goes on sending, until they can send no more or have sent all that they may. Memory is that of the proxy's cgroups: the highest while they do not read, less the mean before, divided by their number. Without a proxy the server is the only one to hold anything back.";

/**
 * @param {Omit<StallSetting, "answers" | "controlTookAll">} setting
 * @returns {string} `10 of 110 connections stalled, 1,024 bytes a message, ws`
 */
export function stallTitle({ scheme, parameters, workload }) {
  return [
    `${number(workload.stalled ?? 0)} of ${counted(workload.connections ?? 0, "connection")} stalled`,
    ...meaningTexts({ parameters, workload }, workload.streams ? ["streams"] : []),
    ...meaningTexts({ parameters, workload }, ["messageBytes"]),
    schemeName({ scheme, workload }),
  ].join(", ");
}

/**
 * @param {Pick<Analysis, "results">} analysis
 * @param {StallSetting} setting
 * @returns {{proxy: string, title: string, isControl: boolean, cells: string[]}[]} cells: as STALL_COLUMNS
 */
export function stallRows({ results }, { answers }) {
  return answers.map(({ proxy, figures, missing }) => ({
    proxy,
    title: titleOfProxy(results, proxy),
    isControl: proxy === CONTROL,
    cells: figures
      ? cellsOf(figures)
      : [missingText(missing), ...STALL_COLUMNS.slice(1).map(() => NONE)],
  }));
}

/** @type {Record<StallFigures["bound"], string>} */
const BOUNDS = {
  "held-back": "yes",
  unbounded: "NO: the proxy took it all",
  elsewhere: "not known: all was taken, and not by the proxy",
};

/** @param {StallFigures} figures */
function cellsOf({ bytes, sentBytes, bound, p99Ms, isInOrder, lostBytes }) {
  return [
    ...[bytes.all, bytes.user, bytes.kernel].map(bytesText),
    [sentBytes.min, sentBytes.median, sentBytes.max].map((each) => amount(each, BYTES)).join(", "),
    BOUNDS[bound],
    msText(p99Ms.quiet),
    msText(p99Ms.stalled),
    deliveredText(isInOrder, lostBytes),
  ];
}

/** @param {Rounds | null} bytes */
function bytesText(bytes) {
  return bytes ? amount(bytes.median, BYTES) : NONE;
}

/** @param {Rounds | null} ms */
function msText(ms) {
  return ms ? `${figure(ms.median)} ms` : NONE;
}

/**
 * @param {boolean} isInOrder
 * @param {number} lostBytes
 */
function deliveredText(isInOrder, lostBytes) {
  if (isInOrder && lostBytes === 0) return "all delivered in order";
  const lost = lostBytes > 0 ? [`${amount(lostBytes, BYTES)} lost`] : [];
  return [...lost, ...(isInOrder ? [] : ["NOT delivered in order"])].join(", ");
}

/**
 * @param {StallAnswer} answer
 * @param {StallSetting} setting
 * @returns {string} a sentence without its end
 */
export function stallText({ proxy, figures, missing }, { controlTookAll }) {
  if (!figures) return missingText(missing);
  const { bytes, sentBytes, bound, p99Ms, isInOrder, lostBytes, ends } = figures;
  const isControl = proxy === CONTROL;
  const parts = [
    boundText(bound, amount(sentBytes.median, BYTES), !isControl && controlTookAll === true),
    isControl ? "" : memoryText(bytes),
    p99Ms.quiet && p99Ms.stalled
      ? `p99 of the others ${msText(p99Ms.stalled)}, ${times(p99Ms.stalled.median / p99Ms.quiet.median)} times the ${msText(p99Ms.quiet)} before`
      : "",
    `${deliveredText(isInOrder, lostBytes)} once they read again`,
    ends.length > 0 ? `of those that did not read ended ${endsText(ends)}` : "",
  ];
  return parts.filter(Boolean).join("; ");
}

/** @param {StallFigures["bytes"]} bytes */
function memoryText({ all, user, kernel }) {
  if (!all) return "";
  // Less than what else changes in its memory.
  if (all.median <= 0) return "no memory seen that they take";
  return `${bytesText(all)} of memory a stalled connection (user ${bytesText(user)}, kernel ${bytesText(kernel)})`;
}

/**
 * @param {StallFigures["bound"]} bound
 * @param {string} sent
 * @param {boolean} isAsControl without a proxy all was taken too
 */
function boundText(bound, sent, isAsControl) {
  switch (bound) {
    case "held-back":
      return `bounded: held the sender back after ${sent} a connection`;
    case "unbounded":
      return `NOT BOUNDED: the proxy buffered what was sent, ${sent} a connection, and held nobody back`;
    case "elsewhere":
      return isAsControl
        ? `held nobody back up to ${sent} a connection, but neither did the server without a proxy: nothing is told of the proxy`
        : `held nobody back up to ${sent} a connection, which are not in its memory`;
  }
}

/**
 * @param {StallSetting[]} stalls
 * @param {(proxy: string) => string} titleOf
 * @returns {string[]} what all of them tell together, each a sentence; empty: nothing was measured
 */
export function stallSentences(stalls, titleOf) {
  const told = stalls
    .flatMap(({ answers }) => answers)
    .flatMap(({ proxy, figures }) =>
      proxy !== CONTROL && figures ? [{ title: titleOf(proxy), ...figures }] : [],
    );
  if (told.length === 0) return [];
  const titles = (/** @type {StallFigures["bound"]} */ wanted) => [
    ...new Set(told.flatMap(({ title, bound }) => (bound === wanted ? title : []))),
  ];
  const unbounded = titles("unbounded");
  const isBounded = told.every(({ bound }) => bound === "held-back");
  const most = [...Map.groupBy(told, ({ title }) => title)]
    .map(([title, own]) => ({
      title,
      bytes: Math.max(0, ...own.map(({ bytes }) => bytes.all?.median ?? 0)),
    }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  // cgroup v1 charges them to no container.
  const withSockets = told.some(({ bytes }) => bytes.sockets);
  return [
    ...(unbounded.length > 0
      ? [`NOT BOUNDED: ${list(unbounded)} buffered all that a client was sent that does not read.`]
      : []),
    ...(isBounded
      ? ["Every proxy holds the sender back when a client does not read: what it takes is bounded."]
      : []),
    ...(most.length > 0
      ? [
          `Most memory that a stalled connection took${withSockets ? "" : ", without socket buffers"}: ${list(most.map(({ title, bytes }) => `${title} ${amount(bytes, BYTES)}`))}.`,
        ]
      : []),
  ];
}
