/**
 * What each cell needs against what machine and engine give, before anything starts.
 */
import { UserError } from "../errors.js";
import { CONTROL } from "../proxies.js";

/** @import { Parameters, Plan, PlannedCell } from "../record/types.js" */
/** @import { Proxy } from "../proxies.js" */
/** @import { Limits } from "./limits.js" */

/** Descriptors of a process beside those of the load: listeners, epoll, pipes, InfluxDB, idle upstream connections. k6 has 10. */
const OWN_DESCRIPTORS = 200;

/**
 * A closed connection keeps its port for 60 s (TIME_WAIT) on the side that closed first, and only on the connecting side does that
 * take one away. WebSocket servers close first (RFC 6455, 7.1.1). Of 4,000 connections, counted in each container's namespace:
 * at most 29 % at k6 and 5 % at a proxy towards the echo server; http-proxy and HAProxy had the most. Doubled, and counted as
 * if all came within 60 s. Linux reuses such a port early only on loopback (net.ipv4.tcp_tw_reuse=2, the default).
 */
const WAITING_AT_LOAD = 0.6;
const WAITING_AT_PROXY = 0.1;

/**
 * A connection through a proxy is an entry for each hop, and http-proxy looks up the echo server's name for each: 11,891 entries for
 * 4,000 connections in its namespace, which Docker's DNS gives a table of its own. HAProxy + hitch has three hops over TLS: 12,006.
 * An entry outlives its connection by 120 s (net.netfilter.nf_conntrack_tcp_timeout_time_wait).
 */
const CONNTRACK_ENTRIES = 3;

/** All containers together at 100 connections: k6 107 MB, echo server 110 MB, http-proxy 139 MB, InfluxDB, cAdvisor, runner. */
const BASE_BYTES = 768 * 2 ** 20;
/** k6 has 85 KB for an idle connection, nginx 25 KB; the rest is allowed for the echo server and for proxies written in JavaScript. */
const BYTES_PER_CONNECTION = 256 * 2 ** 10;
/** A message is in k6, proxy and echo server at once, as text and as bytes. */
const COPIES_OF_MESSAGE = 8;

/**
 * Upper bounds. Descriptors are those of one process: all connections may come to the same worker.
 *
 * @typedef {object} Needs
 * @property {{proxy: number, echo: number, load: number}} descriptors load: of all its containers together
 * @property {{load: number, proxy: number}} ports towards one destination
 * @property {number} conntrackEntries in the fullest network namespace
 * @property {number} memoryBytes
 */

/**
 * CONCURRENCY of CONNECTIONS are open at a time; a scenario without that parameter holds all at once.
 *
 * @param {PlannedCell} cell
 * @param {Proxy} proxy
 * @returns {Needs}
 */
export function needsOf({ parameters, warmUp }, { name }) {
  const phases = [parameters, ...(warmUp ? [{ ...parameters, ...warmUp }] : [])];
  const inAll = phases.reduce((sum, { CONNECTIONS = 0 }) => sum + CONNECTIONS, 0);
  const most = (/** @type {(phase: Parameters) => number} */ of) => Math.max(...phases.map(of));
  const open = (/** @type {Parameters} */ phase) => phase.CONCURRENCY ?? phase.CONNECTIONS ?? 0;
  const atATime = most(open);
  const control = name === CONTROL;
  return {
    descriptors: {
      proxy: atATime * (control ? 1 : 2) + OWN_DESCRIPTORS,
      echo: (control ? 0 : atATime) + OWN_DESCRIPTORS,
      load: atATime + OWN_DESCRIPTORS,
    },
    ports: {
      load: atATime + Math.ceil(inAll * WAITING_AT_LOAD),
      proxy: control ? 0 : atATime + Math.ceil(inAll * WAITING_AT_PROXY),
    },
    conntrackEntries: inAll * CONNTRACK_ENTRIES,
    memoryBytes:
      BASE_BYTES +
      atATime * BYTES_PER_CONNECTION +
      most((phase) => open(phase) * (phase.MESSAGE_BYTES ?? 0)) * COPIES_OF_MESSAGE,
  };
}

/**
 * Says of each cell whether it can run here, and on how many load containers. A limit that is not known stops nothing.
 *
 * @param {Plan} plan
 * @param {Limits} limits
 * @param {{proxies: Proxy[], services: Record<string, string[]>}} about services: the containers of each profile
 * @returns {Plan} a new one, with `skip` and `loads` of its cells filled in
 * @throws {UserError} when no cell could run: the CPU budget is more than the machine has
 */
export function preflight(plan, limits, { proxies, services }) {
  refuseBudget(plan.proxyCpus, limits.cores);
  const cells = plan.cells.map((cell) => {
    const proxy = proxies.find(({ name }) => name === cell.profile);
    if (!proxy || cell.skip) return cell;
    const needs = needsOf(cell, proxy);
    const skip =
      unableTo(cell, proxy) ??
      unfairBudget(plan.proxyCpus, cell.profile, services[cell.profile] ?? []) ??
      lackOf(needs, limits);
    return { ...cell, skip, loads: Math.max(cell.loads, loadsFor(needs, limits)) };
  });
  return { ...plan, cells };
}

/**
 * @param {number} budget in cores
 * @param {number | null} cores of the machine
 */
function refuseBudget(budget, cores) {
  if (cores === null) return;
  // From 4 cores on, whole ones are the proxy's own, and load and echo server need one each (cpuShares in run/runner.js).
  const most = cores >= 4 && Number.isInteger(budget) ? cores - 2 : cores;
  if (budget <= most) return;
  throw new UserError(
    `a CPU budget of ${count(budget)} cores for the proxy does not fit a machine of ${cores}`,
    `Expected at most ${most}${most < cores ? ": load and echo server need a core each" : ""}. Lower --proxy-cpus, or proxyCpus in the battle's file.`,
    2,
  );
}

/**
 * @param {PlannedCell} cell
 * @param {Proxy} proxy
 */
function unableTo({ scheme }, { name, terminatesTls }) {
  return scheme === "wss" && !terminatesTls ? `${name} does not terminate TLS` : null;
}

/**
 * @param {number} budget
 * @param {string} name
 * @param {string[]} containers
 */
function unfairBudget(budget, name, containers) {
  if (Number.isInteger(budget) || containers.length < 2) return null;
  return `a budget of ${budget} cores would hold for each of the ${containers.length} containers of ${name}; whole cores hold for all together`;
}

/**
 * @param {Needs} needs
 * @param {Limits} limits
 * @returns {string | null} the first thing that is not enough, with both figures
 */
function lackOf({ descriptors, ports, conntrackEntries, memoryBytes }, limits) {
  const { descriptorsPerProcess, availableBytes, portRange } = limits;
  const inAll = descriptors.proxy + descriptors.echo + descriptors.load;
  const freeFiles = minus(limits.fileMax, limits.filesOpen);
  const freeEntries = minus(limits.conntrackMax, limits.conntrackCount);
  const rangeSize = sizeOf(portRange);
  const megabytes = (/** @type {number} */ bytes) => `${count(Math.round(bytes / 2 ** 20))} MiB`;

  // The echo server needs half as many.
  if (exceeds(descriptors.proxy, descriptorsPerProcess))
    return `needs ${count(descriptors.proxy)} descriptors in the proxy, the engine grants ${count(descriptorsPerProcess ?? 0)} a process`;
  if (exceeds(inAll, freeFiles))
    return `needs ${count(inAll)} descriptors in all, the machine has ${count(freeFiles ?? 0)} left (fs.file-max)`;
  if (ports.proxy > rangeSize)
    return `needs ${count(ports.proxy)} ports from the proxy to the echo server, one address has ${count(rangeSize)}`;
  if (exceeds(conntrackEntries, freeEntries))
    return `needs ${count(conntrackEntries)} conntrack entries, ${count(freeEntries ?? 0)} are left (net.netfilter.nf_conntrack_max)`;
  if (exceeds(memoryBytes, availableBytes))
    return `needs ${megabytes(memoryBytes)} of memory, ${megabytes(availableBytes ?? 0)} are available`;
  return null;
}

/**
 * @param {Needs} needs
 * @param {Limits} limits
 * @returns {number} load containers: each has a process and an address of its own
 */
function loadsFor({ descriptors, ports }, { descriptorsPerProcess, portRange }) {
  const byPorts = Math.ceil(ports.load / sizeOf(portRange));
  if (descriptorsPerProcess === null) return byPorts;
  const connections = descriptors.load - OWN_DESCRIPTORS;
  const forConnections = Math.max(1, descriptorsPerProcess - OWN_DESCRIPTORS);
  return Math.max(byPorts, Math.ceil(connections / forConnections));
}

/** @param {Limits["portRange"]} range */
function sizeOf({ from, to }) {
  return to - from + 1;
}

/**
 * @param {number | null} limit
 * @param {number | null} used
 */
function minus(limit, used) {
  return limit === null ? null : limit - (used ?? 0);
}

/**
 * @param {number} needed
 * @param {number | null} limit null: none is known
 */
function exceeds(needed, limit) {
  return limit !== null && needed > limit;
}

/** @param {number} value */
function count(value) {
  return value.toLocaleString("en-US");
}
