import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readProxies } from "../plan/proxies.ts";
import { readScenario, scenarioNames } from "../plan/scenarios.ts";
import { claimOf, readPublished } from "./claims.ts";
import type { ClaimFilter, ClaimOutcome, ClaimRule } from "./claims.ts";
import { filesResults, httpResults, spoil } from "./testing/http.ts";
import { look, near } from "./testing/look.ts";
import { idleResults, PARAMETERS, results } from "./testing/results.ts";
import type { Options } from "./testing/results.ts";

const PROJECT = new URL("../../../..", import.meta.url).pathname;
const FOLDER = join(PROJECT, "battles/published");

const study = (name: string) => readPublished(join(FOLDER, `${name}.yaml`));
const analysed = (run: ReturnType<typeof results>) => {
  const { all, run: own } = look(run);
  return { run: own, comparisons: all };
};
const claimed = (run: ReturnType<typeof results>, rule: ClaimRule | null, more = {}) =>
  claimOf({ claim: "it is so", rule, ...more }, analysed(run));
const told = (name: string, run: ReturnType<typeof results>) => {
  const own = analysed(run);
  return study(name).claims.map((claim) => claimOf(claim, own));
};

const WS = { scenario: "short-lived", scheme: "ws" } as const;
const AT = { ...WS, parameters: { CONNECTIONS: 2000 } };
const rule = (changes: Partial<ClaimRule>): ClaimRule => ({
  ...{ measure: "total_seconds", of: "http-proxy", to: ["nginx"], at: AT },
  ...changes,
});
const PLAIN: Options = { schemes: ["ws"] };
const runs = new Map<Options, ReturnType<typeof analysed>>();
/** Of a run that many claims may be about. */
function claim(changes: Partial<ClaimRule>, options: Options = PLAIN) {
  const run = runs.get(options) ?? analysed(results({ ...PLAIN, ...options }));
  runs.set(options, run);
  return claimOf({ claim: "it is so", rule: rule(changes) }, run);
}

/** A proxy against itself. */
const ITSELF = { of: "nginx", to: undefined };
const MEMORY = { ...ITSELF, measure: "proxy_memory_peak_usage_bytes" };
const FAILED = { ...ITSELF, measure: "connections_failed" };
const TLS: Partial<ClaimRule> = {
  ...{ measure: "cpu_us_per_connection", at: { ...WS, scheme: "wss" }, against: { scheme: "ws" } },
};
const BOTH: Options = { schemes: ["ws", "wss"] };
/** A run takes 3 s for each 1,000 connections. */
const GROWING: Options = {
  connections: [1000, 2000, 5000],
  change: (record) => {
    record.totalSeconds = (record.parameters.CONNECTIONS / 1000) * 3 + record.round / 100;
  },
};

/** http-proxy takes 12 s, nginx 5. */
const CLAIMS: [what: string, Partial<ClaimRule>, outcome: ClaimOutcome, Options?][] = [
  ["inside of the limits", { min: 2 }, "holds"],
  ["above the most", { max: 2 }, "no longer"],
  ["between both", { min: 2, max: 3 }, "holds"],
  ["below the least", { min: 3 }, "no longer"],
  ["an interval across a limit", { min: 2.4, max: 3 }, "inconclusive", { spread: 0.2 }],
  ["too few rounds for an interval", { min: 2 }, "inconclusive", { rounds: 3 }],
  ["each of several", { to: ["nginx", "haproxy"], min: 2 }, "holds"],
  ["one of several contradicts", { to: ["haproxy", "none"], max: 2.7 }, "no longer"],
  ["one of several unknown", { to: ["nginx", "haproxy-hitch"], min: 2 }, "inconclusive"],
  ["a figure itself", { ...MEMORY, max: 40e6 }, "holds"],
  ["a figure itself, too large", { ...MEMORY, max: 10e6 }, "no longer"],
  ["no table compares it", { ...ITSELF, measure: "proxy_cpu_seconds", max: 1 }, "holds"],
  ["one that is 0", { ...FAILED, max: 0 }, "holds"],
  ["one that is 0 and should not be", { ...FAILED, min: 1 }, "no longer"],
  [
    "against itself with other parameters",
    {
      ...{ ...ITSELF, at: { ...WS, parameters: { CONNECTIONS: 5000 } }, min: 4.9, max: 5.1 },
      against: { parameters: { CONNECTIONS: 1000 } },
    },
    "holds",
    GROWING,
  ],
  [
    "against itself over the other scheme",
    { ...TLS, ...ITSELF, min: 2.3, max: 2.7 },
    "holds",
    BOTH,
  ],
  // 3.5 × 2.5.
  ["against another over the other scheme", { ...TLS, min: 8, max: 9.5 }, "holds", BOTH],
];

for (const [what, changes, outcome, options] of CLAIMS)
  test(`a claim, ${what}: ${outcome}`, () =>
    assert.equal(claim(changes, options).outcome, outcome));

test("the figure that decides comes first, then those of which nothing is known", () => {
  const { figures } = claim({ to: ["nginx", "haproxy-hitch"], min: 2 });
  assert.deepEqual(
    figures.map(({ other, estimate }) => [other, estimate === null]),
    [
      ["haproxy-hitch", true],
      ["nginx", false],
    ],
  );
});

test("a claim about several tests must hold in each, and not in those that others are compared with", () => {
  const options: Options = {
    proxies: { nginx: {} },
    connections: [1000, 2000, 3000, 4000, 5000, 6000, 7000],
  };
  const against = { parameters: { CONNECTIONS: 1000 } };
  const holds = claim({ ...ITSELF, at: WS, against, min: 0.9, max: 1.1 }, options);
  assert.deepEqual([holds.outcome, holds.figures.length], ["holds", 6]);
  const slower: Options["change"] = (record) => {
    if (record.parameters.CONNECTIONS === 6000) record.totalSeconds = 9;
  };
  const one = claim({ ...ITSELF, at: WS, against, max: 1.1 }, { ...options, change: slower });
  const outcomes = one.figures.map(({ outcome }) => outcome);
  assert.deepEqual(outcomes, ["no longer", ...Array(5).fill("holds")]);
  assert.match(one.figures[0].at[0], /connections-6000/);
});

test("the same one at a time answers, too, where the rule allows it", () => {
  const at = { ...WS, parameters: { CONNECTIONS: 10_000 } };
  const serial = { CONNECTIONS: 2000, CONCURRENCY: 1 };
  const oneAtATime = { parameters: { ...PARAMETERS, CONCURRENCY: 1 } };
  assert.equal(claim({ min: 2, at, serial }, oneAtATime).outcome, "holds");
  assert.equal(claim({ min: 2, at }, oneAtATime).figures.length, 0);
  assert.equal(claim({ min: 2, at, serial }).figures.length, 0, "100 at a time");
});

test("what a held connection needs, as a slope", () => {
  const slope = (changes: Partial<ClaimRule>) =>
    claimed(idleResults({ rounds: 2 }), {
      ...{ measure: "proxy_memory_mean_usage_bytes", of: "nginx", slope: true },
      ...{ at: { scenario: "idle", scheme: "ws" }, ...changes },
    });
  const { outcome, figures } = slope({ max: 26e3 });
  assert.deepEqual([outcome, figures[0].isSlope, figures[0].at.length], ["holds", true, 5]);
  assert.equal(slope({ max: 24e3 }).outcome, "no longer");
  assert.equal(slope({ max: 25e3 }).outcome, "inconclusive");
  assert.equal(slope({ of: "http-proxy", max: 1 }).outcome, "inconclusive");
});

test("times of a queue are not comparable; what a queue does not touch stands instead", () => {
  const saturated: Options = {
    change: ({ machine, totalSeconds }) => {
      if (machine) machine.busySeconds = 0.96 * 2 * (totalSeconds ?? 0);
    },
  };
  const { outcome, figures } = claim({ measure: "echo_latency_ms_mean", min: 2 }, saturated);
  const [{ queue, instead }] = figures;
  assert.deepEqual([outcome, queue?.atATime], ["not comparable", 100]);
  assert.equal(Math.round(queue?.percent ?? 0), 96);
  assert.equal(instead?.measure, "cpu_us_per_connection");
  near(instead?.estimate.value, 3.5, 0.1);
  assert.equal(claim({ measure: "cpu_us_per_connection", min: 2 }, saturated).outcome, "holds");
  // The control's CPU time is that of a server.
  const [toControl] = claim(
    { measure: "echo_latency_ms_mean", to: ["none"], min: 2 },
    saturated,
  ).figures;
  assert.equal(toControl.instead, null);
});

test("what this run cannot tell", () => {
  const parameters = { CONNECTIONS: 10_000 };
  const nothing = claim({ min: 2, at: { ...WS, parameters } });
  assert.deepEqual([nothing.outcome, nothing.figures, nothing.places], ["inconclusive", [], 0]);
  const half = claim({ min: 2, to: undefined, at: WS, against: { parameters } });
  assert.deepEqual([half.outcome, half.figures, half.places], ["inconclusive", [], 1]);
  const advice = { claim: "nginx is nicer", kind: "advice", reason: "A matter of taste." } as const;
  assert.deepEqual(claimed(results({ rounds: 1 }), null, advice), {
    ...{ ...advice, rule: null, outcome: "inconclusive", figures: [], places: 0, isTold: false },
  });
});

test("claims of the comparison by wrk, errors counted as they were then", () => {
  const run = httpResults({
    rounds: 6,
    names: ["none", "nginx", "haproxy-tcp"],
    change: (record) => {
      if (record.proxy === "nginx" && record.scenario === "http-spring") spoil(record);
    },
  });
  assert.deepEqual(
    told("wrk-nginx-haproxy", run).map(({ outcome }) => outcome),
    [...Array(4).fill("no longer"), "holds", "holds", "inconclusive"],
  );
});

test("claims about all files together rest on their sum, over http and https", () => {
  const names = ["none", "hitch", "nginx-files"];
  const claims = told("cloudparty-2013", filesResults({ rounds: 6, names, sizes: [12, 786432] }));
  const found = (pattern: RegExp) => claims.find(({ claim }) => pattern.test(claim));
  const cpu = found(/costs more CPU than a TLS terminator/);
  assert.equal(cpu?.outcome, "no longer");
  for (const one of [cpu, found(/HTTPS costs nginx many times/)])
    assert.equal(one?.figures[0].at.length, 2);
  const plain = told("cloudparty-2013", filesResults({ sizes: [12], schemes: ["ws"] }));
  const https = plain.filter((one) => one.rule?.at.scheme === "wss");
  assert.ok(https.length > 0 && https.every(({ figures }) => figures.length === 0));
});

test("the figures of 2013 are readable, and complete as far as they were published", () => {
  const { year, tables, claims } = study("balancerbattle-2013");
  const [http, https] = tables;
  const of = (table: typeof http, name: string) =>
    table.rows.find(([proxy, connections]) => proxy === name && connections === 10000);
  assert.deepEqual(of(http, "nginx"), ["nginx", 10000, 252, 16, 28433]);
  assert.deepEqual(of(https, "control"), ["control", 10000, 703, 65, 71500]);
  assert.deepEqual([year, http.rows.length, https.rows.length], [2013, 4 * 3, 5 * 3 + 2 * 2]);
  const all = told("balancerbattle-2013", results({ connections: [10000] }));
  assert.deepEqual([all.length, all[0].outcome], [claims.length, "holds"]);
});

for (const file of readdirSync(FOLDER))
  test(`${file}: every name in its rules is known`, () => {
    const proxies = readProxies(join(PROJECT, "proxies")).map(({ name }) => name);
    const isKnown = ({ scenario, parameters = {} }: ClaimFilter) => {
      if (!scenarioNames(PROJECT).includes(scenario)) return false;
      const known = readScenario(PROJECT, scenario).parameters;
      return Object.keys(parameters).every((name) => name in known);
    };
    for (const { claim, rule, reason } of readPublished(join(FOLDER, file)).claims) {
      assert.ok(rule || reason, claim);
      if (!rule) continue;
      const { of, to = [], at, serial, against } = rule;
      for (const proxy of [of, ...to]) assert.ok(proxies.includes(proxy), `${claim}: ${proxy}`);
      for (const filter of [at, { ...at, parameters: serial }, { ...at, ...against }])
        assert.ok(isKnown(filter), `${claim}: ${JSON.stringify(filter)}`);
    }
  });

/** Published figures of a proxy that match a filter, in the order of the keys it leaves open. */
type Published = (measure: string, proxy: string, filter: ClaimFilter) => number[];

/** The study's own figures meet its claims. */
function assertOwnFigures(name: string, figures: Published): void {
  for (const { claim, rule } of study(name).claims) {
    if (!rule) continue;
    const { measure, of, at, against, to, min = 0, max = Infinity } = rule;
    const parameters = { ...at.parameters, ...against?.parameters };
    const own = figures(measure, of, at);
    const others = to ?? (against ? [of] : []);
    const ratios = others.flatMap((other) => {
      const divisors = figures(measure, other, { ...at, ...against, parameters });
      return own.map((value, i) => value / divisors[i]);
    });
    const checked = others.length > 0 ? ratios : own;
    assert.ok(checked.length > 0, claim);
    for (const value of checked) assert.ok(value >= min && value <= max, `${claim}: ${value}`);
  }
}

test("BalancerBattle's own figures meet its claims", () => {
  const { tables } = study("balancerbattle-2013");
  const names: Record<string, string> = { none: "control", "haproxy-hitch": "haproxy + stud" };
  const columnOf: Record<string, string> = {
    total_seconds: "Total, ms",
    echo_latency_ms_mean: "Latency (mean), ms",
    proxy_memory_peak_usage_bytes: "Peak memory, MB",
  };
  const of = "Messages per connection";
  assertOwnFigures("balancerbattle-2013", (measure, proxy, { scheme, parameters = {} }) => {
    const { MESSAGES: messages, CONNECTIONS: connections } = parameters;
    return tables
      .filter(
        ({ title, columns }) =>
          columns.includes(columnOf[measure]) &&
          title.includes("HTTPS") === (scheme === "wss") &&
          (columns.includes(of) || title.includes("100 messages") === (messages === 100)),
      )
      .flatMap(({ columns, rows }) =>
        rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]))),
      )
      .filter((row) => row.Proxy === (names[proxy] ?? proxy) && row.Connections === connections)
      .filter((row) => (row[of] ?? messages) === messages)
      .map((row) => Number(row[columnOf[measure]]));
  });
});

test("Cloud Party's own figures meet its claims", () => {
  const [{ columns, rows }] = study("cloudparty-2013").tables;
  const names: Record<string, string> = {
    ...{ "apache-files": "apache", "haproxy-tcp-hitch": "haproxy", hitch: "stud" },
    ...{ "nginx-files": "nginx", none: "node_cached", "node-express": "node_express" },
  };
  assertOwnFigures("cloudparty-2013", (measure, proxy, { scheme, parameters = {} }) => {
    const name = `${scheme === "wss" ? "ssl_" : ""}${names[proxy] ?? proxy}`;
    const row = rows.find(([server]) => server === name);
    assert.ok(row, name);
    const cpu = [...String(row.at(-1)).matchAll(/(\d+) s/g)].map(([, seconds]) => Number(seconds));
    if (measure === "servers_cpu_seconds") return [cpu.reduce((sum, seconds) => sum + seconds, 0)];
    if (measure === "proxy_cpu_seconds") return [cpu[0]];
    assert.equal(measure, "total_seconds");
    const { FILE_BYTES: bytes } = parameters;
    const end = " B, s";
    const size = bytes?.toLocaleString("en");
    const isWanted = (column: string) =>
      size === undefined ? column.endsWith(end) : column === `${size}${end}`;
    const seconds = columns.flatMap((column, i) => (isWanted(column) ? [Number(row[i])] : []));
    assert.equal(seconds.length, bytes === undefined ? 5 : 1);
    return seconds;
  });
});

test("the own figures of the comparison by wrk meet its claims", () => {
  const { tables } = study("wrk-nginx-haproxy");
  assertOwnFigures("wrk-nginx-haproxy", (measure, proxy, { scenario }) => {
    const isSpring = scenario === "http-spring";
    const [{ columns, rows }] = tables.filter(({ title }) => title.includes("Spring") === isSpring);
    const name = proxy === "haproxy-tcp" ? "HAProxy, TCP mode" : proxy;
    const row = rows.find(([first]) => first === name);
    assert.ok(row, proxy);
    const value = (column: string) => Number(row[columns.indexOf(column)]);
    const of: Record<string, number> = {
      requests_per_second: value("Requests/s"),
      responses_per_second: value("Requests/s"),
      request_ms_mean: value("Latency (mean), ms"),
      non_2xx_percent: (100 * value("Non-2xx or 3xx")) / value("Requests"),
    };
    assert.ok(measure in of, measure);
    return [of[measure]];
  });
});

/** The change, its result, the message, and where, if in another line. */
const MISTAKES = String.raw`
year: 2013 | yaer: 2013 | unknown key "yaer" | Did you mean year?
measure: total_seconds | measure: total_second | there is no measure "total_second" | Did you mean total_seconds? Expected a column of results.csv.
[nginx, 2000, 266, 22, 6358] | [nginx, 2000, 266, 22] | the row has 4 entries, the table 5 columns | one entry per column
to: [none] | to: [] | "to" is an empty list | a list of folders of proxies/
to: [none] | to: [http-proxy] | http-proxy is compared with itself | other proxies, or against
scheme: ws\n | scheme: wsss\n | "scheme" is "wsss" | Did you mean wss?
\n      min: 0.9 | \n      min: 9 | min is 9, above max, which is 1.1 | up to max | min: 0.9
serial: &serial { CONNECTIONS: 4000, CONCURRENCY: 1 } | serial: &serial {} | "serial" is an empty group of keys | names and values such as
measure: total_seconds | measure: proxy_cpu_seconds | serial is given, and proxy_cpu_seconds is no time | only for times | serial: &serial
\n      min: 0.9\n      max: 1.1 |  | the rule has no limit | Expected min, max or both. | rule:\n      measure: total_seconds
rule:\n      measure: total_seconds\n      of: nginx | reason: so\n    rule:\n      measure: total_seconds\n      of: nginx | there is a rule and a reason | only where rule is
rule: null\n    kind: advice\n    reason: A matter of operation, which no run measures. | rule: null\n    kind: advice | the rule is null, and no reason is given | Expected a kind and a reason
rule: null\n    kind: not comparable\n | rule: null\n | the rule is null, and no kind is given | Expected a kind and a reason
to: [none] | slope: true\n      to: [none] | a slope is compared with another | without to and against
rule: null\n | rule: never\n | "rule" is "never" | a rule, or null
`;

test("a mistake in the file is named with its line", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "published-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const text = readFileSync(join(FOLDER, "balancerbattle-2013.yaml"), "utf8");
  const file = join(directory, "x.yaml");
  for (const row of MISTAKES.trim().split("\n")) {
    const cells = row.split(" | ").map((cell) => cell.replaceAll("\\n", "\n"));
    const [from, to, fact, advice, place = from] = cells;
    assert.ok(text.includes(from), from);
    writeFileSync(file, text.replace(from, to));
    const line = text.slice(0, text.indexOf(place)).split("\n").length;
    const message = `battles/published/x.yaml, line ${line}: ${fact}`;
    assert.throws(
      () => readPublished(file),
      (error: Error & { next: string }) => {
        assert.equal(error.message, message);
        return error.next.includes(advice);
      },
    );
  }
});
