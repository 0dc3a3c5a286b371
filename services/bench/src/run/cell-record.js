/**
 * From what was read of a cell to its record. Nothing here touches an engine.
 */
import { difference } from "../platform/counters.js";
import { openIn, workersBetween } from "./echo-workers.js";
import { memoryOf } from "./samples.js";

/** @import { Reading } from "../platform/counters.js" */
/** @import { CellRecord, Judgement, Probe } from "../model/cell.ts" */
/** @import { ContainerRecord, SocketReading } from "../model/container.ts" */
/** @import { PlannedCell } from "../model/plan.ts" */
/** @import { HostUsage, MeasuredContainer, Moment } from "./measured-containers.js" */
/** @import { PhaseReadings } from "./measured-phase.js" */

/**
 * @typedef {object} CellReadings
 * @property {Moment} before the load was started
 * @property {PhaseReadings} phase
 * @property {Moment} [after] settleSeconds after the load had ended
 */

/**
 * @param {PlannedCell} cell
 * @param {number} attempt
 * @param {number} loadCores
 * @returns {CellRecord} of a cell of which nothing is known yet
 */
export function newRecord({ id, round, proxy, scenario, scheme, parameters }, attempt, loadCores) {
  return {
    schema: 1,
    id,
    attempt,
    status: "ok",
    cause: null,
    round,
    proxy,
    scenario,
    scheme,
    parameters,
    startedAt: new Date().toISOString(),
    phases: {},
    measured: null,
    connections: null,
    connectionsHeld: null,
    messagesEchoed: null,
    reference: null,
    sends: null,
    totalSeconds: null,
    handshakeMs: null,
    echoLatencyMs: null,
    requests: null,
    requestMs: null,
    containers: {},
    echoWorkers: null,
    tls: null,
    machine: null,
    loadCores,
  };
}

/**
 * @param {CellReadings} readings
 * @param {MeasuredContainer[]} containers
 * @param {{holdsConnections: boolean}} workload
 * @returns {Pick<CellRecord, "measured" | "machine" | "machines" | "containers" | "echoWorkers" | "connectionsHeld" | "course">}
 */
export function measuredPart(readings, containers, { holdsConnections }) {
  const { first, last, echoWorkers } = readings.phase;
  const records = Object.fromEntries(
    containers
      .filter(({ name }) => name in last.containers)
      .map((container) => [container.name, containerRecord(readings, container)]),
  );
  return {
    measured: { fromMs: first.ms, toMs: last.ms },
    ...usageOfMachines(first, last, { containers, records }),
    containers: records,
    echoWorkers: echoWorkers && workersBetween(echoWorkers.first, echoWorkers.last),
    connectionsHeld:
      echoWorkers && holdsConnections
        ? { from: openIn(echoWorkers.first), to: openIn(echoWorkers.last) }
        : null,
    ...courseOf(readings.phase, containers),
  };
}

/**
 * @param {Moment} first
 * @param {Moment} last
 * @param {{containers: MeasuredContainer[], records: CellRecord["containers"]}} about
 * @returns {Pick<CellRecord, "machine" | "machines">} machines: {}: there is one machine alone
 */
function usageOfMachines(first, last, { containers, records }) {
  const all = Object.values(records);
  if (!first.machines || !last.machines) {
    const ours = total(all.map(({ cpu }) => cpu.totalSeconds)) + benchBetween(first, last);
    return { machine: machineBetween(first, last, ours) };
  }
  const { machines: from } = first;
  const to = Object.entries(last.machines);
  const machines = Object.fromEntries(
    to.map(([name, end]) => {
      // Where several engines are on one machine, each of them counts what runs on the others.
      const same = to.filter(
        ([other, { boot }]) => other === name || (typeof boot === "string" && boot === end.boot),
      );
      const names = same.map(([other]) => other);
      const used = all.filter(({ machine = "" }) => names.includes(machine));
      const ours =
        total(used.map(({ cpu }) => cpu.totalSeconds)) +
        total(same.map(([other, usage]) => benchBetween(from[other], usage)));
      const others = names.filter((other) => other !== name);
      return [
        name,
        {
          ...machineBetween(from[name], end, ours),
          ...(others.length > 0 && { sameMachineAs: others }),
        },
      ];
    }),
  );
  const proxies = containers.filter(({ role }) => role === "proxy");
  // A part of it may stand beside the server, in that one's network. On the machines' own network all share one.
  const carrier = proxies.find(({ sharesNetwork }) => !sharesNetwork) ?? proxies[0];
  return { machine: machines[carrier?.machine ?? ""], machines };
}

/**
 * @param {HostUsage} first
 * @param {HostUsage} last
 * @param {number} ours CPU time of all that this benchmark started there, in s
 * @returns {NonNullable<CellRecord["machine"]>}
 */
function machineBetween(first, last, ours) {
  const busySeconds = last.machine.busySeconds - first.machine.busySeconds;
  return {
    cores: last.machine.cores,
    busySeconds,
    stealSeconds: last.machine.stealSeconds - first.machine.stealSeconds,
    // The machine counts in ticks of 10 ms, the cgroups in nanoseconds.
    foreignSeconds: Math.max(0, busySeconds - ours),
    benchSeconds: benchBetween(first, last),
  };
}

/**
 * @param {HostUsage} first
 * @param {HostUsage} last
 * @returns {number} CPU time of this program there, in s
 */
function benchBetween(first, last) {
  return last.benchSeconds - first.benchSeconds;
}

/** @param {number[]} values */
function total(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * @param {PhaseReadings} phase
 * @param {MeasuredContainer[]} containers
 * @returns {Pick<CellRecord, "course">} of the proxy, all its containers together; nothing unless sockets were read in between
 */
function courseOf({ first, samples, openSockets }, containers) {
  if (openSockets.length === 0) return {};
  const proxies = containers.filter(({ role }) => role === "proxy");
  const start = samples[0].reading.atMs;
  const inProxy = proxies.map(({ name }) =>
    samples
      .filter(({ service }) => service === name)
      .map(({ reading: { atMs, memory } }) => ({ seconds: (atMs - start) / 1000, ...memory })),
  );
  // Else all of them share the machine's, and nobody counts what is theirs.
  const isCounted = proxies.some(({ sharesNetwork }) => !sharesNetwork);
  const ends = openSockets.map(({ ms }) => (ms - first.ms) / 1000);
  const course = openSockets.map(({ sockets }, i) => {
    const from = ends[i - 1] ?? 0;
    const own = inProxy
      .map((all) => all.filter(({ seconds }) => seconds >= from && seconds < ends[i]))
      .filter(({ length }) => length > 0);
    const sumOf = (/** @type {"usageBytes" | "rssBytes"} */ key) =>
      own.reduce((sum, all) => sum + all.reduce((part, one) => part + one[key], 0) / all.length, 0);
    const open = (/** @type {"tcpInUse" | "descriptors"} */ key) =>
      sumOrNull(
        proxies.map(({ name, sharesNetwork }) => {
          const reading = sockets[name] && socketsOf(sockets[name], sharesNetwork);
          // Those are the other container's.
          return isCounted && sharesNetwork && key === "tcpInUse" ? 0 : (reading?.[key] ?? null);
        }),
      );
    return {
      seconds: Math.round(ends[i]),
      usageBytes: Math.round(sumOf("usageBytes")),
      rssBytes: Math.round(sumOf("rssBytes")),
      tcpInUse: open("tcpInUse"),
      descriptors: open("descriptors"),
    };
  });
  return { course };
}

/**
 * @param {(number | null)[]} values
 * @returns {number | null} null: one of them is
 */
function sumOrNull(values) {
  return values.reduce(
    (/** @type {number | null} */ sum, one) => (sum === null || one === null ? null : sum + one),
    0,
  );
}

/**
 * @param {CellRecord} record of a load at one rate
 * @returns {Omit<Probe, "rate" | keyof Judgement>} what a probe keeps of it
 */
export function probed(record) {
  const { startedAt, measured, connections, connectionsHeld, messagesEchoed, reference } = record;
  const { sends, totalSeconds, handshakeMs, echoLatencyMs, containers, machine, machines } = record;
  return {
    ...{ startedAt, measured, connections, connectionsHeld, messagesEchoed, reference },
    ...{ sends, totalSeconds, handshakeMs, echoLatencyMs, containers, machine },
    ...(machines && { machines }),
  };
}

/**
 * The echo server counts all connections that are open, and behind a proxy those of the reference proxy are among them.
 *
 * @param {Pick<CellRecord, "connectionsHeld" | "reference">} record
 * @param {{isControl: boolean}} about isControl: the proxy's place is taken by an echo server of its own
 * @returns {CellRecord["connectionsHeld"]} those of the proxy
 */
export function heldThrough({ connectionsHeld, reference }, { isControl }) {
  if (!connectionsHeld || !reference || isControl) return connectionsHeld;
  const { from, to } = connectionsHeld;
  return { from: from - reference.connections, to: to - reference.connections };
}

/**
 * @param {CellReadings} readings
 * @param {MeasuredContainer} container
 * @returns {ContainerRecord}
 */
function containerRecord({ before, phase, after }, { name, role, image, sharesNetwork, machine }) {
  const { first, last, samples } = phase;
  const end = last.containers[name];
  // One that was started in the phase has used all of it there.
  const { cpu, network } = difference(first.containers[name] ?? unused(end), end);
  const sockets = (/** @type {Moment} */ moment) => socketsOf(moment.sockets[name], sharesNetwork);
  return {
    role,
    image,
    ...(machine !== undefined && { machine }),
    cpu,
    network: sharesNetwork ? null : network,
    memory: memoryOf(samples, name, {
      before: before.containers[name],
      after: after?.containers[name],
    }),
    sockets:
      name in last.sockets && name in first.sockets && name in before.sockets
        ? {
            baseline: sockets(before),
            from: sockets(first),
            to: sockets(last),
            after: after && name in after.sockets ? sockets(after) : null,
          }
        : null,
  };
}

/**
 * @param {Reading} reading
 * @returns {Reading} of the same container when it started
 */
function unused(reading) {
  const { cpu, network } = reading;
  return {
    ...reading,
    cpu: {
      userSeconds: 0,
      systemSeconds: 0,
      totalSeconds: 0,
      throttledSeconds: cpu.throttledSeconds && 0,
      throttledPeriods: cpu.throttledPeriods && 0,
    },
    network: network && { rxBytes: 0, txBytes: 0, rxPackets: 0, txPackets: 0 },
  };
}

/**
 * @param {SocketReading} reading
 * @param {boolean} sharesNetwork
 * @returns {SocketReading} without TCP sockets that are another container's
 */
function socketsOf(reading, sharesNetwork) {
  if (!sharesNetwork) return reading;
  return { ...reading, tcpInUse: null, tcpTimeWait: null, tcpCloseWait: null };
}

/**
 * @param {CellRecord["containers"]} containers
 * @returns {{name: string, seconds: number} | null} the first one that was held back by a CPU limit; null: none was
 */
export function throttledIn(containers) {
  for (const [name, { cpu }] of Object.entries(containers))
    if (cpu.throttledSeconds > 0) return { name, seconds: cpu.throttledSeconds };
  return null;
}
