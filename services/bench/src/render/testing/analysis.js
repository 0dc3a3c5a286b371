/**
 * A made-up run for tests, with everything that can go wrong in it. The figures are near those measured for this project.
 *
 * @import { AnalysedCell, Analysis, Comparison, Finding, Measure, Row, Setting } from "../../analyse/types.js"
 * @import { CellRecord } from "../../model/cell.ts"
 * @import { ContainerRecord } from "../../model/container.ts"
 * @import { LatencySummary } from "../../model/load.ts"
 * @import { PlannedCell, Scheme } from "../../model/plan.ts"
 * @import { Results } from "../../model/record.ts"
 * @import { Curves } from "../model.js"
 */
import { workloadFor } from "../../analyse/testing/results.js";
import { SCENARIOS } from "../../plan/testing/scenarios.js";

/** @type {Results["proxies"]} */
const PROXIES = [
  { name: "none", title: "no proxy", colour: "#999999", parts: [] },
  { name: "nginx", title: "nginx", colour: "#009E73", parts: ["nginx"] },
  { name: "haproxy", title: "HAProxy", colour: "#0072B2", parts: ["haproxy"] },
  {
    name: "haproxy-hitch",
    title: "HAProxy + hitch",
    colour: "#56B4E9",
    parts: ["haproxy-hitch", "haproxy-hitch-tls"],
  },
  { name: "http-proxy", title: "http-proxy", colour: "#D55E00", parts: ["http-proxy"] },
];

/** Handshake ms, echo latency ms, CPU µs per handshake, peak MB at 10,000 connections. @type {Record<string, number[]>} */
const LEVELS = {
  none: [31.4, 21.8, 150, 92],
  nginx: [42.9, 26.8, 198, 26],
  haproxy: [43.3, 27.4, 194, 16],
  "haproxy-hitch": [43.1, 27.1, 195, 18],
  "http-proxy": [93.7, 51.2, 702, 126],
};

/** @type {Measure[]} */
const MEASURES = [
  {
    key: "handshake_ms_mean",
    title: "Handshaken, mean",
    unit: "ms",
    better: "lower",
    description: "From opening the socket to the open event, as k6 saw it.",
  },
  {
    key: "echo_latency_ms_mean",
    title: "Latency, mean",
    unit: "ms",
    better: "lower",
    description: "From sending a message to its echo.",
  },
  {
    key: "total_seconds",
    title: "Total",
    unit: "s",
    better: "lower",
    description: "First connection to last close.",
  },
  {
    key: "cpu_us_per_connection",
    title: "CPU per connection",
    unit: "µs",
    better: "lower",
    description:
      "User and system time of the proxy's cgroups over the measured phase, divided by connections.",
  },
  {
    key: "proxy_memory_growth_bytes",
    title: "Memory growth",
    unit: "bytes",
    better: "lower",
    description: "Highest sample of the proxy's cgroups, less the baseline.",
  },
  {
    key: "handshake_ms_p99",
    title: "Handshaken, p99",
    unit: "ms",
    better: "lower",
    description: "99th percentile.",
  },
];

/**
 * @param {{rounds?: number, connections?: number[], schemes?: Scheme[], proxies?: string[], interrupted?: boolean, hostile?: string}} [options]
 *   hostile: put into every text that comes from outside
 * @returns {{analysis: Analysis, curves: Curves}} the same for the same options
 */
export function sampleAnalysis({
  rounds = 6,
  connections = [2000, 5000, 10000],
  schemes = ["ws", "wss"],
  proxies = PROXIES.map(({ name }) => name),
  interrupted = false,
  hostile = "",
} = {}) {
  const random = generator(7);
  const chosen = PROXIES.filter(({ name }) => proxies.includes(name)).map((proxy) => ({
    ...proxy,
    title: proxy.title + hostile,
  }));
  /** @type {PlannedCell[]} */
  const planned = [];
  for (let round = 1; round <= rounds; round++) {
    for (const scheme of schemes) {
      for (const asked of connections) {
        for (const { name } of chosen) planned.push(plannedCell(round, name, scheme, asked));
      }
    }
  }
  const unfit = planned.find(({ round, proxy }) => round === rounds && proxy === "haproxy");
  if (unfit) unfit.skip = `needs 20,400 file descriptors, the engine grants 20,000${hostile}`;
  const ran = interrupted ? planned.slice(0, Math.floor(planned.length * 0.6)) : planned;

  /** @type {AnalysedCell[]} */
  const cells = [];
  ran.forEach((cell, i) => {
    if (cell.skip) {
      cells.push(skippedCell(cell));
      return;
    }
    // A failure that the second try mends, one that it does not, and a cell that ran and does not count.
    if (i === 3 || i === 11) cells.push(failedCell(cell, 1, hostile));
    if (i === 11) cells.push(failedCell(cell, 2, hostile));
    else cells.push(okCell(cell, i === 3 ? 2 : 1, i === 16, random, hostile));
  });

  const settings = schemes.flatMap((scheme) =>
    connections.map((asked) => setting(scheme, asked, cells, chosen, hostile)),
  );
  /** @type {Results} */
  const results = {
    schema: 2,
    run: {
      name: "20260131T230700Z-balancerbattle",
      startedAt: "2026-01-31T23:07:00Z",
      endedAt: interrupted ? null : "2026-02-01T00:51:12Z",
      command: `./bench run balancerbattle --seed 20260131 --rounds ${rounds}${hostile}`,
    },
    plan: {
      schema: 2,
      battle: "balancerbattle",
      title: `BalancerBattle, fought again${hostile}`,
      published: "balancerbattle-2013",
      proxies: chosen.map(({ name }) => name),
      rounds,
      seed: 20260131,
      proxyCpus: 0,
      workers: null,
      keyType: "ecdsa",
      scenarios: SCENARIOS,
      cells: planned,
    },
    environment: environment(hostile),
    proxies: chosen,
    cells: cells.map(({ record }) => record),
  };
  const curves = Object.fromEntries(
    cells
      .filter(({ record }) => record.proxy !== "none" && record.containers[record.proxy]?.memory)
      .map(({ record }) => [record.id, curve(record, random)]),
  );
  return {
    analysis: {
      results,
      confidence: 0.95,
      measures: MEASURES,
      machineIndices: [],
      settings,
      slopes: [],
      courses: [],
      operationCosts: [],
      delays: [],
      equalLoads: [],
      countsSocketBuffers: false,
      badAnswers: [],
      cpuByPlace: [],
      sameWork: [],
      handshakes: [],
      multiplexing: [],
      networkCosts: [],
      capacities: [],
      searchCells: [],
      survivals: [],
      storms: [],
      stalls: [],
      experimentCells: [],
      cells,
      pools: settings.map(poolOf),
      overview: null,
      asked: verdictsOf(settings, "").map(({ answers }) => poolOf(answers[0].settings[0])),
      verdicts: verdictsOf(settings, hostile),
      findings: [
        {
          gate: "incomplete",
          severity: "weak",
          figures: { open: 8, planned: 48 },
        },
        { gate: "shared-cores", severity: "note", figures: { cores: 2, busyPercent: 97.4 } },
      ],
      aa: null,
      noiseFloor: interrupted
        ? null
        : {
            run: "20260130T101500Z-aa-nginx",
            proxy: "nginx",
            connections: [1000],
            scenarios: ["short-lived"],
            rounds: 6,
            ratios: {
              cpu_us_per_connection: 1.012,
              handshake_ms_mean: 1.034,
              total_seconds: 1.021,
            },
          },
      published: published(settings.slice(0, 1), hostile),
    },
    curves,
  };
}

/**
 * @param {number} seed
 * @returns {() => number} 0 to 1; a linear congruential generator is random enough for a picture
 */
function generator(seed) {
  let state = seed;
  return () => (state = (state * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32;
}

/**
 * @param {number} round
 * @param {string} proxy
 * @param {Scheme} scheme
 * @param {number} asked
 * @returns {PlannedCell}
 */
function plannedCell(round, proxy, scheme, asked) {
  return {
    id: `r${round}-${proxy}-short-lived-${scheme}-${asked}`,
    round,
    proxy,
    profile: proxy,
    scenario: "short-lived",
    scheme,
    parameters: { CONNECTIONS: asked, CONCURRENCY: 100, MESSAGES: 1, MESSAGE_BYTES: 1024 },
    warmUp: { CONNECTIONS: 1000 },
    loads: 1,
    observed: true,
    limitSeconds: 120,
    skip: null,
  };
}

/**
 * @param {PlannedCell} cell
 * @param {number} attempt
 * @returns {CellRecord} of a cell that got nowhere
 */
function emptyRecord({ id, round, proxy, scenario, scheme, parameters }, attempt) {
  return {
    schema: 1,
    id,
    attempt,
    status: "failed",
    cause: null,
    round,
    proxy,
    scenario,
    scheme,
    parameters,
    startedAt: "2026-01-31T23:09:30Z",
    phases: { start: 1.84, verify: 0.31 },
    measured: null,
    connections: null,
    connectionsHeld: null,
    messagesEchoed: null,
    sends: null,
    totalSeconds: null,
    handshakeMs: null,
    echoLatencyMs: null,
    requests: null,
    requestMs: null,
    containers: {},
    echoWorkers: null,
    tls: null,
    machine: null,
    loadCores: 2,
  };
}

/**
 * @param {PlannedCell} cell
 * @returns {AnalysedCell}
 */
function skippedCell(cell) {
  const record = emptyRecord(cell, 1);
  record.status = "skipped";
  record.phases = {};
  record.cause = { kind: "skipped", message: String(cell.skip) };
  const about = { setting: settingKey(record), workload: workloadFor(record) };
  return { record, ...about, measures: {}, findings: [], counted: false };
}

/**
 * @param {PlannedCell} cell
 * @param {number} attempt
 * @param {string} hostile
 * @returns {AnalysedCell}
 */
function failedCell(cell, attempt, hostile) {
  const record = emptyRecord(cell, attempt);
  record.cause = {
    kind: "container-died",
    message: `${cell.proxy} ended with status 137 after 4.2 s of the measured phase${hostile}`,
  };
  record.connections = {
    asked: cell.parameters.CONNECTIONS,
    opened: 1204,
    failed: 37,
    failedByCause: { connect: 35, closed_early: 2 },
  };
  const about = { setting: settingKey(record), workload: workloadFor(record) };
  return { record, ...about, measures: {}, findings: [], counted: false };
}

/**
 * @param {PlannedCell} cell
 * @param {number} attempt
 * @param {boolean} invalid
 * @param {() => number} random
 * @param {string} hostile
 * @returns {AnalysedCell}
 */
function okCell(cell, attempt, invalid, random, hostile) {
  const [handshake, latency, cpu, peak] = LEVELS[cell.proxy];
  const tls = cell.scheme === "wss" ? 1.85 : 1;
  const asked = cell.parameters.CONNECTIONS;
  const noise = () => 0.96 + 0.08 * random();
  const record = emptyRecord(cell, attempt);
  record.status = "ok";
  record.handshakeMs = latencies(handshake * tls * noise(), asked);
  record.echoLatencyMs = latencies(latency * noise(), asked);
  record.totalSeconds = (asked / 2200) * (handshake / 31) * tls * noise();
  record.phases = {
    start: 1.84,
    verify: 0.31,
    warmUp: 1.2,
    load: 0.42,
    measure: record.totalSeconds + 0.2,
    stop: 0.66,
  };
  record.measured = { fromMs: Date.UTC(2026, 0, 31, 23, 9), toMs: Date.UTC(2026, 0, 31, 23, 10) };
  record.connections = { asked, opened: asked, failed: 0, failedByCause: {} };
  record.messagesEchoed = asked;
  const cpuSeconds = (cpu * (tls > 1 ? 2.4 : 1) * noise() * asked) / 1e6;
  const peakBytes = peak * 1e6 * (0.4 + (0.6 * asked) / 10000) * (tls > 1 ? 1.2 : 1) * noise();
  record.containers = {
    [cell.proxy]: container("proxy", cpuSeconds, peakBytes),
    echo: container("echo", (300 * asked) / 1e6, 90e6),
    load: container("load", (360 * asked * tls) / 1e6, 400e6),
    influxdb: container("observer", 0.21, 80e6),
  };
  const isGone = cell.proxy === "haproxy-hitch" && cell.scheme === "wss" && asked === 10000;
  if (isGone) record.containers[cell.proxy].memory = null;
  record.echoWorkers = [
    { connections: asked / 2 + 3, messages: asked / 2 + 3, refused: 0 },
    { connections: asked / 2 - 3, messages: asked / 2 - 3, refused: 0 },
  ];
  if (cell.scheme === "wss") {
    record.tls = {
      version: "TLSv1.3",
      cipher: "TLS_AES_128_GCM_SHA256",
      group: "X25519",
      keyType: "ecdsa",
      resumed: false,
    };
  }
  record.machine = {
    cores: 2,
    busySeconds: record.totalSeconds * 1.9,
    stealSeconds: 0.02,
    foreignSeconds: 0.11,
    benchSeconds: 0.09,
  };
  /** @type {Finding[]} */
  const findings = [];
  if (invalid) {
    findings.push({
      gate: "tls",
      severity: "invalid",
      figures: {
        what: "cipher",
        found: `DES-CBC3-SHA${hostile}`,
        expected: ["TLS_AES_128_GCM_SHA256"],
        isOfLoad: false,
      },
    });
  }
  return {
    record,
    setting: settingKey(record),
    workload: workloadFor(record),
    measures: {
      handshake_ms_mean: record.handshakeMs.mean,
      handshake_ms_p99: record.handshakeMs.p99,
      echo_latency_ms_mean: record.echoLatencyMs.mean,
      total_seconds: record.totalSeconds,
      cpu_us_per_connection: (cpuSeconds / asked) * 1e6,
      ...(!isGone && { proxy_memory_growth_bytes: peakBytes }),
    },
    findings,
    counted: !invalid,
  };
}

/**
 * @param {number} mean
 * @param {number} count
 * @returns {LatencySummary}
 */
function latencies(mean, count) {
  return {
    count,
    mean,
    sd: mean * 0.4,
    min: mean * 0.02,
    median: mean * 0.9,
    p90: mean * 1.7,
    p95: mean * 2,
    p99: mean * 3,
    p999: mean * 4.2,
    max: mean * 4.7,
  };
}

/**
 * @param {ContainerRecord["role"]} role
 * @param {number} cpuSeconds
 * @param {number} peakBytes
 * @returns {ContainerRecord}
 */
function container(role, cpuSeconds, peakBytes) {
  const reading = (/** @type {number} */ share) => ({
    usageBytes: peakBytes * share,
    workingSetBytes: peakBytes * share * 0.95,
    rssBytes: peakBytes * share * 0.7,
    kernelBytes: peakBytes * share * 0.2,
    socketBytes: null,
  });
  return {
    role,
    image: `ws-proxy-bench/${role}:1`,
    cpu: {
      userSeconds: cpuSeconds * 0.4,
      systemSeconds: cpuSeconds * 0.6,
      totalSeconds: cpuSeconds,
      throttledSeconds: 0,
    },
    memory: {
      baseline: reading(0.3),
      mean: reading(0.7),
      peak: reading(1),
      after: null,
      highWaterBytes: peakBytes * 1.02,
    },
    network: { rxBytes: 12e6, txBytes: 13e6, rxPackets: 60000, txPackets: 61000 },
    sockets: null,
  };
}

/** @param {Pick<CellRecord, "scheme" | "parameters">} record */
function settingKey({ scheme, parameters }) {
  return `short-lived-${scheme}-${parameters.CONNECTIONS}`;
}

/**
 * @param {Scheme} scheme
 * @param {number} asked
 * @param {AnalysedCell[]} cells
 * @param {Results["proxies"]} proxies
 * @param {string} hostile
 * @returns {Setting}
 */
function setting(scheme, asked, cells, proxies, hostile) {
  const parameters = { CONNECTIONS: asked, CONCURRENCY: 100, MESSAGES: 1, MESSAGE_BYTES: 1024 };
  const key = settingKey({ scheme, parameters });
  const own = cells.filter((cell) => cell.setting === key);
  return {
    key,
    scenario: "short-lived",
    scheme,
    parameters,
    workload: workloadFor({ scenario: "short-lived", parameters }),
    comparisons: MEASURES.map((measure) => comparison(measure, own, proxies, hostile)),
  };
}

/**
 * Not the statistics of the analysis: an interval is what five or more values span, a tie is what overlaps.
 *
 * @param {Measure} measure
 * @param {AnalysedCell[]} cells
 * @param {Results["proxies"]} proxies
 * @param {string} hostile
 * @returns {Comparison}
 */
function comparison(measure, cells, proxies, hostile) {
  const rows = proxies.map(({ name }) => {
    const values = cells
      .filter(({ counted, record }) => counted && record.proxy === name)
      .flatMap(({ measures }) => measures[measure.key] ?? []);
    const sorted = values.toSorted((a, b) => a - b);
    /** @type {Row} */
    const row = {
      proxy: name,
      values,
      median:
        sorted.length > 0
          ? { value: sorted[Math.floor(sorted.length / 2)], interval: spanned(sorted) }
          : null,
      missing:
        sorted.length > 0
          ? []
          : measure.key === "proxy_memory_growth_bytes" && cells.length > 0
            ? [{ kind: "unreadable" }]
            : [{ kind: "skipped", why: `No counted cell.${hostile}` }],
      toControl: null,
      toBest: null,
      rank: null,
      ties: [],
      p: null,
      badPercent: 0,
    };
    return row;
  });
  const isOwn = /cpu|memory/.test(measure.key);
  const control = isOwn ? null : rows.find(({ proxy }) => proxy === "none")?.median;
  const contenders = rows
    .filter(({ proxy, median }) => proxy !== "none" && median)
    .sort((a, b) => Number(a.median?.value) - Number(b.median?.value));
  const best = contenders[0]?.median;
  for (const row of rows) {
    if (!row.median) continue;
    if (control && row.proxy !== "none") row.toControl = over(row.median, control);
    if (best && row.proxy !== "none") row.toBest = over(row.median, best);
  }
  let rank = 1;
  contenders.forEach((row, i) => {
    const above = contenders[i - 1];
    const isTie = above && Number(row.median?.value) / Number(above.median?.value) < 1.04;
    if (!isTie) rank = i + 1;
    row.rank = rank;
    row.p = i > 0 && row.median?.interval ? (isTie ? 0.41 : 0.0004) : null;
  });
  for (const row of contenders) {
    row.ties = contenders
      .filter((one) => one !== row && one.rank === row.rank)
      .map((one) => one.proxy);
  }
  const enough = rows.every(({ values }) => values.length !== 1 && values.length !== 2);
  return {
    measure: measure.key,
    rows,
    relations: {},
    detectableRatio: enough ? 1.06 : null,
    findings: isOwn
      ? [{ gate: "control-own", severity: "note", figures: {} }]
      : [
          {
            gate: "spread",
            severity: "weak",
            figures: { limit: 25, proxies: [{ proxy: "nginx", percent: measure.key.length }] },
          },
        ],
  };
}

/**
 * @param {Setting} setting
 * @returns {Analysis["pools"][number]} of it alone
 */
function poolOf(setting) {
  return { rounds: 6, settings: [setting], comparisons: setting.comparisons };
}

/**
 * @param {number[]} sorted
 * @returns {[number, number] | null}
 */
function spanned(sorted) {
  return sorted.length >= 5 ? [sorted[0], sorted[sorted.length - 1]] : null;
}

/**
 * @param {{value: number, interval: [number, number] | null}} a
 * @param {{value: number, interval: [number, number] | null}} b
 */
function over(a, b) {
  const value = a.value / b.value;
  /** @type {[number, number] | null} */
  const interval = a.interval && b.interval ? [value * 0.97, value * 1.03] : null;
  return { value, interval, rounds: null };
}

/**
 * @param {CellRecord} record
 * @param {() => number} random
 */
function curve(record, random) {
  const length = Math.max(4, Math.round(record.totalSeconds ?? 0) + 1);
  const peak = record.containers[record.proxy].memory?.peak.usageBytes ?? 0;
  const seconds = Array.from({ length }, (_, i) => i);
  return {
    seconds,
    usageBytes: seconds.map(
      (s) => peak * (0.3 + 0.68 * Math.min(1, s / (length / 3))) * (0.99 + 0.02 * random()),
    ),
    cpuCores: seconds.map(() => 0.4 + 0.1 * random()),
  };
}

/**
 * @param {string} hostile
 * @returns {Results["environment"]}
 */
function environment(hostile) {
  return {
    schema: 1,
    identity: {
      kernel: "6.18.0",
      cores: 2,
      "image nginx": "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    },
    details: {
      Machine: {
        CPU: "AMD EPYC 7B13",
        cores: 2,
        memory: "24 GB",
        hypervisor: "KVM",
        governor: null,
      },
      engine: { docker: "20.10.24", compose: "2.26.1", cgroup: "v1", driver: "overlay2" },
      versions: {
        nginx: `nginx version: nginx/1.26.3 built with OpenSSL 3.5.1 1 Jul 2025 TLS SNI support enabled configure arguments: --with-cc-opt='-g -O2 -Werror=implicit-function-declaration -ffile-prefix-map=/build/reproducible-path/nginx-1.26.3=. -fstack-protector-strong' --with-http_ssl_module --with-threads${hostile}`,
        haproxy: "HAProxy version 3.0.11-1+deb13u1 2025/10/03 - https://haproxy.org/",
        "hitch --with-a-very-long-label-that-does-not-break": "hitch 1.8.0",
      },
    },
    advice: [
      {
        setting: "net.ipv4.tcp_max_tw_buckets",
        found: "65536",
        expected: "at least 262144",
        why: `Above it the kernel ends TIME-WAIT early, and logs.${hostile}`,
        fix: "sysctl -w net.ipv4.tcp_max_tw_buckets=262144",
        severity: "warn",
      },
      {
        setting: "cpu governor",
        found: "not readable",
        expected: "performance",
        why: "Clock changes are noise.",
        fix: "cpupower frequency-set -g performance",
        severity: "note",
      },
    ],
  };
}

/**
 * @param {Setting[]} settings
 * @param {string} hostile
 * @returns {Analysis["verdicts"]}
 */
function verdictsOf(settings, hostile) {
  const measure = "cpu_us_per_connection";
  const scope = { scenario: null, parameters: {}, description: null };
  const [first, ...others] = [...Map.groupBy(settings, ({ scheme }) => scheme).values()].map(
    (own) => own[own.length - 1],
  );
  const answers = [first, ...others].map((setting) => {
    const comparison = setting.comparisons.find((one) => one.measure === measure);
    if (!comparison) throw new Error(`${measure} is not compared`);
    const order = comparison.rows.filter(({ rank }) => rank !== null);
    order.sort((a, b) => Number(a.median?.value) - Number(b.median?.value));
    /** @type {Finding[]} */
    const caveats = [
      {
        gate: "no-figure",
        severity: "weak",
        figures: {
          proxies: ["haproxy"],
          missing: [{ kind: "skipped", why: `needs ${setting.scheme} descriptors${hostile}` }],
        },
      },
    ];
    return {
      settings: [setting],
      comparison,
      comparisons: setting.comparisons,
      singles: [],
      order,
      caveats,
    };
  });
  /** @type {Analysis["verdicts"]} */
  const verdicts = [
    {
      question: "best",
      measure,
      scope,
      answers,
      caveats: [{ gate: "whole-connections", severity: "note", figures: {} }],
    },
  ];
  const ratio = {
    value: 2.4,
    interval: /** @type {[number, number]} */ ([2.3, 2.5]),
    rounds: null,
  };
  const ratios = [{ proxy: "nginx", ratio }];
  if (others.length > 0)
    verdicts.push({
      question: "tls",
      measure,
      scope,
      answers: [{ settings: [others[0], first], ratios, caveats: [] }],
      caveats: [],
    });
  return verdicts;
}

/**
 * @param {Setting[]} settings of a single claim's place
 * @param {string} hostile
 * @returns {Analysis["published"]}
 */
function published(settings, hostile) {
  const rule = {
    measure: "total_seconds",
    of: "http-proxy",
    to: ["haproxy"],
    at: { scenario: "short-lived", scheme: settings[0].scheme },
  };
  const columns = ["proxy", "handshaken mean, ms", "latency mean, ms", "total, s"];
  return {
    title: "BalancerBattle",
    year: 2013,
    source: "https://github.com/observing/balancerbattle",
    machine: `two machines of 512 MB${hostile}`,
    note: "Single runs, closed loop; over wss the ciphers first differed.",
    tables: ["2,000", "5,000", "10,000"].flatMap((asked) =>
      ["ws", "wss"].map((scheme) => ({
        title: `${asked} connections, ${scheme}`,
        columns,
        rows: [
          ["nginx", 212.5, 128.1, 4.9],
          ["HAProxy", 198, 122, null],
          [`http-proxy${hostile}`, 381, 240, 9.2],
        ],
      })),
    ),
    claims: [
      {
        claim: `HAProxy is the fastest of the three.${hostile}`,
        rule: null,
        kind: "advice",
        reason: `What is fast is not said.${hostile}`,
        outcome: "inconclusive",
        figures: [],
        places: 0,
        isTold: false,
        battles: [],
      },
      {
        claim: "http-proxy is the slowest.",
        rule: { ...rule, min: 2 },
        outcome: "holds",
        figures: [
          {
            outcome: "holds",
            at: settings,
            other: "haproxy",
            estimate: { value: 3.6, interval: [3.5, 3.7] },
            ...{ queue: null, instead: null },
          },
        ],
        places: 1,
        isTold: true,
        battles: [],
      },
      {
        claim: "http-proxy takes less than HAProxy.",
        rule: { ...rule, max: 1 },
        outcome: "no longer",
        figures: [
          {
            ...{ outcome: "no longer", at: settings, other: "haproxy", estimate: null },
            ...{ queue: null, instead: null },
          },
        ],
        places: 1,
        isTold: true,
        battles: [],
      },
    ],
  };
}
