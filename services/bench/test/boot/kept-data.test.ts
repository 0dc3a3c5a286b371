/**
 * What battles and loads have left in InfluxDB stays: over runs beside an InfluxDB that is up, and
 * until `down --data`.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { until } from "../../src/platform/wait.ts";
import { DATABASE } from "../../src/series/publisher.ts";
import { influx, joinProject } from "../lab.ts";
import { LIMIT_MS, testbed } from "../testbed.ts";

test("data stays over two runs, one of them beside an InfluxDB that is up, and over down", async (t) => {
  const { bench, directory, project } = testbed(t);
  const folders = () => {
    const results = join(directory, "results");
    return existsSync(results) ? readdirSync(results).sort() : [];
  };
  const containers = async () =>
    (await OWN_ENGINE.containersOf(project.name)).map(({ id, service }) => ({ id, service }));
  const volume = `${project.name}_influxdb`;
  const startInfluxdb = async () => {
    await project.check(["up", "--detach", "influxdb"]);
    await joinProject(t, project.name);
    const databases = () => influx("SHOW DATABASES").catch(() => []);
    await until(Date.now() + LIMIT_MS, databases, (found) => found.length > 0);
  };
  const runsInInfluxdb = async () => {
    const found = await influx(`SHOW TAG VALUES FROM "summaries" WITH KEY = "run"`, DATABASE);
    return found.flatMap(({ values }) => values.map(([, run]) => run)).sort();
  };

  await t.test("what is up and no observer is refused, and leaves no folder", async () => {
    await project.check(["up", "--detach", "--no-deps", "echo", "influxdb"]);
    const { code, output } = await bench(["run", "one"]).ended;
    assert.equal(code, 1, output);
    assert.match(output, /is already up: echo\n/);
    assert.doesNotMatch(output, /--resume/);
    assert.deepEqual(folders(), []);
    await project.check(["rm", "--stop", "--force", "echo"]);
  });

  await t.test("an InfluxDB that is up is used, and stays up", async () => {
    const before = await containers();
    assert.deepEqual(
      before.map(({ service }) => service),
      ["influxdb"],
    );
    const { code, output } = await bench(["run", "one"]).ended;
    assert.equal(code, 0, output);
    assert.deepEqual(await containers(), before);
  });

  await t.test("down keeps the data, and says so", async () => {
    const { code, output } = await bench(["down"]).ended;
    assert.equal(code, 0, output);
    assert.match(output, new RegExp(`kept: .*volume ${volume}.*./bench down --data`));
    assert.deepEqual(await containers(), []);
    assert.ok(await OWN_ENGINE.hasVolume(volume));
  });

  await t.test("a second run adds to it", async () => {
    const { code, output } = await bench(["run", "one"]).ended;
    assert.equal(code, 0, output);
    assert.deepEqual(await containers(), []);
    assert.equal(folders().length, 2);
    await startInfluxdb();
    assert.deepEqual(await runsInInfluxdb(), folders());
  });

  await t.test("what another checkout has started is refused, an InfluxDB too", async () => {
    const other = testbed(t);
    const env = { COMPOSE_PROJECT_NAME: project.name };
    const { code, output } = await other.bench(["run", "one"], env).ended;
    assert.equal(code, 1, output);
    assert.match(output, new RegExp(`already up: influxdb, started from ${directory}\n`));
  });

  await t.test("down --data removes it", async () => {
    await OWN_ENGINE.leaveNetwork(`${project.name}_default`);
    const { code, output } = await bench(["down", "--data"]).ended;
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /kept/);
    assert.ok(!(await OWN_ENGINE.hasVolume(volume)));
  });
});
