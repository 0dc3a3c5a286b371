/**
 * The overview of a run in words: which proxy to choose, in a sentence and a table.
 *
 * @import { Analysis, Overview, OverviewCell, OverviewColumn, Promised, Setting, Slopes } from "../analyse/types.js"
 * @import { Results } from "../model/record.ts"
 * @import { Interval } from "../statistics/types.js"
 */
import { unmeasured } from "../analyse/merged-overview.js";
import { withoutVariants } from "../analyse/variants.js";
import { counted, figure, NONE, number, range, rankText, ratio, shownUnit } from "../numbers.js";
import { connectionsInAll, isPaced, schemeName } from "../plan/workload.js";
import { missingText } from "./findings.js";
import { capital, list, nameOfProxy, tyingText } from "./words.js";

/**
 * @typedef {object} GlanceCell
 * @property {string} proxy
 * @property {string} text the ratio to the best, or the figure where nobody is ranked
 * @property {string} spread its interval, or the lowest and the highest round; empty where there is none
 * @property {string} amount the figure that a ratio is of; empty where it is `text`
 * @property {string} rank `2 =` where it is shared; empty where there is none
 * @property {boolean} isFirst of the first rank, alone or not
 * @property {Interval | null} ends of a bar, as ratios to the best or to the lowest; null: there is nothing to draw
 * @property {number | null} value as the ends
 *
 * @typedef {object} GlanceColumn
 * @property {string} title `CPU per connection, ws`
 * @property {string} load what it rests on
 * @property {boolean} hasRatios
 * @property {GlanceCell[]} cells in the order of the proxies
 *
 * @typedef {object} Gap what was not measured
 * @property {string} title `CPU per message, ws`, with a capital
 * @property {string} gap `not measured: ./bench run messages`
 *
 * @typedef {{sentence: string, proxies: string[], columns: GlanceColumn[], gaps: Gap[], legend: string}} Glance
 */

/** By the column's key. @type {Record<string, string>} */
export const TITLES = {
  handshake: "CPU per handshake",
  connection: "CPU per connection",
  message: "CPU per message",
  "handshake-p99": "handshake p99 at a set rate",
  "echo-p99": "echo p99 at a set rate",
  carried: "connections a second within a promised p99",
  "carried-messages": "messages a second within a promised p99",
  held: "memory a held connection",
  "per-gib": "connections a GiB",
  lost: "connections lost at a reload",
  request: "CPU per request",
  served: "CPU of proxy and server",
};

/** What proxies are used for, what is counted there, and the keys of its columns. */
const USES = [
  { use: "short connections", what: "CPU", keys: ["handshake", "connection"] },
  { use: "messages", what: "CPU", keys: ["message"] },
  {
    use: "the highest rate within a promised p99",
    what: "",
    keys: ["carried", "carried-messages"],
  },
  { use: "held connections", what: "memory", keys: ["held", "per-gib"] },
  { use: "a low p99 at a set rate", what: "", keys: ["handshake-p99", "echo-p99"] },
  { use: "reloads", what: "connections lost", keys: ["lost"] },
];

const NONE_IN_ALL = "No proxy is best in all";

/** How to read a column of rates that were searched. */
const CARRIED_NOTE =
  "Within a promised p99: the highest rate that kept it, and in brackets that and the lowest above it which did not.";

/** Units of figures that are no measure's own. @type {Record<string, string>} */
const UNITS = { "per-gib": "" };

/**
 * @param {Pick<Analysis, "results" | "overview">} analysis
 * @returns {Glance | null} null: there is none
 */
export function glanceOf({ results, overview }) {
  if (!overview) return null;
  const measured = overview.columns.filter(wasMeasured);
  const columns = measured.map((column) => glanceColumn(column, overview.proxies));
  const figures = measured.every(isPromised)
    ? []
    : ["Figures with the lowest and the highest round: too few rounds to rank."];
  return {
    sentence: sentenceOf(overview, results),
    proxies: overview.proxies,
    columns,
    gaps: overview.columns.filter((column) => !wasMeasured(column)).map(gapIn),
    legend: [
      ...(columns.some(({ hasRatios }) => hasRatios)
        ? [
            "× best: the ratio to the best of the column, 1 being the best; with it the 95 % interval, or the lowest and the highest of too few rounds for one, its rank, where = is a shared one: no difference is seen, and the figure that it is of.",
          ]
        : figures),
      ...carriedNotes(overview.columns),
      ...otherwiseTexts(overview, results),
    ].join(" "),
  };
}

/**
 * @typedef {OverviewColumn & {at: NonNullable<OverviewColumn["at"]>}} MeasuredColumn
 *
 * @param {OverviewColumn} column
 * @returns {column is MeasuredColumn}
 */
function wasMeasured(column) {
  return column.at !== null;
}

/**
 * @param {Pick<OverviewColumn, "at">[]} columns
 * @returns {string[]} how to read rates that were searched; empty where none was
 */
export function carriedNotes(columns) {
  return columns.some(isPromised) ? [CARRIED_NOTE] : [];
}

/** @param {Pick<OverviewColumn, "at">} column */
function isPromised({ at }) {
  return Array.isArray(at) && at[0].promised !== undefined;
}

/**
 * @param {{analysis: Analysis}[]} runs
 * @returns {Gap[]} what an overview asks and no run has measured, with the battle that would
 */
export function gapsOf(runs) {
  return unmeasured(runs).map(gapIn);
}

/**
 * @param {OverviewColumn} column
 * @returns {Gap}
 */
function gapIn(column) {
  return {
    title: capital(titleOf(column)),
    gap: `not measured: ./bench run ${column.battle}`,
  };
}

/**
 * @param {MeasuredColumn} column
 * @param {string[]} proxies
 * @returns {GlanceColumn}
 */
function glanceColumn(column, proxies) {
  const { cells, at } = column;
  const found = proxies.flatMap((proxy) => cells.find((cell) => cell.proxy === proxy) ?? []);
  return {
    title: titleOf(column),
    load: loadText(at),
    hasRatios: cells.some(({ isBest, ratio }) => isBest || ratio !== null),
    cells: glanceCells(found, columnUnit(column)),
  };
}

/**
 * @param {OverviewColumn} column
 * @returns {string} unit of its figures
 */
export function columnUnit({ key, measure }) {
  return UNITS[key] ?? measure.unit;
}

/**
 * A column has room for one load; that another would name others is said.
 *
 * @param {Overview} overview
 * @param {Results} results
 * @returns {string[]} a sentence for each column that it is true of
 */
function otherwiseTexts({ columns }, results) {
  return columns.flatMap((column) => {
    const { at, otherwise } = column;
    if (!at || otherwise.length === 0) return [];
    const others = otherwise.map(
      (other) => `${tyingText(results, other.best)} with ${loadText(other.at)}`,
    );
    return `${titleOf(column)}, stands for ${loadText(at)}; best is ${others.join(", ")}.`;
  });
}

/**
 * @param {OverviewCell[]} cells of one column
 * @param {string} unit of their figures
 * @returns {GlanceCell[]} in their order
 */
export function glanceCells(cells, unit) {
  const values = cells.flatMap(({ value }) => value?.value ?? []);
  const scale = shownUnit(unit, values);
  const lowest = Math.min(...values);
  return cells.map((cell) => glanceCell(cell, scale, lowest));
}

/** @param {Pick<OverviewColumn, "key" | "protocol" | "scheme" | "at">} column */
export function titleOf({ key, protocol, scheme, at }) {
  const name = schemeName({ scheme, workload: { protocol } });
  return `${TITLES[key]}${key === "per-gib" && !at ? "" : `, ${name}`}`;
}

/**
 * @param {(Omit<Setting, "comparisons"> & Partial<Promised>)[] | Slopes} at
 * @returns {string} what a column rests on
 */
export function loadText(at) {
  if (!Array.isArray(at)) return slopeLoadText(at);
  const [{ workload, promised }] = at;
  if (promised) {
    const { sloMs, proxyCpus } = promised;
    return `at most ${number(sloMs)} ms${proxyCpus > 0 ? ` with ${counted(proxyCpus, "core")}` : ""}`;
  }
  const { messagesPerSecond, messageBytes, connectionsPerSecond = 0 } = workload;
  if (messagesPerSecond)
    return `${counted(messagesPerSecond, "message")} of ${counted(messageBytes ?? 0, "byte")} a second`;
  if (isPaced(workload)) return `${counted(connectionsPerSecond, "connection")} a second`;
  const sizes = [...new Set(at.map(({ workload }) => connectionsInAll(workload)))];
  return `${list(sizes.map(number))} connections`;
}

/**
 * @param {Slopes} slopes
 * @returns {string} over how many held: as many as each proxy carried here
 */
function slopeLoadText({ parts: [{ rows }], most }) {
  const last = rows.flatMap(({ slope, points }) => (slope ? points.slice(-1) : []));
  // Where nobody has a slope, what was planned.
  const held = last.length > 0 ? last.map(({ connections }) => connections) : [most];
  const [least, largest] = [Math.min(...held), Math.max(...held)];
  return least < largest
    ? `slope over up to ${number(least)} to ${number(largest)} held, as many as each carries here`
    : `slope over up to ${number(largest)} held`;
}

/**
 * @param {OverviewCell} cell
 * @param {{unit: string, divisor: number}} scale
 * @param {number} lowest of the column
 * @returns {GlanceCell}
 */
function glanceCell(cell, { unit, divisor }, lowest) {
  const { proxy, value, values, missing } = cell;
  const isFirst = cell.rank === 1;
  const rank = rankText(cell.rank, cell.ties.length > 0);
  if (!value) {
    const text = missing.length > 0 ? missingText(missing) : NONE;
    return { proxy, text, spread: "", amount: "", rank, isFirst, ends: null, value: null };
  }
  const shown = figure(value.value / divisor);
  const inUnit = unit ? `${shown} ${unit}` : shown;
  const { toReference } = cell;
  const amount = toReference === null ? inUnit : `${inUnit}, ${toReference.toFixed(2)} × reference`;
  if (cell.isBest)
    return { proxy, text: "×1", spread: "", amount, rank, isFirst, ends: [1, 1], value: 1 };
  if (cell.ratio) {
    const { value: times, interval, rounds } = cell.ratio;
    const extent = interval ?? rounds;
    const spread = extent ? `${interval ? "" : "rounds "}${range(extent, times)}` : "";
    const ends = extent ?? /** @type {Interval} */ ([times, times]);
    return { proxy, text: ratio(times), spread, amount, rank, isFirst, ends, value: times };
  }
  const extent = /** @type {Interval | null} */ (
    values.length > 1 ? [Math.min(...values), Math.max(...values)] : null
  );
  const ends = value.interval ?? extent ?? [value.value, value.value];
  const isWide = value.interval || extent;
  return {
    proxy,
    text: cell.isAtLeast ? `at least ${amount}` : amount,
    spread: isWide ? range([ends[0] / divisor, ends[1] / divisor], value.value / divisor) : "",
    amount: "",
    rank,
    isFirst,
    ends: lowest > 0 ? [ends[0] / lowest, ends[1] / lowest] : null,
    value: lowest > 0 ? value.value / lowest : null,
  };
}

/**
 * @param {Overview} overview
 * @param {Results} results
 * @returns {string} whom to choose, for what, and what is not known
 */
function sentenceOf({ columns }, results) {
  const measured = columns.filter(wasMeasured);
  const ranked = rankedOf(measured);
  const gaps = columns.filter((column) => !wasMeasured(column));
  const unknown = [
    ...(measured.length > ranked.length
      ? [`not ranked: ${list(joined(measured.filter((one) => !ranked.includes(one))))}`]
      : []),
    ...(gaps.length > 0 ? [`not measured here: ${list(joined(gaps, columns))}`] : []),
  ];
  const tail = unknown.map((text) => `; ${text}`).join("");
  if (ranked.length === 0) return `No proxy can be chosen by this run, as it ranks none${tail}.`;
  const isFirstLook = ranked.some((column) => column.isFirstLook);
  const look = isFirstLook ? " A first look: too few rounds for a verdict." : "";
  const { proxies } = results;
  const choice = choiceText(ranked, { proxies, nameOf: (name) => nameOfProxy(results, name) });
  return `${choice}${tail}.${look}`;
}

/** @param {Pick<OverviewColumn, "cells">} column @returns {string[]} who is first in it, alone or not */
function leaders({ cells }) {
  return cells.filter(({ rank }) => rank === 1).map(({ proxy }) => proxy);
}

/**
 * @param {Pick<OverviewColumn, "cells">[]} ranked one at least
 * @param {Results["proxies"]} proxies of the records that they are of
 * @returns {string[]} who is first in each of them, without variants that tie with their original; sorted
 */
function bestInAll(ranked, proxies) {
  const everywhere = leaders(ranked[0])
    .filter((name) => ranked.every((column) => leaders(column).includes(name)))
    .sort();
  return withoutVariants(everywhere, proxies);
}

/**
 * As `choiceText`, by what a proxy is used for: a use has a name where one is first in all of its columns.
 *
 * @param {Parameters<typeof choiceText>[0]} ranked
 * @param {Parameters<typeof choiceText>[1]} named
 * @returns {string} without a full stop
 */
export function choiceByUse(ranked, { proxies, nameOf }) {
  const names = (/** @type {string[]} */ found) => alternatives(found.map(nameOf));
  const told = USES.flatMap(({ use, what, keys }) => {
    const own = ranked.filter(({ key }) => keys.includes(key));
    if (own.length === 0) return [];
    const isForOneLoad = own.some(({ otherwise }) => otherwise.length > 0);
    const schemes = [...new Set(own.map((column) => titleOf(column).split(", ")[1]))];
    const about = [what, list(schemes), ...(isForOneLoad ? ["not with every load"] : [])];
    const best = bestInAll(own, proxies);
    const text = `for ${use} (${about.filter(Boolean).join(", ")})`;
    return best.length > 0 ? `${names(best)} ${text}` : `${text} it depends on the measure`;
  });
  const chosen = bestInAll(ranked, proxies);
  return chosen.length > 0
    ? `Choose ${names(chosen)}, best or tied with the best in all that was measured`
    : `${NONE_IN_ALL}: ${told.join("; ")}`;
}

/**
 * @param {string[]} words
 * @returns {string} `a, b or c`
 */
function alternatives(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/**
 * @template {OverviewColumn} T
 * @param {T[]} columns
 * @returns {T[]} those that rank proxies, and leave none out that may be the first
 */
export function rankedOf(columns) {
  return columns.filter(
    ({ cells }) => cells.some(({ rank }) => rank !== null) && !cells.some(mayLead),
  );
}

/**
 * @param {OverviewCell} cell
 * @returns {boolean} it has no rank, and no upper end is known of what it carries
 */
function mayLead({ isAtLeast, rank }) {
  return isAtLeast === true && rank === null;
}

/**
 * @param {Pick<OverviewColumn, "key" | "protocol" | "scheme" | "at" | "cells" | "otherwise">[]} ranked those that rank proxies, one at least
 * @param {object} named
 * @param {Results["proxies"]} named.proxies of the records that they are of
 * @param {(name: string) => string} named.nameOf
 * @returns {string} whom to choose, and for what; without a full stop
 */
export function choiceText(ranked, { proxies, nameOf }) {
  const chosen = bestInAll(ranked, proxies);
  // A variant that is chosen is named beside its original as well, where only the variant is best in all.
  const named = (/** @type {Pick<OverviewColumn, "cells">} */ column) => {
    const told = withoutVariants(leaders(column), proxies);
    return leaders(column).filter((name) => told.includes(name) || chosen.includes(name));
  };
  const groups = Map.groupBy(ranked, (column) => named(column).sort().join(" "));
  const told = [...groups.values()].map((own) => {
    const names = named(own[0]);
    const of = list(joined(own));
    if (chosen.length === names.length)
      return chosen.length > 1 ? `no difference seen in ${of}` : `best in ${of}`;
    return `${list(names.map(nameOf))} ${names.length > 1 ? "tie" : "is best"} in ${of}`;
  });
  const choice =
    chosen.length > 0 ? `Choose ${chosen.map(nameOf).join(" or ")}: ` : `${NONE_IN_ALL}: `;
  const isWhole = ranked.every((column) => named(column).length === leaders(column).length);
  const rest = isWhole ? "" : "; variants that tie with their original are not named";
  return `${choice}${told.join("; ")}${rest}`;
}

/**
 * @param {Pick<OverviewColumn, "key" | "protocol" | "scheme" | "at" | "otherwise">[]} columns
 * @param {Pick<OverviewColumn, "key" | "at">[]} [all] that they are some of
 * @returns {string[]} `CPU per connection (ws and wss)`; without the schemes where none of them is measured
 */
function joined(columns, all = columns) {
  const groups = Map.groupBy(columns, ({ key }) => key);
  return [...groups].map(([key, own]) => {
    const names = own.map((column) => titleOf(column).split(", ")[1]).filter(Boolean);
    const isForOneLoad = own.some(({ otherwise }) => otherwise.length > 0);
    const isMeasured = all.some((column) => column.key === key && column.at);
    return names.length > 0 && isMeasured
      ? `${TITLES[key]} (${list(names)}${isForOneLoad ? ", not with every load" : ""})`
      : TITLES[key];
  });
}
