/**
 * What can be read off one cell's record: sums over containers, counts, times.
 */
import { CONTROL } from "../plan/proxies.js";
import { usageOnce } from "../record/carriers.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { ContainerRecord, MemoryReading, Role } from "../model/container.ts" */
/** @import { Requests } from "../model/load.ts" */

/** Kinds of socket errors of an answer that came all the same: ab's are of a wrong length, wrk's too late. */
const ANSWERED = ["length", "exceptions", "timeout"];

/**
 * @param {Requests} requests
 * @returns {number} answers that are errors, not whole, or too late; an error has another length than the file, too
 */
export function wrongAnswers({
  non2xx,
  socketErrors: { length = 0, exceptions = 0, timeout = 0 },
}) {
  return Math.max(non2xx, length, exceptions) + timeout;
}

/** @param {Requests} requests */
export function socketErrors({ socketErrors }) {
  return Object.values(socketErrors).reduce((sum, n) => sum + n, 0);
}

/**
 * @param {CellRecord} record
 * @returns {number | null} null: it asks nothing over HTTP
 */
export function goodAnswers({ requests }) {
  return requests ? requests.completed - wrongAnswers(requests) : null;
}

/**
 * @param {Requests} requests
 * @returns {{bad: number, asked: number}} bad: wrong answers, and those that never came; asked: with those that came
 */
export function badAnswers(requests) {
  const answered = ANSWERED.reduce((sum, kind) => sum + (requests.socketErrors[kind] ?? 0), 0);
  const unanswered = socketErrors(requests) - answered;
  return { bad: wrongAnswers(requests) + unanswered, asked: requests.completed + unanswered };
}

/**
 * @param {CellRecord} record
 * @returns {number | null} connections open at both edges; null: the scenario does not hold any
 */
export function held({ connectionsHeld }) {
  // Runs that are older than such scenarios do not have it at all.
  return connectionsHeld ? Math.min(connectionsHeld.from, connectionsHeld.to) : null;
}

/**
 * @param {CellRecord} record
 * @returns {number | null | undefined} connections opened in the measured phase; null: they were before it
 */
export function openedInPhase({ connections, connectionsHeld }) {
  return connectionsHeld ? null : connections?.opened;
}

/**
 * @param {CellRecord} record
 * @returns {number | null | undefined} messages on connections that are held, else connections that did all they should; null: nothing was
 *   due
 */
export function achieved({ sends, connections, connectionsHeld, messagesEchoed }) {
  if (!sends) return null;
  return connectionsHeld
    ? messagesEchoed
    : sends.due - sends.dropped - (connections?.failed ?? NaN);
}

/**
 * @param {CellRecord} record
 * @returns {ContainerRecord[]} of the proxy, those with a network of their own: the others' sockets are counted there
 */
export function withNetwork(record) {
  return ofRole(record, "proxy").filter(({ network }) => network);
}

/**
 * @param {Pick<CellRecord, "containers">} record
 * @param {Role} role
 * @returns {ContainerRecord[]}
 */
export function ofRole({ containers }, role) {
  return Object.values(containers).filter((container) => container.role === role);
}

/**
 * @param {ContainerRecord[]} containers
 * @param {(container: ContainerRecord) => number | null | undefined} valueOf
 * @returns {number | null} null: there is no container, or one has no value
 */
export function sumOrNull(containers, valueOf) {
  const values = containers.map(valueOf);
  if (values.length === 0) return null;
  return values.reduce((/** @type {number} */ sum, value) => sum + (value ?? NaN), 0);
}

/**
 * @param {CellRecord} record
 * @param {Role} role
 * @returns {number | null} CPU seconds over the measured phase
 */
export function roleCpu(record, role) {
  return sumOrNull(ofRole(record, role), ({ cpu }) => cpu.totalSeconds);
}

/**
 * @param {CellRecord} record
 * @param {keyof ContainerRecord["cpu"]} part
 * @returns {number} NaN: there is no container
 */
export function proxyCpu(record, part) {
  return sumOrNull(ofRole(record, "proxy"), ({ cpu }) => cpu[part]) ?? NaN;
}

/**
 * @param {CellRecord} record
 * @param {"baseline" | "mean" | "peak"} time
 * @param {keyof MemoryReading} kind
 */
export function memory(record, time, kind) {
  return sumOrNull(ofRole(record, "proxy"), ({ memory }) => memory?.[time][kind]);
}

/** @param {CellRecord} record */
export function growth(record) {
  return difference(memory(record, "peak", "usageBytes"), memory(record, "baseline", "usageBytes"));
}

/** The shortest request: `GET / HTTP/1.0`, its end of line and an empty one. */
export const LEAST_REQUEST_BYTES = 18;

/**
 * Behind the control, and behind one that serves files by itself, a server runs too, and idles.
 *
 * @param {CellRecord} record of HTTP
 * @returns {boolean} the requests, or most of them, went on to the server behind the proxy
 */
export function reachesServer(record) {
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
 * @param {CellRecord} record
 * @returns {import("../model/container.ts").NetworkReading | null} of all of the proxy's networks; null: none could be read
 */
export function proxyNetwork(record) {
  const readings = ofRole(record, "proxy").flatMap(({ network }) => network ?? []);
  if (readings.length === 0) return null;
  return readings.reduce((a, b) => ({
    rxBytes: a.rxBytes + b.rxBytes,
    txBytes: a.txBytes + b.txBytes,
    rxPackets: a.rxPackets + b.rxPackets,
    txPackets: a.txPackets + b.txPackets,
  }));
}

/** @param {CellRecord} record */
export function measuredSeconds({ measured }) {
  return measured && (measured.toMs - measured.fromMs) / 1000;
}

/**
 * @param {CellRecord} record
 * @returns {number | undefined} on all machines together: this program has an agent beside each engine
 */
export function benchSeconds({ machine, machines }) {
  if (!machines) return machine?.benchSeconds;
  return Object.values(machines).reduce((sum, each) => sum + each.benchSeconds, 0);
}

/**
 * @param {CellRecord} record
 * @returns {number | undefined} of all machines together
 */
export function busySeconds({ machine, machines }) {
  if (!machines) return machine?.busySeconds;
  return usageOnce(machines).reduce((sum, each) => sum + each.busySeconds, 0);
}

/** @param {CellRecord} record */
export function machineSeconds(record) {
  return record.machine && record.machine.cores * (measuredSeconds(record) ?? NaN);
}

/** @param {number[] | undefined} counts */
export function busiest(counts = []) {
  return percent(
    Math.max(...counts),
    counts.reduce((sum, count) => sum + count, 0),
  );
}

/**
 * @param {number | null | undefined} a
 * @param {number | null | undefined} b
 */
export function difference(a, b) {
  return (a ?? NaN) - (b ?? NaN);
}

/**
 * @param {number | null | undefined} part
 * @param {number | null | undefined} whole
 * @returns {number} not finite where one is missing or there is nothing to divide by
 */
export function ratio(part, whole) {
  return (part ?? NaN) / (whole ?? NaN);
}

/**
 * @param {number | null | undefined} part
 * @param {number | null | undefined} whole
 */
export function percent(part, whole) {
  return 100 * ratio(part, whole);
}

/**
 * @param {CellRecord} record
 * @param {number | undefined} stalled connections
 * @param {keyof MemoryReading} kind
 * @returns {number | null} what the proxy grew by for each of them; null: not read, or none was stalled
 */
export function perStalled({ slowReaders }, stalled, kind) {
  const memory = slowReaders?.memory;
  if (!memory || !stalled) return null;
  const [quiet, full] = [memory.quiet[kind], memory.stalled[kind]];
  return quiet === null || full === null ? null : (full - quiet) / stalled;
}
