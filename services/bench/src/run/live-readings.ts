/**
 * Asks load and proxy once a second, while a measured phase is open, how far they are.
 */

import type { LiveSample } from "../model/run-event.ts";
import type { Pulse, PulseReading } from "./pulse.ts";

const INTERVAL_MS = 1000;

export class LiveReadings {
  #pulse: Pick<Pulse, "start" | "beat">;
  #read: () => Promise<PulseReading>;
  #tell: (sample: LiveSample) => void;
  #intervalMs: number;
  #isOpen = false;
  #isAbandoned = false;
  #timer: NodeJS.Timeout | undefined;
  /** At the last edge. */
  #last: PulseReading | undefined;

  constructor(
    pulse: Pick<Pulse, "start" | "beat">,
    {
      read,
      tell,
      intervalMs = INTERVAL_MS,
    }: {
      /**
       * may reject: a load that has just ended does not answer, and what else is wrong is found
       * elsewhere
       */
      read: () => Promise<PulseReading>;
      tell: (sample: LiveSample) => void;
      intervalMs?: number;
    },
  ) {
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

  /**
   * At the last edge. An answer that is still on its way is not waited for and not used: it would
   * count as later than the edge.
   */
  async close() {
    this.#end();
    this.#last = await this.#readOrNone();
  }

  abandon() {
    this.#isAbandoned = true;
    this.#end();
  }

  /** After the last edge, when every count is known for good: k6 counts with a delay. */
  finish(counts: Partial<PulseReading>) {
    if (this.#last) this.#tellOf({ ...this.#last, ...counts }, { isLast: true });
  }

  async #look() {
    const reading = await this.#readOrNone();
    if (reading && this.#isOpen) this.#tellOf(reading);
  }

  #tellOf(reading: PulseReading, options?: { isLast?: boolean }) {
    const sample = this.#pulse.beat(reading, options);
    if (sample) this.#tell(sample);
  }

  #end() {
    this.#isOpen = false;
    clearInterval(this.#timer);
  }

  #readOrNone(): Promise<PulseReading | undefined> {
    return this.#read().catch(() => undefined);
  }
}
