/**
 * How far the clocks of two machines are apart.
 */
import { performance } from "node:perf_hooks";
import { converse } from "../platform/subprocess.ts";
import { BENCH_IMAGE, HARDENED } from "../machine/engine.ts";
import { Silence } from "./engines.ts";
import { MARK } from "./swarm.ts";
import type { HostEngine } from "./engines.ts";

/** More samples find a shorter round trip; 30 take about 50 ms on one network. */
const EXCHANGES = 30;
/**
 * A pause between two lines of a program may stretch a look at the clock; the shortest of a few is
 * taken.
 */
const TRIES = 3;
/** All of the exchanges, and the container's start before them. */
const LIMIT_MS = 60_000;

/** in ms */
export interface Offset {
  /** the other clock is ahead by so much */
  offsetMs: number;
  /** the truth is at most so far from that */
  uncertaintyMs: number;
}

/**
 * @returns this machine's clock, in ms since 1970 with fractions. `Date.now()` has steps of 1 ms,
 *   and `performance.timeOrigin` does not follow a clock that is set later.
 */
export function wallClock(): () => number {
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
 * As NTP does it (RFC 5905, section 8), with one time stamp of the other's instead of two: of all
 * exchanges the one with the shortest round trip counts, and half of that bounds the error,
 * whichever way was the slower one.
 *
 * @param askOther the other's clock, in ms since 1970
 * @param now this machine's
 */
export async function offsetOf(
  askOther: () => Promise<number>,
  now: () => number = wallClock(),
  exchanges: number = EXCHANGES,
): Promise<Offset> {
  let best: Offset = { offsetMs: 0, uncertaintyMs: Infinity };
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
 * Asks the clock of an engine's machine, through docker's own connection to it, by a container of
 * this program (`clock`).
 *
 * @param engine that has this program's image
 * @returns against the clock of the machine where this runs
 * @throws {UserError} when the container does not run there, or says nothing
 */
export async function clockOffset(
  { machine, client }: Pick<HostEngine, "machine" | "client">,
  limitMs: number = LIMIT_MS,
): Promise<Offset> {
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
