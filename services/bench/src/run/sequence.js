/**
 * Runs the cells of a plan, one after the other or side by side, and records each as it ends.
 */
import { ATTEMPTS } from "../plan/estimate.js";
import { NO_QUOTA, quotaEnv, quotaOf } from "../plan/cpu-budget.js";
import { groupsOf } from "../plan/side-by-side.js";
import { allEnded } from "../platform/wait.js";
import { cellsToRepeat, isSearch, repeatReason } from "../record/repeats.js";
import { unwritable } from "../record/store.js";
import { runCell } from "./cell.js";
import { withFoundRate } from "./found-rate.js";
import { newRecord } from "./cell-record.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { PlannedCell } from "../model/plan.ts" */
/** @import { Store } from "../record/store.js" */
/** @import { RunContext } from "./cell.js" */

/**
 * @param {Store} store gets every attempt; cells that it has as ok or skipped are not run again, unless the machine spoiled them
 * @param {RunContext} context
 * @param {object} options
 * @param {boolean} options.keepGoing also after a cell has failed twice
 * @param {() => number} options.remaining estimated seconds to the end
 * @param {(cell: PlannedCell) => RunContext} [options.contextOf] that of one cell among those that run at once; left out: the shared one
 * @param {typeof runCell} [options.measure] runs an attempt
 * @returns {Promise<{failed: number, untried: number}>} cells that failed for good, and cells that were not tried, or not again
 * @throws when `context.signal` is aborted, or when results cannot be written
 */
export async function runCells(
  store,
  context,
  { keepGoing, remaining, contextOf = () => context, measure = runCell },
) {
  const { plan } = store.results;
  const { cells } = plan;
  const done = () => cells.filter((cell) => isDone(store, cell)).length;
  context.tell({
    type: "plan",
    directory: store.directory,
    cells: cells.length,
    rounds: plan.rounds,
    scenarios: plan.scenarios,
    done: done(),
    skipped: cells.filter(({ skip }) => skip).length,
    estimatedSeconds: remaining(),
  });
  let failed = 0;
  let untried = 0;
  let due = cells.filter((cell) => !isDone(store, cell));
  do {
    const groups = groupsOf(plan, due);
    for (const [index, group] of groups.entries()) {
      const ends = await allEnded(group.map(tried));
      const failures = group.filter((_, i) => ends[i] === "failed");
      untried += ends.filter((end) => end === "untried").length;
      failed += failures.length;
      const isLost = failures.some(
        (cell) => store.attemptsOf(cell).at(-1)?.cause?.kind === "engine",
      );
      if (failures.length === 0 || (keepGoing && !isLost)) continue;
      const left = new Set([...groups.slice(index + 1).flat(), ...cellsToRepeat(store.results)]);
      return { failed, untried: untried + left.size };
    }
    due = cellsToRepeat(store.results);
  } while (due.length > 0);
  return { failed, untried };

  /**
   * @param {PlannedCell} cell
   * @returns {Promise<"over" | "failed" | "untried">}
   */
  async function tried(cell) {
    if (cell.skip) {
      store.add(skippedRecord(cell, cell.skip));
      return "over";
    }
    const fresh = withFoundRate(cell, store.results);
    // Its search has failed: it can be run when that has been run again.
    if (fresh === null) return "untried";
    if (typeof fresh === "string") {
      store.add(skippedRecord(cell, fresh));
      return "over";
    }
    return (await runToEnd(fresh)) ? "over" : "failed";
  }

  /**
   * @param {PlannedCell} cell
   * @param {string} message
   * @returns {CellRecord}
   */
  function skippedRecord(cell, message) {
    const cause = { kind: /** @type {const} */ ("skipped"), message };
    return { ...newRecord(cell, 1, context.loadCores), status: "skipped", cause };
  }

  /**
   * @param {PlannedCell} cell
   * @returns {Promise<boolean>} whether it came to an end, be it one that is repeated when all others have been run
   */
  async function runToEnd(cell) {
    const before = store.attemptsOf(cell).length;
    for (let attempt = before + 1; attempt <= before + ATTEMPTS; attempt++) {
      context.signal.throwIfAborted();
      context.tell({
        type: "cell",
        cell,
        number: cells.findIndex(({ id }) => id === cell.id) + 1,
        of: cells.length,
        attempt,
      });
      const record = await recorded(cell, attempt);
      const earlier = store.results.cells.filter((other) => other !== record);
      const why = repeatReason(record, earlier);
      const isAtOnce = why === "failed" || isSearch(cell);
      const isDue = isAtOnce
        ? attempt < before + ATTEMPTS
        : cellsToRepeat(store.results).some(({ id }) => id === cell.id);
      const repeat = why && isDue ? { why, isAtOnce } : null;
      context.tell({ type: "cell-end", record, repeat, remainingSeconds: remaining() });
      if (!repeat?.isAtOnce) return record.status === "ok";
    }
    return false;
  }

  /**
   * @param {PlannedCell} cell
   * @param {number} attempt
   */
  async function recorded(cell, attempt) {
    const folder = store.cellFolder(cell.id, attempt);
    try {
      const record = await measure(cell, attempt, contextOf(cell), folder);
      store.add(record);
      return record;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      throw /^(ENOSPC|EDQUOT|EACCES|EROFS)$/.test(code) ? unwritable(folder, error) : error;
    }
  }
}

/**
 * @param {Store} store
 * @param {PlannedCell} cell
 */
function isDone(store, cell) {
  return store.attemptsOf(cell).some(({ status }) => status !== "failed");
}

/**
 * Gives load, proxy and echo server cores of their own where there are enough; a proxy budget of whole cores becomes a
 * set of so many, which holds for all its containers together.
 *
 * @param {number} cores of the machine
 * @param {number} proxyCpus budget; 0: none
 * @returns {{env: Record<string, string>, loadCores: number, cpuLimited: boolean, note: string}} knobs for Compose; note: for the report
 */
export function cpuShares(cores, proxyCpus) {
  const set = (/** @type {number} */ from, /** @type {number} */ count) =>
    count === 1 ? String(from) : `${from}-${from + count - 1}`;
  const whole = Number.isInteger(proxyCpus) ? proxyCpus : 0;
  const cpuLimited = proxyCpus > 0 && whole === 0;
  const limit = { PROXY_CPUS: "0", ...quotaEnv(cpuLimited ? quotaOf(proxyCpus) : NO_QUOTA) };
  if (cores < 4) {
    return {
      env: {
        ...limit,
        PROXY_CPUSET: whole ? set(cores - whole, whole) : "",
        REFERENCE_CPUSET: "",
        ECHO_CPUSET: "",
        LOAD_CPUSET: "",
      },
      loadCores: cores,
      cpuLimited,
      note: `load, proxy and echo server share ${cores} cores: what one takes, the others miss`,
    };
  }
  // Load needs the most: k6 costs more CPU a connection than nginx and HAProxy do.
  const proxy = whole || Math.floor(cores / 4);
  const echo = Math.min(Math.floor(cores / 4), cores - proxy - 1);
  const load = cores - proxy - echo;
  return {
    env: {
      ...limit,
      PROXY_CPUSET: set(0, proxy),
      // What tells how fast the proxy's cores are runs on them, unless it would take from a budget.
      REFERENCE_CPUSET: whole ? set(proxy, echo) : set(0, proxy),
      ECHO_CPUSET: set(proxy, echo),
      LOAD_CPUSET: set(proxy + echo, load),
    },
    loadCores: load,
    cpuLimited,
    note: `cores of their own: proxy ${set(0, proxy)}, echo ${set(proxy, echo)}, load ${set(proxy + echo, load)}`,
  };
}
