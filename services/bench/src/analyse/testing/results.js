/**
 * Made-up results for tests: every figure is consistent with every other, so that no gate finds anything until a test makes
 * it.
 */
import { SCENARIOS } from "../../plan/testing/scenarios.js";
import { workloadOf } from "../../plan/workload.js";
import { randomNumbers } from "../../statistics/random.js";

/** @import { CellRecord } from "../../model/cell.ts" */
/** @import { ContainerRecord, MemoryReading } from "../../model/container.ts" */
/** @import { LatencySummary } from "../../model/load.ts" */
/** @import { Parameters, PlannedCell, Scheme } from "../../model/plan.ts" */
/** @import { Results } from "../../model/record.ts" */

/**
 * @typedef {object} Figures what a cell came to
 * @property {number} handshakeMs mean
 * @property {number} echoLatencyMs mean
 * @property {number} totalSeconds
 * @property {number} cpuUsPerHandshake and close; with cpuUsPerMessage 0 of a whole connection
 * @property {number} cpuUsPerMessage
 * @property {number} peakBytes of the proxy
 */

/** @type {Figures} */
const FIGURES = {
  handshakeMs: 20,
  echoLatencyMs: 5,
  totalSeconds: 5,
  cpuUsPerHandshake: 200,
  cpuUsPerMessage: 0,
  peakBytes: 30e6,
};

/** @type {Parameters} */
export const PARAMETERS = { CONNECTIONS: 2000, CONCURRENCY: 100, MESSAGES: 1, MESSAGE_BYTES: 1024 };

/** @type {Parameters} of connections that are held */
export const IDLE_PARAMETERS = {
  CONNECTIONS: 1000,
  CONNECTIONS_PER_SECOND: 500,
  HOLD_SECONDS: 5,
  INTERVAL_SECONDS: 1,
  MESSAGE_BYTES: 1024,
};

/** What certs/policy.json says. */
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
    id: `r${round}-${proxy}-short-lived-${scheme}-${parameters.CONNECTIONS}`,
    round,
    proxy,
    profile: proxy,
    scenario: "short-lived",
    scheme,
    parameters,
    warmUp: null,
    loads: 1,
    observed: true,
    limitSeconds: 60,
    skip: null,
    ...changes,
  };
}

/**
 * @param {Partial<PlannedCell>} [cell]
 * @param {Partial<Figures>} [figures]
 * @returns {CellRecord} a good one
 */
export function cellRecord(cell = {}, figures = {}) {
  const { id, round, proxy, scenario, scheme, parameters } = plannedCell(cell);
  const all = { ...FIGURES, ...figures };
  const { CONNECTIONS: connections, MESSAGES: messages, MESSAGE_BYTES: bytes } = parameters;
  const proxyCpu = ((all.cpuUsPerHandshake + messages * all.cpuUsPerMessage) * connections) / 1e6;
  const legs = proxy === "none" ? 1 : 2;
  const network = {
    rxBytes: legs * connections * (messages * bytes + 700),
    txBytes: legs * connections * (messages * bytes + 600),
    rxPackets: legs * connections * (messages + 5),
    txPackets: legs * connections * (messages + 4),
  };
  const half = Math.floor(connections / 2);
  return {
    schema: 1,
    id,
    attempt: 1,
    status: "ok",
    cause: null,
    round,
    proxy,
    scenario,
    scheme,
    parameters,
    startedAt: "2026-01-31T23:07:00.000Z",
    phases: { start: 2, verify: 0.1, warmUp: 3, measure: all.totalSeconds, stop: 1 },
    measured: { fromMs: 1e12, toMs: 1e12 + all.totalSeconds * 1000 },
    connections: { asked: connections, opened: connections, failed: 0, failedByCause: {} },
    connectionsHeld: null,
    messagesEchoed: connections * messages,
    sends: null,
    totalSeconds: all.totalSeconds,
    handshakeMs: latencySummary(all.handshakeMs, connections),
    echoLatencyMs: latencySummary(all.echoLatencyMs, connections),
    requests: null,
    requestMs: null,
    containers: {
      [proxy]: containerRecord({
        role: "proxy",
        cpuSeconds: proxyCpu,
        peakBytes: all.peakBytes,
        network,
      }),
      echo: containerRecord({ role: "echo", cpuSeconds: 0.15 * all.totalSeconds }),
      "load-1": containerRecord({ role: "load", cpuSeconds: 0.6 * all.totalSeconds }),
      cadvisor: containerRecord({ role: "observer", cpuSeconds: 0.01 * all.totalSeconds }),
    },
    echoWorkers: [
      { connections: half, messages: half * messages, refused: 0 },
      {
        connections: connections - half,
        messages: (connections - half) * messages,
        refused: 0,
      },
    ],
    tls:
      scheme === "wss"
        ? {
            version: "TLSv1.3",
            cipher: "TLS_AES_128_GCM_SHA256",
            group: "X25519",
            keyType: "ecdsa P-256",
            resumed: false,
          }
        : null,
    machine: {
      cores: 2,
      busySeconds: 0.8 * all.totalSeconds + proxyCpu,
      stealSeconds: 0,
      foreignSeconds: 0.02 * all.totalSeconds,
      benchSeconds: 0.02 * all.totalSeconds,
    },
    loadCores: 2,
  };
}

/**
 * @param {Partial<PlannedCell>} [cell]
 * @param {Partial<Figures>} [figures] cpuUsPerHandshake: of a connection over the whole hold
 * @returns {CellRecord} a good one of connections that are held, with five messages on each
 */
export function idleRecord(cell = {}, figures = {}) {
  const parameters = { ...IDLE_PARAMETERS, ...cell.parameters };
  const { CONNECTIONS: connections, MESSAGE_BYTES: bytes } = parameters;
  const record = cellRecord(
    { scenario: "idle", ...cell, parameters: { ...parameters, MESSAGES: 5 } },
    figures,
  );
  const { MESSAGES, ...own } = record.parameters;
  const sides = record.proxy === "none" ? 1 : 2;
  const traffic = sides * 5 * connections * (bytes + 60);
  for (const container of Object.values(record.containers))
    if (container.network) {
      container.network = { rxBytes: traffic, txBytes: traffic, rxPackets: 9000, txPackets: 9000 };
    }
  return {
    ...record,
    parameters: own,
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
      userSeconds: cpuSeconds / 4,
      systemSeconds: (3 * cpuSeconds) / 4,
      totalSeconds: cpuSeconds,
      throttledSeconds: 0,
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
function memoryReading(usageBytes) {
  return {
    usageBytes,
    workingSetBytes: 0.9 * usageBytes,
    rssBytes: 0.5 * usageBytes,
    kernelBytes: 0.3 * usageBytes,
    socketBytes: null,
  };
}

/**
 * @param {number} mean
 * @param {number} count
 * @returns {LatencySummary}
 */
function latencySummary(mean, count) {
  return {
    count,
    mean,
    sd: 0.4 * mean,
    min: 0.05 * mean,
    median: 0.9 * mean,
    p90: 1.6 * mean,
    p95: 2 * mean,
    p99: 3 * mean,
    p999: 4 * mean,
    max: 5 * mean,
  };
}

/**
 * @param {object} [options]
 * @param {Record<string, Partial<Figures>>} [options.proxies] by name, and what each comes to over ws; wss costs 2.5 times
 *   that in CPU and handshake. With `none` among them it is the control.
 * @param {number} [options.rounds]
 * @param {Scheme[]} [options.schemes]
 * @param {number[]} [options.connections]
 * @param {Parameters} [options.parameters]
 * @param {number[]} [options.messages] a connection, in place of that parameter
 * @param {number} [options.spread] every figure of a cell is off by up to this share, in either direction
 * @param {number} [options.seed]
 * @param {(record: CellRecord, cell: PlannedCell) => CellRecord[]} [options.change] the attempts at a cell that are kept, in
 *   place of the good one
 * @returns {Results}
 */
export function results({
  proxies = {
    none: { cpuUsPerHandshake: 150, handshakeMs: 15, echoLatencyMs: 4, totalSeconds: 4 },
    nginx: {},
    haproxy: {},
    "http-proxy": {
      cpuUsPerHandshake: 700,
      handshakeMs: 60,
      echoLatencyMs: 15,
      totalSeconds: 12,
      peakBytes: 120e6,
    },
  },
  rounds = 6,
  schemes = ["ws", "wss"],
  connections = [PARAMETERS.CONNECTIONS],
  parameters = PARAMETERS,
  messages = [parameters.MESSAGES],
  spread = 0.02,
  seed = 1,
  change = (record) => [record],
} = {}) {
  const random = randomNumbers(seed);
  const off = () => 1 + spread * (2 * random() - 1);
  const names = Object.keys(proxies);
  /** @type {PlannedCell[]} */
  const cells = [];
  for (let round = 1; round <= rounds; round++) {
    for (const scheme of schemes) {
      for (const asked of connections) {
        for (const proxy of names) {
          for (const each of messages) {
            const own = { ...parameters, CONNECTIONS: asked, MESSAGES: each };
            const cell = plannedCell({ round, proxy, scheme, parameters: own });
            cells.push({ ...cell, id: messages.length > 1 ? `${cell.id}-${each}` : cell.id });
          }
        }
      }
    }
  }
  const records = cells.flatMap((cell) => {
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
    return change(record, cell);
  });
  return {
    schema: 2,
    run: {
      name: "20260131T230700Z-test",
      startedAt: "2026-01-31T23:07:00.000Z",
      endedAt: "2026-01-31T23:59:00.000Z",
      command: "./bench run test",
    },
    plan: {
      schema: 2,
      battle: "test",
      title: "Test",
      published: null,
      proxies: names,
      rounds,
      seed,
      proxyCpus: 0,
      workers: null,
      keyType: "ecdsa",
      scenarios: SCENARIOS,
      cells,
    },
    environment: { schema: 1, identity: { kernel: "6.18", cores: 2 }, details: {}, advice: [] },
    proxies: names.map((name) => ({
      name,
      title: TITLES[name] ?? name,
      colour: "#009E73",
      parts: [name],
    })),
    cells: records,
  };
}

/**
 * A run of `./bench aa nginx`.
 *
 * @param {object} [options]
 * @param {Partial<Figures>} [options.copy] what the copy comes to
 * @param {number} [options.rounds]
 * @param {Scheme[]} [options.schemes]
 * @param {number} [options.spread] as of `results`
 * @param {number} [options.seed]
 * @param {(record: CellRecord, cell: PlannedCell) => CellRecord[]} [options.change]
 * @returns {Results}
 */
export function selfResults({ copy = {}, ...options } = {}) {
  const run = results({
    proxies: {
      none: { cpuUsPerHandshake: 150, handshakeMs: 15, echoLatencyMs: 4, totalSeconds: 4 },
      nginx: {},
      "nginx-copy": copy,
    },
    ...options,
  });
  for (const cell of run.plan.cells) if (cell.proxy === "nginx-copy") cell.profile = "nginx";
  Object.assign(run.plan, { battle: "aa", title: "nginx against a copy of itself" });
  return run;
}

/** @type {Record<string, string>} */
const TITLES = {
  none: "no proxy",
  haproxy: "HAProxy",
  "haproxy-hitch": "HAProxy + hitch",
  "nginx-copy": "nginx (copy)",
};

/** What a connection takes, by proxy. */
const BYTES = { none: 40_000, nginx: 25_000, haproxy: 12_000 };

/**
 * A run of idle connections over ws: each proxy has 5 MB, and more for each connection; half of that is user memory, 0.3 kernel.
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
  const base = results({ proxies: { none: {}, nginx: {}, haproxy: {} } });
  const cells = Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) =>
    counts.flatMap((connections) =>
      Object.keys(BYTES).map((proxy) => {
        const { parameters } = idleRecord({ parameters: { CONNECTIONS: connections } });
        const id = `r${round}-${proxy}-${connections}`;
        const cell = plannedCell({ id, round, proxy, scenario: "idle", parameters });
        return { ...cell, skip: skip(cell) };
      }),
    ),
  );
  const records = cells
    .filter((cell) => !cell.skip)
    .map((cell) => {
      const record = idleRecord(cell);
      const bytes = BYTES[/** @type {keyof typeof BYTES} */ (cell.proxy)];
      const usage = 5e6 + bytes * cell.parameters.CONNECTIONS + 1000 * cell.round;
      for (const container of Object.values(record.containers))
        if (container.role === "proxy" && container.memory)
          container.memory.mean = {
            usageBytes: usage,
            workingSetBytes: usage,
            rssBytes: usage / 2,
            kernelBytes: 0.3 * usage,
            socketBytes: null,
          };
      change(record);
      return record;
    });
  return { ...base, plan: { ...base.plan, rounds, cells }, cells: records };
}

/**
 * @param {Partial<import("../types.js").SlopeRow>} [changes]
 * @returns {import("../types.js").SlopeRow} of 20 kB a connection
 */
export function slopeRow(changes = {}) {
  return {
    proxy: "nginx",
    points: [],
    slope: { value: 20e3, interval: [19.5e3, 20.5e3] },
    connectionsPerGiB: { value: 53_687, interval: [52_378, 55_064] },
    rank: null,
    ties: [],
    baseline: { value: 4e6, interval: null },
    missing: null,
    ended: null,
    ...changes,
  };
}

/**
 * @param {Pick<CellRecord, "scenario" | "parameters">} record of a scenario of this project
 * @returns {import("../../model/plan.ts").Workload}
 */
export function workloadFor(record) {
  return workloadOf({ scenarios: SCENARIOS }, record);
}
