/**
 * Connections that are opened one after the other before the measured phase, and held through it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "./client.mjs";
import { atRate } from "./rate.mjs";

/** @import { Target } from "./client.mjs" */
/** @import { Echoes } from "./echoes.mjs" */
/** @import { HeldClient } from "./held-client.mjs" */

/** Between two looks whether all echoes are there. */
const POLL_MS = 10;

/**
 * @param {Target} target
 * @param {object} options
 * @param {number} options.count
 * @param {number} options.perSecond
 * @param {ConstructorParameters<typeof Client>[1]} options.each
 * @returns {Promise<Client[]>} all of them, open, in the order in which they were opened
 * @throws {Error} when some do not open, or have ended by then: with how
 */
export function openAll(target, { count, perSecond, each }) {
  return openEach({ count, perSecond }, () => new Client(target, each));
}

/**
 * @template {HeldClient} T
 * @param {object} options
 * @param {number} options.count
 * @param {number} options.perSecond
 * @param {(number: number, dueMs: number) => T} begin begins the handshake of one
 * @returns {Promise<T[]>} as of `openAll`
 * @throws {Error} as of `openAll`
 */
export async function openEach({ count, perSecond }, begin) {
  /** @type {T[]} */
  const clients = [];
  /** @type {Record<string, number>} */
  const failed = {};
  await atRate({ count, perSecond, atMost: Infinity }, async (number, dueMs) => {
    const client = begin(number, dueMs);
    clients[number] = client;
    const addTo = (/** @type {string} */ how) => (failed[how] = (failed[how] ?? 0) + 1);
    client.onEnd = addTo;
    const how = await client.opened;
    if (how !== null) addTo(how);
  });
  const missing = clients.filter(({ isOpen }) => !isOpen).length;
  if (missing === 0) return clients;
  for (const client of clients) client.reset();
  throw new Error(
    `${missing} of ${count} connections did not open, or did not stay open until all were: ${countsText(failed)}`,
  );
}

/** @typedef {{client: HeldClient, echoes: Echoes}} Held a connection, and what is sent on it */

/**
 * Those on which a message has waited too long for its echo have ended.
 *
 * @param {Held[]} held
 * @param {number} timeoutMs
 */
export function failSilent(held, timeoutMs) {
  const tooLateMs = performance.now() - timeoutMs;
  for (const { client, echoes } of held)
    if (client.isOpen && echoes.waitsSinceMs < tooLateMs) client.fail("timeout");
}

/**
 * @param {Held[]} held
 * @param {number} timeoutMs
 * @returns {Promise<void>} when no echo is missing any more of those that are open, and all others are over
 */
export async function settle(held, timeoutMs) {
  const isUnsettled = (/** @type {Held} */ { client, echoes }) =>
    client.isOpen ? echoes.missing > 0 : !client.hasEnded;
  while (held.some(isUnsettled)) {
    failSilent(held, timeoutMs);
    await sleep(POLL_MS);
  }
}

/**
 * @param {HeldClient[]} clients
 * @param {number} timeoutMs
 * @returns {Promise<void>} when all that are open have ended, with a close frame where the server answers it
 */
export async function closeAll(clients, timeoutMs) {
  await Promise.all(clients.map((client) => client.close(timeoutMs)));
}

/**
 * @param {Record<string, number>} counts
 * @returns {string} `3 reset, 1 timeout`; the most frequent first
 */
export function countsText(counts) {
  return Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ");
}
