import assert from "node:assert/strict";
import { test } from "node:test";
import { noiseFloorOf } from "./index.ts";
import { figureOf, figuresOf, look, near } from "./testing/look.ts";
import { results, selfResults } from "./testing/results.ts";
import type { Options } from "./testing/results.ts";

const CPU = "cpu_us_per_connection";

test("a copy that costs more differs from its original; one that costs the same ties with it", () => {
  const outcomes = (copy: object, rounds: number) => {
    const { all } = look(selfResults({ copy, rounds, schemes: ["ws"] }));
    const aa = all.filter(({ question }) => question === "aa");
    return Object.fromEntries(aa.map((one) => [one.measure.key, one.figures[0].extra.outcome]));
  };
  const same = outcomes({}, 8);
  assert.ok(Object.keys(same).length > 5);
  assert.deepEqual([...new Set(Object.values(same))], ["tie"]);
  const dearer = outcomes({ cpuUsPerHandshake: 260 }, 8);
  assert.deepEqual([dearer[CPU], dearer.total_seconds], ["differs", "tie"]);
  // Too few rounds tell nothing.
  assert.deepEqual([...new Set(Object.values(outcomes({}, 3)))], [undefined]);
});

const floorOf = (options: Options & { copy?: object }, of = results()) =>
  noiseFloorOf(selfResults({ spread: 0, ...options }), of);

test("the noise floor is how far a proxy was from its copy", () => {
  const floor = floorOf({ copy: { cpuUsPerHandshake: 204 } });
  assert.equal(floor?.run, selfResults().run.name);
  near(floor.ratios[CPU], 1.02);
  assert.equal(floor.ratios.total_seconds, 1);
  near(floorOf({ copy: { cpuUsPerHandshake: 160 } })?.ratios[CPU], 1.25);
  assert.equal(noiseFloorOf(results(), results()), null);
});

test("a noise floor is of as many rounds as the run has that it is for", () => {
  // Off by a tenth one way and then the other: over all rounds together nothing differs.
  const alternating: Options = {
    rounds: 12,
    schemes: ["ws"],
    change: ({ proxy, round, containers }) => {
      const off = round <= 6 ? 1.1 : 1 / 1.1;
      if (proxy === "nginx-copy") containers[proxy].cpu.totalSeconds *= off;
    },
  };
  near(floorOf(alternating)?.ratios[CPU], 1.1);
  near(floorOf(alternating, results({ rounds: 20 }))?.ratios[CPU], 1, 0.01);
});

test("a noise floor is of the same environment, of which other proxies are no part", () => {
  const aa = selfResults({ schemes: ["ws"] });
  const other = results();
  const [before, now] = [aa.environment.identity, other.environment.identity];
  Object.assign(before, { "image of nginx": "sha256:1", "proxies/nginx": "a" });
  Object.assign(now, before, { "image of haproxy": "sha256:2", "proxies/haproxy": "b" });
  assert.ok(noiseFloorOf(aa, other));
  for (const key of ["kernel", "image of nginx", "proxies/nginx", "PROXY_WORKERS"]) {
    const changed = structuredClone(other);
    changed.environment.identity[key] = "another";
    assert.equal(noiseFloorOf(aa, changed), null, key);
  }
});

test("a run whose copy was not observed is no noise floor, and asks what observing costs", () => {
  const unobserved = selfResults({ schemes: ["ws"] });
  for (const cell of unobserved.plan.cells) cell.observed = cell.proxy !== "nginx-copy";
  assert.equal(noiseFloorOf(unobserved, results()), null);
  const { find, flags } = look(unobserved);
  assert.equal(figureOf(find("observers"), "nginx-copy").role, "proxy");
  assert.deepEqual(figuresOf(flags, "unobserved"), { proxies: ["nginx-copy"] });
});

test("a difference no larger than that of a proxy from its copy is inside the noise", () => {
  const made = results({
    schemes: ["ws"],
    proxies: {
      nginx: {},
      haproxy: { cpuUsPerHandshake: 220 },
      "http-proxy": { cpuUsPerHandshake: 700 },
    },
  });
  const noise = (ratio: number) => {
    const noiseFloor = { run: "aa-run", ratios: { [CPU]: ratio } };
    return figuresOf(look(made, { noiseFloor }).find(CPU).flags, "inside-noise");
  };
  assert.equal(noise(1.02), undefined);
  assert.deepEqual(noise(1.2), { proxies: ["haproxy"], ratio: 1.2, floor: "aa-run" });
});
