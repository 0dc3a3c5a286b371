/**
 * Memory in words: what it is without, what a held connection takes, and what a proxy has beside that.
 *
 * @import { Analysis, SlopeRow, Slopes } from "../analyse/types.js"
 * @import { Estimate } from "../statistics/types.js"
 */
import { figure, NONE, number, range, rankText } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { noSlopeText, plainReason } from "./findings.js";

/** @typedef {Pick<Analysis, "countsSocketBuffers">} Counted */

/** Not of anonymous memory, where they never are, nor of their own. */
const WITH_BUFFERS = /^proxy_memory_(?!.*(rss|user|socket))/;

/** In a title. */
const WITHOUT = ", without socket buffers";

/**
 * @param {Counted} analysis
 * @param {string} [key] of a measure; left out: it is of memory
 * @returns {string} what its title ends with; empty where nothing is missing from it
 */
export function withoutBuffers({ countsSocketBuffers }, key = "proxy_memory") {
  return countsSocketBuffers === false && WITH_BUFFERS.test(`${key}_`) ? WITHOUT : "";
}

/**
 * @param {Counted} analysis
 * @returns {string} a sentence for beside figures of memory; empty where nothing is missing from them
 */
export function buffersNote({ countsSocketBuffers }) {
  if (countsSocketBuffers === null)
    return "Whether memory holds socket buffers is not recorded: under cgroup v1 it does not.";
  return countsSocketBuffers
    ? ""
    : "Memory is without socket buffers, which cgroup v1 charges to no container.";
}

/**
 * @param {Estimate} estimate of a number of connections
 * @returns {string} three digits are known of it: `45,100 (45,000 to 45,200)`
 */
export function connectionsText({ value, interval }) {
  const ends = interval?.map((end) => number(threeDigits(end)));
  return `${number(threeDigits(value))}${ends ? ` (${ends.join(" to ")})` : ""}`;
}

/** @param {number} value */
function threeDigits(value) {
  return Number(value.toPrecision(3));
}

/** What a memory's size is in the table. */
const MB = 1e6;
const KB = 1e3;

/** By measure. @type {Record<string, string>} */
const PART_TITLES = {
  proxy_memory_mean_usage_bytes: "all memory",
  proxy_memory_mean_rss_bytes: "user part",
  proxy_memory_mean_kernel_bytes: "kernel part",
};

/**
 * @typedef {object} SlopeEntry
 * @property {number | null} value to sort by
 * @property {string} text
 * @property {string} detail what stands below it; empty: nothing
 * @property {string} [rank] `1 =`
 *
 * @typedef {object} SlopeTable
 * @property {{title: string, unit: string}[]} columns numbers
 * @property {{proxy: string, isControl: boolean, entries: SlopeEntry[], ended: string}[]} rows one entry a column
 */

/**
 * @param {Counted} analysis
 * @param {Slopes} slopes
 * @returns {SlopeTable} ended: why a proxy held no more; empty where it held all
 */
export function slopeTable(analysis, { parts }) {
  const [whole] = parts;
  return {
    columns: [
      ...parts.map(({ measure }) => ({
        title: `A connection, ${PART_TITLES[measure]}${withoutBuffers(analysis, measure)}`,
        unit: "kB",
      })),
      { title: `Connections a GiB beyond the baseline${withoutBuffers(analysis)}`, unit: "" },
      { title: "Baseline, not ranked", unit: "MB" },
      { title: "Growth with the most held, not ranked", unit: "MB" },
      { title: "Held up to", unit: "" },
    ],
    rows: whole.rows.map((row, i) => {
      const { proxy, points, connectionsPerGiB, baseline, ended } = row;
      const last = points.at(-1);
      return {
        proxy,
        isControl: proxy === CONTROL,
        entries: [
          ...parts.map(({ rows }) => slopeEntry(rows[i])),
          sized(connectionsPerGiB, 1),
          sized(baseline, MB),
          sized(last ? { value: last.growthBytes, interval: null } : null, MB),
          sized(last ? { value: last.connections, interval: null } : null, 1),
        ],
        ended: ended ? `${number(ended.next)}: ${plainReason(ended.why)}` : "",
      };
    }),
  };
}

/**
 * @param {SlopeRow} row
 * @returns {SlopeEntry}
 */
function slopeEntry({ slope, missing, rank, ties }) {
  if (!slope) return { value: null, text: NONE, detail: noSlopeText(missing) };
  const entry = sized(slope, KB);
  return {
    ...entry,
    detail: entry.detail || "too few points for an interval",
    rank: rankText(rank, ties.length > 0),
  };
}

/**
 * @param {Estimate | null} estimate
 * @param {number} divisor
 * @returns {SlopeEntry}
 */
function sized(estimate, divisor) {
  if (!estimate) return { value: null, text: NONE, detail: "" };
  const round = divisor === 1 ? threeDigits : (/** @type {number} */ value) => value / divisor;
  const [value, ...ends] = [estimate.value, ...(estimate.interval ?? [])].map(round);
  const [low, high] = ends;
  return {
    value: estimate.value,
    text: figure(value),
    detail: estimate.interval ? range([low, high], value) : "",
  };
}
