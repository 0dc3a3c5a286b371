/**
 * One CPU budget for several containers: a cgroup that has it, and that they are children of.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { run as dockerRun } from "./docker.js";
import { cpuGroupOf } from "./counters.js";

/**
 * The hierarchy of the CPU controller under v1, the only one under v2. cpu.cfs_period_us and cpu.cfs_quota_us: kernel,
 * scheduler/sched-bwc.rst; cpu.max: kernel, admin-guide/cgroup-v2.rst.
 */
const CREATE = `set -e
if [ -e /cgroup/cgroup.controllers ]; then
  group=/cgroup/$NAME; mkdir -p "$group"
  echo "$QUOTA $PERIOD" > "$group/cpu.max"
else
  group=/cgroup/cpu/$NAME; mkdir -p "$group"
  echo -1 > "$group/cpu.cfs_quota_us"
  echo "$PERIOD" > "$group/cpu.cfs_period_us"
  echo "$QUOTA" > "$group/cpu.cfs_quota_us"
fi`;
/** Under v1 the engine has made one of the name in each hierarchy; some of these are names of another. */
const REMOVE = `for group in /cgroup/$NAME /cgroup/*/$NAME; do
  [ ! -d "$group" ] || rmdir "$group" || true
done`;

/**
 * This program has no right to write cgroups: a container of its image that runs as root, without a capability, does it.
 *
 * @param {string} name of the cgroup, at the root of the engine's
 * @param {{periodMicroseconds: number, quotaMicroseconds: number}} quota CPU time in each period
 * @param {object} options
 * @param {string} options.image of this program
 * @param {string} options.driver of cgroups, as `docker info` tells
 * @param {typeof dockerRun} [options.run]
 * @returns {Promise<string | null>} why this engine does not allow it; null: it is there
 */
export async function createBudgetGroup(name, quota, { image, driver, run = dockerRun }) {
  if (driver !== "cgroupfs")
    return `its cgroup driver is ${driver}, which keeps the limits of a common cgroup itself`;
  const { code, output } = await run(
    command(image, name, CREATE, {
      PERIOD: String(quota.periodMicroseconds),
      QUOTA: String(quota.quotaMicroseconds),
    }),
  );
  return code === 0 ? null : `the cgroup cannot be made: ${output.trim().split("\n").at(-1)}`;
}

/**
 * Without containers in it. One that does not exist is no error.
 *
 * @param {string} name
 * @param {{image: string, run?: typeof dockerRun}} options
 */
export async function removeBudgetGroup(name, { image, run = dockerRun }) {
  await run(command(image, name, REMOVE, {}));
}

/**
 * @param {string} image
 * @param {string} name
 * @param {string} script
 * @param {Record<string, string>} variables
 * @returns {string[]}
 */
function command(image, name, script, variables) {
  const set = Object.entries({ NAME: name, ...variables }).flatMap(([key, value]) => [
    "--env",
    `${key}=${value}`,
  ]);
  return [
    ...["docker", "run", "--rm", "--network", "none", "--user", "0:0", "--cap-drop", "ALL"],
    ...["--security-opt", "no-new-privileges:true", "--read-only", "--cgroupns", "host"],
    ...["--volume", "/sys/fs/cgroup:/cgroup", ...set, "--entrypoint", "sh", image, "-c", script],
  ];
}

/**
 * @param {number} pid main process of a container
 * @param {{name: string, root?: string}} options root: where the host's /proc and /sys/fs/cgroup are mounted
 * @returns {number | null} cores that the cgroup of that name, which the container's is a child of, has for all of them; null: the
 *   container is not in it, or it has no limit
 */
export function coresOfBudgetGroup(pid, { name, root = "/host" }) {
  const own = cpuGroupOf(pid, root);
  const parent = join(own.directory, "..");
  if (!parent.endsWith(`/${name}`)) return null;
  const text = (/** @type {string} */ file) => readFileSync(join(parent, file), "utf8").trim();
  const [quota, period] =
    own.version === 1
      ? [Number(text("cpu.cfs_quota_us")), Number(text("cpu.cfs_period_us"))]
      : text("cpu.max").split(" ").map(Number);
  return quota > 0 && period > 0 ? quota / period : null;
}
