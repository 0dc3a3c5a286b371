import assert from "node:assert/strict";
import { test } from "node:test";
import { compareRuns } from "./compare-runs.ts";
import { holds } from "./testing/look.ts";
import { leakingResults, POLICY, results } from "./testing/results.ts";
import type { Options } from "./testing/results.ts";

const CPU = "cpu_us_per_connection";
const PROXIES = { none: { cpuUsPerHandshake: 150 }, nginx: {}, haproxy: {} };
const nginxAt = (cpuUsPerHandshake: number) => ({ ...PROXIES, nginx: { cpuUsPerHandshake } });

function runOf(options: Options = {}, name = "before") {
  const run = results({ schemes: ["ws"], ...options });
  run.run.name = name;
  return run;
}
const compared = (now: Options, before: Options) =>
  compareRuns(runOf(now, "now"), runOf(before), POLICY);
const rowsOf = ({ rows }: ReturnType<typeof compared>, key: string) =>
  rows.filter(({ measure }) => measure === key);

test("a proxy that costs more is higher, the others are not; the ratio is that of the medians", () => {
  const found = compared({ proxies: nginxAt(260) }, { proxies: PROXIES, seed: 3 });
  const cpu = rowsOf(found, CPU);
  assert.deepEqual(
    cpu.map(({ cell, differs }) => `${cell.proxy}: ${differs}`),
    ["none: no difference", "nginx: higher", "haproxy: no difference"],
  );
  const { ratio, value, baselineValue, p, rounds } = cpu[1];
  assert.equal(ratio?.value, value / baselineValue);
  const [low, high] = ratio.interval ?? [NaN, NaN];
  holds({ value, low, high, basis: "ci95" }, 1.3);
  assert.ok(high - low < 0.1 && Number(p) < 0.05);
  assert.deepEqual([rounds, found.differences], [[6, 6], []]);
});

test("against itself no run differs, whatever the rounds", () => {
  for (const rounds of [1, 3, 4, 6]) {
    const { rows } = compared({ rounds }, { rounds });
    const expected = rounds < 4 ? "cannot be told" : "no difference";
    assert.deepEqual([...new Set(rows.map(({ differs }) => differs))], [expected]);
  }
});

test("too few rounds to test: the range decides, and the error rate is stated", () => {
  const found = compared({ rounds: 4, proxies: nginxAt(100) }, { rounds: 4, proxies: PROXIES });
  const [, { differs, p, ratio }] = rowsOf(found, CPU);
  assert.deepEqual([differs, p, ratio?.interval], ["lower", null, null]);
  assert.equal(found.ranged?.falseAlarms, 1 / 35);
});

test("only settings, proxies and measures that both have are compared, and rounds may differ", () => {
  const { rows } = compared(
    { proxies: PROXIES },
    { proxies: { none: {}, nginx: {} }, rounds: 8, connections: [2000, 5000] },
  );
  const places = rows.map(({ cell }) => `${cell.proxy} ${cell.parameters.CONNECTIONS}`);
  assert.deepEqual([...new Set(places)].sort(), ["nginx 2000", "none 2000"]);
  assert.deepEqual(rows[0].rounds, [6, 8]);
});

test("differences in machine and plan are listed", () => {
  const [now, before] = [runOf({ rounds: 1 }), runOf({ rounds: 2 })];
  before.environment.identity = { ...now.environment.identity, CPU: "another one" };
  const { differences } = compareRuns(now, before, POLICY);
  const told = differences.map(({ what, key }) => `${what} ${key}`);
  assert.ok(told.includes("environment CPU") && told.includes("plan rounds"), `${told}`);
});

test("a figure that may be 0 has no ratio and is still compared", () => {
  const found = compareRuns(leakingResults(7), leakingResults(0), POLICY);
  const [, { value, baselineValue, ratio, differs }] = rowsOf(found, "proxy_sockets_left");
  assert.deepEqual([value, baselineValue, ratio, differs], [7, 0, null, "higher"]);
});
