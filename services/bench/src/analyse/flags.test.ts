import assert from "node:assert/strict";
import { test } from "node:test";
import type { Flag } from "../model/flag.ts";
import type { CellRecord } from "../model/cell.ts";
import { flagsOf, isVoidedBy } from "./flags.ts";
import { FILES_PARAMETERS, httpRecord, spoil, tlsResults } from "./testing/http.ts";
import { codes } from "./testing/look.ts";
import { cellRecord, idleRecord, PARAMETERS, POLICY, workloadFor } from "./testing/results.ts";

const KINDS = ["time", "rate", "cpu", "memory", "count", "share"] as const;

function found(record: CellRecord, more = {}): Flag[] {
  const workload = workloadFor(record);
  return flagsOf(record, {
    workload,
    policy: POLICY,
    plan: { keyType: "ecdsa" },
    profile: record.proxy,
    ...more,
  });
}

/** What a change leads to: nothing but that flag, or nothing. */
type Row = [change: (record: CellRecord) => unknown, what?: string, figures?: object];

function rows(name: string, make: () => CellRecord, all: Row[]): void {
  test(name, () => {
    for (const [change, ...expected] of all) {
      const record = make();
      change(record);
      const told = found(record).map(({ code, severity, figures }) => [
        `${code} ${severity}`,
        JSON.parse(JSON.stringify(figures), (_, value) =>
          typeof value === "number" ? Number(value.toPrecision(6)) : value,
        ),
      ]);
      assert.deepEqual(told, expected.length > 0 ? [expected] : [], String(change));
    }
  });
}

const ofProxy = ({ containers, proxy }: CellRecord) => containers[proxy];
const set =
  (part: "machine" | "tls" | "sends" | "requests", changes: object) => (record: CellRecord) =>
    Object.assign(record[part] ?? {}, changes);
const generator = (seconds: number) => (record: CellRecord) =>
  (record.containers["load-1"].cpu.totalSeconds = seconds);
const proxyCpu = (seconds: number) => (record: CellRecord) =>
  (ofProxy(record).cpu.totalSeconds = seconds);
const busy = (percent: number) => (record: CellRecord) =>
  set("machine", { busySeconds: (percent / 100) * 2 * Number(record.totalSeconds) })(record);
const unseen = (record: CellRecord) => (ofProxy(record).network = null);

const secured = () => cellRecord({ scheme: "wss" });
const files = (proxy: string, FILE_BYTES = 12) =>
  httpRecord(
    { scenario: "files", proxy, parameters: { ...FILES_PARAMETERS, FILE_BYTES } },
    { requests: 5000, seconds: 5, cpuUs: 100, serverCpuUs: 100 },
  );

test("a good cell has no flag, whatever stands in the proxy's place", () => {
  for (const proxy of ["nginx", "none"])
    for (const record of [
      ...(["ws", "wss"] as const).map((scheme) => cellRecord({ proxy, scheme })),
      ...[idleRecord({ proxy }), httpRecord({ proxy })],
    ])
      assert.deepEqual(found(record), [], `${proxy} ${record.scenario}`);
  for (const proxy of ["none", "haproxy", "nginx-files"]) assert.deepEqual(found(files(proxy)), []);
  for (const record of tlsResults({ rounds: 1 }).cells) assert.deepEqual(found(record), []);
});

rows("a failed cell is not judged", secured, [
  [(record) => Object.assign(record, { status: "failed", tls: null })],
]);

const GENERATOR = { percent: 86, limit: 80, cores: 2, isBounded: false };
const SATURATED = { percent: 96, limit: 90, loop: "closed", atATime: 100 };
const SHORT = { tickSeconds: 0.01, repeats: "connections" };
rows("what the machine, its generator and others leave to a cell", secured, [
  [generator(7.9)],
  [generator(8.6), "generator-busy invalid", GENERATOR],
  [busy(89)],
  [busy(96), "saturated weak", SATURATED],
  [proxyCpu(0.11)],
  [proxyCpu(0.08), "too-short weak", { ...SHORT, cpuSeconds: 0.08, percent: 25, limit: 20 }],
  [proxyCpu(0.04), "too-short invalid", { ...SHORT, cpuSeconds: 0.04, percent: 50, limit: 40 }],
  [set("machine", { stealSeconds: 0.19 })],
  [set("machine", { stealSeconds: 0.5 }), "steal weak", { percent: 5, limit: 2 }],
  [set("machine", { stealSeconds: 1.5 }), "steal invalid", { percent: 15, limit: 10 }],
  [set("machine", { foreignSeconds: 0.99 })],
  [set("machine", { foreignSeconds: 1.5 }), "foreign-load weak", { percent: 15, limit: 10 }],
  [set("machine", { foreignSeconds: 3 }), "foreign-load invalid", { percent: 30, limit: 20 }],
  [(record) => (record.machine = null), "machine-unknown weak", {}],
  [(record) => (ofProxy(record).memory = null), "memory-unknown note", {}],
]);

rows(
  "the control's CPU time is not compared, and may be short",
  () => cellRecord({ proxy: "none" }),
  [[proxyCpu(0.01)]],
);

const SUITES = ["TLS_AES_128_GCM_SHA256"];
const tls = (what: string, is: string, expected: string[], isOfLoad = false): [string, object] => [
  "tls invalid",
  { what, found: is, expected, isOfLoad },
];
rows("TLS other than the policy's best voids the cell", secured, [
  [set("tls", { cipher: "other" }), ...tls("cipher", "other", SUITES)],
  [set("tls", { group: "X25519MLKEM768" }), ...tls("group", "X25519MLKEM768", ["X25519"])],
  [set("tls", { keyType: "rsa 2048" }), ...tls("key", "rsa 2048", ["ecdsa"])],
  [set("tls", { resumed: true }), ...tls("session", "resumed", ["new"])],
  [set("tls", { version: "TLSv1.2" }), ...tls("version", "TLSv1.2", ["TLSv1.3"])],
  [(record) => (record.tls = null), "tls-unknown invalid", {}],
]);
rows("a cell without TLS is not asked for it", cellRecord, [[(record) => (record.tls = null)]]);

const handshake = (wanted: object) => () => {
  const made = tlsResults({ rounds: 1, names: ["nginx"] }).cells.find(({ parameters }) =>
    Object.entries(wanted).every(([name, value]) => parameters[name] === value),
  );
  assert.ok(made);
  return made;
};
rows(
  "TLS is judged by what the load asks for; a resumed session of TLS 1.2 has no group",
  handshake({ RSA_BITS: 2048, TLS_VERSION: 1.2, RESUMED: 1 }),
  [
    [set("tls", { keyType: "ecdsa P-256" }), ...tls("key", "ecdsa P-256", ["rsa 2048"], true)],
    [set("tls", { resumed: false }), ...tls("session", "new", ["resumed"], true)],
    [set("tls", { group: "none" })],
  ],
);
rows("one of TLS 1.3 has a group", handshake({ TLS_VERSION: 1.3, RESUMED: 1 }), [
  [set("tls", { group: "none" }), ...tls("group", "none", ["X25519"], true)],
]);
test("another version than the load asks for", () => {
  const record = handshake({ TLS_VERSION: 1.2 })();
  set("tls", { version: "TLSv1.3" })(record);
  assert.deepEqual(found(record)[0].figures, tls("version", "TLSv1.3", ["TLSv1.2"], true)[1]);
});

test("traffic that did not pass the proxy on both sides voids the cell", () => {
  const bypassed = (parameters: object, change: (network: Record<string, number>) => void) => {
    const record = cellRecord({ parameters: { ...PARAMETERS, ...parameters } });
    change(ofProxy(record).network as unknown as Record<string, number>);
    const flags = found(record);
    assert.ok(flags.every((one) => one.code === "bypassed" && one.severity === "invalid"));
    return flags.flatMap((one) => (one.code === "bypassed" ? one.figures : []));
  };
  const [half] = bypassed({ MESSAGES: 100 }, (network) => {
    for (const key of Object.keys(network)) network[key] /= 2;
  });
  assert.deepEqual([half.what, half.least], ["rxBytes", 409_600_000]);
  assert.ok(half.found < half.least);
  const few = bypassed({ MESSAGE_BYTES: 1 }, (network) =>
    Object.assign(network, { rxPackets: 900, txPackets: 900 }),
  );
  const packets = few.find(({ what }) => what === "rxPackets");
  assert.deepEqual(packets, { what: "rxPackets", found: 900, least: 8000 });
});

const ECHO = { what: "connections", generator: 2000, limit: 5 };
const strays = (more: number) => (record: CellRecord) => {
  if (record.echoWorkers) record.echoWorkers[0].connections += more;
};
const oneFailed = (strayed: number) => (record: CellRecord) => {
  const counts = { opened: 1999, failed: 1, failedByCause: { timeout: 1 } };
  Object.assign(record.connections ?? {}, counts);
  strays(strayed)(record);
};
const FAILED = { failed: 1, asked: 2000, percent: 0.05, limit: 0.1 };
rows("the echo server counts what the generator does; who failed may have reached it", secured, [
  [unseen, "bypass-unknown weak", {}],
  [strays(5)],
  [strays(6), "echo-count invalid", { ...ECHO, echo: 2006 }],
  [strays(-1), "echo-count invalid", { ...ECHO, echo: 1999 }],
  [(record) => (record.echoWorkers = null), "echo-count-unknown weak", {}],
  ...[-1, 0, 5].map((strayed): Row => [oneFailed(strayed), "failed note", FAILED]),
]);
test("more strays than failed connections explain", () => {
  const record = secured();
  oneFailed(6)(record);
  assert.equal(found(record)[0].code, "echo-count");
});

test("on the machine's own network nobody counts a proxy's traffic, which weakens nothing", () => {
  const record = cellRecord({ parameters: { ...PARAMETERS, HOST_NETWORK: 1 } });
  unseen(record);
  const [flag, ...others] = found(record, {
    workload: { ...workloadFor(record), hostNetwork: 1 },
  });
  assert.deepEqual([flag.code, flag.severity, others], ["bypass-unknown", "note", []]);
});

const IDLE = { cpuSeconds: 0.01, tickSeconds: 0.01, percent: 200, limit: 40, repeats: null };
rows(
  "connections that are held: opened before, held throughout, and a proxy may idle",
  idleRecord,
  [
    [
      (record) => {
        record.messagesEchoed = 0;
        record.echoWorkers = [{ connections: 0, messages: 0, refused: 0 }];
        ofProxy(record).network = { rxBytes: 0, txBytes: 0, rxPackets: 0, txPackets: 0 };
      },
    ],
    ...[
      { from: 999, to: 1000 },
      { from: 1000, to: 999 },
    ].map((held): Row => [
      (record) => (record.connectionsHeld = held),
      "not-held invalid",
      { ...held, asked: 1000 },
    ]),
    [proxyCpu(0.01), "too-short note", IDLE],
    [busy(96), "saturated weak", { ...SATURATED, loop: "open", atATime: 1000 }],
    [set("sends", { late: 250, dropped: 50 })],
    [set("sends", { late: 300 }), "late weak", { percent: 6, limit: 5, due: 5000 }],
    [set("sends", { dropped: 100 }), "dropped weak", { percent: 2, limit: 1, due: 5000 }],
  ],
);

const MIXED = { CONNECTIONS: 1000, ARRIVALS_PER_SECOND: 10, MIXED_SECONDS: 5, MESSAGE_BYTES: 1024 };
const mixed = (): CellRecord => ({
  ...idleRecord({ scenario: "mixed", parameters: MIXED }),
  connections: { asked: 1050, opened: 1050, failed: 0, failedByCause: {} },
  messagesEchoed: 5050,
  echoWorkers: [{ connections: 50, messages: 5050, refused: 0 }],
});
const COUNT = { limit: 5, generator: 50, what: "connections" };
/** Of the reference proxy 250 are held, too, and 12 come and go. */
const withReference = (record: CellRecord) => {
  record.reference = { connections: 262, held: 250, messages: 1262, requests: 0 };
  record.echoWorkers = [{ connections: 62, messages: 6312, refused: 0 }];
};
rows("connections that are held while others come and go", mixed, [
  [() => {}],
  [withReference],
  [
    (record) => (record.connectionsHeld = { from: 1000, to: 999 }),
    ...(["not-held invalid", { from: 1000, to: 999, asked: 1000 }] as const),
  ],
  [
    (record) => (record.echoWorkers = [{ connections: 49, messages: 5050, refused: 0 }]),
    ...(["echo-count invalid", { ...COUNT, echo: 49 }] as const),
  ],
  [
    (record) => (record.echoWorkers = [{ connections: 1050, messages: 5050, refused: 0 }]),
    ...(["echo-count invalid", { ...COUNT, echo: 1050 }] as const),
  ],
]);

const ASKED = { answers: 4990, unanswered: 0, asked: 5000 };
rows("as many answers as were asked for, and good ones", () => files("haproxy"), [
  [set("requests", { completed: 4990 }), "request-count invalid", ASKED],
  [set("requests", { completed: 5001 }), "request-count invalid", { ...ASKED, answers: 5001 }],
  // Five that never came.
  [
    set("requests", { completed: 4995, socketErrors: { connect: 5 } }),
    ...(["bad-answers note", { bad: 5, asked: 5000, percent: 0.1, limit: 0.1 }] as const),
  ],
]);
rows("bad answers let the cell count; a few are a note", () => httpRecord(), [
  [spoil, "bad-answers weak", { bad: 220_803, asked: 240_003, percent: 92.0001, limit: 0.1 }],
  [
    set("requests", { socketErrors: { read: 2 } }),
    ...([
      "bad-answers note",
      { bad: 2, asked: 240_002, percent: 0.000833326, limit: 0.1 },
    ] as const),
  ],
  [unseen, "bypass-unknown weak", {}],
  // It has four threads.
  [generator(0.9 * 30)],
]);

test("requests pass a proxy on both sides; a server has the files itself", () => {
  const passed = (proxy: string) => {
    const record = files(proxy, 30192);
    const { network } = ofProxy(record);
    if (network) network.rxBytes *= 0.3;
    return codes(found(record));
  };
  assert.deepEqual([passed("haproxy"), passed("nginx-files")], [["bypassed"], []]);
});

test("which kinds of measures a flag voids", () => {
  const voided = (record: CellRecord, change: (record: CellRecord) => unknown, more = {}) => {
    change(record);
    const [flag, ...others] = found(record, more);
    assert.deepEqual(others, []);
    return [flag.code, KINDS.filter((kind) => isVoidedBy(flag, kind))];
  };
  const foreign = set("machine", { foreignSeconds: 3 });
  const times = ["time", "rate"];
  assert.deepEqual(
    [
      voided(cellRecord(), foreign),
      // What ran beside it is foreign to a cell, and looks like other load.
      voided(cellRecord(), foreign, { plan: { keyType: "ecdsa", sideBySide: true } }),
      voided(cellRecord(), busy(96)),
      voided(idleRecord(), busy(96)),
      voided(idleRecord(), set("sends", { late: 300 })),
      voided(idleRecord(), set("sends", { dropped: 100 })),
      // ab has one thread, which is at its end while other cores are not.
      voided(files("haproxy"), generator(0.9 * 5)),
    ],
    [
      ["foreign-load", []],
      ["side-by-side", [...times, "cpu"]],
      ["saturated", []],
      ["saturated", times],
      ["late", times],
      ["dropped", times],
      ["generator-busy", times],
    ],
  );
});
