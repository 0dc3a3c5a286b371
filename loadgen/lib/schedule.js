/**
 * When sends are due, whatever becomes of them: an open loop.
 *
 * @typedef {object} Due what is due, in the order of time
 * @property {number | null} dueMs when the next is, in ms from the start of the schedule; null: there is none
 * @property {() => number} take goes on to the one after it; tells which this was, from 0
 */

/**
 * Messages on connections that are held: each of `count` connections begins at a random moment of the first
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

/**
 * What is due at a rate: evenly, or as a Poisson process, whose gaps are independent of each other and exponentially distributed, as
 * of many clients that know nothing of each other. Poisson processes that are put together are one of the sum of their rates.
 */
export class Rate {
  #gapMs;
  #endMs;
  #isPoisson;
  #count;
  #random;
  #number = 0;
  #nextMs;

  /**
   * @param {object} options
   * @param {number} options.perSecond
   * @param {number} options.endMs nothing is due from then on
   * @param {boolean} options.isPoisson
   * @param {number} [options.phase] where in the first gap the first is due, from 0 to below 1, evenly
   * @param {number} [options.count] `take` tells which of this many, in turn; 0: nothing is ever due
   * @param {() => number} [options.random] from 0 to below 1
   */
  constructor({ perSecond, endMs, isPoisson, phase = 0, count = Infinity, random = Math.random }) {
    this.#gapMs = 1000 / perSecond;
    this.#endMs = count > 0 ? endMs : 0;
    this.#isPoisson = isPoisson;
    this.#count = count;
    this.#random = random;
    this.#nextMs = isPoisson ? this.#randomGap() : phase * this.#gapMs;
  }

  /** @returns {number | null} ms at which the next is due; null: there is none */
  get dueMs() {
    return this.#nextMs < this.#endMs ? this.#nextMs : null;
  }

  /** @returns {number} the one that was due */
  take() {
    const number = this.#number;
    this.#number += 1;
    this.#nextMs += this.#isPoisson ? this.#randomGap() : this.#gapMs;
    return this.#count === Infinity ? number : number % this.#count;
  }

  /** An exponential distribution's quantile function, at a random place. */
  #randomGap() {
    return -Math.log(1 - this.#random()) * this.#gapMs;
  }
}
