/**
 * Puts a load under way and measures it from its first edge to its last.
 */

import type { Edges } from "./edges.ts";
import type { LoadRun } from "./load-run.ts";
import type { MeasuredPhase, PhaseReadings } from "./measured-phase.ts";
import type { Watch } from "./watch.ts";

/**
 * @returns the load has ended, but may have failed
 * @throws {CellFailure}
 */
export async function measureLoad(
  phase: Pick<MeasuredPhase, "open" | "close" | "abandon" | "isClosed" | "hasLost" | "broken">,
  {
    edges,
    loads,
    start,
    beforeOpen,
    afterOpen,
    watch,
    limits,
  }: {
    /** at which the load waits */
    edges: Edges;
    /** containers of the load */
    loads: number;
    /** starts it in them */
    start: () => LoadRun;
    /** called when all of them wait at the first edge */
    beforeOpen: () => Promise<void>;
    /**
     * called when they go on; what it begins may fail until the last edge, and is then the
     * failure of the load
     */
    afterOpen: () => Promise<unknown> | void;
    watch: Pick<Watch, "within">;
    /**
     * of waits: from the start of the containers to the first edge, from there to the last, from
     * there to their end
     */
    limits: { openSeconds: number; closeSeconds: number; endSeconds: number };
  },
): Promise<{ readings: PhaseReadings; load: LoadRun }> {
  const first = edges.expect("start", loads, async () => {
    await beforeOpen();
    await phase.open();
  });
  // Expected before any load can be there: what goes on from one edge needs a request to reach the
  // next.
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
