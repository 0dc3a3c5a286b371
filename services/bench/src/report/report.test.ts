/**
 * Reports of runs that went wrong, and of what no published run has. How a report of a good one
 * reads, published/ shows: its test compares what this version makes with the file there.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.ts";
import { capacityResults, steps } from "../analyse/testing/capacities.ts";
import { survivalResults } from "../analyse/testing/experiments.ts";
import { POLICY, results, selfResults } from "../analyse/testing/results.ts";
import type { Reported, Setting } from "../model/comparison.ts";
import type { Flag } from "../model/flag.ts";
import type { Results } from "../model/record.ts";
import { workload } from "../plan/workload.ts";
import { SCENARIOS } from "../plan/testing/scenarios.ts";
import { details } from "./block.ts";
import { keyMark, keyMarks } from "./chart.ts";
import { htmlOf } from "./html.ts";
import { looksOf } from "./look.ts";
import { markdownOf, tableLines } from "./markdown.ts";
import { uncountedOf } from "./record-blocks.ts";
import { reportOf } from "./report.ts";
import { terminalOf } from "./terminal.ts";
import {
  addedText,
  flagText,
  isBest,
  isUnplaced,
  loadOf,
  lowPowerOf,
  settingTitle,
} from "./text.ts";

function reported(run: Results): Reported {
  return analyse(run, { policy: POLICY as never });
}

function markdown(run: Results): string {
  return markdownOf(reportOf(reported(run)));
}

test("a run with one proxy that costs more: who is best stands in bold, and in the terminal", () => {
  const run = results({ proxies: { none: {}, nginx: {}, haproxy: { cpuUsPerHandshake: 400 } } });
  assert.match(markdown(run), /^\| nginx \| \*\*\d+ µs\*\* \|/m);
  assert.match(markdown(run), /^\| HAProxy \| \d+ µs [12]\.\d\d× \|/m);
  const text = terminalOf(reported(run));
  assert.match(text, /^Summary {2}nginx is best \(plain and TLS\)\.$/m);
  assert.match(text, /^ +HAProxy uses \d\.\d\d× the CPU of nginx \(plain\), \d\.\d\d× \(TLS\)\.$/m);
  assert.match(text, /^nginx +\d+ µs \* +\d+ µs \*$/m);
  assert.match(text, /^\* best, or no measurable difference from it$/m);
});

test("releases: each compared with the one before, and a line per proxy over its versions", () => {
  const costs = { "haproxy-2.6": 180, "haproxy-3.0": 260, "nginx-1.26": 200, "nginx-1.30": 200 };
  const figures = Object.entries(costs).map(([name, cpuUsPerHandshake]) => [
    name,
    { cpuUsPerHandshake },
  ]);
  const run = results({ proxies: { none: {}, ...Object.fromEntries(figures) }, schemes: ["ws"] });
  run.plan.versions = { haproxy: ["2.6", "3.0"], nginx: ["1.26", "1.30"] };
  for (const proxy of run.proxies.filter(({ name }) => name in costs)) {
    const [of, version] = proxy.name.split("-");
    proxy.title = `${of} ${version}`;
    proxy.variantOf = { proxy: of, differs: `version ${version}` };
  }
  assert.match(markdown(run), /^# Which release made a proxy more expensive\?$/m);
  assert.match(
    markdown(run),
    /^haproxy 3\.0 uses 1\.4\d× the CPU per connection of haproxy 2\.6\. Of 2 comparisons, about 0 would differ by chance\.$/m,
  );
  // In the order of proxies and releases, not the cheapest first.
  assert.match(markdown(run), /^\| haproxy 3\.0 \| 1\.4\d× \(.*\n\| nginx 1\.30 \| /m);
  const page = htmlOf(reportOf(reported(run)), { title: "", looks: {}, footer: "" });
  assert.match(page, /Compared with\n<\/th>/);
  assert.match(page, /haproxy: 2\.6: 1\d\d, 3\.0: 2\d\d\. nginx: 1\.26: /);
});

test("versions: the reference's too, and of local builds which package they have", () => {
  const run = results();
  const { details } = run.environment;
  details.Versions = { nginx: "nginx version: nginx/1.30.6", reference: "nginx/1.26.3" };
  details.Images = { nginx: "ws-proxy-bench/nginx:1.30, 14c5366f6106, local build" };
  assert.match(
    markdown(run),
    /Versions: nginx 1\.30\.6, reference nginx 1\.26\.3\. Built [^:]*, not the official images\.$/m,
  );
  details.Packages = {
    nginx: "nginx 1.26.3 from Debian trixie, as forky has no 1.30",
    reference: "nginx 1.26.3 from Debian trixie",
    load: "of no proxy",
  };
  assert.match(
    markdown(run),
    /images: nginx 1\.26\.3 from Debian trixie; nginx 1\.26\.3 from Debian trixie, as forky has no 1\.30\.$/m,
  );
});

test("a search that fresh cells did not confirm is a range, not bold, and says so; one that they did is a figure", () => {
  const lines = (course?: Parameters<typeof capacityResults>[0]) =>
    markdown(capacityResults(course));
  const confirmed = lines({ others: { relay: { search: steps("+50 -100 -100") } } });
  assert.match(confirmed, /^\| nginx \| \*\*332\*\* \(296–425\) \|/m);
  const open = lines({
    at: ["holds", "fails", "holds"],
    others: { relay: { search: steps("+50 -100 -100") } },
  });
  assert.match(confirmed, /the rate that half of all tries keep/);
  assert.doesNotMatch(open, /half of all tries/);
  assert.match(open, /^\| nginx \| 210–561 \|/m);
  assert.match(open, /A range is a 95 % interval that fresh cells did not confirm/);
  assert.doesNotMatch(open, /\*\*\d/);
});

test("an interrupted run says so first, and which cells have not run", () => {
  const run = results();
  const [open] = run.cells.splice(-1);
  run.run.endedAt = null;
  const text = markdown(run);
  assert.match(text, /^# .*\n\n> \*\*Interrupted: .*1 not run/);
  assert.match(text, new RegExp(`^Not run: ${open.id}\\.$`, "m"));
});

test("a cell that failed stands with its cause, once for all of them", () => {
  const run = results({
    change: (record) =>
      record.proxy === "nginx"
        ? [
            {
              ...record,
              status: "failed" as const,
              cause: { kind: "load" as const, message: "of <2,000> none opened" },
            },
          ]
        : [record],
  });
  const text = markdown(run);
  const failed = run.cells.filter(({ status }) => status === "failed");
  assert.match(
    text,
    new RegExp(
      `^\\| Failed \\(load\\): of \\\\<2,000\\\\> none opened \\| ${failed.length} \\|$`,
      "m",
    ),
  );
  assert.match(text, /^\| nginx \| failed ¹ \|/m);
  const page = htmlOf(reportOf(reported(run)), { title: "x", looks: {} });
  assert.match(page, /of &lt;2,000&gt; none opened/);
});

test("a run without a figure says that", () => {
  const run = results({
    change: (record) => [
      { ...record, status: "failed" as const, cause: { kind: "load" as const, message: "no" } },
    ],
  });
  assert.match(
    markdown(run),
    /No valid measurement \(\d+ of \d+ attempts: Failed \(load\): no\)\./,
  );
  assert.match(
    terminalOf(reported(run)),
    /^Summary {2}No valid measurement \(\d+ of \d+ attempts: Failed \(load\): no\)\.$/m,
  );
});

test("the end of a run fits a terminal: fewer columns where it is narrow, and the best of many rows", () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`proxy-${i}`, {}]));
  const all = reported(results({ proxies: { none: {}, ...many } }));
  const text = terminalOf(all);
  assert.equal(text.match(/^proxy-/gm)?.length, 12);
  assert.match(text, /^… 8 more in the report$/m);
  const narrow = terminalOf(all, 40);
  assert.match(narrow, /^1 more column in the report$/m);
  for (const [shown, width] of [
    [text, 80],
    [narrow, 40],
  ] as const)
    for (const line of shown.split("\n")) assert.ok(line.length <= width, line);
});

test("a proxy against a copy of itself has a table of its own", () => {
  const text = terminalOf(reported(selfResults()));
  assert.match(text, /CPU per connection, closed loop, .* % busy +[01]\.\d\d× .* no difference/);
});

test("what stands beside a figure: the load, what may be missed, what a proxy adds", () => {
  const load = (loop: "open" | "closed", atATime: number | null, busyPercent: number | null) =>
    loadOf({ load: { loop, atATime, busyPercent } });
  const added = (value: number, low: number | null, high: number | null) =>
    addedText({ value, low, high, basis: "ci95" }, { unit: "ms" });
  const table = [
    [load("open", null, 28.6), "set rate, machine 29 % busy"],
    [load("closed", 100, 98.7), "closed loop, machine 99 % busy"],
    [load("closed", 1, null), "one at a time"],
    [loadOf({}), ""],
    [lowPowerOf({ detectable: 1.573 }), "1.57×"],
    [lowPowerOf({ detectable: 1.08 }), ""],
    [lowPowerOf({ detectable: null }), ""],
    [added(0.97, 0.06, 1.44), "0.970 ms"],
    [added(1.64, -0.1, 3.01), "up to 3.01 ms"],
    [added(0.4, null, null), "0.400 ms"],
  ];
  for (const [text, expected] of table) assert.equal(text, expected);
});

test("the first screen: question, answer, chart beside the table, what makes the run again", () => {
  const run = results({ proxies: { none: {}, nginx: {}, haproxy: { cpuUsPerHandshake: 400 } } });
  run.environment.details.Git = { commit: "6fcca65a6d68dafb960a8e968c0610d845c542d8" };
  run.environment.details.Machine = { cores: 2 };
  const [title, ...rest] = reportOf(reported(run));
  assert.deepEqual(title, {
    kind: "heading",
    level: 1,
    text: "What does a connection cost in CPU?",
  });
  const kinds = rest.slice(0, 4).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["text", "text", "beside", "run"]);
  const text = markdown(run);
  assert.match(
    text,
    /^nginx uses least CPU \(ws and wss\); HAProxy uses [12]\.\d\d× as much \(ws\)\.$/m,
  );
  assert.match(
    text,
    /^52 min on 2 cores · 6 rounds · ECDSA key · `git checkout 6fcca65a6d && \.\/bench run test`$/m,
  );
});

test("what nobody is ranked by is answered by what was measured", () => {
  const run = results({ rounds: 1 });
  assert.match(markdown(run), /^\w+ [\d,]+ µs to http-proxy [\d,]+ µs \(ws\); /m);
  assert.match(markdown(run), /^Not ranked: 1 round of at least 4\.$/m);
  assert.match(
    markdown(capacityResults({ at: ["holds", "fails", "holds"] })),
    /^nginx 210–561 connections per second\.$/m,
  );
});

test("a rank that its figure contradicts is not shown", () => {
  const figure = (rank: number, ratio: number) => ({
    role: "proxy" as const,
    rank,
    toBest: { value: ratio, low: null, high: null, basis: "ci95" as const },
  });
  const [best, slower, wild] = [figure(1, 1), figure(3, 1.2), figure(1, 1.5)];
  const among = [best, slower, wild];
  assert.deepEqual(
    among.map((one) => [isBest(one, among), isUnplaced(one, among)]),
    [
      [true, false],
      [false, false],
      [false, true],
    ],
  );
});

test("what is folded in a page is not in Markdown, but for what stands in its place", () => {
  const text = { kind: "text", text: "inside" } as const;
  const brief = { kind: "text", text: "in short" } as const;
  assert.equal(markdownOf(details("More", [text], [brief])), "in short\n");
  assert.match(
    htmlOf(details("More", [text], [brief]), { title: "x", looks: {} }),
    /<summary>More<\/summary>\s*<p>inside<\/p>/,
  );
});

test("an attempt that was repeated has a reason", () => {
  const run = results();
  const [first] = run.cells.filter(({ proxy }) => proxy === "nginx");
  run.cells.push({ ...first, attempt: 2 });
  assert.deepEqual(uncountedOf(reported(run)), [{ why: "Repeated", ids: [first.id] }]);
});

test("a mark beside a name is that of its proxy.json", () => {
  const run = results();
  for (const proxy of run.proxies) proxy.shape = "diamond";
  const { comparisons } = reported(run);
  assert.equal(looksOf(comparisons).nginx.shape, "diamond");
  const looks = looksOf(comparisons);
  const page = htmlOf(reportOf(reported(run)), { title: "x", looks });
  assert.ok(page.includes(keyMarks(looks)));
  assert.ok(page.includes(`${keyMark("nginx")}nginx`));
});

function settings(all: Record<string, Record<string, number>>): Record<string, Setting> {
  return Object.fromEntries(
    Object.entries(all).map(([key, parameters]) => [
      key,
      {
        ...{ key, scenario: "short-lived", parameters },
        scheme: key.startsWith("wss") ? ("wss" as const) : ("ws" as const),
        workload: workload(SCENARIOS["short-lived"], parameters),
      },
    ]),
  );
}

test("a setting is called by what differs, a pool by nothing that it has all of", () => {
  const all = settings({
    ws1: { CONNECTIONS: 1000, CONCURRENCY: 100, MESSAGES: 1 },
    ws2: { CONNECTIONS: 2000, CONCURRENCY: 100, MESSAGES: 1 },
    ws5: { CONNECTIONS: 5000, CONCURRENCY: 100, MESSAGES: 1 },
    wss5: { CONNECTIONS: 5000, CONCURRENCY: 100, MESSAGES: 20 },
  });
  assert.equal(settingTitle(["ws1"], { ws1: all.ws1 }), "ws");
  assert.equal(settingTitle(["ws1"], all), "1,000 connections, 1 message per connection, ws");
  assert.equal(settingTitle(["ws1", "ws2", "ws5"], all), "1 message per connection, ws");
  assert.equal(settingTitle(["wss5"], all), "5,000 connections, 20 messages per connection, wss");
});

test("a flag's sentence has its figures, and in how many cells it was found", () => {
  const flag: Flag = {
    code: "steal",
    severity: "weak",
    figures: { percent: 8.97, limit: 2 },
    cells: { affected: 5, all: 209, first: "r1-x" },
  };
  assert.equal(
    flagText(flag, String),
    "The hypervisor took 8.97 % of the CPU time (limit 2 %): 5 of 209 cells, first r1-x",
  );
});

test("a table in Markdown: nothing in a cell is markup", () => {
  const lines = tableLines({
    ...{ title: "", note: "a|b" },
    head: [{ title: "Proxy" }, { title: "µs" }],
    rows: [
      [
        { text: "a|b", proxy: "a", control: true },
        { text: "*1*", best: true, small: "<2>" },
      ],
    ],
  });
  assert.deepEqual(lines, [
    "| Proxy | µs |\n| --- | --: |\n| *a\\|b* | **\\*1\\*** \\<2\\> |",
    "a\\|b",
  ]);
});

test("a single event: its curve, and in the first table all that is known of it", () => {
  const cut = [{ afterMs: 300, how: "close 1001", count: 2000 }];
  const run = survivalResults({
    rounds: 1,
    proxies: {
      none: { "reload-10": "has none: it cannot reload" },
      nginx: {
        "reload-10": {
          old: { goneMs: null, atEnd: 2, leaked: 0 },
          processes: [3, 5, 5],
          megabytes: [40, 84, 80],
        },
      },
      haproxy: {
        "reload-10": { ends: cut, failed: [{ second: 1, count: 4, cause: "refused" }], slow: 3 },
      },
    },
  });
  for (const proxy of run.proxies)
    if (proxy.name === "nginx") proxy.onReload = "old workers wait: https://example.org/a_b.c";
  const blocks = reportOf(reported(run));
  const titles = blocks.flatMap((one) => (one.kind === "chart" ? [one.title] : []));
  assert.deepEqual(titles, ["Connections open: reload-10"]);
  const text = markdownOf(blocks);
  assert.match(text, /^nginx loses no connection; HAProxy loses all\.$/m);
  const [first] = text.split("\n\n").filter((part) => part.startsWith("| Proxy"));
  assert.deepEqual(first.split("\n"), [
    "| Proxy | Connections lost | How | New connections failed | Slow new connections | Most old processes at once | Highest memory after the event | CPU time from the first event on |",
    "| --- | --: | --- | --: | --: | --: | --: | --: |",
    "| nginx | 0 % | – | 0 | 0 | 2 | 2.10× | 1.18 s |",
    "| HAProxy | 100 % | close 1001: 2,000 | 4 | 3 | 0 | 1.00× | 1.18 s |",
  ]);
  assert.match(text, /^- nginx: old workers wait: https:\/\/example\.org\/a_b\.c$/m);
  const page = htmlOf(blocks, { title: "x", looks: {} });
  assert.match(page, /old workers wait: <a href="https:\/\/example\.org\/a_b\.c">/);
  assert.match(terminalOf(reported(run), 100), /close 1001: 2,000/);
});

test("two events: what is lost, and what fails; of more, only what is lost", () => {
  const events = { reload: {}, "reload-10": {} };
  const two = survivalResults({ rounds: 1, proxies: { nginx: events } });
  assert.match(
    markdown(two),
    /^\| Proxy \| Connections lost, reload \| Connections lost, reload-10 \| New connections failed, reload \| New connections failed, reload-10 \|$/m,
  );
  const three = survivalResults({ rounds: 1, proxies: { nginx: { ...events, kill: {} } } });
  assert.match(
    markdown(three),
    /^\*\*Connections lost\*\*\n\n\| Proxy \| reload \| reload-10 \| kill \|$/m,
  );
});

test("events that all lose or keep alike are named together, and who loses what", () => {
  const ends = [{ afterMs: 300, how: "close 1001", count: 2000 }];
  const half = [{ afterMs: 300, how: "close 1001", count: 1000 }];
  const run = survivalResults({
    rounds: 1,
    proxies: {
      nginx: { reload: {}, "reload-10": {}, kill: { ends }, stop: { ends: half } },
      haproxy: { reload: { ends }, "reload-10": { ends }, kill: { ends }, stop: { ends } },
    },
  });
  assert.match(
    markdown(run),
    /^Every proxy measured loses all at kill; reload and reload-10: nginx loses no connection; HAProxy loses all; stop: nginx 50\.0 %, HAProxy 100 %\.$/m,
  );
});

test("where nobody loses a connection, a report leads with a question in which proxies differ", () => {
  const servers = (perSecond: number) => {
    const added = (second: number) => Math.max(0, Math.min(100, perSecond * second));
    const old = { open: (second: number) => (300 - added(second)) / 2 };
    return [old, old, { newFrom: 3, open: added }];
  };
  const run = survivalResults({
    rounds: 1,
    proxies: {
      nginx: { "backend-scale": { servers: servers(5) } },
      haproxy: { "backend-scale": { servers: servers(10) } },
    },
  });
  const text = markdown(run);
  assert.match(text, /^# How soon does a new backend hold its share of long-lived connections\?$/m);
  assert.match(text, /^HAProxy 9\.00 s, nginx 18\.0 s\.$/m);
  assert.match(text, /^\| Proxy \| Until a new backend held 90 % of its share \|/m);
});
