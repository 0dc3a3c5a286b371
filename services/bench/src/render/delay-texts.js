/**
 * Delay and cost at a set rate, as both reports say it.
 *
 * @import { Analysis, Delay, DelayFigure, DelayPercentile, DelayRow, EqualLoad, LoadCost } from "../analyse/types.js"
 */
import { measure as measureOf } from "../analyse/measures.js";
import { count, figure, NONE, number, range, rankText } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { RESOLUTION } from "../statistics/index.js";
import { missingText } from "./findings.js";
import { loadText } from "./lead.js";
import { settingTitle, titleOfProxy } from "./words.js";

export const DELAY_NOTE = `Milliseconds from when each was due. Percentiles are of all latencies of the counted rounds together, never means of percentiles, known to ${number(RESOLUTION.us)} µs below ${number(RESOLUTION.exactBelowMs)} ms and to ${number(100 * RESOLUTION.share)} % above. A percentile with fewer than ten latencies beyond it is not told. Added: less that of the control in the same rounds. Below each the 95 % interval over the rounds, or the lowest and the highest of too few; a difference is seen, and ranks are given, by the tests over rounds of the figures' tables.`;

export const BESIDE_NOTE =
  "Over TLS figures are absolute: the control encrypts in the thread that answers, so it stands beside the proxies and is no baseline.";

export const CURVE_NOTE =
  "The whole distribution, as plots of HdrHistogram are read: from left to right ever fewer took longer, each step a tenth of the last. Where a line ends, its slowest ten and less remain: there it is single latencies.";

export const EQUAL_NOTE =
  "CPU time of a proxy for one operation at a set rate, the same for all: the figure to choose by. In a closed loop, beside it, it depends on how many come at once, and that on the proxy. CPU per connection holds the handshake, its messages and the close. × reference may be held against other machines' figures; the interval is over the rounds.";

/**
 * @param {number} p
 * @returns {string} `p99.9`
 */
export function percentileName(p) {
  return `p${Number((100 * p).toPrecision(12))}`;
}

/**
 * @param {Analysis} analysis
 * @param {Delay} delay
 * @returns {string} `Echo at arrivals, 200 connections opened a second, ws`
 */
export function delayTitle({ settings }, { kind, setting }) {
  const what = kind === "handshake" ? "Handshake" : "Echo";
  return `${what}: ${settingTitle(setting, settings)}`;
}

/**
 * @param {Analysis} analysis
 * @param {Delay} delay
 * @returns {string} its rate, and how far from its limit the machine was: a sentence; empty where nothing is known
 */
export function rateNote({ results }, { setting, busiestPercent }) {
  const { pilot } = results.plan;
  const own = pilot?.rates.find(
    ({ scenario, scheme, name, rate }) =>
      scenario === setting.scenario &&
      scheme === setting.scheme &&
      setting.parameters[name] === rate,
  );
  const busiest =
    busiestPercent === null ? "" : `The machine was at most ${number(busiestPercent)} % busy.`;
  if (!pilot || !own) return busiest;
  const [slowest] = own.proxies.toSorted((a, b) => a.rate - b.rate);
  return `The rate was computed by a pilot, for a machine below ${number(pilot.busyPercent)} % busy: through ${titleOfProxy(results, slowest.proxy)}, the slowest, ${number(slowest.offered)} a second left it ${number(slowest.busyPercent)} % busy. ${busiest}`.trim();
}

/**
 * @typedef {object} TextCell
 * @property {number | null} value
 * @property {string} text
 * @property {string} detail empty where there is none
 * @property {string} rank
 *
 * @typedef {{proxy: string, isControl: boolean, cells: TextCell[]}} TextRow
 * @typedef {{head: {title: string, small: string}[], rows: TextRow[]}} TextTable
 */

/**
 * @param {Delay} delay
 * @returns {TextTable} the control first
 */
export function delayTable({ isAdded, rows }) {
  const percentiles = rows[0].percentiles.map(({ p }) => percentileName(p));
  const head = percentiles.flatMap((name) => [
    { title: name, small: "ms" },
    ...(isAdded ? [{ title: `added at ${name}`, small: "ms" }] : []),
  ]);
  return {
    head: [...head, { title: "Latencies", small: "rounds" }],
    rows: rows
      .toSorted((a, b) => Number(b.proxy === CONTROL) - Number(a.proxy === CONTROL))
      .map((row) => ({
        proxy: row.proxy,
        isControl: row.proxy === CONTROL,
        cells: [
          ...row.percentiles.flatMap((one) => [
            absoluteCell(one, row),
            ...(isAdded ? [addedCell(one, row)] : []),
          ]),
          { value: row.samples, text: count(row.samples), detail: count(row.rounds), rank: "" },
        ],
      })),
  };
}

/**
 * @param {DelayPercentile} percentile
 * @param {DelayRow} row
 * @returns {TextCell}
 */
function absoluteCell({ ms, rank, ties }, { samples, missing }) {
  if (!ms) {
    const detail = samples > 0 ? "too few latencies" : missingText(missing);
    return { value: null, text: NONE, detail, rank: "" };
  }
  return {
    value: ms.value,
    text: figure(ms.value),
    detail: spreadText(ms),
    rank: rankText(rank, ties.length > 0),
  };
}

/**
 * @param {DelayPercentile} percentile
 * @param {DelayRow} row
 * @returns {TextCell}
 */
function addedCell({ ms, added, relation }, { proxy }) {
  if (!added || !ms)
    return { value: null, text: proxy === CONTROL ? "" : NONE, detail: "", rank: "" };
  const spread = spreadText(added, ms.value);
  // One round can show no difference.
  const unseen = spread && relation === "same" ? ", no difference seen" : "";
  return {
    value: added.value,
    text: signedFigure(added.value, ms.value),
    detail: `${spread}${unseen}`,
    rank: "",
  };
}

/**
 * @param {DelayFigure} told
 * @param {number} [beside] whose decimals it has: of a difference, what it is one of
 * @returns {string} `0.19 to 0.23`; of too few rounds the lowest and the highest; empty where nothing is known
 */
function spreadText({ value, interval, rounds }, beside = value) {
  if (interval) return range(interval, beside, " to ");
  return rounds ? `rounds ${range(rounds, beside, " to ")}` : "";
}

/**
 * @param {number} value a difference
 * @param {number} beside what it is one of: it is known to as many decimals
 * @returns {string} `+0.21`
 */
export function signedFigure(value, beside) {
  const text = range([value, value], beside, " ").split(" ")[0];
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/**
 * @param {Analysis} analysis
 * @param {EqualLoad} load
 * @returns {{title: string, table: TextTable}} a column the set rate, and one each closed loop
 */
export function equalLoadTable(analysis, load) {
  const columns = [load, ...load.closed];
  const { scheme, workload } = load.setting;
  return {
    title: `${measureOf(load.measure).title}, ${loadText([load.setting])}, ${scheme}${workload.messageBytes ? `, ${number(workload.messageBytes)} bytes a message` : ""}`,
    table: {
      head: columns.flatMap(({ setting }, i) => {
        const small = i === 0 ? "at the set rate" : `closed loop: ${loadText([setting])}`;
        return [
          { title: "µs", small },
          { title: "× reference", small },
        ];
      }),
      rows: load.rows.map(({ row: { proxy } }) => ({
        proxy,
        isControl: false,
        cells: columns.flatMap((cost) => costCells(cost, proxy)),
      })),
    },
  };
}

/**
 * @param {LoadCost} cost
 * @param {string} proxy
 * @returns {TextCell[]} µs, and to the reference
 */
function costCells({ rows }, proxy) {
  const found = rows.find(({ row }) => row.proxy === proxy);
  const [us, ratio] = [found?.row.median ?? null, found?.toReference ?? null];
  const cell = (/** @type {typeof us} */ estimate) => ({
    value: estimate?.value ?? null,
    text: figure(estimate?.value),
    detail: estimate?.interval ? range(estimate.interval, estimate.value, " to ") : "",
    rank: "",
  });
  const missing = found && !us ? missingText(found.row.missing) : "";
  const rank = rankText(found?.row.rank ?? null, (found?.row.ties.length ?? 0) > 0);
  return [{ ...cell(us), ...(missing && { detail: missing }), rank }, cell(ratio)];
}
