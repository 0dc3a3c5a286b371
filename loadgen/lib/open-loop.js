/**
 * An open loop: what is due begins when it is due, whatever becomes of it. What began late, or not at all, is counted.
 */
import { randomSeed } from "k6";
import { Counter } from "k6/metrics";
import { Rate } from "./schedule.js";
import { now } from "./target.js";

/**
 * What begins later than this after it was due is late. k6 wakes 0 to 1 ms after it should, 0.5 in the median at 200 a second, as Go's
 * timers do while nothing else runs; more is a generator, or a machine, that is behind. A latency has its lateness in it.
 */
const LATE_MS = 10;

const due = new Counter("sends_due");
const late = new Counter("sends_late");
const dropped = new Counter("sends_dropped");

/**
 * @param {import("./schedule.js").Due} schedule
 * @param {object} options
 * @param {number} options.startMs from when on the schedule counts, by `now()`
 * @param {number} options.endMs nothing is due from then on; what is late by then is dropped
 * @param {(which: number, dueMs: number) => boolean} options.begin told what `schedule` took and when it was due, by `now()`; false:
 *   it cannot begin, and is dropped
 * @param {(which: number) => boolean} options.isReference of what `schedule` took: it is for the reference proxy, and in no count
 * @returns {Promise<void>} at `endMs`
 */
export function keepTo(schedule, { startMs, endMs, begin, isReference }) {
  const counts = { due: 0, late: 0, dropped: 0 };
  return new Promise((resolve) => {
    const beginDue = () => {
      const untilMs = now() - startMs;
      let dueMs;
      while ((dueMs = schedule.dueMs) !== null && dueMs <= untilMs) {
        const which = schedule.take();
        const elapsedMs = now() - startMs;
        const isBegun = elapsedMs < endMs + LATE_MS && begin(which, startMs + dueMs);
        if (isReference(which)) continue;
        counts.due += 1;
        if (!isBegun) counts.dropped += 1;
        else if (elapsedMs - dueMs > LATE_MS) counts.late += 1;
      }
      const nextMs = dueMs ?? endMs;
      if (dueMs !== null || untilMs < endMs) {
        setTimeout(beginDue, Math.max(0, startMs + nextMs - now()));
        return;
      }
      // Once a VU, not once a send: each sample of a counter costs as much as a latency does.
      for (const [counter, count] of /** @type {const} */ ([
        [due, counts.due],
        [late, counts.late],
        [dropped, counts.dropped],
      ]))
        if (count > 0) counter.add(count);
      resolve();
    };
    beginDue();
  });
}

/**
 * This VU's share of a rate. What all VUs have together is the same in each cell of a round, and another in each round.
 *
 * @param {object} options
 * @param {number} options.perSecond of all VUs
 * @param {number} options.vu its number, from 0
 * @param {number} options.vus
 * @param {number} options.seed
 * @param {string} options.trial
 * @param {number} options.endMs
 * @param {boolean} options.isPoisson
 * @param {number} [options.count] as of `Rate`
 * @returns {Rate}
 */
export function shareOfRate({ perSecond, vu, vus, seed, trial, ...options }) {
  const own = 1e4 * (1e4 * seed + (Number(trial) || 0));
  // Evenly, the VUs take turns. They begin at the same random moment, so that several load containers are not in step.
  randomSeed(own);
  const phase = (vu + Math.random()) / vus;
  randomSeed(own + 1 + vu);
  return new Rate({ ...options, perSecond: perSecond / vus, phase });
}
