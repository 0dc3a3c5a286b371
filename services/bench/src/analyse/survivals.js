/**
 * What becomes of open connections and of new handshakes when something happens to a proxy: counts of all repetitions together, held
 * against the same load in which nothing happens.
 */
import { median } from "simple-statistics";
import { medianOf } from "../statistics/index.js";
import { NOTHING } from "../plan/events.js";
import { CONTROL } from "../plan/proxies.js";
import { ALIVE_SECONDS, survivalOf } from "./event-cells.js";
import { answersOf, settingsComparing } from "./experiments.js";
import { isMore, mostFirst, shareOf } from "./shares.js";

/** @import { Survival } from "../model/cell.ts" */
/** @import { Meaning, PlannedCell } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { CellSurvival, Course } from "./event-cells.js" */
/** @import { AnalysedCell, CurvePoint, OldProcesses, ServerShares, Share, SurvivalAnswer, SurvivalCourse, SurvivalEvent, SurvivalFigures, SurvivalSetting, Timeline } from "./types.js" */

/** Of each event: how long it is looked on before and after it. What is lost without an event in longer is no less. @type {Meaning[]} */
const LOOK = ["quietSeconds", "watchSeconds", "timeoutSeconds"];

/** @typedef {{recorded: Survival, seen: CellSurvival}} Seen */
/** @typedef {Omit<SurvivalAnswer, "beyondControl">} Answered */

/**
 * @param {Results} results
 * @param {AnalysedCell[]} cells every attempt at cells of experiments
 * @returns {SurvivalSetting[]} in order; empty: the run has no events
 */
export function survivalsOf(results, cells) {
  return settingsComparing(results, "survival", LOOK).map(({ planned, ...setting }) => {
    const events = eventsOf(results, planned).map((event) => ({
      event,
      what: results.plan.events?.[event] ?? "",
      isControl: event === NOTHING,
      answers: answersOf(
        results,
        planned.filter((cell) => eventOf(cell) === event),
        cells,
        figuresOf,
      ),
    }));
    const control = events.find(({ isControl }) => isControl)?.answers ?? [];
    return {
      ...setting,
      events: events.map((event) => {
        const answers = event.answers.map((answer) => ({
          ...answer,
          beyondControl: event.isControl ? null : beyond(answer, control),
        }));
        return { ...event, answers, worst: event.isControl ? null : worstOf(answers) };
      }),
    };
  });
}

/** @param {Pick<PlannedCell, "event">} cell */
function eventOf({ event = NOTHING }) {
  return event;
}

/**
 * @param {Results} results
 * @param {PlannedCell[]} planned
 * @returns {string[]} the control first, then in the battle's order
 */
function eventsOf({ plan }, planned) {
  const names = new Set(planned.map(eventOf));
  const told = Object.keys(plan.events ?? {});
  const ordered = new Set([NOTHING, ...told, ...names]);
  return [...ordered].filter((name) => names.has(name));
}

/**
 * @param {AnalysedCell[]} counted
 * @returns {SurvivalFigures | null}
 */
function figuresOf(counted) {
  const cells = counted.flatMap(({ record, workload }) => {
    const seen = survivalOf(record, workload.timeoutSeconds ?? 0);
    return seen && record.survival ? [{ seen, recorded: record.survival }] : [];
  });
  if (cells.length === 0) return null;
  const all = cells.map(({ seen }) => seen);
  const sum = (/** @type {(one: CellSurvival) => number} */ of) =>
    all.reduce((total, one) => total + of(one), 0);
  const held = sum((one) => one.held);
  const asked = sum(({ probes }) => probes.asked);
  return {
    rounds: all.length,
    held,
    watchedSeconds: median(all.map(({ watchedSeconds }) => watchedSeconds)),
    alive: ALIVE_SECONDS.flatMap((seconds) => {
      const watched = all.filter(({ alive }) => seconds in alive);
      const share = shareOf(
        watched.reduce((total, { alive }) => total + alive[seconds], 0),
        watched.reduce((total, one) => total + one.held, 0),
      );
      return share ? [{ seconds, share }] : [];
    }),
    lost: shareOf(
      sum((one) => one.ended),
      held,
    ),
    lostByRound: all.map((one) => one.ended),
    ends: mostFirst(all.map(({ endedHow }) => endedHow)),
    endedBefore: sum((one) => one.endedBefore),
    messages: shareOf(
      sum((one) => one.lost),
      sum((one) => one.sent),
    ),
    silenceMs: most(all.map(({ silenceMs }) => silenceMs)),
    probes: {
      failed: shareOf(
        sum(({ probes }) => probes.failed),
        asked,
      ),
      slow: shareOf(
        sum(({ probes }) => probes.slow),
        asked,
      ),
      failingSeconds: Math.max(...all.map(({ probes }) => probes.failingSeconds)),
      slowSeconds: Math.max(...all.map(({ probes }) => probes.slowSeconds)),
      lastFailedSeconds: Math.max(...all.map(({ probes }) => probes.lastFailedSeconds)),
      causes: mostFirst(cells.map(({ recorded }) => recorded.probesFailedByCause)),
    },
    newGeneration: newGenerationOf(all),
    oldGenerations: all.filter(({ isOldGeneration }) => isOldGeneration).length,
    processes: coursesOf(all.map((one) => one.processes)),
    memoryBytes: coursesOf(all.map((one) => one.memoryBytes)),
    cores: coresOf(all),
    oldProcesses: oldProcessesOf(all),
    steps: cells[0].recorded.steps.map(({ ms, what }) => ({
      seconds: (ms - cells[0].recorded.eventMs) / 1000,
      what,
    })),
    servers: serversOf(cells.map(({ recorded }) => recorded.echoShare ?? [])),
    timeline: timelineOf(cells),
  };
}

/**
 * @param {(number | null)[]} values
 * @returns {number | null} null: there is none
 */
function most(values) {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

/**
 * @param {CellSurvival[]} all
 * @returns {SurvivalFigures["newGeneration"]}
 */
function newGenerationOf(all) {
  const came = all.flatMap(({ newGenerationMs }) => newGenerationMs ?? []);
  return came.length > 0
    ? { ms: median(came), mostMs: Math.max(...came), rounds: came.length }
    : null;
}

/**
 * @param {(Course | null)[]} courses
 * @returns {SurvivalCourse | null} null: none was read
 */
function coursesOf(courses) {
  const known = courses.filter((course) => course !== null);
  if (known.length === 0) return null;
  const of = (/** @type {keyof Course} */ when) => median(known.map((course) => course[when]));
  const ratios = known.filter(({ before }) => before > 0).map(({ before, peak }) => peak / before);
  return {
    before: of("before"),
    peak: of("peak"),
    end: of("end"),
    peakRatio: medianOf(ratios),
  };
}

/**
 * @param {CellSurvival[]} all
 * @returns {SurvivalFigures["cores"]}
 */
function coresOf(all) {
  const known = all.flatMap(({ cores }) => cores ?? []);
  if (known.length === 0) return null;
  return {
    before: median(known.map(({ before }) => before)),
    after: median(known.map(({ after }) => after)),
  };
}

/**
 * @param {CellSurvival[]} all
 * @returns {OldProcesses | null} null: none were to be replaced
 */
function oldProcessesOf(all) {
  const replaced = all.flatMap(({ old }) => old ?? []);
  if (replaced.length === 0) return null;
  const leaked = replaced.map((one) => one.leaked).filter((n) => n > 0);
  if (leaked.length > 0)
    return { kind: "leaked", rounds: leaked.length, most: Math.max(...leaked) };
  const stayed = replaced.filter(({ goneMs }) => goneMs === null).map(({ atEnd }) => atEnd);
  if (stayed.length > 0)
    return { kind: "stayed", rounds: stayed.length, most: Math.max(...stayed) };
  const seconds = replaced.map(({ goneMs }) => (goneMs ?? 0) / 1000);
  return { kind: "gone", seconds: median(seconds), mostSeconds: Math.max(...seconds) };
}

/**
 * @param {NonNullable<Survival["echoShare"]>[]} shares one a repetition
 * @returns {ServerShares | null}
 */
function serversOf(shares) {
  const known = shares.filter((servers) => servers.length > 1);
  if (known.length === 0) return null;
  const connections = (/** @type {Survival["echoShare"]} */ servers = []) =>
    servers.reduce((sum, one) => sum + one.connections, 0);
  const all = known.flat();
  const started = all.filter(({ isNew }) => isNew);
  const busiest = known
    .filter((servers) => connections(servers) > 0)
    .map((servers) => Math.max(...servers.map((one) => one.connections)) / connections(servers));
  return {
    count: Math.max(...known.map(({ length }) => length)),
    newcomers: started.length > 0 ? shareOf(connections(started), connections(all)) : null,
    busiest: medianOf(busiest) ?? 0,
  };
}

/**
 * @param {Answered} answer
 * @param {Answered[]} control of the same load without an event
 * @returns {SurvivalAnswer["beyondControl"]} null: there is nothing to hold it against
 */
function beyond({ proxy, figures: own }, control) {
  const without = control.find((one) => one.proxy === proxy)?.figures;
  if (!own || !without) return null;
  return {
    lost: isMore(own.lost, without.lost),
    failed: isMore(own.probes.failed, without.probes.failed),
    messages: isMore(own.messages, without.messages),
  };
}

/** What is worst: connections first; where nobody stands out in them, new handshakes. @type {[what: "lost" | "failed", of: (figures: SurvivalFigures) => Share | null][]} */
const HARM = [
  ["lost", ({ lost }) => lost],
  ["failed", ({ probes }) => probes.failed],
];

/**
 * @param {SurvivalAnswer[]} answers
 * @returns {SurvivalEvent["worst"]} those that cannot be told from the worst, where somebody is better; null: nobody stands out
 */
function worstOf(answers) {
  for (const [what, of] of HARM) {
    const known = answers.flatMap(({ proxy, figures, beyondControl }) => {
      const share = figures && of(figures);
      const isOwn = beyondControl?.[what] ?? true;
      return share && proxy !== CONTROL ? [{ proxy, share, isOwn }] : [];
    });
    const [top] = known.filter(({ isOwn }) => isOwn).sort((a, b) => b.share.value - a.share.value);
    if (!top) continue;
    const better = known.filter(({ share }) => isMore(top.share, share));
    if (better.length === 0) continue;
    const worst = known.filter((one) => one.isOwn && !better.includes(one));
    return { what, proxies: worst.map(({ proxy }) => proxy) };
  }
  return null;
}

/**
 * @param {Seen[]} cells
 * @returns {Timeline} by whole seconds around the event
 */
function timelineOf(cells) {
  /** @type {(points: {ms: number, eventMs: number, value: number}[], how: (values: number[]) => number) => CurvePoint[]} */
  const curve = (points, how) =>
    [...Map.groupBy(points, ({ ms, eventMs }) => Math.round((ms - eventMs) / 1000))]
      .map(([seconds, own]) => ({ seconds, value: how(own.map(({ value }) => value)) }))
      .sort((a, b) => a.seconds - b.seconds);
  const points = (/** @type {(one: Seen) => {ms: number, value: number}[]} */ of) =>
    cells.flatMap((one) => of(one).map((point) => ({ ...point, eventMs: one.recorded.eventMs })));
  return {
    openPercent: curve(
      points(({ recorded, seen }) =>
        seen.held === 0
          ? []
          : recorded.open.map(({ ms, count }) => ({ ms, value: (100 * count) / seen.held })),
      ),
      median,
    ),
    failedPercent: curve(
      points(({ recorded }) =>
        recorded.probes
          .filter(({ asked }) => asked > 0)
          .map(({ ms, asked, failed }) => ({ ms, value: (100 * failed) / asked })),
      ),
      (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
    ),
    memoryBytes: curve(
      points(({ recorded }) =>
        recorded.around.map(({ ms, memoryBytes }) => ({ ms, value: memoryBytes })),
      ),
      median,
    ),
  };
}
