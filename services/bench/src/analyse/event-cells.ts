/**
 * What one cell showed around its event: from the record of that cell alone.
 */
import { median } from "simple-statistics";
import { EVENTS, renews } from "../plan/events.ts";
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
  /** of `held`, this many seconds after the event: those of ALIVE_SECONDS that were watched */
  alive: Record<number, number>;
  /** of `held`, by the end of the watch */
  ended: number;
  /** the same, by how */
  endedHow: Record<string, number>;
  /** times that the event happened while one was open, and those of them that kept every connection */
  times: { all: number; kept: number };
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
  /** CPU seconds in each of the quiet part, and of the watch; and in all of that */
  cores: { before: number; after: number; seconds: number } | null;
  /** processes that the event is to replace; null: none */
  old: OldSeen | null;
  /** behind the proxy; null: one alone, or an earlier record */
  servers: ServersSeen | null;
}

interface ServersSeen {
  /** of all open connections those to servers that the event added, over seconds after it */
  addedPercent: { ms: number; value: number }[];
  /**
   * until those had FAIR_SHARE of an equal share; null: not by the end of the watch, or none was
   * added
   */
  fairMs: number | null;
  /** what the fullest holds at the end of the watch, to the mean of all */
  imbalance: number;
}

interface OldSeen {
  /**
   * when the last of them had ended, after the event; null: some were there at the end of the
   * watch
   */
  goneMs: number | null;
  /** this many */
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
  /**
   * from the event, or the begin of a later outage, to the echo of the first of GOOD_IN_A_ROW, ms;
   * 0: all were good; null: there were no such ones by the end of the watch
   */
  againMs: number | null;
  /** an earlier record has no single ones, but counts per second */
  isBySecond: boolean;
}

/** due at once, or of an earlier record within a second; echoedMs: of the first of a run */
type Asked = Survival["probes"][number] & { echoedMs?: number | null };

/**
 * New connections succeed again at the first of this many in a row whose echoes came in time: how
 * long it is looked on does not matter.
 */
const GOOD_IN_A_ROW = 20;
/** Of an earlier record's counts. */
const SECOND_MS = 1000;
/** Of what an added server would hold if all held the same. */
const FAIR_SHARE = 0.9;
/** Connections alive are counted this many seconds after an event. */
export const ALIVE_SECONDS = [1, 10, 60];
/** Of the load's counts of ends: one that holds the event counts as after it. */
const BUCKET_MS = 100;
/**
 * An event may begin some time after its quiet part, while its preparations run: this share of a
 * time has to be watched.
 */
const WATCHED_SHARE = 0.95;

/**
 * @param timeoutSeconds of its scenario: a time-out shows this long after the connection
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
    times: timesOf(survival, after, held > total(after)),
    sent: survival.sent,
    lost: survival.lost,
    silenceMs: held > total(after) ? survival.silenceMs : null,
    probes: probesOf(survival, measured.toMs),
    newGenerationMs: survival.newGenerationMs,
    isOldGeneration:
      renews(survival.event) &&
      survival.generations.length > 0 &&
      survival.newGenerationMs === null,
    processes: courseOf(survival, ({ processes }) => processes),
    memoryBytes: courseOf(survival, ({ memoryBytes }) => memoryBytes),
    cores: coresOf(survival),
    old: oldIn(survival, held - total(after)),
    servers: serversIn(survival),
  };
}

function serversIn({ echoShare = [], eventMs }: Survival): ServersSeen | null {
  const readings = Map.groupBy(
    echoShare.flatMap(({ isNew, open = [] }) => open.map((one) => ({ ...one, isNew }))),
    ({ ms }) => ms,
  );
  const added = echoShare.filter(({ isNew }) => isNew).length;
  // Where one did not answer, or was not known yet, shares are not known.
  const whole = [...readings.entries()].filter(
    ([ms, own]) => own.length === echoShare.length - (ms <= eventMs ? added : 0) && total(own) > 0,
  );
  const [lastMs, last] = whole.at(-1) ?? [0, []];
  if (lastMs <= eventMs) return null;
  const addedPercent = whole.map(([ms, own]) => ({
    ms,
    value: (100 * total(own.filter(({ isNew }) => isNew))) / total(own),
  }));
  const fair = (FAIR_SHARE * 100 * added) / echoShare.length;
  const reached = addedPercent.find(({ ms, value }) => ms > eventMs && value >= fair);
  return {
    addedPercent,
    fairMs: added > 0 && reached ? reached.ms - eventMs : null,
    imbalance: (Math.max(...last.map(({ count }) => count)) * last.length) / total(last),
  };
}

/**
 * @param left connections of before the event, at the end of the watch
 * @returns null: the event replaced no process
 */
function oldIn(survival: Survival, left: number): OldSeen | null {
  const { oldProcessesGoneMs: goneMs, around, afterwards } = survival;
  if (goneMs === undefined || (goneMs === null && isKept(survival))) return null;
  const atEnd = around.at(-1)?.oldProcesses ?? 0;
  return { goneMs, atEnd, leaked: afterwards?.oldProcesses ?? (left === 0 ? atEnd : 0) };
}

/** A proxy that keeps its processes: none has gone, and no other has come, so they do its work. */
function isKept({ eventMs, around, afterwards }: Survival): boolean {
  const readings = [...around, ...(afterwards ? [afterwards] : [])];
  const before = readings.findLast(({ ms }) => ms <= eventMs);
  const since = readings.filter(({ ms }) => ms > eventMs);
  return since.every(
    ({ processes, oldProcesses }) =>
      processes === before?.processes && oldProcesses === since[0].oldProcesses,
  );
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

/** An end counts to the last repetition that had started by then. */
function timesOf({ event, eventMs }: Survival, after: { atMs: number }[], isAnyLeft: boolean) {
  const { times, everySeconds } = EVENTS[event]?.repeat ?? { times: 1, everySeconds: 1 };
  const lossy = after.map(({ atMs }) => {
    const time = Math.floor((atMs - eventMs) / (1000 * everySeconds));
    return Math.min(Math.max(time, 0), times - 1);
  });
  const all = isAnyLeft || lossy.length === 0 ? times : Math.max(...lossy) + 1;
  return { all, kept: all - new Set(lossy).size };
}

/** Of those that were due from the event on. */
function probesOf({ probes, probeRuns, eventMs }: Survival, toMs: number): ProbesSeen {
  // A second counts from the event on if most of it came after.
  const asked = probeRuns
    ? probeRuns.flatMap(singly).filter(({ ms }) => ms >= eventMs)
    : probes.filter(({ ms }) => ms + SECOND_MS / 2 > eventMs);
  const since = asked.filter(({ ms }) => ms < toMs);
  const sum = (what: "asked" | "failed" | "slow") => since.reduce((all, one) => all + one[what], 0);
  return {
    asked: sum("asked"),
    failed: sum("failed"),
    slow: sum("slow"),
    againMs: againOf(since, eventMs),
    isBySecond: !probeRuns,
  };
}

/** They were due at even intervals. */
function singly(run: NonNullable<Survival["probeRuns"]>[number]): Asked[] {
  const { ms, lastMs, count, what, echoedMs } = run;
  return Array.from({ length: count }, (_, i) => ({
    ms: count > 1 ? ms + (i * (lastMs - ms)) / (count - 1) : ms,
    asked: 1,
    failed: what === "failed" ? 1 : 0,
    slow: what === "slow" ? 1 : 0,
    ...(i === 0 && { echoedMs }),
  }));
}

/** An outage may begin late: where as many succeeded before it, it counts from its own begin. */
function againOf(probes: Asked[], eventMs: number): ProbesSeen["againMs"] {
  let fromMs: number | null = null;
  let first: Asked | null = null;
  let good = 0;
  for (const probe of probes) {
    if (probe.failed + probe.slow > 0) {
      fromMs ??= good >= GOOD_IN_A_ROW ? probe.ms : eventMs;
      [first, good] = [null, 0];
      continue;
    }
    first ??= probe;
    good += probe.asked;
    if (fromMs !== null && good >= GOOD_IN_A_ROW) return (first.echoedMs ?? first.ms) - fromMs;
  }
  return fromMs === null ? 0 : null;
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
  const seconds = last.cpuSeconds - at.cpuSeconds;
  return { before: rate(first, at), after: rate(at, last), seconds };
}
