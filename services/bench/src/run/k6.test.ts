import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { countedSends, summarise } from "../../../../loadgen/lib/summary.js";
import { UserError } from "../errors.ts";
import {
  keepSamples,
  latenciesIn,
  liveCounts,
  mergeSummaries,
  ownOf,
  readLatencies,
  readSummary,
} from "./k6.ts";
import type { TestContext } from "node:test";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const PERCENTILES = { med: 2, "p(90)": 3, "p(95)": 3, "p(99)": 3, "p(99.9)": 3 };
const HANDSHAKE = { count: 3, avg: 2, min: 1, max: 3, ...PERCENTILES };

/** What k6 prints at the end of a scenario, by the scenarios' own library. */
function printed(
  metrics: Record<string, Record<string, number>>,
  parameters: Record<string, number> = { CONNECTIONS: 5, CONCURRENCY: 2, MESSAGES: 1 },
) {
  return summarise(
    {
      metrics: Object.fromEntries(
        Object.entries(metrics).map(([name, values]) => [name, { values }]),
      ),
    },
    {
      title: "5 connections",
      tags: { proxy: "nginx" },
      parameters,
      causes: ["timeout", "connect"],
    },
  ).stdout;
}

const METRICS = {
  connections_opened: { count: 3 },
  connections_failed: { count: 2 },
  "connections_failed{cause:timeout}": { count: 2 },
  messages_echoed: { count: 3 },
  total_ms: { max: 840 },
  handshake_ms: HANDSHAKE,
};

const SUMMARY = {
  tags: { proxy: "nginx" },
  parameters: { CONNECTIONS: 5, CONCURRENCY: 2, MESSAGES: 1 },
  connections: { opened: 3, failed: 2, failedByCause: { timeout: 2 } },
  messagesEchoed: 3,
  reference: null,
  sends: null,
  totalMs: 840,
  handshakeMs: HANDSHAKE,
  echoLatencyMs: {},
};

test("the summary is found among whatever else was printed, with and without Compose's prefixes; the last counts", () => {
  const stdout = `time="…" level=error msg="connection 1: SUMMARY: none"\n${printed(METRICS)}level=error msg="thresholds crossed"`;
  assert.deepEqual(readSummary(stdout), SUMMARY);
  assert.deepEqual(
    readSummary(stdout.replace(/^/gm, "load-1  | ").replaceAll("\n", "\r\n")),
    SUMMARY,
  );
  assert.equal(
    readSummary(printed(METRICS) + printed({ ...METRICS, total_ms: { max: 1 } }))?.totalMs,
    1,
  );
});

test("no summary is null; a run cut short has no total", () => {
  assert.equal(readSummary("level=error msg=oops\nSUMMARY\n"), null);
  assert.equal(readSummary(printed({}))?.totalMs, null);
});

test("a summary that is cut off, or of another shape, is refused with what is wrong", () => {
  const refused = (text: string, message: RegExp) =>
    assert.throws(
      () => readSummary(text),
      (error) =>
        error instanceof UserError && message.test(error.message) && /summarise/.test(error.next),
    );
  refused('SUMMARY {"tags": {', /JSON.*\{"tags"/);
  const changed = (change: object) => `SUMMARY ${JSON.stringify({ ...SUMMARY, ...change })}`;
  refused(changed({ connections: undefined }), /"connections.opened" is missing, expected a count/);
  refused(
    changed({ connections: { opened: 1, failed: -1, failedByCause: {} } }),
    /"connections.failed" is -1/,
  );
  refused(
    changed({ connections: { opened: 1, failed: 1, failedByCause: { x: "1" } } }),
    /failedByCause" is \{"x":"1"\}/,
  );
  refused(changed({ sends: { due: 1, late: 0 } }), /"sends" is .*, expected counts or null/);
  refused(changed({ reference: { opened: 1 } }), /"reference" is .*, expected counts or null/);
  refused(changed({ totalMs: "840" }), /"totalMs" is "840", expected a number or null/);
  refused(changed({ handshakeMs: { avg: null } }), /"handshakeMs" is \{"avg":null\}/);
  refused(changed({ tags: null }), /"tags" is null/);
});

test("what one kind of scenario alone tells is read, and refused where it is no such thing", () => {
  const backMs = { p50: 1, p99: 2.5, p100: null };
  const storm = { cutMs: 1, back: [{ ms: 0, count: 3 }], attempts: 4, failedByCause: {}, backMs };
  const line = (own: object) => `SUMMARY ${JSON.stringify({ ...SUMMARY, ...own })}`;
  const read = (own: object) => readSummary(line(own)) ?? assert.fail("no summary");
  assert.deepEqual(ownOf(read({ storm })), { storm });
  assert.deepEqual(ownOf(read({})), {});
  for (const [own, message] of [
    [{ storm: { ...storm, attempts: -1 } }, /"storm" is .*, expected Storm of model\/load\.ts/],
    [{ storm: { ...storm, backMs: { p50: 1 } } }, /"storm" is/],
    [{ survival: { sent: 1 } }, /"survival" is \{"sent":1\}, expected SurvivalOfLoad/],
    [{ slowReaders: null }, /"slowReaders" is null/],
  ] as const)
    assert.throws(() => read(own), { message });
});

test("summaries of several containers become one: counts add, the longest total holds", () => {
  const other = {
    ...SUMMARY,
    parameters: { CONNECTIONS: 4, CONCURRENCY: 1, MESSAGES: 1 },
    connections: { opened: 1, failed: 3, failedByCause: { timeout: 1, connect: 2 } },
    messagesEchoed: 1,
    totalMs: 900,
    handshakeMs: { count: 1, avg: 6, min: 6, max: 6, ...PERCENTILES },
  };
  assert.deepEqual(mergeSummaries([SUMMARY, other]), {
    connections: { opened: 4, failed: 5, failedByCause: { timeout: 3, connect: 2 } },
    messagesEchoed: 4,
    reference: null,
    sends: null,
    totalMs: 900,
    handshakeMs: { count: 4, avg: 3, min: 1, max: 6 },
    echoLatencyMs: {},
  });
  assert.equal(mergeSummaries([SUMMARY, { ...other, totalMs: null }]).totalMs, null);
  assert.equal(mergeSummaries([SUMMARY]), SUMMARY);
  const beside = { opened: 2, failed: 1, messagesEchoed: 3 };
  const both = mergeSummaries([
    { ...SUMMARY, reference: beside },
    { ...other, reference: beside },
  ]);
  assert.deepEqual(both.reference, { opened: 4, failed: 2, messagesEchoed: 6 });
  const held = { ...beside, held: 1 };
  assert.deepEqual(
    mergeSummaries([
      { ...SUMMARY, reference: held },
      { ...other, reference: held },
    ]).reference?.held,
    2,
  );
  assert.throws(() => mergeSummaries([]), /no summary/);
});

test("sends of an open loop are counted, and add up over containers; those of a closed loop are none", () => {
  const print = (metrics: Record<string, { count: number }>) =>
    readSummary(
      summarise(
        {
          metrics: Object.fromEntries(
            Object.entries(metrics).map(([k, values]) => [k, { values }]),
          ),
        },
        { title: "idle", tags: {}, parameters: {}, causes: [], sendsOf: countedSends },
      ).stdout,
    );
  const one = print({ sends_due: { count: 10 }, sends_late: { count: 2 } });
  assert.deepEqual(one?.sends, { due: 10, late: 2, dropped: 0 });
  const other = print({ sends_due: { count: 5 }, sends_dropped: { count: 1 } });
  assert.ok(one && other);
  assert.deepEqual(mergeSummaries([one, other]).sends, { due: 15, late: 2, dropped: 1 });
});

/** As k6 1.8 and 2.2 write them with K6_CSV_TIME_FORMAT=unix_micro and systemTags: []. */
const RECORDED = `metric_name,timestamp,metric_value,extra_tags,metadata
http_reqs,1795216996682993,1.000000,trial=1&scheme=ws&scenario=short-lived&run=x&proxy=none,
http_req_duration,1795216996682993,1.107853,proxy=none&trial=1&scheme=ws&scenario=short-lived&run=x,
handshake_ms,1795216996702500,42.328893,trial=1&scheme=ws&scenario=short-lived&run=x&proxy=none,
connections_opened,1795216996702510,1.000000,trial=1&scheme=ws&scenario=short-lived&run=x&proxy=none,
handshake_ms,1795216996702000,0.000001,"run=a ""name"", with=a comma&trial=1",
echo_latency_ms,1795216996712345,10.388172,trial=1&scheme=ws&scenario=short-lived&run=x&proxy=none,
echo_latency_ms_of_another_kind,1795216996712345,1.000000,run=x,
iteration_duration,1795216996713000,60.100000,run=x,
total_ms,1795216997500000,840.000000,scheme=ws&scenario=short-lived&run=x&proxy=none&trial=1,
`;

/** As k6 writes them by default: seconds, and system tags as columns of their own. */
const WITH_SYSTEM_TAGS = `metric_name,timestamp,metric_value,check,error,scenario,url,extra_tags,metadata
handshake_ms,1795216998,5.000000,,,short-lived,ws://proxy:8080/,run=x,
`;

function folder(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "k6-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const file: (name: string, content: string) => string = (name, content) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  return { directory, file };
}

test("latencies come out of k6's CSV, of one container and of several", async (t) => {
  const { file } = folder(t);
  const first = file("load-1.csv", RECORDED);
  const second = file("load-2.csv", WITH_SYSTEM_TAGS);
  assert.deepEqual(await readLatencies(first), {
    handshakeMs: Float64Array.of(42.328893, 0.000001),
    echoLatencyMs: Float64Array.of(10.388172),
    totalMs: [840],
  });
  assert.deepEqual(await readLatencies([first, second]), {
    handshakeMs: Float64Array.of(42.328893, 0.000001, 5),
    echoLatencyMs: Float64Array.of(10.388172),
    totalMs: [840],
  });
});

test("a line that k6 did not end is not counted; no sample at all is none", async (t) => {
  const { file } = folder(t);
  const cut = file("cut.csv", `${RECORDED}handshake_ms,1795216996702500,4`);
  assert.equal((await readLatencies(cut)).handshakeMs.length, 2);
  for (const content of ["", "metric_name,timestamp,metric_value,extra_tags,metadata\n"]) {
    assert.deepEqual(await readLatencies(file("empty.csv", content)), {
      handshakeMs: new Float64Array(0),
      echoLatencyMs: new Float64Array(0),
      totalMs: [],
    });
  }
});

test("lines are whole wherever the file is cut to be read", async (t) => {
  const { file } = folder(t);
  const count = 40_000;
  // Of changing length, and more than 2 MiB, which are read in pieces of 1 MiB.
  const lines = Array.from(
    { length: count },
    (_, i) =>
      `${i % 2 ? "echo_latency_ms" : "handshake_ms"},${1795216996000000 + i},${i}.500000,${"x".repeat(i % 97)},\n`,
  );
  const path = file(
    "large.csv",
    `metric_name,timestamp,metric_value,extra_tags,metadata\n${lines.join("")}`,
  );
  const { handshakeMs, echoLatencyMs } = await readLatencies(path);
  const expected = Array.from({ length: count / 2 }, (_, i) => 2 * i + 0.5);
  assert.deepEqual(Array.from(handshakeMs), expected);
  assert.deepEqual(
    Array.from(echoLatencyMs),
    expected.map((value) => value + 1),
  );
});

test("what is not k6's CSV is refused, with file and line", async (t) => {
  const { file } = folder(t);
  const header = "metric_name,timestamp,metric_value,extra_tags,metadata\n";
  const wrong: [string, RegExp, RegExp][] = [
    ["{}\n", /wrong\.csv, line 1, .*: \{\}/, /metric_name/],
    [`${header}handshake_ms,2026-11-20T23:23:24Z,1.0,,\n`, /line 2/, /unix_micro/],
    [`${header}x,1,1,,\nhandshake_ms,1795216996,NaN,,\n`, /line 3/, /number/],
    [`${header}handshake_ms,1795216996\n`, /line 2/, /number/],
    [`${header}handshake_ms\n`, /line 2/, /unix_micro/],
  ];
  for (const [content, message, next] of wrong) {
    await assert.rejects(readLatencies(file("wrong.csv", content)), { message, next });
  }
  await assert.rejects(readLatencies("/nowhere/load-1.csv"), { code: "ENOENT" });
});

test("kept samples: those of all containers in the order of time, which starts at the earliest", async (t) => {
  const { directory, file } = folder(t);
  const target = join(directory, "latencies.csv.gz");
  const paths = [file("load-2.csv", WITH_SYSTEM_TAGS), file("load-1.csv", RECORDED)];
  assert.equal(await keepSamples(paths, target), 4);
  assert.equal(
    gunzipSync(readFileSync(target)).toString(),
    [
      "metric,ms,value",
      "handshake,0,0.000",
      "handshake,1,42.329",
      "echo,10,10.388",
      "handshake,1298,5.000",
      "",
    ].join("\n"),
  );
});

test("kept samples of a load that recorded none are a header; more than fits a piece are all kept", async (t) => {
  const { directory, file } = folder(t);
  const target = join(directory, "latencies.csv.gz");
  assert.equal(await keepSamples(file("empty.csv", ""), target), 0);
  assert.equal(gunzipSync(readFileSync(target)).toString(), "metric,ms,value\n");
  const line = "handshake_ms,1795216996702500,1234.567891,,\n";
  assert.equal(await keepSamples(file("many.csv", RECORDED + line.repeat(60_000)), target), 60_003);
  assert.equal(gunzipSync(readFileSync(target)).toString().split("\n").length, 1 + 60_003 + 1);
});

test("latencies are found among other lines of a sample, those from before are left out", () => {
  const lines = [
    "ws_msgs_sent,1795216996702500,1.000000,,",
    "echo_latency_ms,1795216996702500,2.500000,,",
    "handshake_ms,1795216996702500,15.250000,,",
    "echo_latency_ms,1795216996703000,3.000000,,",
  ];
  assert.deepEqual(latenciesIn(lines, 0), { handshakeMs: [15.25], echoLatencyMs: [2.5, 3] });
  assert.deepEqual(latenciesIn(lines, 1795216996703), { handshakeMs: [], echoLatencyMs: [3] });
  assert.deepEqual(latenciesIn([], 0), { handshakeMs: [], echoLatencyMs: [] });
});

/** As k6 1.8 and 2.2 answer. */
const COUNTED = (metric: string, count: number) =>
  `{"data":{"type":"metrics","id":"${metric}","attributes":{"type":"counter","contains":"default","tainted":null,"sample":{"count":${count},"rate":2066.409071020403}}}}`;
const UNKNOWN =
  '{"errors":[{"status":"404","title":"Not Found","detail":"No metric with that ID was found"}]}';

async function k6With(t: TestContext, answer: (metric: string, response: ServerResponse) => void) {
  const connections: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    connections.push(request.headers.connection);
    answer(request.url?.replace("/v1/metrics/", "") ?? "", response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, connections };
}

test("live counts; what was not counted yet is 0; no connection is kept", async (t) => {
  const { address, connections } = await k6With(t, (metric, response) => {
    const counts: Record<string, number> = {
      connections_failed: 3,
      ws_msgs_received: 40,
      connections_open: 30,
    };
    const count = counts[metric];
    if (count) response.end(COUNTED(metric, count));
    else if (connections.length <= 4) response.writeHead(404).end(UNKNOWN);
    else response.end(COUNTED(metric, 611));
  });
  const others = { failed: 3, open: 30, messages: 40 };
  assert.deepEqual(await liveCounts(address), { opened: 0, ...others });
  assert.deepEqual(await liveCounts(address), { opened: 611, ...others });
  assert.deepEqual(new Set(connections), new Set(["close"]));
});

test("live counts: whoever is not k6, does not answer or is not there is an error", async (t) => {
  const other = await k6With(t, (_, response) => response.writeHead(404).end("{}"));
  await assert.rejects(
    liveCounts(other.address),
    /answered 404 to connections_\w+, without a count/,
  );
  const silent = await k6With(t, () => {});
  await assert.rejects(liveCounts(silent.address), { name: "TimeoutError" });
  await assert.rejects(liveCounts("http://127.0.0.1:9"));
});
