/**
 * WebSockets that share HTTP/2 connections beside the same on connections of their own, in words and as a table.
 *
 * @import { Analysis, Multiplexing } from "../analyse/types.js"
 */
import { pairedTable } from "./paired-table.js";
import { meaningTexts, timesWithInterval } from "./words.js";

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
 * @returns {ReturnType<typeof pairedTable>}
 */
export function multiplexingTable(analysis, { measures }) {
  return pairedTable(
    analysis,
    measures,
    ({ shared, own, ratio }, amountOf) =>
      `${amountOf(shared)}, with its own ${amountOf(own)}: ${timesWithInterval(ratio)}`,
  );
}
