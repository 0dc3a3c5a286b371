/**
 * What is due begins when it is due, whatever becomes of it: the part of an open loop that k6 and Node share. What began late, or not
 * at all, is counted.
 */

/** @import { Sends } from "./summary.js" */

/**
 * What begins later than this after it was due is late. k6 wakes 0 to 1 ms after it should, 0.5 in the median at 200 per second, as Go's
 * timers do while nothing else runs; Node's timers have steps of 1 ms. More is a generator, or a machine, that is behind. A latency has
 * its lateness in it.
 */
export const LATE_MS = 10;

/**
 * @param {import("./schedule.js").Due} schedule
 * @param {object} options
 * @param {() => number} options.now ms, in steps far below 1 ms
 * @param {number} options.startMs from when on the schedule counts, by `now`
 * @param {number} options.endMs nothing is due from then on; what is late by then is dropped
 * @param {(which: number, dueMs: number) => boolean} options.begin told what `schedule` took and when it was due, by `now`; false: it
 *   cannot begin, and is dropped
 * @param {(which: number) => boolean} options.isCounted of what `schedule` took, after `begin`
 * @returns {Promise<Sends>} at `endMs`, of those that are counted
 */
export function keepTo(schedule, { now, startMs, endMs, begin, isCounted }) {
  const counts = { due: 0, late: 0, dropped: 0 };
  return new Promise((resolve) => {
    const beginDue = () => {
      const untilMs = now() - startMs;
      let dueMs;
      while ((dueMs = schedule.dueMs) !== null && dueMs <= untilMs) {
        const which = schedule.take();
        const elapsedMs = now() - startMs;
        const isBegun = elapsedMs < endMs + LATE_MS && begin(which, startMs + dueMs);
        if (!isCounted(which)) continue;
        counts.due += 1;
        if (!isBegun) counts.dropped += 1;
        else if (elapsedMs - dueMs > LATE_MS) counts.late += 1;
      }
      const nextMs = dueMs ?? endMs;
      if (dueMs !== null || untilMs < endMs) {
        setTimeout(beginDue, Math.max(0, startMs + nextMs - now()));
        return;
      }
      resolve(counts);
    };
    beginDue();
  });
}
