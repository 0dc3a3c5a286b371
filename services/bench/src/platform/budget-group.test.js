import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { coresOfBudgetGroup, createBudgetGroup, removeBudgetGroup } from "./budget-group.js";

/** @import { TestContext } from "node:test" */

const QUOTA = { periodMicroseconds: 10_000, quotaMicroseconds: 1500 };
const PID = 4242;

/**
 * @param {TestContext} t
 * @param {{cgroup: string, files: Record<string, string>}} host /proc/<pid>/cgroup, and files below /sys/fs/cgroup
 * @returns {string} its root
 */
function hostWith(t, { cgroup, files }) {
  const root = mkdtempSync(join(tmpdir(), "budget-"));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "proc", String(PID)), { recursive: true });
  writeFileSync(join(root, "proc", String(PID), "cgroup"), cgroup);
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, "sys/fs/cgroup", name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
  }
  return root;
}

/** @param {{code: number, output?: string}} result */
function engine({ code, output = "" }) {
  /** @type {string[][]} */
  const calls = [];
  /** @param {string[]} command */
  const run = async (command) => {
    calls.push(command);
    return { code, output, stdout: output, stderr: "" };
  };
  return { calls, run };
}

test("the budget of the cgroup around a container, version 1 and 2", (t) => {
  const v1 = hostWith(t, {
    cgroup: "2:memory:/x-budget/abc\n1:cpu,cpuacct:/x-budget/abc\n0::/x-budget/abc\n",
    files: {
      "cpu/x-budget/cpu.cfs_quota_us": "1500\n",
      "cpu/x-budget/cpu.cfs_period_us": "10000\n",
      "cpu/x-budget/abc/cpu.cfs_quota_us": "-1\n",
    },
  });
  assert.equal(coresOfBudgetGroup(PID, { name: "x-budget", root: v1 }), 0.15);
  assert.equal(coresOfBudgetGroup(PID, { name: "budget", root: v1 }), null);
  const v2 = hostWith(t, {
    cgroup: "0::/x-budget/abc\n",
    files: { "x-budget/cpu.max": "1500 10000\n", "x-budget/abc/cpu.max": "max 100000\n" },
  });
  assert.equal(coresOfBudgetGroup(PID, { name: "x-budget", root: v2 }), 0.15);
  writeFileSync(join(v2, "sys/fs/cgroup/x-budget/cpu.max"), "max 10000\n");
  assert.equal(coresOfBudgetGroup(PID, { name: "x-budget", root: v2 }), null);
});

test("it is made by a container without capabilities; what the engine says against it is told", async () => {
  const { calls, run } = engine({ code: 0 });
  const about = { image: "bench", driver: "cgroupfs", run };
  assert.equal(await createBudgetGroup("x-budget", QUOTA, about), null);
  assert.deepEqual(calls[0].slice(0, 3), ["docker", "run", "--rm"]);
  for (const word of ["NAME=x-budget", "PERIOD=10000", "QUOTA=1500"])
    assert.ok(calls[0].includes(word));
  const refused = engine({ code: 1, output: "a\nmkdir: Read-only file system\n" });
  assert.equal(
    await createBudgetGroup("x", QUOTA, { ...about, run: refused.run }),
    "the cgroup cannot be made: mkdir: Read-only file system",
  );
  const systemd = engine({ code: 0 });
  assert.match(
    (await createBudgetGroup("x", QUOTA, { ...about, driver: "systemd", run: systemd.run })) ?? "",
    /^its cgroup driver is systemd/,
  );
  assert.equal(systemd.calls.length, 0);
});

test("what the container runs makes and removes it, on both versions", async (t) => {
  const { execFileSync } = await import("node:child_process");
  for (const [version, file, text] of /** @type {const} */ ([
    [1, "cpu/x-budget/cpu.cfs_quota_us", "1500\n"],
    [2, "x-budget/cpu.max", "1500 10000\n"],
  ])) {
    const root = mkdtempSync(join(tmpdir(), "budget-"));
    t.after(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, "cpu"));
    if (version === 2) writeFileSync(join(root, "cgroup.controllers"), "cpu memory\n");
    const { calls, run } = engine({ code: 0 });
    await createBudgetGroup("x-budget", QUOTA, { image: "bench", driver: "cgroupfs", run });
    await removeBudgetGroup("x-budget", { image: "bench", run });
    const [create, remove] = calls.map((call) =>
      String(call.at(-1)).replaceAll("/cgroup/", `${root}/`),
    );
    const env = { ...process.env, NAME: "x-budget", PERIOD: "10000", QUOTA: "1500" };
    execFileSync("sh", ["-c", create], { env });
    assert.equal(readFileSync(join(root, file), "utf8"), text);
    // In a cgroup they vanish with it.
    cpSync(join(root, file), join(root, "kept"));
    rmSync(join(root, version === 1 ? "cpu/x-budget" : "x-budget"), { recursive: true });
    mkdirSync(join(root, version === 1 ? "cpu/x-budget" : "x-budget"));
    execFileSync("sh", ["-c", remove], { env });
    assert.throws(() => readFileSync(join(root, file)), { code: "ENOENT" });
  }
});
