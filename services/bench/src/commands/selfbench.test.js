import assert from "node:assert/strict";
import { test } from "node:test";
import { results, workloadFor } from "../analyse/testing/results.js";
import { falseAlarms, overhead, variation } from "./selfbench.js";

test("overhead is what lies between the starts of two cells beside warm-up and measured phase", () => {
  const [cell] = results({ rounds: 1 }).cells;
  const cells = [0, 10, 22].map((second) => ({
    ...cell,
    startedAt: new Date(second * 1000).toISOString(),
    phases: { warmUp: 1, measure: 5 },
  }));
  assert.match(overhead(cells).found, /^5.00 s over 2 cells/);
  assert.equal(overhead(cells).reached, true);
});

/**
 * @param {string[]} proxies
 * @param {number} rounds
 * @param {(proxy: string, round: number) => number} cpuSeconds
 */
function cells(proxies, rounds, cpuSeconds) {
  const [cell] = results({ rounds: 1 }).cells.filter(({ proxy }) => proxy === "nginx");
  const [service] = Object.keys(cell.containers).filter(
    (name) => cell.containers[name].role === "proxy",
  );
  return Array.from({ length: rounds }, (_, i) => i + 1).flatMap((round) =>
    proxies.map((proxy) => {
      const container = cell.containers[service];
      const cpu = { ...container.cpu, totalSeconds: cpuSeconds(proxy, round) };
      return {
        ...cell,
        workload: workloadFor(cell),
        proxy,
        round,
        containers: { ...cell.containers, [service]: { ...container, cpu } },
      };
    }),
  );
}

test("coefficient of variation over rounds", () => {
  const spread = cells(["nginx"], 6, (_, round) => 2 + (round % 2 ? 0.02 : -0.02));
  const [figure] = variation(spread, "nginx");
  assert.match(figure.found, /^1.1 % over 6 rounds/);
  assert.equal(figure.reached, true);
  assert.equal(
    variation(
      cells(["nginx"], 6, (_, round) => 2 + round),
      "nginx",
    )[0].reached,
    false,
  );
});

test("A/A comparisons: groups of six rounds, each tested on its own", () => {
  const noise = (/** @type {number} */ round) => ((round * 7919) % 13) / 100;
  const same = cells(
    ["nginx", "nginx-copy"],
    120,
    (proxy, round) => 2 + noise(round + (proxy === "nginx" ? 0 : 5)),
  );
  assert.match(falseAlarms(same).found, / of 20$/);
  const apart = cells(
    ["nginx", "nginx-copy"],
    120,
    (proxy, round) => (proxy === "nginx" ? 2 : 3) + noise(round),
  );
  assert.equal(falseAlarms(apart).found, "20 of 20");
  assert.equal(falseAlarms(apart).reached, false);
});
