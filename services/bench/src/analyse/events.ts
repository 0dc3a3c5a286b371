/**
 * What becomes of connections when something happens to them: an event on a proxy, a storm of
 * reconnects, clients that stop reading. Counts of all repetitions together, other figures medians
 * over them; no comparison of costs sees these cells.
 */
import { median } from "simple-statistics";
import type {
  Comparison,
  Estimate,
  Extra,
  Figure,
  JudgedCell,
  Measure,
  Missing,
  Setting,
} from "../model/comparison.ts";
import { flag } from "../model/flag.ts";
import type { Flag } from "../model/flag.ts";
import { EVENTS, NOTHING } from "../plan/events.ts";
import { CONTROL } from "../plan/proxies.ts";
import { kindIn, skipKindOf } from "../plan/skips.ts";
import type { SkipKind } from "../plan/skips.ts";
import { without, workloadOf } from "../plan/workload.ts";
import type { Survival } from "../model/cell.ts";
import type { Meaning, PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import { medianOf } from "../statistics/index.ts";
import { survivalOf } from "./event-cells.ts";
import type { CellSurvival } from "./event-cells.ts";
import {
  comparison,
  figure,
  medianAndRange,
  mostFirst,
  ownMeasure,
  shareOf,
  valueOf,
} from "./figures.ts";
import { LEAST_ROUNDS } from "./ranking.ts";
import { perStalled } from "./readings.ts";
import { compareSettings, once, reasonsOf, settingKey } from "./settings.ts";

type Told = Partial<Pick<Figure, "estimate" | "rounds" | "toControl" | "extra">>;

/** One measure of what happened: from the counted cells of one proxy. */
interface Row<Seen> {
  question: string;
  measure: Measure;
  of: (seen: Seen[], control: Seen[]) => Told;
  /** Few events, or no earlier record, have it: why a proxy has no figure is no comparison. */
  isSpecial?: true;
}

interface Planned extends Setting {
  planned: PlannedCell[];
}

interface Happened {
  recorded: Survival;
  seen: CellSurvival;
}

/** How long an event is looked on before and after it makes no other setting. */
const LOOK: Meaning[] = ["quietSeconds", "watchSeconds", "timeoutSeconds"];

/** @param cells every attempt at cells of events */
export function events(results: Results, cells: JudgedCell[]): Comparison[] {
  const happened = ({ record, workload }: JudgedCell): Happened[] => {
    const seen = survivalOf(record, workload.timeoutSeconds ?? 0);
    return seen && record.survival ? [{ seen, recorded: record.survival }] : [];
  };
  return settingsComparing(results, "survival", LOOK).flatMap(({ planned, ...setting }) =>
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

function sum<T>(all: T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

/**
 * What one process or server carried shares its fate: the unit is the event, and counts of all of
 * them together stand beside it without an interval.
 */
function shareByEvent<T>(all: T[], count: (one: T) => number, of: (one: T) => number): Told {
  const known = all.filter((one) => of(one) > 0);
  if (known.length === 0) return {};
  return {
    ...medianAndRange(
      known.map((one) => (100 * count(one)) / of(one)),
      "events",
    ),
    extra: { count: sum(known, count), of: sum(known, of) },
  };
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

/** Of the load's counts of those that are back. */
const BUCKET_MS = 100;

/**
 * How long all take to come back when all were cut at once. Without a proxy it takes as long as
 * this machine and its generator need: what is no slower says nothing about the proxy.
 */
export function storms(results: Results, cells: JudgedCell[]): Comparison[] {
  return settingsComparing(results, "storm").flatMap((setting) =>
    compare(STORM_ROWS, {
      results,
      cells,
      setting,
      seenIn: (cell) =>
        cell.record.storm && cell.record.connections
          ? [{ cell, ...cell.record.storm, cut: cell.record.connections.opened }]
          : [],
    }),
  );
}

type Storm = NonNullable<JudgedCell["record"]["storm"]> & { cell: JudgedCell; cut: number };

const STORM_ROWS: Row<Storm>[] = [
  {
    question: "storm",
    measure: ownMeasure("back_ms_p99", "Until 99 % are back", "ms", "time"),
    of: (all, control) => {
      const own = medianAndRange(all.map(({ backMs }) => backMs.p99));
      const bound = medianAndRange(control.map(({ backMs }) => backMs.p99));
      const toControl =
        own.estimate && bound.estimate && bound.estimate.value > 0
          ? own.estimate.value / bound.estimate.value
          : null;
      // With fewer, two that are equal lie apart too often: of 2 and 2 one time in three.
      const isTold = Math.min(own.rounds.length, bound.rounds.length) >= LEAST_ROUNDS;
      const isSlower = Number(own.estimate?.low) > Number(bound.estimate?.high);
      return {
        ...own,
        toControl: valueOf(toControl),
        extra: {
          causes: mostFirst(all.map(({ failedByCause }) => failedByCause)),
          around: { back: backOver(all) },
          ...(toControl !== null && isTold && { relation: isSlower ? "worse" : "same" }),
        },
      };
    },
  },
  ...(["p50", "p100"] as const).map((part): Row<Storm> => ({
    question: "storm",
    measure: ownMeasure(
      `back_ms_${part}`,
      part === "p50" ? "Until half are back" : "Until all are back",
      "ms",
      "time",
    ),
    of: (all) => medianAndRange(all.map(({ backMs }) => backMs[part])),
  })),
  {
    question: "storm",
    measure: { ...ownMeasure("back", "Connections back", "%", "share"), better: "higher" },
    of: (all) =>
      shareByEvent(
        all,
        ({ back }) => sum(back, ({ count }) => count),
        ({ cut }) => cut,
      ),
  },
  {
    question: "storm",
    measure: ownMeasure("back_attempts", "Attempts per connection", "", "count"),
    of: (all) => ({ estimate: valueOf(medianOf(all.map(({ attempts, cut }) => attempts / cut))) }),
  },
  {
    question: "storm",
    measure: ownMeasure("storm_cpu_seconds", "CPU of the storm", "s", "cpu"),
    of: (all) => ({ estimate: valueOf(measured(all, "proxy_cpu_seconds")) }),
  },
  {
    question: "storm",
    measure: ownMeasure("storm_memory_bytes", "Memory growth in the storm", "bytes", "memory"),
    of: (all) => ({ estimate: valueOf(measured(all, "proxy_memory_growth_bytes")) }),
  },
];

function measured(all: Storm[], key: string): number | null {
  return medianOf(all.flatMap(({ cell }) => cell.measures[key] ?? []));
}

/** Percent of those cut that were back, at the end of each tenth of a second. */
function backOver(all: Storm[]): [seconds: number, percent: number][] {
  const cut = sum(all, (one) => one.cut);
  const buckets = [
    ...Map.groupBy(
      all.flatMap(({ back }) => back),
      ({ ms }) => ms,
    ),
  ].sort(([a], [b]) => a - b);
  let count = 0;
  // Level where nobody came back.
  const points = buckets.flatMap(([ms, own]): [number, number][] => {
    const before: [number, number] = [ms / 1000, (100 * count) / cut];
    count += sum(own, (one) => one.count);
    return [before, [(ms + BUCKET_MS) / 1000, (100 * count) / cut]];
  });
  return points.filter(([seconds], i) => points[i + 1]?.[0] !== seconds);
}

/** A proxy that has so much of what was sent for a slow reader is where it went. */
const MOST_OF_IT = 0.5;

type Slow = NonNullable<JudgedCell["record"]["slowReaders"]> & { cell: JudgedCell };

/**
 * What a client costs that stops reading while the server keeps sending to it. The first half of
 * the phase, in which all read, is the control of the second.
 */
export function slowReaders(results: Results, cells: JudgedCell[]): Comparison[] {
  return settingsComparing(results, "stalls").flatMap((setting) => {
    const [first, ...others] = compare(SLOW_ROWS, {
      results,
      cells,
      setting,
      seenIn: (cell) => (cell.record.slowReaders ? [{ cell, ...cell.record.slowReaders }] : []),
    });
    const control = first.figures.find(({ role }) => role === "control");
    const tookAll = control?.extra.outcome !== undefined && control.extra.outcome !== "held-back";
    if (tookAll) first.flags.push(flag("control-took-all", "weak", {}));
    const wrong = countedOf(cells, setting.planned)
      .filter(({ record }) => record.slowReaders?.deliveredInOrder === false)
      .map(({ record }) => record.proxy);
    const proxies = [...new Set(wrong)];
    if (proxies.length > 0) first.flags.push(flag("out-of-order", "weak", { proxies }));
    return [first, ...others];
  });
}

const SLOW_ROWS: Row<Slow>[] = [
  ...(
    [
      ["stalled_bytes", "Memory per slow reader", "usageBytes"],
      ["stalled_user_bytes", "Anonymous memory per slow reader", "rssBytes"],
      ["stalled_kernel_bytes", "Kernel memory per slow reader", "kernelBytes"],
      ["stalled_socket_bytes", "Socket memory per slow reader", "socketBytes"],
    ] as const
  ).map(([key, title, kind]): Row<Slow> => ({
    question: "slow-readers",
    measure: ownMeasure(key, title, "bytes", "memory"),
    of: (all) => {
      const own = medianAndRange(
        all.map(({ cell: { record, workload } }) => perStalled(record, workload.stalled, kind)),
      );
      return kind === "usageBytes" ? { ...own, extra: boundOf(all, own.estimate) } : own;
    },
  })),
  ...(
    [
      ["echo_p99_before", "Echo p99 of the others before", "quiet"],
      ["echo_p99_beside", "Echo p99 of the others beside slow readers", "stalled"],
    ] as const
  ).map(([key, title, part]): Row<Slow> => ({
    question: "slow-readers",
    measure: ownMeasure(key, title, "ms", "time"),
    of: (all) => medianAndRange(all.map(({ echoMs }) => echoMs[part]?.p99 ?? null)),
  })),
];

/**
 * held-back: the sender was, in each repetition. Otherwise it was not, up to what was sent:
 * unbounded: most of that is in the proxy; elsewhere: it is not.
 */
function boundOf(all: Slow[], memory: Estimate | null): Extra {
  const sent = medianOf(all.map(({ sentBytes }) => sentBytes.median)) ?? 0;
  return {
    outcome: all.every(({ heldBack }) => heldBack)
      ? "held-back"
      : (memory?.value ?? 0) >= MOST_OF_IT * sent
        ? "unbounded"
        : "elsewhere",
    from: Math.min(...all.map(({ sentBytes }) => sentBytes.min)),
    to: Math.max(...all.map(({ sentBytes }) => sentBytes.max)),
    medians: [sent, sum(all, ({ lostBytes }) => lostBytes)],
    causes: mostFirst(all.map(({ ends }) => ends)),
  };
}

interface About<Seen> {
  results: Results;
  /** Every attempt at cells in which something happens. */
  cells: JudgedCell[];
  setting: Planned;
  event?: string;
  seenIn: (cell: JudgedCell) => Seen[];
  /** Of the comparison that answers a question, from all cells that were counted in it. */
  flagsOf?: (question: string, counted: JudgedCell[]) => Flag[];
}

/** A comparison a row: without those of which nothing is known of anyone, nor why. */
function compare<Seen>(rows: Row<Seen>[], about: About<Seen>): Comparison[] {
  const { results, cells, setting, event, seenIn, flagsOf } = about;
  const { planned, ...told } = setting;
  const proxies = results.plan.proxies.flatMap((proxy) => {
    const own = planned.filter((cell) => cell.proxy === proxy);
    if (own.length === 0) return [];
    const seen = countedOf(cells, own).flatMap(seenIn);
    return { proxy, seen, missing: seen.length > 0 ? [] : missingOf(own, cells) };
  });
  const control = proxies.find(({ proxy }) => proxy === CONTROL)?.seen ?? [];
  const against = (proxy: string) => (proxy === CONTROL ? [] : control);
  return rows.flatMap(({ question, measure, of, isSpecial = false }) => {
    const one = comparison({
      question,
      measure,
      settings: [told],
      event,
      figures: proxies.map(({ proxy, seen, missing }) => ({
        ...figure(proxy),
        ...(seen.length > 0 && of(seen, against(proxy))),
        missing,
      })),
      flags: flagsOf?.(question, countedOf(cells, planned)),
    });
    const isTold = one.figures.some(
      ({ estimate, extra, missing }) =>
        estimate || extra.outcome || (missing.length > 0 && !isSpecial),
    );
    return isTold ? [one] : [];
  });
}

function countedOf(cells: JudgedCell[], planned: PlannedCell[]): JudgedCell[] {
  const ids = new Set(planned.map(({ id }) => id));
  return cells.filter(({ counted, record }) => counted && ids.has(record.id));
}

/** Why there is no figure, each reason once. */
function missingOf(planned: PlannedCell[], cells: JudgedCell[]): Missing[] {
  const ids = new Set(planned.map(({ id }) => id));
  const attempts = cells.filter(({ record }) => ids.has(record.id));
  const ended = attempts.filter(({ record: { status } }) => status !== "skipped");
  const reasons: Missing[] = [
    ...planned.flatMap((cell) => skippedFor(cell.skip, skipKindOf(cell))),
    ...attempts.flatMap(({ record: { status, cause } }) =>
      status === "skipped" && cause ? skippedFor(cause.message, kindIn(cause.message)) : [],
    ),
    ...ended.flatMap(reasonsOf),
  ];
  return reasons.length > 0
    ? once(reasons)
    : [{ kind: ended.length > 0 ? "unreadable" : "not-run" }];
}

function skippedFor(why: string | null, kind: SkipKind | null): Missing[] {
  if (why === null) return [];
  return [{ kind: kind === "has-none" ? "unsupported" : "skipped", why }];
}

/** All settings in which something happens to connections. */
export function settingsOfEvents(results: Pick<Results, "plan">): Setting[] {
  return [
    ...settingsComparing(results, "survival", LOOK),
    ...settingsComparing(results, "storm"),
    ...settingsComparing(results, "stalls"),
  ].map(({ planned: _, ...setting }) => setting);
}

/** ws before wss, then by parameters, which are without those that make no other setting. */
function settingsComparing(
  { plan }: Pick<Results, "plan">,
  compares: Setting["workload"]["compares"],
  aside: Meaning[] = [],
): Planned[] {
  const parametersOf = ({ scenario, parameters }: PlannedCell) =>
    without(
      parameters,
      aside.map((meaning) => plan.scenarios[scenario].parameterNames[meaning]),
    );
  const own = plan.cells.filter(({ scenario }) => plan.scenarios[scenario].compares === compares);
  const groups = Map.groupBy(own, (cell) =>
    settingKey({ ...cell, parameters: parametersOf(cell) }),
  );
  return [...groups]
    .map(([key, planned]) => {
      const [{ scenario, scheme }] = planned;
      const parameters = parametersOf(planned[0]);
      return { key, scenario, scheme, parameters, workload: workloadOf(plan, planned[0]), planned };
    })
    .sort(compareSettings);
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
