/**
 * Made-up results for tests: every figure is consistent with every other, so that nothing is
 * flagged until a test makes it so.
 */
import { SCENARIOS } from "../../plan/testing/scenarios.ts";
import { workloadOf } from "../../plan/workload.ts";
import { randomNumbers } from "../../statistics/random.ts";
import type { CellRecord } from "../../model/cell.ts";
import type { ContainerRecord, MemoryReading } from "../../model/container.ts";
import type { TlsPolicy } from "../../model/environment.ts";
import type { LatencySummary } from "../../model/load.ts";
import type { Parameters, PlannedCell, Scheme, Workload } from "../../model/plan.ts";
import type { Results } from "../../model/record.ts";

/** What a cell comes to. Times are means; a handshake's CPU is with its close. */
const FIGURES = {
  handshakeMs: 20,
  echoLatencyMs: 5,
  totalSeconds: 5,
  cpuUsPerHandshake: 200,
  cpuUsPerMessage: 0,
  peakBytes: 30e6,
};
type Figures = Partial<typeof FIGURES>;

const OF_CONTROL = { cpuUsPerHandshake: 150, handshakeMs: 15, echoLatencyMs: 4, totalSeconds: 4 };

const PROXIES: Record<string, Figures> = {
  none: OF_CONTROL,
  nginx: {},
  haproxy: {},
  "http-proxy": {
    ...{ cpuUsPerHandshake: 700, handshakeMs: 60, echoLatencyMs: 15 },
    ...{ totalSeconds: 12, peakBytes: 120e6 },
  },
};

const TITLES: Record<string, string> = {
  none: "no proxy",
  haproxy: "HAProxy",
  "haproxy-hitch": "HAProxy + hitch",
  "nginx-copy": "nginx (copy)",
};

export const PARAMETERS: Parameters = {
  CONNECTIONS: 2000,
  CONCURRENCY: 100,
  MESSAGES: 1,
  MESSAGE_BYTES: 1024,
};

/** of connections that are held */
export const IDLE_PARAMETERS: Parameters = {
  ...{ CONNECTIONS: 1000, CONNECTIONS_PER_SECOND: 500, HOLD_SECONDS: 5 },
  ...{ INTERVAL_SECONDS: 1, MESSAGE_BYTES: 1024 },
};

/** What certs/policy.json says. */
export const POLICY: TlsPolicy = {
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.3",
  cipherSuitesTls13: ["TLS_AES_128_GCM_SHA256"],
  ciphersTls12: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  groups: ["X25519"],
  sessionResumption: true,
};

export function plannedCell(changes: Partial<PlannedCell> = {}): PlannedCell {
  const { round = 1, proxy = "nginx", scheme = "ws", parameters = PARAMETERS } = changes;
  return {
    ...{ id: `r${round}-${proxy}-short-lived-${scheme}-${parameters.CONNECTIONS}`, round },
    ...{ proxy, profile: proxy, scenario: "short-lived", scheme, parameters },
    ...{ warmUp: null, loads: 1, observed: true, limitSeconds: 60, skip: null },
    ...changes,
  };
}

/** @returns a good one */
export function cellRecord(cell: Partial<PlannedCell> = {}, figures: Figures = {}): CellRecord {
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
 * @param figures cpuUsPerHandshake: of a connection over the whole hold
 * @returns a good one of connections that are held, with five messages on each
 */
export function idleRecord(cell: Partial<PlannedCell> = {}, figures: Figures = {}): CellRecord {
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

/** @returns two thirds of its peak memory are there from the beginning */
export function containerRecord({
  role,
  cpuSeconds = 1,
  peakBytes = 50e6,
  network = null,
}: {
  role: ContainerRecord["role"];
  cpuSeconds?: number;
  peakBytes?: number;
  network?: ContainerRecord["network"];
}): ContainerRecord {
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

export function memoryReading(usageBytes: number): MemoryReading {
  return {
    ...{ usageBytes, workingSetBytes: 0.9 * usageBytes, rssBytes: 0.5 * usageBytes },
    ...{ kernelBytes: 0.3 * usageBytes, socketBytes: null },
  };
}

export function latencies(mean: number, count = 1000): LatencySummary {
  return {
    ...{ count, mean, sd: 0.4 * mean, min: 0.05 * mean, median: 0.9 * mean, p90: 1.6 * mean },
    ...{ p95: 2 * mean, p99: 3 * mean, p999: 4 * mean, max: 5 * mean },
  };
}

/** Each proxy in each setting in each round. */
export function runOf({
  proxies,
  settings,
  records,
  rounds = 6,
  seed = 1,
  spread = 0.02,
  plan,
}: {
  proxies: string[];
  /** label: end of the cells' ids */
  settings: (Partial<PlannedCell> & { label?: string })[];
  /** the attempts at a cell; off: a factor around 1 */
  records: (cell: PlannedCell, off: () => number) => CellRecord[];
  rounds?: number;
  seed?: number;
  /** a factor is off by up to so much */
  spread?: number;
  plan?: Partial<Results["plan"]>;
}): Results {
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

export interface Options {
  /** over ws; over wss it costs 2.5 times that in CPU and time */
  proxies?: Record<string, Figures>;
  rounds?: number;
  schemes?: Scheme[];
  connections?: number[];
  parameters?: Parameters;
  /** per connection, instead of that parameter */
  messages?: number[];
  spread?: number;
  seed?: number;
  /** attempts instead of the good one */
  change?: (record: CellRecord, cell: PlannedCell) => CellRecord[] | void;
}

/** A run of short connections. */
export function results({
  proxies = PROXIES,
  schemes = ["ws", "wss"],
  connections = [PARAMETERS.CONNECTIONS],
  parameters = PARAMETERS,
  messages = [parameters.MESSAGES],
  change = () => {},
  ...about
}: Options = {}): Results {
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
 * @param options copy: what the copy comes to
 */
export function selfResults({ copy = {}, ...options }: Options & { copy?: Figures } = {}): Results {
  const proxies = { none: OF_CONTROL, nginx: {}, "nginx-copy": copy };
  const run = results({ proxies, ...options });
  for (const cell of run.plan.cells) if (cell.proxy === "nginx-copy") cell.profile = "nginx";
  Object.assign(run.plan, { battle: "aa", title: "nginx against a copy of itself" });
  return run;
}

/** A run after which nginx keeps some sockets of connections that have gone. */
export function leakingResults(left: number): Results {
  const run = results({
    ...{ schemes: ["ws"], parameters: { ...PARAMETERS, SETTLE_SECONDS: 1 } },
    change: ({ containers, proxy }) => {
      const at = (tcpInUse: number) => ({
        ...{ tcpInUse, tcpTimeWait: 0, tcpCloseWait: 0, descriptors: 20 },
      });
      const after = at(proxy === "nginx" ? 5 + left : 5);
      containers[proxy].sockets = { baseline: at(5), from: at(5), to: at(5), after };
    },
  });
  const { "short-lived": about, ...scenarios } = run.plan.scenarios;
  const parameterNames = { ...about.parameterNames, settleSeconds: "SETTLE_SECONDS" };
  run.plan.scenarios = { ...scenarios, "short-lived": { ...about, parameterNames } };
  return run;
}

/** What a connection takes, by proxy. */
const BYTES: Record<string, number> = { none: 40_000, nginx: 25_000, haproxy: 12_000 };

/**
 * A run of idle connections over ws: each proxy has 5 MB, and more for each connection; half of
 * that is user memory, 0.3 kernel.
 */
export function idleResults({
  counts = [1000, 2000, 3000, 4000, 5000],
  rounds = 1,
  skip = () => null,
  change = () => {},
}: {
  /** of connections */
  counts?: number[];
  rounds?: number;
  skip?: (cell: PlannedCell) => string | null;
  change?: (record: CellRecord) => void;
} = {}): Results {
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

/** @param record of a scenario of this project */
export function workloadFor(record: Pick<CellRecord, "scenario" | "parameters">): Workload {
  return workloadOf({ scenarios: SCENARIOS }, record);
}
