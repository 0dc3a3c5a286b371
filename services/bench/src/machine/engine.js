/**
 * What the Docker engine tells about itself, and what it grants to a container.
 */
import { check } from "../platform/docker.js";

/** @import { run as Run } from "../platform/docker.js" */

/** The image of this program: it is here, or nobody could read this. */
export const BENCH_IMAGE = "ws-proxy-bench/bench";

/** Settings of the host's own network namespace that count for containers too, as their traffic passes it. */
const HOST_SETTINGS = [
  "net.core.netdev_max_backlog",
  "net.core.rmem_max",
  "net.core.wmem_max",
  "net.ipv4.tcp_mem",
  "net.netfilter.nf_conntrack_max",
  "net.netfilter.nf_conntrack_count",
  "net.bridge.bridge-nf-call-iptables",
];

/**
 * @typedef {object} EngineInfo the part of `docker info` that is used here
 * @property {string} ServerVersion
 * @property {string} Driver
 * @property {string} CgroupDriver
 * @property {string} CgroupVersion
 * @property {string[] | null} SecurityOptions
 * @property {string} OperatingSystem
 * @property {string} KernelVersion
 * @property {string} DefaultRuntime
 */

/**
 * @returns {Promise<EngineInfo>}
 * @throws {import("../errors.js").UserError} when the engine does not answer
 */
export async function engineInfo() {
  return JSON.parse(await check(["docker", "info", "--format", "{{json .}}"]));
}

/**
 * @typedef {object} EngineProbe
 * @property {{soft: string, hard: string}} descriptors limits of a process in a container, as `ulimit` says them; the containers of the
 *   measured path raise the soft one to the hard one (proxies/raise-limits.sh)
 * @property {Record<string, string>} settings of the host's network namespace, by name; absent: this kernel does not have it, or its module is not loaded
 */

/**
 * Asks from inside a container (0.3 s): no file outside tells what the engine grants, and a container of its own network cannot
 * see the host's settings.
 *
 * @param {typeof Run} run
 * @returns {Promise<EngineProbe | null>} null: this engine does not run such a container, with remapped users for one
 */
export async function probeEngine(run) {
  const script =
    'echo "$(ulimit -Sn) $(ulimit -Hn)"; for name in "$@"; do file=/proc/sys/$(echo "$name" | tr . /); [ ! -r "$file" ] || echo "$name $(cat "$file")"; done';
  const { code, stdout } = await run([
    ...["docker", "run", "--rm", "--network", "host", "--cap-drop", "ALL", "--read-only"],
    ...["--security-opt", "no-new-privileges:true", "--entrypoint", "sh"],
    ...[BENCH_IMAGE, "-c", script, "sh", ...HOST_SETTINGS],
  ]);
  if (code !== 0) return null;
  const [descriptors, ...lines] = stdout.trim().split("\n");
  const [soft, hard] = descriptors.split(" ");
  return {
    descriptors: { soft, hard },
    settings: Object.fromEntries(
      lines.map((line) => {
        const [name, ...values] = line.split(/\s+/);
        return [name, values.join(" ")];
      }),
    ),
  };
}
