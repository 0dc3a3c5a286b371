import assert from "node:assert/strict";
import { uptime } from "node:os";
import { test } from "node:test";
import { Engine } from "./engine.ts";

/** A client of an engine that never answers. */
const NEVER = ["sh", "-c", "echo started; exec sleep 600"];

/** An engine on which the command ends so. */
function engineOf(code: number, stdout: string) {
  return new Engine(["docker"], async () => ({ code, stdout, stderr: "", output: "no such" }));
}

test("a signal was sent when the machine had been up for so long, whatever the engine takes to answer", async () => {
  const engine = engineOf(0, `${uptime() - 3}\n`);
  const sentMs = await engine.signalInside("c", 7, "KILL");
  assert.ok(Math.abs(Date.now() - 3000 - sentMs) < 500, `${Date.now() - sentMs} ms ago`);
});

test("a shell that a supervisor killed has sent it; one that said nothing has not", async () => {
  assert.ok(await engineOf(137, `${uptime()}\n`).signalInside("c", 7, "KILL"));
  await assert.rejects(engineOf(1, "").signalInside("c", 7, "KILL"), { next: "no such" });
});

test("each command of an engine has its limit, but one that has its own, or runs as long as a load does", async () => {
  const engine = new Engine(NEVER).within(200);
  const next = /given up after 0\.\d s$/;
  await assert.rejects(engine.check(["docker", "ps"]), { next });
  await assert.rejects(engine.inspect(["1a"]), {
    message: "the Docker engine does not answer",
    next,
  });
  const slow = new Engine(["sh", "-c", "sleep 0.6; echo through"]).within(100);
  const limit = AbortSignal.timeout(60_000);
  assert.equal((await slow.run(["docker", "cp"], { limit })).stdout, "through\n");
  const { signal } = new AbortController();
  const inside = await slow.runInside("load-1", ["k6"], { env: {}, signal });
  assert.equal(inside.output, "through\n");
});
