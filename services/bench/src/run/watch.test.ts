import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { ContainerGone } from "../platform/counters.ts";
import { CellFailure } from "./cell-failure.ts";
import { state } from "./testing/readings.ts";
import { Watch } from "./watch.ts";
import type { ContainerState } from "../platform/engine.ts";

const NGINX = state({ id: "n", service: "nginx" });
const INFLUXDB = state({ id: "i", service: "influxdb" });

/** @param now what the engine says, each time it is asked */
function watchOver(
  now: () => ContainerState[],
  signal: AbortSignal = new AbortController().signal,
) {
  const watch = new Watch({
    signal,
    observers: ["influxdb"],
    look: async () => now(),
    lookIntervalMs: 5,
    engineDelayMs: 500,
  });
  watch.require([NGINX, INFLUXDB]);
  return watch;
}

const never = () => new Promise<never>(() => {});

test("containers are looked at once at a time, however long the engine takes", async () => {
  let looks = 0;
  const watch = new Watch({
    signal: new AbortController().signal,
    observers: [],
    look: () => {
      looks += 1;
      return never();
    },
    lookIntervalMs: 5,
  });
  await assert.rejects(
    watch.within(0.2, never(), () => true),
    { kind: "timeout" },
  );
  assert.equal(looks, 1);
});

for (const [what, now, kind, message] of [
  [
    "ended",
    [{ ...NGINX, running: false, exitCode: 137 }, INFLUXDB],
    "container-died",
    "nginx ended with status 137",
  ],
  ["removed", [INFLUXDB], "container-died", "nginx was removed"],
  [
    "out of memory",
    [{ ...NGINX, running: false, outOfMemory: true }, INFLUXDB],
    "out-of-memory",
    "nginx was ended by the kernel: out of memory",
  ],
  [
    "restarted",
    [{ ...NGINX, startedAt: "later" }, INFLUXDB],
    "container-restarted",
    "nginx was restarted",
  ],
  [
    "restarted by the engine",
    [{ ...NGINX, restarts: 1 }, INFLUXDB],
    "container-restarted",
    "nginx was restarted",
  ],
  [
    "an observer",
    [NGINX, { ...INFLUXDB, running: false, exitCode: 2 }],
    "observer",
    "influxdb ended with status 2",
  ],
] as const) {
  test(`a container that has to live does not: ${what}`, async () => {
    const watch = watchOver(() => [...now]);
    await assert.rejects(watch.assertAlive(), { constructor: CellFailure, kind, message });
  });
}

test("a wait ends with its action, with the time, with the run, and with a death", async () => {
  const controller = new AbortController();
  let states = [NGINX, INFLUXDB];
  const watch = watchOver(() => states, controller.signal);
  assert.equal(await watch.within(1, Promise.resolve(7)), 7);
  await assert.rejects(watch.within(0.01, never()), { kind: "timeout", message: /0\.01 s/ });
  // Not looked at without a reason, which would cost.
  states = [INFLUXDB];
  await assert.rejects(watch.within(0.05, never()), { kind: "timeout" });
  await assert.rejects(
    watch.within(5, never(), () => true),
    { kind: "container-died" },
  );
  const waiting = watch.within(5, never());
  controller.abort(new Error("Ctrl-C"));
  await assert.rejects(waiting, /Ctrl-C/);
  await assert.rejects(watch.within(5, Promise.resolve(1)), /Ctrl-C/);
});

test("an action that fails when nobody waits for it any more is no error of its own", async (t) => {
  const controller = new AbortController();
  const watch = watchOver(() => [NGINX, INFLUXDB], controller.signal);
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  t.after(() => process.off("unhandledRejection", note));
  const actions = [Promise.withResolvers(), Promise.withResolvers()];
  const waiting = watch.within(5, actions[0].promise);
  controller.abort(new Error("Ctrl-C"));
  await assert.rejects(waiting, /Ctrl-C/);
  await assert.rejects(watch.within(5, actions[1].promise), /Ctrl-C/);
  for (const { reject } of actions) reject(new Error("too late"));
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(unhandled, []);
});

test("required once more after a restart, a container may run as it does now", async () => {
  const again = { ...NGINX, startedAt: "later" };
  const watch = watchOver(() => [again, INFLUXDB]);
  watch.require([again]);
  await watch.assertAlive();
});

test("one that does not run when it is to live from now on is refused", () => {
  const watch = watchOver(() => []);
  assert.throws(() => watch.require([state({ id: "e", service: "echo", running: false })]), {
    kind: "container-died",
    message: "echo ended with status 0",
  });
});

test("counters that vanish of a container that nobody requires are a death without a name", async () => {
  const watch = watchOver(() => [NGINX, INFLUXDB]);
  const behind = (await watch.explain(new ContainerGone(7))) as CellFailure;
  assert.equal(behind.kind, "container-died");
  assert.match(behind.message, /process 7 is gone/);
});

test("a container that died is behind connections that failed", async () => {
  const died = watchOver(() => [INFLUXDB]);
  const load = new CellFailure("load", "5 connections failed");
  assert.equal(((await died.explain(load)) as any).kind, "container-died");
  const alive = watchOver(() => [NGINX, INFLUXDB]);
  assert.equal(await alive.explain(load), load);
  const throttled = new CellFailure("throttled", "nginx");
  assert.equal(await died.explain(throttled), throttled);
});

test("the engine learns of a death after the kernel: it is asked again", async () => {
  let asked = 0;
  const watch = watchOver(() =>
    ++asked < 3 ? [NGINX, INFLUXDB] : [NGINX, { ...INFLUXDB, running: false, exitCode: 137 }],
  );
  const behind = await watch.explain(new ContainerGone(7));
  assert.equal((behind as any).kind, "observer");
  assert.equal(asked, 3);
});

test("an engine that does not answer is what is reported", async () => {
  const lost = new UserError("the Docker engine does not answer", "");
  const watch = watchOver(() => {
    throw lost;
  });
  assert.equal(await watch.explain(new CellFailure("load", "x")), lost);
});

test("what an event is about to end may end, until it is required again", async () => {
  const watch = watchOver(() => [{ ...NGINX, running: false, exitCode: 0 }, INFLUXDB]);
  watch.release([NGINX]);
  await watch.assertAlive();
  watch.require([NGINX]);
  await assert.rejects(watch.assertAlive(), { kind: "container-died" });
});
