import assert from "node:assert/strict";
import { test } from "node:test";
import { SCENARIOS } from "../plan/testing/scenarios.ts";
import { needsOf, phasesOf, preflight, refuseTooMany } from "./preflight.ts";
import type { Plan, PlannedCell } from "../model/plan.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Limits } from "./limits.ts";

const limits: Limits = {
  cores: 2,
  memoryBytes: 24 * 2 ** 30,
  availableBytes: 22 * 2 ** 30,
  softDescriptors: 1024,
  descriptorsPerProcess: 20_000,
  fileMax: 2_466_177,
  filesOpen: 800,
  conntrackMax: 262_144,
  conntrackCount: 212,
  pidMax: 4_194_304,
  portRange: { from: 1024, to: 65_535 },
};

const proxy: Proxy = {
  name: "nginx",
  title: "nginx",
  vendor: "v",
  colour: "#000000",
  shape: "circle",
  terminatesTls: true,
  speaksHttp: true,
  choosesTls13Cipher: true,
  addsForwardedHeaders: true,
  groups: [],
  tuned: true,
  onlyByName: false,
  sendsProxyProtocol: false,
  websocketsOverHttp2: false,
  serves: "websockets",
  schemes: ["ws", "wss"],
  maxConnections: null,
  processes: "one",
  descriptorLimit: null,
  sameWorkAs: null,
  variantOf: null,
  configChecks: [],
  versions: [],
  reload: null,
  drain: null,
  worker: null,
  generation: null,
  balances: false,
  hostNetwork: false,
};
const proxies: Proxy[] = [
  proxy,
  { ...proxy, name: "none" },
  { ...proxy, name: "pair" },
  { ...proxy, name: "plain", terminatesTls: false },
  { ...proxy, name: "tls", schemes: ["wss"] },
  { ...proxy, name: "small", maxConnections: 99 },
  { ...proxy, name: "forking", processes: "workers" },
  { ...proxy, name: "growing", processes: "many" },
  { ...proxy, name: "bounded", processes: "workers", descriptorLimit: 16_384 },
  { ...proxy, name: "balancing", processes: "workers", balances: true },
];
const workers = { proxy: 2, echo: 2 };
const services = {
  nginx: ["nginx"],
  none: ["none"],
  pair: ["pair", "pair-tls"],
  plain: ["plain"],
  tls: ["tls"],
  small: ["small"],
  forking: ["forking"],
  growing: ["growing"],
  bounded: ["bounded"],
  balancing: ["balancing"],
};

function cell(changes: Partial<PlannedCell> = {}): PlannedCell {
  const proxy = changes.proxy ?? "nginx";
  return {
    id: "r1-nginx-short-lived-ws-10000",
    round: 1,
    proxy,
    profile: proxy,
    scenario: "short-lived",
    scheme: "ws",
    parameters: { CONNECTIONS: 10_000, CONCURRENCY: 100, MESSAGES: 1, MESSAGE_BYTES: 1024 },
    warmUp: { CONNECTIONS: 2000 },
    loads: 1,
    observed: true,
    limitSeconds: 60,
    skip: null,
    ...changes,
  };
}

/** @returns after the preflight */
function checked(
  planned: PlannedCell,
  {
    limits: changes = {},
    proxyCpus = 0,
    noOneBudget,
    unavailable,
  }: {
    limits?: Partial<Limits>;
    proxyCpus?: number;
    noOneBudget?: string;
    unavailable?: Map<string, string>;
  } = {},
): PlannedCell {
  const about = { proxies, services, workers, noOneBudget, unavailable };
  return preflight(planOf(planned, proxyCpus), { ...limits, ...changes }, about).cells[0];
}

function planOf(planned: PlannedCell, proxyCpus = 0): Plan {
  return {
    schema: 2,
    battle: "b",
    title: "B",
    published: null,
    proxies: ["nginx", "none"],
    rounds: 1,
    seed: 1,
    proxyCpus,
    workers: null,
    keyType: "ecdsa",
    scenarios: SCENARIOS,
    cells: [planned],
  };
}

function phases(planned: PlannedCell) {
  return phasesOf({ scenarios: SCENARIOS }, planned);
}

test("needs of short connections through a proxy: warm-up included, two descriptors each", () => {
  assert.deepEqual(needsOf(phases(cell()), proxy, workers), {
    // Of 100 connections, more than 75 come to one of two workers once in a million times.
    descriptors: { proxy: 400, echo: 275, load: 300, inAll: 1000 },
    ports: { load: 7300, proxy: 1300 },
    conntrackEntries: 36_000,
    memoryBytes: 768 * 2 ** 20 + 100 * (256 * 2 ** 10 + 8 * 1024),
  });
});

test("the control takes one descriptor a connection, and asks no echo server behind it", () => {
  const needs = needsOf(phases(cell()), proxies[1], { proxy: 2, echo: 1 });
  assert.deepEqual(needs.descriptors, { proxy: 300, echo: 200, load: 300, inAll: 800 });
  assert.equal(needs.ports.proxy, 0);
});

test("what goes to the reference proxy needs descriptors, memory and conntrack entries too, and no port of the proxy's", () => {
  const beside = phasesOf({ scenarios: SCENARIOS, referenceShare: 0.125 }, cell());
  const needs = needsOf(beside, proxy, workers);
  // 115 at a time: 15 of them to the reference proxy, which has two sides.
  assert.deepEqual(needs.descriptors, { proxy: 400, echo: 285, load: 315, inAll: 1060 });
  assert.deepEqual(needs.ports, { load: 7300, proxy: 1300 });
  assert.equal(needs.conntrackEntries, 3 * (11_429 + 2286));
  assert.equal(needs.memoryBytes, 768 * 2 ** 20 + 115 * (256 * 2 ** 10 + 8 * 1024));
  const held = cell({ scenario: "idle", parameters: { CONNECTIONS: 1000 }, warmUp: null });
  assert.deepEqual(
    needsOf(phasesOf({ scenarios: SCENARIOS, referenceShare: 0.125 }, held), proxy, workers),
    needsOf(phases(held), proxy, workers),
    "memory of held connections is asked without it",
  );
});

test("without CONCURRENCY all connections are open at once; a warm-up with other messages opens as many", () => {
  const needs = needsOf(
    phases(cell({ parameters: { CONNECTIONS: 5000 }, warmUp: { MESSAGES: 1 } })),
    proxy,
    workers,
  );
  assert.equal(needs.descriptors.proxy, 10_200);
  assert.equal(needs.conntrackEntries, 30_000);
});

test("a warm-up that holds more open at a time counts", () => {
  const warmUp = { CONCURRENCY: 1000, MESSAGE_BYTES: 2048 };
  const needs = needsOf(phases(cell({ warmUp })), proxy, workers);
  assert.equal(needs.descriptors.load, 1200);
  assert.equal(needs.memoryBytes, 768 * 2 ** 20 + 1000 * (256 * 2 ** 10 + 8 * 2048));
});

test("held connections are shared by the processes of proxy and echo server", () => {
  const held = cell({
    scenario: "idle",
    parameters: { CONNECTIONS: 50_000, CONNECTIONS_PER_SECOND: 1000, HOLD_SECONDS: 30 },
    warmUp: null,
  });
  const forking = proxies.find(({ name }) => name === "forking") as Proxy;
  const { descriptors, ports } = needsOf(phases(held), forking, {
    proxy: 8,
    echo: 8,
  });
  // 6,250 each, and 5 times 74 more in one of them.
  assert.deepEqual(descriptors, { proxy: 13_440, echo: 6820, load: 50_200, inAll: 200_600 });
  assert.equal(ports.proxy, 55_000);
});

test("of a proxy that starts as many processes as it needs, no process runs out of descriptors", () => {
  const held = {
    scenario: "idle",
    parameters: { CONNECTIONS: 15_000, CONNECTIONS_PER_SECOND: 1000, HOLD_SECONDS: 30 },
    warmUp: null,
  };
  const growing = checked(cell({ proxy: "growing", ...held }));
  assert.equal(growing.skip, null);
  assert.match(String(checked(cell(held)).skip), /30,200 descriptors/);
});

test("dropped connections all wait, on the side that closed first, for a minute", () => {
  const churn = { CONNECTIONS_PER_SECOND: 200, CHURN_SECONDS: 90, CONCURRENCY: 100 };
  const { ports, descriptors, conntrackEntries } = needsOf(
    phases(cell({ scenario: "churn", parameters: churn, warmUp: null })),
    proxy,
    workers,
  );
  assert.deepEqual(ports, { load: 100 + 12_000, proxy: 100 + 12_000 });
  assert.equal(descriptors.proxy, 400);
  assert.equal(conntrackEntries, 3 * 18_000);
});

test("a cell is skipped for want of descriptors in the echo server", () => {
  const held = cell({
    proxy: "none",
    parameters: { CONNECTIONS: 9000, CONCURRENCY: 9000 },
    warmUp: null,
  });
  const planned = { ...held, profile: "forking", proxy: "forking" };
  const plan = { proxyCpus: 0, scenarios: SCENARIOS, cells: [planned] } as Plan;
  const about = { proxies, services, workers: { proxy: 8, echo: 1 } };
  const [{ skip }] = preflight(plan, { ...limits, descriptorsPerProcess: 9000 }, about).cells;
  assert.equal(
    skip,
    "needs 9,200 descriptors in the busiest process of the echo server; the engine's hard limit is 9,000 per process (soft: 1,024)",
  );
});

test("a cell that fits stays as it is, and the plan given is not changed", () => {
  const planned = Object.freeze(cell());
  assert.deepEqual(checked(planned), planned);
});

const many = { CONNECTIONS: 30_100, CONCURRENCY: 30_100, MESSAGES: 1, MESSAGE_BYTES: 1024 };
for (const [title, planned, changes, expected] of [
  [
    "descriptors in the proxy",
    cell({ parameters: many, warmUp: null }),
    {},
    "needs 60,400 descriptors in the proxy, in its one process; the engine's hard limit is 20,000 per process (soft: 1,024)",
  ],
  [
    "descriptors in the busiest of its processes",
    cell({ proxy: "forking", parameters: many, warmUp: null }),
    {},
    "needs 31,168 descriptors in the proxy, in the busiest of its processes; the engine's hard limit is 20,000 per process (soft: 1,024)",
  ],
  [
    "descriptors that its configuration allows",
    cell({ proxy: "bounded", parameters: many, warmUp: null }),
    { descriptorsPerProcess: 1_000_000 },
    "needs 31,168 descriptors in the proxy, in the busiest of its processes; its configuration allows 16,384 per process",
  ],

  [
    "descriptors of the machine",
    cell(),
    { fileMax: 1700, filesOpen: 800 },
    "needs 1,000 descriptors in all, the machine has 900 left (fs.file-max)",
  ],
  [
    "ports of the proxy",
    cell({ parameters: { CONNECTIONS: 700_000, CONCURRENCY: 100 }, warmUp: null }),
    {},
    "needs 70,100 ports from the proxy to the echo server, one address has 64,512",
  ],
  [
    "conntrack entries",
    cell({ parameters: { CONNECTIONS: 100_000, CONCURRENCY: 100 }, warmUp: null }),
    {},
    "needs 300,000 conntrack entries, 261,932 are left (net.netfilter.nf_conntrack_max)",
  ],
  [
    "memory",
    cell(),
    { availableBytes: 512 * 2 ** 20 },
    "needs 794 MiB of memory, 512 MiB are available",
  ],
  ["TLS", cell({ proxy: "plain", scheme: "wss" }), {}, "plain does not terminate TLS"],
  ["a scheme", cell({ proxy: "tls" }), {}, "tls does not serve ws"],
  ["HTTP", cell({ proxy: "tls", scenario: "files" }), {}, "tls does not serve http"],
  [
    "connections",
    cell({ proxy: "small" }),
    {},
    "opens 100 connections at a time, small holds at most 99",
  ],
] as const) {
  test(`a cell is skipped for want of ${title}`, () => {
    assert.equal(checked(planned, { limits: changes }).skip, expected);
  });
}

test("cells of a proxy that is not available here are skipped, with the reason", () => {
  const unavailable = new Map([["small", "no registry answers"]]);
  const few = { ...cell().parameters, CONCURRENCY: 50 };
  assert.equal(checked(cell({ proxy: "small", parameters: few })).skip, null);
  const skipped = checked(cell({ proxy: "small", parameters: few }), { unavailable });
  assert.equal(skipped.skip, "no registry answers");
  assert.equal(checked(cell(), { unavailable }).skip, null);
});

test("a proxy without TLS runs over ws, one of TLS alone over wss", () => {
  assert.equal(checked(cell({ proxy: "plain" })).skip, null);
  assert.equal(checked(cell({ proxy: "tls", scheme: "wss" })).skip, null);
});

test("a soft limit refuses nothing, the hard limit what cannot be held", () => {
  const held = cell({
    scenario: "idle",
    parameters: { CONNECTIONS: 2000, CONNECTIONS_PER_SECOND: 500, HOLD_SECONDS: 5 },
    warmUp: null,
  });
  assert.equal(checked(held, { limits: { softDescriptors: 1024 } }).skip, null);
  const { skip } = checked(held, { limits: { softDescriptors: 512, descriptorsPerProcess: 1024 } });
  assert.equal(
    skip,
    "needs 4,200 descriptors in the proxy, in its one process; the engine's hard limit is 1,024 per process (soft: 512)",
  );
});

test("cells that run at once share the machine, and each has its own processes and ports", () => {
  const parameters = { ...many, CONNECTIONS: 9000, CONCURRENCY: 9000 };
  const planned = cell({ proxy: "none", parameters, warmUp: null });
  const skipOf = (plan: Partial<Plan>, changes: Partial<Limits>) => {
    const about = { proxies, services, workers };
    return preflight({ ...planOf(planned), ...plan }, { ...limits, ...changes }, about).cells[0]
      .skip;
  };
  const atOnce = { sideBySide: true as const, proxies: ["none", "nginx", "pair"] };
  assert.equal(skipOf(atOnce, {}), null);
  const few = { fileMax: 40_000, filesOpen: 0 };
  assert.equal(skipOf({}, few), null);
  assert.match(skipOf(atOnce, few) ?? "", /descriptors in all, the machine has 40,000 left/);
  const little = { availableBytes: 2 ** 32 };
  assert.equal(skipOf({}, little), null);
  assert.match(skipOf(atOnce, little) ?? "", /MiB of memory, 4,096 MiB are available/);
});

test("limits that are not known stop nothing", () => {
  const unknown = {
    cores: null,
    availableBytes: null,
    softDescriptors: null,
    descriptorsPerProcess: null,
    fileMax: null,
    conntrackMax: null,
    conntrackCount: null,
  };
  const planned = checked(cell({ parameters: many, warmUp: null }), {
    limits: unknown,
    proxyCpus: 99,
  });
  assert.equal(planned.skip, null);
  assert.equal(planned.loads, 1);
});

test("load that does not fit one process is split, by descriptors or by ports", () => {
  const held = { CONNECTIONS: 9900, CONCURRENCY: 9900 };
  const byDescriptors = { descriptorsPerProcess: 5150 };
  assert.equal(checked(cell({ parameters: held, warmUp: null })).loads, 1);
  assert.equal(
    checked(cell({ parameters: held, warmUp: null }), { limits: byDescriptors }).loads,
    2,
  );
  const unlimited = { conntrackMax: null };
  const long = cell({ parameters: { CONNECTIONS: 200_000, CONCURRENCY: 100 }, warmUp: null });
  assert.equal(checked(long, { limits: unlimited }).loads, 2);
});

test("more held connections than one address has ports for quickly are shared by several echo servers, where the proxy balances", () => {
  const held = (CONNECTIONS: number, proxy: string) =>
    checked(
      cell({
        ...{ proxy, scenario: "idle", warmUp: null },
        parameters: { CONNECTIONS, CONNECTIONS_PER_SECOND: 1000, HOLD_SECONDS: 30 },
      }),
      { limits: { descriptorsPerProcess: null, conntrackMax: null, availableBytes: null } },
    );
  assert.equal("servers" in held(20_000, "balancing"), false);
  assert.equal(held(50_000, "balancing").servers, 2);
  // 110,000 ports: more than an address has at all.
  const many = held(100_000, "balancing");
  assert.deepEqual([many.servers, many.skip], [4, null]);
  const alone = held(100_000, "forking");
  assert.equal("servers" in alone, false);
  assert.match(String(alone.skip), /needs 110,000 ports from the proxy to the echo server/);
  assert.equal("servers" in held(50_000, "none"), false);
});

test("a plan that splits the load further keeps its number", () => {
  assert.equal(checked(cell({ loads: 3 })).loads, 3);
});

test("an earlier reason to skip stays", () => {
  assert.equal(
    checked(cell({ skip: "earlier" }), { limits: { availableBytes: 1 } }).skip,
    "earlier",
  );
});

test("a part of a core is shared by two containers where the engine lets them, whole ones always", () => {
  const pair = cell({ proxy: "pair" });
  assert.equal(checked(pair, { proxyCpus: 0.5 }).skip, null);
  assert.match(
    checked(pair, { proxyCpus: 0.5, noOneBudget: "its cgroup driver is systemd" }).skip ?? "",
    /0\.5 cores would apply to each of the 2 containers of pair, .* \(its cgroup driver is systemd\)/,
  );
  assert.equal(checked(pair, { proxyCpus: 1, noOneBudget: "no" }).skip, null);
  assert.equal(checked(cell(), { proxyCpus: 0.5, noOneBudget: "no" }).skip, null);
});

test("a budget that the kernel does not grant is refused", () => {
  assert.throws(() => checked(cell(), { proxyCpus: 0.05 }), {
    message: /a CPU budget of 0\.05 cores .* every 10 ms/,
    next: /^Expected 0, .* or at least 0\.1\./,
    exitCode: 2,
  });
  assert.equal(checked(cell(), { proxyCpus: 0.1 }).skip, null);
});

for (const [cores, budget, most] of [
  [2, 4, 2],
  [2, 2.5, 2],
  [4, 3, 2],
  [8, 8.5, 8],
] as const) {
  test(`a budget of ${budget} cores is refused on ${cores}`, () => {
    assert.throws(() => checked(cell(), { limits: { cores }, proxyCpus: budget }), {
      message: new RegExp(`a CPU budget of ${budget} cores .* a machine of ${cores}`),
      next: new RegExp(`^Expected at most ${most}[:.]`),
      exitCode: 2,
    });
  });
}

test("a budget that fits is accepted", () => {
  for (const [cores, proxyCpus] of [
    [2, 2],
    [4, 2],
    [4, 3.5],
    [2, 0],
  ])
    assert.equal(checked(cell(), { limits: { cores }, proxyCpus }).skip, null);
});

test("a copy of a proxy needs what the proxy does", () => {
  const copy = cell({ proxy: "plain-copy", profile: "plain", scheme: "wss" });
  assert.equal(checked(copy).skip, "plain does not terminate TLS");
});

test("HTTP: a server's own number of processes counts; a load that cannot be shared is not", () => {
  const http = cell({
    scenario: "http",
    parameters: { CONNECTIONS: 400, THREADS: 4, DURATION_SECONDS: 30, SERVER_WORKERS: 4 },
    warmUp: null,
  });
  // Four processes get fewer each than the two that `workers` says.
  assert.ok(needsOf(phases(http), proxy, workers).descriptors.echo < 200 + 200);
  assert.deepEqual([checked(http).skip, checked(http).loads], [null, 1]);
  const few = { descriptorsPerProcess: 500 };
  assert.match(
    checked(http, { limits: few }).skip ?? "",
    /^needs 2 load containers, .* cannot be combined$/,
  );
  assert.equal(checked(cell(), { limits: { descriptorsPerProcess: 290 } }).loads, 2);
});

const SURVIVE = { scenario: "survive", parameters: { CONNECTIONS: 12_000 }, warmUp: null };

test("more held connections than there can be, asked for by number, are refused with how many there can be", () => {
  const about = { proxies, services, workers };
  const refuse = (changes: Partial<PlannedCell>) =>
    refuseTooMany(planOf(cell({ ...SURVIVE, ...changes })), limits, about);
  assert.throws(() => refuse({}), {
    message: /^12,000 connections cannot be held: r1-nginx-.* needs 24,200 descriptors/,
    next: /^Expected at most 9,900 through nginx: give fewer with --connections/,
    exitCode: 2,
  });
  refuse({ proxy: "growing" });
  refuse({ parameters: { CONNECTIONS: 9900 } });
  refuse({ skip: "has none: it cannot reload" });
  // Elsewhere such a cell is left out, with its reason.
  refuse({ scenario: "idle", parameters: { CONNECTIONS: 12_000 } });
  assert.throws(() => refuse({ proxy: "growing", parameters: { CONNECTIONS: 50_000 } }), {
    message: /needs 3 load containers, and their results cannot be combined/,
    next: /at most 19,800/,
  });
});

test("on the machine's own network all connections have one address, with the machine's own ports", () => {
  const { "short-lived": described, ...others } = SCENARIOS;
  const parameterNames = { ...described.parameterNames, hostNetwork: "HOST_NETWORK" };
  const scenarios = { ...others, "short-lived": { ...described, parameterNames } };
  const hostPortRange = { from: 32_768, to: 60_999 };
  const with60000 = (HOST_NETWORK: number, loadMachines = 1) => {
    const planned = cell({ warmUp: null });
    const parameters = { ...planned.parameters, CONNECTIONS: 60_000, HOST_NETWORK };
    const plan = { ...planOf({ ...planned, parameters }), scenarios };
    const about = { proxies, services, workers, loadMachines };
    const { skip, loads } = preflight(plan, { ...limits, hostPortRange }, about).cells[0];
    return { skip, loads };
  };
  assert.deepEqual(with60000(0), { skip: null, loads: 1 });
  const { skip } = with60000(1);
  assert.match(
    skip ?? "",
    /^needs 2 load containers, which would share one address .*32768 to 60999/,
  );
  // Two load machines have two addresses; what is left is the way from the proxy to its server.
  assert.doesNotMatch(with60000(1, 2).skip ?? "", /one address/);
});
