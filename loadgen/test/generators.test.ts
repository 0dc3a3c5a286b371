/**
 * The load generators that Node runs: what wrk and ab print, and the scripts of loadgen/
 * themselves.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { mergeAb, readAb, readStatuses } from "../lib/ab.mjs";
import { fileContent } from "../lib/content.mjs";
import { atRate } from "../lib/rate.mjs";
import { Samples } from "../lib/samples.mjs";
import { Sessions } from "../lib/sessions.mjs";
import { readWrk } from "../lib/wrk.mjs";
import { startServer } from "../../services/bench/src/conformance/testing/server.ts";
import { readHttpSummary, referenceOf } from "../../services/bench/src/run/http-load.ts";
import { readLatencies, readSummary } from "../../services/bench/src/run/k6.ts";
import { folder, script, tlsEnvironment } from "./script.ts";
import type { TestContext } from "node:test";

/**
 * Of wrk 4.1.0 and ab of Apache 2.4.71, before a server on loopback that answered every seventh
 * request with 502 or 503.
 */
const recorded = (name: string) =>
  readFileSync(join(import.meta.dirname, "recorded", name), "utf8");

test("wrk's figures are those that wrk.lua printed, in ms; statuses are of errors alone", () => {
  assert.deepEqual(readWrk(recorded("wrk.txt")), {
    completed: 22640,
    non2xx: 3234,
    statuses: { 502: 1616, 503: 1618 },
    socketErrors: { connect: 0, timeout: 0, write: 0, read: 0 },
    requestMs: {
      count: 22640,
      mean: 3.3891520791014,
      sd: 8.0468556639422,
      min: 0.016,
      median: 0.19,
      p90: 9.403,
      p95: 17.616,
      p99: 44.969,
      max: 58.769,
    },
    totalMs: 1005.598,
  });
});

test("wrk: answers that took too long are in no latency; nothing answered has none", () => {
  const late = recorded("wrk.txt").replace('"timeout":0', '"timeout":40');
  assert.equal(readWrk(late).requestMs?.count, 22600);
  const none = recorded("wrk.txt").replace('"requests":22640', '"requests":0');
  assert.equal(readWrk(none).requestMs, null);
});

test("wrk that ended without the line of wrk.lua is an error that shows what it printed", () => {
  assert.throws(() => readWrk("Running 1s test\nunable to read\n"), /wrk\.lua.*unable to read/s);
});

test("ab's figures are those that it printed; an error page is no wrong length besides", () => {
  const { run, tls } = readAb(recorded("ab.txt"), recorded("ab.csv"), 2216);
  assert.deepEqual(run, {
    completed: 100,
    non2xx: 14,
    statuses: {},
    socketErrors: { connect: 0, receive: 0, length: 0, exceptions: 0 },
    requestMs: {
      count: 100,
      mean: 1.198,
      sd: 3.2,
      ...percentilesOf(recorded("ab.csv")),
    },
    totalMs: 24,
  });
  assert.equal(tls, null);
});

function percentilesOf(csv: string) {
  const lines = csv.split("\n");
  const at = (percent: number) => Number(lines[percent + 1].split(",")[1]);
  return { min: at(0), median: at(50), p90: at(90), p95: at(95), p99: at(99), max: at(100) };
}

test("ab: where the first answer is an error page, the good ones are not of a wrong length", () => {
  const first = recorded("ab.txt")
    .replace("2216 bytes\n", "12 bytes\n")
    .replace("Failed requests:        14", "Failed requests:        86")
    .replace("Length: 14", "Length: 86");
  assert.equal(readAb(first, recorded("ab.csv"), 2216).run.socketErrors.length, 0);
  const wrong = recorded("ab.txt").replace("Length: 14", "Length: 17");
  assert.equal(readAb(wrong, recorded("ab.csv"), 2216).run.socketErrors.length, 3);
});

test("ab over TLS says what was negotiated; a run without failures has no errors", () => {
  const { run, tls } = readAb(recorded("ab-tls.txt"), recorded("ab.csv"), 12);
  assert.deepEqual(tls, { version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", group: "X25519" });
  assert.deepEqual([run.non2xx, run.socketErrors], [0, {}]);
});

test("ab: statuses of a second pass", () => {
  assert.deepEqual(readStatuses(recorded("ab-statuses.txt")), { 502: 1, 503: 1 });
});

test("several ab are one: what they count is added up, percentiles are those of all requests together", () => {
  const one = readAb(recorded("ab.txt"), recorded("ab.csv"), 2216);
  assert.deepEqual(mergeAb([one]), one.run);

  const twice = mergeAb([one, one]);
  const { requestMs } = one.run;
  assert.deepEqual([twice.completed, twice.non2xx, twice.totalMs], [200, 28, 24]);
  assert.equal(twice.requestMs?.count, 200);
  for (const key of ["mean", "sd", "min", "median", "p90", "p99", "max"] as const)
    assert.ok(
      Math.abs(Number(twice.requestMs?.[key]) - Number(requestMs?.[key])) < 1e-5,
      `${key}: ${twice.requestMs?.[key]}`,
    );

  // Evenly from 0 to 100 ms, and from 100 to 200 ms: together evenly from 0 to 200.
  const evenly = (from: number) => ({
    ...one,
    run: {
      ...one.run,
      totalMs: from,
      requestMs: requestMs && { ...requestMs, mean: from + 50, sd: 0 },
    },
    percentilesMs: Array.from({ length: 101 }, (_, percent) => from + percent),
  });
  const merged = mergeAb([evenly(0), evenly(100)]);
  assert.equal(merged.totalMs, 100);
  assert.equal(merged.requestMs?.sd, 50);
  for (const [key, expected] of [
    ["min", 0],
    ["median", 100],
    ["p90", 180],
    ["max", 200],
  ] as const)
    assert.ok(Math.abs(Number(merged.requestMs?.[key]) - expected) < 1e-5, key);

  const none = { ...one, run: { ...one.run, completed: 0, requestMs: null }, percentilesMs: [] };
  assert.equal(mergeAb([none, none]).requestMs, null);
});

for (const [title, stdout, csv, message] of [
  ["no figures", "Benchmarking…\n", "", /"Complete requests" is not there/],
  [
    "kinds of failures missing",
    recorded("ab.txt").replace(/^ +\(Connect.*$/m, ""),
    recorded("ab.csv"),
    /"kinds of failures" is not there/,
  ],
  ["a table of times missing", recorded("ab.txt"), "a,b\n", /its CSV of percentiles/],
  [
    "a cut table",
    recorded("ab.txt"),
    recorded("ab.csv").split("\n").slice(0, 90).join("\n"),
    /its CSV of percentiles/,
  ],
  [
    "a total missing",
    recorded("ab.txt").replace(/^Total: .*$/m, ""),
    recorded("ab.csv"),
    /"Total of Connection Times"/,
  ],
  [
    "a TLS line of another form",
    recorded("ab-tls.txt").replace(/^SSL\/TLS Protocol: .*$/m, "SSL/TLS Protocol: none"),
    recorded("ab.csv"),
    /"SSL\/TLS Protocol" is not there/,
  ],
] as const)
  test(`ab's output with ${title} is an error`, () => {
    assert.throws(() => readAb(stdout, csv, 2216), message);
  });

test("a file is the text again and again, cut", () => {
  assert.equal(fileContent(12).toString(), "Hello world\n");
  assert.equal(fileContent(30).toString(), "Hello world\nHello world\nHello ");
});

test("sessions: one that was not used yet comes first; without a new one, those that were used serve in turn", () => {
  const sessions = new Sessions();
  assert.equal(sessions.take(), undefined);
  const [a, b, c] = ["a", "b", "c"].map((text) => Buffer.from(text));
  sessions.put(a);
  sessions.put(b);
  assert.deepEqual([sessions.take(), sessions.take()], [a, b]);
  assert.equal(sessions.repeated, 0);
  assert.deepEqual([sessions.take(), sessions.take(), sessions.take()], [a, b, a]);
  sessions.put(c);
  assert.equal(sessions.take(), c);
  assert.deepEqual([sessions.repeated, sessions.count], [3, 3]);
});

test("at a rate: each is due at its time, what begins after that is late", async () => {
  const dueMs: number[] = [];
  const sends = await atRate({ count: 6, perSecond: 100, atMost: 10 }, async (number, due) => {
    dueMs.push(due);
    if (number > 0) return;
    // A client that is behind: 1 to 5 are due meanwhile.
    while (performance.now() < due + 80);
  });
  assert.deepEqual(
    dueMs.map((due) => Math.round(due - dueMs[0])),
    [0, 10, 20, 30, 40, 50],
  );
  assert.deepEqual(sends, { due: 6, late: 5, dropped: 0 });
});

test("at a rate: what is due while too many are under way is dropped, and it waits for the rest", async () => {
  let ended = 0;
  const sends = await atRate({ count: 20, perSecond: 1000, atMost: 3 }, async () => {
    await sleep(200);
    ended += 1;
  });
  assert.deepEqual([sends.due, sends.dropped, ended], [20, 17, 3]);
});

test("samples have the values of k6's trends, and its CSV", async (t) => {
  const file = join(folder(t), "load-1.csv");
  const samples = new Samples(file);
  assert.deepEqual(samples.trend("handshake_ms"), {});
  for (const value of [4, 1, 3, 2]) samples.add("handshake_ms", value);
  samples.add("total_ms", 9);
  const rounded = Object.entries(samples.trend("handshake_ms")).map(([name, value]) => [
    name,
    Number(value.toFixed(6)),
  ]);
  assert.deepEqual(Object.fromEntries(rounded), {
    count: 4,
    avg: 2.5,
    min: 1,
    med: 2.5,
    "p(90)": 3.7,
    "p(95)": 3.85,
    "p(99)": 3.97,
    "p(99.9)": 3.997,
    max: 4,
  });
  samples.end();
  assert.deepEqual(await readLatencies(file), {
    handshakeMs: Float64Array.of(4, 1, 3, 2),
    echoLatencyMs: Float64Array.of(),
    totalMs: [9],
  });
});

for (const [scenario, env, message] of [
  ["http", { THREADS: "0" }, /THREADS=0: expected a whole number from 1/],
  ["http", { DURATION_SECONDS: "1.5" }, /DURATION_SECONDS=1\.5: expected a whole number/],
  ["http", { CONNECTIONS: "2" }, /THREADS=4: expected at most CONNECTIONS, which is 2/],
  ["http", { CONNECTIONS: "6" }, /CONNECTIONS=6: expected a multiple of THREADS, which is 4/],
  ["http", { SCHEME: "http" }, /SCHEME=http: expected ws or wss/],
  ["http-spring", { CONNECTIONS: "many" }, /CONNECTIONS=many: expected a whole number/],
  ["http-spring", { SCHEME: "wss" }, /SCHEME=wss: expected ws/],
  ["files", { FILE_BYTES: "13" }, /FILE_BYTES=13: expected 12 or 2216 or 4879/],
  ["files", { REQUESTS: "5" }, /CONCURRENCY=10: expected at most REQUESTS, which is 5/],
  ["tls-handshake", { SCHEME: "ws" }, /SCHEME=ws: expected wss/],
  ["tls-handshake", { TLS_VERSION: "1.1" }, /TLS_VERSION=1\.1: expected 1\.2 or 1\.3/],
  ["tls-handshake", { RESUMED: "yes" }, /RESUMED=yes: expected 0 or 1/],
  ["tls-handshake", { RSA_BITS: "4096" }, /RSA_BITS=4096: expected 0 or 2048/],
  ["survive", { QUIET_SECONDS: "0" }, /QUIET_SECONDS=0: expected a whole number from 1/],
  ["survive", { INTERVAL_SECONDS: "0" }, /INTERVAL_SECONDS=0: expected a number from 0\.01/],
] as const)
  test(`${scenario} refuses ${JSON.stringify(env)}`, async () => {
    const { code, stdout, stderr } = await script(scenario, env);
    assert.equal(code, 1);
    assert.match(stderr, message);
    assert.match(stderr, /no load was started/);
    assert.equal(stdout, "");
  });

test("a script says what it waited for", async () => {
  const { code, stderr } = await script("http", { TARGET_PORT: "1", WAIT_SECONDS: "1" });
  assert.equal(code, 1);
  assert.match(stderr, /^waited 1 s \(WAIT_SECONDS\) for http:\/\/localhost:1\/healthz/);
});

test("files: content that is not the file's ends it before any load", async (t) => {
  const server = await startServer({ respond: (_, response) => response.end("Hello mars!\n") });
  t.after(() => server.close());
  const { code, stderr } = await script("files", {
    TARGET_PORT: String(server.plainPort),
    FILE_BYTES: "12",
  });
  assert.equal(code, 1);
  assert.match(stderr, /\/files\/12 answered 12 bytes that are not the file/);
});

/** A server with session tickets, and what tls-handshake needs to meet it. */
async function tlsServer(t: TestContext, faults?: Parameters<typeof startServer>[0]) {
  const server = await startServer({ tls: { secureOptions: 0 }, ...faults });
  t.after(() => server.close());
  const directory = folder(t);
  return {
    csv: join(directory, "samples.csv"),
    env: {
      ...tlsEnvironment(directory, faults?.algorithm),
      TARGET_PORT: String(server.tlsPort),
      SAMPLES_CSV: join(directory, "samples.csv"),
      CONNECTIONS: "20",
    },
  };
}

for (const version of ["1.2", "1.3"])
  for (const resumed of ["0", "1"])
    test(`tls-handshake: TLS ${version}, ${resumed === "1" ? "resumed" : "full"} handshakes, each proven`, async (t) => {
      const { env, csv } = await tlsServer(t);
      const variables = { ...env, TLS_VERSION: version, RESUMED: resumed };
      const { code, stdout, stderr } = await script("tls-handshake", variables);
      assert.equal(code, 0, stderr);
      const summary = readSummary(stdout);
      assert.deepEqual(summary?.connections, { opened: 20, failed: 0, failedByCause: {} });
      assert.equal(summary?.messagesEchoed, 20);
      assert.deepEqual([summary?.sends?.due, summary?.sends?.dropped], [20, 0]);
      assert.equal(summary?.parameters.TLS_VERSION, Number(version));
      const { handshakeMs, echoLatencyMs, totalMs } = await readLatencies(csv);
      assert.deepEqual([handshakeMs.length, echoLatencyMs.length, totalMs.length], [20, 20, 1]);
    });

test("tls-handshake: the reference proxy's share comes beside the others, and counts apart", async (t) => {
  const { env, csv } = await tlsServer(t);
  const variables = { ...env, RESUMED: "1", REFERENCE_SHARE: "0.25", REFERENCE_HOST: "localhost" };
  const { code, stdout, stderr } = await script("tls-handshake", variables);
  assert.equal(code, 0, stderr);
  const { connections, reference, sends } = readSummary(stdout) ?? {};
  assert.deepEqual([connections?.opened, sends?.due], [20, 20]);
  assert.deepEqual(reference, { opened: 6, failed: 0, messagesEchoed: 6 });
  assert.equal((await readLatencies(csv)).handshakeMs.length, 20);
});

test("tls-handshake: a reference proxy that fails, fails the load", async (t) => {
  const { env } = await tlsServer(t);
  const variables = { ...env, REFERENCE_SHARE: "0.25", REFERENCE_HOST: "nowhere.invalid" };
  const { code, stdout, stderr } = await script("tls-handshake", variables);
  assert.equal(code, 99, stderr);
  assert.match(stderr, /to the reference proxy: connect: /);
  const { connections, reference } = readSummary(stdout) ?? {};
  assert.deepEqual([connections?.opened, connections?.failed], [20, 0]);
  assert.deepEqual(reference, { opened: 0, failed: 6, messagesEchoed: 0 });
});

test("tls-handshake: an RSA key is distinguished from an ECDSA one", async (t) => {
  const { env } = await tlsServer(t, { algorithm: "rsa" });
  const right = await script("tls-handshake", { ...env, RSA_BITS: "2048" });
  assert.equal(right.code, 0, right.stderr);
  const wrong = await script("tls-handshake", env);
  assert.equal(wrong.code, 99);
  assert.match(wrong.stderr, /tls: the certificate's key is rsa 2048, expected ec prime256v1/);
});

test("tls-handshake: a server that resumes nothing fails every connection, by cause", async (t) => {
  const { env } = await tlsServer(t, { tls: {} });
  for (const version of ["1.2", "1.3"]) {
    const variables = { ...env, TLS_VERSION: version, RESUMED: "1" };
    const { code, stdout, stderr } = await script("tls-handshake", variables);
    // Without a session to offer, it ends before the load.
    if (code === 1) assert.match(stderr, /the proxy gave no session/);
    else assert.deepEqual(readSummary(stdout)?.connections.failedByCause, { tls: 20 }, stderr);
    assert.notEqual(code, 0);
  }
});

test("tls-handshake: an echo that comes back changed", async (t) => {
  const { env } = await tlsServer(t, { echo: (send) => send(Buffer.from("other"), false) });
  const { code, stdout } = await script("tls-handshake", env);
  assert.equal(code, 99);
  assert.deepEqual(readSummary(stdout)?.connections.failedByCause, { wrong_echo: 20 });
});

test("tls-handshake: a certificate that nobody vouches for", async (t) => {
  const { env } = await tlsServer(t);
  const { code, stderr } = await script("tls-handshake", {
    ...env,
    NODE_EXTRA_CA_CERTS: "",
    WAIT_SECONDS: "1",
  });
  assert.equal(code, 1);
  assert.match(stderr, /certificate/);
});

test("requests of the reference proxy count where its answers were good", () => {
  const of = (failed: number) => referenceOf({ reference: { completed: 2000, failed } })?.requests;
  assert.deepEqual([of(0), of(2), of(3)], [2000, 2000, undefined]);
  assert.equal(referenceOf({ reference: null }), null);
});

const SUMMARY =
  'SUMMARY {"tags":{},"parameters":{},"requests":{"completed":3,"non2xx":1,"statuses":{"502":1},"socketErrors":{"read":0}},"reference":null,"requestMs":null,"totalMs":12.5,"tls":null}';

test("the summary of HTTP requests is read; one of another shape is refused", () => {
  assert.equal(readHttpSummary("no load was started\n"), null);
  const summary = readHttpSummary(`x\n${SUMMARY}\n`);
  assert.deepEqual(summary?.requests, {
    completed: 3,
    non2xx: 1,
    statuses: { 502: 1 },
    socketErrors: { read: 0 },
  });
  for (const [from, to, message] of [
    ['"completed":3', '"completed":-3', /"requests\.completed" is -3, expected a count/],
    ['"502":1', '"502":"x"', /"requests\.statuses"/],
    [
      '"reference":null',
      '"reference":{"completed":1}',
      /"reference" is .*, expected counts or null/,
    ],
    ['"totalMs":12.5', '"totalMs":null', /"totalMs" is null, expected a number/],
    ['"requestMs":null', '"requestMs":{"mean":null}', /"requestMs"/],
  ] as const)
    assert.throws(() => readHttpSummary(SUMMARY.replace(from, to)), { message });
});
