/**
 * Connections that arrive at CONNECTIONS_PER_SECOND for ARRIVE_SECONDS, evenly or as a Poisson
 * process. Each sends MESSAGES messages of MESSAGE_BYTES, the next when the last has come back,
 * and closes. It is an open loop: arrivals are due whatever the proxy does. A handshake counts
 * from when its arrival was due, a message from the handshake's end or the last echo: so every
 * wait counts, and none twice.
 */
import exec from "k6/execution";
import { Trend } from "k6/metrics";
import { CAUSES, Connection } from "./lib/connection.js";
import { messagesOf } from "./lib/message.js";
import { keepTo, shareOfRate } from "./lib/open-loop.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { isReference, withReference } from "./lib/reference.js";
import { countedSends, samplingNote, summarise } from "./lib/summary.js";
import { edge, now, runTags, scheme, waitForTarget } from "./lib/target.js";

/**
 * A VU does one thing after the other, and what waits for it is in a latency: several share the rate. Of 1, 4, 16 and 64 at 200 arrivals a
 * second, 4 were never late by more than 1.4 ms; each further one has to be warmed up by k6, with arrivals up to 15 ms late.
 */
const LEAST_VUS = 4;
const ARRIVALS_PER_VU = 250;
/** What numbers of two VUs are apart. Not a round number: message.js tells connections apart by the last digit, too. */
const NUMBERS_PER_VU = 1e7 + 1;
/** Of this many connections, the share of the reference proxy is known finely enough. */
const SHARED = 1e6;
/** From the first edge to the start of the schedule: by then k6 has started all VUs. */
const LEAD_MS = 200;

const parameters = parametersOf(open("./arrivals.json"));
const {
  CONNECTIONS_PER_SECOND,
  ARRIVE_SECONDS,
  POISSON,
  SEED,
  CONCURRENCY,
  MESSAGES,
  MESSAGE_BYTES,
  TIMEOUT_SECONDS,
  LATENCY_SAMPLES,
} = parameters;
refuseMistakes();

const vus = Math.min(
  CONCURRENCY,
  Math.max(LEAST_VUS, Math.ceil(CONNECTIONS_PER_SECOND / ARRIVALS_PER_VU)),
);
const tags = runTags("arrivals");
const message = messagesOf(MESSAGE_BYTES);
const sampleEvery = Math.ceil(MESSAGES / LATENCY_SAMPLES);
const total = new Trend("total_ms", true);

export const options = optionsOf(
  "arrivals",
  {
    executor: "per-vu-iterations",
    vus,
    iterations: 1,
    maxDuration: `${ARRIVE_SECONDS + TIMEOUT_SECONDS + 60}s`,
    gracefulStop: "0s",
  },
  tags,
);

export function setup() {
  waitForTarget();
  edge("start");
  return { startMs: now() + LEAD_MS };
}

/** @param {{startMs: number}} data what setup returned */
export default async function ({ startMs }) {
  const vu = exec.scenario.iterationInTest;
  const numberOf = (/** @type {number} */ which) => which + vu * NUMBERS_PER_VU;
  const atATime = withReference(CONCURRENCY);
  const most = Math.floor(atATime / vus) + (vu < atATime % vus ? 1 : 0);
  const endMs = 1000 * ARRIVE_SECONDS;
  const schedule = shareOfRate({
    perSecond: (CONNECTIONS_PER_SECOND * withReference(SHARED)) / SHARED,
    vu,
    vus,
    seed: SEED,
    trial: tags.trial,
    endMs,
    isPoisson: POISSON === 1,
  });
  let open = 0;
  let lastEndMs = startMs;
  let onLast = () => {};
  await keepTo(schedule, {
    startMs,
    endMs,
    begin: (which, dueMs) => {
      if (open >= most) return false;
      open += 1;
      const options = { message, seconds: TIMEOUT_SECONDS, sampleEvery, dueMs };
      const connection = new Connection(numberOf(which), options);
      connection.onOpen = () => connection.send();
      connection.onEcho = () =>
        connection.received < MESSAGES ? connection.send() : connection.close();
      connection.onEnd = () => {
        open -= 1;
        lastEndMs = now();
        if (open === 0) onLast();
      };
      return true;
    },
    isReference: (which) => isReference(numberOf(which)),
  });
  if (open > 0) await new Promise((resolve) => (onLast = () => resolve(undefined)));
  total.add(lastEndMs - startMs);
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
