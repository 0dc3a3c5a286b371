/**
 * What one cell showed around its event: from the record of that cell alone.
 */
import { median } from "simple-statistics";
import { renews } from "../plan/events.js";

/** @import { CellRecord, Survival } from "../model/cell.ts" */

/**
 * @typedef {object} Course before: at the event; peak: the highest after it; end: at the end of the watch
 * @property {number} before
 * @property {number} peak
 * @property {number} end
 *
 * @typedef {object} CellSurvival
 * @property {number} held connections that were open when the event happened
 * @property {number} endedBefore connections that had ended by then, of themselves
 * @property {number} watchedSeconds from the event to the end of the measured phase
 * @property {Record<number, number>} alive of `held`, so many seconds after the event: those of ALIVE_SECONDS that were watched
 * @property {number} ended of `held`, by the end of the watch
 * @property {Record<string, number>} endedHow the same, by how
 * @property {number} sent messages
 * @property {number} lost messages that were not echoed
 * @property {number | null} silenceMs the longest on a connection that survived; null: none did
 * @property {ProbesSeen} probes from the event on
 * @property {number | null} newGenerationMs until the new configuration first answered; null: it did not, or none was asked for
 * @property {boolean} isOldGeneration a new configuration was asked for, the proxy says which one answers, and it was never the new one
 * @property {Course | null} processes of the proxy; null: they were not read
 * @property {Course | null} memoryBytes of the proxy
 * @property {{before: number, after: number} | null} cores CPU seconds in each of the quiet part, and of the watch
 * @property {OldSeen | null} old processes that the event is to replace; null: none
 *
 * @typedef {object} OldSeen
 * @property {number | null} goneMs when the last of them had ended, after the event; null: some were there at the end of the watch
 * @property {number} atEnd so many
 * @property {number} leaked that were there when nothing was left for them to do: when the load had gone, or where that was not read, at the
 *   end of the watch without a connection
 *
 * @typedef {object} ProbesSeen new handshakes
 * @property {number} asked
 * @property {number} failed
 * @property {number} slow
 * @property {number} failingSeconds seconds in which one failed
 * @property {number} slowSeconds seconds in which one was slow
 * @property {number} lastFailedSeconds end of the last second in which one failed, after the event; 0: none did
 */

/** Connections alive are told so many seconds after an event. */
export const ALIVE_SECONDS = [1, 10, 60];
/** Of the load's counts of ends: one that holds the event counts as after it. */
const BUCKET_MS = 100;
/** An event may begin some time after its quiet part, while what it needs is made ready: so much of a time has to be watched. */
const WATCHED_SHARE = 0.95;

/**
 * @param {Pick<CellRecord, "survival" | "measured">} record
 * @param {number} timeoutSeconds of its scenario: an end by time-out was seen so long after the connection had fallen silent
 * @returns {CellSurvival | null} null: it is no cell of an event, or did not come so far
 */
export function survivalOf({ survival, measured }, timeoutSeconds) {
  if (!survival || !measured || survival.open.length === 0) return null;
  const { eventMs, open } = survival;
  const watchedSeconds = (measured.toMs - eventMs) / 1000;
  const ends = survival.ends
    .map((end) => ({ ...end, atMs: endedAt(end, eventMs, timeoutSeconds) }))
    .filter(({ ms }) => ms <= measured.toMs);
  const before = ends.filter(({ ms }) => ms + BUCKET_MS <= eventMs);
  const after = ends.filter((end) => !before.includes(end));
  const first = open[0];
  const held = first.count - total(before.filter(({ ms }) => ms > first.ms));
  const { probes } = survival;
  const since = probes.filter(({ ms }) => ms + 1000 > eventMs && ms < measured.toMs);
  return {
    held,
    endedBefore: total(before),
    watchedSeconds,
    alive: Object.fromEntries(
      ALIVE_SECONDS.filter((seconds) => WATCHED_SHARE * seconds <= watchedSeconds).map(
        (seconds) => [
          seconds,
          held - total(after.filter(({ atMs }) => atMs <= eventMs + 1000 * seconds)),
        ],
      ),
    ),
    ended: total(after),
    endedHow: byHow(after),
    sent: survival.sent,
    lost: survival.lost,
    silenceMs: held > total(after) ? survival.silenceMs : null,
    probes: probesOf(since, eventMs),
    newGenerationMs: survival.newGenerationMs,
    isOldGeneration:
      renews(survival.event) &&
      survival.generations.length > 0 &&
      survival.newGenerationMs === null,
    processes: courseOf(survival, ({ processes }) => processes),
    memoryBytes: courseOf(survival, ({ memoryBytes }) => memoryBytes),
    cores: coresOf(survival),
    old: oldIn(survival, held - total(after)),
  };
}

/**
 * @param {Survival} survival
 * @param {number} left connections of before the event, at the end of the watch
 * @returns {OldSeen | null}
 */
function oldIn({ oldProcessesGoneMs: goneMs, around, afterwards }, left) {
  if (goneMs === undefined) return null;
  const atEnd = around.at(-1)?.oldProcesses ?? 0;
  return { goneMs, atEnd, leaked: afterwards?.oldProcesses ?? (left === 0 ? atEnd : 0) };
}

/**
 * @param {Survival["ends"][number]} end
 * @param {number} eventMs
 * @param {number} timeoutSeconds
 * @returns {number} ms since 1970, when it was alive no longer
 */
function endedAt({ ms, how }, eventMs, timeoutSeconds) {
  return how === "timeout" && ms > eventMs ? Math.max(eventMs, ms - 1000 * timeoutSeconds) : ms;
}

/** @param {{count: number}[]} counted */
function total(counted) {
  return counted.reduce((sum, { count }) => sum + count, 0);
}

/**
 * @param {Survival["ends"]} ends
 * @returns {Record<string, number>}
 */
function byHow(ends) {
  return Object.fromEntries(
    [...Map.groupBy(ends, ({ how }) => how)].map(([how, own]) => [how, total(own)]),
  );
}

/**
 * @param {Survival["probes"]} probes a second each, from the event on
 * @param {number} eventMs
 * @returns {ProbesSeen}
 */
function probesOf(probes, eventMs) {
  const sum = (/** @type {"asked" | "failed" | "slow"} */ what) =>
    probes.reduce((all, one) => all + one[what], 0);
  const failing = probes.filter(({ failed }) => failed > 0);
  const last = failing.at(-1);
  return {
    asked: sum("asked"),
    failed: sum("failed"),
    slow: sum("slow"),
    failingSeconds: failing.length,
    slowSeconds: probes.filter(({ slow }) => slow > 0).length,
    lastFailedSeconds: last ? (last.ms + 1000 - eventMs) / 1000 : 0,
  };
}

/**
 * @param {Pick<Survival, "around" | "eventMs">} survival
 * @param {(sample: Survival["around"][number]) => number} valueOf
 * @returns {Course | null} null: there is no sample on one side of the event
 */
function courseOf({ around, eventMs }, valueOf) {
  const before = around.filter(({ ms }) => ms <= eventMs).map(valueOf);
  const after = around.filter(({ ms }) => ms > eventMs).map(valueOf);
  const end = after.at(-1);
  if (before.length === 0 || end === undefined) return null;
  return { before: median(before), peak: Math.max(...after), end };
}

/**
 * @param {Pick<Survival, "around" | "eventMs">} survival
 * @returns {CellSurvival["cores"]} null: too few samples
 */
function coresOf({ around, eventMs }) {
  const at = around.findLast(({ ms }) => ms <= eventMs);
  const [first, last] = [around.at(0), around.at(-1)];
  if (!at || !first || !last || at === first || at === last) return null;
  const rate = (/** @type {typeof at} */ from, /** @type {typeof at} */ to) =>
    (to.cpuSeconds - from.cpuSeconds) / ((to.ms - from.ms) / 1000);
  return { before: rate(first, at), after: rate(at, last) };
}
