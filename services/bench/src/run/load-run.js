/**
 * Load containers that have been started together, to their end.
 */

/** @import { CellFailure } from "./cell-failure.js" */

export class LoadRun {
  #failureOf;
  /** @type {Promise<number>[]} */
  #exits;

  /**
   * @param {string[]} names of the containers
   * @param {string[]} csvFiles where each has written its raw samples
   * @param {object} engine
   * @param {(name: string) => Promise<number>} engine.exitOf waits for its exit status
   * @param {(code: number, names: string[]) => Promise<CellFailure>} engine.failureOf what to say of a load that ended so
   */
  constructor(names, csvFiles, { exitOf, failureOf }) {
    this.names = names;
    this.csvFiles = csvFiles;
    this.#failureOf = failureOf;
    this.#exits = names.map(exitOf);
    /** Exit status of each, when all have ended. */
    this.ended = Promise.all(this.#exits);
    // Whether it is waited for in the end or not.
    this.ended.catch(() => {});
  }

  /**
   * Each on its own: where one has failed, the others stand at an edge that it will never reach.
   *
   * @param {() => boolean} isOver whether it may end by now
   * @returns {Promise<void>} when all have ended well
   * @throws {CellFailure} as soon as one has failed, or ended too early
   */
  async endedWell(isOver) {
    await Promise.all(
      this.names.map(async (name, i) => {
        const code = await this.#exits[i];
        if (code !== 0 || !isOver()) throw await this.#failureOf(code, [name]);
      }),
    );
  }

  /**
   * @param {number[]} [accepted] exit statuses beside 0 that are no failure
   * @throws {CellFailure} when one has failed; all have ended
   */
  async assertSuccess(accepted = []) {
    const code = (await this.ended).find((status) => status !== 0 && !accepted.includes(status));
    if (code !== undefined) throw await this.#failureOf(code, this.names);
  }
}
