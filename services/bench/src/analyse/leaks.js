/**
 * What proxies keep of connections that their clients have dropped: any scenario that looks again SETTLE_SECONDS after its load.
 */
import { counted } from "../numbers.js";
import { connectionsOf } from "../plan/load.js";
import { CONTROL } from "../plan/proxies.js";
import { titleOfProxy } from "./settings.js";
import { schemeName } from "./scenarios.js";
import { list } from "../render/words.js";

/** @import { Results } from "../record/types.js" */
/** @import { Row, Setting } from "./types.js" */

/** One connection kept of so many is a leak. Fewer may be the proxy's own: listening sockets, or connections to be used again. */
export const LEAK_SHARE = 0.01;

/** What a connection that is kept holds open. */
const KEPT = ["proxy_sockets_left", "proxy_descriptors_left"];

/**
 * @typedef {object} Leaks of the setting with the most connections over a scheme
 * @property {Setting} setting
 * @property {string} text one sentence, without its end
 */

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @returns {Leaks[]} one a scheme that was looked at again; [] where nothing was
 */
export function leaksOf(results, settings) {
  const looked = settings.filter(({ parameters }) => "SETTLE_SECONDS" in parameters);
  return [...Map.groupBy(looked, schemeName).values()].flatMap((same) => {
    const setting = same.reduce((a, b) =>
      connectionsOf(b.parameters) > connectionsOf(a.parameters) ? b : a,
    );
    const left = leftOf(setting);
    return left.length > 0 ? [{ setting, text: told(results, setting, left) }] : [];
  });
}

/**
 * @param {Setting} setting
 * @returns {{proxy: string, left: number}[]} sockets or descriptors, whichever are more; the worst first; without the control
 */
function leftOf({ comparisons }) {
  const rows = comparisons.filter(({ measure }) => KEPT.includes(measure)).flatMap((c) => c.rows);
  const known = rows.filter((row) => row.proxy !== CONTROL && row.median);
  return [...Map.groupBy(known, ({ proxy }) => proxy)]
    .map(([proxy, own]) => ({ proxy, left: Math.max(...own.map(leftIn)) }))
    .sort((a, b) => b.left - a.left);
}

/** @param {Row} row */
function leftIn({ median }) {
  return median?.value ?? 0;
}

/**
 * @param {Results} results
 * @param {Setting} setting
 * @param {{proxy: string, left: number}[]} left
 */
function told(results, { parameters }, left) {
  const connections = connectionsOf(parameters);
  const isLeak = (/** @type {{left: number}} */ one) => one.left >= LEAK_SHARE * connections;
  const title = (/** @type {{proxy: string}} */ { proxy }) => titleOfProxy(results, proxy);
  const after = `${parameters.SETTLE_SECONDS} s after the last of ${counted(connections, "connection")}`;
  const more = (/** @type {number} */ n) =>
    `${counted(n, "socket or descriptor", "sockets or descriptors")} more than before`;
  const leaking = left.filter(isLeak);
  const clean = left.filter((one) => !isLeak(one));
  const most = Math.max(0, ...clean.map((one) => one.left));
  if (leaking.length === 0) {
    return most === 0
      ? `None does: ${after}, no proxy had ${more(1).replace("1 ", "a ")}`
      : `None does: ${after}, no proxy had over ${more(most)}`;
  }
  const kept = leaking.map(
    (one) =>
      `${title(one)} had ${more(one.left)} (${Math.round((100 * one.left) / connections)} %)`,
  );
  const rest = clean.length > 0 ? `; ${list(clean.map(title))} let go of them` : "";
  return `${after}, ${list(kept)}${rest}`;
}
