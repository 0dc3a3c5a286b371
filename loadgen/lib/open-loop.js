/**
 * An open loop: what is due begins when it is due, whatever becomes of it. What began late, or not at all, is counted.
 */
import { randomSeed } from "k6";
import { Counter } from "k6/metrics";
import { keepTo as begun } from "./keep-to.js";
import { Rate } from "./schedule.js";
import { now } from "./target.js";

const due = new Counter("sends_due");
const late = new Counter("sends_late");
const dropped = new Counter("sends_dropped");

/**
 * @param {import("./schedule.js").Due} schedule
 * @param {object} options as of keep-to.js, by `now()`
 * @param {number} options.startMs
 * @param {number} options.endMs
 * @param {(which: number, dueMs: number) => boolean} options.begin
 * @param {(which: number) => boolean} options.isReference of what `schedule` took: it is for the reference proxy, and in no count
 * @returns {Promise<void>} at `endMs`
 */
export async function keepTo(schedule, { isReference, ...options }) {
  const isCounted = (/** @type {number} */ which) => !isReference(which);
  const counts = await begun(schedule, { ...options, isCounted, now });
  // Once a VU, not once a send: each sample of a counter costs as much as a latency does.
  for (const [counter, count] of /** @type {const} */ ([
    [due, counts.due],
    [late, counts.late],
    [dropped, counts.dropped],
  ]))
    if (count > 0) counter.add(count);
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
