/**
 * Made-up results of loads at a set rate: connections that arrive, messages on held ones, and both
 * in a closed loop. As in `results.ts`, nothing is flagged until a test makes it so.
 */
import { Histogram, summarise } from "../../statistics/index.ts";
import { randomNumbers } from "../../statistics/random.ts";
import { cellRecord, containerRecord, runOf } from "./results.ts";
import type { CellRecord } from "../../model/cell.ts";
import type { Parameters, PlannedCell, Scheme } from "../../model/plan.ts";
import type { Results } from "../../model/record.ts";
import { normalNumbers } from "../../statistics/testing/normal.ts";

const SECONDS = 10;

/** by scenario */
const PARAMETERS: Record<string, Parameters> = {
  arrivals: {
    ...{ CONNECTIONS_PER_SECOND: 200, ARRIVE_SECONDS: SECONDS, POISSON: 1, SEED: 1 },
    ...{ CONCURRENCY: 1000, MESSAGES: 1, MESSAGE_BYTES: 1024 },
  },
  steady: {
    ...{ CONNECTIONS: 100, CONNECTIONS_PER_SECOND: 500, MESSAGES_PER_SECOND: 500 },
    ...{ STEADY_SECONDS: SECONDS, POISSON: 1, SEED: 1, MESSAGE_BYTES: 64 },
  },
  "short-lived": { CONNECTIONS: 2000, CONCURRENCY: 100, MESSAGES: 1, MESSAGE_BYTES: 1024 },
};

/** The reference proxy gets one in eight. */
const SHARE = 1 / 8;

/** added to each latency of the control; CPU of a connection, of a message a fifth of that */
type Proxied = { addedMs: number; cpuUs: number };

/** @returns latencies of the control are log-normal around 1 ms, with 1 in 500 that took 20 ms */
export function rateResults({
  proxies = { nginx: { addedMs: 0.2, cpuUs: 200 }, haproxy: { addedMs: 0.5, cpuUs: 300 } },
  scenarios = ["arrivals", "steady"],
  schemes = ["ws"],
  rounds = 6,
  change = () => {},
}: {
  /** beside the control */
  proxies?: Record<string, Proxied>;
  scenarios?: string[];
  schemes?: Scheme[];
  rounds?: number;
  change?: (record: CellRecord) => void;
} = {}): Results {
  const all: Record<string, Proxied> = { none: { addedMs: 0, cpuUs: 100 }, ...proxies };
  const random = randomNumbers(1);
  return runOf({
    ...{ rounds, proxies: Object.keys(all), plan: { referenceShare: SHARE } },
    settings: scenarios.flatMap((scenario) =>
      schemes.map((scheme) => ({ scenario, scheme, parameters: PARAMETERS[scenario], label: "" })),
    ),
    records: (cell) => {
      const record = rateRecord(cell, all[cell.proxy], random);
      change(record);
      return [record];
    },
  });
}

function rateRecord(
  cell: PlannedCell,
  { addedMs, cpuUs }: Proxied,
  random: () => number,
): CellRecord {
  const { CONNECTIONS_PER_SECOND: rate, CONNECTIONS = rate * SECONDS } = cell.parameters;
  const holds = cell.scenario === "steady";
  const perConnection = holds
    ? (cell.parameters.MESSAGES_PER_SECOND * SECONDS) / CONNECTIONS
    : cell.parameters.MESSAGES;
  const messages = CONNECTIONS * perConnection;
  const operations = holds ? messages : CONNECTIONS;
  // A little more or less in each cell.
  const off = 1 + 0.02 * (random() - 0.5);
  const record = cellRecord(
    { ...cell, parameters: { ...cell.parameters, CONNECTIONS, MESSAGES: perConnection } },
    {
      totalSeconds: SECONDS,
      cpuUsPerHandshake: holds ? perConnection * (cpuUs / 5) * off : cpuUs * off,
    },
  );
  const latencies = (count: number) =>
    Float64Array.from({ length: count }, (_, i) => {
      const slow = i % 500 === 0 ? 20 : 0;
      return addedMs + slow + off * Math.exp(0.3 * normalNumbers(random)());
    });
  const [handshakes, echoes] = [latencies(CONNECTIONS), latencies(messages)];
  record.containers.reference = containerRecord({
    role: "reference",
    cpuSeconds: (SHARE * operations * (holds ? 40 : 200) * off) / 1e6,
  });
  const beside = {
    connections: Math.round(SHARE * CONNECTIONS),
    messages: Math.round(SHARE * messages),
  };
  const workers = [
    ...(record.echoWorkers ?? []),
    // The control has an echo server of its own.
    ...(cell.proxy === "none" ? [] : [{ ...beside, refused: 0 }]),
  ];
  return {
    ...record,
    parameters: cell.parameters,
    handshakeMs: summarise(handshakes),
    echoLatencyMs: summarise(echoes),
    reference: { ...beside, requests: 0 },
    ...(cell.scenario !== "short-lived" && {
      sends: { due: operations, late: 0, dropped: 0 },
      distributions: {
        handshakeMs: String(Histogram.of(handshakes)),
        echoLatencyMs: String(Histogram.of(echoes)),
      },
    }),
    ...(holds && { connectionsHeld: { from: CONNECTIONS, to: CONNECTIONS } }),
    echoWorkers: workers.map((one) => ({ ...one, connections: holds ? 0 : one.connections })),
  };
}
