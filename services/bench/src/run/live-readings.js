/**
 * Asks load and proxy once a second, while a measured phase is open, how far they are.
 */

/** @import { LiveSample } from "../model/run-event.ts" */
/** @import { Pulse, PulseReading } from "./pulse.js" */

const INTERVAL_MS = 1000;

export class LiveReadings {
  #pulse;
  #read;
  #tell;
  #intervalMs;
  #isOpen = false;
  #isAbandoned = false;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** At the last edge. @type {PulseReading | undefined} */
  #last;

  /**
   * @param {Pick<Pulse, "start" | "beat">} pulse
   * @param {object} options
   * @param {() => Promise<PulseReading>} options.read may reject: a load that has just ended does not answer, and what else is wrong is
   *   found elsewhere
   * @param {(sample: LiveSample) => void} options.tell
   * @param {number} [options.intervalMs]
   */
  constructor(pulse, { read, tell, intervalMs = INTERVAL_MS }) {
    this.#pulse = pulse;
    this.#read = read;
    this.#tell = tell;
    this.#intervalMs = intervalMs;
  }

  /** At the first edge. */
  async open() {
    const reading = await this.#readOrNone();
    if (this.#isAbandoned) return;
    if (reading) this.#pulse.start(reading);
    this.#isOpen = true;
    this.#timer = setInterval(() => this.#look(), this.#intervalMs);
  }

  /** At the last edge. An answer that is still on its way is not waited for and not used: it would count as later than the edge. */
  async close() {
    this.#end();
    this.#last = await this.#readOrNone();
  }

  abandon() {
    this.#isAbandoned = true;
    this.#end();
  }

  /**
   * After the last edge, when every count is known for good: k6 counts with a delay.
   *
   * @param {Partial<PulseReading>} counts
   */
  finish(counts) {
    if (this.#last) this.#tellOf({ ...this.#last, ...counts }, { isLast: true });
  }

  async #look() {
    const reading = await this.#readOrNone();
    if (reading && this.#isOpen) this.#tellOf(reading);
  }

  /**
   * @param {PulseReading} reading
   * @param {{isLast?: boolean}} [options]
   */
  #tellOf(reading, options) {
    const sample = this.#pulse.beat(reading, options);
    if (sample) this.#tell(sample);
  }

  #end() {
    this.#isOpen = false;
    clearInterval(this.#timer);
  }

  /** @returns {Promise<PulseReading | undefined>} */
  #readOrNone() {
    return this.#read().catch(() => undefined);
  }
}
