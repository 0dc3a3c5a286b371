import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { coresOfBudgetGroup, reasonAgainstBudgetGroup, startBudgetGroup } from "./budget-group.ts";
import type { TestContext } from "node:test";
import type { Sources } from "./budget-group.ts";

const BUDGET = { image: "bench", quota: { periodMicroseconds: 10_000, quotaMicroseconds: 1500 } };
const PID = 4242;

/**
 * @param host /proc/<pid>/cgroup, and files below /sys/fs/cgroup
 * @returns its root
 */
function hostWith(
  t: TestContext,
  { cgroup, files }: { cgroup: string; files: Record<string, string> },
): string {
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

/** An engine whose containers' cgroups are below the one that they ask for, or /docker. */
function engineThat({
  heeds = true,
  refuses = () => false,
}: { heeds?: boolean; refuses?: (command: string[]) => boolean } = {}) {
  /** names, in the order of their pids */
  const started: string[] = [];
  const paths: Map<string, string> = new Map();
  const removed: string[] = [];
  const engine: any = {
    check: async (command: string[]) => {
      if (refuses(command)) throw new UserError("docker run ended with status 125", "no\nbusy");
      const name = command[command.indexOf("--name") + 1];
      const at = command.indexOf("--cgroup-parent");
      started.push(name);
      paths.set(name, `${at < 0 || !heeds ? "/docker" : command[at + 1]}/${name}`);
    },
    inspect: async ([name]: string[]) => [{ pid: started.indexOf(name) }],
    remove: async (names: string[]) => removed.push(...names),
  };
  const sources: Sources = { engine, groupOf: (pid) => ({ path: paths.get(started[pid]) ?? "" }) };
  return { sources, removed };
}

test("the budget of the group that a container is in, version 1 and 2", (t) => {
  const v1 = hostWith(t, {
    cgroup: "2:memory:/docker/x/abc\n1:cpu,cpuacct:/docker/x/abc\n0::/docker/x/abc\n",
    files: {
      "cpu/docker/x/cpu.cfs_quota_us": "1500\n",
      "cpu/docker/x/cpu.cfs_period_us": "10000\n",
      "cpu/docker/x/abc/cpu.cfs_quota_us": "-1\n",
    },
  });
  assert.equal(coresOfBudgetGroup(PID, { group: "/docker/x", root: v1 }), 0.15);
  assert.equal(coresOfBudgetGroup(PID, { group: "/docker/y", root: v1 }), null);
  const v2 = hostWith(t, {
    cgroup: "0::/x/abc\n",
    files: { "x/cpu.max": "1500 10000\n", "x/abc/cpu.max": "max 100000\n" },
  });
  assert.equal(coresOfBudgetGroup(PID, { group: "/x", root: v2 }), 0.15);
  writeFileSync(join(v2, "sys/fs/cgroup/x/cpu.max"), "max 10000\n");
  assert.equal(coresOfBudgetGroup(PID, { group: "/x", root: v2 }), null);
});

test("a group is the cgroup of a container with the budget", async () => {
  const { sources, removed } = engineThat();
  assert.equal(await startBudgetGroup("x-budget", BUDGET, sources), "/docker/x-budget");
  assert.deepEqual(removed, ["x-budget"]);
});

test("whether the engine allows it is tried, and nothing stays behind", async () => {
  const good = engineThat();
  assert.equal(await reasonAgainstBudgetGroup("x", BUDGET, good.sources), null);
  assert.deepEqual(good.removed.slice(-2), ["x-child", "x"]);
  const deaf = engineThat({ heeds: false });
  assert.match((await reasonAgainstBudgetGroup("x", BUDGET, deaf.sources)) ?? "", /another cgroup/);
  const refusing = engineThat({ refuses: (command) => command.includes("--cgroup-parent") });
  assert.equal(
    await reasonAgainstBudgetGroup("x", BUDGET, refusing.sources),
    "it refuses a container in the cgroup of another: busy",
  );
  assert.deepEqual(refusing.removed.slice(-2), ["x-child", "x"]);
});
