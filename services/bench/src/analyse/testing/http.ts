/**
 * Made-up results of requests over HTTP and of TLS handshakes, consistent as those of results.ts
 * are.
 */
import { cellRecord, containerRecord, latencies, runOf } from "./results.ts";
import type { CellRecord } from "../../model/cell.ts";
import type { Parameters, PlannedCell, Scheme } from "../../model/plan.ts";
import type { Results } from "../../model/record.ts";

const HTTP_PARAMETERS: Parameters = {
  ...{ THREADS: 4, CONNECTIONS: 400, DURATION_SECONDS: 30, TIMEOUT_SECONDS: 2, SERVER_WORKERS: 4 },
};

export const FILES_PARAMETERS: Parameters = {
  REQUESTS: 5000,
  CONCURRENCY: 10,
  THREADS: 1,
  FILE_BYTES: 12,
};

const TLS_PARAMETERS: Parameters = {
  ...{ CONNECTIONS: 2000, CONNECTIONS_PER_SECOND: 200, CONCURRENCY: 100, MESSAGE_BYTES: 1024 },
  ...{ TLS_VERSION: 1.3, RESUMED: 0, RSA_BITS: 0 },
};

/** Answer by themselves: what stands behind them idles. */
const SERVERS = ["none", "nginx-files"];

/** @returns a good one of `http` or, with FILE_BYTES, of `files` */
export function httpRecord(
  cell: Partial<PlannedCell> = {},
  {
    requests = 240_000,
    seconds = 30,
    cpuUs = 60,
    serverCpuUs = 90,
  }: { requests?: number; seconds?: number; cpuUs?: number; serverCpuUs?: number } = {},
): CellRecord {
  const { parameters = HTTP_PARAMETERS, scenario = "http" } = cell;
  const ofConnections = { ...parameters, CONNECTIONS: 400, MESSAGES: 1, MESSAGE_BYTES: 0 };
  const record = cellRecord(
    { ...cell, scenario, parameters: ofConnections },
    { totalSeconds: seconds },
  );
  const { FILE_BYTES: bytes = 12 } = parameters;
  const { proxy } = record;
  const isServer = SERVERS.includes(proxy);
  const sides = isServer ? 1 : 2;
  const mean = (1000 * seconds * (parameters.CONCURRENCY ?? parameters.CONNECTIONS)) / requests;
  const { p999, ...requestMs } = latencies(mean, requests);
  const network: (
    rxBytes: number,
    txBytes: number,
    packets: number,
  ) => CellRecord["containers"][string]["network"] = (rxBytes, txBytes, packets) => ({
    ...{ rxBytes, txBytes, rxPackets: packets, txPackets: packets },
  });
  const traffic = requests * (sides * (bytes + 150) + 80);
  return {
    ...record,
    parameters,
    ...{ connections: null, messagesEchoed: null, handshakeMs: null, echoLatencyMs: null },
    echoWorkers: null,
    requests: { completed: requests, non2xx: 0, statuses: {}, socketErrors: {}, causes: [] },
    requestMs,
    containers: {
      ...record.containers,
      [proxy]: containerRecord({
        role: "proxy",
        cpuSeconds: ((isServer ? serverCpuUs : cpuUs) * requests) / 1e6,
        peakBytes: 20e6,
        network: network(traffic, traffic, 4 * sides * requests),
      }),
      echo: containerRecord({
        role: "echo",
        cpuSeconds: isServer ? 0.001 : (serverCpuUs * requests) / 1e6,
        network: isServer
          ? network(800, 900, 9)
          : network(100 * requests, (bytes + 150) * requests, 2 * requests),
      }),
      "load-1": containerRecord({ role: "load", cpuSeconds: 0.5 * seconds }),
    },
  };
}

/** nginx before 92 % of whose answers went wrong, as in the published comparison by wrk. */
export function spoil({ requests }: CellRecord) {
  if (!requests) throw new Error("no HTTP");
  const line =
    "connect() to 172.18.0.3:8080 failed (99: Cannot assign requested address) while connecting to upstream";
  Object.assign(requests, {
    non2xx: Math.round(0.92 * requests.completed),
    statuses: { 502: 1800 },
    socketErrors: { connect: 0, read: 3, write: 0, timeout: 0 },
    causes: [
      { service: "nginx", line, count: 221_000 },
      { service: "echo", line: "something <b>else</b>", count: 2 },
    ],
  });
}

/** requests per second in front of Node */
const SPEED: Record<string, number> = {
  none: 10_500,
  nginx: 8000,
  "haproxy-tcp": 9500,
  haproxy: 8200,
};

/** rounds: with six a comparison is tested, which takes its time; names: of the proxies */
type Options = { rounds?: number; names?: string[]; change?: (record: CellRecord) => void };

/** A run of `http` and `http-spring`. */
export function httpResults({
  rounds = 2,
  names = Object.keys(SPEED),
  change = () => {},
}: Options = {}): Results {
  return runOf({
    ...{ rounds, proxies: names },
    settings: [
      { scenario: "http", parameters: HTTP_PARAMETERS },
      { scenario: "http-spring", parameters: { ...HTTP_PARAMETERS, SERVER_WORKERS: 2 } },
    ],
    records: (cell, off) => {
      const faster = cell.scenario === "http-spring" ? 1.6 : 1;
      const requests = Math.round(30 * SPEED[cell.proxy] * faster * off());
      const record = httpRecord(cell, { requests, cpuUs: 60 * off() });
      change(record);
      return [record];
    },
  });
}

/** time of a request over HTTP */
const FILES: Record<string, [fixedUs: number, usPerKb: number]> = {
  none: [210, 0.5],
  "nginx-files": [90, 0.3],
  hitch: [230, 0.8],
  "haproxy-tcp-hitch": [290, 0.9],
};

/** A run of `files`; hitch has no plain side. */
export function filesResults({
  rounds = 2,
  names = Object.keys(FILES),
  sizes = [12, 2216, 4879, 30192, 786432],
  schemes = ["ws", "wss"],
  change = () => {},
}: Options & { sizes?: number[]; schemes?: Scheme[] } = {}): Results {
  const run = runOf({
    ...{ rounds, proxies: names },
    settings: schemes.flatMap((scheme) =>
      sizes.map((FILE_BYTES) => ({
        ...{ scenario: "files", scheme, parameters: { ...FILES_PARAMETERS, FILE_BYTES } },
      })),
    ),
    records: (cell, off) => {
      const { proxy, scheme, parameters } = cell;
      const { FILE_BYTES: bytes } = parameters;
      if (proxy === "hitch" && scheme === "ws") {
        cell.skip = `${proxy} does not serve that`;
        return [];
      }
      const [fixed, perKb] = FILES[proxy];
      const tls = scheme === "wss" ? (proxy === "none" ? 900 : 500) : 0;
      const us = (fixed + tls + perKb * (tls ? 1.7 : 1) * (bytes / 1024)) * off();
      const seconds = (5000 * us) / 1e6;
      const about = { requests: 5000, seconds, cpuUs: 0.5 * us, serverCpuUs: 0.4 * us };
      const record = httpRecord(cell, about);
      // ab has one core.
      record.containers["load-1"] = containerRecord({ role: "load", cpuSeconds: 0.5 * seconds });
      if (proxy.endsWith("-hitch"))
        record.containers[`${proxy}-tls`] = containerRecord({
          ...{ role: "proxy", cpuSeconds: 0.3 * seconds },
        });
      change(record);
      return [record];
    },
  });
  for (const one of run.proxies)
    if (one.name.endsWith("-hitch")) one.parts = [one.name, `${one.name}-tls`];
  return run;
}

/** CPU µs of a connection with a full TLS 1.3 handshake under an ECDSA key */
const HANDSHAKES: Record<string, number> = { none: 420, nginx: 380 };

/** A run of `tls-handshake`. */
export function tlsResults({
  rounds = 2,
  names = Object.keys(HANDSHAKES),
}: Omit<Options, "change"> = {}): Results {
  return runOf({
    ...{ rounds, proxies: names },
    settings: [0, 2048].flatMap((RSA_BITS) =>
      [1.2, 1.3].flatMap((TLS_VERSION) =>
        [0, 1].map((RESUMED) => ({
          ...{ scenario: "tls-handshake", scheme: "wss" as const },
          parameters: { ...TLS_PARAMETERS, TLS_VERSION, RESUMED, RSA_BITS },
        })),
      ),
    ),
    records: (cell, off) => {
      const { parameters, proxy } = cell;
      const { RESUMED, RSA_BITS, TLS_VERSION } = parameters;
      const kind = RESUMED ? -120 : RSA_BITS ? 700 : 0;
      const us = HANDSHAKES[proxy] + kind + (TLS_VERSION === 1.2 ? -20 - 60 * RESUMED : 0);
      const record = cellRecord(
        { ...cell, parameters: { ...parameters, MESSAGES: 1 } },
        { cpuUsPerHandshake: us * off(), handshakeMs: (us / 20) * off(), totalSeconds: 10 },
      );
      record.parameters = parameters;
      record.sends = { due: parameters.CONNECTIONS, late: 0, dropped: 0 };
      record.containers["load-1"] = containerRecord({ role: "load", cpuSeconds: 2.5 });
      const tls12 = `ECDHE-${RSA_BITS ? "RSA" : "ECDSA"}-AES128-GCM-SHA256`;
      record.tls = {
        version: `TLSv${TLS_VERSION}`,
        cipher: TLS_VERSION === 1.3 ? "TLS_AES_128_GCM_SHA256" : tls12,
        group: "X25519",
        keyType: RSA_BITS ? `rsa ${RSA_BITS}` : "ecdsa P-256",
        resumed: RESUMED === 1,
      };
      return [record];
    },
  });
}
