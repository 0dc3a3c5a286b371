/**
 * BalancerBattle's test: CONNECTIONS short WebSockets, CONCURRENCY at a time. Each sends MESSAGES messages of
 * MESSAGE_BYTES bytes, the next when the last has come back, and closes. It is a closed loop: a slow proxy is asked less.
 */
import { sleep } from "k6";
import exec from "k6/execution";
import { Counter, Trend } from "k6/metrics";
import { CAUSES, Connection } from "./lib/connection.js";
import { messagesOf } from "./lib/message.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { Turns } from "./lib/reference.js";
import { samplingNote, summarise } from "./lib/summary.js";
import { edge, now, runTags, scheme, waitForTarget } from "./lib/target.js";

const parameters = parametersOf(open("./short-lived.json"));
const { CONNECTIONS, CONCURRENCY, MESSAGES, MESSAGE_BYTES, TIMEOUT_SECONDS, LATENCY_SAMPLES } =
  parameters;
refuseMistakes();

const tags = runTags("short-lived");
const message = messagesOf(MESSAGE_BYTES);
const sampleEvery = Math.ceil(MESSAGES / LATENCY_SAMPLES);
const turns = new Turns({
  connections: CONNECTIONS,
  atATime: CONCURRENCY,
  round: Number(tags.trial) || 0,
});
const total = new Trend("total_ms", true);
/** Of these, in turns of the reference proxy. */
const ofReference = new Counter("reference_ms", true);
/** Of this VU: k6 makes a new object each time that it is asked for. @type {typeof exec.instance} */
let instance;
/** How often a connection looks whether those of the turn before have ended. */
const LOOK_SECONDS = 0.005;
/** What a proxy still does when its last connection has ended. */
const SETTLE_SECONDS = 0.03;

export const options = optionsOf(
  {
    "short-lived": {
      executor: "shared-iterations",
      vus: CONCURRENCY,
      iterations: turns.all,
      // What it takes when every connection runs into its time-out.
      maxDuration: `${Math.ceil(CONNECTIONS / CONCURRENCY) * TIMEOUT_SECONDS + 60}s`,
      gracefulStop: "0s",
    },
  },
  tags,
);

export function setup() {
  waitForTarget();
  edge("start");
  return { startedMs: Date.now(), beforeMs: now() };
}

export default function () {
  const number = exec.scenario.iterationInTest;
  const toReference = turns.isReference(number);
  takeTurn(number, toReference);
  const connection = new Connection(number, {
    toReference,
    message,
    seconds: TIMEOUT_SECONDS,
    sampleEvery,
  });
  connection.exchange(MESSAGES);
}

/**
 * Waits until every connection of the turn before has ended.
 *
 * @param {number} number of a connection
 * @param {boolean} toReference
 */
function takeTurn(number, toReference) {
  const first = turns.firstOf(number);
  instance ??= exec.instance;
  let waited = number === first;
  while (instance.iterationsCompleted < first) {
    sleep(LOOK_SECONDS);
    waited = true;
  }
  if (!toReference && number === first && first > 0) ofReference.add(now());
  if (waited && (toReference || turns.areEqual)) sleep(SETTLE_SECONDS);
  if (toReference && number === first) ofReference.add(-now());
}

/** @param {{startedMs: number, beforeMs: number}} data what setup returned */
export function teardown({ startedMs, beforeMs }) {
  const tookMs = Date.now() - startedMs;
  total.add(tookMs);
  if (turns.endsWithReference) ofReference.add(beforeMs + tookMs);
  edge("end");
}

/** @param {import("./lib/summary.js").SummaryData} data */
export function handleSummary(data) {
  return summarise(data, {
    title: `${CONNECTIONS} connections, ${CONCURRENCY} at a time, ${MESSAGES} × ${MESSAGE_BYTES} bytes each`,
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    notes: samplingNote(sampleEvery),
  });
}
