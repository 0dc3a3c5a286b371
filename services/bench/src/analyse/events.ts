/**
 * What becomes of connections at an event on a proxy.
 */
import { median } from "simple-statistics";
import type { Comparison, Estimate, Extra, JudgedCell } from "../model/comparison.ts";
import { flag } from "../model/flag.ts";
import type { Flag } from "../model/flag.ts";
import { EVENTS, NOTHING } from "../plan/events.ts";
import type { Survival } from "../model/cell.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import { medianOf } from "../statistics/index.ts";
import { survivalOf } from "./event-cells.ts";
import type { CellSurvival } from "./event-cells.ts";
import { medianAndRange, mostFirst, ownMeasure, shareOf, valueOf } from "./figures.ts";
import { compare, settingsComparing, shareByEvent, sum } from "./happenings.ts";
import type { Row } from "./happenings.ts";

interface Happened {
  recorded: Survival;
  seen: CellSurvival;
}

/** @param cells every attempt at cells of events */
export function events(results: Results, cells: JudgedCell[]): Comparison[] {
  const happened = ({ record, workload }: JudgedCell): Happened[] => {
    const seen = survivalOf(record, workload.timeoutSeconds ?? 0);
    return seen && record.survival ? [{ seen, recorded: record.survival }] : [];
  };
  return settingsComparing(results, "survival").flatMap(({ planned, ...setting }) =>
    eventsOf(results, planned).flatMap((event) =>
      compare(EVENTS[event]?.repeat ? [...EVENT_ROWS, ...REPEATED_ROWS] : EVENT_ROWS, {
        results,
        cells,
        setting: { ...setting, planned: planned.filter((cell) => eventOf(cell) === event) },
        event,
        seenIn: happened,
        flagsOf: (question, own) => eventFlags(question, event, own),
      }),
    ),
  );
}

const EVENT_ROWS: Row<Happened>[] = [
  {
    question: "lost",
    measure: ownMeasure("lost", "Connections lost", "%", "share"),
    of: (all) => {
      const old = oldProcesses(all);
      const own = shareByEvent(
        all,
        ({ seen }) => seen.ended,
        ({ seen }) => seen.held,
      );
      return {
        ...own,
        extra: {
          ...own.extra,
          causes: mostFirst(all.map(({ seen }) => seen.endedHow)),
          steps: all[0].recorded.steps.map(({ ms, what }) => ({
            seconds: (ms - all[0].recorded.eventMs) / 1000,
            what,
          })),
          around: around(all),
          ...(old && { outcome: old.outcome }),
        },
      };
    },
  },
  {
    question: "kept",
    measure: {
      ...ownMeasure("kept", "Events that kept every connection", "%", "share"),
      better: "higher",
    },
    of: (all) =>
      shareOf(
        sum(all, ({ seen }) => seen.times.kept),
        sum(all, ({ seen }) => seen.times.all),
      ),
  },
  {
    question: "again",
    measure: ownMeasure("again_ms", "Until new connections succeeded again", "ms", "time"),
    of: (all) => {
      const times = all.map(({ seen }) => seen.probes.againMs);
      return times.includes(null) ? { extra: { outcome: "not-again" } } : medianAndRange(times);
    },
  },
  {
    question: "failed",
    measure: ownMeasure("failed", "New connections failed", "", "count"),
    of: (all) => ({
      ...medianAndRange(all.map(({ seen }) => seen.probes.failed)),
      extra: {
        count: sum(all, ({ seen }) => seen.probes.failed),
        of: sum(all, ({ seen }) => seen.probes.asked),
        causes: mostFirst(all.map(({ recorded }) => recorded.probesFailedByCause)),
      },
    }),
  },
  {
    question: "slow",
    measure: ownMeasure("slow", "New connections that were slow", "", "count"),
    of: (all) => medianAndRange(all.map(({ seen }) => seen.probes.slow)),
  },
  {
    question: "messages-lost",
    measure: ownMeasure("messages_lost", "Messages lost", "%", "share"),
    of: (all) =>
      shareByEvent(
        all,
        ({ seen }) => seen.lost,
        ({ seen }) => seen.sent,
      ),
  },
  {
    question: "silence",
    measure: ownMeasure("silence_ms", "Longest silence of a surviving connection", "ms", "time"),
    of: (all) => {
      const known = all.flatMap(({ seen }) => seen.silenceMs ?? []);
      return { estimate: valueOf(known.length > 0 ? Math.max(...known) : null) };
    },
  },
  {
    question: "newcomers",
    measure: {
      ...ownMeasure("newcomers", "New connections sent to a new backend", "%", "share"),
      better: "higher",
    },
    of: (all) => {
      const told = all.filter(({ recorded: { echoShare = [] } }) =>
        echoShare.some(({ isNew }) => isNew),
      );
      const connections = (some: NonNullable<Survival["echoShare"]>) =>
        sum(some, (one) => one.connections);
      return shareByEvent(
        told,
        ({ recorded: { echoShare = [] } }) => connections(echoShare.filter(({ isNew }) => isNew)),
        ({ recorded: { echoShare = [] } }) => connections(echoShare),
      );
    },
  },
  {
    question: "added-share",
    isSpecial: true,
    measure: ownMeasure("added_share_s", "Until a new backend held 90 % of its share", "s", "time"),
    of: (all) => {
      const known = withServers(all);
      if (known.length === 0) return {};
      const times = known.map(({ servers: { fairMs } }) => fairMs && fairMs / 1000);
      const addedPercent = curve(known, ({ servers }) => servers.addedPercent, median);
      const isReached = !times.includes(null);
      return {
        ...(isReached && medianAndRange(times)),
        extra: { around: { addedPercent }, ...(!isReached && { outcome: "not-again" }) },
      };
    },
  },
  {
    question: "imbalance",
    isSpecial: true,
    measure: ownMeasure("imbalance_times", "Fullest backend at the end", "times", "share"),
    of: (all) => medianAndRange(withServers(all).map(({ servers }) => servers.imbalance)),
  },
  {
    question: "new-configuration",
    measure: ownMeasure(
      "new_configuration_ms",
      "Until the new configuration answered",
      "ms",
      "time",
    ),
    of: (all) => ({
      estimate: medianAndMost(all.flatMap(({ seen }) => seen.newGenerationMs ?? [])),
    }),
  },
  {
    question: "old-processes",
    measure: ownMeasure("old_processes_s", "Until the old processes had ended", "s", "time"),
    of: (all) => {
      const old = oldProcesses(all);
      return { estimate: old?.gone ?? null, extra: old ? { outcome: old.outcome } : {} };
    },
  },
  {
    question: "event-memory",
    measure: ownMeasure("event_memory_times", "Highest memory after the event", "times", "memory"),
    of: (all) => {
      const known = all.flatMap(({ seen }) => seen.memoryBytes ?? []);
      const times = known
        .filter(({ before }) => before > 0)
        .map(({ before, peak }) => peak / before);
      return { estimate: valueOf(medianOf(times)) };
    },
  },
  {
    question: "event-cpu",
    measure: ownMeasure("event_cpu_cores", "CPU after the event", "cores", "cpu"),
    of: (all) => {
      const known = all.flatMap(({ seen }) => seen.cores ?? []);
      if (known.length === 0) return {};
      const [from, to] = [
        median(known.map(({ before }) => before)),
        median(known.map(({ after }) => after)),
      ];
      return { estimate: valueOf(to), extra: { from, to } };
    },
  },
];

/** Of an event that happens several times in a cell. */
const REPEATED_ROWS: Row<Happened>[] = [
  {
    question: "most-old",
    measure: ownMeasure("most_old_processes", "Most old processes at once", "", "count"),
    of: (all) =>
      medianAndRange(
        all.map(({ recorded: { around: readings } }) =>
          Math.max(...readings.map(({ oldProcesses }) => oldProcesses)),
        ),
      ),
  },
  {
    question: "event-cpu-seconds",
    measure: ownMeasure("event_cpu_seconds", "CPU time from the first event on", "s", "cpu"),
    of: (all) => medianAndRange(all.flatMap(({ seen }) => seen.cores?.seconds ?? [])),
  },
];

/** What weakens the answer to one question about an event. */
function eventFlags(question: string, event: string, cells: JudgedCell[]): Flag[] {
  if (question === "lost" && EVENTS[event]?.steps.some((step) => step.do === "kill-worker"))
    return [flag("one-process", "note", {})];
  if (question !== "again") return [];
  const restarted = cells.filter(({ record }) => wasStartedAgain(record));
  const proxies = [...new Set(restarted.map(({ record }) => record.proxy))];
  const isBySecond = cells.some(({ record }) => record.survival && !record.survival.probeRuns);
  return [
    ...(proxies.length > 0 ? [flag("engine-restart", "weak", { proxies })] : []),
    ...(isBySecond ? [flag("by-second", "weak", {})] : []),
  ];
}

/** A container of a proxy had a second life in an event that a supervisor is there for. */
function wasStartedAgain({ containers, survival }: JudgedCell["record"]): boolean {
  if (!survival || !EVENTS[survival.event]?.supervised) return false;
  return Object.keys(containers).some(
    (name) => /-2$/.test(name) && name.slice(0, -2) in containers,
  );
}

function medianAndMost(values: number[]): Estimate | null {
  if (values.length === 0) return null;
  return { value: median(values), low: null, high: Math.max(...values), basis: "range" };
}

/**
 * Processes that an event is to replace. gone: all had ended; stayed: some were there at the end
 * of the watch, and none when the load had gone; leaked: some were there with nothing left to do.
 */
function oldProcesses(all: Happened[]): { outcome: string; gone: Estimate | null } | null {
  const replaced = all.flatMap(({ seen }) => seen.old ?? []);
  if (replaced.length === 0) return null;
  if (replaced.some(({ leaked }) => leaked > 0)) return { outcome: "leaked", gone: null };
  if (replaced.some(({ goneMs }) => goneMs === null)) return { outcome: "stayed", gone: null };
  return {
    outcome: "gone",
    gone: medianAndMost(replaced.map(({ goneMs }) => (goneMs ?? 0) / 1000)),
  };
}

/** Cells of events in which a server was added. */
function withServers(all: Happened[]) {
  return all.flatMap(({ seen: { servers }, recorded }) =>
    servers && recorded.echoShare?.some(({ isNew }) => isNew) ? [{ servers, recorded }] : [],
  );
}

/** By whole seconds around the event. */
function curve<T extends Pick<Happened, "recorded">>(
  all: T[],
  pointsOf: (one: T) => { ms: number; value: number }[],
  how: (values: number[]) => number,
): [seconds: number, value: number][] {
  const points = all.flatMap((one) =>
    pointsOf(one).map(({ ms, value }) => ({
      seconds: Math.round((ms - one.recorded.eventMs) / 1000),
      value,
    })),
  );
  return [...Map.groupBy(points, ({ seconds }) => seconds)]
    .map(([seconds, own]): [number, number] => [seconds, how(own.map(({ value }) => value))])
    .sort(([a], [b]) => a - b);
}

function around(all: Happened[]): NonNullable<Extra["around"]> {
  return {
    openPercent: curve(
      all,
      ({ recorded, seen }) =>
        seen.held === 0
          ? []
          : recorded.open.map(({ ms, count }) => ({ ms, value: (100 * count) / seen.held })),
      median,
    ),
    failedPercent: curve(
      all,
      ({ recorded }) =>
        recorded.probes
          .filter(({ asked }) => asked > 0)
          .map(({ ms, asked, failed }) => ({ ms, value: (100 * failed) / asked })),
      (values) => sum(values, (value) => value) / values.length,
    ),
    memoryBytes: curve(
      all,
      ({ recorded }) => recorded.around.map(({ ms, memoryBytes }) => ({ ms, value: memoryBytes })),
      median,
    ),
  };
}

function eventOf({ event = NOTHING }: Pick<PlannedCell, "event">): string {
  return event;
}

/** Nothing first, then in the battle's order. */
function eventsOf({ plan }: Results, planned: PlannedCell[]): string[] {
  const names = new Set(planned.map(eventOf));
  const ordered = new Set([NOTHING, ...Object.keys(plan.events ?? {}), ...names]);
  return [...ordered].filter((name) => names.has(name));
}
