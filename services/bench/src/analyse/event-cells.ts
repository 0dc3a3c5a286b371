/**
 * What one cell showed around its event: from the record of that cell alone.
 */
import { median } from "simple-statistics";
import { renews } from "../plan/events.ts";
import type { CellRecord, Survival } from "../model/cell.ts";

/** before: at the event; peak: the highest after it; end: at the end of the watch */
interface Course {
  before: number;
  peak: number;
  end: number;
}

export interface CellSurvival {
  /** connections that were open when the event happened */
  held: number;
  /** connections that had ended by then, of themselves */
  endedBefore: number;
  /** from the event to the end of the measured phase */
  watchedSeconds: number;
  /** of `held`, so many seconds after the event: those of ALIVE_SECONDS that were watched */
  alive: Record<number, number>;
  /** of `held`, by the end of the watch */
  ended: number;
  /** the same, by how */
  endedHow: Record<string, number>;
  /** messages */
  sent: number;
  /** messages that were not echoed */
  lost: number;
  /** the longest on a connection that survived; null: none did */
  silenceMs: number | null;
  /** from the event on */
  probes: ProbesSeen;
  /** until the new configuration first answered; null: it did not, or none was asked for */
  newGenerationMs: number | null;
  /**
   * a new configuration was asked for, the proxy says which one answers, and it was never the
   * new one
   */
  isOldGeneration: boolean;
  /** of the proxy; null: they were not read */
  processes: Course | null;
  /** of the proxy */
  memoryBytes: Course | null;
  /** CPU seconds in each of the quiet part, and of the watch */
  cores: { before: number; after: number } | null;
  /** processes that the event is to replace; null: none */
  old: OldSeen | null;
}

interface OldSeen {
  /**
   * when the last of them had ended, after the event; null: some were there at the end of the
   * watch
   */
  goneMs: number | null;
  /** so many */
  atEnd: number;
  /**
   * that were there when nothing was left for them to do: when the load had gone, or where that
   * was not read, at the end of the watch without a connection
   */
  leaked: number;
}

/** new handshakes */
interface ProbesSeen {
  asked: number;
  failed: number;
  slow: number;
  /** seconds in which one failed */
  failingSeconds: number;
  /** seconds in which one was slow */
  slowSeconds: number;
  /** end of the last second in which one failed, after the event; 0: none did */
  lastFailedSeconds: number;
}

/** Connections alive are told so many seconds after an event. */
export const ALIVE_SECONDS = [1, 10, 60];
/** Of the load's counts of ends: one that holds the event counts as after it. */
const BUCKET_MS = 100;
/**
 * An event may begin some time after its quiet part, while what it needs is made ready: so much of
 * a time has to be watched.
 */
const WATCHED_SHARE = 0.95;

/**
 * @param timeoutSeconds of its scenario: an end by time-out was seen so long after the connection
 *   had fallen silent
 * @returns null: it is no cell of an event, or did not come so far
 */
export function survivalOf(
  { survival, measured }: Pick<CellRecord, "survival" | "measured">,
  timeoutSeconds: number,
): CellSurvival | null {
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

/** @param left connections of before the event, at the end of the watch */
function oldIn(
  { oldProcessesGoneMs: goneMs, around, afterwards }: Survival,
  left: number,
): OldSeen | null {
  if (goneMs === undefined) return null;
  const atEnd = around.at(-1)?.oldProcesses ?? 0;
  return { goneMs, atEnd, leaked: afterwards?.oldProcesses ?? (left === 0 ? atEnd : 0) };
}

/** @returns ms since 1970, when it was alive no longer */
function endedAt(
  { ms, how }: Survival["ends"][number],
  eventMs: number,
  timeoutSeconds: number,
): number {
  return how === "timeout" && ms > eventMs ? Math.max(eventMs, ms - 1000 * timeoutSeconds) : ms;
}

function total(counted: { count: number }[]) {
  return counted.reduce((sum, { count }) => sum + count, 0);
}

function byHow(ends: Survival["ends"]): Record<string, number> {
  return Object.fromEntries(
    [...Map.groupBy(ends, ({ how }) => how)].map(([how, own]) => [how, total(own)]),
  );
}

/** @param probes a second each, from the event on */
function probesOf(probes: Survival["probes"], eventMs: number): ProbesSeen {
  const sum = (what: "asked" | "failed" | "slow") =>
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

/** @returns null: there is no sample on one side of the event */
function courseOf(
  { around, eventMs }: Pick<Survival, "around" | "eventMs">,
  valueOf: (sample: Survival["around"][number]) => number,
): Course | null {
  const before = around.filter(({ ms }) => ms <= eventMs).map(valueOf);
  const after = around.filter(({ ms }) => ms > eventMs).map(valueOf);
  const end = after.at(-1);
  if (before.length === 0 || end === undefined) return null;
  return { before: median(before), peak: Math.max(...after), end };
}

/** @returns null: too few samples */
function coresOf({ around, eventMs }: Pick<Survival, "around" | "eventMs">): CellSurvival["cores"] {
  const at = around.findLast(({ ms }) => ms <= eventMs);
  const [first, last] = [around.at(0), around.at(-1)];
  if (!at || !first || !last || at === first || at === last) return null;
  const rate = (from: typeof at, to: typeof at) =>
    (to.cpuSeconds - from.cpuSeconds) / ((to.ms - from.ms) / 1000);
  return { before: rate(first, at), after: rate(at, last) };
}
