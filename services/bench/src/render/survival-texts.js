/**
 * What became of connections around events, in words, as a matrix and as tables.
 *
 * @import { Results } from "../model/record.ts"
 * @import { Analysis, Counted, Share, SurvivalAnswer, SurvivalEvent, SurvivalFigures, SurvivalSetting } from "../analyse/types.js"
 */
import { counted, count, figure, NONE, number, times } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { schemeName } from "../plan/workload.js";
import { missingText } from "./findings.js";
import { amount, bracketed, capital, list, meaningTexts, nameOfProxy, tyingText } from "./words.js";

/** @typedef {(proxy: string) => string} Title */

/** Of a share that is lost or failed: from here on a field of the matrix is darker. */
const STEPS = [0, 0.01, 0.1, 0.5];
/** A survivor that was silent for so long is told. */
const SILENCE_MS = 1000;
/** Memory that grew by so much is told. */
const GROWTH = 1.1;
const BYTES = { unit: "bytes" };

/**
 * @typedef {object} Field of the matrix
 * @property {string} proxy
 * @property {string} survived `99.97 %`; `has none` where there is no figure
 * @property {string} failed new handshakes: `1.90 % fail`; empty where there is no figure
 * @property {0 | 1 | 2 | 3 | 4 | null} level how bad it is; null: there is no figure
 * @property {boolean} isWorst of its event
 * @property {string} note `as without an event`; empty: there is nothing to note
 * @property {string} why there is no figure; empty: there is one
 *
 * @typedef {{title: string, columns: {event: string, isControl: boolean}[], rows: {proxy: string, isControl: boolean, fields: Field[]}[], sentences: string[]}} Matrix
 */

/**
 * @param {Pick<Analysis, "results">} analysis
 * @param {SurvivalSetting} setting
 * @returns {Matrix}
 */
export function matrixOf({ results }, setting) {
  const { events } = setting;
  const nameOf = (/** @type {string} */ name) => nameOfProxy(results, name);
  const order = [...results.plan.proxies].sort(
    (a, b) => Number(b === CONTROL) - Number(a === CONTROL),
  );
  return {
    title: settingText(setting),
    columns: events.map(({ event, isControl }) => ({ event, isControl })),
    rows: order.map((proxy) => ({
      proxy,
      isControl: proxy === CONTROL,
      fields: events.map((event) => fieldOf(event, proxy)),
    })),
    sentences: [keptSentence(events, results), controlSentence(setting, nameOf)].filter(Boolean),
  };
}

/**
 * @param {Omit<SurvivalSetting, "events">} setting
 * @returns {string} `2,000 connections held, a message each 1 s, ws`
 */
export function settingText({ scheme, parameters, workload }) {
  const { connections = 0 } = workload;
  return [
    `${counted(connections, "connection")} held`,
    ...meaningTexts({ parameters, workload }, ["intervalSeconds", "messageBytes"]),
    schemeName({ scheme, workload }),
  ].join(", ");
}

/**
 * @param {SurvivalEvent} event
 * @param {string} proxy
 * @returns {Field}
 */
function fieldOf({ answers, worst }, proxy) {
  const answer = answers.find((one) => one.proxy === proxy);
  const { lost = null, probes } = answer?.figures ?? {};
  if (!answer || !lost) {
    const missing = answer?.missing ?? [];
    const hasNone = missing.length > 0 && missing.every(({ kind }) => kind === "has-none");
    const why = missing.length > 0 ? missingText(missing) : "not planned";
    const survived = hasNone ? "has none" : "not measured";
    return { proxy, survived, failed: "", level: null, isWorst: false, note: "", why };
  }
  const { beyondControl } = answer;
  const failed = probes?.failed ?? null;
  const isAsControl = beyondControl?.lost === false && lost.count > 0;
  const harm = Math.max(
    beyondControl?.lost === false ? 0 : lost.value,
    beyondControl?.failed === false ? 0 : (failed?.value ?? 0),
  );
  const level = STEPS.findIndex((step) => harm <= step);
  return {
    proxy,
    survived: survivedText(lost),
    failed: failed ? `${percent(failed.value)} fail` : "",
    level: /** @type {Field["level"]} */ (level < 0 ? STEPS.length : level),
    isWorst: worst?.proxies.includes(proxy) ?? false,
    note: isAsControl ? "as without an event" : "",
    why: "",
  };
}

/**
 * @param {Share} lost
 * @returns {string} `100 %` only where none was lost
 */
function survivedText({ count: gone, of, value }) {
  if (gone === 0 || gone === of) return gone === 0 ? "100 %" : "0 %";
  const survived = 100 * (1 - value);
  return `${survived > 99 ? nearHundred(survived) : figure(survived)} %`;
}

/**
 * @param {number} value in %, below 100
 * @returns {string} with two digits of what is missing: `99.95`
 */
function nearHundred(value) {
  return String(Number(value.toFixed(1 - Math.floor(Math.log10(100 - value)))));
}

/**
 * @param {number} value from 0 to 1
 * @returns {string} `1.90 %`
 */
function percent(value) {
  return value === 1 ? "100 %" : `${figure(100 * value)} %`;
}

/**
 * @param {Share} share
 * @returns {string} `100 of 10,000 (1.00 %, 0.814 to 1.21)`, `0 of 10,000 (below 0.0369 %)`
 */
export function shareText({ count: n, of, value, interval: [low, high] }) {
  if (n === 0) return `0 of ${count(of)} (below ${percent(high)})`;
  if (n === of) return `all ${count(of)} (above ${nearHundred(100 * low)} %)`;
  return `${count(n)} of ${count(of)} (${percent(value)}, ${figure(100 * low)} to ${figure(100 * high)})`;
}

/**
 * @param {SurvivalAnswer} answer with figures
 * @returns {boolean} no connection was lost, or no more than without an event
 */
function isKept({ figures, beyondControl }) {
  return figures?.lost?.count === 0 || beyondControl?.lost === false;
}

/**
 * @param {SurvivalEvent[]} events
 * @param {Results} results
 * @returns {string} who lost no connection that can be told from a cell without an event; empty: there is no event
 */
function keptSentence(events, results) {
  const told = events
    .filter(({ isControl }) => !isControl)
    .map(({ event, answers }) => {
      const known = answers.filter(({ proxy, figures }) => proxy !== CONTROL && figures?.lost);
      const kept = known.filter(isKept);
      return { event, known, kept };
    })
    .filter(({ known }) => known.length > 0);
  if (told.length === 0) return "";
  const names = (/** @type {{event: string}[]} */ own) => list(own.map(({ event }) => event));
  const keeping = told.filter(({ kept }) => kept.length > 0);
  const losing = told.filter(({ kept }) => kept.length === 0);
  const groups = Map.groupBy(keeping, ({ known, kept }) =>
    kept.length === known.length && kept.length > 1
      ? "all"
      : tyingText(
          results,
          kept.map(({ proxy }) => proxy),
        ),
  );
  const texts = [...groups].map(([who, own]) => `in ${names(own)} by ${who}`);
  return [
    ...(texts.length > 0 ? [`Connections were kept ${texts.join("; ")}.`] : []),
    ...(losing.length > 0 ? [`Every proxy lost some in ${names(losing)}.`] : []),
  ].join(" ");
}

/**
 * @param {SurvivalSetting} setting
 * @param {Title} titleOf
 * @returns {string} what is lost where nothing happens
 */
export function controlSentence({ events }, titleOf) {
  const control = events.find(({ isControl }) => isControl);
  const known = (control?.answers ?? []).flatMap(({ proxy, figures }) =>
    figures?.lost ? [{ proxy, lost: figures.lost, probes: figures.probes.failed }] : [],
  );
  if (known.length === 0)
    return "No cell without an event was measured: what would have been lost anyway is not known.";
  const losing = known.filter(({ lost }) => lost.count > 0);
  const failing = known.filter(({ probes }) => (probes?.count ?? 0) > 0);
  const all = known.reduce((sum, { lost }) => sum + lost.of, 0);
  const connections =
    losing.length === 0
      ? `none of ${count(all)} connections ended`
      : `${list(losing.map(({ proxy, lost }) => `${titleOf(proxy)} lost ${shareText(lost)}`))}`;
  const handshakes =
    failing.length === 0
      ? "no new handshake failed"
      : `new handshakes failed: ${list(failing.map(({ proxy, probes }) => `${titleOf(proxy)} ${probes ? shareText(probes) : NONE}`))}`;
  const blame =
    losing.length + failing.length > 0
      ? " What cannot be told from that is blamed on no event."
      : "";
  return `Without an event ${connections}, and ${handshakes}.${blame}`;
}

/**
 * @param {string} how a connection ended, as the load says it
 * @returns {string} after a number
 */
function howText(how) {
  const [, code, reason] = /^close (\S+)\s*(.*)$/.exec(how) ?? [];
  if (code) return `closed with ${code}${reason && ` (${reason})`}`;
  /** @type {Record<string, string>} */
  const known = {
    reset: "by reset",
    end: "by FIN without a close frame",
    timeout: "fell silent",
  };
  return known[how] ?? `by ${how}`;
}

/**
 * @param {Counted[]} ends
 * @returns {string} `600 by reset, 400 closed with 1001`
 */
export function endsText(ends) {
  return ends.map(({ what, count: n }) => `${count(n)} ${howText(what)}`).join(", ");
}

/** @param {Counted[]} causes */
export function causesText(causes) {
  return causes.map(({ what, count: n }) => `${count(n)} ${what}`).join(", ");
}

/**
 * @param {SurvivalAnswer} answer
 * @param {SurvivalEvent} event
 * @returns {string} one sentence that begins with the proxy's deed, without a full stop
 */
export function survivalText({ figures, beyondControl, missing }, { isControl }) {
  if (!figures) return missingText(missing);
  const asWithout = (/** @type {"lost" | "failed" | "messages"} */ what) =>
    beyondControl?.[what] === false ? ", which cannot be told from cells without an event" : "";
  const { lost, messages, silenceMs, probes, newGeneration, oldGenerations, rounds } = figures;
  const parts = [
    lost?.count ? `${lostText(figures)}${asWithout("lost")}` : keptText(figures),
    messages?.count
      ? `${counted(messages.count, "message")} of ${count(messages.of)} not echoed${asWithout("messages")}`
      : "",
    silenceMs !== null && silenceMs >= SILENCE_MS
      ? `survivors silent for up to ${seconds(silenceMs / 1000)}`
      : "",
    probes.failed?.count ? `${failingText(probes)}${asWithout("failed")}` : "",
    probes.slow?.count ? `${counted(probes.slow.count, "new handshake")} slow` : "",
    newGeneration ? `new configuration after ${seconds(newGeneration.ms / 1000)}` : "",
    oldGenerations > 0
      ? `the new configuration NEVER ANSWERED${oldGenerations < rounds ? ` in ${oldGenerations} of ${rounds} repetitions` : ""}`
      : "",
    isControl ? "" : processesText(figures),
    serversText(figures),
  ];
  return parts.filter(Boolean).join("; ");
}

/** @param {number} value */
function seconds(value) {
  return `${figure(value)} s`;
}

/** @param {SurvivalFigures} figures */
function keptText({ lost, probes }) {
  if (!lost) return "no connection was open";
  const ofNew = probes.failed && probes.failed.count === 0 ? ", and no new handshake failed" : "";
  return `kept all ${count(lost.of)} (below ${percent(lost.interval[1])} lost)${ofNew}`;
}

/** @param {SurvivalFigures} figures some are lost */
function lostText({ lost, alive, ends }) {
  if (!lost) return "";
  const left = lost.of - lost.count;
  // Those in which all had ended that did.
  const [soonest] = alive.filter(({ share }) => share.count === left);
  const [first] = alive;
  const when = soonest
    ? `, all within ${number(soonest.seconds)} s`
    : first
      ? `, ${count(first.share.of - first.share.count)} of them within ${number(first.seconds)} s`
      : "";
  return `lost ${shareText(lost)}${when}: ${endsText(ends)}`;
}

/** @param {SurvivalFigures["probes"]} probes some have failed */
function failingText({ failed, failingSeconds, causes }) {
  if (!failed) return "";
  const why = causes.length > 0 ? `: ${causesText(causes)}` : "";
  return `new handshakes failed for ${number(failingSeconds)} s, ${count(failed.count)} of ${count(failed.of)} (${percent(failed.value)})${why}`;
}

/** @param {SurvivalFigures} figures */
function processesText({ oldProcesses, memoryBytes, rounds }) {
  const ratio = memoryBytes?.peakRatio ?? 1;
  const memory = ratio >= GROWTH ? `${times(ratio)} times the memory` : "";
  const meanwhile = memory && `, ${memory} meanwhile`;
  const inRounds = (/** @type {number} */ n) =>
    n < rounds ? ` in ${n} of ${rounds} repetitions` : "";
  switch (oldProcesses?.kind) {
    case "gone":
      return `old processes gone after ${seconds(oldProcesses.mostSeconds)}${meanwhile}`;
    case "stayed":
      return `its old processes stayed until the last client left${inRounds(oldProcesses.rounds)}${meanwhile}`;
    case "leaked":
      return `${counted(oldProcesses.most, "old process", "old processes")} LEAKED${inRounds(oldProcesses.rounds)}: still there with no connection left${meanwhile}`;
    default:
      return memory && `${memory} at the peak`;
  }
}

/** @param {SurvivalFigures} figures */
function serversText({ servers }) {
  if (!servers?.newcomers) return "";
  const { newcomers, count: all } = servers;
  return `the server that started got ${percent(newcomers.value)} of ${count(newcomers.of)} new connections, one of ${number(all)} servers`;
}

/** The columns after the proxy's name. */
export const COLUMNS = [
  "Alive after the event",
  "How the others ended",
  "Messages not echoed",
  "Longest silence of a survivor",
  "New handshakes failed",
  "New configuration after",
  "Processes before, peak, end",
  "Memory before, peak, end",
  "Old processes gone after",
  "CPU before, after",
];

/**
 * @param {SurvivalEvent} event
 * @param {Title} titleOf
 * @returns {{proxy: string, title: string, isControl: boolean, cells: string[]}[]} cells: as COLUMNS; without those that have no figure
 */
export function survivalRows({ answers }, titleOf) {
  return answers.flatMap(({ proxy, figures }) =>
    figures
      ? [{ proxy, title: titleOf(proxy), isControl: proxy === CONTROL, cells: cellsOf(figures) }]
      : [],
  );
}

/** @param {SurvivalFigures} figures */
function cellsOf(figures) {
  const { alive, ends, messages, silenceMs, probes, newGeneration, oldGenerations, lostByRound } =
    figures;
  const { processes, memoryBytes, oldProcesses, cores } = figures;
  const ofRounds =
    lostByRound.length > 1 && ends.length > 0
      ? `; ${count(Math.min(...lostByRound))} to ${count(Math.max(...lostByRound))} a repetition`
      : "";
  return [
    alive
      .map(({ seconds, share }) => `${number(seconds)} s: ${count(share.count)}`)
      .join(", ")
      .concat(alive.length > 0 ? ` of ${count(alive[0].share.of)}` : NONE),
    ends.length > 0 ? `${endsText(ends)}${ofRounds}` : NONE,
    messages ? shareText(messages) : NONE,
    silenceMs === null ? NONE : seconds(silenceMs / 1000),
    [
      probes.failed && shareText(probes.failed),
      probes.failingSeconds > 0 &&
        `for ${number(probes.failingSeconds)} s, the last ${seconds(probes.lastFailedSeconds)} after the event`,
      causesText(probes.causes),
      probes.slow && probes.slow.count > 0 && `${count(probes.slow.count)} slow`,
    ]
      .filter(Boolean)
      .join("; ") || NONE,
    [
      newGeneration && seconds(newGeneration.ms / 1000),
      oldGenerations > 0 && `never (${counted(oldGenerations, "repetition")})`,
    ]
      .filter(Boolean)
      .join("; ") || NONE,
    processes ? [processes.before, processes.peak, processes.end].map(number).join(", ") : NONE,
    memoryBytes
      ? [memoryBytes.before, memoryBytes.peak, memoryBytes.end]
          .map((bytes) => amount(bytes, BYTES))
          .join(", ")
      : NONE,
    oldText(oldProcesses),
    cores ? `${figure(cores.before)}, ${figure(cores.after)} cores` : NONE,
  ];
}

/** @param {SurvivalFigures["oldProcesses"]} old */
function oldText(old) {
  switch (old?.kind) {
    case "gone":
      return seconds(old.mostSeconds);
    case "stayed":
      return `${number(old.most)} stayed to the end of the watch`;
    case "leaked":
      return `${number(old.most)} leaked`;
    default:
      return NONE;
  }
}

/**
 * @param {SurvivalEvent} event
 * @returns {string} `reload: a reload after a change of the configuration`
 */
export function eventTitle({ event, what, isControl }) {
  if (isControl) return "Without an event: the control of the experiment";
  return what ? `${capital(event)}: ${what}` : capital(event);
}

/**
 * @param {SurvivalEvent} event
 * @returns {string} for how long it was watched, and how often; empty: nobody was
 */
export function watchText({ answers }) {
  const known = answers.flatMap(({ figures }) => figures ?? []);
  if (known.length === 0) return "";
  const rounds = [...new Set(known.map((one) => one.rounds))].sort((a, b) => a - b);
  const most = Math.max(...rounds);
  const repetitions =
    rounds.length > 1
      ? `${rounds[0]} to ${counted(most, "repetition")}`
      : counted(most, "repetition");
  const watched = Math.max(...known.map(({ watchedSeconds }) => Math.round(watchedSeconds)));
  return `Watched for ${number(watched)} s, ${repetitions}.`;
}

/**
 * @param {SurvivalEvent} event
 * @param {Title} titleOf
 * @returns {string} who has no such thing, a sentence; empty: all have
 */
export function hasNoneText({ answers }, titleOf) {
  const groups = Map.groupBy(
    answers.filter(({ figures }) => !figures),
    ({ missing }) => missingText(missing),
  );
  return [...groups]
    .map(([why, own]) => {
      const names = list(own.map(({ proxy }) => bracketed(titleOf(proxy))));
      return `${names} ${own.length > 1 ? why.replace(/^has /, "have ") : why}.`;
    })
    .join(" ");
}

/** How to read the matrix. */
export const MATRIX_NOTE =
  "Large: connections that were open at the event and survived it to the end of the watch, all repetitions together. Below: new handshakes that failed from then on. Worst: most lost in that event, beyond what chance explains (exact 95 % intervals that do not overlap).";

/** What its colours say again. */
export const LEVELS_NOTE = `The stronger its colour, the worse a field: more than ${list(STEPS.map((step) => number(100 * step)))} % lost or failed.`;

/** What stands in brackets. */
export const SHARES_NOTE =
  "In brackets the exact 95 % interval of a share (Clopper–Pearson), in %, over all repetitions together: it takes connections as independent, and those of one worker are not.";
