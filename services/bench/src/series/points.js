/**
 * A run's record as points of InfluxDB: a function for each measurement of the database `bench`. services/influxdb/README.md says
 * what they hold. Each gives the same points for the same record, so what is written again doubles nothing.
 */
import { settingKey } from "../analyse/settings.ts";
import { rankText } from "../numbers.js";
import { settingLabel } from "../plan/describe.js";
import { readRows } from "../record/csv.js";
import { LIVE_FIELDS, readLive } from "../record/live.js";

/** @import { Estimate, JudgedCell, Reported } from "../model/comparison.ts" */
/** @import { Flag } from "../model/flag.ts" */
/** @import { RunComparison } from "../analyse/compare-runs.js" */
/** @import { Point } from "../platform/influx.js" */
/** @import { LiveSample } from "../model/run-event.ts" */
/** @import { CellRecord } from "../model/cell.ts" */
/** @import { PlannedCell } from "../model/plan.ts" */
/** @import { Phase } from "../model/run-event.ts" */

/** Between two samples of the counters; a sample that follows sooner, as the last of a phase may, is left out: CPU over a moment is noise. */
const SHORTEST_SAMPLE_MS = 125;

/** Roles whose curves are laid over each other. */
const ALIGNED_ROLES = ["proxy", "echo", "load"];

/** From what voids a figure to what does not. */
const VALIDITY = /** @type {const} */ (["invalid", "weak"]);

/**
 * @param {string} run its folder
 * @param {Pick<PlannedCell, "id" | "proxy" | "scenario" | "scheme">} cell
 * @returns {Record<string, string>} tags that all measurements have
 */
export function tagsOf(run, cell) {
  const { proxy, scenario, scheme } = cell;
  return { run, proxy, scenario, scheme, setting: settingLabel(cell) };
}

/**
 * @param {string} run
 * @param {Pick<PlannedCell, "id" | "round" | "proxy" | "scenario" | "scheme">} cell
 * @param {number} attempt
 * @param {Phase} phase
 * @param {number} ms when it began
 * @returns {Point}
 */
export function phasePoint(run, cell, attempt, phase, ms) {
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

/**
 * @param {string} run
 * @param {CellRecord} record
 * @returns {Point[]} one a phase that was reached
 */
export function phasePoints(run, record) {
  if (record.status === "skipped") return [];
  const { start, verify, warmUp, load, stop } = record.phases;
  const startedMs = Date.parse(record.startedAt);
  /** @type {[phase: Phase, ms: number][]} */
  const begun = [["start", startedMs]];
  let ms = startedMs + 1000 * (start ?? 0);
  if (verify !== undefined) begun.push(["verify", ms]);
  ms += 1000 * (verify ?? 0);
  if (warmUp !== undefined) begun.push(["warm up", ms]);
  if (record.measured) begun.push(["measure", record.measured.fromMs]);
  else if (load !== undefined) begun.push(["measure", ms + 1000 * ((warmUp ?? 0) + load)]);
  if (stop !== undefined) begun.push(["stop", endOf(record)]);
  return begun.map(([phase, at]) => phasePoint(run, record, record.attempt, phase, at));
}

/**
 * @param {string} run
 * @param {Pick<PlannedCell, "id" | "round" | "proxy" | "scenario" | "scheme">} cell
 * @param {{event: string, what: string, ms: number}} step of its event; ms: when it began
 * @returns {Point}
 */
export function eventPoint(run, cell, { event, what, ms }) {
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

/**
 * @param {string} run
 * @param {CellRecord} record
 * @returns {Point[]} one a step; empty: nothing was done in it
 */
export function eventPoints(run, record) {
  const { event = "", steps = [] } = record.survival ?? {};
  return steps.map((step) => eventPoint(run, record, { event, ...step }));
}

/**
 * @param {CellRecord} record
 * @returns {number} ms since 1970: the end of its measured phase, or of the phases that it reached before it failed
 */
export function endOf({ startedAt, measured, phases }) {
  if (measured) return measured.toMs;
  const { start = 0, verify = 0, warmUp = 0, load = 0 } = phases;
  return Date.parse(startedAt) + 1000 * (start + verify + warmUp + load);
}

/**
 * @param {string} run
 * @param {Pick<PlannedCell, "id" | "proxy" | "scenario" | "scheme">} cell
 * @param {LiveSample} sample
 * @returns {Point}
 */
export function livePoint(run, cell, sample) {
  const values = /** @type {Record<string, number | undefined>} */ (
    /** @type {unknown} */ (sample)
  );
  const fields = LIVE_FIELDS.flatMap(({ name, isCount }) => {
    const value = values[name];
    return value === undefined ? [] : [[name, isCount ? BigInt(value) : value]];
  });
  return {
    measurement: "live",
    tags: tagsOf(run, cell),
    fields: { ...Object.fromEntries(fields), cell: cell.id },
    ms: sample.ms,
  };
}

/**
 * @param {string} run
 * @param {CellRecord} record
 * @param {string} csv its live.csv
 * @returns {Point[]}
 */
export function livePoints(run, record, csv) {
  return readLive(csv).map((sample) => livePoint(run, record, sample));
}

/**
 * @param {string} run
 * @param {CellRecord} record
 * @returns {Point[]} one a cause
 */
export function failurePoints(run, record) {
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
 * CPU and memory over the cell's own time. Only of a cell that came to its end: of a second attempt the time begins at 0 as well.
 *
 * @param {string} run
 * @param {CellRecord} record
 * @param {string} csv its samples.csv
 * @returns {Point[]} at the time since the phase began, in ms since 1970
 */
export function alignedPoints(run, record, csv) {
  if (record.status !== "ok") return [];
  const tags = { ...tagsOf(run, record), round: String(record.round) };
  /** @type {Map<string, {ms: number, cpu: number}>} last sample by service */
  const before = new Map();
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
 * @typedef {(flag: Flag) => string} Tell a flag of a cell in words: those are not made here
 *
 * @param {string} run
 * @param {JudgedCell} cell
 * @param {Tell} tell
 * @returns {Point}
 */
export function cellPoint(run, { record, measures, flags }, tell) {
  const reasons = record.cause
    ? [`${record.cause.kind}: ${record.cause.message}`]
    : flags.filter(({ severity }) => severity !== "note").map((flag) => tell(flag));
  return {
    measurement: "cells",
    tags: {
      ...tagsOf(run, record),
      round: String(record.round),
      validity: validityOf(record, flags),
    },
    fields: {
      ...measures,
      cell: record.id,
      attempt: BigInt(record.attempt),
      findings: reasons.join("; "),
    },
    ms: endOf(record),
  };
}

/**
 * @param {CellRecord} record
 * @param {Flag[]} flags
 */
function validityOf({ status }, flags) {
  if (status !== "ok") return status;
  return VALIDITY.find((each) => flags.some(({ severity }) => severity === each)) ?? "valid";
}

/**
 * @param {Reported} reported
 * @returns {Point[]} one a rate that a search, or a fresh cell after it, tried
 */
export function probePoints({ results, comparisons }) {
  // Fresh cells are of the same setting, and each kind of them has a name of its own.
  const searches = results.plan.cells.filter(({ capacity }) => capacity?.part === "search");
  return comparisons.comparisons.flatMap(({ settings: [key], figures }) =>
    figures.flatMap(({ proxy, extra }) =>
      (extra.search?.points ?? []).flatMap(
        ({ rate, p99Ms, verdict, broken, limits, fresh, cell, endMs }) => {
          const planned = plannedBySetting(searches, key).get(proxy);
          if (endMs === null || !planned) return [];
          const limit = limits.length > 0 ? [`at its limit: ${limits.join(", ")}`] : [];
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
 * @param {Reported} reported
 * @returns {Point[]} one a proxy, setting and measure that has figures: what the report's tables say
 */
export function summaryPoints({ results, comparisons }) {
  const ms = endOfRun(results.cells);
  return comparisons.comparisons
    .filter(({ question, measure, settings }) => question === measure.key && settings.length === 1)
    .flatMap(({ measure, settings: [key], figures }) => {
      const planned = plannedBySetting(results.plan.cells, key);
      return figures.flatMap(({ proxy, estimate, toControl, rounds, rank, tied }) => {
        const cell = planned.get(proxy);
        if (!cell || !estimate) return [];
        return {
          measurement: "summaries",
          tags: { ...tagsOf(results.run.name, cell), measure: measure.key, unit: measure.unit },
          fields: {
            median: estimate.value,
            ...intervalFields("", estimate),
            ...(toControl && { ratio: toControl.value, ...intervalFields("ratio_", toControl) }),
            rounds: BigInt(rounds.length),
            ...(rank !== null && { rank: rankText(rank, tied.length > 0) }),
          },
          ms,
        };
      });
    });
}

/**
 * @param {string} prefix of the fields
 * @param {Estimate} estimate
 * @returns {Record<string, number>} empty: it has no interval of 95 %
 */
function intervalFields(prefix, { low, high, basis }) {
  if (basis !== "ci95" || low === null || high === null) return {};
  return { [`${prefix}low`]: low, [`${prefix}high`]: high };
}

/**
 * @param {RunComparison} comparison
 * @param {CellRecord[]} cells of the run that is compared
 * @returns {Point[]} one a proxy, setting and measure
 */
export function comparisonPoints({ run, baseline, rows }, cells) {
  const ms = endOfRun(cells);
  return rows.map(({ cell, measure: name, unit, ratio, value, baselineValue, differs }) => ({
    measurement: "comparisons",
    tags: { ...tagsOf(run, cell), baseline, measure: name, unit },
    fields: {
      ...(ratio && { ratio: ratio.value }),
      ...(ratio?.interval && { low: ratio.interval[0], high: ratio.interval[1] }),
      value,
      baseline_value: baselineValue,
      differs,
    },
    ms,
  }));
}

/**
 * @param {CellRecord[]} cells at least one
 * @returns {number} ms since 1970: when the last of them ended
 */
function endOfRun(cells) {
  return cells.reduce((latest, cell) => Math.max(latest, endOf(cell)), 0);
}

/**
 * @param {PlannedCell[]} cells
 * @param {string} key of a setting
 * @returns {Map<string, PlannedCell>} one of that setting by proxy
 */
function plannedBySetting(cells, key) {
  return new Map(
    cells.filter((cell) => settingKey(cell) === key).map((cell) => [cell.proxy, cell]),
  );
}
