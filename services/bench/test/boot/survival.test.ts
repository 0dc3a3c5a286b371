/**
 * What becomes of open connections in an event, small: through nginx, and through two relays made
 * for this, one that drops connections when it reloads and one that leaves an old process behind.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { survivalOf as analysed } from "../../src/analyse/event-cells.ts";
import { addDroppingRelay, addLeakingRelay, addStaleRelay } from "../relays.ts";
import { lastAttempts, testbed } from "../testbed.ts";
import type { CellRecord, Survival } from "../../src/model/cell.ts";

const CONNECTIONS = 50;

const BATTLE = `title: Small events
proxies: [nginx, dropper, leaker]
rounds: 1
seed: 1
tests:
  - scenario: survive
    schemes: [ws]
    events: [reload, kill]
    parameters:
      CONNECTIONS: ${CONNECTIONS}
      CONNECTIONS_PER_SECOND: 200
      INTERVAL_SECONDS: 0.2
      PROBES_PER_SECOND: 10
      QUIET_SECONDS: 2
      # As long as a busy machine may take to start a container.
      WATCH_SECONDS: 8
      TIMEOUT_SECONDS: 3
`;

/** @returns connections that ended, by how */
function endsOf({ ends }: Survival): Record<string, number> {
  const byHow: Record<string, number> = {};
  for (const { how, count } of ends) byHow[how] = (byHow[how] ?? 0) + count;
  return byHow;
}

test("events: what becomes of connections and processes is in the record, and nothing stays behind", async (t) => {
  const { bench, directory, results, quieten, runFolder, assertNothingLeft } = testbed(t, BATTLE);
  addDroppingRelay(directory, "dropper");
  addLeakingRelay(directory, "leaker");

  await t.test("what cannot be asked is refused before anything runs", async () => {
    for (const [args, message] of [
      [["--event", "reloat"], /unknown event: reloat\n.*Did you mean reload\?/],
      [["--event", "stop"], /has no event stop\n.*Its events are: reload, kill/],
      [
        ["--event", "reload", "--proxies", "http-proxy"],
        /http-proxy does not support reload.*\n.*these can: .*dropper/,
      ],
      [
        ["--connections", "900000", "--proxies", "nginx"],
        /900,000 connections cannot be held.*\n.*Expected at most/,
      ],
    ] as const) {
      const { code, output } = await bench(["run", "one", ...args]).ended;
      assert.equal(code, 2, output);
      assert.match(output, message);
    }
    await assertNothingLeft();
  });

  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  await assertNothingLeft();
  const run = results();
  const { cells, plan } = run;
  const of = (proxy: string, event: string) =>
    lastAttempts(cells).find(({ id }) => id === `r1-${proxy}-survive-ws-${event}`) as CellRecord;
  const survivalOf = (proxy: string, event: string) => {
    const { status, cause, survival } = of(proxy, event);
    assert.equal(status, "ok", cause?.message);
    assert.ok(survival);
    assert.ok(survival.around.length >= 5, `${survival.around.length} readings`);
    return survival;
  };

  await t.test("the plan says what is done", () => {
    assert.deepEqual(Object.keys(plan.events ?? {}), ["reload", "kill"]);
    assert.equal(of("none", "reload").status, "skipped");
    assert.equal(of("none", "reload").cause?.message, "has none: it cannot reload");
  });

  await t.test(
    "nginx reloads: all stay, on its old workers, and the new configuration answers",
    () => {
      const survival = survivalOf("nginx", "reload");
      assert.deepEqual(endsOf(survival), {});
      assert.equal(survival.lost, 0);
      assert.deepEqual(
        survival.steps.map(({ what }) => what),
        ["HUP to nginx"],
      );
      assert.deepEqual(
        survival.generations.map(({ value }) => value),
        ["1", "2"],
      );
      assert.ok(Number(survival.newGenerationMs) < 3000, `${survival.newGenerationMs} ms`);
      assert.equal(survival.oldProcessesGoneMs, null);
      const [first] = survival.around;
      assert.ok(Math.max(...survival.around.map(({ processes }) => processes)) > first.processes);
      assert.equal(survival.afterwards?.oldProcesses, 0);
      assert.equal(survival.afterwards?.processes, first.processes);
    },
  );

  for (const proxy of ["none", "nginx", "dropper", "leaker"]) {
    await t.test(`${proxy} is killed: every connection ends, and it is back`, () => {
      const survival = survivalOf(proxy, "kill");
      const ended = Object.values(endsOf(survival)).reduce((sum, count) => sum + count, 0);
      assert.equal(ended, CONNECTIONS, JSON.stringify(survival.ends));
      assert.ok(Number(survival.oldProcessesGoneMs) < 3000);
      const { survival: seen, measured } = of(proxy, "kill");
      const againMs = analysed({ survival: seen, measured }, 3)?.probes.againMs;
      assert.ok(againMs && againMs < 3000, `${againMs}`);
      // Its supervisor has started it again, in the same container.
      const { containers } = of(proxy, "kill");
      assert.ok(containers[proxy].cpu.totalSeconds > 0);
      assert.equal(containers[`${proxy}-2`], undefined);
    });
  }

  await t.test("the relay that drops every tenth connection is found", () => {
    const survival = survivalOf("dropper", "reload");
    assert.deepEqual(endsOf(survival), { reset: CONNECTIONS / 10 });
  });

  await t.test("the relay that leaves an old process behind is found", () => {
    const survival = survivalOf("leaker", "reload");
    assert.deepEqual(endsOf(survival), {});
    assert.equal(survival.oldProcessesGoneMs, null);
    assert.equal(survival.afterwards?.oldProcesses, 1);
  });

  await t.test("the report names both", () => {
    quieten();
    const report = readFileSync(join(directory, runFolder(), "report.md"), "utf8");
    const page = readFileSync(join(directory, runFolder(), "report.html"), "utf8");
    assert.match(page, /dropper<\/th>\s*<td>5 of 50<\/td><td class="words">reset: 5</);
    assert.match(report, /^\| leaker \|.* leaked/m);
  });
});

const GAUNTLET = BATTLE.replace(/proxies: .*/, "proxies: [dropper, leaker, stale]")
  .replace(/events: .*/, "events: [reload-10]")
  .replace(/ CONNECTIONS: .*/, " CONNECTIONS: 200")
  .replace(/WATCH_SECONDS: .*/, "WATCH_SECONDS: 15");

test("ten reloads: one lost connection in 200, one old process in three and an old answer for 2 s are found", async (t) => {
  const { bench, directory, results, quieten, runFolder } = testbed(t, GAUNTLET);
  addDroppingRelay(directory, "dropper", 200);
  addLeakingRelay(directory, "leaker", 3);
  addStaleRelay(directory, "stale", 2000);
  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  const survivalOf = (proxy: string) =>
    lastAttempts(results().cells).find((cell) => cell.proxy === proxy)?.survival as Survival;

  // After each but the last there were fewer than 200.
  assert.deepEqual(endsOf(survivalOf("dropper")), { reset: 1 });
  assert.equal(survivalOf("leaker").afterwards?.oldProcesses, 3);
  assert.deepEqual(endsOf(survivalOf("leaker")), {});
  const staleMs = Number(survivalOf("stale").newGenerationMs);
  assert.ok(staleMs >= 2000 && staleMs < 6000, `${staleMs} ms`);

  quieten();
  const report = readFileSync(join(directory, runFolder(), "report.md"), "utf8");
  assert.match(report, /^\| leaker \|.* leaked/m);
  // Each is named in the first table, by what it lost, what it left and how late it was.
  const [head, , ...rows] = report.split("\n").filter((line) => line.startsWith("| "));
  const first = (proxy: string) => {
    const row = rows.find((line) => line.startsWith(`| ${proxy} |`)) ?? "";
    const titles = head.split(" | ");
    return (title: string) => row.split(" | ")[titles.findIndex((one) => one.includes(title))];
  };
  assert.deepEqual([first("dropper")("lost"), first("leaker")("lost")], ["0.500 %", "0 %"]);
  assert.equal(first("dropper")("How"), "reset: 1");
  assert.ok(Number(first("leaker")("old processes")) >= 3, report);
  assert.match(first("stale")("new configuration"), /^([2-5],\d{3} ms|[2-5]\.\d+ s)$/);
});

const SCALE_OUT = BATTLE.replace(/proxies: .*/, "proxies: [nginx, nginx-least-conn]")
  .replace(/events: .*/, "events: [backend-scale]")
  .replace(/ CONNECTIONS: .*/, " CONNECTIONS: 90\n      LIFETIME_SECONDS: 2")
  // Ten lifetimes from when the proxy looks the name up again, which it does every 5 s.
  .replace(/WATCH_SECONDS: .*/, "WATCH_SECONDS: 25");

test("an added server gets its share of connections that come and go, and none is lost", async (t) => {
  const { bench, directory, results, quieten, runFolder } = testbed(t, SCALE_OUT);
  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  for (const proxy of ["nginx", "nginx-least-conn"]) {
    const survival = lastAttempts(results().cells).find((cell) => cell.proxy === proxy)
      ?.survival as Survival;
    assert.deepEqual([endsOf(survival), survival.lost], [{}, 0]);
    const { echoShare = [] } = survival;
    assert.deepEqual(echoShare.map(({ isNew }) => isNew).sort(), [false, false, true]);
    const atEnd = echoShare.map((server) => server.open?.at(-1)?.count ?? 0);
    const inAll = atEnd.reduce((sum, count) => sum + count, 0);
    const added = atEnd[echoShare.findIndex(({ isNew }) => isNew)] / inAll;
    assert.ok(added > 1 / 6 && added < 1 / 2, `${proxy}: ${atEnd} open`);
  }
  quieten();
  const report = readFileSync(join(directory, runFolder(), "report.md"), "utf8");
  assert.match(report, /Until a new backend held 90 % of its share/);
});
