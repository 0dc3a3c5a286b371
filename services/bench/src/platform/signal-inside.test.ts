import assert from "node:assert/strict";
import { uptime } from "node:os";
import { test } from "node:test";
import { Engine } from "./engine.ts";

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
