import assert from "node:assert/strict";
import { test } from "node:test";
import type { Comparison } from "../model/comparison.ts";
import type { CellRecord } from "../model/cell.ts";
import { measuresOf } from "./measures.ts";
import { filesResults, httpRecord, httpResults, spoil } from "./testing/http.ts";
import { codes, figureOf, figuresOf, look, near } from "./testing/look.ts";
import { workloadFor } from "./testing/results.ts";

type Requests = NonNullable<CellRecord["requests"]>;

const isSpring = ({ settings: [key] }: Comparison) => key.startsWith("http-spring");
function measuresAfter(change: Partial<Requests>) {
  const record = httpRecord({}, { requests: 30_000, seconds: 30, cpuUs: 60, serverCpuUs: 90 });
  Object.assign(record.requests ?? {}, change);
  return measuresOf(record, workloadFor(record));
}

test("requests per second are of good answers, responses of all", () => {
  const good = measuresAfter({});
  assert.deepEqual(
    [good.requests_per_second, good.non_2xx_percent, good.request_ms_mean],
    [1000, 0, 400],
  );
  near(good.proxy_cpu_us_per_request, 60);
  near(good.servers_cpu_seconds, 4.5);
  assert.ok(!("request_ms_p999" in good) && !("cpu_us_per_connection" in good));
  const bad = measuresAfter({ non2xx: 27_000, socketErrors: { read: 30, timeout: 60 } });
  // A timeout is of an answer that came, but too late.
  assert.equal(bad.requests_per_second, (30_000 - 27_000 - 60) / 30);
  assert.deepEqual(
    [bad.responses_per_second, bad.non_2xx_percent, bad.socket_errors_per_1000_requests],
    [1000, 90, 3],
  );
  // ab counts an error's other length once more.
  const ab = measuresAfter({ non2xx: 300, socketErrors: { length: 300, receive: 0 } });
  assert.equal(ab.requests_per_second, (30_000 - 300) / 30);
});

test("a record that is older than HTTP reads as one without", () => {
  const { requests, requestMs, ...older } = httpRecord();
  const measures = measuresOf(older as CellRecord, workloadFor(older));
  assert.ok(requests && requestMs);
  assert.ok(!("requests_per_second" in measures) && !("request_ms_mean" in measures));
});

test("who answers with errors ranks behind all others, whatever is better about it", () => {
  const { find } = look(
    httpResults({
      rounds: 4,
      change: (record) => {
        if (record.proxy !== "nginx" || record.scenario !== "http-spring") return;
        spoil(record);
        Object.assign(record.requestMs ?? {}, { mean: 1 });
      },
    }),
  );
  const mean = find("request_ms_mean", isSpring);
  const { rank, extra, toBest } = figureOf(mean, "nginx");
  // A ratio of errors to answers would be below 1, and contradict the rank.
  assert.equal(toBest, null);
  assert.deepEqual([rank, Math.round(extra.badPercent ?? 0)], [3, 92]);
  const [last] = figuresOf(mean.flags, "ranked-last")?.proxies ?? [];
  assert.equal(last.proxy, "nginx");
  // An error that is quicker than the control does not make the control slow, and adds nothing.
  assert.ok(!codes(mean.flags).includes("control-slower"));
  assert.equal(extra.relation, undefined);
  assert.ok(figureOf(mean, "haproxy").extra.relation);
});

test("CPU time of a void cell is in no place", () => {
  const { plan, ...made } = filesResults({ sizes: [12] });
  const { all } = look({ ...made, plan: { ...plan, sideBySide: true } });
  assert.ok(all.every(({ figures }) => figures.every(({ extra }) => extra.places === undefined)));
});

const badAnswers = (of: ReturnType<typeof httpResults>) =>
  figureOf(look(of).find("non_2xx_percent"), "nginx").extra;

test("bad answers: how many, which, what the logs say and what usually causes it", () => {
  const { count, of, causes } = badAnswers(
    httpResults({ change: (record) => record.proxy === "nginx" && spoil(record) }),
  );
  near((100 * Number(count)) / Number(of), 92, 0.1);
  const logged = "connect() to 172.18.0.3:8080 failed (99: Cannot assign requested address)";
  assert.deepEqual(causes, [
    { what: "502", count: 3600 },
    { what: "read", count: 6 },
    { what: `nginx: ${logged} while connecting to upstream (out-of-ports)`, count: 442_000 },
    { what: "echo: something <b>else</b>", count: 4 },
  ]);
  const good = badAnswers(httpResults({ rounds: 1 }));
  assert.deepEqual([good.count, good.causes], [undefined, undefined]);
});

const LINES: [line: string, usual: string | null][] = [
  ["1024 worker_connections are not enough", "worker-connections"],
  ["accept4() failed (24: Too many open files)", "descriptors"],
  ["no live upstreams while connecting to upstream", "no-live-upstreams"],
  ["http~ echo/<NOSRV> 0/-1/-1/-1/0 503 217", "no-live-servers"],
  ["http~ echo/s1 0/5000/-1/-1/5000 503 217 sQ--", "queue-timeout"],
  ["connect() failed (111: Connection refused)", "refused"],
  ["recv() failed (104: Connection reset by peer)", "closed-in-use"],
  ["upstream timed out (110: Connection timed out)", "timed-out"],
  ["GET /hello 502", null],
];

test("a line in a log is explained only where it names the cause", () => {
  const causes = LINES.map(([line], i) => ({ service: "nginx", line, count: 9 - i }));
  const extra = badAnswers(
    httpResults({
      rounds: 1,
      change: (record) => {
        if (record.proxy !== "nginx") return;
        spoil(record);
        Object.assign(record.requests ?? {}, { causes });
      },
    }),
  );
  const logged = extra.causes?.flatMap(({ what }) => (/^nginx: /.test(what) ? what : []));
  const expected = LINES.map(([line, usual]) => `nginx: ${line}${usual ? ` (${usual})` : ""}`);
  assert.deepEqual(logged, expected);
});
