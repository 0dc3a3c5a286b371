/**
 * The second of NGINX's tests of 2014: CONNECTIONS WebSockets that are all open, then MESSAGES
 * messages of MESSAGE_BYTES on each, the next when the last has come back. The measured phase is
 * from when all are open until the last echo.
 */
import { Trend } from "k6/metrics";
import { CAUSES } from "./lib/connection.js";
import { closeAll, edgeOfAll, heldScenario, openShare } from "./lib/held.js";
import { messagesOf } from "./lib/message.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { samplingNote, summarise } from "./lib/summary.js";
import { now, runTags, scheme, waitForTarget } from "./lib/target.js";

const parameters = /** @type {import("./lib/held.js").Held & Record<string, number>} */ (
  parametersOf(open("./hot.json"))
);
const { CONNECTIONS, MESSAGES, MESSAGE_BYTES, TIMEOUT_SECONDS, LATENCY_SAMPLES } = parameters;
refuseMistakes();

const tags = runTags("hot");
const message = messagesOf(MESSAGE_BYTES);
const sampleEvery = Math.ceil(MESSAGES / LATENCY_SAMPLES);
const total = new Trend("total_ms", true);

export const options = optionsOf({ hot: heldScenario(parameters, 2 * TIMEOUT_SECONDS) }, tags);

export function setup() {
  waitForTarget();
}

export default async function () {
  const connections = await openShare(parameters, { message, sampleEvery });
  await edgeOfAll("start", parameters);
  const startedMs = now();
  await Promise.all(connections.map(exchange));
  total.add(now() - startedMs);
  await edgeOfAll("end", parameters);
  await closeAll(connections, TIMEOUT_SECONDS);
}

/**
 * @param {import("./lib/connection.js").Connection} connection
 * @returns {Promise<void>} when all of its messages have come back, or it has failed
 */
function exchange(connection) {
  return new Promise((resolve) => {
    const done = () => {
      connection.limit();
      connection.onEnd = () => {};
      resolve();
    };
    connection.onEcho = () => (connection.received < MESSAGES ? connection.send() : done());
    connection.onEnd = done;
    // It may have failed while the others were opened.
    if (!connection.isOpen) return done();
    connection.limit(TIMEOUT_SECONDS);
    connection.send();
  });
}

/** @param {import("./lib/summary.js").SummaryData} data */
export function handleSummary(data) {
  return summarise(data, {
    title: `${CONNECTIONS} connections at once, ${MESSAGES} × ${MESSAGE_BYTES} bytes each`,
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    notes: samplingNote(sampleEvery),
  });
}
