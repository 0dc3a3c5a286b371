/**
 * What may be concluded from runs that were recorded, and what may not: each of them once led a report further than it had measured.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { recorded, recordedRounds } from "../analyse/testing/recorded.js";
import { idleResults } from "../analyse/testing/results.js";
import { toldClaims } from "./claim-texts.js";
import { figureGroups } from "./figures.js";
import { unmeasured } from "./model.js";
import { renderHtml } from "./report-html.js";
import { renderMarkdown } from "./report-markdown.js";
import { renderText } from "./report-text.js";
import { verdictTexts } from "./verdicts.js";

/** @import { Analysis } from "../analyse/types.js" */

/** @param {Analysis} analysis */
function questionsOf(analysis) {
  return verdictTexts(analysis).verdicts.map(({ question }) => question);
}

test("times of a closed loop on a saturated machine are called a queue's, and no delay is read from them", () => {
  const queue = /closed loop, 100 at a time, machine saturated: time in the queue/i;
  const analysis = recorded(
    "balancerbattle",
    ({ parameters }) => parameters.CONNECTIONS === 10_000,
  );
  assert.deepEqual(
    questionsOf(analysis).filter((question) => question.startsWith("How much time")),
    [],
  );
  const markdown = renderMarkdown(analysis);
  assert.doesNotMatch(markdown, /How much time|\badds \d/);
  const [head] = markdown.split("## Figures")[1].match(/^\| Proxy \|.*$/m) ?? [];
  assert.match(head ?? "", /Handshake, mean, ms, time in the queue/);
  assert.match(markdown, /Handshake, mean and Echo latency, mean: closed loop, 100 at a time/);
  assert.match(markdown, /60 of 60 cells, such as .*closed loop, 100 at a time, machine saturated/);
  assert.match(renderText(analysis), queue);
  const [percentiles] = figureGroups(analysis, {});
  assert.match(percentiles.note, queue);
  for (const { description } of percentiles.figures) assert.match(description, /time in the queue/);
});

test("an open loop that dropped a third of its sends tells no latency, and says so", () => {
  const analysis = recorded("nginx-idle");
  const [{ comparisons }] = analysis.settings;
  const latency = comparisons.find(({ measure }) => measure === "echo_latency_ms_mean");
  assert.ok(latency?.rows.every(({ values, median }) => values.length === 0 && !median));
  const drawn = figureGroups(analysis, {}).find(({ title }) => title.startsWith("Echo latency"));
  const counting = analysis.settings.filter(({ comparisons }) =>
    comparisons.some(
      ({ measure, rows }) => measure === "echo_latency_ms_mean" && rows.some((row) => row.median),
    ),
  );
  assert.equal(drawn?.figures.length ?? 0, counting.length);
  const markdown = renderMarkdown(analysis);
  assert.doesNotMatch(markdown, /\+\d+ ms|adds \d/);
  assert.match(
    markdown,
    /No figure for HAProxy: .*52\.\d % of .* sends were dropped \(limit 1 %\)/,
  );
  // CPU per message counts; that the load was lower stands beside it.
  const { answers = [], caveats = [] } =
    verdictTexts(analysis).verdicts.find(({ question }) => /CPU per message/.test(question)) ?? {};
  const told = [...caveats, ...answers.flatMap((answer) => answer.caveats)].join("\n");
  assert.match(`${verdictTexts(analysis).lead.join(" ")}${told}`, /sends were dropped/);
});

test("below four rounds nothing is ranked and none is the best; with four it is a first look", () => {
  for (const name of ["balancerbattle-large", "nginx-idle"]) {
    const analysis = recorded(name);
    const rows = analysis.settings.flatMap(({ comparisons }) =>
      comparisons.flatMap((comparison) => comparison.rows),
    );
    assert.ok(rows.length > 0);
    assert.ok(rows.every(({ rank, toBest }) => rank === null && toBest === null));
    const markdown = renderMarkdown(analysis);
    assert.doesNotMatch(markdown, /costs least,|rank 1|× best/);
    assert.match(markdown, /(A single round|Only 2 rounds): below 4 nothing is ranked/);
  }
  const quick = renderText(recordedRounds("quick", 4, ({ scheme }) => scheme === "ws"));
  assert.match(quick, /A first look, 4 rounds of the 6 that a verdict takes/);
});

test("two proxies that do the same work are the run's own noise floor, with what it could have seen", () => {
  const all = recorded("balancerbattle");
  const [pair] = all.sameWork;
  assert.deepEqual([all.sameWork.length, pair.isCopy, pair.method], [1, false, "test"]);
  assert.deepEqual(new Set(pair.settings.map(({ setting }) => setting.scheme)), new Set(["ws"]));
  const measures = pair.settings.flatMap((one) => one.measures);
  assert.equal(measures.length, 12);
  assert.ok(measures.every(({ differs, detectableRatio }) => differs === false && detectableRatio));
  const text = renderText(all);
  assert.match(
    text,
    /Noise floor of this run: .* did the same work as .* over ws, .* 0\.98 times \(.*no difference is seen, and a difference of 1\.\d+ times would have been seen/,
  );
  assert.match(renderMarkdown(all), /## Noise floor\n\n### 2,000 .*\n\n.*Detectable/);
  // Two rounds told 7 differences of 8, one round a ratio of 1.48: neither is one.
  for (const name of ["balancerbattle-large", "nginx-idle"]) {
    const few = recorded(name);
    const found = few.sameWork.flatMap(({ settings }) => settings.flatMap((one) => one.measures));
    assert.ok(found.length > 0 && found.every(({ differs }) => differs === null));
    assert.match(renderText(few), /too few rounds to see any difference/);
  }
  assert.match(renderMarkdown(recorded("churn")), /No two proxies of this run do the same work/);
});

test("a cell that shared the machine with too much else does not count", () => {
  const { cells } = recorded("churn");
  const disturbed = cells.filter(({ findings }) =>
    findings.some(({ gate, severity }) => gate === "foreign-load" && severity === "invalid"),
  );
  // 52 % of the machine went to other programs.
  assert.deepEqual(
    disturbed.map(({ record, counted }) => [record.proxy, counted]),
    [["http-proxy", false]],
  );
});

test("of proxies side by side what they keep is told, and neither CPU nor times are asked about", () => {
  const analysis = recorded("churn", undefined, ({ plan }) => {
    plan.sideBySide = true;
  });
  const questions = questionsOf(analysis);
  assert.ok(
    questions.includes("Does a proxy keep connections that its clients have dropped?"),
    `${questions}`,
  );
  const compared = analysis.settings.flatMap(({ comparisons }) => comparisons);
  assert.ok(compared.length > 0);
  assert.ok(compared.every(({ measure }) => /^proxy_(memory|sockets|close|descr)/.test(measure)));
  assert.deepEqual(
    questions.filter((question) => /CPU|time|per second/.test(question)),
    [],
  );
});

test("where the figures of a contender are void, nobody is ranked and none is the best", () => {
  // Void are the fast ones: their client was the limit.
  const { settings } = recorded("tls");
  const withVoid = settings.flatMap(({ comparisons }) =>
    comparisons.filter(({ rows }) =>
      rows.some(
        ({ proxy, missing }) => proxy !== "none" && missing.some(({ kind }) => kind === "voided"),
      ),
    ),
  );
  assert.ok(withVoid.length > 0);
  for (const { rows, findings } of withVoid) {
    assert.ok(rows.every(({ rank, toBest, p }) => rank === null && toBest === null && p === null));
    if (rows.some(({ proxy, median }) => proxy !== "none" && median))
      assert.ok(findings.some(({ gate }) => gate === "survivors"));
  }
});

test("with rounds enough for ranks, a void contender still leaves none", () => {
  const isWanted = (/** @type {import("../model/plan.ts").PlannedCell} */ cell) =>
    cell.scheme === "ws" && cell.parameters.CONNECTIONS === 10_000;
  const busy = (/** @type {import("../model/record.ts").Results} */ { cells }) => {
    for (const { proxy, containers } of cells)
      for (const { role, cpu } of Object.values(containers))
        if (proxy === "nginx" && role === "load") cpu.totalSeconds *= 3;
  };
  const { settings } = recorded("balancerbattle", isWanted, busy);
  const cpu = settings[0].comparisons.find(({ measure }) => measure === "cpu_us_per_connection");
  assert.ok(cpu);
  assert.ok(cpu.rows.every(({ rank, toBest }) => rank === null && toBest === null));
  assert.deepEqual(cpu.findings.find(({ gate }) => gate === "survivors")?.figures, {
    proxies: ["nginx"],
  });
});

test("over wss the control stands beside the proxies, and bounds nothing", () => {
  const analysis = recorded("balancerbattle", ({ scheme }) => scheme === "wss");
  const { comparisons } = analysis.settings[0];
  const handshake = comparisons.find(({ measure }) => measure === "handshake_ms_mean");
  const gates = handshake?.findings.map(({ gate }) => gate) ?? [];
  assert.ok(gates.includes("control-beside") && !gates.includes("control-slower"));
  assert.match(renderMarkdown(analysis), /no proxy \(control\)\* \| [^|]*, beside, p99 [\d.]+ \|/);
  assert.doesNotMatch(renderText(analysis), /How much time/);
});

test("with one message a connection CPU per message is nowhere, and why is said", () => {
  const analysis = recorded("quick");
  const [unknown, ...others] = unmeasured(analysis, {}).filter(({ what }) =>
    /CPU per message/.test(what),
  );
  assert.deepEqual(unknown, {
    what: "CPU per message, ws; CPU per handshake and close, ws; CPU per message, wss; CPU per handshake and close, wss",
    why: "It takes two settings that differ in messages a connection alone; all of this run have 1",
  });
  assert.deepEqual(others, []);
  // That they are not known is said first of all.
  const told = [
    renderMarkdown(analysis).split("## Verdicts")[1],
    renderText(analysis).split("All answers")[1],
    ...figureGroups(analysis, {}).map(({ title }) => title),
  ].join("\n");
  assert.match(told, /CPU per connection/);
  assert.doesNotMatch(told, /CPU per (message|handshake)/);
});

test("no mean of times stands without its 99th percentile", () => {
  const [, figures] = renderMarkdown(recorded("quick")).split("## Figures");
  const rows = figures.match(/^\| (nginx|HAProxy|http-proxy) \|.*$/gm) ?? [];
  assert.equal(rows.length, 6);
  for (const row of rows)
    for (const mean of row.split("|").slice(2, 4))
      assert.match(mean, /^ \**[\d.]+\** \([^)]*\), .*, p99 [\d.]+ $/);
  assert.match(
    renderText(recorded("files")),
    /quickest[^]*\n +http +.*nginx \(files\)( takes least,)? [\d.]+ ms( \([^)]*\))? with p99 [\d.]+ ms.*Apache httpd \(files\) [\d.]+ (ms|times)[^;,]* with p99/,
  );
});

test("no report says that CPU times carry over to another machine", () => {
  for (const name of ["quick", "balancerbattle", "tls", "nginx-idle"])
    assert.doesNotMatch(renderMarkdown(recorded(name)), /carry over|carries over|holds within/);
  assert.match(
    renderMarkdown(recorded("quick")),
    /CPU times are those of this machine at that hour, and what holds are the ratios between proxies within this run/,
  );
});

test("a published time is not comparable with time in a queue", () => {
  const { published } = recorded("balancerbattle");
  assert.ok(published);
  const outcomes = new Set(published.claims.map(({ outcome }) => outcome));
  assert.ok(outcomes.has("not comparable") && !outcomes.has("no longer"));
});

test("a report lists the claims that it has figures for, and counts the others in a sentence", () => {
  const all = () => true;
  for (const [name, study] of [
    ["balancerbattle", "balancerbattle-2013"],
    ["balancerbattle-large", "balancerbattle-2013"],
    ["nginx-idle", "nginx-2014"],
    ["http", "wrk-nginx-haproxy"],
    ["files", "cloudparty-2013"],
  ]) {
    const analysis = recorded(name, all, ({ plan }) => (plan.published = study));
    const { published } = analysis;
    assert.ok(published);
    const told = toldClaims(published);
    assert.ok(told.every(({ claim }) => claim.figures.some(({ estimate }) => estimate)));
    const markdown = renderMarkdown(analysis);
    assert.doesNotMatch(markdown, /This run has no/);
    assert.equal(
      markdown.match(/The claim needs|: time in the queue, as /g)?.length ?? 0,
      told.length,
    );
    if (told.length < published.claims.length)
      assert.match(
        markdown,
        /other claims? of this study (is|are) about what this run did not measure/,
      );
  }
});

test("a claim about a slope is judged by the slope's own interval, with a single round too", () => {
  /** @type {(max: number) => import("../analyse/types.js").ClaimOutcome | undefined} */
  const outcome = (max) => {
    const at = { scenario: "idle", scheme: /** @type {const} */ ("ws") };
    const measure = "proxy_memory_mean_usage_bytes";
    const rule = { measure, of: "nginx", at, slope: /** @type {const} */ (true), max };
    const about = { title: "t", year: 2014, source: "s", machine: "m", note: "n", tables: [] };
    const { published } = analyse(idleResults({ rounds: 1 }), {
      policy: null,
      published: { ...about, claims: [{ claim: "20 kB a connection", rule }] },
    });
    return published?.claims[0].outcome;
  };
  assert.deepEqual([outcome(26e3), outcome(20e3)], ["holds", "no longer"]);
});

/** @param {Analysis} analysis */
function memoryOf(analysis) {
  const found = verdictTexts(analysis).verdicts.filter(({ question }) => /memory/i.test(question));
  assert.equal(found.length, 1);
  return found[0];
}

test("memory of short connections is told, and ranks nobody: it is mostly what a configuration reserves", () => {
  for (const name of ["quick", "balancerbattle"]) {
    const analysis = recorded(name, ({ scheme }) => scheme === "ws");
    const compared = analysis.settings.flatMap(({ comparisons }) =>
      comparisons.filter(({ measure }) => measure.startsWith("proxy_memory_")),
    );
    assert.ok(compared.length > 0);
    for (const { rows, detectableRatio } of compared) {
      assert.equal(detectableRatio, null);
      assert.ok(
        rows.every(({ rank, toBest, p }) => rank === null && toBest === null && p === null),
      );
    }
    const { question, answers } = memoryOf(analysis);
    assert.match(question, /^How much memory does a proxy have before and under this load/);
    assert.match(
      answers[0].text,
      /^Not ranked, as the baseline is mostly configuration and the growth that of 100 connections at a time: .*nginx \d+\.\d MB \(.*\) and .* more/,
    );
    const markdown = renderMarkdown(analysis);
    assert.doesNotMatch(markdown, /least memory|needs least/);
    const [head] = markdown.split("## Figures")[1].match(/^\| Proxy \|.*Memory.*$/m) ?? [];
    assert.match(head ?? "", /Memory, baseline, without socket buffers, MB \|/);
    assert.match(head ?? "", /Memory growth under load, without socket buffers, MB \|/);
    assert.match(markdown, /Memory has no rank here: the baseline is mostly configuration/);
  }
});

test("memory of held connections is ranked by the slope, the footprint beside it is not", () => {
  const analysis = recorded("idle-memory");
  const { question, answers, caveats } = memoryOf(analysis);
  assert.equal(question, "How much memory does a held connection take, without socket buffers?");
  const [ws, wss] = answers;
  assert.equal(ws.over, "ws, 1,000 to 50,000 connections held");
  assert.match(
    ws.text,
    /^No difference seen between HAProxy \+ hitch 10\.2 kB a connection \(.*\), 105,000 \(102,000 to 108,000\) connections a GiB and HAProxy 10\.2 kB .*; nginx 23\.8 kB .*; http-proxy 31\.2 kB /,
  );
  assert.match(
    ws.text,
    /Beside it, not ranked and in none of these, the baseline: .*nginx 66\.3 MB and 1,187 MB more with 50,000 held/,
  );
  assert.match(wss.text, /^Not ranked: HAProxy 34\.2 kB/);
  assert.match(wss.caveats.join(), /for 4 slopes, one of 5 points is too uncertain/);
  assert.match(caveats.join(), /Theil–Sen.*no rounds.*do not overlap/);
  assert.match(renderText(analysis), /23\.8 kB a connection .* 45,100 .* connections a GiB/);
  const markdown = renderMarkdown(analysis);
  assert.match(markdown, /Connections a GiB beyond the baseline, without socket buffers \|/);
  assert.match(
    markdown,
    /^\| nginx \| 23\.8 \(23\.8–23\.9\), rank 3 \|.*\| 45,100 \(45,000–45,200\) \|/m,
  );
});

test("whether memory holds socket buffers is what the environment says", () => {
  const under = (/** @type {string | undefined} */ cgroup) =>
    recorded(
      "quick",
      ({ scheme }) => scheme === "ws",
      ({ environment: { identity } }) => {
        if (cgroup) identity.cgroup = cgroup;
        else delete identity.cgroup;
      },
    );
  const v1 = /without socket buffers/;
  const texts = (/** @type {Analysis} */ analysis) => [
    memoryOf(analysis).question,
    renderText(analysis),
    renderMarkdown(analysis),
    renderHtml(analysis, { curves: {} }),
  ];
  for (const text of texts(under("v1"))) assert.match(text, v1);
  for (const cgroup of ["v2", undefined])
    for (const text of texts(under(cgroup)).slice(0, 3)) assert.doesNotMatch(text, v1);
  assert.doesNotMatch(renderMarkdown(under("v2")), /socket buffers/);
  assert.match(
    renderMarkdown(under(undefined)),
    /Whether memory holds socket buffers is not recorded/,
  );
  const [growth] = figureGroups(recorded("balancerbattle"), {}).filter(({ title }) =>
    /^Memory growth/.test(title),
  );
  assert.match(growth.note, /without socket buffers, which cgroup v1 charges to no container/);
});

test("on a machine whose speed varies, CPU time is held against the reference proxy: the same ratio, told more narrowly", () => {
  const held = recorded("reference");
  const asMeasured = recorded(
    "reference",
    () => true,
    ({ cells }) => cells.forEach(({ containers }) => delete containers.reference),
  );
  const [{ rangeUs, medianUs, proxies }] = held.machineIndices;
  assert.ok(rangeUs[1] - rangeUs[0] > 0.3 * medianUs, "the machine's speed varied");
  for (const { proxy, rawPercent, heldPercent } of proxies) {
    assert.ok(Number(rawPercent) > 7 && Number(rawPercent) > 2 * Number(heldPercent), proxy);
    assert.ok(Number(heldPercent) < 4, proxy);
  }
  const [told, untold] = [held, asMeasured].map(({ settings: [{ comparisons }] }) => {
    const cpu = comparisons.find(({ measure }) => measure === "cpu_us_per_connection");
    const { rank, toBest } = cpu?.rows.find(({ proxy }) => proxy === "haproxy") ?? {};
    assert.ok(toBest?.interval);
    return { rank, ratio: toBest.value, interval: toBest.interval };
  });
  const width = (/** @type {number[]} */ [low, high]) => high - low;
  assert.deepEqual([told.rank, untold.rank], [2, 1], "as measured, no difference is seen");
  assert.ok(untold.interval[0] < told.ratio && told.ratio < untold.interval[1]);
  assert.ok(width(told.interval) < 0.5 * width(untold.interval));
  assert.match(renderMarkdown(held), /^## Machine index$/m);
  assert.match(verdictTexts(held).lead.join(" "), /CPU time is held against a reference proxy/);
  assert.match(verdictTexts(asMeasured).lead.join(" "), /No reference proxy shared the load/);
  assert.doesNotMatch(renderMarkdown(asMeasured), /Machine index/);
});
