/**
 * Runs the cells of a plan, one after the other or side by side, and records each as it ends.
 */
import { groupsOf } from "../plan/side-by-side.ts";
import { allEnded } from "../platform/wait.ts";
import { cellsToRepeat } from "../record/repeats.ts";
import { unwritable } from "../record/store.ts";
import { runCell } from "./cell.ts";
import { newRecord } from "./cell-record.ts";
import { withFoundRate } from "./found-rate.ts";
import { attemptsAfter, repeatOf } from "./retry.ts";
import type { CellRecord } from "../model/cell.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Store } from "../record/store.ts";
import type { RunContext } from "./run-context.ts";

interface SequenceOptions {
  /** also after a cell has failed twice */
  keepGoing: boolean;
  /** estimated seconds to the end */
  remaining: () => number;
  /** that of one cell among those that run at once; left out: the shared one */
  contextOf?: (cell: PlannedCell) => RunContext;
  /** runs an attempt */
  measure?: typeof runCell;
}

/** of a cell; untried: its search has failed, and it can be run when that has been run again */
type End = "over" | "failed" | "untried";

/**
 * @param store gets every attempt; cells that it has as ok or skipped are not run again, unless the
 *   machine spoiled them
 * @returns cells that failed for good, and cells that were not tried, or not again
 * @throws when `context.signal` is aborted, or when results cannot be written
 */
export function runCells(
  store: Store,
  context: RunContext,
  options: SequenceOptions,
): Promise<{ failed: number; untried: number }> {
  return new Sequence(store, context, options).run();
}

class Sequence {
  #store: Store;
  #context: RunContext;
  #options;
  #cells;

  constructor(store: Store, context: RunContext, options: SequenceOptions) {
    this.#store = store;
    this.#context = context;
    this.#options = { contextOf: () => context, measure: runCell, ...options };
    this.#cells = store.results.plan.cells;
  }

  get #measured() {
    return this.#cells.filter(({ skip }) => skip === null);
  }

  async run() {
    this.#tellPlan();
    let failed = 0;
    let untried = 0;
    let due = this.#cells.filter((cell) => !this.#isDone(cell));
    do {
      const groups = groupsOf(this.#store.results.plan, due);
      for (const [index, group] of groups.entries()) {
        const ends = await allEnded(group.map((cell) => this.#tried(cell)));
        const failures = group.filter((_, i) => ends[i] === "failed");
        untried += ends.filter((end) => end === "untried").length;
        failed += failures.length;
        if (this.#goesOnAfter(failures)) continue;
        const left = [...groups.slice(index + 1).flat(), ...this.#toRepeat()];
        return { failed, untried: untried + new Set(left).size };
      }
      due = this.#toRepeat();
    } while (due.length > 0);
    return { failed, untried };
  }

  #toRepeat() {
    return cellsToRepeat(this.#store.results, this.#store.before);
  }

  #tellPlan() {
    const { directory, results } = this.#store;
    this.#context.tell({
      ...{ type: "plan", directory, plan: results.plan },
      done: this.#measured.filter((cell) => this.#isDone(cell)).length,
      estimatedSeconds: this.#options.remaining(),
    });
  }

  #isDone(cell: PlannedCell) {
    return this.#store.attemptsOf(cell).some(({ status }) => status !== "failed");
  }

  /** @param failures of cells that ran at once */
  #goesOnAfter(failures: PlannedCell[]) {
    const isLost = failures.some(
      (cell) => this.#store.attemptsOf(cell).at(-1)?.cause?.kind === "engine",
    );
    return failures.length === 0 || (this.#options.keepGoing && !isLost);
  }

  async #tried(cell: PlannedCell): Promise<End> {
    const fresh = cell.skip ?? withFoundRate(cell, this.#store.results);
    if (fresh === null) return "untried";
    if (typeof fresh !== "string") return this.#runToEnd(fresh);
    const cause = { kind: "skipped" as const, message: fresh };
    const record = newRecord(cell, 1, this.#context.loadCores);
    this.#store.add({ ...record, status: "skipped", cause });
    return "over";
  }

  /** @returns over: also where it is repeated when all others have been run */
  async #runToEnd(cell: PlannedCell): Promise<End> {
    const attempts = attemptsAfter(this.#store.attemptsOf(cell).length);
    const number = this.#measured.findIndex(({ id }) => id === cell.id) + 1;
    for (const attempt of attempts) {
      this.#context.signal.throwIfAborted();
      this.#context.tell({ type: "cell", cell, number, of: this.#measured.length, attempt });
      const record = await this.#recorded(cell, attempt);
      const isLast = attempt === attempts.at(-1);
      const repeat = repeatOf(record, cell, this.#store, isLast);
      const remainingSeconds = this.#options.remaining();
      this.#context.tell({ type: "cell-end", record, repeat, remainingSeconds });
      if (!repeat?.isAtOnce) return record.status === "ok" ? "over" : "failed";
    }
    return "failed";
  }

  async #recorded(cell: PlannedCell, attempt: number): Promise<CellRecord> {
    const { contextOf, measure } = this.#options;
    const folder = this.#store.cellFolder(cell.id, attempt);
    try {
      const record = await measure(cell, attempt, contextOf(cell), folder);
      this.#store.add(record);
      return record;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      throw /^(ENOSPC|EDQUOT|EACCES|EROFS)$/.test(code) ? unwritable(folder, error) : error;
    }
  }
}
