/**
 * One CPU budget for several containers: that of a container which does nothing, whose cgroup theirs are children of. No right to write
 * cgroups is needed for it, which a container of this program does not have.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UserError } from "../errors.js";
import { cpuGroupOf } from "./counters.js";
import { OWN_ENGINE } from "./docker.js";

/** @import { Engine } from "./docker.js" */

/**
 * Who is asked.
 *
 * @typedef {object} Sources
 * @property {Pick<Engine, "check" | "inspect" | "remove">} engine
 * @property {(pid: number, root: string) => {path: string}} groupOf as `cpuGroupOf`
 */

/** @type {Sources} */
const SOURCES = { engine: OWN_ENGINE, groupOf: cpuGroupOf };
const ROOT = "/host";

/**
 * @typedef {object} Budget
 * @property {string} image of this program: it is here, or nobody could read this
 * @property {{periodMicroseconds: number, quotaMicroseconds: number}} quota CPU time in each period
 */

/**
 * @param {string} name of the container; one of that name, left by a run that was killed, is removed first
 * @param {Budget} budget
 * @param {Sources} [sources]
 * @returns {Promise<string>} its cgroup: `cgroup_parent` of those that share the budget
 * @throws {UserError} when the engine refuses it
 */
export async function startBudgetGroup(name, { image, quota }, sources = SOURCES) {
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
 * Tries it. Under cgroup v2 the kernel lets no cgroup have both processes and children with controllers (cgroup-v2.rst, "No Internal Process
 * Constraint"), and the driver systemd takes the name of a slice for a parent: there the engine refuses it.
 *
 * @param {string} name of the container for the trial; another is called `<name>-child`
 * @param {Budget} budget
 * @param {Sources} [sources]
 * @returns {Promise<string | null>} why this engine does not allow it; null: it does
 */
export async function reasonAgainstBudgetGroup(name, budget, sources = SOURCES) {
  const { engine, groupOf } = sources;
  const child = `${name}-child`;
  try {
    const parent = await startBudgetGroup(name, budget, sources);
    await engine.remove([child]);
    await engine.check(idle(child, budget.image, ["--cgroup-parent", parent]));
    const [{ pid }] = await engine.inspect([child]);
    return isBelow(groupOf(pid, ROOT).path, parent)
      ? null
      : "it puts a container elsewhere than into the cgroup that it is told";
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `it refuses a container in the cgroup of another: ${error.next.split("\n").at(-1)}`;
  } finally {
    await engine.remove([child]);
    await engine.remove([name]);
  }
}

/**
 * @param {string} name
 * @param {string} image
 * @param {string[]} options
 * @returns {string[]} what starts a container that does nothing
 */
function idle(name, image, options) {
  return [
    ...["docker", "run", "--detach", "--name", name, "--network", "none", "--user", "65534:65534"],
    ...["--cap-drop", "ALL", "--security-opt", "no-new-privileges:true", "--read-only"],
    ...options,
    ...["--entrypoint", "sleep", image, "infinity"],
  ];
}

/**
 * @param {string} path of a cgroup
 * @param {string} parent
 */
function isBelow(path, parent) {
  return dirname(path) === parent && basename(path) !== "";
}

/**
 * @param {number} pid main process of a container
 * @param {{group: string, root?: string}} options group: as `startBudgetGroup` gave it; root: where the host's /proc and /sys/fs/cgroup are
 *   mounted
 * @returns {number | null} cores that the group has for all containers in it; null: the container is not in it, or it has no limit
 */
export function coresOfBudgetGroup(pid, { group, root = ROOT }) {
  const own = cpuGroupOf(pid, root);
  if (!isBelow(own.path, group)) return null;
  const text = (/** @type {string} */ file) =>
    readFileSync(join(own.directory, "..", file), "utf8").trim();
  // cpu.cfs_quota_us: kernel, scheduler/sched-bwc.rst; cpu.max: admin-guide/cgroup-v2.rst.
  const [quota, period] =
    own.version === 1
      ? [Number(text("cpu.cfs_quota_us")), Number(text("cpu.cfs_period_us"))]
      : text("cpu.max").split(" ").map(Number);
  return quota > 0 && period > 0 ? quota / period : null;
}
