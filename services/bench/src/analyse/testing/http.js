/**
 * Made-up results of requests over HTTP and of TLS handshakes, consistent as those of results.js are.
 */
import { randomNumbers } from "../../statistics/random.js";
import { cellRecord, containerRecord, plannedCell, results } from "./results.js";

/** @import { CellRecord } from "../../model/cell.ts" */
/** @import { Parameters, PlannedCell, Scheme } from "../../model/plan.ts" */
/** @import { Results } from "../../model/record.ts" */

/** @type {Parameters} */
export const HTTP_PARAMETERS = {
  THREADS: 4,
  CONNECTIONS: 400,
  DURATION_SECONDS: 30,
  TIMEOUT_SECONDS: 2,
  SERVER_WORKERS: 4,
};

/** @type {Parameters} */
export const FILES_PARAMETERS = { REQUESTS: 5000, CONCURRENCY: 10, THREADS: 1, FILE_BYTES: 12 };

/** @type {Parameters} */
export const TLS_PARAMETERS = {
  CONNECTIONS: 2000,
  CONNECTIONS_PER_SECOND: 200,
  CONCURRENCY: 100,
  MESSAGE_BYTES: 1024,
  TLS_VERSION: 1.3,
  RESUMED: 0,
  RSA_BITS: 0,
};

/** Answer by themselves: what stands behind them idles. */
const SERVERS = ["nginx-files", "apache-files", "node-express", "node-hello"];

/**
 * @param {Partial<PlannedCell>} [cell]
 * @param {{requests?: number, seconds?: number, cpuUs?: number, serverCpuUs?: number}} [figures]
 * @returns {CellRecord} a good one of `http` or, with FILE_BYTES, of `files`
 */
export function httpRecord(
  cell = {},
  { requests = 240_000, seconds = 30, cpuUs = 60, serverCpuUs = 90 } = {},
) {
  const { parameters = HTTP_PARAMETERS, scenario = "http" } = cell;
  const record = cellRecord(
    {
      ...cell,
      scenario,
      parameters: { ...parameters, CONNECTIONS: 400, MESSAGES: 1, MESSAGE_BYTES: 0 },
    },
    { totalSeconds: seconds },
  );
  const { FILE_BYTES: bytes = 12 } = parameters;
  const { proxy } = record;
  const sides = proxy === "none" || SERVERS.includes(proxy) ? 1 : 2;
  const traffic = requests * (sides * (bytes + 150) + 80);
  const ownUs = sides === 1 ? serverCpuUs : cpuUs;
  const { echo, ...containers } = record.containers;
  const mean = (1000 * seconds * (parameters.CONCURRENCY ?? parameters.CONNECTIONS)) / requests;
  return {
    ...record,
    parameters,
    connections: null,
    messagesEchoed: null,
    handshakeMs: null,
    echoLatencyMs: null,
    echoWorkers: null,
    requests: { completed: requests, non2xx: 0, statuses: {}, socketErrors: {}, causes: [] },
    requestMs: {
      count: requests,
      mean,
      sd: 0.4 * mean,
      min: 0.1 * mean,
      median: 0.9 * mean,
      p90: 1.6 * mean,
      p95: 2 * mean,
      p99: 3 * mean,
      max: 5 * mean,
    },
    containers: {
      ...containers,
      [proxy]: containerRecord({
        role: "proxy",
        cpuSeconds: (ownUs * requests) / 1e6,
        peakBytes: 20e6,
        network: {
          rxBytes: traffic,
          txBytes: traffic,
          rxPackets: 4 * sides * requests,
          txPackets: 4 * sides * requests,
        },
      }),
      // Where nothing reaches it, it idles.
      echo: containerRecord({
        role: "echo",
        cpuSeconds: sides === 2 ? (serverCpuUs * requests) / 1e6 : 0.001,
        network:
          sides === 2
            ? {
                rxBytes: 100 * requests,
                txBytes: (bytes + 150) * requests,
                rxPackets: 2 * requests,
                txPackets: 2 * requests,
              }
            : { rxBytes: 800, txBytes: 900, rxPackets: 9, txPackets: 9 },
      }),
      "load-1": containerRecord({ role: "load", cpuSeconds: 0.5 * seconds }),
    },
  };
}

/**
 * nginx before 92 % of whose answers went wrong, as in the published comparison by wrk.
 *
 * @param {CellRecord} record
 */
export function spoil({ requests }) {
  if (!requests) throw new Error("no HTTP");
  Object.assign(requests, {
    non2xx: Math.round(0.92 * requests.completed),
    statuses: { 502: 1800 },
    socketErrors: { connect: 0, read: 3, write: 0, timeout: 0 },
    causes: [
      {
        service: "nginx",
        line: "connect() to 172.18.0.3:8080 failed (99: Cannot assign requested address) while connecting to upstream",
        count: 221_000,
      },
      { service: "echo", line: "something <b>else</b>", count: 2 },
    ],
  });
}

/**
 * @param {Results} base
 * @param {{scenario: string, scheme: Scheme, parameters: Parameters}[]} settings
 * @param {object} options
 * @param {number} options.rounds
 * @param {(cell: PlannedCell, off: () => number) => CellRecord | null} options.record null: skipped
 * @returns {Results}
 */
function resultsOf(base, settings, { rounds, record }) {
  const random = randomNumbers(1);
  const off = () => 1 + 0.02 * (2 * random() - 1);
  const cells = Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) =>
    settings.flatMap((setting) =>
      base.plan.proxies.map((proxy) => {
        const id = [
          `r${round}`,
          proxy,
          setting.scenario,
          setting.scheme,
          ...Object.values(setting.parameters),
        ].join("-");
        return plannedCell({ id, round, proxy, ...setting });
      }),
    ),
  );
  const records = cells.flatMap((cell) => {
    const made = record(cell, off);
    if (!made) cell.skip = `${cell.proxy} does not serve that`;
    return made ?? [];
  });
  return { ...base, plan: { ...base.plan, rounds, cells }, cells: records };
}

/** @type {Record<string, number>} requests a second before Node */
const SPEED = { none: 10_500, nginx: 8000, "haproxy-tcp": 9500, haproxy: 8200 };

/**
 * A run of `http` and `http-spring`.
 *
 * @param {{rounds?: number, names?: string[], change?: (record: CellRecord) => void}} [options] rounds: with six a comparison is
 *   tested, which takes its time; names: of the proxies
 * @returns {Results}
 */
export function httpResults({ rounds = 2, names = Object.keys(SPEED), change = () => {} } = {}) {
  const proxies = Object.fromEntries(names.map((name) => [name, {}]));
  const settings = [
    { scenario: "http", scheme: /** @type {const} */ ("ws"), parameters: HTTP_PARAMETERS },
    {
      scenario: "http-spring",
      scheme: /** @type {const} */ ("ws"),
      parameters: { ...HTTP_PARAMETERS, SERVER_WORKERS: 2 },
    },
  ];
  return resultsOf(results({ proxies }), settings, {
    rounds,
    record: (cell, off) => {
      const faster = cell.scenario === "http-spring" ? 1.6 : 1;
      const record = httpRecord(cell, {
        requests: Math.round(30 * SPEED[cell.proxy] * faster * off()),
        cpuUs: 60 * off(),
      });
      change(record);
      return record;
    },
  });
}

/** @type {Record<string, [fixedUs: number, usPerKb: number]>} time of a request over HTTP */
const FILES = {
  none: [210, 0.5],
  "node-hello": [190, 0],
  "node-express": [520, 0.9],
  "nginx-files": [90, 0.3],
  "apache-files": [120, 0.35],
  hitch: [230, 0.8],
  haproxy: [260, 0.7],
  "haproxy-tcp-hitch": [290, 0.9],
};

/**
 * A run of `files`. node-hello serves the smallest alone.
 *
 * @param {{rounds?: number, names?: string[], sizes?: number[], schemes?: Scheme[], change?: (record: CellRecord) => void}} [options] as
 *   of `httpResults`
 * @returns {Results}
 */
export function filesResults({
  rounds = 2,
  names = Object.keys(FILES),
  sizes = [12, 2216, 4879, 30192, 786432],
  schemes = ["ws", "wss"],
  change = () => {},
} = {}) {
  const base = results({ proxies: Object.fromEntries(names.map((name) => [name, {}])) });
  for (const one of base.proxies)
    if (one.name.endsWith("-hitch")) one.parts = [one.name, `${one.name}-tls`];
  const settings = schemes.flatMap((scheme) =>
    sizes.map((bytes) => ({
      scenario: "files",
      scheme,
      parameters: { ...FILES_PARAMETERS, FILE_BYTES: bytes },
    })),
  );
  return resultsOf(base, settings, {
    rounds,
    record: (cell, off) => {
      const { FILE_BYTES: bytes } = cell.parameters;
      if (cell.proxy === "node-hello" && bytes !== 12) return null;
      if (cell.proxy === "hitch" && cell.scheme === "ws") return null;
      const [fixed, perKb] = FILES[cell.proxy];
      const tls = cell.scheme === "wss" ? (cell.proxy === "none" ? 900 : 500) : 0;
      const us = (fixed + tls + perKb * (tls ? 1.7 : 1) * (bytes / 1024)) * off();
      const record = httpRecord(cell, {
        requests: 5000,
        seconds: (5000 * us) / 1e6,
        cpuUs: 0.5 * us,
        serverCpuUs: 0.4 * us,
      });
      // ab has one core.
      record.containers["load-1"] = containerRecord({
        role: "load",
        cpuSeconds: (0.5 * 5000 * us) / 1e6,
      });
      if (cell.proxy.endsWith("-hitch"))
        record.containers[`${cell.proxy}-tls`] = containerRecord({
          role: "proxy",
          cpuSeconds: (0.3 * 5000 * us) / 1e6,
        });
      change(record);
      return record;
    },
  });
}

/** @type {Record<string, number>} CPU µs of a connection with a full TLS 1.3 handshake under an ECDSA key */
const HANDSHAKES = { none: 420, nginx: 380, haproxy: 360, hitch: 330, "http-proxy": 1500 };

/**
 * A run of `tls-handshake`.
 *
 * @param {{rounds?: number, names?: string[]}} [options] as of `httpResults`
 * @returns {Results}
 */
export function tlsResults({ rounds = 2, names = Object.keys(HANDSHAKES) } = {}) {
  const proxies = Object.fromEntries(names.map((name) => [name, {}]));
  const settings = [0, 2048].flatMap((RSA_BITS) =>
    [1.2, 1.3].flatMap((TLS_VERSION) =>
      [0, 1].map((RESUMED) => ({
        scenario: "tls-handshake",
        scheme: /** @type {const} */ ("wss"),
        parameters: { ...TLS_PARAMETERS, TLS_VERSION, RESUMED, RSA_BITS },
      })),
    ),
  );
  return resultsOf(results({ proxies }), settings, {
    rounds,
    record: (cell, off) => {
      const { RESUMED, RSA_BITS, TLS_VERSION } = cell.parameters;
      const us =
        HANDSHAKES[cell.proxy] +
        (RESUMED ? -120 : RSA_BITS ? 700 : 0) +
        (TLS_VERSION === 1.2 ? -20 - 60 * RESUMED : 0);
      const record = cellRecord(
        { ...cell, parameters: { ...cell.parameters, MESSAGES: 1 } },
        { cpuUsPerHandshake: us * off(), handshakeMs: (us / 20) * off(), totalSeconds: 10 },
      );
      record.parameters = cell.parameters;
      record.sends = { due: cell.parameters.CONNECTIONS, late: 0, dropped: 0 };
      record.containers["load-1"] = containerRecord({ role: "load", cpuSeconds: 2.5 });
      record.tls = {
        version: `TLSv${TLS_VERSION}`,
        cipher:
          TLS_VERSION === 1.3
            ? "TLS_AES_128_GCM_SHA256"
            : `ECDHE-${RSA_BITS ? "RSA" : "ECDSA"}-AES128-GCM-SHA256`,
        group: "X25519",
        keyType: RSA_BITS ? `rsa ${RSA_BITS}` : "ecdsa P-256",
        resumed: RESUMED === 1,
      };
      return record;
    },
  });
}
