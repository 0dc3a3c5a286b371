import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { isReached, reachEngines } from "./engines.ts";
import { joinHosts, leaveHosts, NETWORK, standingsOf } from "./swarm.ts";
import { fakeEngines, MACHINES } from "./testing/engines.ts";
import type { HostEngine } from "./engines.ts";

const IMAGES = ["ws-proxy-bench/bench", "ws-proxy-bench/echo"];

/** What the machines lack here: front has one of them. */
const lacking = () => ({
  runner: { images: new Map(IMAGES.map((image) => [image, `inside ${image}`])) },
  front: { images: new Map([[IMAGES[1], `inside ${IMAGES[1]}`]]) },
});

async function join(fakes: ReturnType<typeof fakeEngines>) {
  const engines = (await reachEngines(MACHINES, fakes.run)).filter(isReached);
  const here = fakes.engines.get("")?.images ?? new Map();
  const missing: Map<HostEngine, string[]> = new Map(
    engines.map((engine) => {
      const { host, context } = engine.machine;
      const there = fakes.engines.get(host ?? context ?? "")?.images;
      return [engine, [...here.keys()].filter((image) => !there?.has(image))];
    }),
  );
  const said: string[] = [];
  await joinHosts(engines, missing, (line) => said.push(line), fakes.run);
  return said;
}

async function leave(fakes: ReturnType<typeof fakeEngines>) {
  const said: string[] = [];
  await leaveHosts(await reachEngines(MACHINES, fakes.run), (line) => said.push(line));
  return said;
}

async function states(fakes: ReturnType<typeof fakeEngines>) {
  const engines = (await reachEngines(MACHINES, fakes.run)).filter(isReached);
  return [...(await standingsOf(engines)).values()].map(({ state }) => state);
}

test("join makes one Swarm, its network and the images; the machine that observes manages it", async () => {
  const fakes = fakeEngines(lacking());
  assert.deepEqual(await states(fakes), ["out", "out", "out", "out"]);
  const said = await join(fakes);
  assert.deepEqual(await states(fakes), ["joined", "joined", "joined", "joined"]);
  const all = [...fakes.engines.values()];
  assert.equal(new Set(all.map(({ swarm }) => swarm)).size, 1);
  assert.deepEqual(
    all.map(({ isManager }) => isManager),
    [false, false, false, true],
  );
  assert.ok(all[3].networks.has(NETWORK));
  for (const { images } of all) assert.deepEqual([...images.keys()].sort(), IMAGES);
  const change = (pattern: RegExp) => fakes.changes.filter((one) => pattern.test(one));
  // The one with an address says it, and all come to where the manager is.
  assert.match(change(/^back swarm join /)[0], / --advertise-addr 10\.0\.0\.12 /);
  assert.doesNotMatch(change(/middle swarm join /)[0], /advertise/);
  for (const one of change(/ swarm join /)) assert.match(one, / address-of-runner:2377$/);
  assert.match(change(/ swarm init/)[0], /--default-addr-pool 198\.18\.0\.0\/15/);
  assert.match(change(/network create/)[0], /--driver overlay --attachable /);
  assert.deepEqual(
    change(/node update/).map((one) => one.match(/machine=(\S+) .*roles=(\S+)/)?.slice(1)),
    MACHINES.map(({ name, roles }) => [name, roles[0]]),
  );
  assert.ok(said.includes(`front: copying ${IMAGES[0]}`), said.join("\n"));
});

test("a second join changes nothing but labels", async () => {
  const fakes = fakeEngines(lacking());
  await join(fakes);
  const before = fakes.state();
  fakes.changes.length = 0;
  assert.deepEqual(await join(fakes), []);
  assert.deepEqual(fakes.state(), before);
  assert.ok(
    fakes.changes.every((one) => / node update /.test(one)),
    fakes.changes.join("\n"),
  );
});

test("an image that came to be lacking is copied by a later join, and removed by leave", async () => {
  const fakes = fakeEngines(lacking());
  const before = fakes.state();
  await join(fakes);
  fakes.engines.get("")?.images.set("new", "inside new");
  await join(fakes);
  assert.ok(fakes.engines.get("back")?.images.has("new"));
  await leave(fakes);
  fakes.engines.get("")?.images.delete("new");
  assert.deepEqual(fakes.state(), before);
});

test("leave undoes a join that was broken off anywhere, and so does a join that goes on", async () => {
  const whole = fakeEngines(lacking());
  const before = whole.state();
  await join(whole);
  const steps = whole.changes.length;
  assert.ok(steps > 10);
  for (let allowed = 0; allowed < steps; allowed++) {
    for (const goesOn of [false, true]) {
      const fakes = fakeEngines(lacking());
      fakes.allowed = allowed;
      await assert.rejects(join(fakes), UserError, `${allowed}`);
      fakes.allowed = Infinity;
      if (goesOn) {
        await join(fakes);
        assert.deepEqual(await states(fakes), ["joined", "joined", "joined", "joined"]);
        for (const { images } of fakes.engines.values()) assert.equal(images.size, IMAGES.length);
      }
      await leave(fakes);
      assert.deepEqual(fakes.state(), before, `after ${allowed} of ${steps} steps`);
    }
  }
});

test("a leave that was broken off anywhere is gone on with by another", async () => {
  const whole = fakeEngines(lacking());
  const before = whole.state();
  await join(whole);
  const joined = whole.changes.length;
  for (const { containers } of whole.engines.values()) containers.add("ours");
  await leave(whole);
  assert.deepEqual(whole.state(), before);
  const steps = whole.changes.length - joined;
  // All at once: each waits for machines that fall silent.
  const broken = Array.from({ length: steps }, async (_, allowed) => {
    const fakes = fakeEngines(lacking());
    await join(fakes);
    for (const { containers } of fakes.engines.values()) containers.add("ours");
    fakes.allowed = fakes.changes.length + allowed;
    await leave(fakes).catch(() => {});
    fakes.allowed = Infinity;
    await leave(fakes);
    assert.deepEqual(fakes.state(), before, `after ${allowed} of ${steps} steps`);
  });
  await Promise.all(broken);
  assert.deepEqual(
    await leave(whole),
    ["middle", "back", "front", "runner"].map((name) => `${name}: nothing to undo`),
  );
});

test("a bridge of Swarm's that was there stays", async () => {
  const networks = new Set(["bridge", "docker_gwbridge"]);
  const fakes = fakeEngines({ back: { networks } });
  await join(fakes);
  await leave(fakes);
  assert.ok(fakes.engines.get("back")?.networks.has("docker_gwbridge"));
  assert.ok(!fakes.engines.get("")?.networks.has("docker_gwbridge"));
});

test("a Swarm that is not ours is neither joined to nor left", async () => {
  const fakes = fakeEngines({ front: { swarm: "theirs", node: "n1", isManager: true } });
  await assert.rejects(join(fakes), {
    message: "front is in a Swarm that ./bench did not make",
    next: /docker --host tcp:\/\/10\.0\.0\.13:2375 swarm leave/,
  });
  assert.deepEqual(fakes.changes, []);
  const said = await leave(fakes);
  assert.deepEqual(fakes.changes, []);
  assert.ok(said.includes("front: in a Swarm that ./bench did not make; not changed"));
});

test("a machine whose manager has started a new Swarm must leave first", async () => {
  const fakes = fakeEngines();
  await join(fakes);
  const manager = fakes.engines.get("");
  Object.assign(manager ?? {}, { swarm: "another", node: "n2" });
  assert.deepEqual(await states(fakes), ["stray", "stray", "stray", "joined"]);
  await assert.rejects(join(fakes), {
    message: "middle is in a Swarm of another join (active)",
    next: /^\.\/bench hosts leave, then/,
  });
  await leave(fakes);
  assert.deepEqual(await states(fakes), ["out", "out", "out", "out"]);
});

test("while the manager does not answer, the others are believed to be joined to it", async () => {
  const fakes = fakeEngines();
  await join(fakes);
  fakes.silent.add("");
  assert.deepEqual(await states(fakes), ["joined", "joined", "joined"]);
});

test("machines that answer are left, and those that do not are named", async () => {
  const fakes = fakeEngines();
  await join(fakes);
  fakes.silent.add("back");
  await assert.rejects(leave(fakes), {
    message: "not left: back",
    next: /^back: .*Cannot connect[^]*run it again/,
  });
  assert.equal(fakes.engines.get("")?.swarm, null);
  fakes.silent.clear();
  await leave(fakes);
  assert.ok([...fakes.engines.values()].every(({ swarm }) => swarm === null));
});

test("a machine that falls silent in the middle is named with the step, and the others are left", async () => {
  const fakes = fakeEngines();
  await join(fakes);
  const patience = { reach: 10_000, step: 300, again: 100 };
  const engines = await reachEngines(MACHINES, fakes.run, patience);
  fakes.stopped.add("back");
  await assert.rejects(
    leaveHosts(engines, () => {}),
    {
      message: "not left: back",
      next: /^back: no answer within 0\.\d s to: docker volume ls\n.*docker --context back version/,
    },
  );
  const left = [...fakes.engines].map(([option, { swarm }]) => [option, swarm === null]);
  assert.deepEqual(
    left.filter(([, isLeft]) => !isLeft),
    [["back", false]],
  );
  fakes.stopped.clear();
  await leave(fakes);
  assert.ok([...fakes.engines.values()].every(({ swarm }) => swarm === null));
});

test("a join ends where a machine falls silent, and never tells the token", async () => {
  const fakes = fakeEngines();
  const patience = { reach: 10_000, step: 300, again: 100 };
  const run = fakes.run;
  fakes.run = (command, options) => {
    if (command.includes("join") && command.includes("back")) fakes.stopped.add("back");
    return run(command, options);
  };
  const engines = (await reachEngines(MACHINES, fakes.run, patience)).filter(isReached);
  await assert.rejects(
    joinHosts(engines, new Map(), () => {}, fakes.run),
    ({ message, next }: UserError) => {
      assert.match(message, /^back: no answer within 0\.\d s to: docker swarm join$/);
      assert.doesNotMatch(next, /SWMTKN/);
      return true;
    },
  );
});

test("an engine with several addresses says where to give one", async () => {
  const fakes = fakeEngines();
  const run = fakes.run;
  fakes.run = async (command) =>
    command[1] === "swarm" && command[2] === "init"
      ? {
          code: 1,
          stdout: "",
          stderr: "",
          output:
            "could not choose an IP address to advertise since this system has multiple addresses on interface eth0",
        }
      : run(command);
  await assert.rejects(join(fakes), {
    message: /^runner could not start a Swarm: could not choose/,
    next: /Give runner an address/,
  });
});

test("leave takes along what a run that was broken off left there", async () => {
  const fakes = fakeEngines(lacking());
  await join(fakes);
  const front = fakes.engines.get("tcp://10.0.0.13:2375");
  front?.volumes.set("p-files", { "ws-proxy-bench.run": "p" });
  await leave(fakes);
  assert.deepEqual([...(front?.volumes.keys() ?? [])], ["theirs"]);
});
