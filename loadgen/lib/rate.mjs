/**
 * An open loop for what Node runs: things are due at a fixed rate, whatever becomes of those before.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LATE_MS } from "./keep-to.js";

/** @import { Sends } from "./summary.js" */

/**
 * @param {object} options
 * @param {number} options.count in all
 * @param {number} options.perSecond due one after the other, at even intervals
 * @param {number} options.atMost at a time: one that is due while this many are under way is dropped
 * @param {(number: number) => boolean} [options.isCounted] left out: all are
 * @param {number} [options.startMs] when the first is due, by performance.now(); left out: now
 * @param {(number: number, dueMs: number) => Promise<void>} begin dueMs: on the clock of performance.now(); it must not fail
 * @returns {Promise<Sends>} of those that are counted, when all that were started have ended
 */
export async function atRate(options, begin) {
  const { count, perSecond, atMost, isCounted = () => true, startMs = performance.now() } = options;
  const sends = { due: 0, late: 0, dropped: 0 };
  let underWay = 0;
  /** @type {Promise<void>[]} */
  const begun = [];
  for (let number = 0; number < count; number += 1) {
    const dueMs = startMs + (1000 * number) / perSecond;
    await sleepUntil(dueMs);
    const one = isCounted(number) ? 1 : 0;
    sends.due += one;
    if (underWay >= atMost) {
      sends.dropped += one;
      continue;
    }
    if (performance.now() - dueMs > LATE_MS) sends.late += one;
    underWay += 1;
    begun.push(begin(number, dueMs).finally(() => (underWay -= 1)));
  }
  await Promise.all(begun);
  return sends;
}

/**
 * @param {number} dueMs by performance.now()
 * @param {{ref?: boolean}} [options] ref: false: it does not keep the program alive
 * @returns {Promise<void>} not before
 */
export async function sleepUntil(dueMs, options) {
  // A timer may fire up to 1 ms early.
  for (let leftMs; (leftMs = dueMs - performance.now()) > 0;)
    await sleep(Math.ceil(leftMs), undefined, options);
}
