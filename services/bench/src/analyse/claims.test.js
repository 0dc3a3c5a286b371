import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readScenario, scenarioNames } from "../plan/scenarios.js";
import { readProxies } from "../plan/proxies.js";
import { readPublished, studyOf } from "./claims.js";
import { analyse } from "./index.js";
import { PARAMETERS, POLICY, results, slopeRow } from "./testing/results.js";

/** @import { ClaimFilter, ClaimRule, PublishedClaim } from "./types.js" */

const PROJECT = new URL("../../../..", import.meta.url).pathname;
const FOLDER = join(PROJECT, "battles/published");
const STUDIES = readdirSync(FOLDER).map((file) => file.replace(".yaml", ""));

const policy = /** @type {any} */ (POLICY);
const ABOUT = { title: "t", year: 2013, source: "s", machine: "m", note: "n", tables: [] };
const WS = { scenario: "short-lived", scheme: /** @type {const} */ ("ws") };

/** @param {string} name */
function study(name) {
  return readPublished(join(FOLDER, `${name}.yaml`));
}

/**
 * @param {PublishedClaim} claim
 * @param {Parameters<typeof results>[0]} [options]
 */
function told(claim, options) {
  const { published } = analyse(results(options), {
    policy,
    published: { ...ABOUT, claims: [claim] },
  });
  assert.ok(published);
  return published.claims[0];
}

/**
 * @param {Partial<ClaimRule>} rule
 * @param {Parameters<typeof results>[0]} [options]
 */
function claim(rule, options) {
  const at = { ...WS, parameters: { CONNECTIONS: 2000 } };
  const whole = { measure: "total_seconds", of: "http-proxy", to: ["nginx"], at, ...rule };
  return told({ claim: "it is so", rule: whole }, options);
}

test("a claim holds when its figure's whole interval is inside of the limits", () => {
  // http-proxy takes 12 s, nginx 5.
  const holds = claim({ min: 2 });
  assert.equal(holds.outcome, "holds");
  assert.equal(claim({ max: 2 }).outcome, "no longer");
  assert.equal(claim({ min: 2, max: 3 }).outcome, "holds");
  assert.equal(claim({ min: 3 }).outcome, "no longer");
  assert.equal(claim({ min: 2.4, max: 3 }, { spread: 0.2 }).outcome, "inconclusive");
});

test("a claim about several must hold for each", () => {
  assert.equal(claim({ to: ["nginx", "haproxy"], min: 2 }).outcome, "holds");
  assert.equal(claim({ to: ["haproxy", "none"], max: 2.7 }).outcome, "no longer");
  const unknown = claim({ to: ["nginx", "haproxy-hitch"], min: 2 });
  assert.equal(unknown.outcome, "inconclusive");
  assert.deepEqual(
    unknown.figures.map(({ other, estimate }) => [other, estimate === null]),
    [
      ["haproxy-hitch", true],
      ["nginx", false],
    ],
  );
});

test("a claim about a figure itself", () => {
  const rule = { measure: "proxy_memory_peak_usage_bytes", of: "nginx", to: undefined };
  const holds = claim({ ...rule, max: 40e6 });
  assert.equal(holds.outcome, "holds");
  assert.equal(claim({ ...rule, max: 10e6 }).outcome, "no longer");
});

test("a measure that no table compares, and one that is 0", () => {
  const rule = { of: "nginx", to: undefined };
  assert.equal(claim({ ...rule, measure: "proxy_cpu_seconds", max: 1 }).outcome, "holds");
  assert.equal(claim({ ...rule, measure: "connections_failed", max: 0 }).outcome, "holds");
  assert.equal(claim({ ...rule, measure: "connections_failed", min: 1 }).outcome, "no longer");
});

test("a proxy against itself with other parameters, or over the other scheme", () => {
  const of = "nginx";
  const to = undefined;
  const at = { ...WS, parameters: { CONNECTIONS: 5000 } };
  const against = { parameters: { CONNECTIONS: 1000 } };
  /** @type {Parameters<typeof results>[0]} */
  const options = {
    connections: [1000, 2000, 5000],
    change: (record) => [
      { ...record, totalSeconds: (record.parameters.CONNECTIONS / 1000) * 3 + record.round / 100 },
    ],
  };
  const grows = claim({ of, to, at, against, min: 4.9, max: 5.1 }, options);
  assert.equal(grows.outcome, "holds");

  // Over wss a handshake costs 2.5 times the CPU.
  const tls = {
    measure: "cpu_us_per_connection",
    at: { ...WS, scheme: "wss" },
    min: 2.3,
    max: 2.7,
  };
  const dearer = claim({ .../** @type {any} */ (tls), of, to, against: { scheme: "ws" } });
  assert.equal(dearer.outcome, "holds");

  // http-proxy over wss to nginx over ws: 3.5 × 2.5.
  const both = { ...tls, of: "http-proxy", to: ["nginx"], against: { scheme: "ws" } };
  const dearest = claim({ .../** @type {any} */ (both), min: 8, max: 9.5 });
  assert.equal(dearest.outcome, "holds");
});

test("a claim about several tests must hold in each, and is not asked of what the others are held against", () => {
  const connections = [1000, 2000, 3000, 4000, 5000, 6000, 7000];
  const at = WS;
  const against = { parameters: { CONNECTIONS: 1000 } };
  const rule = { of: "nginx", to: undefined, at, against };
  const holds = claim({ ...rule, min: 0.9, max: 1.1 }, { connections });
  assert.equal(holds.outcome, "holds");
  assert.equal(holds.figures.length, 6);

  const one = claim(
    { ...rule, max: 1.1 },
    {
      connections,
      change: (record) =>
        record.parameters.CONNECTIONS === 6000 ? [{ ...record, totalSeconds: 9 }] : [record],
    },
  );
  assert.equal(one.outcome, "no longer");
  // The one that decides comes first.
  assert.deepEqual(
    one.figures.map(({ outcome }) => outcome),
    ["no longer", ...Array(5).fill("holds")],
  );
  const { at: first } = one.figures[0];
  assert.ok(Array.isArray(first) && first[0].parameters.CONNECTIONS === 6000);
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
  const measure = "proxy_memory_mean_usage_bytes";
  const row = slopeRow();
  const { proxy, ...none } = {
    ...row,
    slope: null,
    missing: { kind: /** @type {const} */ ("few-counts"), counts: 2, least: 4 },
  };
  const slopes = [
    {
      scenario: "idle",
      scheme: /** @type {const} */ ("ws"),
      parameters: { MESSAGE_BYTES: 10 },
      most: 5000,
      parts: [{ measure, rows: [row, { proxy: "haproxy", ...none }] }],
      unranked: null,
    },
  ];
  const slope = (/** @type {Partial<ClaimRule>} */ rule) => {
    const at = { scenario: "idle", scheme: /** @type {const} */ ("ws") };
    const whole = { measure, of: "nginx", at, slope: /** @type {const} */ (true), ...rule };
    const published = { ...ABOUT, claims: [{ claim: "it is so", rule: whole }] };
    const analysed = { results: results({ rounds: 1 }), settings: [], cells: [], slopes };
    return studyOf(published, analysed).claims[0];
  };
  const holds = slope({ max: 21e3 });
  assert.equal(holds.outcome, "holds");
  assert.equal(slope({ max: 19e3 }).outcome, "no longer");
  assert.equal(slope({ max: 20e3 }).outcome, "inconclusive");
  assert.equal(slope({ of: "none", max: 1 }).outcome, "inconclusive");
});

test("what this run cannot tell", () => {
  const parameters = { CONNECTIONS: 10000 };
  const nothing = claim({ min: 2, at: { ...WS, parameters } });
  assert.deepEqual([nothing.outcome, nothing.figures, nothing.places], ["inconclusive", [], 0]);
  const half = claim({ min: 2, to: undefined, at: WS, against: { parameters } });
  assert.deepEqual([half.outcome, half.figures, half.places], ["inconclusive", [], 1]);
  const few = claim({ min: 2 }, { rounds: 3 });
  assert.equal(few.outcome, "inconclusive");
  assert.equal(few.figures[0].estimate?.interval, null);
});

test("what no run can tell has its reason instead of a figure", () => {
  const published = {
    ...{ claim: "nginx is nicer", rule: null, reason: "A matter of taste." },
    kind: /** @type {const} */ ("advice"),
  };
  assert.deepEqual(told(published), {
    ...published,
    outcome: "inconclusive",
    figures: [],
    places: 0,
    isTold: false,
    battles: [],
  });
});

test("the figures of 2013 are readable, and complete as far as they were published", () => {
  const published = study("balancerbattle-2013");
  assert.equal(published.year, 2013);
  const [http, https] = published.tables;
  assert.deepEqual(
    http.rows.find(([proxy, connections]) => proxy === "nginx" && connections === 10000),
    ["nginx", 10000, 252, 16, 28433],
  );
  assert.deepEqual(
    https.rows.find(([proxy, connections]) => proxy === "control" && connections === 10000),
    ["control", 10000, 703, 65, 71500],
  );
  assert.equal(http.rows.length, 4 * 3);
  assert.equal(https.rows.length, 5 * 3 + 2 * 2);
  const analysed = analyse(results({ connections: [10000] }), { policy, published }).published;
  assert.equal(analysed?.claims.length, published.claims.length);
  assert.equal(analysed?.claims[0].outcome, "holds");
});

for (const name of STUDIES) {
  test(`${name}: every claim comes to an outcome, and every name in its rules is known`, () => {
    const published = study(name);
    const analysed = analyse(results(), { policy, published }).published;
    for (const { claim, rule, reason, outcome } of analysed?.claims ?? [])
      assert.ok(
        ["holds", "no longer", "inconclusive"].includes(outcome) && (rule || reason),
        claim,
      );

    const proxies = readProxies(join(PROJECT, "proxies")).map((proxy) => proxy.name);
    for (const { claim, rule } of published.claims) {
      if (!rule) continue;
      for (const proxy of [rule.of, ...(rule.to ?? [])])
        assert.ok(proxies.includes(proxy), `${claim}: no proxy ${proxy}`);
      const serial = { ...rule.at, parameters: rule.serial };
      for (const filter of [rule.at, serial, { ...rule.at, ...rule.against }])
        assertKnown(filter, claim);
    }
  });
}

/**
 * @param {ClaimFilter} filter
 * @param {string} claim
 */
function assertKnown({ scenario, parameters = {} }, claim) {
  assert.ok(scenarioNames(PROJECT).includes(scenario), `${claim}: no scenario ${scenario}`);
  const known = readScenario(PROJECT, scenario).parameters;
  for (const name of Object.keys(parameters))
    assert.ok(name in known, `${claim}: ${scenario} has no ${name}`);
}

/**
 * @param {string} name
 * @param {(rule: ClaimRule, proxy: string, filter: ClaimFilter) => number[]} figures as published, in the order of what the
 *   filter leaves open
 */
function assertOwnFigures(name, figures) {
  for (const { claim, rule } of study(name).claims) {
    if (!rule) continue;
    const { of, to, at, against, min = 0, max = Infinity } = rule;
    const base = {
      ...at,
      ...against,
      parameters: { ...at.parameters, ...against?.parameters },
    };
    const own = figures(rule, of, at);
    const others = to ?? (against ? [of] : []);
    const ratios = others.flatMap((other) => {
      const divisors = figures(rule, other, base);
      return own.map((value, i) => value / divisors[i]);
    });
    const checked = others.length > 0 ? ratios : own;
    assert.ok(checked.length > 0, claim);
    for (const value of checked) assert.ok(value >= min && value <= max, `${claim}: ${value}`);
  }
}

test("BalancerBattle's own figures meet its claims", () => {
  const { tables } = study("balancerbattle-2013");
  /** @type {Record<string, string>} */
  const names = { none: "control", "haproxy-hitch": "haproxy + stud" };
  /** @type {Record<string, string>} */
  const columns = {
    total_seconds: "Total, ms",
    echo_latency_ms_mean: "Latency (mean), ms",
    proxy_memory_peak_usage_bytes: "Peak memory, MB",
  };
  assertOwnFigures("balancerbattle-2013", ({ measure }, proxy, { scheme, parameters = {} }) => {
    const column = columns[measure];
    const messages = parameters.MESSAGES;
    const rows = tables
      .filter(
        ({ title, columns }) =>
          columns.includes(column) &&
          title.includes("HTTPS") === (scheme === "wss") &&
          (columns.includes("Messages a connection") ||
            title.includes("100 messages") === (messages === 100)),
      )
      .flatMap(({ columns, rows }) =>
        rows.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]))),
      )
      .filter(
        (row) =>
          row.Proxy === (names[proxy] ?? proxy) &&
          row.Connections === parameters.CONNECTIONS &&
          (row["Messages a connection"] ?? messages) === messages,
      );
    return rows.map((row) => Number(row[column]));
  });
});

test("Cloud Party's own figures meet its claims", () => {
  const [{ columns, rows }] = study("cloudparty-2013").tables;
  /** @type {Record<string, string>} */
  const names = {
    "apache-files": "apache",
    "haproxy-tcp-hitch": "haproxy",
    hitch: "stud",
    "nginx-files": "nginx",
    none: "node_cached",
    "node-express": "node_express",
  };
  assertOwnFigures("cloudparty-2013", ({ measure }, proxy, { scheme, parameters = {} }) => {
    const name = `${scheme === "wss" ? "ssl_" : ""}${names[proxy] ?? proxy}`;
    const row = rows.find(([server]) => server === name);
    assert.ok(row, name);
    const cpu = [...String(row.at(-1)).matchAll(/(\d+) s/g)].map(([, seconds]) => Number(seconds));
    if (measure === "servers_cpu_seconds") return [cpu.reduce((sum, seconds) => sum + seconds, 0)];
    if (measure === "proxy_cpu_seconds") return [cpu[0]];
    assert.equal(measure, "total_seconds");
    const { FILE_BYTES: bytes } = parameters;
    const seconds = columns.flatMap((column, i) =>
      bytes === undefined
        ? column.endsWith(" B, s")
          ? [Number(row[i])]
          : []
        : column === `${bytes.toLocaleString("en")} B, s`
          ? [Number(row[i])]
          : [],
    );
    assert.equal(seconds.length, bytes === undefined ? 5 : 1);
    return seconds;
  });
});

test("the own figures of the comparison by wrk meet its claims", () => {
  const { tables } = study("wrk-nginx-haproxy");
  assertOwnFigures("wrk-nginx-haproxy", ({ measure }, proxy, { scenario }) => {
    const [{ columns, rows }] = tables.filter(
      ({ title }) => title.includes("Spring") === (scenario === "http-spring"),
    );
    const row = rows.find(
      ([name]) => name === (proxy === "haproxy-tcp" ? "HAProxy, TCP mode" : proxy),
    );
    assert.ok(row, proxy);
    const value = (/** @type {string} */ column) => Number(row[columns.indexOf(column)]);
    switch (measure) {
      case "requests_per_second":
      case "responses_per_second":
        return [value("Requests/s")];
      case "request_ms_mean":
        return [value("Latency (mean), ms")];
      default:
        assert.equal(measure, "non_2xx_percent");
        return [(100 * value("Non-2xx or 3xx")) / value("Requests")];
    }
  });
});

test("a mistake in the file is named with its line", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "published-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const text = readFileSync(join(FOLDER, "balancerbattle-2013.yaml"), "utf8");
  const read = (/** @type {string} */ from, /** @type {string} */ to) => {
    assert.ok(text.includes(from), from);
    writeFileSync(join(directory, "x.yaml"), text.replace(from, to));
    return () => readPublished(join(directory, "x.yaml"));
  };
  /** @type {(from: string, to: string, fact: string, next: RegExp) => void} */
  const refused = (from, to, fact, next) => {
    const line = text.slice(0, text.indexOf(from)).split("\n").length;
    assert.throws(read(from, to), {
      message: `battles/published/x.yaml, line ${line}: ${fact}`,
      next,
    });
  };
  refused("year: 2013", "yaer: 2013", 'unknown key "yaer"', /^Did you mean year\?/);
  refused(
    "measure: total_seconds",
    "measure: total_second",
    'there is no measure "total_second"',
    /^Did you mean total_seconds\? Expected a column of results\.csv\.$/,
  );
  refused(
    "[nginx, 2000, 266, 22, 6358]",
    "[nginx, 2000, 266, 22]",
    "the row has 4 entries, the table 5 columns",
    /one entry a column/,
  );
  refused("to: [none]", "to: []", '"to" is an empty list', /a list of folders of proxies\//);
  refused(
    "to: [none]",
    "to: [http-proxy]",
    "http-proxy is held against itself",
    /other proxies, or against/,
  );
  refused("scheme: ws\n", "scheme: wsss\n", '"scheme" is "wsss"', /^Did you mean wss\?/);
  refused("      min: 0.9\n", "      min: 9\n", "min is 9, above max, which is 1.1", /up to max/);
  refused(
    "serial: &serial { CONNECTIONS: 4000, CONCURRENCY: 1 }",
    "serial: &serial {}",
    '"serial" is an empty group of keys',
    /names and values such as/,
  );
  assert.throws(read("measure: total_seconds", "measure: proxy_cpu_seconds"), {
    message: /line \d+: serial is given, and proxy_cpu_seconds is no time$/,
    next: /only of times/,
  });
  const limits = "rule:\n      measure: total_seconds\n      of: nginx";
  assert.throws(read("      min: 0.9\n      max: 1.1\n", ""), {
    message: /line \d+: the rule has no limit$/,
    next: "Expected min, max or both.",
  });
  refused(
    limits,
    `reason: so\n    ${limits}`,
    "there is a rule and a reason",
    /only where rule is/,
  );
  refused(
    "    rule: null\n    kind: advice\n    reason: A matter of operation, which no run measures.",
    "    rule: null\n    kind: advice",
    "the rule is null, and no reason is given",
    /Expected a kind and a reason/,
  );
  refused(
    "    rule: null\n    kind: not comparable\n",
    "    rule: null\n",
    "the rule is null, and no kind is given",
    /Expected a kind and a reason/,
  );
  refused(
    "to: [none]",
    "slope: true\n      to: [none]",
    "a slope is held against another",
    /without to and against/,
  );
  refused("    rule: null\n", "    rule: never\n", '"rule" is "never"', /a rule, or null/);
});
