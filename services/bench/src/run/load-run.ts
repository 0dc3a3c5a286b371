/**
 * Programs of a load that have been started together, to their end.
 */

import type { Result } from "../platform/subprocess.ts";
import type { CellFailure } from "./cell-failure.ts";

interface Program {
  name: string;
  ended: Promise<Pick<Result, "code" | "output">>;
}

export class LoadRun {
  #programs: Program[];
  #failureOf: (code: number, outputs: string[]) => CellFailure;
  #results: Promise<Pick<Result, "code" | "output">[]>;
  csvFiles: string[];
  /** Exit status of each, when all have ended. */
  ended: Promise<number[]>;

  /**
   * @param csvFiles where each has written its raw samples
   * @param failureOf what to say of programs that ended so
   */
  constructor(
    programs: Program[],
    csvFiles: string[],
    failureOf: (code: number, outputs: string[]) => CellFailure,
  ) {
    this.csvFiles = csvFiles;
    this.#programs = programs;
    this.#failureOf = failureOf;
    this.#results = Promise.all(programs.map(({ ended }) => ended));
    this.ended = this.#results.then((results) => results.map(({ code }) => code));
    // Whether anything waits for it in the end or not.
    this.ended.catch(() => {});
  }

  /** @returns what each wrote, when all have ended */
  async outputs(): Promise<[name: string, output: string][]> {
    const results = await this.#results;
    return this.#programs.map(({ name }, i) => [name, results[i].output]);
  }

  /**
   * Each on its own: where one has failed, the others stand at an edge that it will never reach.
   *
   * @param isOver whether it may end by now
   * @returns when all have ended well
   * @throws {CellFailure} as soon as one has failed, or ended too early
   */
  async endedWell(isOver: () => boolean): Promise<void> {
    await Promise.all(
      this.#programs.map(async ({ ended }) => {
        const { code, output } = await ended;
        if (code !== 0 || !isOver()) throw this.#failureOf(code, [output]);
      }),
    );
  }

  /**
   * @param accepted exit statuses beside 0 that are no failure
   * @throws {CellFailure} when one has failed; all have ended
   */
  async assertSuccess(accepted: number[] = []) {
    const results = await this.#results;
    const failed = results.find(({ code }) => code !== 0 && !accepted.includes(code));
    if (failed)
      throw this.#failureOf(
        failed.code,
        results.map(({ output }) => output),
      );
  }
}
