/**
 * When a client that was cut off, or has failed to come back, tries again.
 */
import { createHash } from "node:crypto";

/** Full jitter doubles what it waits at most after each attempt, up to this many times. */
const MOST_FACTOR = 8;

/** What BACKOFF says, in words. */
export const BACKOFFS = ["at once", "after a fixed back-off", "after a back-off with full jitter"];

/**
 * Full jitter is that of Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015: anywhere from 0 to what exponential
 * back-off would wait.
 *
 * @param {object} options
 * @param {number} options.kind 0: at once; 1: after a fixed time; 2: full jitter
 * @param {number} options.baseMs the fixed time; of jitter the most before the first attempt
 * @param {string} options.seed of the jitter
 * @returns {(connection: number, attempt: number) => number} attempt: from 0; ms to wait before it. The same for the same seed, whatever
 *   order they are asked in
 */
export function backoff({ kind, baseMs, seed }) {
  return (connection, attempt) => {
    if (kind === 0) return 0;
    if (kind === 1) return baseMs;
    const mostMs = baseMs * Math.min(MOST_FACTOR, 2 ** attempt);
    return mostMs * share(`${seed} ${connection} ${attempt}`);
  };
}

/**
 * @param {string} text
 * @returns {number} from 0 to below 1, evenly
 */
function share(text) {
  return createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
}
