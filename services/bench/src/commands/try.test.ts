import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { root } from "../plan/testing/project.ts";
import { battleOf, tryConfig } from "./try.ts";
import { turnsWith } from "./turns.ts";
import { MEASURES } from "./definitions/try.ts";
import type { Plan } from "../model/plan.ts";
import type { TestContext } from "node:test";
import type { TryArguments } from "./definitions/try.ts";

const NAMES = { own: "yours", baseline: "nginx" };

/** @returns a project with nginx alone, and what is tried there */
function nginxProject(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "try-test-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const own = join(import.meta.dirname, "../../../../proxies/nginx");
  cpSync(own, join(directory, "proxies/nginx"), { recursive: true });
  mkdirSync(join(directory, ".bench"));
  const tried = (wanted: Partial<TryArguments>) =>
    tryConfig(
      directory,
      {
        ...{ proxy: "nginx", config: join(own, "nginx.conf"), set: {}, measures: ["cpu"] },
        ...{ idle: 3, tolerance: 0.1, json: true, markdown: false, ...wanted },
      },
      { say: assert.fail, print: assert.fail },
      ["try"],
    );
  return { directory, tried };
}

test("another run under way is refused before anything starts", async (t) => {
  const { directory, tried } = nginxProject(t);
  const holder = { run: "results/x", container: hostname(), pid: process.ppid };
  writeFileSync(join(directory, ".bench/run.lock"), JSON.stringify(holder));
  await assert.rejects(tried({}), { message: "a run is under way: results/x" });
});

test("what ./bench has put there of a git revision is gone when it has been read", async (t) => {
  const { directory, tried } = nginxProject(t);
  const against = join(directory, ".bench/against");
  mkdirSync(against);
  writeFileSync(join(against, "nginx.conf"), "events {");
  process.env.BENCH_AGAINST = join(against, "nginx.conf");
  t.after(() => delete process.env.BENCH_AGAINST);
  await assert.rejects(tried({ against: "HEAD~1" }), { message: /line 1: a \{ has no \}/ });
  assert.ok(!existsSync(against));
});

test("--connections is for the loads that have a number of connections, and lowers how many open at once", () => {
  const { tests } = battleOf(
    { measures: [...MEASURES], connections: [20, 30] },
    { ...NAMES, inTurns: true },
    ["ws"],
  );
  const seen = tests.map(({ scenario, parameters: { CONNECTIONS, CONCURRENCY } }) => ({
    scenario,
    CONNECTIONS,
    ...(CONCURRENCY !== undefined && { CONCURRENCY }),
  }));
  assert.deepEqual(seen, [
    { scenario: "short-lived", CONNECTIONS: [20, 30], CONCURRENCY: 20 },
    { scenario: "short-lived", CONNECTIONS: [20, 30], CONCURRENCY: 20 },
    { scenario: "arrivals", CONNECTIONS: undefined },
    { scenario: "steady", CONNECTIONS: [20, 30] },
    { scenario: "idle", CONNECTIONS: [20, 30] },
    { scenario: "survive", CONNECTIONS: [20, 30] },
  ]);
});

test("the baseline has cells of its own, and CPU more rounds, where there are no turns", () => {
  const rows = [
    [["cpu"], true, false, 4],
    [["cpu"], false, true, 6],
    [["cpu", "memory"], true, true, 4],
  ] as const;
  for (const [measures, inTurns, expected, most] of rows) {
    const wanted = { measures: [...measures] };
    const { proxies, rounds } = battleOf(wanted, { ...NAMES, inTurns }, ["ws"]);
    assert.deepEqual([proxies.includes("nginx"), rounds], [expected, most], measures.join());
  }
});

test("turns: the baseline gets half of the short connections, and nothing of other loads", () => {
  const cell = (proxy: string, scenario: string) => ({ proxy, scenario });
  const plan = {
    scenarios: {
      "short-lived": { usesReference: true, referenceTurns: true },
      arrivals: { usesReference: true },
    },
    cells: [
      cell("yours", "short-lived"),
      cell("nginx", "short-lived"),
      cell("yours", "arrivals"),
      cell("nginx", "arrivals"),
    ],
  } as unknown as Plan;
  const { baseline, scenarios, cells } = turnsWith(plan, { name: "nginx", title: "NGINX" });
  assert.equal(baseline, "NGINX");
  assert.deepEqual(
    Object.values(scenarios).map(({ usesReference }) => usesReference),
    [true, false],
  );
  assert.deepEqual(
    cells.map(({ proxy, scenario }) => `${proxy} ${scenario}`),
    ["yours short-lived", "yours arrivals", "nginx arrivals"],
  );
});

test("--markdown says why a configuration cannot be tried; the terminal has the error alone", async () => {
  const asked = { proxy: "nginx", config: "no.conf", set: {} };
  const wanted = { ...asked, idle: 3, tolerance: 0.1, json: false };
  for (const markdown of [true, false]) {
    const lines: string[] = [];
    const out = { say: () => {}, print: (line: string) => void lines.push(line) };
    const all = { ...wanted, markdown, measures: [MEASURES[0]] };
    await assert.rejects(tryConfig(root, all, out, ["try"]), UserError);
    if (markdown) assert.match(lines.join("\n"), /^### .*no\.conf.*\n\n- \w/);
    else assert.deepEqual(lines, []);
  }
});
