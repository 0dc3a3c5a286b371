/**
 * Runs of tiny battles that are broken off: by Ctrl-C, by a runner that is killed, by an engine
 * that is lost; and gone on with.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { forward } from "../../src/platform/forward.ts";
import { atEnd } from "../lab.ts";
import { lastAttempts, testbed } from "../testbed.ts";
import type { Socket } from "node:net";

test("the runner killed: --resume clears away what it left and runs the cells that are missing", async (t) => {
  const { bench, directory, measured, recorded, results, runFolder, assertNothingLeft } =
    testbed(t);
  const first = bench(["run", "one", "--rounds", "2"]);
  await recorded(1);
  await measured();
  first.child.kill("SIGKILL");
  await first.ended;
  const kept = results().cells;
  assert.equal(kept.length, 1);

  const { code, output } = await bench(["run", "--resume", runFolder()]).ended;
  assert.equal(code, 0, output);
  assert.deepEqual(results().cells[0], kept[0]);
  assert.deepEqual(
    lastAttempts(results().cells).map(({ id, status }) => [id.slice(0, 2), status]),
    [
      ["r1", "ok"],
      ["r2", "ok"],
    ],
  );
  assert.ok(existsSync(join(directory, runFolder(), "report.html")));
  await assertNothingLeft();
});

test("a run under way, and one that was broken off by Ctrl-C", async (t) => {
  const { bench, directory, measured, results, runFolder, assertNothingLeft } = testbed(t);
  // More rounds than a slow machine measures while the second run is starting: the first must not
  // end by itself before Ctrl-C.
  const { child, ended } = bench(["run", "one", "--rounds", "20"]);
  await measured();

  await t.test("a second run at the same time is refused", async () => {
    const second = await bench(["run", "one"]).ended;
    assert.equal(second.code, 1);
    assert.match(second.output, /a run is under way: results\//);
  });

  await t.test("Ctrl-C: ends within 10 s, leaves no container, says how to go on", async () => {
    const startedMs = Date.now();
    child.kill("SIGINT");
    const { code, output } = await ended;
    assert.equal(code, 130, output);
    assert.ok(Date.now() - startedMs < 10_000);
    assert.match(output, new RegExp(`resume: ./bench run --resume ${runFolder()}`));
    assert.equal(results().run.endedAt, null);
    await assertNothingLeft();
  });

  await t.test("a plan that was changed before --resume is refused, and named", async () => {
    const planFile = join(directory, runFolder(), "plan.json");
    const plan = readFileSync(planFile, "utf8");
    writeFileSync(planFile, plan.replace('"rounds": 20', '"rounds": 3'));
    const { code, output } = await bench(["run", "--resume", runFolder()]).ended;
    assert.equal(code, 1, output);
    assert.match(output, /rounds.*20.*3/s);
    writeFileSync(planFile, plan);
  });

  await t.test("so is a config", async () => {
    writeFileSync(join(directory, "proxies/none/README"), "changed");
    const { code, output } = await bench(["run", "--resume", runFolder()]).ended;
    assert.equal(code, 1, output);
    assert.match(output, /proxies\/none.* → /);
  });
});

test("the engine lost: said so, and --resume completes the run when it is back", async (t) => {
  const { bench, measured, results, runFolder, assertNothingLeft } = testbed(t);
  const socket = join("/tmp", `engine-${process.pid}.sock`);
  const relay = await forward(socket, { path: "/var/run/docker.sock" });
  const connections: Set<Socket> = new Set();
  relay.on("connection", (connection) => connections.add(connection));
  const lose = () => {
    relay.close();
    for (const connection of connections) connection.destroy();
  };
  atEnd(t, () => {
    lose();
    rmSync(socket, { force: true });
  });
  const { ended } = bench(["run", "one"], { DOCKER_HOST: `unix://${socket}` });
  await measured();
  lose();
  const { code, output } = await ended;
  assert.equal(code, 1, output);
  assert.equal(results().cells[0].cause?.kind, "engine", JSON.stringify(results().cells[0].cause));
  assert.match(output, /--resume/);

  const second = await bench(["run", "--resume", runFolder()]).ended;
  assert.equal(second.code, 0, second.output);
  assert.equal(results().cells.at(-1)?.status, "ok");
  await assertNothingLeft();
});
