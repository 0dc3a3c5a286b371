/**
 * A run's record as points of InfluxDB: a function for each measurement of the database `bench`.
 * services/influxdb/README.md says what they hold. Each gives the same points for the same record,
 * so what is written again doubles nothing.
 */
import { measureTitle, QUESTIONS } from "../analyse/questions.ts";
import { settingKey } from "../analyse/settings.ts";
import { NONE, rankText } from "../numbers.ts";
import { settingLabel } from "../plan/describe.ts";
import { NOTHING } from "../plan/events.ts";
import { CONTROL } from "../plan/proxies.ts";
import { readRows } from "../record/csv.ts";
import { LIVE_FIELDS, readLive } from "../record/live.ts";
import type {
  Comparison,
  Comparisons,
  Estimate,
  Figure,
  JudgedCell,
  Reported,
} from "../model/comparison.ts";
import type { Flag } from "../model/flag.ts";
import type { ComparedRow, RunComparison } from "../analyse/compare-runs.ts";
import type { Point } from "../platform/influx.ts";
import type { LiveSample, Phase } from "../model/run-event.ts";
import type { CellRecord } from "../model/cell.ts";
import type { PlannedCell } from "../model/plan.ts";

/**
 * Between two samples of the counters; a sample that follows sooner, as the last of a phase may, is
 * left out: CPU over a moment is noise.
 */
const SHORTEST_SAMPLE_MS = 125;

/** Roles whose curves are laid over each other. */
const ALIGNED_ROLES = ["proxy", "echo", "load"];

/** From what voids a figure to what does not. */
const VALIDITY = ["invalid", "weak"] as const;
/** Of cells, the worst first. */
const CONCERNS = ["failed", ...VALIDITY, "skipped", "valid"];

/**
 * @param run its folder
 * @returns tags that all measurements have
 */
export function tagsOf(
  run: string,
  cell: Pick<PlannedCell, "id" | "proxy" | "scenario" | "scheme">,
): Record<string, string> {
  const { proxy, scenario, scheme } = cell;
  return { run, proxy, scenario, scheme, setting: settingLabel(cell) };
}

/** @param ms when it began */
export function phasePoint(
  run: string,
  cell: Pick<PlannedCell, "id" | "round" | "proxy" | "scenario" | "scheme">,
  attempt: number,
  phase: Phase,
  ms: number,
): Point {
  const again = attempt > 1 ? `, try ${attempt}` : "";
  return {
    measurement: "phases",
    tags: { ...tagsOf(run, cell), phase },
    fields: {
      title: `${cell.proxy} · ${settingLabel(cell)}`,
      text: `round ${cell.round}${again}: ${phase}`,
      cell: cell.id,
      round: BigInt(cell.round),
    },
    ms,
  };
}

/** @returns one a phase that was reached */
export function phasePoints(run: string, record: CellRecord): Point[] {
  if (record.status === "skipped") return [];
  const { start, verify, warmUp, load, stop } = record.phases;
  const startedMs = Date.parse(record.startedAt);
  const begun: [phase: Phase, ms: number][] = [["start", startedMs]];
  let ms = startedMs + 1000 * (start ?? 0);
  if (verify !== undefined) begun.push(["verify", ms]);
  ms += 1000 * (verify ?? 0);
  if (warmUp !== undefined) begun.push(["warm up", ms]);
  if (record.measured) begun.push(["measure", record.measured.fromMs]);
  else if (load !== undefined) begun.push(["measure", ms + 1000 * ((warmUp ?? 0) + load)]);
  if (stop !== undefined) begun.push(["stop", endOf(record)]);
  return begun.map(([phase, at]) => phasePoint(run, record, record.attempt, phase, at));
}

/** @param step of its event; ms: when it began */
export function eventPoint(
  run: string,
  cell: Pick<PlannedCell, "id" | "round" | "proxy" | "scenario" | "scheme">,
  { event, what, ms }: { event: string; what: string; ms: number },
): Point {
  return {
    measurement: "events",
    // Two steps may begin at once.
    tags: { ...tagsOf(run, cell), event, step: what },
    fields: {
      title: `${cell.proxy} · ${event}`,
      text: `round ${cell.round}: ${what}`,
      cell: cell.id,
      round: BigInt(cell.round),
    },
    ms,
  };
}

/** @returns one a step; empty: nothing was done in it */
export function eventPoints(run: string, record: CellRecord): Point[] {
  const { event = "", steps = [] } = record.survival ?? {};
  return steps.map((step) => eventPoint(run, record, { event, ...step }));
}

/**
 * @returns ms since 1970: the end of its measured phase, or of the phases that it reached before it
 *   failed
 */
export function endOf({ startedAt, measured, phases }: CellRecord): number {
  if (measured) return measured.toMs;
  const { start = 0, verify = 0, warmUp = 0, load = 0 } = phases;
  return Date.parse(startedAt) + 1000 * (start + verify + warmUp + load);
}

export function livePoint(
  run: string,
  cell: Pick<PlannedCell, "id" | "proxy" | "scenario" | "scheme">,
  sample: LiveSample,
): Point {
  return {
    measurement: "live",
    tags: tagsOf(run, cell),
    fields: { ...liveFields(sample), cell: cell.id },
    ms: sample.ms,
  };
}

/** @returns what is known of it */
export function liveFields(sample: Partial<LiveSample>): Point["fields"] {
  return Object.fromEntries(
    LIVE_FIELDS.flatMap(({ name, isCount }) => {
      const value = sample[name];
      return value === undefined ? [] : [[name, isCount ? BigInt(value) : value]];
    }),
  );
}

/** @param csv its live.csv */
export function livePoints(run: string, record: CellRecord, csv: string): Point[] {
  return readLive(csv).map((sample) => livePoint(run, record, sample));
}

/** @returns one a cause */
export function failurePoints(run: string, record: CellRecord): Point[] {
  return Object.entries(record.connections?.failedByCause ?? {})
    .filter(([, connections]) => connections > 0)
    .map(([cause, connections]) => ({
      measurement: "failures",
      tags: { ...tagsOf(run, record), cause },
      fields: { connections: BigInt(connections), cell: record.id },
      ms: endOf(record),
    }));
}

/**
 * CPU and memory over the cell's own time. Only of a cell that came to its end: of a second attempt
 * the time begins at 0 as well.
 *
 * @param csv its samples.csv
 * @returns at the time since the phase began, in ms since 1970
 */
export function alignedPoints(run: string, record: CellRecord, csv: string): Point[] {
  if (record.status !== "ok") return [];
  const tags = { ...tagsOf(run, record), round: String(record.round) };
  /** last sample by service */
  const before: Map<string, { ms: number; cpu: number }> = new Map();
  return readRows(csv).flatMap((row) => {
    const role = record.containers[row.service]?.role ?? "";
    const [ms, cpu] = [Number(row.ms), Number(row.cpu_seconds)];
    const last = before.get(row.service);
    if (!ALIGNED_ROLES.includes(role) || (last && ms - last.ms < SHORTEST_SAMPLE_MS)) return [];
    before.set(row.service, { ms, cpu });
    return {
      measurement: "aligned",
      tags: { ...tags, service: row.service, role },
      fields: {
        ...(last && { cpu_cores: (cpu - last.cpu) / ((ms - last.ms) / 1000) }),
        working_set_bytes: Number(row.working_set_bytes),
        cell: record.id,
      },
      ms,
    };
  });
}

/**
 * What becomes of the connections in an event, over the cell's own time as in `alignedPoints`: those
 * still open, and new ones that failed, both in percent; and the steps of the event.
 */
export function alignedEventPoints(run: string, record: CellRecord): Point[] {
  const { survival, measured, round, id } = record;
  if (record.status !== "ok" || !survival || !measured) return [];
  const tags = { ...tagsOf(run, record), round: String(round) };
  const at = (ms: number) => ms - measured.fromMs;
  const held = survival.open[0]?.count ?? 0;
  const open = survival.open.map(({ ms, count }) => ({ ms, open_percent: (100 * count) / held }));
  const failed = survival.probes
    .filter(({ asked }) => asked > 0)
    .map(({ ms, asked, failed }) => ({ ms, new_failed_percent: (100 * failed) / asked }));
  return [
    ...[...(held > 0 ? open : []), ...failed].map(({ ms, ...fields }) => ({
      measurement: "aligned",
      tags: { ...tags, role: "clients", service: "clients" },
      fields: { ...fields, cell: id },
      ms: at(ms),
    })),
    ...eventPoints(run, record).map(({ ms, ...point }) => ({
      ...point,
      measurement: "aligned_events",
      ms: at(ms),
    })),
  ].filter(({ ms }) => ms >= 0);
}

/** a flag of a cell in words: those are not made here */
export type Tell = (flag: Flag) => string;

/** What the report calls figures; absent is what there is not. */
export interface Words {
  flag: Tell;
  /** of one comparison, all in one unit */
  figures: (
    all: Comparisons,
    comparison: Comparison,
  ) => (figure: Figure) => { figure: string; interval?: string; why?: string };
  /** of two runs */
  compared: (row: ComparedRow) => Record<string, string>;
}

export function cellPoint(run: string, { record, measures, flags }: JudgedCell, tell: Tell): Point {
  const reasons = record.cause
    ? [`${record.cause.kind}: ${record.cause.message}`]
    : flags.filter(({ severity }) => severity !== "note").map((flag) => tell(flag));
  const validity = validityOf(record, flags);
  return {
    measurement: "cells",
    tags: { ...tagsOf(run, record), round: String(record.round), validity },
    fields: {
      ...measures,
      cell: record.id,
      attempt: BigInt(record.attempt),
      findings: reasons.join("; "),
      concern: BigInt(CONCERNS.indexOf(validity)),
    },
    ms: endOf(record),
  };
}

function validityOf({ status }: CellRecord, flags: Flag[]) {
  if (status !== "ok") return status;
  return VALIDITY.find((each) => flags.some(({ severity }) => severity === each)) ?? "valid";
}

/** @returns one a rate that a search, or a fresh cell after it, tried */
export function probePoints({ results, comparisons }: Reported): Point[] {
  // Fresh cells are of the same setting, and each kind of them has a name of its own.
  const searches = results.plan.cells.filter(({ capacity }) => capacity?.part === "search");
  return comparisons.comparisons.flatMap(({ settings: [key], figures }) =>
    figures.flatMap(({ proxy, extra }) =>
      (extra.search?.points ?? []).flatMap(
        ({ rate, p99Ms, verdict, broken, limits, fresh, cell, endMs }) => {
          const planned = plannedBySetting(searches, key).get(proxy);
          if (endMs === null || !planned) return [];
          const limit = limits.length > 0 ? [`limited by: ${limits.join(", ")}`] : [];
          return {
            measurement: "probes",
            tags: {
              ...tagsOf(results.run.name, planned),
              verdict,
              part: fresh ? "fresh" : "search",
            },
            fields: {
              rate,
              ...(p99Ms !== null && { p99_ms: p99Ms }),
              why: [...broken, ...limit].join(", "),
              cell,
            },
            ms: endMs,
          };
        },
      ),
    ),
  );
}

/**
 * What the report says of each setting: one point per proxy and measure, without a figure too where
 * another proxy has one.
 */
export function summaryPoints({ results, comparisons }: Reported, words: Words): Point[] {
  const ms = endOfRun(results.cells);
  return comparisons.comparisons
    .filter(({ settings, beside }) => settings.length === 1 && !beside)
    .filter(({ figures }) => figures.some(isSaid))
    .flatMap((comparison) => {
      const planned = cellsOf(results, comparisons.settings, comparison);
      const text = words.figures(comparisons, comparison);
      const question = questionLabel(comparison);
      const ordered = bestFirst(comparison);
      const best = ordered.find(({ role }) => role === "proxy")?.estimate?.value ?? 0;
      return ordered.flatMap(({ proxy, role, ...figure }, place) => {
        const { estimate, toBest, toControl, rounds, rank, tied } = figure;
        const cell = planned.get(proxy);
        if (!cell) return [];
        const said = text({ proxy, role, ...figure });
        // Reports leave it out, too.
        if (role === "control" && said.figure === NONE) return [];
        const { measure } = comparison;
        return {
          measurement: "summaries",
          tags: {
            ...{ ...tagsOf(results.run.name, cell), measure: measure.key, unit: measure.unit },
            ...{ question, event: comparison.event ?? "" },
          },
          fields: {
            ...said,
            // The control stands apart: behind all proxies.
            place: BigInt(role === "control" ? LAST_PLACE : place + 1),
            ...(estimate && { median: estimate.value, ...endFields(estimate) }),
            ...toBestField(estimate, toBest?.value, best),
            ...(toControl && { ratio: toControl.value, ...intervalFields("ratio_", toControl) }),
            rounds: BigInt(rounds.length),
            ...(rank !== null && { rank: rankText(rank, tied.length > 0) }),
          },
          ms,
        };
      });
    });
}

/** Where no proxy has more to say than that it was not asked, there is no table. */
function isSaid({ estimate, missing, extra }: Figure): boolean {
  const isLost = missing.some(({ kind }) => kind !== "unsupported" && kind !== "skipped");
  return estimate !== null || extra.outcome !== undefined || isLost;
}

/** Behind any proxy's. */
const LAST_PLACE = 1000;

/** `07 CPU per connection`: by the alphabet in the order of a report. */
export function questionLabel({
  question,
  measure,
}: Pick<Comparison, "question" | "measure">): string {
  const place = QUESTIONS.findIndex(({ id }) => id === question);
  const { title, rankBy = measure.key } = QUESTIONS[place];
  // What another question asks of the rounds of a setting, this one asks in its own way.
  const isTwice = question !== measure.key && QUESTIONS.some(({ id }) => id === measure.key);
  const own = measureTitle(measure);
  const name = !isTwice ? own : rankBy === measure.key ? title : `${own} (${title})`;
  return `${String(place + 1).padStart(2, "0")} ${name}`;
}

/** Those that are ranked first, then by their value; those without one behind them. */
function bestFirst({ figures, measure: { better } }: Comparison): Figure[] {
  const sign = better === "lower" ? 1 : -1;
  const value = ({ estimate }: Figure) => (estimate ? sign * estimate.value : Infinity);
  return figures.toSorted(
    (a, b) => (a.rank ?? Infinity) - (b.rank ?? Infinity) || value(a) - value(b) || 0,
  );
}

/**
 * @param settings of all comparisons
 * @returns one of the comparison's cells by proxy
 */
function cellsOf(
  { plan }: Reported["results"],
  settings: Comparisons["settings"],
  { settings: [key], event }: Comparison,
): Map<string, PlannedCell> {
  const { scenario, scheme, parameters } = settings[key];
  // What is looked at before and after an event makes no other setting.
  const isOf = (cell: PlannedCell) =>
    cell.scenario === scenario &&
    cell.scheme === scheme &&
    (event === null || (cell.event ?? NOTHING) === event) &&
    // Fresh cells of a search have names of their own.
    (!cell.capacity || cell.capacity.part === "search") &&
    Object.entries(parameters).every(([name, given]) => cell.parameters[name] === given);
  return new Map(plan.cells.filter(isOf).map((cell) => [cell.proxy, cell]));
}

/** @returns empty: there is nothing to hold it against */
function toBestField(
  estimate: Estimate | null,
  known: number | undefined,
  best: number,
): Record<string, number> {
  if (!estimate || best <= 0) return {};
  return { to_best: known ?? estimate.value / best };
}

/** @returns empty: it has no ends */
function endFields({ low, high }: Estimate): Record<string, number> {
  return { ...(low !== null && { low }), ...(high !== null && { high }) };
}

/**
 * @param prefix of the fields
 * @returns empty: it has no interval of 95 %
 */
function intervalFields(prefix: string, { low, high, basis }: Estimate): Record<string, number> {
  if (basis !== "ci95" || low === null || high === null) return {};
  return { [`${prefix}low`]: low, [`${prefix}high`]: high };
}

/**
 * @param cells of the run that is compared
 * @returns one a proxy, setting and measure
 */
export function comparisonPoints(
  { run, baseline, rows }: RunComparison,
  cells: CellRecord[],
  words: Words,
): Point[] {
  const ms = endOfRun(cells);
  return rows.map((row, place) => {
    const { cell, measure: name, unit, ratio, value, baselineValue, differs } = row;
    return {
      measurement: "comparisons",
      tags: { ...tagsOf(run, cell), baseline, measure: name, unit },
      fields: {
        ...words.compared(row),
        // Rows are in the order of a report's tables; the control stands apart.
        place: BigInt(place + (cell.proxy === CONTROL ? rows.length : 0)),
        ...(ratio && { ratio: ratio.value }),
        ...(ratio?.interval && { low: ratio.interval[0], high: ratio.interval[1] }),
        ...{ value, baseline_value: baselineValue, differs },
      },
      ms,
    };
  });
}

/**
 * @param cells at least one
 * @returns ms since 1970: when the last of them ended
 */
function endOfRun(cells: CellRecord[]): number {
  return cells.reduce((latest, cell) => Math.max(latest, endOf(cell)), 0);
}

/**
 * @param key of a setting
 * @returns one of that setting by proxy
 */
function plannedBySetting(cells: PlannedCell[], key: string): Map<string, PlannedCell> {
  return new Map(
    cells.filter((cell) => settingKey(cell) === key).map((cell) => [cell.proxy, cell]),
  );
}
