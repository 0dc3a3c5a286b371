/**
 * Connections that arrive at CONNECTIONS_PER_SECOND for ARRIVE_SECONDS, evenly or as a Poisson
 * process. Each sends MESSAGES messages of MESSAGE_BYTES, the next when the last has come back,
 * and closes. It is an open loop: arrivals are due whatever the proxy does. A handshake counts
 * from when its arrival was due, a message from the handshake's end or the last echo: so every
 * wait counts, and none twice.
 */
import { Trend } from "k6/metrics";
import { arrive, arriveScenario } from "./lib/arrive.js";
import { CAUSES } from "./lib/connection.js";
import { messagesOf } from "./lib/message.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { countedSends, samplingNote, summarise } from "./lib/summary.js";
import { edge, now, runTags, scheme, waitForTarget } from "./lib/target.js";

/** From the first edge to the start of the schedule: by then k6 has started all VUs. */
const LEAD_MS = 200;

const parameters = /** @type {import("./lib/arrive.js").Arrivals & Record<string, number>} */ (
  parametersOf(open("./arrivals.json"))
);
const { CONNECTIONS_PER_SECOND, ARRIVE_SECONDS, POISSON } = parameters;
refuseMistakes();

const tags = runTags("arrivals");
const message = messagesOf(parameters.MESSAGE_BYTES);
const sampleEvery = Math.ceil(parameters.MESSAGES / parameters.LATENCY_SAMPLES);
const total = new Trend("total_ms", true);

export const options = optionsOf({ arrivals: arriveScenario(parameters) }, tags);

export function setup() {
  waitForTarget();
  edge("start");
  return { startMs: now() + LEAD_MS };
}

/** @param {{startMs: number}} data what setup returned */
export default function ({ startMs }) {
  return arrive(parameters, { message, sampleEvery, startMs, trial: tags.trial, total });
}

export function teardown() {
  edge("end");
}

/** @param {import("./lib/summary.js").SummaryData} data */
export function handleSummary(data) {
  return summarise(data, {
    title: `${CONNECTIONS_PER_SECOND} connections per second for ${ARRIVE_SECONDS} s, ${POISSON ? "a Poisson process" : "evenly"}`,
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    sendsOf: countedSends,
    notes: samplingNote(sampleEvery),
  });
}
