/**
 * The first of NGINX's tests of 2014: CONNECTIONS WebSockets, opened one after the other and held
 * for HOLD_SECONDS, with a message of MESSAGE_BYTES on each every INTERVAL_SECONDS. It is an open
 * loop: sends are due whatever the proxy does, and a latency counts from when its send was due.
 * The measured phase is the hold.
 */
import { Trend } from "k6/metrics";
import { CAUSES } from "./lib/connection.js";
import { heldScenario, holdAndSend } from "./lib/held.js";
import { messagesOf } from "./lib/message.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { Schedule } from "./lib/schedule.js";
import { countedSends, samplingNote, summarise } from "./lib/summary.js";
import { runTags, scheme, waitForTarget } from "./lib/target.js";

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

export const options = optionsOf(
  { idle: heldScenario(parameters, HOLD_SECONDS + 2 * TIMEOUT_SECONDS) },
  tags,
);

export function setup() {
  waitForTarget();
}

export default function () {
  return holdAndSend(
    parameters,
    { message, sampleEvery },
    {
      seconds: HOLD_SECONDS,
      scheduleOf: (count, endMs) =>
        new Schedule({ count, intervalMs: INTERVAL_SECONDS * 1000, endMs }),
      total,
    },
  );
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
