/**
 * What happened when: counts in buckets of 100 ms, by the clock that all containers of a machine have.
 */
import { writeFileSync } from "node:fs";

export const BUCKET_MS = 100;

/**
 * @typedef {object} Entry
 * @property {number} ms since 1970, where its bucket begins
 * @property {string} kind
 * @property {string} what
 * @property {number} count
 */

export class Timeline {
  /** @type {Map<string, Entry>} */
  #entries = new Map();

  /**
   * @param {string} kind
   * @param {string} [what]
   * @param {number} [count]
   * @param {number} [atMs] since 1970
   */
  add(kind, what = "", count = 1, atMs = Date.now()) {
    this.#entry(kind, what, atMs).count += count;
  }

  /**
   * Says how many there are: in a bucket, the last word counts.
   *
   * @param {string} kind
   * @param {number} count
   */
  set(kind, count) {
    this.#entry(kind, "", Date.now()).count = count;
  }

  /**
   * @param {string} kind
   * @returns {Entry[]} in the order of time
   */
  of(kind) {
    return this.#sorted().filter((entry) => entry.kind === kind);
  }

  /**
   * As CSV: ms, kind, what, count.
   *
   * @param {string} file
   */
  write(file) {
    const lines = [
      "ms,kind,what,count",
      ...this.#sorted().map(({ ms, kind, what, count }) => [ms, kind, quoted(what), count].join()),
    ];
    writeFileSync(file, `${lines.join("\n")}\n`);
  }

  #sorted() {
    return [...this.#entries.values()].sort((a, b) => a.ms - b.ms);
  }

  /**
   * @param {string} kind
   * @param {string} what
   * @param {number} atMs
   */
  #entry(kind, what, atMs) {
    const ms = Math.floor(atMs / BUCKET_MS) * BUCKET_MS;
    const key = `${ms},${kind},${what}`;
    let entry = this.#entries.get(key);
    if (!entry) this.#entries.set(key, (entry = { ms, kind, what, count: 0 }));
    return entry;
  }
}

/** @param {string} text */
function quoted(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
