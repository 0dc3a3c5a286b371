/**
 * What can be read off one cell's record: sums over containers, counts, times.
 */
import { CONTROL } from "../plan/proxies.ts";
import { usageOnce } from "../record/carriers.ts";
import type { CellRecord } from "../model/cell.ts";
import type { ContainerRecord, MemoryReading, Role, NetworkReading } from "../model/container.ts";
import type { Requests } from "../model/load.ts";

/**
 * Kinds of socket errors of an answer that still came: ab's are of a wrong length, wrk's too
 * late.
 */
const ANSWERED = ["length", "exceptions", "timeout"];

/**
 * @returns answers that are errors, not whole, or too late; an error has another length than the
 *   file, too
 */
function wrongAnswers({
  non2xx,
  socketErrors: { length = 0, exceptions = 0, timeout = 0 },
}: Requests): number {
  return Math.max(non2xx, length, exceptions) + timeout;
}

export function socketErrors({ socketErrors }: Requests) {
  return Object.values(socketErrors).reduce((sum, n) => sum + n, 0);
}

/** @returns null: it asks nothing over HTTP */
export function goodAnswers({ requests }: CellRecord): number | null {
  return requests ? requests.completed - wrongAnswers(requests) : null;
}

/** @returns bad: wrong answers, and those that never came; asked: with those that came */
export function badAnswers(requests: Requests): { bad: number; asked: number } {
  const answered = ANSWERED.reduce((sum, kind) => sum + (requests.socketErrors[kind] ?? 0), 0);
  const unanswered = socketErrors(requests) - answered;
  return { bad: wrongAnswers(requests) + unanswered, asked: requests.completed + unanswered };
}

/** @returns connections open at both edges; null: the scenario does not hold any */
export function held({ connectionsHeld }: CellRecord): number | null {
  // Runs that are older than such scenarios do not have it at all.
  return connectionsHeld ? Math.min(connectionsHeld.from, connectionsHeld.to) : null;
}

/** @returns connections opened in the measured phase; null: they were before it */
export function openedInPhase({
  connections,
  connectionsHeld,
}: CellRecord): number | null | undefined {
  return connectionsHeld ? null : connections?.opened;
}

/**
 * @returns messages on held connections, otherwise connections that did all they should; null:
 *   nothing was due
 */
export function achieved({
  sends,
  connections,
  connectionsHeld,
  messagesEchoed,
}: CellRecord): number | null | undefined {
  if (!sends) return null;
  return connectionsHeld
    ? messagesEchoed
    : sends.due - sends.dropped - (connections?.failed ?? NaN);
}

/**
 * @returns of the proxy, those with a network of their own: the others' sockets are counted there
 */
export function withNetwork(record: CellRecord): ContainerRecord[] {
  return ofRole(record, "proxy").filter(({ network }) => network);
}

export function ofRole(
  { containers }: Pick<CellRecord, "containers">,
  role: Role,
): ContainerRecord[] {
  return Object.values(containers).filter((container) => container.role === role);
}

/** @returns null: there is no container, or one has no value */
export function sumOrNull(
  containers: ContainerRecord[],
  valueOf: (container: ContainerRecord) => number | null | undefined,
): number | null {
  const values = containers.map(valueOf);
  if (values.length === 0) return null;
  return values.reduce((sum: number, value) => sum + (value ?? NaN), 0);
}

/** @returns CPU seconds over the measured phase */
export function roleCpu(record: CellRecord, role: Role): number | null {
  return sumOrNull(ofRole(record, role), ({ cpu }) => cpu.totalSeconds);
}

/** @returns NaN: there is no container */
export function proxyCpu(record: CellRecord, part: keyof ContainerRecord["cpu"]): number {
  return sumOrNull(ofRole(record, "proxy"), ({ cpu }) => cpu[part]) ?? NaN;
}

export function memory(
  record: CellRecord,
  time: "baseline" | "mean" | "peak",
  kind: keyof MemoryReading,
) {
  return sumOrNull(ofRole(record, "proxy"), ({ memory }) => memory?.[time][kind]);
}

export function growth(record: CellRecord) {
  return difference(memory(record, "peak", "usageBytes"), memory(record, "baseline", "usageBytes"));
}

/** The shortest request: `GET / HTTP/1.0`, its end of line and an empty one. */
export const LEAST_REQUEST_BYTES = 18;

/**
 * Behind the control, and behind one that serves files by itself, a server runs too, and idles.
 *
 * @param record of HTTP
 * @returns the requests, or most of them, went on to the server behind the proxy
 */
export function reachesServer(record: CellRecord): boolean {
  const { requests, proxy } = record;
  const servers = ofRole(record, "echo");
  if (proxy === CONTROL || servers.length === 0) return false;
  const received = sumOrNull(servers, ({ network }) => network?.rxBytes) ?? NaN;
  // Not counted: take it for a proxy, as most are.
  if (!requests || Number.isNaN(received)) return true;
  return received >= 0.5 * LEAST_REQUEST_BYTES * (goodAnswers(record) ?? 0);
}

/**
 * Containers that share a network have its counters once: the others have null.
 *
 * @returns of all of the proxy's networks; null: none could be read
 */
export function proxyNetwork(record: CellRecord): NetworkReading | null {
  const readings = ofRole(record, "proxy").flatMap(({ network }) => network ?? []);
  if (readings.length === 0) return null;
  return readings.reduce((a, b) => ({
    rxBytes: a.rxBytes + b.rxBytes,
    txBytes: a.txBytes + b.txBytes,
    rxPackets: a.rxPackets + b.rxPackets,
    txPackets: a.txPackets + b.txPackets,
  }));
}

export function measuredSeconds({ measured }: CellRecord) {
  return measured && (measured.toMs - measured.fromMs) / 1000;
}

/** @returns on all machines together: this program has an agent beside each engine */
export function benchSeconds({ machine, machines }: CellRecord): number | undefined {
  if (!machines) return machine?.benchSeconds;
  return Object.values(machines).reduce((sum, each) => sum + each.benchSeconds, 0);
}

/** @returns of all machines together */
export function busySeconds({ machine, machines }: CellRecord): number | undefined {
  if (!machines) return machine?.busySeconds;
  return usageOnce(machines).reduce((sum, each) => sum + each.busySeconds, 0);
}

export function machineSeconds(record: CellRecord) {
  return record.machine && record.machine.cores * (measuredSeconds(record) ?? NaN);
}

export function busiest(counts: number[] | undefined = []) {
  return percent(
    Math.max(...counts),
    counts.reduce((sum, count) => sum + count, 0),
  );
}

export function difference(a: number | null | undefined, b: number | null | undefined) {
  return (a ?? NaN) - (b ?? NaN);
}

/** @returns not finite where one is missing or there is nothing to divide by */
export function ratio(part: number | null | undefined, whole: number | null | undefined): number {
  return (part ?? NaN) / (whole ?? NaN);
}

export function percent(part: number | null | undefined, whole: number | null | undefined) {
  return 100 * ratio(part, whole);
}

/**
 * @param stalled connections
 * @returns what the proxy grew by for each of them; null: not read, or none was stalled
 */
export function perStalled(
  { slowReaders }: CellRecord,
  stalled: number | undefined,
  kind: keyof MemoryReading,
): number | null {
  const memory = slowReaders?.memory;
  if (!memory || !stalled) return null;
  const [quiet, full] = [memory.quiet[kind], memory.stalled[kind]];
  return quiet === null || full === null ? null : (full - quiet) / stalled;
}
