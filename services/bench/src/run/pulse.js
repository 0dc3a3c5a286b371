/**
 * What load and proxy do in each second of a measured phase: for those who look on, and for `live.csv`.
 */
import { quantileSorted } from "simple-statistics";
import { latenciesIn } from "./k6.js";
import { Tail } from "./tail.js";

/** @import { LiveSample } from "../model/run-event.ts" */

/** A rate over less than this is mostly chance. */
const SHORTEST_MS = 250;

/**
 * @typedef {object} PulseReading counters as they stand
 * @property {number} ms since 1970
 * @property {number} opened connections so far
 * @property {number} failed
 * @property {number} reference connections opened to the reference proxy so far
 * @property {number} messages that came back, from the reference proxy too
 * @property {number} echoedByEnded messages of connections that have ended, of the reference proxy's too
 * @property {number} proxyCpuSeconds
 * @property {number} proxyThrottledSeconds
 */

/**
 * Its cost is bounded, whatever the load does: of each load container at most 64 KiB of what k6 wrote in that second are looked at.
 */
export class Pulse {
  /** @type {LiveSample[]} in the order of time */
  samples = [];
  #tails;
  #holds;
  #messages;
  #startMs = 0;
  /** @type {PulseReading | undefined} */
  #last;

  /**
   * @param {object} options
   * @param {string[]} options.files k6's CSV, one a load container; they need not exist yet
   * @param {boolean} options.holds the connections were opened before the measured phase, and stay
   * @param {number} [options.messages] that each connection echoes before it ends
   */
  constructor({ files, holds, messages = 1 }) {
    this.#tails = files.map((path) => new Tail(path));
    this.#holds = holds;
    this.#messages = messages;
  }

  /**
   * At the first edge of the measured phase: what was before it is in no sample.
   *
   * @param {PulseReading} reading
   */
  start(reading) {
    this.#startMs = reading.ms;
    this.#last = reading;
    for (const tail of this.#tails) tail.skip();
  }

  /**
   * Once a second. k6 writes its CSV once a second: latencies are those that it had written by now.
   *
   * @param {PulseReading} reading
   * @param {{isLast?: boolean}} [options] isLast: at the end of the phase, which may come soon after a second; then without rates
   * @returns {LiveSample | null} of the time since the one before; null: that is too short
   */
  beat(reading, { isLast = false } = {}) {
    const last = this.#last;
    if (!last || reading.ms <= last.ms) return null;
    const isShort = reading.ms - last.ms < SHORTEST_MS;
    if (isShort && !isLast) return null;
    this.#last = reading;
    const seconds = (reading.ms - last.ms) / 1000;
    const rate = (/** @type {keyof PulseReading} */ key) =>
      isShort ? undefined : (reading[key] - last[key]) / seconds;
    const lines = this.#tails.flatMap((tail) => tail.lines());
    // The last handshakes of a ramp are written after the edge.
    const { handshakeMs, echoLatencyMs } = latenciesIn(lines, this.#startMs);
    const [h50, h95, h99] = percentiles(handshakeMs);
    const [e50, e95, e99] = percentiles(echoLatencyMs);
    /** @type {LiveSample} */
    const sample = known({
      ms: reading.ms,
      opened: reading.opened,
      failed: reading.failed,
      open: this.#open(reading),
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

  /**
   * Those that have ended are closed: each has echoed all of its messages. With failures it cannot be told: some of them were open
   * before, some were not.
   *
   * @param {PulseReading} reading
   * @returns {number | undefined} connections that are open now, with those to the reference proxy
   */
  #open({ opened, failed, reference, echoedByEnded }) {
    if (failed > 0) return undefined;
    const ended = this.#holds ? 0 : echoedByEnded / this.#messages;
    return opened + reference - Math.min(ended, opened + reference);
  }
}

/**
 * @param {number[]} values
 * @returns {number[]} 50th, 95th and 99th percentile; []: there are no values
 */
function percentiles(values) {
  if (values.length === 0) return [];
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.95, 0.99].map((p) => quantileSorted(sorted, p));
}

/**
 * @template {object} T
 * @param {{[key in keyof T]: T[key] | undefined}} sample
 * @returns {T} without the keys that have no value
 */
function known(sample) {
  return /** @type {T} */ (
    Object.fromEntries(Object.entries(sample).filter(([, value]) => value !== undefined))
  );
}
