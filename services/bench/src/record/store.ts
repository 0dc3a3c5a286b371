/**
 * The files of a run. Whatever is written replaces its file in one step, after every cell, so that
 * a crash or a full disk loses the cell that runs and nothing else.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { CELL_FILE, CELLS, unpackCells, unpackedText } from "./archive.ts";
import { validateResults } from "./schema.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Environment } from "../model/environment.ts";
import type { Plan, PlannedCell } from "../model/plan.ts";
import { METHOD } from "../model/record.ts";
import type { Results } from "../model/record.ts";

/**
 * A run's folder, and what is in it. Raw files lie in its folder `cells/`, or once it is published
 * in one archive.
 */
export class Store {
  /** what the archive holds, once it was asked for */
  #unpacked: Map<string, Buffer> | undefined;
  directory: string;
  results: Results;
  /** attempts that were recorded when the run was started or resumed */
  readonly before: number;

  constructor(directory: string, results: Results) {
    this.directory = directory;
    this.results = results;
    this.before = results.cells.length;
  }

  /**
   * Begins a run in a folder of its own.
   *
   * @param parent where runs are kept
   * @param name of the run
   * @throws {UserError} when the folder cannot be written
   */
  static create(
    parent: string,
    name: string,
    {
      plan,
      environment,
      proxies,
      command,
      hosts,
    }: {
      plan: Plan;
      environment: Environment;
      proxies: Results["proxies"];
      command: string;
      hosts?: string;
    },
  ) {
    const directory = join(parent, name);
    try {
      mkdirSync(parent, { recursive: true });
      mkdirSync(directory);
    } catch (error) {
      throw unwritable(directory, error);
    }
    const store = new Store(directory, {
      schema: 2,
      run: {
        name,
        startedAt: new Date().toISOString(),
        endedAt: null,
        command,
        method: METHOD,
        ...(hosts !== undefined && { hosts }),
      },
      plan,
      environment,
      proxies,
      cells: [],
    });
    store.#write("plan.json", json(plan));
    store.#write("environment.json", json(environment));
    store.#writeResults();
    return store;
  }

  /**
   * @param directory of an earlier run
   * @throws {UserError} when it is none, or its results are not whole
   */
  static open(directory: string) {
    const file = join(directory, "results.json");
    if (!existsSync(file)) {
      throw new UserError(
        `${directory} is not a run: it has no results.json`,
        "Expected a folder of results/, such as results/2026-11-20T10-00-00Z-quick.",
        2,
      );
    }
    let results;
    try {
      results = JSON.parse(readFileSync(file, "utf8"));
    } catch (error) {
      throw new UserError(
        `${file} cannot be read: ${messageOf(error)}`,
        "Restore it, or start a new run.",
      );
    }
    return new Store(directory, validateResults(results, file));
  }

  /** @returns what plan.json holds now */
  readPlan(): Plan {
    return JSON.parse(readFileSync(join(this.directory, "plan.json"), "utf8"));
  }

  /**
   * @param id of the cell
   * @returns the folder for that attempt's samples and logs
   */
  cellFolder(id: string, attempt: number): string {
    const folder = this.cellPath(id, attempt);
    if (this.results.archive)
      throw new UserError(
        `${this.directory} is a published run: it is complete, and nothing can be added`,
        `Start another: ${this.results.run.command}`,
      );
    try {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    } catch (error) {
      throw unwritable(folder, error);
    }
    return folder;
  }

  cellPath(id: string, attempt: number) {
    return join(this.directory, cellName(id, attempt));
  }

  /**
   * @param name of one of the attempt's files, such as `samples.csv`
   * @returns null: that attempt has none
   * @throws {UserError} when the archive of a published run is missing or another
   */
  readRaw({ id, attempt }: Pick<CellRecord, "id" | "attempt">, name: string): string | null {
    const { archive } = this.results;
    if (archive) {
      this.#unpacked ??= unpackCells(this.directory, archive);
      const bytes = this.#unpacked.get(`${cellName(id, attempt)}/${name}`);
      return bytes ? unpackedText(name, bytes) : null;
    }
    const file = join(this.cellPath(id, attempt), name);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  }

  /** @returns false: a published run whose archive only an earlier commit has */
  hasRaw(): boolean {
    const { archive } = this.results;
    return !archive?.commit || existsSync(join(this.directory, archive.file));
  }

  /** @returns its attempts so far */
  attemptsOf(cell: PlannedCell): CellRecord[] {
    return this.results.cells.filter(({ id }) => id === cell.id);
  }

  add(record: CellRecord) {
    this.results.cells.push(record);
    if (record.status !== "skipped")
      this.#write(join(cellName(record.id, record.attempt), CELL_FILE), json(record));
    this.#writeResults();
  }

  /** Says that every cell of the plan has been tried. */
  complete() {
    this.results.run.endedAt = new Date().toISOString();
    this.#writeResults();
  }

  /** @param name of a file in the run's folder */
  write(name: string, text: string) {
    this.#write(name, text);
  }

  /** Removes its folder. */
  remove() {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #writeResults() {
    this.#write("results.json", json(this.results));
  }

  #write(name: string, text: string) {
    const file = join(this.directory, name);
    const part = `${file}.part`;
    try {
      const handle = openSync(part, "w");
      try {
        writeSync(handle, text);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(part, file);
    } catch (error) {
      rmSync(part, { force: true });
      throw unwritable(file, error);
    }
  }
}

/** @returns path of the attempt's folder in that of the run */
function cellName(id: string, attempt: number): string {
  return join(CELLS, attempt === 1 ? id : `${id}.attempt-${attempt}`);
}

function json(value: unknown) {
  return JSON.stringify(value, null, 1) + "\n";
}

function messageOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}

export function unwritable(path: string, error: unknown) {
  const code = error instanceof Error && "code" in error ? error.code : "";
  const next =
    code === "ENOSPC" || code === "EDQUOT"
      ? "The disk is full. Make room"
      : "Make the folder writable for the user who runs ./bench";
  return new UserError(
    `${path} cannot be written: ${messageOf(error)}`,
    `${next}, then resume; what was recorded before is kept.`,
  );
}
