/**
 * results/<run>/panels/: the files of an export, and what is known about each panel there.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unwritable } from "../record/store.js";
import { pageOf } from "./page.js";

/**
 * @typedef {object} Entry a panel
 * @property {string} dashboard uid
 * @property {string} dashboardTitle
 * @property {number} id
 * @property {string} section the row of the dashboard that it stands in; may be empty
 * @property {string} title
 * @property {string} description
 * @property {string} name of its files, without their ending
 * @property {string} [failure] why this export could not write it
 * @property {string} [noData] why it has no files: there is nothing to show
 */

/** Of the files that a panel may have; Grafana's own pictures come after the one that is drawn here. */
const ENDINGS = ["svg", "png", "grafana-light.png", "grafana-dark.png", "csv", "json"];

/** What an export of one panel needs to know about the others, for the page. */
const LIST = "index.json";

export class Folder {
  /**
   * @param {string} directory
   * @throws {import("../errors.js").UserError} when it cannot be made
   */
  constructor(directory) {
    this.directory = directory;
    try {
      mkdirSync(directory, { recursive: true });
    } catch (error) {
      throw unwritable(directory, error);
    }
  }

  /**
   * @param {string} name
   * @param {string | Uint8Array} content
   */
  write(name, content) {
    const file = join(this.directory, name);
    try {
      writeFileSync(file, content);
    } catch (error) {
      throw unwritable(file, error);
    }
  }

  /**
   * Writes the page, with the panels of earlier exports that are still there. Files of earlier exports that stand for nothing any more
   * are removed.
   *
   * @param {{name: string, caption: string}} run
   * @param {Entry[]} entries of this export
   * @param {string[]} [leftOut] uids of dashboards that have no data for this run
   */
  finish(run, entries, leftOut = []) {
    const file = join(this.directory, LIST);
    /** @type {Entry[]} */
    const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
    const key = (/** @type {Entry} */ { dashboard, id }) => `${dashboard} ${id}`;
    const now = new Set(entries.map(key));
    const [kept, gone] = [true, false].map((stays) =>
      before.filter(
        (entry) => (!now.has(key(entry)) && !leftOut.includes(entry.dashboard)) === stays,
      ),
    );
    const all = [...kept, ...entries].sort(
      (a, b) => a.dashboardTitle.localeCompare(b.dashboardTitle) || a.id - b.id,
    );
    const used = new Set(all.flatMap(({ name, noData }) => (noData === undefined ? [name] : [])));
    for (const { name } of [...gone, ...entries]) if (!used.has(name)) this.#remove(name);
    const there = (/** @type {string} */ name) => existsSync(join(this.directory, name));
    this.write(LIST, `${JSON.stringify(all, null, 1)}\n`);
    this.write(
      "index.html",
      pageOf(
        { ...run, hasReport: there("../report.html") },
        all.map((entry) => ({
          ...entry,
          formats: ENDINGS.filter((ending) => there(`${entry.name}.${ending}`)),
        })),
      ),
    );
  }

  /** @param {string} name of a panel's files */
  #remove(name) {
    for (const ending of ENDINGS)
      rmSync(join(this.directory, `${name}.${ending}`), { force: true });
  }
}
