/**
 * The files of a run. Whatever is written replaces its file in one step, after every cell, so that a crash or a full disk
 * loses the cell that runs and nothing else.
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
import { UserError } from "../errors.js";
import { CELL_FILE, CELLS, unpackCells, unpackedText } from "./archive.js";
import { validateResults } from "./schema.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { Environment } from "../model/environment.ts" */
/** @import { Plan, PlannedCell } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */

/** A run's folder, and what is in it. Raw files lie in its folder `cells/`, or once it is published in one archive. */
export class Store {
  /** @type {Map<string, Buffer> | undefined} what the archive holds, once it was asked for */
  #unpacked;

  /**
   * @param {string} directory
   * @param {Results} results
   */
  constructor(directory, results) {
    this.directory = directory;
    this.results = results;
  }

  /**
   * Begins a run in a folder of its own.
   *
   * @param {string} parent where runs are kept
   * @param {string} name of the run
   * @param {{plan: Plan, environment: Environment, proxies: Results["proxies"], command: string, hosts?: string}} about
   * @throws {UserError} when the folder cannot be written
   */
  static create(parent, name, { plan, environment, proxies, command, hosts }) {
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
   * @param {string} directory of an earlier run
   * @throws {UserError} when it is none, or its results are not whole
   */
  static open(directory) {
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
        "Restore it, or start the run anew.",
      );
    }
    return new Store(directory, validateResults(results, file));
  }

  /** @returns {Plan} what plan.json holds now */
  readPlan() {
    return JSON.parse(readFileSync(join(this.directory, "plan.json"), "utf8"));
  }

  /**
   * @param {string} id of the cell
   * @param {number} attempt
   * @returns {string} the folder for that attempt's samples and logs
   */
  cellFolder(id, attempt) {
    const folder = this.cellPath(id, attempt);
    if (this.results.archive)
      throw new UserError(
        `${this.directory} is a published run: it is complete and cannot be added to`,
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

  /**
   * @param {string} id
   * @param {number} attempt
   */
  cellPath(id, attempt) {
    return join(this.directory, cellName(id, attempt));
  }

  /**
   * @param {Pick<CellRecord, "id" | "attempt">} record
   * @param {string} name of one of the attempt's files, such as `samples.csv`
   * @returns {string | null} null: that attempt has none
   * @throws {UserError} when the archive of a published run is missing or another
   */
  readRaw({ id, attempt }, name) {
    const { archive } = this.results;
    if (archive) {
      this.#unpacked ??= unpackCells(this.directory, archive);
      const bytes = this.#unpacked.get(`${cellName(id, attempt)}/${name}`);
      return bytes ? unpackedText(name, bytes) : null;
    }
    const file = join(this.cellPath(id, attempt), name);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  }

  /**
   * @param {PlannedCell} cell
   * @returns {CellRecord[]} its attempts so far
   */
  attemptsOf(cell) {
    return this.results.cells.filter(({ id }) => id === cell.id);
  }

  /** @param {CellRecord} record */
  add(record) {
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

  /**
   * @param {string} name of a file in the run's folder
   * @param {string} text
   */
  write(name, text) {
    this.#write(name, text);
  }

  #writeResults() {
    this.#write("results.json", json(this.results));
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  #write(name, text) {
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

/**
 * @param {string} id
 * @param {number} attempt
 * @returns {string} path of the attempt's folder in that of the run
 */
function cellName(id, attempt) {
  return join(CELLS, attempt === 1 ? id : `${id}.attempt-${attempt}`);
}

/** @param {unknown} value */
function json(value) {
  return JSON.stringify(value, null, 1) + "\n";
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {string} path
 * @param {unknown} error
 */
export function unwritable(path, error) {
  const code = error instanceof Error && "code" in error ? error.code : "";
  const next =
    code === "ENOSPC" || code === "EDQUOT"
      ? "The disk is full. Make room"
      : "Make the folder writable for the user who runs ./bench";
  return new UserError(
    `${path} cannot be written: ${messageOf(error)}`,
    `${next}, then go on; what was recorded before is kept.`,
  );
}
