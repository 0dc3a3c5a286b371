/**
 * What machine and engine give: the other side of preflight.js.
 */
import { run as dockerRun } from "../platform/docker.js";
import { probeEngine } from "./engine.js";
import { openHost, readCpu, readMemory, toNumber } from "./host.js";

/**
 * What compose.yaml and proxies/proxy.yaml set in each container that needs it; limits.test.js holds them against those files.
 */
export const CONTAINER_SETTINGS = {
  "net.core.somaxconn": "65535",
  "net.ipv4.ip_local_port_range": "1024 65535",
};

/**
 * null: it could not be read, or there is no such limit.
 *
 * @typedef {object} Limits
 * @property {number | null} cores
 * @property {number | null} memoryBytes
 * @property {number | null} availableBytes for new programs without swapping
 * @property {number | null} descriptorsPerProcess what the engine grants in a container
 * @property {number | null} fileMax descriptors of the whole machine
 * @property {number | null} filesOpen of those
 * @property {number | null} conntrackMax
 * @property {number | null} conntrackCount entries now
 * @property {number | null} pidMax
 * @property {{from: number, to: number}} portRange of a container
 */

/**
 * @param {{root?: string, sys?: string, run?: typeof dockerRun}} [options]
 * @returns {Promise<Limits>}
 */
export async function readLimits({ root, sys, run = dockerRun } = {}) {
  const host = openHost({ root, sys });
  const probe = await probeEngine(run);
  const memory = readMemory(host);
  const [from, to] = CONTAINER_SETTINGS["net.ipv4.ip_local_port_range"].split(" ").map(Number);
  return {
    cores: readCpu(host).cores,
    memoryBytes: memory.total,
    availableBytes: memory.available,
    descriptorsPerProcess:
      probe?.descriptors === "unlimited"
        ? // No process gets more than that: getrlimit(2), RLIMIT_NOFILE.
          toNumber(host.proc("sys/fs/nr_open"))
        : toNumber(probe?.descriptors ?? null),
    fileMax: toNumber(host.proc("sys/fs/file-max")),
    filesOpen: toNumber(host.proc("sys/fs/file-nr")),
    conntrackMax: toNumber(probe?.settings["net.netfilter.nf_conntrack_max"] ?? null),
    conntrackCount: toNumber(probe?.settings["net.netfilter.nf_conntrack_count"] ?? null),
    pidMax: toNumber(host.proc("sys/kernel/pid_max")),
    portRange: { from, to },
  };
}
