/**
 * How far the clocks of two machines are apart.
 */
import { performance } from "node:perf_hooks";
import { converse } from "../platform/docker.js";
import { BENCH_IMAGE, HARDENED } from "../machine/engine.js";
import { Silence } from "./engines.js";
import { MARK } from "./swarm.js";

/** @import { HostEngine } from "./engines.js" */

/** More samples find a shorter round trip; 30 take some 50 ms on one network. */
const EXCHANGES = 30;
/** A pause between two lines of a program may stretch a look at the clock; the shortest of a few is taken. */
const TRIES = 3;
/** All of the exchanges, and the container's start before them. */
const LIMIT_MS = 60_000;

/**
 * @typedef {object} Offset in ms
 * @property {number} offsetMs the other clock is ahead by so much
 * @property {number} uncertaintyMs the truth is at most so far from that
 */

/**
 * @returns {() => number} this machine's clock, in ms since 1970 with fractions. `Date.now()` has steps of 1 ms, and
 *   `performance.timeOrigin` does not follow a clock that is set later.
 */
export function wallClock() {
  let origin = -Infinity;
  for (let i = 0; i < TRIES; i++) {
    const before = Date.now();
    let now = Date.now();
    while (now === before) now = Date.now();
    // A pause before this line makes it too early, none makes it too late.
    origin = Math.max(origin, now - performance.now());
  }
  return () => origin + performance.now();
}

/**
 * As NTP does it (RFC 5905, section 8), with one time stamp of the other's instead of two: of all exchanges the one with the shortest round
 * trip counts, and half of that bounds the error, whichever way was the slower one.
 *
 * @param {() => Promise<number>} askOther the other's clock, in ms since 1970
 * @param {() => number} [now] this machine's
 * @param {number} [exchanges]
 * @returns {Promise<Offset>}
 */
export async function offsetOf(askOther, now = wallClock(), exchanges = EXCHANGES) {
  /** @type {Offset} */
  let best = { offsetMs: 0, uncertaintyMs: Infinity };
  for (let i = 0; i < exchanges; i++) {
    const sent = now();
    const other = await askOther();
    const uncertaintyMs = (now() - sent) / 2;
    if (uncertaintyMs < best.uncertaintyMs)
      best = { offsetMs: other - (sent + uncertaintyMs), uncertaintyMs };
  }
  return best;
}

/**
 * Asks the clock of an engine's machine, through docker's own connection to it, by a container of this program (`clock`).
 *
 * @param {Pick<HostEngine, "machine" | "client">} engine that has this program's image
 * @param {number} [limitMs]
 * @returns {Promise<Offset>} against the clock of the machine where this runs
 * @throws {UserError} when the container does not run there, or says nothing
 */
export async function clockOffset({ machine, client }, limitMs = LIMIT_MS) {
  const { ask, end, kill } = converse([
    ...[...client, "run", "--rm", "--interactive", "--label", MARK, "--network", "none"],
    ...[...HARDENED, BENCH_IMAGE, "clock"],
  ]);
  let isSilent = false;
  const limit = setTimeout(() => {
    isSilent = true;
    kill();
  }, limitMs);
  try {
    // Until the first answer the container starts.
    await ask("");
    return await offsetOf(async () => Number(await ask("")));
  } catch (error) {
    throw isSilent ? new Silence({ machine, client }, "docker run, clock", limitMs) : error;
  } finally {
    await end();
    clearTimeout(limit);
  }
}
