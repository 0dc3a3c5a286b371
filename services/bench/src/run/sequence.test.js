import assert from "node:assert/strict";
import { test } from "node:test";
import { newRecord } from "./cell-record.js";
import { share } from "./loads.js";
import { cpuShares, isRepeated } from "./sequence.js";

/** @import { CellRecord, PlannedCell } from "../record/types.js" */

/** @type {PlannedCell} */
const CELL = {
  ...{ id: "r1-nginx-short-lived-ws", round: 1, proxy: "nginx", profile: "nginx" },
  ...{ scenario: "short-lived", scheme: "ws", parameters: { CONNECTIONS: 1000 }, warmUp: null },
  ...{ loads: 1, observed: true, limitSeconds: 60, skip: null },
};

test("below four cores everything shares, and the note says so", () => {
  const { env, loadCores, cpuLimited, note } = cpuShares(2, 0);
  assert.deepEqual(env, {
    ...{ PROXY_CPUS: "0", PROXY_CPU_PERIOD: "0", PROXY_CPU_QUOTA: "0" },
    ...{ PROXY_CPUSET: "", REFERENCE_CPUSET: "", ECHO_CPUSET: "", LOAD_CPUSET: "" },
  });
  assert.equal(loadCores, 2);
  assert.equal(cpuLimited, false);
  assert.match(note, /share 2 cores/);
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

test("load containers share the connections, none is lost", () => {
  const parameters = { CONNECTIONS: 10, CONCURRENCY: 7, MESSAGES: 3 };
  const names = { connections: "CONNECTIONS", concurrency: "CONCURRENCY" };
  const shares = [0, 1, 2].map((index) => share(parameters, names, index, 3));
  assert.deepEqual(
    shares.map(({ CONNECTIONS, CONCURRENCY, MESSAGES }) => [CONNECTIONS, CONCURRENCY, MESSAGES]),
    [
      [4, 3, 3],
      [3, 2, 3],
      [3, 2, 3],
    ],
  );
});

test("a cell is repeated when it failed, or when others took too much of the machine", () => {
  const measured = { fromMs: 0, toMs: 5000 };
  const machine = { cores: 2, busySeconds: 9, stealSeconds: 0, foreignSeconds: 0, benchSeconds: 0 };
  const record = { ...newRecord(CELL, 1, 2), measured, machine };
  const ok = (/** @type {Partial<NonNullable<CellRecord["machine"]>>} */ taken) =>
    isRepeated({ ...record, machine: { ...machine, ...taken } }, []);
  assert.ok(!ok({}));
  assert.ok(!ok({ foreignSeconds: 1.9, stealSeconds: 0.9 }));
  assert.ok(ok({ foreignSeconds: 2.1 }));
  assert.ok(ok({ stealSeconds: 1.1 }));
  assert.ok(!isRepeated({ ...record, machine: null }, []));
  const failed = (/** @type {"load" | "engine"} */ kind) =>
    isRepeated({ ...record, status: "failed", cause: { kind, message: "" } }, []);
  assert.ok(failed("load") && !failed("engine"));
});

test("a cell is repeated when the machine was far from as fast as in the cells of its setting before it", () => {
  /** @param {number} cpuSeconds of the reference proxy @param {Partial<CellRecord>} [other] @returns {CellRecord} */
  const at = (cpuSeconds, other) => ({
    ...newRecord(CELL, 1, 2),
    reference: { connections: 100, messages: 100, requests: 0 },
    containers: {
      reference: {
        ...{ role: "reference", image: "nginx", memory: null, network: null, sockets: null },
        cpu: { userSeconds: 0, systemSeconds: 0, totalSeconds: cpuSeconds, throttledSeconds: 0 },
      },
    },
    ...other,
  });
  const earlier = [0.02, 0.021, 0.019].map((seconds) => at(seconds));
  assert.ok(!isRepeated(at(0.0245), earlier) && !isRepeated(at(0.0155), earlier));
  assert.ok(isRepeated(at(0.0255), earlier) && isRepeated(at(0.0145), earlier));
  assert.ok(!isRepeated(at(0.0255), earlier.slice(1)), "two cells are no measure of the rest");
  const wss = earlier.map((record) => ({ ...record, scheme: /** @type {const} */ ("wss") }));
  assert.ok(!isRepeated(at(0.0255), wss), "another setting has another index");
  const few = { connections: 20, messages: 20, requests: 0 };
  assert.ok(!isRepeated(at(0.0255, { reference: few }), earlier), "20 connections tell nothing");
});
