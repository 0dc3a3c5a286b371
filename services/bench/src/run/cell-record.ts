/**
 * From what was read of a cell to its record. Nothing here touches an engine.
 */
import { difference } from "../platform/counters.ts";
import { openIn, workersBetween } from "./echo-workers.ts";
import { memoryOf } from "./samples.ts";
import type { Reading } from "../platform/counters.ts";
import type { CellRecord, Judgement, Probe } from "../model/cell.ts";
import type { ContainerRecord, SocketReading } from "../model/container.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { HostUsage, MeasuredContainer, Moment } from "./measured-containers.ts";
import type { PhaseReadings } from "./measured-phase.ts";

export interface CellReadings {
  /** the load was started */
  before: Moment;
  phase: PhaseReadings;
  /** settleSeconds after the load had ended */
  after?: Moment;
}

/** @returns of a cell of which nothing is known yet */
export function newRecord(
  { id, round, proxy, scenario, scheme, parameters }: PlannedCell,
  attempt: number,
  loadCores: number,
): CellRecord {
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

export function measuredPart(
  readings: CellReadings,
  containers: MeasuredContainer[],
  { holdsConnections }: { holdsConnections: boolean },
): Pick<
  CellRecord,
  "measured" | "machine" | "machines" | "containers" | "echoWorkers" | "connectionsHeld" | "course"
> {
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

/** @returns machines: {}: there is one machine alone */
function usageOfMachines(
  first: Moment,
  last: Moment,
  { containers, records }: { containers: MeasuredContainer[]; records: CellRecord["containers"] },
): Pick<CellRecord, "machine" | "machines"> {
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
  // A part of it may stand beside the server, in that one's network. On the machines' own network
  // all share one.
  const carrier = proxies.find(({ sharesNetwork }) => !sharesNetwork) ?? proxies[0];
  return { machine: machines[carrier?.machine ?? ""], machines };
}

/** @param ours CPU time of all that this benchmark started there, in s */
function machineBetween(
  first: HostUsage,
  last: HostUsage,
  ours: number,
): NonNullable<CellRecord["machine"]> {
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

/** @returns CPU time of this program there, in s */
function benchBetween(first: HostUsage, last: HostUsage): number {
  return last.benchSeconds - first.benchSeconds;
}

function total(values: number[]) {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * @returns of the proxy, all its containers together; nothing unless sockets were read in between
 */
function courseOf(
  { first, samples, openSockets }: PhaseReadings,
  containers: MeasuredContainer[],
): Pick<CellRecord, "course"> {
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
    const sumOf = (key: "usageBytes" | "rssBytes") =>
      own.reduce((sum, all) => sum + all.reduce((part, one) => part + one[key], 0) / all.length, 0);
    const open = (key: "tcpInUse" | "descriptors") =>
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

/** @returns null: one of them is */
function sumOrNull(values: (number | null)[]): number | null {
  return values.reduce(
    (sum: number | null, one) => (sum === null || one === null ? null : sum + one),
    0,
  );
}

/**
 * @param record of a load at one rate
 * @returns what a probe keeps of it
 */
export function probed(record: CellRecord): Omit<Probe, "rate" | keyof Judgement> {
  const { startedAt, measured, connections, connectionsHeld, messagesEchoed, reference } = record;
  const { sends, totalSeconds, handshakeMs, echoLatencyMs, containers, machine, machines } = record;
  return {
    ...{ startedAt, measured, connections, connectionsHeld, messagesEchoed, reference },
    ...{ sends, totalSeconds, handshakeMs, echoLatencyMs, containers, machine },
    ...(machines && { machines }),
  };
}

/**
 * The echo server counts all connections that are open, and behind a proxy those of the reference
 * proxy are among them.
 *
 * @param about isControl: the proxy's place is taken by an echo server of its own
 * @returns those of the proxy
 */
export function heldThrough(
  { connectionsHeld, reference }: Pick<CellRecord, "connectionsHeld" | "reference">,
  { isControl }: { isControl: boolean },
): CellRecord["connectionsHeld"] {
  if (!connectionsHeld || !reference || isControl) return connectionsHeld;
  const { from, to } = connectionsHeld;
  const { connections, held = connections } = reference;
  return { from: from - held, to: to - held };
}

function containerRecord(
  { before, phase, after }: CellReadings,
  { name, role, image, sharesNetwork, machine }: MeasuredContainer,
): ContainerRecord {
  const { first, last, samples } = phase;
  const end = last.containers[name];
  // One that was started in the phase has used all of it there.
  const { cpu, network } = difference(first.containers[name] ?? unused(end), end);
  const sockets = (moment: Moment) => socketsOf(moment.sockets[name], sharesNetwork);
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

/** @returns of the same container when it started */
function unused(reading: Reading): Reading {
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

/** @returns without TCP sockets that are another container's */
function socketsOf(reading: SocketReading, sharesNetwork: boolean): SocketReading {
  if (!sharesNetwork) return reading;
  return { ...reading, tcpInUse: null, tcpTimeWait: null, tcpCloseWait: null };
}

/** @returns the first one that was held back by a CPU limit; null: none was */
export function throttledIn(
  containers: CellRecord["containers"],
): { name: string; seconds: number } | null {
  for (const [name, { cpu }] of Object.entries(containers))
    if (cpu.throttledSeconds > 0) return { name, seconds: cpu.throttledSeconds };
  return null;
}
