/**
 * What `docker compose up` plays: three minutes in three parts, for people who watch. CONNECTIONS_PER_SECOND new connections for
 * ARRIVE_SECONDS, as `arrivals` does; HELD connections that together carry MESSAGES_PER_SECOND messages for HOLD_SECONDS, as `steady` does;
 * CONNECTIONS short ones, CONCURRENCY at a time, as `short-lived` does. Each sample has the tag `part`.
 */
import exec from "k6/execution";
import { Trend } from "k6/metrics";
import { arrive, arriveScenario } from "./lib/arrive.js";
import { CAUSES, Connection } from "./lib/connection.js";
import { heldScenario, holdAndSend, scheduleOfRate } from "./lib/held.js";
import { messagesOf } from "./lib/message.js";
import { optionsOf } from "./lib/options.js";
import { parametersOf, refuseMistakes } from "./lib/parameters.js";
import { summarise } from "./lib/summary.js";
import { edge, now, runTags, scheme, waitForTarget } from "./lib/target.js";

/** From the first edge to the first arrival: by then k6 has started all VUs. */
const LEAD_MS = 200;
/** Between two parts: the curves of one end before those of the next begin. */
const PAUSE_SECONDS = 5;
/** How fast connections are opened that are held. */
const RAMP_PER_SECOND = 500;
/** Of connections in different parts, so that none has the number of another. */
const NUMBERS_PER_PART = 1e9;

const parameters =
  /** @type {Pick<import("./lib/arrive.js").Arrivals, "CONNECTIONS_PER_SECOND" | "ARRIVE_SECONDS" | "TIMEOUT_SECONDS"> & Record<string, number>} */ (
    parametersOf(open("./tour.json"))
  );
const { ARRIVE_SECONDS, HELD, MESSAGES_PER_SECOND, HOLD_SECONDS } = parameters;
const { CONNECTIONS, CONCURRENCY, MESSAGE_BYTES, TIMEOUT_SECONDS, LATENCY_SAMPLES } = parameters;
refuseMistakes();

const tags = runTags("tour");
const message = messagesOf(MESSAGE_BYTES);
const total = new Trend("total_ms", true);
const { trial } = tags;

/** One message each, evenly. */
const random = { MESSAGES: 1, POISSON: 0, SEED: 1 };
const arrivals = { ...random, ...parameters, CONCURRENCY: Math.max(1000, CONCURRENCY) };
const held = { TIMEOUT_SECONDS, CONNECTIONS: HELD, CONNECTIONS_PER_SECOND: RAMP_PER_SECOND };

const PARTS = ["new connections", "held with messages", "as fast as they go"];
const [arriving, holding, racing] = PARTS;
const holdStart = ARRIVE_SECONDS + PAUSE_SECONDS;
const raceStart = holdStart + Math.ceil(HELD / RAMP_PER_SECOND) + HOLD_SECONDS + PAUSE_SECONDS;

export const options = optionsOf(
  {
    arrive: { ...arriveScenario(arrivals), exec: "arriveEvenly", tags: { part: arriving } },
    hold: {
      ...heldScenario(held, HOLD_SECONDS + 2 * TIMEOUT_SECONDS),
      exec: "hold",
      startTime: `${holdStart}s`,
      tags: { part: holding },
    },
    race: {
      executor: "shared-iterations",
      vus: CONCURRENCY,
      iterations: CONNECTIONS,
      maxDuration: `${Math.ceil(CONNECTIONS / CONCURRENCY) * TIMEOUT_SECONDS + 60}s`,
      gracefulStop: "0s",
      exec: "race",
      startTime: `${raceStart}s`,
      tags: { part: racing },
    },
  },
  tags,
);

export function setup() {
  waitForTarget();
  edge("start");
  return { startMs: now() + LEAD_MS };
}

/** @param {{startMs: number}} data what setup returned */
export function arriveEvenly({ startMs }) {
  return arrive(arrivals, { message, sampleEvery: 1, startMs, trial, total });
}

export function hold() {
  const perConnection = (MESSAGES_PER_SECOND * HOLD_SECONDS) / HELD;
  const sampleEvery = Math.max(1, Math.ceil(perConnection / LATENCY_SAMPLES));
  const numbered = (/** @type {number} */ connection, /** @type {number} */ number) =>
    message(NUMBERS_PER_PART + connection, number);
  return holdAndSend(
    held,
    { message: numbered, sampleEvery },
    {
      seconds: HOLD_SECONDS,
      scheduleOf: scheduleOfRate(held, {
        perSecond: MESSAGES_PER_SECOND,
        seed: random.SEED,
        trial,
        isPoisson: false,
      }),
      total,
      atEdge: async () => {},
    },
  );
}

/** Of this VU: from when to count how long the part took. */
let raceStartMs = 0;

export function race() {
  raceStartMs ||= now();
  const number = exec.scenario.iterationInTest;
  const connection = new Connection(2 * NUMBERS_PER_PART + number, {
    message,
    seconds: TIMEOUT_SECONDS,
  });
  connection.exchange(1);
  // The part ends with one of those that began last.
  if (number >= CONNECTIONS - CONCURRENCY) connection.onEnd = () => total.add(now() - raceStartMs);
}

export function teardown() {
  edge("end");
}

/** @param {import("./lib/summary.js").SummaryData} data */
export function handleSummary(data) {
  return summarise(data, {
    title: "Three loads",
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    causes: CAUSES,
    parts: PARTS,
  });
}
