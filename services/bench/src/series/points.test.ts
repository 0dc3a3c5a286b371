import assert from "node:assert/strict";
import { test } from "node:test";
import type { Flag } from "../model/flag.ts";
import type { Point } from "../platform/influx.ts";
import { analyse } from "../analyse/index.ts";
import {
  POLICY,
  cellRecord,
  plannedCell,
  results,
  workloadFor,
} from "../analyse/testing/results.ts";
import { capacityResults } from "../analyse/testing/capacities.ts";
import { survivalResults } from "../analyse/testing/experiments.ts";
import { measure as measureOf } from "../analyse/measures.ts";
import { settingLabel } from "../plan/describe.ts";
import { compareRuns } from "../analyse/compare-runs.ts";
import { lineOf } from "../platform/influx.ts";
import { liveCsv } from "../record/live.ts";
import { POINT_WORDS } from "../report/point-words.ts";
import { figuresTable } from "../report/table.ts";
import {
  alignedPoints,
  cellPoint,
  comparisonPoints,
  eventPoints,
  failurePoints,
  livePoints,
  phasePoints,
  probePoints,
  questionLabel,
  summaryPoints,
} from "./points.ts";

const policy = POLICY;
const TAGS = {
  run: "a-run",
  proxy: "nginx",
  scenario: "short-lived",
  scheme: "ws",
  setting: "short-lived ws 2000",
};

const names = ({ tags = {}, fields }: Point) => [
  Object.keys(tags).sort(),
  Object.keys(fields).sort(),
];

test("a setting is called by what distinguishes it, whatever the proxy and the round are called", () => {
  const names = {
    "r1-nginx-short-lived-wss": "short-lived wss",
    "r06-http-proxy-3-short-lived-ws-10000": "short-lived ws 10000",
    "r12-haproxy-hitch-short-lived-ws-500-messages100": "short-lived ws 500 messages100",
  };
  for (const [id, expected] of Object.entries(names)) {
    const [, proxy] = id.match(/^r\d+-(.*)-short-lived/) ?? [];
    const scheme = id.includes("wss") ? "wss" : "ws";
    assert.equal(settingLabel(plannedCell({ id, proxy, scheme })), expected);
  }
});

test("each step of an event is a point; a cell without one has none", () => {
  const run = survivalResults({ proxies: { nginx: { reload: {} } }, rounds: 1 });
  const [record] = run.cells;
  const points = eventPoints("a-run", record);
  assert.equal(points.length, 1);
  const [{ measurement, tags, fields, ms }] = points;
  assert.deepEqual([measurement, ms], ["events", record.survival?.eventMs]);
  assert.deepEqual([tags?.event, tags?.step], ["reload", "HUP to the proxy"]);
  assert.deepEqual([fields.title, fields.text], ["nginx · reload", "round 1: HUP to the proxy"]);
  assert.deepEqual(eventPoints("a-run", cellRecord()), []);
});

test("phases begin when the ones before have ended; the measured one at its edge", () => {
  const record = cellRecord();
  const startedMs = Date.parse(record.startedAt);
  record.measured = { fromMs: startedMs + 7000, toMs: startedMs + 12_000 };
  const points = phasePoints("a-run", record);
  assert.deepEqual(
    points.map(({ tags, ms }) => [tags?.phase, ms - startedMs]),
    [
      ["start", 0],
      ["verify", 2000],
      ["warm up", 2100],
      ["measure", 7000],
      ["stop", 12_000],
    ],
  );
  assert.deepEqual(points[3], {
    measurement: "phases",
    tags: { ...TAGS, phase: "measure" },
    fields: {
      title: "nginx · short-lived ws 2000",
      text: "round 1: measure",
      cell: record.id,
      round: 1n,
    },
    ms: startedMs + 7000,
  });
});

test("a cell that failed early has the phases that it reached, one that was skipped has none", () => {
  const record = cellRecord();
  Object.assign(record, { status: "failed", attempt: 2, measured: null });
  record.phases = { start: 2, verify: 30, stop: 1 };
  const points = phasePoints("a-run", record);
  assert.deepEqual(
    points.map(({ tags, ms }) => [tags?.phase, ms - Date.parse(record.startedAt)]),
    [
      ["start", 0],
      ["verify", 2000],
      ["stop", 32_000],
    ],
  );
  assert.equal(points[0].fields.text, "round 1, try 2: start");
  record.status = "skipped";
  assert.deepEqual(phasePoints("a-run", record), []);
});

test("live: one point per second with integers for counts; what is not known is no field", () => {
  const sample = {
    ms: 5000,
    opened: 10,
    failed: 0,
    connections_per_second: 10,
    messages_per_second: 20,
    echo_p50_ms: 2,
    proxy_cores: 0.5,
    proxy_throttled_seconds: 0,
  };
  const record = cellRecord();
  assert.deepEqual(livePoints("a-run", record, liveCsv([sample])), [
    {
      measurement: "live",
      tags: TAGS,
      fields: {
        opened: 10n,
        failed: 0n,
        connections_per_second: 10,
        messages_per_second: 20,
        echo_p50_ms: 2,
        proxy_cores: 0.5,
        proxy_throttled_seconds: 0,
        cell: record.id,
      },
      ms: 5000,
    },
  ]);
});

test("failures: a point a cause that occurred", () => {
  const record = cellRecord();
  record.connections = {
    asked: 5,
    opened: 3,
    failed: 2,
    failedByCause: { timeout: 2, connect: 0 },
  };
  const [point, ...others] = failurePoints("a-run", record);
  assert.deepEqual(others, []);
  assert.deepEqual(point.tags, { ...TAGS, cause: "timeout" });
  assert.deepEqual(point.fields, { connections: 2n, cell: record.id });
  assert.equal(point.ms, record.measured?.toMs);
});

const SAMPLES = `ms,service,cpu_seconds,usage_bytes,working_set_bytes
0.0,nginx,10,1,1000
0.1,load-1,1,1,50
0.2,cadvisor,5,1,50
250.0,nginx,10.1,1,2000
250.1,load-1,1.5,1,60
500.0,nginx,10.35,1,3000
503.0,nginx,10.36,1,4000
`;

test("aligned: CPU between two samples of a container, at the time since the phase began; no observers", () => {
  const record = cellRecord();
  const points = alignedPoints("a-run", record, SAMPLES);
  const of = (service: string) =>
    points.flatMap(({ tags, fields, ms }) =>
      tags?.service === service
        ? [[ms, Number(fields.cpu_cores).toFixed(3), fields.working_set_bytes]]
        : [],
    );
  assert.deepEqual(of("nginx"), [
    [0, "NaN", 1000],
    [250, "0.400", 2000],
    [500, "1.000", 3000],
  ]);
  assert.deepEqual(of("load-1").length, 2);
  assert.deepEqual(of("cadvisor"), []);
  assert.ok(!("cpu_cores" in points[0].fields));
  assert.deepEqual(points[0].tags, { ...TAGS, round: "1", service: "nginx", role: "proxy" });
});

test("aligned: of a failed attempt nothing, or it would lie in the same place as the next one", () => {
  const record = { ...cellRecord(), status: "failed" as const };
  assert.deepEqual(alignedPoints("a-run", record, SAMPLES), []);
});

test("cells: every measure under its key, and whether they may be trusted", () => {
  const record = cellRecord();
  const workload = workloadFor(record);
  const cell = { record, setting: "", workload, measures: { total_seconds: 5 }, counted: true };
  const steal = (severity: Flag["severity"]): Flag => ({
    ...{ code: "steal", severity, figures: { percent: 5, limit: 2 } },
  });
  const pointOf = (changes: object, ...severities: Flag["severity"][]) =>
    cellPoint(
      "a-run",
      { ...cell, record: { ...record, ...changes }, flags: severities.map(steal) },
      ({ severity }) => `it is ${severity}`,
    );
  const point = pointOf({}, "note");
  assert.deepEqual(point.tags, { ...TAGS, round: "1", validity: "valid" });
  assert.deepEqual(point.fields, {
    total_seconds: 5,
    cell: record.id,
    attempt: 1n,
    findings: "",
    concern: 4n,
  });
  const worst = pointOf({}, "weak", "invalid");
  assert.equal(worst.tags?.validity, "invalid");
  assert.equal(worst.fields.findings, "it is weak; it is invalid");
  for (const status of ["failed", "skipped"]) {
    const cause = { kind: "load", message: "k6 ended with status 99" };
    const { tags, fields, ms } = pointOf({ status, cause, measured: null });
    assert.equal(tags?.validity, status);
    assert.equal(fields.findings, "load: k6 ended with status 99");
    assert.equal(ms, Date.parse(record.startedAt) + 5100);
  }
});

test("summaries: what the report's tables say, best first, the control last", () => {
  const nginx = { none: {}, reload: { lost: 40 }, kill: { lost: 2000 } };
  const haproxy = { none: {}, reload: "it cannot reload", kill: { lost: 30 } };
  const survival = survivalResults({ proxies: { nginx, haproxy, none: nginx } });
  for (const run of [results({ rounds: 6 }), capacityResults(), survival]) {
    const analysis = analyse(run, { policy });
    const { comparisons } = analysis;
    const points = summaryPoints(analysis, POINT_WORDS);
    assert.equal(new Set(points.map(({ ms }) => ms)).size, 1);
    const own = comparisons.comparisons.filter(
      ({ settings, beside }) => settings.length === 1 && !beside,
    );
    let seen = 0;
    for (const comparison of own) {
      const { measure, scheme, event, settings, question } = comparison;
      const { scenario, parameters } = comparisons.settings[settings[0]];
      const isOfSetting = ({ tags }: Point) =>
        run.plan.cells.some(
          (cell) =>
            settingLabel(cell) === tags?.setting &&
            Object.entries(parameters).every(([name, value]) => cell.parameters[name] === value),
        );
      const found = points
        .filter(({ tags }) => tags?.scenario === scenario && tags.scheme === scheme)
        .filter(({ tags }) => tags?.measure === measure.key && tags.event === (event ?? ""))
        .filter(isOfSetting)
        .sort((a, b) => Number(a.fields.place) - Number(b.fields.place));
      const { rows } = figuresTable(comparisons, [{ comparison, title: "" }]);
      seen += found.length;
      // A figure of a table stands without its unit, and a reason with a footnote's sign.
      const first = (text: string) => text.split(" ")[0];
      const told = found.map(({ tags, fields }) => [tags?.proxy, first(String(fields.figure))]);
      const table = rows.map(([{ proxy }, { text }]) => [proxy, first(text)]);
      // A question to which no proxy has an answer is left out.
      const isEmpty = table.every(([, text]) => ["–", "n/a", "skipped"].includes(text ?? ""));
      assert.deepEqual(told, isEmpty ? [] : table, `${question} ${measure.key} ${event}`);
      for (const [i, { fields }] of found.entries())
        assert.ok((rows[i][1].small ?? "").includes(String(fields.interval ?? "")));
    }
    assert.equal(seen, points.length);
  }
});

test("summaries: no two questions of a setting have one name", () => {
  const label = (question: string, measure: string) =>
    questionLabel({ question, measure: measureOf(measure) });
  assert.deepEqual(
    [
      label("echo_latency_ms_median", "echo_latency_ms_median"),
      label("echo-at-rate", "echo_latency_ms_median"),
      label("echo-at-rate", "echo_latency_ms_p99"),
      label("capacity", "connections_per_second"),
    ].map((text) => text.replace(/^\d\d /, "")),
    [
      "Echo time, median",
      "Echo time, median (Echo time p99 at a fixed rate)",
      "Echo time p99 at a fixed rate",
      "Highest rate within the promise",
    ],
  );
});

test("summaries: tags and fields", () => {
  const points = summaryPoints(analyse(results({ rounds: 6 }), { policy }), POINT_WORDS);
  const of = (proxy: string, measure: string) =>
    points.find(({ tags }) => tags?.proxy === proxy && tags.measure === measure);
  const bound = of("nginx", "handshake_ms_mean");
  assert.ok(bound);
  assert.deepEqual(names(bound), [
    ["event", "measure", "proxy", "question", "run", "scenario", "scheme", "setting", "unit"],
    [
      ...["figure", "high", "interval", "low", "median", "place", "rank"],
      ...["ratio", "ratio_high", "ratio_low", "rounds", "to_best"],
    ],
  ]);
  assert.match(String(bound.tags?.question), /^\d\d Connect time, mean$/);
  assert.equal(bound.fields.rounds, 6n);
  assert.match(String(bound.fields.rank), /^\d( =)?$/);
  // The control's own cost is nothing to hold a proxy against.
  assert.ok(!("ratio" in (of("nginx", "cpu_us_per_connection")?.fields ?? {})));
  assert.ok(!("rank" in (of("none", "handshake_ms_mean")?.fields ?? {})));
});

test("comparisons: one point per proxy, setting and measure, with both runs as tags", () => {
  const run = results({ rounds: 6, schemes: ["ws"] });
  const baseline = results({ rounds: 6, schemes: ["ws"], seed: 2 });
  baseline.run = { ...baseline.run, name: "earlier" };
  const comparison = compareRuns(run, baseline, policy);
  const points = comparisonPoints(comparison, run.cells, POINT_WORDS);
  assert.equal(points.length, comparison.rows.length);
  const [point] = points;
  assert.deepEqual(names(point), [
    ["baseline", "measure", "proxy", "run", "scenario", "scheme", "setting", "unit"],
    [
      ...["baseline_value", "change", "differs", "high", "interval", "low"],
      ...["now", "outcome", "place", "ratio", "value", "was"],
    ],
  ]);
  assert.equal(point.tags?.run, run.run.name);
  assert.equal(point.tags?.baseline, "earlier");
});

test("no two points of a run are one in InfluxDB, and all can be written", () => {
  const run = results({ rounds: 3 });
  let at = 1e12;
  for (const record of run.cells) {
    const length = Number(record.measured?.toMs) - Number(record.measured?.fromMs);
    record.startedAt = new Date(at).toISOString();
    record.measured = { fromMs: at + 7000, toMs: at + 7000 + length };
    at += 30_000;
  }
  const analysis = analyse(run, { policy });
  const points = [
    ...analysis.cells.flatMap((cell) => [
      ...phasePoints("r", cell.record),
      ...alignedPoints("r", cell.record, SAMPLES.replaceAll("nginx", cell.record.proxy)),
      cellPoint("r", cell, ({ code }) => code),
    ]),
    ...summaryPoints(analysis, POINT_WORDS),
  ];
  const places = points.map((point) => {
    const line = lineOf({ ...point, fields: { f: 1 } });
    lineOf(point);
    return line;
  });
  assert.equal(new Set(places).size, places.length);
});

test("each rate of a search is a point, and each fresh cell's, all under one setting", () => {
  const run = capacityResults();
  const points = probePoints(analyse(run, { policy }));
  assert.equal(points.length, 13);
  assert.deepEqual(points[1].tags, {
    ...{ run: run.run.name, proxy: "nginx", scenario: "arrivals", scheme: "ws" },
    ...{ setting: "arrivals ws search", verdict: "fails", part: "search" },
  });
  assert.deepEqual(points[1].fields, {
    ...{ rate: 400, p99_ms: 90, why: "p99", cell: "r1-nginx-arrivals-ws-search" },
  });
  assert.deepEqual([...new Set(points.map(({ tags }) => tags?.setting))], ["arrivals ws search"]);
  assert.equal(points.filter(({ tags }) => tags?.part === "fresh").length, 6);
});
