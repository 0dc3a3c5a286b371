/**
 * What both reports say, before it is HTML or Markdown.
 *
 * @import { AnalysedCell, Analysis, Comparison, Finding, Measure, Place, Row, SelfComparison, SelfMeasure, Setting } from "../analyse/types.js"
 * @import { CellRecord } from "../model/cell.ts"
 * @import { Environment } from "../model/environment.ts"
 * @import { PlannedCell } from "../model/plan.ts"
 * @import { Results } from "../model/record.ts"
 * @import { Look } from "./charts.js"
 * @import { ToldFinding } from "./findings.js"
 */
import { p99Of } from "../analyse/measures.js";
import { comparesServers, isRanked } from "../analyse/settings.js";
import { findingParts, missingText, queueText } from "./findings.js";
import { buffersNote, withoutBuffers } from "./memory-texts.js";
import { list, roundsText, settingTitle, titleOfProxy } from "./words.js";
import {
  count,
  counted,
  figure,
  NONE,
  number,
  probability,
  range,
  rankText,
  ratio,
  shownUnit,
} from "../numbers.js";
import { isOnHostNetwork } from "../plan/network.js";
import { CONTROL } from "../plan/proxies.js";
import { skipKindOf } from "../plan/skips.js";
import { cellsToRepeat } from "../record/repeats.js";
import { shape } from "./charts.js";

/** Keys of the measures in the main table, in the order of its columns. The first three are those of BalancerBattle. */
export const KEYS = {
  handshake: "handshake_ms_mean",
  latency: "echo_latency_ms_mean",
  total: "total_seconds",
  requestsPerSecond: "requests_per_second",
  request: "request_ms_mean",
  errors: "non_2xx_percent",
  socketErrors: "socket_errors_per_1000_requests",
  cpuPerConnection: "cpu_us_per_connection",
  cpuPerHandshake: "cpu_us_per_handshake",
  cpuPerMessage: "cpu_us_per_message",
  cpuPerRequest: "proxy_cpu_us_per_request",
  serversCpu: "servers_cpu_seconds",
  memoryBaseline: "proxy_memory_baseline_usage_bytes",
  memoryGrowth: "proxy_memory_growth_bytes",
};

/** Columns of CPU by place, from the client to the answer. @type {[Place, string][]} */
export const PLACES = [
  ["front", "Proxy, in front"],
  ["tls", "TLS, a container of its own"],
  ["server", "Server"],
];

/**
 * @typedef {Record<string, {seconds: number[], usageBytes: number[], cpuCores: number[]}>} Curves
 *   of the proxy (all its containers together) by the cell's id, seconds from the start of the measured phase
 *
 * @typedef {object} Column
 * @property {Comparison} comparison
 * @property {Measure} measure
 * @property {string} unit as shown
 * @property {number} divisor of the values, to be in that unit
 * @property {"control" | "best" | null} relativeTo
 * @property {Comparison | null} p99 of a mean of times in a table that shows it beside that; null elsewhere
 * @property {string} queue that it is time in a queue, and whose; empty where it is not
 *
 * @typedef {object} Entry one proxy under one measure, as text
 * @property {number | null} value
 * @property {string} median
 * @property {string} spread the interval; without one the lowest and the highest round
 * @property {string} p99 empty where there is none beside it
 * @property {string} ratio to `Column.relativeTo`; of a control whose figure is none of a proxy, whose it is
 * @property {string} rank `2 =` where it is shared
 * @property {string} mark `92 % failed`: the figure is one of errors too; empty where it is not
 * @property {string | null} missing why there is no median
 *
 * @typedef {object} Table
 * @property {Column[]} columns
 * @property {{proxy: string, look: Look, isControl: boolean, entries: Entry[]}[]} rows the control first
 * @property {string[]} reasons why figures are missing, each once
 * @property {string} legend what an entry shows
 */

/**
 * @param {Results} results
 * @returns {Record<string, Look>} by name of the proxy
 */
export function looks(results) {
  return Object.fromEntries(
    results.proxies.map(({ name, colour }, i) => [
      name,
      { label: titleOfProxy(results, name), colour, shape: shape(i) },
    ]),
  );
}

/**
 * @param {Analysis} analysis
 * @param {Comparison} comparison
 * @param {Setting} [setting] whose it is, where a mean of times is to have its 99th percentile beside it
 * @returns {Column}
 */
export function columnOf(analysis, comparison, setting) {
  const measure = measureOf(analysis, comparison.measure);
  const values = comparison.rows.flatMap((row) => row.values);
  const others = comparison.rows.filter(({ proxy }) => proxy !== CONTROL);
  const relativeTo = others.some((row) => row.toControl)
    ? "control"
    : others.some((row) => row.toBest)
      ? "best"
      : null;
  const queue = queueOf(comparison);
  const p99 = (setting && p99ComparisonOf(setting, measure.key)) ?? null;
  return { comparison, measure, ...shownUnit(measure.unit, values), relativeTo, p99, queue };
}

/**
 * @param {Pick<Setting, "comparisons">} setting
 * @param {string} key of a measure
 * @returns {Comparison | undefined} of the 99th percentile, where the measure is a mean of times
 */
export function p99ComparisonOf({ comparisons }, key) {
  return comparisons.find(({ measure }) => measure === p99Of(key));
}

/**
 * @param {Comparison} comparison
 * @returns {string} what its times are, where they are a queue's; empty elsewhere
 */
export function queueOf({ findings }) {
  const found = findings.find((finding) => finding.gate === "queue");
  return found?.gate === "queue" ? queueText(found.figures.atATime) : "";
}

/**
 * @param {Analysis} analysis
 * @param {string} key
 * @returns {Measure} with what this run's figures of it are without
 */
export function measureOf(analysis, key) {
  const unknown = { key, title: key, unit: "", better: /** @type {const} */ ("lower") };
  const found = analysis.measures.find((measure) => measure.key === key);
  const measure = found ?? { ...unknown, description: "" };
  return { ...measure, title: `${measure.title}${withoutBuffers(analysis, key)}` };
}

/**
 * @param {Setting} setting
 * @param {string} key
 * @returns {Comparison | undefined} that of the measure, if it has a figure that says something
 */
export function comparisonOf({ comparisons }, key) {
  return comparisons.find(
    ({ measure, rows }) => measure === key && rows.some(({ median }) => median),
  );
}

/**
 * @param {Analysis} analysis
 * @param {Setting} setting
 * @returns {Column[]} of the main table; all there are where none is known
 */
export function headlines(analysis, setting) {
  const found = Object.values(KEYS).flatMap((key) => comparisonOf(setting, key) ?? []);
  const chosen = found.length > 0 ? found : setting.comparisons;
  return chosen.map((comparison) => columnOf(analysis, comparison, setting));
}

/**
 * @param {Row | undefined} row
 * @param {Column} column
 * @returns {Entry}
 */
export function entryOf(row, { comparison, divisor, relativeTo, p99 }) {
  if (!row?.median) {
    const missing = row ? missingText(row.missing) : "not in this comparison";
    const empty = { spread: "", p99: "", ratio: "", rank: "", mark: "" };
    return { value: null, median: NONE, ...empty, missing };
  }
  const { value, interval } = row.median;
  const scaled = row.values.map((one) => one / divisor);
  const spread = interval
    ? range([interval[0] / divisor, interval[1] / divisor], value / divisor)
    : scaled.length > 1
      ? range([Math.min(...scaled), Math.max(...scaled)], value / divisor)
      : "1 round";
  const relative =
    relativeTo === "control" ? row.toControl : relativeTo === "best" ? row.toBest : null;
  const tail = p99?.rows.find(({ proxy }) => proxy === row.proxy)?.median;
  return {
    value,
    median: figure(value / divisor),
    spread,
    p99: tail ? `p99 ${figure(tail.value / divisor)}` : "",
    ratio: row.proxy === CONTROL ? controlText(comparison) : relative ? ratio(relative.value) : "",
    rank: rankText(row.rank, row.ties.length > 0),
    mark: MARKED.includes(comparison.measure) ? failedText(row) : "",
    missing: null,
  };
}

/** What errors make better than it is. */
const MARKED = [KEYS.requestsPerSecond, KEYS.request, "request_ms_p99", KEYS.total];

/**
 * @param {Pick<Row, "badPercent">} row
 * @returns {string} `92 % failed`; empty where no request did
 */
function failedText({ badPercent }) {
  return badPercent > 0 ? `${number(badPercent)} % failed` : "";
}

/** @param {Comparison} comparison */
function controlText({ findings }) {
  if (findings.some(({ gate }) => gate === "control-beside")) return "beside";
  return findings.some(({ gate }) => gate === "control-own") ? "its own server" : "";
}

/**
 * @typedef {object} SelfEntry a measure of a proxy beside its copy, as text
 * @property {string} title of the measure, with its unit
 * @property {[original: string, copy: string]} medians
 * @property {[original: string, copy: string]} intervals empty where there is none
 * @property {string} ratio
 * @property {string} spread of the ratio: its interval, or the lowest and the highest round
 * @property {string} p
 * @property {string} detectable the smallest ratio that these rounds could have seen
 * @property {"tie" | "differs" | "inconclusive"} outcome
 */

/** Where there is no pair. */
export const NO_PAIR =
  "No two proxies of this run do the same work: it has no noise floor of its own.";

/**
 * @param {Pick<Analysis, "aa" | "sameWork">} analysis
 * @returns {SelfComparison[]} of two that should tie
 */
export function ownPairs({ aa, sameWork }) {
  return [...(aa ? [aa] : []), ...sameWork];
}

/**
 * @param {Analysis} analysis
 * @param {SelfMeasure[]} measures
 * @returns {SelfEntry[]} one a measure
 */
export function selfTable(analysis, measures) {
  return measures.map((entry) => {
    const { title, unit: own } = measureOf(analysis, entry.measure);
    const both = [entry.original, entry.copy];
    const { unit, divisor } = shownUnit(
      own,
      both.map(({ value }) => value),
    );
    const medians = both.map(({ value }) => figure(value / divisor));
    const intervals = both.map(({ value, interval }) =>
      interval ? range([interval[0] / divisor, interval[1] / divisor], value / divisor) : "",
    );
    const { value, interval, rounds } = entry.ratio;
    const ends = interval ?? rounds;
    return {
      title: unit ? `${title}, ${unit}` : title,
      medians: [medians[0], medians[1]],
      intervals: [intervals[0], intervals[1]],
      ratio: `×${value.toFixed(3)}`,
      spread: ends ? ends.map((end) => end.toFixed(3)).join("–") : "",
      p: probability(entry.p),
      detectable: entry.detectableRatio === null ? NONE : `×${entry.detectableRatio.toFixed(2)}`,
      outcome: entry.differs === null ? "inconclusive" : entry.differs ? "differs" : "tie",
    };
  });
}

/**
 * @param {Analysis} analysis
 * @param {Setting} setting
 * @param {Column[]} [columns]
 * @returns {Table}
 */
export function mainTable(analysis, setting, columns = headlines(analysis, setting)) {
  const all = looks(analysis.results);
  const order = [...analysis.results.proxies].sort(
    (a, b) => Number(b.name === CONTROL) - Number(a.name === CONTROL),
  );
  const rows = order.map(({ name }) => ({
    proxy: name,
    look: all[name],
    isControl: name === CONTROL,
    entries: columns.map((column) =>
      entryOf(
        column.comparison.rows.find(({ proxy }) => proxy === name),
        column,
      ),
    ),
  }));
  const reasons = [
    ...new Set(rows.flatMap(({ entries }) => entries.flatMap(({ missing }) => missing ?? []))),
  ];
  return { columns, rows, reasons, legend: legend(analysis, columns) };
}

/**
 * @param {Analysis} analysis
 * @param {Column[]} columns
 */
function legend(analysis, columns) {
  const rows = columns.flatMap(({ comparison }) => comparison.rows).filter(({ median }) => median);
  const rounds = rows.map(({ values }) => values.length);
  const least = Math.min(...rounds);
  const most = Math.max(...rounds);
  const notes = `${queueNote(columns)}${memoryNote(analysis, columns)}`;
  if (rows.length === 0) return "No cell of this setting counts.";
  if (most === 1) return `One round: single values, nothing is known about their spread.${notes}`;
  const p99 = columns.some(({ p99 }) => p99) ? " p99, the median of the rounds too;" : "";
  const ratios = columns.some(({ relativeTo }) => relativeTo) ? " the ratio named above it;" : "";
  const ranks = rows.some(({ rank }) => rank !== null)
    ? " the rank, where = is a shared one"
    : " no ranks";
  const n = least === most ? count(most) : `${count(least)} to ${count(most)}`;
  const level = `${Math.round(analysis.confidence * 100)} %`;
  const isWhole = rows.every(({ median }) => median?.interval);
  const isNone = rows.every(({ median }) => !median?.interval);
  const spread = isWhole
    ? `its ${level} interval`
    : isNone
      ? `the lowest and the highest round (too few for a ${level} interval)`
      : `its ${level} interval, or the lowest and the highest round where there are too few`;
  return `Median of ${n} rounds; ${spread};${p99}${ratios}${ranks}.${notes}`;
}

/**
 * @param {Pick<Column, "queue" | "measure">[]} columns
 * @returns {string} a sentence about each kind of queue, with a space before it; empty where there is none
 */
function queueNote(columns) {
  const inQueue = columns.filter(({ queue }) => queue);
  return [...Map.groupBy(inQueue, ({ queue }) => queue)]
    .map(([queue, own]) => ` ${list(own.map(({ measure }) => measure.title))}: ${queue}.`)
    .join("");
}

/**
 * @param {Analysis} analysis
 * @param {Column[]} columns
 * @returns {string} sentences about memory, with a space before each; empty where there is none
 */
function memoryNote(analysis, columns) {
  const unranked = columns.filter(({ measure }) => !isRanked(measure.key));
  if (unranked.length === 0) return "";
  const note = buffersNote(analysis);
  return ` ${UNRANKED_NOTE}${note && ` ${note}`}`;
}

/** Why memory has no rank without a slope. */
const UNRANKED_NOTE =
  "Memory has no rank here: the baseline is mostly configuration, and growth is that of the connections open at a time. Ranks go by the slope over held connections alone.";

/**
 * @param {Analysis} analysis
 * @param {Setting} setting
 * @param {Column[]} [columns] of the measures it is asked for; all of the setting's
 * @returns {ToldFinding[]} those that differ in measure and figures alone as one sentence, the weightier first
 */
export function settingFindings(
  analysis,
  { comparisons },
  columns = comparisons.map((comparison) => columnOf(analysis, comparison)),
) {
  const titleOf = (/** @type {string} */ name) => titleOfProxy(analysis.results, name);
  const all = columns.flatMap(({ comparison, measure }) =>
    comparison.findings.map((finding) => ({
      severity: finding.severity,
      ...findingParts(finding, titleOf),
      title: measure.title,
    })),
  );
  const groups = Map.groupBy(all, ({ severity, message }) => JSON.stringify([severity, message]));
  return [...groups.values()]
    .map((group) => {
      const { severity, message, figures } = group[0];
      const isSame = group.every((one) => one.figures === figures);
      const isAll = group.length === columns.length && group.length > 1;
      const titles = isAll ? "all measures" : group.map(({ title }) => title).join("; ");
      if (!figures || (isSame && isAll)) {
        const told = figures ? `${message}: ${figures}` : message;
        return { severity, message: `${told} (${titles})` };
      }
      const each = group.map(({ title, figures }) => `${title} (${figures})`);
      return { severity, message: `${message}: ${each.join("; ")}` };
    })
    .sort((a, b) => WEIGHTS.indexOf(a.severity) - WEIGHTS.indexOf(b.severity));
}

/** @type {Finding["severity"][]} */
const WEIGHTS = ["invalid", "weak", "note"];

/**
 * @param {Results} results
 * @returns {Map<string, CellRecord>} the last attempt at each cell
 */
export function lastAttempts(results) {
  return new Map(results.cells.map((record) => [record.id, record]));
}

/**
 * @param {Results} results
 * @returns {{complete: boolean, sentence: string, missing: PlannedCell[]}} missing: planned, and never tried
 */
export function runState(results) {
  const last = [...lastAttempts(results).values()];
  const recorded = new Set(last.map(({ id }) => id));
  const missing = results.plan.cells.filter(({ id, skip }) => !recorded.has(id) && skip === null);
  const failed = last.filter(({ status }) => status === "failed").length;
  const left = results.plan.cells.filter(
    ({ id, skip }) =>
      skip !== null || last.some((one) => one.id === id && one.status === "skipped"),
  );
  const lacking = left.filter((cell) => skipKindOf(cell) === "has-none").length;
  const skipped = left.length - lacking;
  const retried = results.cells.length - last.length;
  const complete = results.run.endedAt !== null && missing.length === 0;
  const spoiled = complete ? 0 : cellsToRepeat(results).length;
  const parts = [
    failed > 0 && `${counted(failed, "cell")} failed, retries included`,
    retried > 0 && `${counted(retried, "attempt")} repeated`,
    spoiled > 0 &&
      `${counted(spoiled, "cell")} to be run again, as others took too much of the machine or it was not as fast as before`,
    skipped > 0 && `${counted(skipped, "cell")} skipped`,
    lacking > 0 && `${counted(lacking, "cell")} of events that a proxy has none of`,
  ].filter((part) => part !== false);
  const details = parts.length > 0 ? `; ${parts.join("; ")}` : "";
  const planned = counted(results.plan.cells.length, "planned cell");
  const sentence = complete
    ? `Complete: all ${planned} have a result${details}.`
    : `Interrupted: ${count(missing.length)} of ${planned} have not run${details}. The report covers the others.`;
  return { complete, sentence, missing };
}

/**
 * @param {Analysis} analysis
 * @returns {string} what was run, when, and on what
 */
export function headline(analysis) {
  const { results, settings, capacities, survivals, storms, stalls, aa } = analysis;
  const { plan, run, environment } = results;
  const rivals = plan.proxies.filter((name) => name !== CONTROL).length;
  const control = rivals < plan.proxies.length && aa?.proxy !== CONTROL ? ["the control"] : [];
  const what = aa
    ? `A/A run, which measures noise: ${list([aa.proxy, aa.unobserved ? "the same unobserved" : "a copy of it", ...control])}`
    : `Battle ${plan.battle}: ${list([counted(rivals, "proxy", "proxies"), ...control])}`;
  const parts = [
    ...(comparesNothing(analysis) ? [] : [counted(settings.length, "setting")]),
    ...(capacities.length > 0 ? [counted(capacities.length, "search", "searches")] : []),
    ...survivals.map(({ events }) => counted(events.length, "event")),
    ...(storms.length > 0 ? [counted(storms.length, "storm")] : []),
    ...(stalls.length > 0 ? [`${counted(stalls.length, "load")} with slow readers`] : []),
  ];
  const size = `in ${list(parts)}, ${roundsText(plan)}`;
  const when = `${time(run.startedAt)}${run.endedAt ? ` to ${time(run.endedAt)}` : ""}`;
  const remark = run.remark ? ` Remark of who published it: ${run.remark}` : "";
  return `${what} ${size}. ${when}. ${machineLine(environment)}.${remark}`;
}

/**
 * @param {Analysis} analysis
 * @returns {boolean} it has no load under which costs are compared: it searches rates, or something happens to its connections
 */
export function comparesNothing({ settings, capacities, survivals, storms, stalls }) {
  return settings.length === 0 && [capacities, survivals, storms, stalls].some(isNotEmpty);
}

/** @param {unknown[]} list */
function isNotEmpty({ length }) {
  return length > 0;
}

/**
 * @param {string} title
 * @param {{year: number | null}} study
 */
export function dated(title, { year }) {
  return year === null ? title : `${title}, ${year}`;
}

/**
 * @param {string | null} time ISO 8601
 * @returns {string} `2026-01-31 23:07 UTC`
 */
export function time(time) {
  const date = new Date(time ?? NaN);
  if (Number.isNaN(date.getTime())) return NONE;
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * @param {Environment} environment
 * @returns {string} the group of the details that is about the machine, in one line
 */
export function machineLine({ identity, details }) {
  const group = Object.entries(details).find(([name]) => /machine|hardware/i.test(name))?.[1];
  const parts = Object.entries(group ?? identity)
    .filter(([, value]) => value !== null && value !== "")
    .slice(0, 3)
    .map(([label, value]) => (typeof value === "string" ? value : `${value} ${label}`));
  return parts.length > 0 ? `On ${parts.join(", ")}` : "The machine is not recorded";
}

/**
 * @param {Analysis} analysis
 * @returns {{ws: Setting, wss: Setting}[]} settings that differ by the scheme alone; without files, which have a section of their own
 */
export function tlsPairs({ settings }) {
  const load = (/** @type {Setting} */ { scenario, parameters }) =>
    JSON.stringify([scenario, Object.entries(parameters).sort()]);
  return settings
    .filter(({ scheme, workload }) => scheme === "ws" && !comparesServers(workload))
    .flatMap((ws) => {
      const wss = settings.find((other) => other.scheme === "wss" && load(other) === load(ws));
      return wss ? [{ ws, wss }] : [];
    });
}

/**
 * @param {Analysis} analysis
 * @param {Curves} curves
 * @returns {{what: string, why: string}[]}
 */
export function unmeasured(analysis, curves) {
  const { results, settings, cells, noiseFloor, aa, operationCosts } = analysis;
  const titles = looks(results);
  /** @type {Map<string, Set<string>>} */
  const byReason = new Map();
  const add = (/** @type {string} */ why, /** @type {string} */ what) =>
    byReason.set(why, (byReason.get(why) ?? new Set()).add(what));

  for (const cell of results.plan.cells)
    if (cell.skip && skipKindOf(cell) !== "has-none") add(cell.skip, cell.id);
  for (const { measure: key, scheme, missing } of operationCosts)
    if (missing && missing.messages.length > 0)
      add(
        `It takes two settings that differ in messages a connection alone; ${missing.messages.length === 1 ? `all of this run have ${count(missing.messages[0])}` : "this run has none"}`,
        `${measureOf(analysis, key).title}, ${scheme}`,
      );
  for (const setting of settings) {
    const { comparisons } = setting;
    for (const { name } of results.proxies) {
      const missing = comparisons.flatMap((comparison) => {
        const row = comparison.rows.find(({ proxy }) => proxy === name);
        const why = missingText(row?.missing ?? []);
        return why ? [{ why, measure: columnOf(analysis, comparison).measure.title }] : [];
      });
      for (const [why, all] of Map.groupBy(missing, ({ why }) => why)) {
        const isAll = all.length === comparisons.length;
        const measures = isAll ? "every measure" : all.map(({ measure }) => measure).join(", ");
        add(why, `${titles[name].label}, ${settingTitle(setting, settings)}: ${measures}`);
      }
    }
  }
  const ok = cells.filter(({ record }) => record.status === "ok");
  /** @type {[string, (cell: AnalysedCell) => boolean][]} */
  const gaps = [
    [
      "No curve was recorded",
      ({ record }) => record.proxy !== CONTROL && !curves[record.id]?.seconds.length,
    ],
    [
      "The cgroup was gone before its memory could be read",
      ({ record }) => Object.values(record.containers).some(({ memory }) => memory === null),
    ],
    [
      "The network counters could not be read",
      ({ record }) => !Object.values(record.containers).some(({ network }) => network),
    ],
    [
      "On the machine's own network nobody counts what of it is a container's: that the traffic passed the proxy was not checked",
      ({ workload }) => isOnHostNetwork(workload),
    ],
    [
      "What TLS negotiated is not recorded",
      ({ record }) => record.scheme === "wss" && record.tls === null,
    ],
    ["The machine's own counters are not recorded", ({ record }) => record.machine === null],
    [
      "The spread over the echo workers is not recorded",
      ({ record, workload }) => record.echoWorkers === null && workload.protocol === "websocket",
    ],
  ];
  for (const [why, applies] of gaps) {
    const affected = ok.filter(applies);
    if (affected.length === 0) continue;
    add(why, affected.length === ok.length ? "Every cell" : counted(affected.length, "cell"));
  }
  if (settings.some(({ comparisons }) => comparisons.some(hasNoInterval))) {
    add("Too few rounds", "Confidence intervals of some medians, and the ranks that rest on them");
  }
  if (!noiseFloor && !aa) {
    add(
      "No proxy was compared with a copy of itself on this environment: ./bench aa PROXY does",
      "The noise floor",
    );
  }
  return [...byReason].map(([why, what]) => ({ what: [...what].join("; "), why }));
}

/** @param {Comparison} comparison */
function hasNoInterval({ rows }) {
  return rows.some(({ median }) => median && median.interval === null);
}
