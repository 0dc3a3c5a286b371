/**
 * A server that reloads, rightly or not: its configuration has a number, and /.generation tells it.
 */
import { both } from "./faults.js";

/** @import { WebSocket } from "ws" */
/** @import { TargetReload } from "../reload-checks.js" */
/** @import { Faults } from "./server.js" */

/**
 * @typedef {object} Deviation of a server that reloads as it says
 * @property {boolean} [silent] it takes no notice
 * @property {number} [closesAfterMs] it ends what was open before so long after a reload; default: as it says
 * @property {number | null} [says] seconds after which it says it ends what was open before; default: null, never
 */

/**
 * @param {Deviation} [deviation]
 * @returns {{server: Faults, reload: TargetReload}}
 */
export function reloads({ silent = false, says = null, closesAfterMs } = {}) {
  let number = 1;
  let served = 1;
  /** @type {Set<WebSocket>} */
  const open = new Set();
  const closesMs = closesAfterMs ?? (says === null ? null : says * 1000);
  return {
    server: {
      connection(ws) {
        open.add(ws);
        ws.on("close", () => open.delete(ws));
      },
      respond: ({ url }, response) =>
        void response.end(url === "/.generation" ? `${served}\n` : "ok\n"),
    },
    reload: {
      tells: true,
      closesAfterSeconds: says,
      async run() {
        number += 1;
        if (!silent) served = number;
        const old = [...open];
        if (closesMs !== null)
          setTimeout(() => old.forEach((ws) => ws.terminate()), closesMs).unref();
        return number;
      },
    },
  };
}

/** @type {Record<string, {deviation: Deviation, fails: string[], message: RegExp}>} */
export const RELOAD_WRONGS = {
  "a reload that is taken no notice of": {
    deviation: { silent: true },
    fails: both("reload"),
    message: /status 200 and "1" from \/\.generation 10 s after the reload to configuration [23]/,
  },
  "a reload that ends what is open": {
    deviation: { closesAfterMs: 200 },
    fails: both("reload"),
    message: /connection closed without a close frame after the reload/,
  },
  "a reload that does not end what is open, though it says so": {
    deviation: { says: 1, closesAfterMs: 60_000 },
    fails: both("reload"),
    message: /connection still open 3\.\d s after the reload/,
  },
  "a reload that does not end what is open at once, though it says so": {
    deviation: { says: 0, closesAfterMs: 60_000 },
    fails: both("reload"),
    message: /connection still open 2\.\d s after the reload/,
  },
};
