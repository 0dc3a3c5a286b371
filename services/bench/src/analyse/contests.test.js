import assert from "node:assert/strict";
import { test } from "node:test";
import { contestsOf } from "./contests.js";
import { analyse } from "./index.js";
import { capacityResults } from "./testing/capacities.js";
import { stallResults, stormResults, survivalResults } from "./testing/experiments.js";
import { filesResults, tlsResults } from "./testing/http.js";
import { rateResults } from "./testing/rates.js";
import { recorded } from "./testing/recorded.js";
import { idleResults, POLICY, results } from "./testing/results.js";

/** @import { Results } from "../model/record.ts" */
/** @import { Contest } from "./types.js" */

const policy = /** @type {any} */ (POLICY);

/** @param {Results} made */
const contests = (made) => contestsOf(analyse(made, { policy }));

/**
 * @param {Contest[]} all
 * @returns {string[]} `best cpu_us_per_connection ws`
 */
const named = (all) => all.map(({ question, detail, scheme }) => `${question} ${detail} ${scheme}`);

/**
 * @param {Contest[]} all
 * @param {string} name
 */
function only(all, name) {
  const found = all.filter((_, i) => named(all)[i] === name);
  assert.equal(found.length, 1, `${name}: ${named(all).join(", ")}`);
  return found[0];
}

test("short connections: what each costs, over each scheme, and TLS to plain; the control is none of them", () => {
  const all = contests(results({ schemes: ["ws", "wss"] }));
  const cpu = only(all, "best cpu_us_per_connection ws");
  assert.deepEqual(
    cpu.cells.filter(({ isBest }) => isBest).map(({ rank }) => rank),
    [1],
  );
  assert.ok(cpu.cells.every(({ proxy }) => proxy !== "none"));
  assert.equal(cpu.isFirstLook, false);
  only(all, "best connections_per_second wss");
  const tls = only(all, "tls cpu_us_per_connection wss");
  assert.equal(tls.measure.unit, "times");
  // 2.5 times the CPU of a handshake.
  assert.ok(Math.abs((tls.cells[0].value?.value ?? 0) - 2.5) < 0.1);
});

test("short connections: memory before the load and what it grows by, of no rank; held connections have a slope instead", () => {
  const all = contests(results({ schemes: ["ws"] }));
  const [baseline, growth] = ["baseline", "growth"].map((part) =>
    only(all, `footprint ${part} ws`).cells.find(({ proxy }) => proxy === "nginx"),
  );
  assert.ok(Math.abs(Number(baseline?.value?.value) / 20e6 - 1) < 0.02);
  assert.ok(Math.abs(Number(growth?.value?.value) / 10e6 - 1) < 0.02);
  assert.deepEqual([baseline?.rank, baseline?.values.length], [null, 6]);
  assert.ok(baseline?.value?.interval);
  const held = named(contests(idleResults()));
  assert.ok(!held.some((name) => name.startsWith("footprint")), held.join(", "));
});

test("fewer rounds than a verdict takes are a first look, in each contest that compares", () => {
  const all = contests(results({ rounds: 4 }));
  assert.equal(only(all, "best cpu_us_per_connection ws").isFirstLook, true);
});

test("what was held against a reference proxy has that figure", () => {
  const [cpu] = contestsOf(recorded("reference"));
  assert.match(cpu.detail, /^cpu_us/);
  assert.ok(cpu.cells.every(({ toReference }) => toReference !== null));
});

test("every kind of battle has its contests: set rates, held memory, files, handshakes, leaks", () => {
  const rates = contests(rateResults());
  only(rates, "delay handshake ws");
  // On connections that arrive, and on those that are held.
  assert.equal(named(rates).filter((name) => name === "delay echo ws").length, 2);
  const held = only(contests(idleResults()), "memory proxy_memory_mean_usage_bytes ws");
  assert.ok(!Array.isArray(held.at) && held.at.most === 5000);
  assert.deepEqual(
    held.cells.filter(({ isBest }) => isBest).map(({ proxy }) => proxy),
    ["haproxy"],
  );
  assert.ok(named(contests(filesResults())).includes("best servers_cpu_seconds ws"));
  assert.ok(named(contests(tlsResults({ rounds: 6 }))).includes("handshake resumed wss"));
  assert.ok(named(contestsOf(recorded("churn"))).includes("leak left ws"));
});

test("searches, events, storms and slow readers are contests too", () => {
  const most = only(contests(capacityResults()), "capacity connections_per_second ws");
  const nginx = most.cells.find(({ proxy }) => proxy === "nginx");
  assert.deepEqual(nginx?.value, { value: 322, interval: [322, 336] });

  const lost = contests(
    survivalResults({
      proxies: { none: { reload: "has none", none: {} }, nginx: { reload: { lost: 3 }, none: {} } },
    }),
  );
  // No server started in it.
  assert.deepEqual(named(lost), ["lost reload ws", "failed reload ws"]);
  for (const { cells } of lost)
    assert.deepEqual(
      cells.map(({ proxy, value }) => [proxy, value?.value]),
      [["nginx", 0]],
    );

  /** @type {{seconds: [number, number, number]}} */
  const back = { seconds: [0.5, 1, 1.5] };
  const storm = only(
    contests(stormResults({ none: [back, back], nginx: [back, { seconds: [0.5, 2, 2.5] }] })),
    "storm back_ms_p99 ws",
  );
  assert.deepEqual(storm.cells[0].values, [1000, 2000]);

  const stall = {
    sent: 4e6,
    heldBack: true,
    grown: 1e6,
    p99Ms: /** @type {[number, number]} */ ([1, 2]),
  };
  const slow = contests(stallResults({ none: stall, nginx: stall }));
  assert.deepEqual(named(slow), ["stall bytes_per_stalled ws"]);
});
