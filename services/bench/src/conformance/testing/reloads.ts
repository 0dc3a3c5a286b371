/**
 * A server that reloads, rightly or not: its configuration has a number, and /.generation tells it.
 */
import { both } from "./faults.ts";
import type { WebSocket } from "ws";
import type { TargetReload } from "../reload-checks.ts";
import type { Faults, Started } from "./server.ts";

/** of a server that reloads as it says */
interface Deviation {
  /** it takes no notice */
  silent?: boolean;
  /** it ends what was open before so long after a reload; default: as it says */
  closesAfterMs?: number;
  /** seconds after which it says it ends what was open before; default: null, never */
  says?: number | null;
}

export function reloads({ silent = false, says = null, closesAfterMs }: Deviation = {}): {
  server: Faults;
  reload: TargetReload;
} {
  let number = 1;
  let served = 1;
  const open: Set<WebSocket> = new Set();
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

export const RELOAD_WRONGS: Record<
  string,
  { deviation: Deviation; fails: string[]; message: RegExp }
> = {
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

/** What a server does when it stops gracefully. */
export const DRAIN_WRONGS: Record<
  string,
  { stop: (server: Started) => void; fails: string[]; message: RegExp }
> = {
  "a stop that is taken no notice of": {
    stop() {},
    fails: both("drain"),
    message: /^new connections still 15 s after that one closed$/,
  },
};
