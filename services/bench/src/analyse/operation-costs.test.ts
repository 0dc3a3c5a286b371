import assert from "node:assert/strict";
import { test } from "node:test";
import { codes, figureOf, look, near } from "./testing/look.ts";
import { results } from "./testing/results.ts";
import type { Options } from "./testing/results.ts";

const MESSAGE = "cpu_us_per_message";
const HANDSHAKE = "cpu_us_per_handshake";
const PROXIES = {
  none: { cpuUsPerHandshake: 100, cpuUsPerMessage: 10 },
  nginx: { cpuUsPerHandshake: 200, cpuUsPerMessage: 20 },
  haproxy: { cpuUsPerHandshake: 150, cpuUsPerMessage: 30 },
};

const analysed = (options: Options = {}) =>
  look(results({ proxies: PROXIES, schemes: ["ws"], messages: [1, 100], ...options }));

/** Scheme, connections and messages of each setting that compares it. */
function placesOf({ all, run }: ReturnType<typeof look>, measure: string) {
  return run.settings
    .filter(({ key }) =>
      all.some(({ question, settings }) => question === measure && `${settings}` === key),
    )
    .map(({ scheme, workload }) => [scheme, workload.connections, workload.messages].join(" "));
}

test("a message costs the slope over messages per connection, and a handshake what is left", () => {
  const exact = analysed({ spread: 0 });
  for (const [proxy, { cpuUsPerHandshake, cpuUsPerMessage }] of Object.entries(PROXIES)) {
    near(figureOf(exact.find(MESSAGE), proxy).estimate?.value, cpuUsPerMessage);
    near(figureOf(exact.find(HANDSHAKE), proxy).estimate?.value, cpuUsPerHandshake);
  }
  assert.deepEqual(placesOf(exact, MESSAGE), ["ws 2000 100"]);
  assert.deepEqual(placesOf(exact, HANDSHAKE), ["ws 2000 1"]);
  const { rounds, rank, estimate, toBest, extra } = figureOf(analysed().find(MESSAGE), "haproxy");
  assert.deepEqual([rounds.length, rank, estimate?.basis], [6, 2, "ci95"]);
  assert.ok((extra.p ?? 1) < 0.05 && Number(toBest?.low) > 1.4 && Number(toBest?.high) < 1.6);
});

test("both are taken within a round: what slows a whole round leaves their ratios alone", () => {
  const slowed = analysed({
    spread: 0,
    change: ({ containers }, { round }) => {
      for (const { cpu } of Object.values(containers)) cpu.totalSeconds *= 1 + round / 10;
    },
  });
  const { toBest, rounds } = figureOf(slowed.find(MESSAGE), "haproxy");
  near(toBest?.value, 1.5);
  assert.deepEqual(
    rounds.map((value) => Math.round(value * 10) / 10),
    [33, 36, 39, 42, 45, 48],
  );
});

test("a round without one of the two cells has neither, and says why where no round has both", () => {
  const nginx = (lacks: (round: number, messages: number) => boolean) =>
    figureOf(
      analysed({
        change: (_, { proxy, round, parameters }) =>
          proxy === "nginx" && lacks(round, parameters.MESSAGES) ? [] : undefined,
      }).find(MESSAGE),
      "nginx",
    );
  assert.equal(nginx((round, messages) => messages === 1 && round === 2).rounds.length, 5);
  const never = nginx((_, messages) => messages === 1);
  assert.deepEqual(never.missing, [{ kind: "not-run" }]);
  const crossed = nginx((round, messages) => (messages === 1) === round > 3);
  assert.deepEqual(crossed.missing, [{ kind: "no-common-round" }]);
});

test("what weakens a cell of either setting weakens what is derived from it", () => {
  const { find } = analysed({
    change: ({ machine, totalSeconds }, { round, parameters }) => {
      if (round === 1 && parameters.MESSAGES === 1 && machine)
        machine.stealSeconds = 0.04 * 2 * (totalSeconds ?? 0);
    },
  });
  for (const key of [MESSAGE, HANDSHAKE]) assert.ok(codes(find(key).flags).includes("steal"), key);
});

test("each number of connections has a cost per handshake, by the slope of the one that has a slope", () => {
  const run = results({ proxies: PROXIES, messages: [1, 100], connections: [2000, 5000] });
  const isWanted = ({ parameters }: { parameters: Record<string, number> }) =>
    parameters.CONNECTIONS === 2000 || parameters.MESSAGES === 1;
  run.plan.cells = run.plan.cells.filter(isWanted);
  run.cells = run.cells.filter(isWanted);
  const analysis = look(run);
  assert.deepEqual(placesOf(analysis, MESSAGE), ["ws 2000 100", "wss 2000 100"]);
  const each = ["ws 2000 1", "ws 5000 1", "wss 2000 1", "wss 5000 1"];
  assert.deepEqual(placesOf(analysis, HANDSHAKE), each);
});
