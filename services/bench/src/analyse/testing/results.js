/**
 * Made-up results for tests: every figure is consistent with every other, so that nothing is
 * flagged until a test makes it so.
 */
import { SCENARIOS } from "../../plan/testing/scenarios.js";
import { workloadOf } from "../../plan/workload.js";
import { randomNumbers } from "../../statistics/random.js";

/** @import { CellRecord } from "../../model/cell.ts" */
/** @import { ContainerRecord, MemoryReading } from "../../model/container.ts" */
/** @import { TlsPolicy } from "../../model/environment.ts" */
/** @import { LatencySummary } from "../../model/load.ts" */
/** @import { Parameters, PlannedCell, Scheme } from "../../model/plan.ts" */
/** @import { Results } from "../../model/record.ts" */

/** What a cell comes to. Times are means; a handshake's CPU is with its close. */
const FIGURES = {
  handshakeMs: 20,
  echoLatencyMs: 5,
  totalSeconds: 5,
  cpuUsPerHandshake: 200,
  cpuUsPerMessage: 0,
  peakBytes: 30e6,
};
/** @typedef {Partial<typeof FIGURES>} Figures */

const OF_CONTROL = { cpuUsPerHandshake: 150, handshakeMs: 15, echoLatencyMs: 4, totalSeconds: 4 };

/** @type {Record<string, Figures>} */
const PROXIES = {
  none: OF_CONTROL,
  nginx: {},
  haproxy: {},
  "http-proxy": {
    ...{ cpuUsPerHandshake: 700, handshakeMs: 60, echoLatencyMs: 15 },
    ...{ totalSeconds: 12, peakBytes: 120e6 },
  },
};

/** @type {Record<string, string>} */
const TITLES = {
  none: "no proxy",
  haproxy: "HAProxy",
  "haproxy-hitch": "HAProxy + hitch",
  "nginx-copy": "nginx (copy)",
};

/** @type {Parameters} */
export const PARAMETERS = { CONNECTIONS: 2000, CONCURRENCY: 100, MESSAGES: 1, MESSAGE_BYTES: 1024 };

/** @type {Parameters} of connections that are held */
export const IDLE_PARAMETERS = {
  ...{ CONNECTIONS: 1000, CONNECTIONS_PER_SECOND: 500, HOLD_SECONDS: 5 },
  ...{ INTERVAL_SECONDS: 1, MESSAGE_BYTES: 1024 },
};

/** What certs/policy.json says. @type {TlsPolicy} */
export const POLICY = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.3",
  cipherSuitesTls13: ["TLS_AES_128_GCM_SHA256"],
  ciphersTls12: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  groups: ["X25519"],
  sessionResumption: true,
};

/**
 * @param {Partial<PlannedCell>} [changes]
 * @returns {PlannedCell}
 */
export function plannedCell(changes = {}) {
  const { round = 1, proxy = "nginx", scheme = "ws", parameters = PARAMETERS } = changes;
  return {
    ...{ id: `r${round}-${proxy}-short-lived-${scheme}-${parameters.CONNECTIONS}`, round },
    ...{ proxy, profile: proxy, scenario: "short-lived", scheme, parameters },
    ...{ warmUp: null, loads: 1, observed: true, limitSeconds: 60, skip: null },
    ...changes,
  };
}

/**
 * @param {Partial<PlannedCell>} [cell]
 * @param {Figures} [figures]
 * @returns {CellRecord} a good one
 */
export function cellRecord(cell = {}, figures = {}) {
  const { id, round, proxy, scenario, scheme, parameters } = plannedCell(cell);
  const { totalSeconds, ...all } = { ...FIGURES, ...figures };
  const { CONNECTIONS: connections, MESSAGES: messages, MESSAGE_BYTES: bytes } = parameters;
  const proxyCpu = ((all.cpuUsPerHandshake + messages * all.cpuUsPerMessage) * connections) / 1e6;
  const sides = proxy === "none" ? 1 : 2;
  const network = {
    rxBytes: sides * connections * (messages * bytes + 700),
    txBytes: sides * connections * (messages * bytes + 600),
    rxPackets: sides * connections * (messages + 5),
    txPackets: sides * connections * (messages + 4),
  };
  const half = Math.floor(connections / 2);
  return {
    ...{ schema: 1, id, attempt: 1, status: "ok", cause: null },
    ...{ round, proxy, scenario, scheme, parameters, totalSeconds },
    startedAt: "2026-01-31T23:07:00.000Z",
    phases: { start: 2, verify: 0.1, warmUp: 3, measure: totalSeconds, stop: 1 },
    measured: { fromMs: 1e12, toMs: 1e12 + totalSeconds * 1000 },
    connections: { asked: connections, opened: connections, failed: 0, failedByCause: {} },
    connectionsHeld: null,
    messagesEchoed: connections * messages,
    sends: null,
    handshakeMs: latencies(all.handshakeMs, connections),
    echoLatencyMs: latencies(all.echoLatencyMs, connections),
    requests: null,
    requestMs: null,
    containers: {
      [proxy]: containerRecord({
        ...{ role: "proxy", cpuSeconds: proxyCpu, peakBytes: all.peakBytes, network },
      }),
      echo: containerRecord({ role: "echo", cpuSeconds: 0.15 * totalSeconds }),
      "load-1": containerRecord({ role: "load", cpuSeconds: 0.6 * totalSeconds }),
      cadvisor: containerRecord({ role: "observer", cpuSeconds: 0.01 * totalSeconds }),
    },
    echoWorkers: [half, connections - half].map((own) => ({
      ...{ connections: own, messages: own * messages, refused: 0 },
    })),
    tls:
      scheme === "ws"
        ? null
        : {
            ...{ version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", group: "X25519" },
            ...{ keyType: "ecdsa P-256", resumed: false },
          },
    machine: {
      cores: 2,
      busySeconds: 0.8 * totalSeconds + proxyCpu,
      stealSeconds: 0,
      foreignSeconds: 0.02 * totalSeconds,
      benchSeconds: 0.02 * totalSeconds,
    },
    loadCores: 2,
  };
}

/**
 * @param {Partial<PlannedCell>} [cell]
 * @param {Figures} [figures] cpuUsPerHandshake: of a connection over the whole hold
 * @returns {CellRecord} a good one of connections that are held, with five messages on each
 */
export function idleRecord(cell = {}, figures = {}) {
  const parameters = { ...IDLE_PARAMETERS, ...cell.parameters };
  const { CONNECTIONS: connections, MESSAGE_BYTES: bytes } = parameters;
  const record = cellRecord(
    { scenario: "idle", ...cell, parameters: { ...parameters, MESSAGES: 5 } },
    figures,
  );
  const traffic = (record.proxy === "none" ? 1 : 2) * 5 * connections * (bytes + 60);
  for (const container of Object.values(record.containers))
    if (container.network)
      container.network = {
        ...{ rxBytes: traffic, txBytes: traffic, rxPackets: 9000, txPackets: 9000 },
      };
  return {
    ...record,
    parameters,
    connectionsHeld: { from: connections, to: connections },
    sends: { due: 5 * connections, late: 0, dropped: 0 },
    echoWorkers: (record.echoWorkers ?? []).map((worker) => ({ ...worker, connections: 0 })),
  };
}

/**
 * @param {{role: ContainerRecord["role"], cpuSeconds?: number, peakBytes?: number, network?: ContainerRecord["network"]}} options
 * @returns {ContainerRecord} two thirds of its peak memory are there from the beginning
 */
export function containerRecord({ role, cpuSeconds = 1, peakBytes = 50e6, network = null }) {
  return {
    role,
    image: `${role}:1`,
    cpu: {
      ...{ userSeconds: cpuSeconds / 4, systemSeconds: (3 * cpuSeconds) / 4 },
      ...{ totalSeconds: cpuSeconds, throttledSeconds: 0 },
    },
    memory: {
      baseline: memoryReading((2 * peakBytes) / 3),
      mean: memoryReading((5 * peakBytes) / 6),
      peak: memoryReading(peakBytes),
      after: null,
      highWaterBytes: peakBytes,
    },
    network,
    sockets: null,
  };
}

/**
 * @param {number} usageBytes
 * @returns {MemoryReading}
 */
export function memoryReading(usageBytes) {
  return {
    ...{ usageBytes, workingSetBytes: 0.9 * usageBytes, rssBytes: 0.5 * usageBytes },
    ...{ kernelBytes: 0.3 * usageBytes, socketBytes: null },
  };
}

/**
 * @param {number} mean
 * @param {number} [count]
 * @returns {LatencySummary}
 */
export function latencies(mean, count = 1000) {
  return {
    ...{ count, mean, sd: 0.4 * mean, min: 0.05 * mean, median: 0.9 * mean, p90: 1.6 * mean },
    ...{ p95: 2 * mean, p99: 3 * mean, p999: 4 * mean, max: 5 * mean },
  };
}

/**
 * Each proxy in each setting in each round.
 *
 * @param {object} about
 * @param {string[]} about.proxies
 * @param {(Partial<PlannedCell> & {label?: string})[]} about.settings label: end of the cells' ids
 * @param {(cell: PlannedCell, off: () => number) => CellRecord[]} about.records the attempts at a cell; off: a factor around 1
 * @param {number} [about.rounds]
 * @param {number} [about.seed]
 * @param {number} [about.spread] a factor is off by up to so much
 * @param {Partial<Results["plan"]>} [about.plan]
 * @returns {Results}
 */
export function runOf({ proxies, settings, records, rounds = 6, seed = 1, spread = 0.02, plan }) {
  const random = randomNumbers(seed);
  const off = () => 1 + spread * (2 * random() - 1);
  const cells = Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) =>
    settings.flatMap(({ label, ...setting }) =>
      proxies.map((proxy) => {
        const { scenario, scheme, parameters = {} } = setting;
        const end = label ?? Object.values(parameters).join("-");
        const id = `r${round}-${proxy}-${scenario}-${scheme ?? "ws"}-${end}`;
        return plannedCell({ id, round, proxy, ...setting });
      }),
    ),
  );
  return {
    schema: 2,
    run: {
      name: "20260131T230700Z-test",
      startedAt: "2026-01-31T23:07:00.000Z",
      endedAt: "2026-01-31T23:59:00.000Z",
      command: "./bench run test",
    },
    environment: { schema: 1, identity: { kernel: "6.18", cores: 2 }, details: {}, advice: [] },
    proxies: proxies.map((name) => ({
      ...{ name, title: TITLES[name] ?? name, colour: "#009E73", parts: [name] },
    })),
    cells: cells.flatMap((cell) => records(cell, off)),
    plan: {
      ...{ schema: 2, battle: "test", title: "Test", published: null, proxies, rounds, seed },
      ...{ proxyCpus: 0, workers: null, keyType: "ecdsa", scenarios: SCENARIOS, cells, ...plan },
    },
  };
}

/**
 * @typedef {object} Options
 * @property {Record<string, Figures>} [proxies] over ws; over wss it costs 2.5 times that in CPU and time
 * @property {number} [rounds]
 * @property {Scheme[]} [schemes]
 * @property {number[]} [connections]
 * @property {Parameters} [parameters]
 * @property {number[]} [messages] per connection, in place of that parameter
 * @property {number} [spread]
 * @property {number} [seed]
 * @property {(record: CellRecord, cell: PlannedCell) => CellRecord[] | void} [change] attempts in place of the good one
 */

/**
 * A run of short connections.
 *
 * @param {Options} [options]
 * @returns {Results}
 */
export function results({
  proxies = PROXIES,
  schemes = ["ws", "wss"],
  connections = [PARAMETERS.CONNECTIONS],
  parameters = PARAMETERS,
  messages = [parameters.MESSAGES],
  change = () => {},
  ...about
} = {}) {
  const settings = schemes.flatMap((scheme) =>
    connections.flatMap((CONNECTIONS) =>
      messages.map((MESSAGES) => ({
        ...{ scenario: "short-lived", scheme },
        parameters: { ...parameters, CONNECTIONS, MESSAGES },
        label: messages.length > 1 ? `${CONNECTIONS}-${MESSAGES}` : `${CONNECTIONS}`,
      })),
    ),
  );
  return runOf({
    ...{ ...about, proxies: Object.keys(proxies), settings },
    records: (cell, off) => {
      const level = { ...FIGURES, ...proxies[cell.proxy] };
      const tls = cell.scheme === "wss" ? 2.5 : 1;
      const record = cellRecord(cell, {
        handshakeMs: level.handshakeMs * tls * off(),
        echoLatencyMs: level.echoLatencyMs * off(),
        totalSeconds: level.totalSeconds * tls * off(),
        cpuUsPerHandshake: level.cpuUsPerHandshake * tls * off(),
        cpuUsPerMessage: level.cpuUsPerMessage * off(),
        peakBytes: level.peakBytes * off(),
      });
      return change(record, cell) ?? [record];
    },
  });
}

/**
 * A run of `./bench aa nginx`.
 *
 * @param {Options & {copy?: Figures}} [options] copy: what the copy comes to
 * @returns {Results}
 */
export function selfResults({ copy = {}, ...options } = {}) {
  const proxies = { none: OF_CONTROL, nginx: {}, "nginx-copy": copy };
  const run = results({ proxies, ...options });
  for (const cell of run.plan.cells) if (cell.proxy === "nginx-copy") cell.profile = "nginx";
  Object.assign(run.plan, { battle: "aa", title: "nginx against a copy of itself" });
  return run;
}

/** What a connection takes, by proxy. @type {Record<string, number>} */
const BYTES = { none: 40_000, nginx: 25_000, haproxy: 12_000 };

/**
 * A run of idle connections over ws: each proxy has 5 MB, and more for each connection; half of
 * that is user memory, 0.3 kernel.
 *
 * @param {object} [options]
 * @param {number[]} [options.counts] of connections
 * @param {number} [options.rounds]
 * @param {(cell: PlannedCell) => string | null} [options.skip]
 * @param {(record: CellRecord) => void} [options.change]
 * @returns {Results}
 */
export function idleResults({
  counts = [1000, 2000, 3000, 4000, 5000],
  rounds = 1,
  skip = () => null,
  change = () => {},
} = {}) {
  return runOf({
    rounds,
    proxies: Object.keys(BYTES),
    settings: counts.map((CONNECTIONS) => ({
      ...{ scenario: "idle", parameters: { ...IDLE_PARAMETERS, CONNECTIONS } },
    })),
    records: (cell) => {
      cell.skip = skip(cell);
      if (cell.skip) return [];
      const record = idleRecord(cell);
      const { memory } = record.containers[cell.proxy];
      const usage = 5e6 + BYTES[cell.proxy] * cell.parameters.CONNECTIONS + 1000 * cell.round;
      if (memory) memory.mean = memoryReading(usage);
      change(record);
      return [record];
    },
  });
}

/**
 * @param {Pick<CellRecord, "scenario" | "parameters">} record of a scenario of this project
 * @returns {import("../../model/plan.ts").Workload}
 */
export function workloadFor(record) {
  return workloadOf({ scenarios: SCENARIOS }, record);
}
