/**
 * Puts a load under way and measures it from its first edge to its last.
 */

/** @import { Edges } from "./edges.js" */
/** @import { LoadRun } from "./load-run.js" */
/** @import { MeasuredPhase, PhaseReadings } from "./measured-phase.js" */
/** @import { Watch } from "./watch.js" */

/**
 * @param {Pick<MeasuredPhase, "open" | "close" | "abandon" | "isClosed" | "hasLost" | "broken">} phase
 * @param {object} options
 * @param {Edges} options.edges at which the load waits
 * @param {number} options.loads containers of the load
 * @param {() => LoadRun} options.start starts it in them
 * @param {() => Promise<void>} options.beforeOpen called when all of them wait at the first edge
 * @param {() => Promise<unknown> | void} options.afterOpen called when they go on; what it begins may fail until the last edge, and is then
 *   the failure of the load
 * @param {Pick<Watch, "within">} options.watch
 * @param {{openSeconds: number, closeSeconds: number, endSeconds: number}} options.limits of waits: from the start of the containers to
 *   the first edge, from there to the last, from there to their end
 * @returns {Promise<{readings: PhaseReadings, load: LoadRun}>} the load has ended, but may have failed
 * @throws {import("./cell-failure.js").CellFailure}
 */
export async function measureLoad(
  phase,
  { edges, loads, start, beforeOpen, afterOpen, watch, limits },
) {
  const first = edges.expect("start", loads, async () => {
    await beforeOpen();
    await phase.open();
  });
  // Expected before any load can be there: what goes on from one edge needs a request to reach the next.
  const last = first.then(() => edges.expect("end", loads, () => phase.close()));
  // Whichever is not waited for in the end is no error of its own.
  for (const promise of [first, last]) promise.catch(() => {});
  try {
    const load = start();
    const endedWell = load.endedWell(() => phase.isClosed);
    endedWell.catch(() => {});
    await watch.within(limits.openSeconds, Promise.race([first, endedWell]));
    const beside = Promise.resolve(afterOpen());
    beside.catch(() => {});
    const isThrough = Promise.race([Promise.all([last, beside]), endedWell, phase.broken]);
    await watch.within(limits.closeSeconds, isThrough, () => phase.hasLost);
    await watch.within(limits.endSeconds, load.ended);
    return { readings: await last, load };
  } finally {
    phase.abandon();
    edges.reset();
  }
}
