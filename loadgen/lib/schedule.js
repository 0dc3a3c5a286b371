/**
 * When sends are due, whatever becomes of them: an open loop. Each of `count` connections begins at a random moment of the first
 * interval, so that they do not beat in step, and is due once an interval from then on.
 */
export class Schedule {
  #phases;
  #intervalMs;
  #endMs;
  #at = 0;
  #cycle = 0;

  /**
   * @param {object} options
   * @param {number} options.count
   * @param {number} options.intervalMs 0: nothing is ever due
   * @param {number} options.endMs nothing is due from then on
   * @param {() => number} [options.random] from 0 to below 1
   */
  constructor({ count, intervalMs, endMs, random = Math.random }) {
    const number = intervalMs > 0 ? count : 0;
    // In the order of their phases, one interval after the other is in the order of time.
    this.#phases = Array.from({ length: number }, (_, index) => ({
      index,
      phaseMs: random() * intervalMs,
    })).sort((a, b) => a.phaseMs - b.phaseMs);
    this.#intervalMs = intervalMs;
    this.#endMs = endMs;
  }

  /** @returns {number | null} ms at which the next send is due; null: there is none */
  get dueMs() {
    const next = this.#phases[this.#at];
    const dueMs = next ? this.#cycle * this.#intervalMs + next.phaseMs : Infinity;
    return dueMs < this.#endMs ? dueMs : null;
  }

  /**
   * Goes on to the send after it.
   *
   * @returns {number} the connection that was due, from 0
   */
  take() {
    const { index } = this.#phases[this.#at];
    this.#at += 1;
    if (this.#at === this.#phases.length) {
      this.#at = 0;
      this.#cycle += 1;
    }
    return index;
  }
}
