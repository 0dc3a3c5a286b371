/**
 * Scenarios that nobody knows, each a script and its description and nothing else: a battle runs
 * them, and its report is about what they do.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { analyse } from "../../src/analyse/index.ts";
import { isQuiet, lastAttempts, testbed, undisturbed } from "../testbed.ts";
import type { Meaning } from "../../src/model/plan.ts";

const BATTLE = `title: two of its own
proxies: [nginx]
rounds: 1
seed: 1
workers: 2
tests:
  - scenario: quokka
    schemes: [wss]
    parameters: { ASKED: 1500 }
    warmUp: { ASKED: 100 }
  - scenario: wallaby
    schemes: [ws]
    parameters: { ARRIVALS: 50, FOR_SECONDS: 12, REST_SECONDS: 1 }
`;

/** Requests over HTTP, by Node. */
const QUOKKA = `
import { printHttpSummary } from "./lib/http-summary.mjs";
import { edge, get, main, scenarioOf, waitForTarget } from "./lib/node.mjs";

await main(async () => {
  const scenario = scenarioOf("quokka");
  const { ASKED, LANES } = scenario.parameters;
  await waitForTarget(scenario);
  await edge("start");
  const startedMs = performance.now();
  const times = [];
  let left = ASKED;
  const lane = async () => {
    while (left-- > 0) {
      const sentMs = performance.now();
      const { status } = await get(scenario.origin + "/hello");
      if (status !== 200) throw new Error("status " + status);
      times.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const totalMs = performance.now() - startedMs;
  await edge("end");
  const run = { completed: times.length, non2xx: 0, statuses: {}, socketErrors: {}, totalMs };
  printHttpSummary("quokka", scenario, { ...run, requestMs: summarise(times) }, {});
});

function summarise(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
  const sd = Math.sqrt(times.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / times.length);
  return { count: times.length, mean, sd, min: at(0), median: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max: at(1) };
}
`;
const parameter: (means: Meaning, fallback: number, max: number) => object = (
  means,
  fallback,
  max,
) => ({
  description: means,
  means,
  default: fallback,
  min: 1,
  max,
});

const QUOKKA_DESCRIPTION = {
  description: "Requests for a page, a new connection each.",
  protocol: "http",
  loop: "closed",
  generatorThreads: "one",
  backend: "node-web",
  parameters: { ASKED: parameter("requests", 100, 10_000), LANES: parameter("concurrency", 4, 10) },
};

/** What a scenario of this project becomes under other names. */
const RENAMED = {
  churn: "wallaby",
  CONNECTIONS_PER_SECOND: "ARRIVALS",
  CHURN_SECONDS: "FOR_SECONDS",
  SETTLE_SECONDS: "REST_SECONDS",
  CONCURRENCY: "AT_MOST",
  MESSAGE_BYTES: "LETTERS",
};

function renamed(text: string) {
  return Object.entries(RENAMED).reduce((all, [from, to]) => all.replaceAll(from, to), text);
}

test("scenarios that nobody knows are run and reported by what they say of themselves", async (t) => {
  const { bench, directory, results, quieten, runFolder, assertNothingLeft } = testbed(t, BATTLE);
  const loadgen = join(directory, "loadgen");
  writeFileSync(join(loadgen, "quokka.mjs"), QUOKKA);
  writeFileSync(join(loadgen, "quokka.json"), JSON.stringify(QUOKKA_DESCRIPTION));
  for (const ending of ["js", "json"]) {
    const text = readFileSync(join(loadgen, `churn.${ending}`), "utf8");
    writeFileSync(join(loadgen, `wallaby.${ending}`), renamed(text));
  }

  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  await assertNothingLeft();
  const run = results();
  const cellsOf = (scenario: string) => {
    const cells = lastAttempts(run.cells).filter((cell) => cell.scenario === scenario);
    assert.equal(cells.length, 2, scenario);
    return cells;
  };

  await t.test("the record says what they are", () => {
    const { quokka, wallaby } = run.plan.scenarios;
    assert.deepEqual([quokka.protocol, quokka.loop, quokka.runner], ["http", "closed", "node"]);
    assert.deepEqual([wallaby.protocol, wallaby.loop, wallaby.runner], ["websocket", "open", "k6"]);
    assert.equal(wallaby.parameterNames.connectionsPerSecond, "ARRIVALS");
  });

  await t.test("requests are counted of the one", () => {
    for (const { id, requests, connections, tls, containers } of cellsOf("quokka")) {
      assert.equal(requests?.completed, 1500, id);
      assert.equal(connections, null, id);
      assert.equal(tls?.version, "TLSv1.3", id);
      assert.ok(Object.values(containers).some(({ role }) => role === "load"));
    }
  });

  await t.test("connections of the other, what was due of them, and what is left", () => {
    for (const { id, requests, connections, sends, containers, proxy } of cellsOf("wallaby")) {
      assert.equal(requests, null, id);
      // k6 may begin one more, and on a busy machine, where it ends late, a few.
      const most = isQuiet(run) ? 602 : 630;
      assert.ok(sends && sends.due >= 598 && sends.due <= most, `${id}: ${JSON.stringify(sends)}`);
      assert.equal(Number(connections?.opened) + sends.dropped, sends.due, id);
      assert.ok(containers[proxy].sockets?.after, id);
    }
  });

  await t.test("each is compared under the measures of its kind", () => {
    const { comparisons } = analyse(undisturbed(run), { policy: null }).comparisons;
    const of = (scenario: string) =>
      comparisons
        .filter(({ settings: [key] }) => key.startsWith(scenario))
        .map(({ question }) => question);
    const measures = { quokka: of("quokka"), wallaby: of("wallaby") };
    assert.ok(measures.quokka.includes("requests_per_second"));
    assert.ok(!measures.quokka.includes("handshake_ms_mean"));
    assert.ok(measures.wallaby.includes("handshake_ms_mean"));
    assert.ok(measures.wallaby.includes("proxy_sockets_left"));
    // The time that it takes is set.
    assert.ok(!measures.wallaby.includes("connections_per_second"));
    assert.ok(measures.wallaby.includes("proxy_descriptors_left"));
  });

  await t.test("the report calls each by its name, its scheme and its loop", () => {
    quieten();
    const markdown = readFileSync(join(directory, runFolder(), "report.md"), "utf8");
    assert.match(markdown, /^- quokka: .*\(closed loop\)$/m);
    assert.match(markdown, /^- wallaby: .*\(open loop\)$/m);
    assert.match(markdown, /^\| Proxy \| .*https.*\n.*\n\| nginx \| [\d.,]+/m);
    // Of one round, which has no spread, nothing stands in brackets.
    assert.doesNotMatch(markdown, /\(,|\(–/);
    const html = readFileSync(join(directory, runFolder(), "report.html"), "utf8");
    assert.match(html, /quokka<\/b> .*closed loop/);
    assert.match(html, /wallaby<\/b> .*open loop/);
  });
});
