/**
 * CONNECTIONS WebSockets that are held, and together carry MESSAGES_PER_SECOND messages of MESSAGE_BYTES for STEADY_SECONDS, evenly or as
 * a Poisson process, on one connection after the other. It is an open loop: sends are due whatever the proxy does, and a latency counts
 * from when its send was due. The measured phase begins when all are open.
 */
import { Trend } from "k6/metrics";
import { CAUSES } from "./lib/connection.js";
import { heldScenario, holdAndSend, scheduleOfRate } from "./lib/held.js";
import { messagesOf } from "./lib/message.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { countedSends, samplingNote, summarise } from "./lib/summary.js";
import { runTags, scheme, waitForTarget } from "./lib/target.js";

const parameters = /** @type {import("./lib/held.js").Held & Record<string, number>} */ (
  parametersOf(open("./steady.json"))
);
const {
  CONNECTIONS,
  MESSAGES_PER_SECOND,
  STEADY_SECONDS,
  POISSON,
  SEED,
  MESSAGE_BYTES,
  TIMEOUT_SECONDS,
  LATENCY_SAMPLES,
} = parameters;
refuseMistakes();

const tags = runTags("steady");
const message = messagesOf(MESSAGE_BYTES);
const sampleEvery = Math.max(
  1,
  Math.ceil((MESSAGES_PER_SECOND * STEADY_SECONDS) / CONNECTIONS / LATENCY_SAMPLES),
);
const total = new Trend("total_ms", true);

export const options = optionsOf(
  { steady: heldScenario(parameters, STEADY_SECONDS + 2 * TIMEOUT_SECONDS) },
  tags,
);

export function setup() {
  waitForTarget();
}

export default function () {
  const rate = { perSecond: MESSAGES_PER_SECOND, seed: SEED, isPoisson: POISSON === 1 };
  const scheduleOf = scheduleOfRate(parameters, { ...rate, trial: tags.trial });
  const phase = { seconds: STEADY_SECONDS, scheduleOf, total };
  return holdAndSend(parameters, { message, sampleEvery }, phase);
}

/** @param {import("./lib/summary.js").SummaryData} data */
export function handleSummary(data) {
  return summarise(data, {
    title: `${CONNECTIONS} connections held, together ${MESSAGES_PER_SECOND} messages of ${MESSAGE_BYTES} bytes per second for ${STEADY_SECONDS} s`,
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    sendsOf: countedSends,
    notes: samplingNote(sampleEvery),
  });
}
