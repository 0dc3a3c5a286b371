/**
 * Whole runs of tiny battles: what becomes of them when a part is killed in the middle, comes late,
 * or cannot write.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../../src/platform/subprocess.ts";
import { until } from "../../src/platform/wait.ts";
import { lastAttempts, testbed, LIMIT_MS } from "../testbed.ts";
import { atEnd } from "../lab.ts";
import type { CellRecord } from "../../src/model/cell.ts";

test("what is killed while it is measured is named, the cell tried again, and the run completes", async (t) => {
  const { bench, measured, project, recorded, results, assertNothingLeft } = testbed(t);
  const kinds = {
    none: "container-died",
    echo: "container-died",
    load: "load",
    influxdb: "observer",
    cadvisor: "observer",
  } as const;
  const { ended } = bench(["run", "one", "--rounds", String(Object.keys(kinds).length)]);
  for (const [index, service] of Object.keys(kinds).entries()) {
    await recorded(2 * index);
    await measured();
    await run(["docker", "kill", `${project.name}-${service}-1`]);
  }
  const { code, output } = await ended;
  assert.equal(code, 0, output);
  const { cells, run: about } = results();
  for (const [index, [service, kind]] of Object.entries(kinds).entries()) {
    await t.test(service, () => {
      const [failed, again] = cells.slice(2 * index, 2 * index + 2);
      assert.deepEqual(
        [failed, again].map(({ round, attempt, status }) => [round, attempt, status]),
        [
          [index + 1, 1, "failed"],
          [index + 1, 2, "ok"],
        ],
        output,
      );
      assert.equal(failed.cause?.kind, kind, JSON.stringify(failed.cause));
      assert.match(
        failed.cause?.message ?? "",
        service === "load" ? /status 137/ : new RegExp(`^${service} `),
      );
    });
  }
  assert.ok(about.endedAt);
  await assertNothingLeft();
});

test("before several echo servers, of which one listens later, the load waits for both, and they share its connections", async (t) => {
  const { bench, directory, recorded, results, runFolder, assertNothingLeft } = testbed(
    t,
    `title: several servers
proxies: [none, nginx]
rounds: 2
seed: 1
tests:
  - scenario: idle
    schemes: [ws]
    parameters: { CONNECTIONS: 70, CONNECTIONS_PER_SECOND: 200, HOLD_SECONDS: 2, INTERVAL_SECONDS: 0.5, MESSAGE_BYTES: 100 }
`,
  );
  const compose = join(directory, "compose.yaml");
  const late =
    'command: [sh, -c, "sleep $$(($$(hostname -i | cut -d. -f4) % 7)); exec /app/start"]';
  writeFileSync(compose, readFileSync(compose, "utf8").replace("command: /app/start", late));
  const first = bench(["run", "one"]);
  await recorded(1);
  first.child.kill("SIGINT");
  await first.ended;
  const done = results().cells.map(({ id }) => id);
  // The preflight asks for several from 30,000 connections on.
  for (const [file, planOf] of [
    ["plan.json", (read: any) => read],
    ["results.json", (read: any) => read.plan],
  ] as const) {
    const path = join(directory, runFolder(), file);
    const read = JSON.parse(readFileSync(path, "utf8"));
    for (const cell of planOf(read).cells)
      if (cell.proxy === "nginx" && !done.includes(cell.id)) cell.servers = 2;
    writeFileSync(path, JSON.stringify(read));
  }

  const { code, output } = await bench(["run", "--resume", runFolder()]).ended;
  assert.equal(code, 0, output);
  const { cells } = results();
  const shared = cells.filter(({ id, proxy }) => proxy === "nginx" && !done.includes(id));
  assert.ok(shared.length > 0);
  for (const { id, status, connections, containers, echoWorkers } of shared) {
    assert.equal(status, "ok", id);
    assert.equal(connections?.failed, 0, id);
    const servers = Object.values(containers).filter(({ role }) => role === "echo");
    assert.equal(servers.length, 2, id);
    const got = (echoWorkers ?? []).map((worker) => worker.messages);
    const half = got.length / 2;
    for (const own of [got.slice(0, half), got.slice(half)])
      assert.ok(own.reduce((all, one) => all + one, 0) > 0, `${id}: a server got nothing: ${got}`);
  }
  await assertNothingLeft();
});

test("a results folder that cannot be written: said before anything starts", async (t) => {
  const { bench, directory, assertNothingLeft } = testbed(t);
  mkdirSync(join(directory, "results"));
  chmodSync(join(directory, "results"), 0o555);
  // Root may write anywhere: there the folder is a file.
  const target = process.getuid?.() === 0 ? join(directory, ".env") : join(directory, "results");
  const { code, output } = await bench(["run", "one"], { BENCH_RESULTS: target }).ended;
  assert.equal(code, 1, output);
  assert.match(output, /cannot be written/);
  await assertNothingLeft();
});

test("a full disk: the run ends with what it has, and goes on when there is room", async (t) => {
  const { bench, assertNothingLeft } = testbed(t);
  // The one file system of its own that every container has, 64 MB.
  const results = join("/dev/shm", `results-${process.pid}`);
  const filler = join("/dev/shm", `filler-${process.pid}`);
  atEnd(t, () =>
    [results, filler].forEach((path) => rmSync(path, { recursive: true, force: true })),
  );
  const first = bench(["run", "one", "--rounds", "2"], { BENCH_RESULTS: results });
  const file = () => {
    const [name] = existsSync(results) ? readdirSync(results) : [];
    const path = join(results, name ?? "", "results.json");
    return name && existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { cells: [] };
  };
  await until(
    Date.now() + LIMIT_MS,
    async () => file().cells.length,
    (n) => n === 1,
  );
  const { stdout } = await run(["df", "--output=avail", "--block-size=1", "/dev/shm"]);
  writeFileSync(filler, Buffer.alloc(Number(stdout.trim().split("\n")[1])));
  const { code, output } = await first.ended;
  assert.equal(code, 1, output);
  assert.match(output, /The disk is full/);
  assert.equal(file().cells.length, 1);
  await assertNothingLeft();

  rmSync(filler);
  const [name] = readdirSync(results);
  const second = await bench(["run", "--resume", join(results, name)]).ended;
  assert.equal(second.code, 0, second.output);
  assert.deepEqual(
    lastAttempts(file().cells as CellRecord[]).map(({ status }) => status),
    ["ok", "ok"],
  );
});
