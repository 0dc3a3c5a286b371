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
 * @property {number | null} softDescriptors of a process as a container starts; it is raised at once (proxies/raise-limits.sh)
 * @property {number | null} descriptorsPerProcess the engine's hard limit, which is what a process then has
 * @property {number | null} fileMax descriptors of the whole machine
 * @property {number | null} filesOpen of those
 * @property {number | null} conntrackMax
 * @property {number | null} conntrackCount entries now
 * @property {number | null} pidMax
 * @property {{from: number, to: number}} portRange of a container
 * @property {{from: number, to: number} | null} [hostPortRange] of the machine, which counts on its own network
 */

/**
 * @param {{root?: string, sys?: string, run?: typeof dockerRun}} [options]
 * @returns {Promise<Limits>}
 */
export async function readLimits({ root, sys, run = dockerRun } = {}) {
  const host = openHost({ root, sys });
  const probe = await probeEngine(run);
  const memory = readMemory(host);
  const descriptors = (/** @type {string | undefined} */ told) =>
    toNumber(
      // No process gets more than that: getrlimit(2), RLIMIT_NOFILE.
      told === "unlimited" ? host.proc("sys/fs/nr_open") : (told ?? null),
    );
  const [from, to] = CONTAINER_SETTINGS["net.ipv4.ip_local_port_range"].split(" ").map(Number);
  return {
    cores: readCpu(host).cores,
    memoryBytes: memory.total,
    availableBytes: memory.available,
    softDescriptors: descriptors(probe?.descriptors.soft),
    descriptorsPerProcess: descriptors(probe?.descriptors.hard),
    fileMax: toNumber(host.proc("sys/fs/file-max")),
    filesOpen: toNumber(host.proc("sys/fs/file-nr")),
    conntrackMax: toNumber(probe?.settings["net.netfilter.nf_conntrack_max"] ?? null),
    conntrackCount: toNumber(probe?.settings["net.netfilter.nf_conntrack_count"] ?? null),
    pidMax: toNumber(host.proc("sys/kernel/pid_max")),
    portRange: { from, to },
    hostPortRange: rangeOf(probe?.settings["net.ipv4.ip_local_port_range"]),
  };
}

/**
 * @param {string | undefined} told such as `32768 60999`
 * @returns {NonNullable<Limits["hostPortRange"]> | null} null: it is not known
 */
export function rangeOf(told) {
  const [, from, to] = told?.match(/^(\d+) (\d+)$/) ?? [];
  return to === undefined ? null : { from: Number(from), to: Number(to) };
}

/**
 * @param {Pick<Limits, "softDescriptors" | "descriptorsPerProcess">} limits
 * @returns {string} both limits, and which one counts
 */
export function describeDescriptors({ softDescriptors: soft, descriptorsPerProcess: hard }) {
  if (soft === null || hard === null)
    return "not known: this engine refused the container that asks";
  const [from, to] = [soft, hard].map((limit) => limit.toLocaleString("en-US"));
  return `soft limit ${from}, hard limit ${to}${soft < hard ? "; raised to the hard one" : ""}`;
}
