/**
 * Programs of a load that have been started together, to their end.
 */

/** @import { Result } from "../platform/docker.js" */
/** @import { CellFailure } from "./cell-failure.js" */

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {Promise<Pick<Result, "code" | "output">>} ended
 */

export class LoadRun {
  #programs;
  #failureOf;
  #results;

  /**
   * @param {Program[]} programs
   * @param {string[]} csvFiles where each has written its raw samples
   * @param {(code: number, outputs: string[]) => CellFailure} failureOf what to say of programs that ended so
   */
  constructor(programs, csvFiles, failureOf) {
    this.csvFiles = csvFiles;
    this.#programs = programs;
    this.#failureOf = failureOf;
    this.#results = Promise.all(programs.map(({ ended }) => ended));
    /** Exit status of each, when all have ended. */
    this.ended = this.#results.then((results) => results.map(({ code }) => code));
    // Whether it is waited for in the end or not.
    this.ended.catch(() => {});
  }

  /** @returns {Promise<[name: string, output: string][]>} what each wrote, when all have ended */
  async outputs() {
    const results = await this.#results;
    return this.#programs.map(({ name }, i) => [name, results[i].output]);
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
      this.#programs.map(async ({ ended }) => {
        const { code, output } = await ended;
        if (code !== 0 || !isOver()) throw this.#failureOf(code, [output]);
      }),
    );
  }

  /**
   * @param {number[]} [accepted] exit statuses beside 0 that are no failure
   * @throws {CellFailure} when one has failed; all have ended
   */
  async assertSuccess(accepted = []) {
    const results = await this.#results;
    const failed = results.find(({ code }) => code !== 0 && !accepted.includes(code));
    if (failed)
      throw this.#failureOf(
        failed.code,
        results.map(({ output }) => output),
      );
  }
}
