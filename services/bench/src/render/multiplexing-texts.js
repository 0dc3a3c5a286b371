/**
 * WebSockets that share HTTP/2 connections beside the same on connections of their own, in words and as a table.
 *
 * @import { Analysis, Multiplexing } from "../analyse/types.js"
 */
import { NONE } from "../numbers.js";
import { measureOf } from "./model.js";
import { amount, meaningTexts, timesWithInterval, titleOfProxy } from "./words.js";

/** How to read it. */
export const MULTIPLEXING_NOTE =
  "WebSockets that share HTTP/2 connections (RFC 8441), beside as many with a connection each over HTTP/1.1: the same messages at the same times. Both are medians over the rounds, and their ratio is below 1 where to share costs less. A handshake counts from when it was due; that of the first on a connection has TCP and TLS in it. Memory is all that the proxy grew by, divided by the WebSockets: an upper limit.";

/**
 * @param {Multiplexing} multiplexing
 * @returns {string} `500 connections, 100 on an HTTP/2 connection`
 */
export function multiplexingTitle({ setting }) {
  return meaningTexts(setting, ["connections", "streams", "messageBytes"]).join(", ");
}

/**
 * @param {Analysis} analysis
 * @param {Multiplexing} multiplexing
 * @returns {{columns: string[], rows: {proxy: string, title: string, isControl: boolean, cells: string[]}[]}} columns: after the proxy's
 */
export function multiplexingTable(analysis, { measures }) {
  const proxies = analysis.results.plan.proxies.filter((name) =>
    measures.some(({ rows }) => rows.some(({ proxy }) => proxy === name)),
  );
  return {
    columns: measures.map(({ measure }) => measureOf(analysis, measure).title),
    rows: proxies.map((proxy) => ({
      proxy,
      title: titleOfProxy(analysis.results, proxy),
      isControl: false,
      cells: measures.map(({ measure, rows }) => {
        const row = rows.find((one) => one.proxy === proxy);
        if (!row) return NONE;
        const of = (/** @type {number} */ value) => amount(value, measureOf(analysis, measure));
        return `${of(row.shared)}, with its own ${of(row.own)}: ${timesWithInterval(row.ratio)}`;
      }),
    })),
  };
}
