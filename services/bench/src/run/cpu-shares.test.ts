import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuShares } from "./cpu-shares.ts";

test("below four cores everything shares", () => {
  const { env, loadCores, cpuLimited } = cpuShares(2, 0);
  assert.deepEqual(env, {
    ...{ PROXY_CPUS: "0", PROXY_CPU_PERIOD: "0", PROXY_CPU_QUOTA: "0" },
    ...{ PROXY_CPUSET: "", REFERENCE_CPUSET: "", ECHO_CPUSET: "", LOAD_CPUSET: "" },
  });
  assert.equal(loadCores, 2);
  assert.equal(cpuLimited, false);
});

test("a budget of whole cores is a set, which holds for all containers of a proxy together", () => {
  const { env, cpuLimited } = cpuShares(2, 1);
  assert.equal(env.PROXY_CPUSET, "1");
  assert.equal(env.PROXY_CPUS, "0");
  assert.equal(cpuLimited, false);
});

test("a fraction is a limit of CPU time in short periods, and throttling is planned", () => {
  const { env, cpuLimited } = cpuShares(2, 0.15);
  // The engine refuses a period beside that.
  assert.equal(env.PROXY_CPUS, "0");
  assert.deepEqual([env.PROXY_CPU_PERIOD, env.PROXY_CPU_QUOTA], ["10000", "1500"]);
  assert.equal(env.PROXY_CPUSET, "");
  assert.equal(cpuLimited, true);
});

for (const [cores, proxyCpus] of [
  [4, 0],
  [4, 2],
  [8, 0],
  [16, 3],
  [64, 0],
]) {
  test(`${cores} cores, budget ${proxyCpus}: proxy, echo and load have cores of their own, all of them used`, () => {
    const { env, loadCores } = cpuShares(cores, proxyCpus);
    const sets = [env.PROXY_CPUSET, env.ECHO_CPUSET, env.LOAD_CPUSET].map((set) => {
      const [from, to = from] = set.split("-").map(Number);
      return Array.from({ length: to - from + 1 }, (_, i) => from + i);
    });
    assert.deepEqual(
      sets.flat(),
      Array.from({ length: cores }, (_, i) => i),
    );
    assert.ok(sets.every((set) => set.length > 0));
    assert.equal(sets[2].length, loadCores);
    if (proxyCpus) assert.equal(sets[0].length, proxyCpus);
  });
}
