import { WebSocket } from "ws";
import { openWebSocket } from "./connect.ts";
import { ensure } from "./mismatch.ts";
import type { Check } from "./checks.ts";
import type { Client, Target } from "./connect.ts";

/** More than the default limits of a worker's connections and descriptors let through. */
export const HELD = 1_000;
const AT_A_TIME = 50;
/** Beside the time-out: a slow machine that is busy opens 20 over TLS in a second. */
const MS_EACH = 50;

export const HELD_CHECK: Check = {
  id: "held",
  title: "many connections at once",
  expected: ({ held = 0 }) => `${count(held)} open`,
  alone: true,
  tuning: true,
  skip: ({ held }) => (held === undefined ? "not asked for" : undefined),
  timeLimitMs: ({ held = 0, timeoutMs }) => timeoutMs + MS_EACH * held,
  async run(target) {
    const { held = 0 } = target;
    const clients: Client[] = [];
    for (let left = held; left > 0; left -= AT_A_TIME) {
      const some = Array.from({ length: Math.min(left, AT_A_TIME) }, () => openOrNull(target));
      const opened = await Promise.all(some);
      clients.push(...opened.filter((client) => client !== null));
      if (opened.includes(null)) break;
    }
    const open = clients.filter(({ ws }) => ws.readyState === WebSocket.OPEN).length;
    const actual = `${count(open)} open`;
    ensure(open === held, `${actual}, and the next refused`);
    return actual;
  },
};

/** @returns null: it was refused, or broke */
async function openOrNull(target: Target): Promise<Client | null> {
  try {
    return await openWebSocket(target);
  } catch {
    return null;
  }
}

function count(connections: number): string {
  return connections.toLocaleString("en");
}
