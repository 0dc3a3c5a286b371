import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readPublished } from "./claims.js";
import { analyse } from "./index.js";
import { POLICY, results } from "./testing/results.js";

const FILE = new URL("../../../../battles/published/balancerbattle-2013.yaml", import.meta.url)
  .pathname;
const policy = /** @type {any} */ (POLICY);

/**
 * @param {Partial<import("./claims.js").ClaimRule>} rule
 * @param {Parameters<typeof results>[0]} [options]
 */
function claim(rule, options) {
  const claims = [
    {
      claim: "it is so",
      measure: "total_seconds",
      of: "http-proxy",
      to: ["nginx"],
      scheme: /** @type {const} */ ("ws"),
      parameters: { CONNECTIONS: 2000 },
      ...rule,
    },
  ];
  const study = {
    title: "t",
    year: 2013,
    source: "s",
    machine: "m",
    note: "n",
    tables: [],
    claims,
  };
  const { published } = analyse(results(options), { policy, published: study });
  assert.ok(published);
  return published.claims[0];
}

test("a claim holds when its figure's whole interval is inside of the limits", () => {
  // http-proxy takes 12 s, nginx 5.
  const holds = claim({ min: 2 });
  assert.equal(holds.outcome, "holds");
  assert.match(
    holds.today,
    /^Total: http-proxy to nginx 2\.\d\d times \(2\.\d\d to 2\.\d\d\)\. The claim needs at least 2\.00 times\.$/,
  );
  assert.equal(claim({ max: 2 }).outcome, "no longer");
  assert.equal(claim({ min: 2, max: 3 }).outcome, "holds");
  assert.equal(claim({ min: 3 }).outcome, "no longer");
  assert.equal(claim({ min: 2.4, max: 3 }, { spread: 0.2 }).outcome, "cannot be told here");
});

test("a claim about several must hold for each", () => {
  assert.equal(claim({ to: ["nginx", "haproxy"], min: 2 }).outcome, "holds");
  assert.equal(claim({ to: ["nginx", "http-proxy"], min: 2 }).outcome, "no longer");
  const unknown = claim({ to: ["nginx", "haproxy-hitch"], min: 2 });
  assert.equal(unknown.outcome, "cannot be told here");
  assert.match(unknown.today, /haproxy-hitch was not measured/);
});

test("a claim about a figure itself", () => {
  const rule = { measure: "proxy_memory_peak_usage_bytes", of: "nginx", to: undefined };
  const holds = claim({ ...rule, max: 40e6 });
  assert.equal(holds.outcome, "holds");
  assert.match(
    holds.today,
    /^Memory, peak: nginx \d\d(\.\d)? MB \(.* to .*\)\. The claim needs at most 40 MB\.$/,
  );
  assert.equal(claim({ ...rule, max: 10e6 }).outcome, "no longer");
});

test("what this run cannot tell", () => {
  assert.match(
    claim({ min: 2, parameters: { CONNECTIONS: 10000 } }).today,
    /^this run has nothing over ws with CONNECTIONS=10000$/,
  );
  const few = claim({ min: 2 }, { rounds: 3 });
  assert.equal(few.outcome, "cannot be told here");
  assert.match(few.today, /too few rounds for an interval/);
});

test("the figures of 2013 are readable, and complete as far as they were published", () => {
  const study = readPublished(FILE);
  assert.equal(study.year, 2013);
  const [http, https] = study.tables;
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
  const { published } = analyse(results({ connections: [10000] }), { policy, published: study });
  assert.equal(published?.claims.length, study.claims.length);
  assert.equal(published?.claims[0].outcome, "holds");
});

test("the study's own figures satisfy its claims", () => {
  const { tables, claims } = readPublished(FILE);
  /** @type {Record<string, string>} */
  const names = { none: "control", "haproxy-hitch": "haproxy + stud" };
  /** @type {Record<string, string>} */
  const columns = {
    total_seconds: "Total, ms",
    echo_latency_ms_mean: "Latency (mean), ms",
    proxy_memory_peak_usage_bytes: "Peak memory, MB",
  };
  for (const { claim, measure, of, to, scheme, parameters, min = 0, max = Infinity } of claims) {
    const column = columns[measure];
    const table = tables.find(
      ({ title, columns }) =>
        columns.includes(column) && title.includes(scheme === "wss" ? "HTTPS" : "HTTP"),
    );
    assert.ok(table, claim);
    const figure = (/** @type {string} */ proxy) =>
      Number(
        table.rows.find(
          (row) => row[0] === (names[proxy] ?? proxy) && row[1] === parameters.CONNECTIONS,
        )?.[table.columns.indexOf(column)],
      );
    for (const other of to ?? []) {
      const ratio = figure(of) / figure(other);
      assert.ok(ratio >= min && ratio <= max, `${claim}: ${ratio}`);
    }
  }
});

test("a mistake in the file is named with its line", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "published-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const text = readFileSync(FILE, "utf8");
  const read = (/** @type {[string, string]} */ [from, to]) => {
    assert.ok(text.includes(from), from);
    writeFileSync(join(directory, "x.yaml"), text.replace(from, to));
    return () => readPublished(join(directory, "x.yaml"));
  };
  const line = (/** @type {string} */ of) => text.slice(0, text.indexOf(of)).split("\n").length;
  assert.throws(read(["year: 2013", "yaer: 2013"]), /x\.yaml, line \d+: /);
  assert.throws(read(["measure: total_seconds", "measure: total_second"]), {
    message: `battles/published/x.yaml, line ${line("measure: total_seconds")}: there is no measure "total_second"`,
  });
  assert.throws(read(["[nginx, 2000, 266, 22, 6358]", "[nginx, 2000, 266, 22]"]), {
    message: `battles/published/x.yaml, line ${line("[nginx, 2000, 266, 22, 6358]")}: the row has 4 entries, the table 5 columns`,
  });
  assert.throws(read(["    min: 0.9\n    max: 1.1\n", ""]), /x\.yaml, line \d+: /);
});
