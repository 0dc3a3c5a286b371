/**
 * What load and proxy do in each second of a measured phase: for those who look on, and for
 * `live.csv`.
 */
import { quantileSorted } from "simple-statistics";
import { latenciesIn } from "./k6.ts";
import { Tail } from "./tail.ts";
import type { LiveSample } from "../model/run-event.ts";

/** A rate over less than this is mostly chance. */
const SHORTEST_MS = 250;

/** counters as they stand */
export interface PulseReading {
  /** since 1970 */
  ms: number;
  /** connections so far */
  opened: number;
  failed: number;
  /** connections open now, to the reference proxy too */
  open: number;
  /** that came back, from the reference proxy too */
  messages: number;
  proxyCpuSeconds: number;
  proxyThrottledSeconds: number;
}

/**
 * Its cost is bounded, whatever the load does: of each load container at most 64 KiB of what k6
 * wrote in that second are looked at.
 */
export class Pulse {
  /** in the order of time */
  samples: LiveSample[] = [];
  #tails: Tail[];
  #startMs = 0;
  #last: PulseReading | undefined;

  /** @param files samples as k6's CSV has them, one a load container; they need not exist yet */
  constructor(files: string[]) {
    this.#tails = files.map((path) => new Tail(path));
  }

  /** At the first edge of the measured phase: what was before it is in no sample. */
  start(reading: PulseReading) {
    this.#startMs = reading.ms;
    this.#last = reading;
    for (const tail of this.#tails) tail.skip();
  }

  /**
   * Once a second. k6 writes its CSV once a second: latencies are those that it had written by now.
   *
   * @param options isLast: at the end of the phase, which may come soon after a second; then
   *   without rates
   * @returns of the time since the one before; null: that is too short
   */
  beat(reading: PulseReading, { isLast = false }: { isLast?: boolean } = {}): LiveSample | null {
    const last = this.#last;
    if (!last || reading.ms <= last.ms) return null;
    const isShort = reading.ms - last.ms < SHORTEST_MS;
    if (isShort && !isLast) return null;
    this.#last = reading;
    const seconds = (reading.ms - last.ms) / 1000;
    const rate = (key: keyof PulseReading) =>
      isShort ? undefined : (reading[key] - last[key]) / seconds;
    const lines = this.#tails.flatMap((tail) => tail.lines());
    // The last handshakes of a ramp are written after the edge.
    const { handshakeMs, echoLatencyMs } = latenciesIn(lines, this.#startMs);
    const [h50, h95, h99] = percentiles(handshakeMs);
    const [e50, e95, e99] = percentiles(echoLatencyMs);
    const sample: LiveSample = known({
      ms: reading.ms,
      opened: reading.opened,
      failed: reading.failed,
      open: reading.open,
      connections_per_second: rate("opened"),
      messages_per_second: rate("messages"),
      handshake_p50_ms: h50,
      handshake_p95_ms: h95,
      handshake_p99_ms: h99,
      echo_p50_ms: e50,
      echo_p95_ms: e95,
      echo_p99_ms: e99,
      proxy_cores: rate("proxyCpuSeconds"),
      proxy_throttled_seconds: reading.proxyThrottledSeconds,
    });
    this.samples.push(sample);
    return sample;
  }
}

/** @returns 50th, 95th and 99th percentile; []: there are no values */
function percentiles(values: number[]): number[] {
  if (values.length === 0) return [];
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.95, 0.99].map((p) => quantileSorted(sorted, p));
}

/** @returns without the keys that have no value */
function known<T extends object>(sample: { [key in keyof T]: T[key] | undefined }): T {
  return Object.fromEntries(Object.entries(sample).filter(([, value]) => value !== undefined)) as T;
}
