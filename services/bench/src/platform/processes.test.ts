import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { busiestChild, isRunning } from "./processes.ts";
import type { TestContext } from "node:test";

/** A /proc with these processes; the folder's size tells nothing here, as before Linux 6.2. */
function procWith(
  t: TestContext,
  processes: { pid: number; name: string; state: string; parent: number; inner: number }[],
) {
  const root = mkdtempSync(join(tmpdir(), "processes-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const { pid, name, state, parent, inner } of processes) {
    const folder = join(root, "proc", String(pid));
    mkdirSync(join(folder, "fd"), { recursive: true });
    writeFileSync(join(folder, "stat"), `${pid} (${name}) ${state} ${parent} ${pid} 0 -1 0\n`);
    writeFileSync(
      join(folder, "status"),
      `Name:\t${name}\nNSpid:\t${pid}\t${inner}\nThreads:\t1\n`,
    );
  }
  return root;
}

const NGINX = [
  { pid: 100, name: "nginx", state: "S", parent: 90, inner: 1 },
  { pid: 107, name: "nginx) S 1 (", state: "S", parent: 100, inner: 7 },
  { pid: 108, name: "nginx", state: "Z", parent: 100, inner: 8 },
  { pid: 109, name: "other", state: "S", parent: 107, inner: 9 },
];

test("a process that has ended does not run, also before its parent has taken note", (t) => {
  const root = procWith(t, NGINX);
  assert.deepEqual(
    [100, 107, 108, 999].map((pid) => isRunning(pid, root)),
    [true, true, false, false],
  );
});

test("a worker is a child of the first process that runs, with the number that the container has for it", (t) => {
  const root = procWith(t, NGINX);
  const pids = NGINX.map(({ pid }) => pid);
  assert.deepEqual(busiestChild(pids, [100], root), { pid: 107, inner: 7, parent: 100 });
  assert.equal(busiestChild(pids, [109], root), null);
});

test("of several the one with the most open files", (t) => {
  const more = { pid: 110, name: "nginx", state: "S", parent: 100, inner: 10 };
  const root = procWith(t, [...NGINX, more]);
  // A real /proc has the number of files as the folder's size.
  for (let i = 0; i < 400; i++) writeFileSync(join(root, `proc/110/fd/${"x".repeat(100)}${i}`), "");
  assert.equal(busiestChild([107, 110], [100], root)?.pid, 110);
});
