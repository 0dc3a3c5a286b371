/**
 * The first of NGINX's tests of 2014: CONNECTIONS WebSockets, opened one after the other and held for HOLD_SECONDS, with a message of
 * MESSAGE_BYTES on each every INTERVAL_SECONDS. It is an open loop: sends are due whatever the proxy does, and a latency counts
 * from when its send was due. The measured phase is the hold.
 */
import { Counter, Trend } from "k6/metrics";
import { CAUSES } from "./lib/connection.js";
import { closeAll, edgeOfAll, heldScenario, openShare } from "./lib/held.js";
import { messagesOf } from "./lib/message.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { Schedule } from "./lib/schedule.js";
import { countedSends, samplingNote, summarise } from "./lib/summary.js";
import { now, runTags, scheme, waitForTarget } from "./lib/target.js";

/**
 * A send that leaves later than this after it was due is late. k6 wakes within 1 ms or so; more is a generator, or a machine, that is
 * behind. The latency of a late send has its lateness in it.
 */
const LATE_MS = 10;

const parameters = /** @type {import("./lib/held.js").Held & Record<string, number>} */ (
  parametersOf(open("./idle.json"))
);
const {
  CONNECTIONS,
  HOLD_SECONDS,
  INTERVAL_SECONDS,
  MESSAGE_BYTES,
  TIMEOUT_SECONDS,
  LATENCY_SAMPLES,
} = parameters;
refuseMistakes();

const tags = runTags("idle");
const message = messagesOf(MESSAGE_BYTES);
const sampleEvery = INTERVAL_SECONDS
  ? Math.max(1, Math.ceil(HOLD_SECONDS / INTERVAL_SECONDS / LATENCY_SAMPLES))
  : 1;
const total = new Trend("total_ms", true);
const due = new Counter("sends_due");
const late = new Counter("sends_late");
const dropped = new Counter("sends_dropped");

export const options = optionsOf(
  "idle",
  heldScenario(parameters, HOLD_SECONDS + 2 * TIMEOUT_SECONDS),
  tags,
);

export function setup() {
  waitForTarget();
}

export default async function () {
  const connections = await openShare(parameters, { message, sampleEvery });
  await edgeOfAll("start", parameters);
  const startedMs = now();
  await hold(connections, startedMs);
  await allEchoed(connections);
  total.add(now() - startedMs);
  await edgeOfAll("end", parameters);
  await closeAll(connections, TIMEOUT_SECONDS);
}

/**
 * Sends what is due.
 *
 * @param {import("./lib/connection.js").Connection[]} connections
 * @param {number} startedMs
 * @returns {Promise<void>} when HOLD_SECONDS are over
 */
function hold(connections, startedMs) {
  const endMs = HOLD_SECONDS * 1000;
  const schedule = new Schedule({
    count: connections.length,
    intervalMs: INTERVAL_SECONDS * 1000,
    endMs,
  });
  const counts = { due: 0, late: 0, dropped: 0 };
  return new Promise((resolve) => {
    const sendDue = () => {
      const untilMs = now() - startedMs;
      let dueMs;
      while ((dueMs = schedule.dueMs) !== null && dueMs <= untilMs) {
        const connection = connections[schedule.take()];
        const elapsedMs = now() - startedMs;
        counts.due += 1;
        if (!connection.isOpen || connection.isWaiting || elapsedMs >= endMs) {
          counts.dropped += 1;
          continue;
        }
        if (elapsedMs - dueMs > LATE_MS) counts.late += 1;
        connection.send(startedMs + dueMs);
      }
      const nextMs = dueMs ?? endMs;
      if (dueMs !== null || untilMs < endMs) {
        setTimeout(sendDue, Math.max(0, startedMs + nextMs - now()));
        return;
      }
      // Once a VU, not once a send: each sample of a counter costs as much as a latency does.
      for (const [counter, count] of /** @type {const} */ ([
        [due, counts.due],
        [late, counts.late],
        [dropped, counts.dropped],
      ]))
        if (count > 0) counter.add(count);
      resolve();
    };
    sendDue();
  });
}

/**
 * @param {import("./lib/connection.js").Connection[]} connections
 * @returns {Promise<void>} when no echo is missing any more; a connection that waits for longer than TIMEOUT_SECONDS has failed
 */
function allEchoed(connections) {
  const waiting = connections.filter(({ isWaiting }) => isWaiting);
  let left = waiting.length;
  return new Promise((resolve) => {
    if (left === 0) return resolve();
    for (const connection of waiting) {
      const done = () => {
        connection.limit();
        connection.onEcho = connection.onEnd = () => {};
        left -= 1;
        if (left === 0) resolve();
      };
      connection.onEcho = connection.onEnd = done;
      connection.limit(TIMEOUT_SECONDS);
    }
  });
}

/** @param {import("./lib/summary.js").SummaryData} data */
export function handleSummary(data) {
  const messages = INTERVAL_SECONDS
    ? `${MESSAGE_BYTES} bytes on each every ${INTERVAL_SECONDS} s`
    : "silent";
  return summarise(data, {
    title: `${CONNECTIONS} connections held for ${HOLD_SECONDS} s, ${messages}`,
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    sendsOf: countedSends,
    notes: samplingNote(sampleEvery),
  });
}
