/**
 * What runs say question by question, in words: one place for every kind of question.
 *
 * @import { Analysis, Contest, Setting } from "../analyse/types.js"
 * @import { GlanceCell } from "./glance.js"
 */
import { isPerOperation } from "../analyse/reference.js";
import { number } from "../numbers.js";
import { connectionsInAll, schemeName } from "../plan/workload.js";
import { capacityTitle } from "./capacity-texts.js";
import { findingText } from "./findings.js";
import { glanceCells, loadText, TITLES } from "./glance.js";
import { versionsOf } from "./measured-versions.js";
import { withoutBuffers } from "./memory-texts.js";
import { stallTitle } from "./stall-texts.js";
import { stormTitle } from "./storm-texts.js";
import { settingText } from "./survival-texts.js";
import { bracketed, capital, settingTitle, titleOfProxy } from "./words.js";

/**
 * @typedef {object} ContestText
 * @property {string} title of the question, the same in every run and over both schemes
 * @property {string} scheme `ws`, `https`
 * @property {boolean} isTls
 * @property {string} load what it rests on, without the scheme
 * @property {string} section of the report, an id in it
 * @property {string} figure what the figures are, with the unit
 * @property {{proxy: string, title: string, versions: string, sortBy: number | null, cell: GlanceCell}[]} rows the best first
 * @property {string} held what the figures are held against
 * @property {string[]} caveats what the reader must know before repeating it; without full stops
 */

/** Sections of a report, by question. @type {Record<Contest["question"], string>} */
const SECTIONS = {
  best: "verdicts",
  added: "verdicts",
  delay: "delays",
  memory: "slopes",
  footprint: "verdicts",
  tls: "verdicts",
  handshake: "verdicts",
  leak: "verdicts",
  capacity: "capacity",
  lost: "events",
  failed: "events",
  newcomers: "events",
  storm: "storm",
  stall: "slow-readers",
  course: "course",
};

/** @type {Record<string, string>} */
const HANDSHAKES = {
  resumed: "a resumed handshake to a full one",
  rsa: "a handshake with an RSA key to one with an ECDSA key",
  tls12: "a handshake of TLS 1.2 to one of TLS 1.3",
};

/**
 * @param {Analysis} analysis of its run
 * @param {Contest} contest
 * @returns {ContestText}
 */
export function contestText(analysis, contest) {
  const { results } = analysis;
  const { at, cells, measure, scheme } = contest;
  const titleOf = (/** @type {string} */ name) => titleOfProxy(results, name);
  const shown = glanceCells(cells, measure.unit);
  const rows = cells.map(({ proxy, value, ratio, isBest }, i) => ({
    proxy,
    title: titleOf(proxy),
    versions: versionsText(analysis, proxy),
    sortBy: isBest ? 1 : (ratio?.value ?? value?.value ?? null),
    cell: shown[i],
  }));
  const shownScheme = Array.isArray(at) ? schemeName({ scheme, workload: at[0].workload }) : scheme;
  const load = loadOf(analysis, contest);
  const end = `, ${shownScheme}`;
  return {
    title: titleText(contest),
    scheme: shownScheme,
    isTls: scheme === "wss",
    load: load.endsWith(end) ? load.slice(0, -end.length) : load,
    section: SECTIONS[contest.question],
    figure: `${measure.title}${withoutBuffers(analysis, measure.key)}`,
    rows: bestFirst(rows, contest),
    held: heldText(contest, titleOf),
    caveats: contest.caveats.map((finding) => findingText(finding, titleOf)),
  };
}

/**
 * @param {ContestText["rows"]} rows
 * @param {Contest} contest
 * @returns {ContestText["rows"]} by rank, then by figure; those without one last
 */
function bestFirst(rows, { cells, measure }) {
  const sign = measure.better === "lower" ? 1 : -1;
  const rankOf = (/** @type {string} */ name) =>
    cells.find(({ proxy }) => proxy === name)?.rank ?? cells.length;
  const valueOf = (/** @type {number | null} */ value) =>
    value === null ? Number.MAX_VALUE : sign * value;
  return rows.toSorted(
    (a, b) => rankOf(a.proxy) - rankOf(b.proxy) || valueOf(a.sortBy) - valueOf(b.sortBy),
  );
}

/** @param {Contest} contest */
export function titleText({ question, detail, measure, at }) {
  switch (question) {
    case "best":
    case "added":
    case "footprint":
    case "stall":
    case "course":
      return measure.title;
    case "delay":
      return capital(TITLES[`${detail}-p99`]);
    case "memory":
      return capital(TITLES.held);
    case "tls":
      return `TLS to plain, ${measure.title}`;
    case "handshake":
      return `CPU of ${HANDSHAKES[detail]}`;
    case "leak":
      return "Connections kept that clients had dropped";
    case "capacity":
      return Array.isArray(at) && at[0].workload.holdsConnections
        ? "Most messages a second under a promise"
        : "Most handshakes a second under a promise";
    case "lost":
    case "failed":
    case "newcomers":
      return `${measure.title}, ${detail}`;
    case "storm":
      return "Time until 99 % of all are back";
  }
}

/**
 * @param {Analysis} analysis
 * @param {Contest} contest
 * @returns {string}
 */
function loadOf({ settings: all, results }, { question, at, scheme }) {
  if (!Array.isArray(at)) return loadText(at);
  const [first] = at;
  switch (question) {
    case "capacity":
      return capacityLoad(results, first);
    case "lost":
    case "failed":
    case "newcomers":
      return settingText(first);
    case "storm":
      return stormTitle(first);
    case "stall":
      return stallTitle(first);
    case "handshake":
      return at.map((setting) => settingTitle(setting, all)).join(" to ");
    default:
      return settingTitle(first, all, countsOf(at, scheme));
  }
}

/**
 * @param {Analysis["results"]} results
 * @param {Omit<Setting, "comparisons">} setting
 */
function capacityLoad({ plan: { promise, proxyCpus } }, setting) {
  const limit = promise ? `, p99 at most ${number(promise.sloMs)} ms` : "";
  const budget = proxyCpus > 0 ? `, ${number(proxyCpus)} cores for the proxy` : "";
  return `${capacityTitle(setting)}${limit}${budget}`;
}

/**
 * @param {Omit<Setting, "comparisons">[]} settings
 * @param {Contest["scheme"]} scheme
 */
function countsOf(settings, scheme) {
  const own = settings.filter((setting) => setting.scheme === scheme);
  return own.map(({ workload }) => connectionsInAll(workload));
}

/**
 * @param {Contest} contest
 * @param {(name: string) => string} titleOf
 * @returns {string}
 */
function heldText({ cells, measure, isFirstLook }, titleOf) {
  const best = cells.find(({ isBest }) => isBest);
  const isRanked = cells.some(({ rank }) => rank !== null);
  const hasReference = cells.some(({ toReference }) => toReference !== null);
  return [
    best
      ? `Ratios are to ${bracketed(titleOf(best.proxy))}, the best here.`
      : isRanked
        ? "Ranked by where the intervals lie."
        : "Not ranked: figures, each with its interval or its lowest and highest round.",
    hasReference
      ? "× reference: CPU time to that of the reference proxy, which had a share of the same load; it compares across runs."
      : isPerOperation(measure.key) && measure.unit !== "times"
        ? "No reference proxy shared the load: the CPU time is that of its machine at that hour, and ratios alone compare."
        : "",
    isFirstLook ? "A first look: fewer rounds than a verdict takes." : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/**
 * @param {Analysis} analysis
 * @param {string} proxy
 */
function versionsText({ results }, proxy) {
  const parts = results.proxies.find(({ name }) => name === proxy)?.parts ?? [];
  return versionsOf(results, parts).join(", ");
}
