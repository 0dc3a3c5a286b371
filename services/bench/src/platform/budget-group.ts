/**
 * One CPU budget for several containers: that of a container which does nothing, whose cgroup
 * theirs are children of. No right to write cgroups is needed for it, which a container of this
 * program does not have.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UserError } from "../errors.ts";
import { cpuGroupOf } from "./counters.ts";
import { OWN_ENGINE } from "./engine.ts";
import type { Engine } from "./engine.ts";

/** Who is asked. */
export interface Sources {
  engine: Pick<Engine, "check" | "inspect" | "remove">;
  /** as `cpuGroupOf` */
  groupOf: (pid: number, root: string) => { path: string };
}

const SOURCES: Sources = { engine: OWN_ENGINE, groupOf: cpuGroupOf };
const ROOT = "/host";

interface Budget {
  /** of this program: it is here, or nobody could read this */
  image: string;
  /** CPU time in each period */
  quota: { periodMicroseconds: number; quotaMicroseconds: number };
}

/**
 * @param name of the container; one of that name, left by a run that was killed, is removed first
 * @returns its cgroup: `cgroup_parent` of those that share the budget
 * @throws {UserError} when the engine refuses it
 */
export async function startBudgetGroup(
  name: string,
  { image, quota }: Budget,
  sources: Sources = SOURCES,
): Promise<string> {
  const { engine, groupOf } = sources;
  await engine.remove([name]);
  await engine.check([
    ...idle(name, image, [
      ...["--cpu-period", String(quota.periodMicroseconds)],
      ...["--cpu-quota", String(quota.quotaMicroseconds)],
    ]),
  ]);
  const [{ pid }] = await engine.inspect([name]);
  return groupOf(pid, ROOT).path;
}

/**
 * Tries it. Under cgroup v2 the kernel lets no cgroup have both processes and children with
 * controllers (cgroup-v2.rst, "No Internal Process Constraint"), and the driver systemd takes the
 * name of a slice for a parent: there the engine refuses it.
 *
 * @param name of the container for the trial; another is called `<name>-child`
 * @returns why this engine does not allow it; null: it does
 */
export async function reasonAgainstBudgetGroup(
  name: string,
  budget: Budget,
  sources: Sources = SOURCES,
): Promise<string | null> {
  const { engine, groupOf } = sources;
  const child = `${name}-child`;
  try {
    const parent = await startBudgetGroup(name, budget, sources);
    await engine.remove([child]);
    await engine.check(idle(child, budget.image, ["--cgroup-parent", parent]));
    const [{ pid }] = await engine.inspect([child]);
    return isBelow(groupOf(pid, ROOT).path, parent)
      ? null
      : "it puts a container into another cgroup than it was asked to";
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `it refuses a container in the cgroup of another: ${error.next.split("\n").at(-1)}`;
  } finally {
    await engine.remove([child]);
    await engine.remove([name]);
  }
}

/** @returns what starts a container that does nothing */
function idle(name: string, image: string, options: string[]): string[] {
  return [
    ...["docker", "run", "--detach", "--name", name, "--network", "none", "--user", "65534:65534"],
    ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges:true", "--read-only"],
    ...options,
    ...["--entrypoint", "sleep", image, "infinity"],
  ];
}

/** @param path of a cgroup */
function isBelow(path: string, parent: string) {
  return dirname(path) === parent && basename(path) !== "";
}

/**
 * @param pid main process of a container
 * @param options group: as `startBudgetGroup` gave it; root: where the host's /proc and
 *   /sys/fs/cgroup are mounted
 * @returns cores that the group has for all containers in it; null: the container is not in it, or
 *   it has no limit
 */
export function coresOfBudgetGroup(
  pid: number,
  { group, root = ROOT }: { group: string; root?: string },
): number | null {
  const own = cpuGroupOf(pid, root);
  if (!isBelow(own.path, group)) return null;
  const text = (file: string) => readFileSync(join(own.directory, "..", file), "utf8").trim();
  // cpu.cfs_quota_us: kernel, scheduler/sched-bwc.rst; cpu.max: admin-guide/cgroup-v2.rst.
  const [quota, period] =
    own.version === 1
      ? [Number(text("cpu.cfs_quota_us")), Number(text("cpu.cfs_period_us"))]
      : text("cpu.max").split(" ").map(Number);
  return quota > 0 && period > 0 ? quota / period : null;
}
