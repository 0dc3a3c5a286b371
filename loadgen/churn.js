/**
 * Connections that are opened and dropped: CONNECTIONS_PER_SECOND for CHURN_SECONDS, each with one
 * echoed message, and then gone without a close frame, like a client that leaves its network. What
 * the proxy still holds SETTLE_SECONDS after the last one is its leak; the runner of battles reads
 * that.
 */
import exec from "k6/execution";
import { Trend } from "k6/metrics";
import { CAUSES, Connection } from "./lib/connection.js";
import { messagesOf } from "./lib/message.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { withReference } from "./lib/reference.js";
import { countOf, summarise } from "./lib/summary.js";
import { edge, runTags, scheme, waitForTarget } from "./lib/target.js";

const parameters = parametersOf(open("./churn.json"));
const { CONNECTIONS_PER_SECOND, CHURN_SECONDS, CONCURRENCY, MESSAGE_BYTES, TIMEOUT_SECONDS } =
  parameters;
refuseMistakes();

const tags = runTags("churn");
const message = messagesOf(MESSAGE_BYTES);
const total = new Trend("total_ms", true);

export const options = optionsOf(
  {
    churn: {
      executor: "constant-arrival-rate",
      // k6 takes whole numbers.
      rate: withReference(Math.round(1000 * CONNECTIONS_PER_SECOND)),
      timeUnit: "1000s",
      duration: `${CHURN_SECONDS}s`,
      preAllocatedVUs: withReference(CONCURRENCY),
      gracefulStop: `${TIMEOUT_SECONDS}s`,
    },
  },
  tags,
);

export function setup() {
  waitForTarget();
  edge("start");
  return { startedMs: Date.now() };
}

export default function () {
  const connection = new Connection(exec.scenario.iterationInTest, {
    message,
    seconds: TIMEOUT_SECONDS,
  });
  connection.onOpen = () => connection.send();
  connection.onEcho = () => connection.drop();
}

/** @param {{startedMs: number}} data what setup returned */
export function teardown({ startedMs }) {
  total.add(Date.now() - startedMs);
  edge("end");
}

/** @param {import("./lib/summary.js").SummaryData} data */
export function handleSummary(data) {
  // k6 does not say for which proxy these were: all count as this one's.
  const notBegun = countOf(data, "dropped_iterations");
  const forReference = countOf(data, "reference_opened") + countOf(data, "reference_failed");
  const begun = countOf(data, "iterations") - forReference;
  return summarise(data, {
    title: `${CONNECTIONS_PER_SECOND} connections per second opened and dropped, for ${CHURN_SECONDS} s`,
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    // k6 starts a connection when it is due, or not at all.
    sendsOf: () => ({ due: begun + notBegun, late: 0, dropped: notBegun }),
    notes: notBegun
      ? [`${notBegun} connections were not started: ${CONCURRENCY} were open already (CONCURRENCY)`]
      : [],
  });
}
