/**
 * What each cell needs against what machine and engine give, before anything starts.
 */
import { UserError } from "../errors.ts";
import { isFraction, LEAST_CPUS, PERIOD_MICROSECONDS } from "../plan/cpu-budget.ts";
import { isOnHostNetwork } from "../plan/network.ts";
import { CONTROL } from "../plan/proxies.ts";
import { skipped } from "../plan/skips.ts";
import {
  connectionsAtATime,
  connectionsInAll,
  schemeName,
  withReference,
  workloadOf,
} from "../plan/workload.ts";
import type { Plan, PlannedCell, ScenarioDescription, Scheme, Workload } from "../model/plan.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Limits } from "./limits.ts";

/**
 * Descriptors of a process beside those of the load: listeners, epoll, pipes, InfluxDB, idle
 * upstream connections. k6 has 10.
 */
const OWN_DESCRIPTORS = 200;

/**
 * A closed connection keeps its port for 60 s (TIME_WAIT) on the side that closed first, and only
 * on the connecting side does that take one away. WebSocket servers close first (RFC 6455, 7.1.1).
 * Of 4,000 connections, counted in each container's namespace: at most 29 % at k6 and 5 % at a
 * proxy towards the echo server; http-proxy and HAProxy had the most. Doubled, and counted as if
 * all came within 60 s. Linux reuses such a port early only on loopback (net.ipv4.tcp_tw_reuse=2,
 * the default).
 */
const WAITING_AT_LOAD = 0.6;
const WAITING_AT_PROXY = 0.1;
/**
 * Where clients drop their connections, they close first, and then the proxy does towards the echo
 * server: each keeps its port.
 */
const TIME_WAIT_SECONDS = 60;

/**
 * The kernel spreads connections over the listen sockets of several processes by a hash of their
 * addresses (SO_REUSEPORT), which is as good as chance: a process gets an equal share, and hardly
 * ever more than this many standard deviations above it. Of 10,000 connections over 2 workers, 52 %
 * were the most seen (services/echo/src/worker.js); this allows 52.5 %.
 */
const DEVIATIONS = 5;

/**
 * A connection through a proxy is an entry for each hop, and http-proxy looks up the echo server's
 * name for each: 11,891 entries for 4,000 connections in its namespace, which Docker's DNS gives a
 * table of its own. HAProxy + hitch has three hops over TLS: 12,006. An entry outlives its
 * connection by 120 s (net.netfilter.nf_conntrack_tcp_timeout_time_wait).
 */
const CONNTRACK_ENTRIES = 3;

/**
 * Of the ports towards one destination, the part that is quickly found. The kernel gives
 * connections ports of one parity, and looks through all of those for each further one
 * (net/ipv4/inet_hashtables.c): beyond it nginx and http-proxy, at 400 per second, left 7,600 to
 * 14,400 of 50,000 handshakes waiting for over 30 s, most of their CPU time the kernel's.
 */
const QUICK_PORTS = 0.5;

/**
 * All containers together at 100 connections: k6 up to 270 MB, echo server 110 MB, http-proxy 139
 * MB, InfluxDB, cAdvisor, runner.
 */
const BASE_BYTES = 768 * 2 ** 20;
/**
 * k6 has 85 KB for an idle connection, nginx 25 KB; the rest is allowed for the echo server and for
 * proxies written in JavaScript.
 */
const BYTES_PER_CONNECTION = 256 * 2 ** 10;
/** A message is in k6, proxy and echo server at once, as text and as bytes. */
const COPIES_OF_MESSAGE = 8;

/** Upper bounds. */
interface Needs {
  /** proxy and echo: of their busiest process; load: of all its containers together */
  descriptors: { proxy: number; echo: number; load: number; inAll: number };
  /** towards one destination */
  ports: { load: number; proxy: number };
  /** in the fullest network namespace */
  conntrackEntries: number;
  memoryBytes: number;
}

/** Processes, or threads, that proxy and echo server have: PROXY_WORKERS and ECHO_WORKERS. */
export type Workers = { proxy: number; echo: number };

/** @param phases of the cell: the measured one, and its warm-up where there is one */
export function needsOf(phases: Workload[], { name, processes }: Proxy, workers: Workers): Needs {
  const sum = (of: (phase: Workload) => number) =>
    phases.reduce((total, phase) => total + of(phase), 0);
  const most = (of: (phase: Workload) => number) => Math.max(...phases.map(of));
  const all = (phase: Workload) => withReference(connectionsInAll(phase), phase);
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

/** @returns of the measured phase, and of the warm-up where there is one */
export function phasesOf(
  plan: Pick<Plan, "scenarios" | "referenceShare">,
  { scenario, parameters, warmUp }: PlannedCell,
): Workload[] {
  return [parameters, ...(warmUp ? [{ ...parameters, ...warmUp }] : [])].map((of) =>
    workloadOf(plan, { scenario, parameters: of }),
  );
}

/** @returns of the process that gets most of them */
function busiestOf(connections: number, processes: number): number {
  const equal = connections / processes;
  const deviation = Math.sqrt(equal * (1 - 1 / processes));
  return Math.min(connections, Math.ceil(equal + DEVIATIONS * deviation));
}

/**
 * @param share of connections that end as they should
 * @returns ports in TIME_WAIT
 */
function waiting(phase: Workload, share: number): number {
  const { dropsConnections, connectionsPerSecond = Infinity } = phase;
  const inAll = connectionsInAll(phase);
  return dropsConnections
    ? Math.min(inAll, connectionsPerSecond * TIME_WAIT_SECONDS)
    : inAll * share;
}

interface About {
  proxies: Proxy[];
  /** the containers of each profile */
  services: Record<string, string[]>;
  workers: Workers;
  /** why proxies cannot be started here, by name */
  unavailable?: Map<string, string>;
  /** that share the load; left out: there is one machine alone */
  loadMachines?: number;
  /** why several containers cannot share a fraction of a core here; null: they can */
  noOneBudget?: string | null;
}

/**
 * Says of each cell whether it can run here, on how many load containers, and before how many
 * servers. A limit that is not known stops nothing.
 *
 * @returns a new one, with `skip`, `loads` and `servers` of its cells filled in
 * @throws {UserError} when no cell could run: the CPU budget is more than the machine has, or less
 *   than the kernel grants
 */
export function preflight(plan: Plan, limits: Limits, about: About): Plan {
  refuseBudget(plan.proxyCpus, limits.cores);
  return { ...plan, cells: plan.cells.map((cell) => fitted(cell, plan, limits, about)) };
}

/** @returns with `skip`, `loads` and `servers` filled in */
function fitted(cell: PlannedCell, plan: Plan, limits: Limits, about: About): PlannedCell {
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
 * Where the question is what becomes of connections, a number of them that was asked for and cannot
 * be held is a mistake, and no cell that is left out.
 *
 * @param plan whose connections were given on the command line, before this machine was looked at
 * @throws {UserError} when a cell cannot hold its connections, with how many all can; exit code 2
 */
export function refuseTooMany(plan: Plan, limits: Limits, about: About) {
  for (const cell of plan.cells) {
    const { scenario, parameters, skip } = cell;
    const { compares, parameterNames } = plan.scenarios[scenario];
    const name = parameterNames.connections;
    if (skip !== null || name === undefined || !isAboutConnections(compares)) continue;
    const reasonWith = (connections: number) =>
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
 * @param reasonWith null: this many can be held
 * @returns the most
 */
function mostHeld(reasonWith: (connections: number) => string | null, tooMany: number): number {
  let [most, next] = [1, tooMany];
  while (next - most > 1) {
    const between = Math.floor((most + next) / 2);
    if (reasonWith(between) === null) most = between;
    else next = between;
  }
  return most;
}

function isAboutConnections(compares: ScenarioDescription["compares"]) {
  return compares === "survival" || compares === "storm" || compares === "stalls";
}

/**
 * @param budget in cores
 * @param cores of the machine
 */
function refuseBudget(budget: number, cores: number | null) {
  if (isFraction(budget) && budget < LEAST_CPUS) {
    throw new UserError(
      `a CPU budget of ${budget} cores for the proxy cannot be granted: the kernel grants at least 1 ms, and a budget is granted every ${PERIOD_MICROSECONDS / 1000} ms`,
      `Expected 0, which is no limit, or at least ${LEAST_CPUS}. Raise --proxy-cpus, or proxyCpus in the battle's file.`,
      2,
    );
  }
  if (cores === null) return;
  // From 4 cores on, whole ones are the proxy's own, and load and echo server need one each
  // (run/cpu-shares.ts).
  const most = cores >= 4 && Number.isInteger(budget) ? cores - 2 : cores;
  if (budget <= most) return;
  throw new UserError(
    `a CPU budget of ${count(budget)} cores for the proxy does not fit a machine of ${cores}`,
    `Expected at most ${most}${most < cores ? ": load and echo server need a core each" : ""}. Lower --proxy-cpus, or proxyCpus in the battle's file.`,
    2,
  );
}

function unableTo(
  scheme: Scheme,
  phases: Workload[],
  { name, terminatesTls, schemes, maxConnections }: Proxy,
) {
  if (scheme === "wss" && !terminatesTls) return `${name} does not terminate TLS`;
  if (!schemes.includes(scheme))
    return `${name} does not serve ${schemeName({ scheme, workload: phases[0] })}`;
  const atATime = Math.max(...phases.map(connectionsAtATime));
  if (exceeds(atATime, maxConnections))
    return `opens ${count(atATime)} connections at a time, ${name} holds at most ${count(maxConnections ?? 0)}`;
  return null;
}

function unableToShare({ protocol, compares }: Workload, loads: number) {
  if (loads === 1) return null;
  if (isAboutConnections(compares))
    return `needs ${loads} load containers, and their results cannot be combined`;
  if (protocol !== "http") return null;
  return `needs ${loads} load containers, and the latencies that a generator of requests reports cannot be combined`;
}

function oneAddress(loads: number, { portRange: { from, to } }: Limits) {
  return `needs ${loads} load containers, which would share one address on the machine's own network, and its ports ${from} to ${to} (net.ipv4.ip_local_port_range)`;
}

function unfairBudget(
  budget: number,
  name: string,
  containers: string[],
  noOneBudget: string | null,
) {
  if (!isFraction(budget) || containers.length < 2 || noOneBudget === null) return null;
  return `a budget of ${budget} cores would apply to each of the ${containers.length} containers of ${name}, because the engine does not let them share one (${noOneBudget}); whole cores apply to all together`;
}

function lackOfDescriptors({ descriptors }: Needs, limits: Limits, proxy: Proxy): string | null {
  const { descriptorsPerProcess: granted, softDescriptors } = limits;
  const { processes, descriptorLimit } = proxy;
  const engine = `the engine's hard limit is ${count(granted ?? 0)} per process (soft: ${count(softDescriptors ?? 0)})`;
  const each = processes === "workers" ? "the busiest of its processes" : "its one process";
  if (exceeds(descriptors.proxy, granted))
    return `needs ${count(descriptors.proxy)} descriptors in the proxy, in ${each}; ${engine}`;
  if (exceeds(descriptors.proxy, descriptorLimit))
    return `needs ${count(descriptors.proxy)} descriptors in the proxy, in ${each}; its configuration allows ${count(descriptorLimit ?? 0)} per process`;
  if (exceeds(descriptors.echo, granted))
    return `needs ${count(descriptors.echo)} descriptors in the busiest process of the echo server; ${engine}`;
  return null;
}

/**
 * @param needs of a cell
 * @param cells like it, at once
 * @returns with what all of them take from the machine; a process' descriptors, ports and conntrack
 *   entries are each one's own
 */
function together({ descriptors, memoryBytes, ...own }: Needs, cells: number): Needs {
  return {
    ...own,
    descriptors: { ...descriptors, inAll: cells * descriptors.inAll },
    memoryBytes: cells * memoryBytes,
  };
}

/** @returns the first thing that is not enough, with both figures */
function lackOf(
  { descriptors: { inAll }, ports, conntrackEntries, memoryBytes }: Needs,
  limits: Limits,
  servers: number,
): string | null {
  const { availableBytes, portRange } = limits;
  const freeFiles = minus(limits.fileMax, limits.filesOpen);
  const freeEntries = minus(limits.conntrackMax, limits.conntrackCount);
  const rangeSize = sizeOf(portRange);
  const megabytes = (bytes: number) => `${count(Math.round(bytes / 2 ** 20))} MiB`;

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

/** @returns load containers: each has a process and an address of its own */
function loadsFor(
  { descriptors, ports }: Needs,
  { descriptorsPerProcess, portRange }: Limits,
): number {
  const byPorts = Math.ceil(ports.load / sizeOf(portRange));
  if (descriptorsPerProcess === null) return byPorts;
  const connections = descriptors.load - OWN_DESCRIPTORS;
  const forConnections = Math.max(1, descriptorsPerProcess - OWN_DESCRIPTORS);
  return Math.max(byPorts, Math.ceil(connections / forConnections));
}

/** @returns echo servers: each has an address, and with it ports of the proxy, of its own */
function serversFor({ ports }: Needs, { portRange }: Limits): number {
  return Math.max(1, Math.ceil(ports.proxy / (QUICK_PORTS * sizeOf(portRange))));
}

function sizeOf({ from, to }: Limits["portRange"]) {
  return to - from + 1;
}

function minus(limit: number | null, used: number | null) {
  return limit === null ? null : limit - (used ?? 0);
}

/** @param limit null: none is known */
function exceeds(needed: number, limit: number | null) {
  return limit !== null && needed > limit;
}

function count(value: number) {
  return value.toLocaleString("en-US");
}
