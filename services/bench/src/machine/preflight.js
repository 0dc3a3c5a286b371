/**
 * What each cell needs against what machine and engine give, before anything starts.
 */
import { UserError } from "../errors.js";
import { isFraction, LEAST_CPUS, PERIOD_MICROSECONDS } from "../plan/cpu-budget.js";
import { isOnHostNetwork } from "../plan/network.js";
import { CONTROL } from "../plan/proxies.js";
import { skipped } from "../plan/skips.js";
import {
  connectionsAtATime,
  connectionsInAll,
  schemeName,
  withReference,
  workloadOf,
} from "../plan/workload.js";

/** @import { Plan, PlannedCell, ScenarioDescription, Scheme, Workload } from "../model/plan.ts" */
/** @import { Proxy } from "../plan/proxies.js" */
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
/** Where clients drop their connections, they close first, and then the proxy does towards the echo server: each keeps its port. */
const TIME_WAIT_SECONDS = 60;

/**
 * The kernel spreads connections over the listen sockets of several processes by a hash of their addresses (SO_REUSEPORT), which
 * is as good as chance: a process gets an equal share, and hardly ever more than so many standard deviations above it.
 * Of 10,000 connections over 2 workers, 52 % were the most seen (services/echo/src/worker.js); this allows 52.5 %.
 */
const DEVIATIONS = 5;

/**
 * A connection through a proxy is an entry for each hop, and http-proxy looks up the echo server's name for each: 11,891 entries for
 * 4,000 connections in its namespace, which Docker's DNS gives a table of its own. HAProxy + hitch has three hops over TLS: 12,006.
 * An entry outlives its connection by 120 s (net.netfilter.nf_conntrack_tcp_timeout_time_wait).
 */
const CONNTRACK_ENTRIES = 3;

/**
 * Of the ports towards one destination, the part that is quickly found. The kernel gives connections ports of one parity, and looks through all of
 * those for each further one (net/ipv4/inet_hashtables.c): beyond it nginx and http-proxy, at 400 a second, left 7,600 to 14,400 of
 * 50,000 handshakes waiting for over 30 s, most of their CPU time the kernel's.
 */
const QUICK_PORTS = 0.5;

/** All containers together at 100 connections: k6 up to 270 MB, echo server 110 MB, http-proxy 139 MB, InfluxDB, cAdvisor, runner. */
const BASE_BYTES = 768 * 2 ** 20;
/** k6 has 85 KB for an idle connection, nginx 25 KB; the rest is allowed for the echo server and for proxies written in JavaScript. */
const BYTES_PER_CONNECTION = 256 * 2 ** 10;
/** A message is in k6, proxy and echo server at once, as text and as bytes. */
const COPIES_OF_MESSAGE = 8;

/**
 * Upper bounds.
 *
 * @typedef {object} Needs
 * @property {{proxy: number, echo: number, load: number, inAll: number}} descriptors proxy and echo: of their busiest process; load:
 *   of all its containers together
 * @property {{load: number, proxy: number}} ports towards one destination
 * @property {number} conntrackEntries in the fullest network namespace
 * @property {number} memoryBytes
 */

/**
 * Processes, or threads, that proxy and echo server have: PROXY_WORKERS and ECHO_WORKERS.
 *
 * @typedef {{proxy: number, echo: number}} Workers
 *
 * @param {Workload[]} phases of the cell: the measured one, and its warm-up where there is one
 * @param {Proxy} proxy
 * @param {Workers} workers
 * @returns {Needs}
 */
export function needsOf(phases, { name, processes }, workers) {
  const sum = (/** @type {(phase: Workload) => number} */ of) =>
    phases.reduce((total, phase) => total + of(phase), 0);
  const most = (/** @type {(phase: Workload) => number} */ of) => Math.max(...phases.map(of));
  const all = (/** @type {Workload} */ phase) => withReference(connectionsInAll(phase), phase);
  const inAll = sum(all);
  const atATime = most(connectionsAtATime);
  // The reference proxy has two sides, whatever is measured beside it.
  const besides = most((phase) => withReference(connectionsAtATime(phase), phase)) - atATime;
  const control = name === CONTROL;
  const { serverWorkers = workers.echo } = phases[0];
  const proxyProcesses = control ? serverWorkers : processes === "workers" ? workers.proxy : 1;
  const busiest = processes === "many" ? 0 : busiestOf(atATime, proxyProcesses);
  const sides = control ? 1 : 2;
  const echoConnections = (control ? 0 : atATime) + besides;
  return {
    descriptors: {
      proxy: sides * busiest + OWN_DESCRIPTORS,
      echo: busiestOf(echoConnections, serverWorkers) + OWN_DESCRIPTORS,
      load: atATime + besides + OWN_DESCRIPTORS,
      inAll: sides * atATime + echoConnections + atATime + 3 * besides + 3 * OWN_DESCRIPTORS,
    },
    ports: {
      // Those to the reference proxy have ports of another destination.
      load: atATime + Math.ceil(sum((phase) => waiting(phase, WAITING_AT_LOAD))),
      proxy: control ? 0 : atATime + Math.ceil(sum((phase) => waiting(phase, WAITING_AT_PROXY))),
    },
    conntrackEntries: inAll * CONNTRACK_ENTRIES,
    memoryBytes:
      BASE_BYTES +
      (atATime + besides) * BYTES_PER_CONNECTION +
      most(
        (phase) =>
          withReference(connectionsAtATime(phase), phase) *
          (phase.messageBytes ?? 0) *
          COPIES_OF_MESSAGE,
      ),
  };
}

/**
 * @param {Pick<Plan, "scenarios" | "referenceShare">} plan
 * @param {PlannedCell} cell
 * @returns {Workload[]} of the measured phase, and of the warm-up where there is one
 */
export function phasesOf(plan, { scenario, parameters, warmUp }) {
  return [parameters, ...(warmUp ? [{ ...parameters, ...warmUp }] : [])].map((of) =>
    workloadOf(plan, { scenario, parameters: of }),
  );
}

/**
 * @param {number} connections
 * @param {number} processes
 * @returns {number} of the process that gets most of them
 */
function busiestOf(connections, processes) {
  const equal = connections / processes;
  const deviation = Math.sqrt(equal * (1 - 1 / processes));
  return Math.min(connections, Math.ceil(equal + DEVIATIONS * deviation));
}

/**
 * @param {Workload} phase
 * @param {number} share of connections that end as they should
 * @returns {number} ports in TIME_WAIT
 */
function waiting(phase, share) {
  const { dropsConnections, connectionsPerSecond = Infinity } = phase;
  const inAll = connectionsInAll(phase);
  return dropsConnections
    ? Math.min(inAll, connectionsPerSecond * TIME_WAIT_SECONDS)
    : inAll * share;
}

/**
 * @typedef {object} About
 * @property {Proxy[]} proxies
 * @property {Record<string, string[]>} services the containers of each profile
 * @property {Workers} workers
 * @property {Map<string, string>} [unavailable] why proxies cannot be started here, by name
 * @property {number} [loadMachines] that share the load; left out: there is one machine alone
 * @property {string | null} [noOneBudget] why several containers cannot share a fraction of a core here; null: they can
 */

/**
 * Says of each cell whether it can run here, on how many load containers, and before how many servers. A limit that is not known stops nothing.
 *
 * @param {Plan} plan
 * @param {Limits} limits
 * @param {About} about
 * @returns {Plan} a new one, with `skip`, `loads` and `servers` of its cells filled in
 * @throws {UserError} when no cell could run: the CPU budget is more than the machine has, or less than the kernel grants
 */
export function preflight(plan, limits, about) {
  refuseBudget(plan.proxyCpus, limits.cores);
  return { ...plan, cells: plan.cells.map((cell) => fitted(cell, plan, limits, about)) };
}

/**
 * @param {PlannedCell} cell
 * @param {Plan} plan
 * @param {Limits} limits
 * @param {About} about
 * @returns {PlannedCell} with `skip`, `loads` and `servers` filled in
 */
function fitted(cell, plan, limits, about) {
  const { proxies, services, workers, loadMachines } = about;
  const { noOneBudget = null, unavailable = new Map() } = about;
  const proxy = proxies.find(({ name }) => name === cell.profile);
  if (!proxy || cell.skip) return cell;
  const phases = phasesOf(plan, cell);
  const needs = needsOf(phases, proxy, workers);
  const isOnHost = isOnHostNetwork(phases[0]);
  const portRange = (isOnHost && limits.hostPortRange) || limits.portRange;
  const granted = { ...limits, portRange };
  const loads = Math.max(cell.loads, loadsFor(needs, granted));
  const isSpread = loadMachines !== undefined;
  const canHaveSeveral = proxy.balances && !cell.event && !isOnHost && !isSpread;
  const servers = canHaveSeveral ? serversFor(needs, granted) : 1;
  const skip =
    unavailable.get(proxy.name) ??
    unableTo(cell.scheme, phases, proxy) ??
    unableToShare(phases[0], loads) ??
    (isOnHost && loads > (loadMachines ?? 1) ? oneAddress(loads, granted) : null) ??
    unfairBudget(plan.proxyCpus, cell.profile, services[cell.profile] ?? [], noOneBudget) ??
    lackOfDescriptors(needs, limits, proxy) ??
    lackOf(together(needs, plan.sideBySide ? plan.proxies.length : 1), granted, servers);
  return {
    ...cell,
    ...(skip === null ? { skip } : skipped("unable", skip)),
    ...{ loads, ...(servers > 1 && { servers }) },
  };
}

/**
 * Where the question is what becomes of connections, a number of them that was asked for and cannot be held is a mistake, and no cell that
 * is left out.
 *
 * @param {Plan} plan whose connections were given on the command line, before this machine was looked at
 * @param {Limits} limits
 * @param {About} about
 * @throws {UserError} when a cell cannot hold its connections, with how many all can; exit code 2
 */
export function refuseTooMany(plan, limits, about) {
  for (const cell of plan.cells) {
    const { scenario, parameters, skip } = cell;
    const { compares, parameterNames } = plan.scenarios[scenario];
    const name = parameterNames.connections;
    if (skip !== null || name === undefined || !isAboutConnections(compares)) continue;
    const reasonWith = (/** @type {number} */ connections) =>
      fitted({ ...cell, parameters: { ...parameters, [name]: connections } }, plan, limits, about)
        .skip;
    const reason = reasonWith(parameters[name]);
    if (reason === null || reasonWith(1) !== null) continue;
    throw new UserError(
      `${count(parameters[name])} connections cannot be held: ${cell.id} ${reason}`,
      `Expected at most ${count(mostHeld(reasonWith, parameters[name]))} through ${cell.proxy}: give fewer with --connections, or leave it out of --proxies.`,
      2,
    );
  }
}

/**
 * @param {(connections: number) => string | null} reasonWith null: so many can be held
 * @param {number} tooMany
 * @returns {number} the most
 */
function mostHeld(reasonWith, tooMany) {
  let [most, next] = [1, tooMany];
  while (next - most > 1) {
    const between = Math.floor((most + next) / 2);
    if (reasonWith(between) === null) most = between;
    else next = between;
  }
  return most;
}

/** @param {ScenarioDescription["compares"]} compares */
function isAboutConnections(compares) {
  return compares === "survival" || compares === "storm" || compares === "stalls";
}

/**
 * @param {number} budget in cores
 * @param {number | null} cores of the machine
 */
function refuseBudget(budget, cores) {
  if (isFraction(budget) && budget < LEAST_CPUS) {
    throw new UserError(
      `a CPU budget of ${budget} cores for the proxy cannot be granted: the kernel gives 1 ms at least, and a budget is given every ${PERIOD_MICROSECONDS / 1000} ms`,
      `Expected 0, which is no limit, or ${LEAST_CPUS} at least. Raise --proxy-cpus, or proxyCpus in the battle's file.`,
      2,
    );
  }
  if (cores === null) return;
  // From 4 cores on, whole ones are the proxy's own, and load and echo server need one each (run/cpu-shares.js).
  const most = cores >= 4 && Number.isInteger(budget) ? cores - 2 : cores;
  if (budget <= most) return;
  throw new UserError(
    `a CPU budget of ${count(budget)} cores for the proxy does not fit a machine of ${cores}`,
    `Expected at most ${most}${most < cores ? ": load and echo server need a core each" : ""}. Lower --proxy-cpus, or proxyCpus in the battle's file.`,
    2,
  );
}

/**
 * @param {Scheme} scheme
 * @param {Workload[]} phases
 * @param {Proxy} proxy
 */
function unableTo(scheme, phases, { name, terminatesTls, schemes, maxConnections }) {
  if (scheme === "wss" && !terminatesTls) return `${name} does not terminate TLS`;
  if (!schemes.includes(scheme))
    return `${name} does not serve ${schemeName({ scheme, workload: phases[0] })}`;
  const atATime = Math.max(...phases.map(connectionsAtATime));
  if (exceeds(atATime, maxConnections))
    return `opens ${count(atATime)} connections at a time, ${name} holds at most ${count(maxConnections ?? 0)}`;
  return null;
}

/**
 * @param {Workload} workload
 * @param {number} loads
 */
function unableToShare({ protocol, compares }, loads) {
  if (loads === 1) return null;
  if (isAboutConnections(compares))
    return `needs ${loads} load containers, and what each finds cannot be put together`;
  if (protocol !== "http") return null;
  return `needs ${loads} load containers, and the latencies that a generator of requests reports of each cannot be put together`;
}

/**
 * @param {number} loads
 * @param {Limits} limits
 */
function oneAddress(loads, { portRange: { from, to } }) {
  return `needs ${loads} load containers, which would share one address on the machine's own network, and its ports ${from} to ${to} (net.ipv4.ip_local_port_range)`;
}

/**
 * @param {number} budget
 * @param {string} name
 * @param {string[]} containers
 * @param {string | null} noOneBudget
 */
function unfairBudget(budget, name, containers, noOneBudget) {
  if (!isFraction(budget) || containers.length < 2 || noOneBudget === null) return null;
  return `a budget of ${budget} cores would hold for each of the ${containers.length} containers of ${name}, as the engine does not let them share one (${noOneBudget}); whole cores hold for all together`;
}

/**
 * @param {Needs} needs
 * @param {Limits} limits
 * @param {Proxy} proxy
 * @returns {string | null}
 */
function lackOfDescriptors({ descriptors }, limits, proxy) {
  const { descriptorsPerProcess: granted, softDescriptors } = limits;
  const { processes, descriptorLimit } = proxy;
  const engine = `the engine's hard limit is ${count(granted ?? 0)} a process (soft: ${count(softDescriptors ?? 0)})`;
  const each = processes === "workers" ? "the busiest of its processes" : "its one process";
  if (exceeds(descriptors.proxy, granted))
    return `needs ${count(descriptors.proxy)} descriptors in the proxy, in ${each}; ${engine}`;
  if (exceeds(descriptors.proxy, descriptorLimit))
    return `needs ${count(descriptors.proxy)} descriptors in the proxy, in ${each}; its configuration allows ${count(descriptorLimit ?? 0)} a process`;
  if (exceeds(descriptors.echo, granted))
    return `needs ${count(descriptors.echo)} descriptors in the busiest process of the echo server; ${engine}`;
  return null;
}

/**
 * @param {Needs} needs of a cell
 * @param {number} cells like it, at once
 * @returns {Needs} with what all of them take from the machine; a process' descriptors, ports and conntrack entries are each one's own
 */
function together({ descriptors, memoryBytes, ...own }, cells) {
  return {
    ...own,
    descriptors: { ...descriptors, inAll: cells * descriptors.inAll },
    memoryBytes: cells * memoryBytes,
  };
}

/**
 * @param {Needs} needs
 * @param {Limits} limits
 * @param {number} servers
 * @returns {string | null} the first thing that is not enough, with both figures
 */
function lackOf({ descriptors: { inAll }, ports, conntrackEntries, memoryBytes }, limits, servers) {
  const { availableBytes, portRange } = limits;
  const freeFiles = minus(limits.fileMax, limits.filesOpen);
  const freeEntries = minus(limits.conntrackMax, limits.conntrackCount);
  const rangeSize = sizeOf(portRange);
  const megabytes = (/** @type {number} */ bytes) => `${count(Math.round(bytes / 2 ** 20))} MiB`;

  if (exceeds(inAll, freeFiles))
    return `needs ${count(inAll)} descriptors in all, the machine has ${count(freeFiles ?? 0)} left (fs.file-max)`;
  if (ports.proxy / servers > rangeSize)
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

/**
 * @param {Needs} needs
 * @param {Limits} limits
 * @returns {number} echo servers: each has an address, and with it ports of the proxy, of its own
 */
function serversFor({ ports }, { portRange }) {
  return Math.max(1, Math.ceil(ports.proxy / (QUICK_PORTS * sizeOf(portRange))));
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
