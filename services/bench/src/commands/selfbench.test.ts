import assert from "node:assert/strict";
import { test } from "node:test";
import { containerRecord, results, workloadFor } from "../analyse/testing/results.ts";
import { falseAlarms, overhead, variation } from "./selfbench.ts";

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

function cells(
  proxies: string[],
  rounds: number,
  cpuSeconds: (proxy: string, round: number) => number,
) {
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

test("spread over rounds, as measured and against the reference", () => {
  const measured = cells(["nginx"], 6, (_, round) => 2 + (round % 2 ? 0.2 : -0.2));
  /** @param cpuSeconds of the reference proxy */
  const beside = (cpuSeconds: (round: number) => number) =>
    measured.map((cell) => ({
      ...cell,
      reference: { connections: 200, messages: 200, requests: 0 },
      containers: {
        ...cell.containers,
        reference: containerRecord({ role: "reference", cpuSeconds: cpuSeconds(cell.round) }),
      },
    }));
  const [figure] = variation(
    beside((round) => 0.05 * (round % 2 ? 2.22 : 1.8)),
    "nginx",
  );
  assert.equal(figure.found, "0.5 % against the reference, 11.0 % as measured, over 6 rounds");
  assert.equal(figure.reached, true);
  const [steady] = variation(
    beside(() => 0.05),
    "nginx",
  );
  assert.match(steady.found, /^11.0 % against the reference, 11.0 % as measured/);
  assert.equal(steady.reached, false);
  const [none] = variation(measured, "nginx");
  assert.match(none.found, /^nothing to hold it against \(REFERENCE_SHARE\), 11.0 % as measured/);
  assert.equal(none.reached, false);
});

test("A/A comparisons: groups of six rounds, each tested on its own", () => {
  const noise = (round: number) => ((round * 7919) % 13) / 100;
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
