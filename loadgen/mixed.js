/**
 * What a proxy meets in life, at once: CONNECTIONS that are held and together carry MESSAGES_PER_SECOND, as `steady` does, while
 * ARRIVALS_PER_SECOND more come, send one message and go, as `arrivals` does. It is an open loop. The arrivals begin when all that are held
 * are open; they come evenly, so that a short phase has as many as it says.
 */
import { Trend } from "k6/metrics";
import { arrivalVusOf, arrive, arriveScenario } from "./lib/arrive.js";
import { CAUSES } from "./lib/connection.js";
import { edgeOfAll, heldScenario, holdAndSend, scheduleOfRate } from "./lib/held.js";
import { messagesOf } from "./lib/message.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { countedSends, samplingNote, summarise } from "./lib/summary.js";
import { now, runTags, scheme, waitForTarget } from "./lib/target.js";

/** So that no connection that comes has the number of one that is held. */
const NUMBERS_OF_HELD = 1e9;

const parameters = /** @type {import("./lib/held.js").Held & Record<string, number>} */ (
  parametersOf(open("./mixed.json"))
);
const { CONNECTIONS, MESSAGES_PER_SECOND, ARRIVALS_PER_SECOND, MIXED_SECONDS } = parameters;
const { POISSON, SEED, MESSAGE_BYTES, TIMEOUT_SECONDS, LATENCY_SAMPLES } = parameters;
refuseMistakes();

const tags = runTags("mixed");
const { trial } = tags;
const message = messagesOf(MESSAGE_BYTES);
const sampleEvery = Math.max(
  1,
  Math.ceil((MESSAGES_PER_SECOND * MIXED_SECONDS) / CONNECTIONS / LATENCY_SAMPLES),
);
const total = new Trend("total_ms", true);

const arrivals = {
  CONNECTIONS_PER_SECOND: ARRIVALS_PER_SECOND,
  ARRIVE_SECONDS: MIXED_SECONDS,
  CONCURRENCY: 1000,
  MESSAGES: 1,
  POISSON: 0,
  // That of no messages: those are whole.
  SEED: SEED + 0.5,
  TIMEOUT_SECONDS,
};

const held = heldScenario(parameters, MIXED_SECONDS + 2 * TIMEOUT_SECONDS);
const { maxDuration } = held;

export const options = optionsOf(
  {
    held: { ...held, exec: "hold" },
    coming: { ...arriveScenario(arrivals), maxDuration, exec: "come" },
  },
  tags,
);

export function setup() {
  waitForTarget();
}

/** @param {"start" | "end"} name */
const atEdge = (name) => edgeOfAll(name, parameters, arrivalVusOf(arrivals));

export function hold() {
  const rate = { perSecond: MESSAGES_PER_SECOND, seed: SEED, isPoisson: POISSON === 1 };
  const scheduleOf = scheduleOfRate(parameters, { ...rate, trial });
  const phase = { seconds: MIXED_SECONDS, scheduleOf, total, atEdge };
  return holdAndSend(parameters, { message, sampleEvery }, phase);
}

export async function come() {
  const numbered = (/** @type {number} */ connection, /** @type {number} */ number) =>
    message(NUMBERS_OF_HELD + connection, number);
  await atEdge("start");
  const startMs = now();
  await arrive(arrivals, { message: numbered, sampleEvery: 1, startMs, trial, total });
  await atEdge("end");
}

/** @param {import("./lib/summary.js").SummaryData} data */
export function handleSummary(data) {
  return summarise(data, {
    title: `${CONNECTIONS} connections held with ${MESSAGES_PER_SECOND} messages of ${MESSAGE_BYTES} bytes per second, ${ARRIVALS_PER_SECOND} per second come and go, for ${MIXED_SECONDS} s`,
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    sendsOf: countedSends,
    notes: samplingNote(sampleEvery),
  });
}
