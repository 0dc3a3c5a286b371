/**
 * All proxies at a glance: a column a question, a cell a proxy. What is to be seen first of a run.
 */
import { mean } from "simple-statistics";
import { CONTROL } from "../plan/proxies.js";
import { LOST } from "./experiment-measures.js";
import { measure } from "./measures.js";

/** @import { Estimate } from "../statistics/types.js" */
/** @import { Scheme, Workload } from "../model/plan.ts" */
/** @import { Analysis, CapacityAnswer, Comparison, Contest, DelayKind, DelayRow, Missing, Overview, OverviewCell, OverviewColumn, Ratio, Setting, Share, SlopeRow, SurvivalAnswer, SurvivalFigures } from "./types.js" */

/** Whose slope over held connections is what one of them takes. */
export const HELD = "proxy_memory_mean_usage_bytes";

/** What is told of events: of the one that every change of a configuration is. */
const EVENTS_KEY = "lost";
const CHANGE = "reload";

/**
 * @typedef {Pick<Analysis, "results" | "asked" | "slopes" | "delays" | "machineIndices" | "survivals" | "capacities">} Analysed
 *
 * @typedef {Pick<OverviewColumn, "at" | "isFirstLook"> & {cells: Omit<OverviewCell, "toReference">[]}} Load
 * @typedef {Load & Partial<Pick<OverviewColumn, "otherwise">>} Found otherwise: left out, there is one load alone
 *
 * @typedef {object} Choice
 * @property {string} key
 * @property {string} measure
 * @property {(analysed: Analysed, column: ColumnDefinition, measure: string) => Found | null} find null: the run cannot speak to it
 *
 * @typedef {object} ColumnDefinition
 * @property {Workload["protocol"]} protocol of the runs that it is a question of
 * @property {Scheme} scheme
 * @property {string | null} battle of battles/, which measures it; null: nobody misses it where it was not measured
 * @property {Choice[]} choices the first that the run can speak to
 */

/** From the left to the right. @type {ColumnDefinition[]} */
const COLUMNS = [
  ...both({
    protocol: "websocket",
    battle: "balancerbattle",
    choices: [
      { key: "handshake", measure: "cpu_us_per_handshake", find: pooled() },
      {
        key: "connection",
        measure: "cpu_us_per_connection",
        // With many messages it is what these cost.
        find: pooled(({ messages = 1 }) => messages === 1),
      },
    ],
  }),
  {
    protocol: "websocket",
    scheme: "ws",
    battle: "balancerbattle",
    choices: [{ key: "message", measure: "cpu_us_per_message", find: pooled() }],
  },
  ...["handshake", "echo"].map((kind) => p99Column(/** @type {DelayKind} */ (kind))),
  ...both({
    protocol: "websocket",
    battle: null,
    choices: [
      { key: "carried", measure: "connections_per_second", find: carried({ isHeld: false }) },
    ],
  }),
  {
    protocol: "websocket",
    scheme: "ws",
    battle: null,
    choices: [
      { key: "carried-messages", measure: "messages_per_second", find: carried({ isHeld: true }) },
    ],
  },
  ...heldColumns({ key: "held", measure: HELD, find: held(({ slope }) => slope) }),
  ...heldColumns({
    key: "per-gib",
    measure: HELD,
    find: held(({ connectionsPerGiB }) => connectionsPerGiB),
  }),
  {
    protocol: "websocket",
    scheme: "ws",
    battle: "survival",
    choices: [{ key: EVENTS_KEY, measure: LOST, find: lostIn(CHANGE) }],
  },
  ...both({
    protocol: "http",
    battle: null,
    choices: [
      { key: "request", measure: "proxy_cpu_us_per_request", find: pooled() },
      { key: "served", measure: "servers_cpu_seconds", find: pooled() },
    ],
  }),
];

/**
 * @param {Pick<OverviewColumn, "key" | "scheme">} column
 * @returns {string} the same in every run that answers it
 */
export function questionKey({ key, scheme }) {
  return `${key} ${scheme}`;
}

/** From the left to the right. */
export const QUESTION_KEYS = COLUMNS.flatMap(({ scheme, choices }) =>
  choices.map(({ key }) => questionKey({ key, scheme })),
);

/**
 * @param {Analysed} analysed
 * @returns {Overview | null} null: it has no contender, or none of its scenarios is compared so
 */
export function overviewOf(analysed) {
  const proxies = analysed.results.plan.proxies.filter((name) => name !== CONTROL);
  const columns = columnsOf(analysed);
  // Of events alone, their matrix says more.
  if (proxies.length === 0 || columns.every(({ at, key }) => !at || key === EVENTS_KEY))
    return null;
  return { proxies: inOrder(proxies, columns), columns };
}

/**
 * @param {Analysed} analysed
 * @returns {OverviewColumn[]} what is asked of such a run, whether it can speak to it or not
 */
export function columnsOf(analysed) {
  const { plan } = analysed.results;
  const protocols = new Set(plan.cells.map(({ scenario }) => plan.scenarios[scenario].protocol));
  const columns = COLUMNS.filter(({ protocol }) => protocols.has(protocol)).map((definition) => {
    const { protocol, scheme, battle, choices } = definition;
    const foundOver = (/** @type {Scheme} */ own) =>
      choices.flatMap(({ find, ...choice }) => {
        const one = find(analysed, { ...definition, scheme: own }, choice.measure);
        return one ? [{ ...choice, ...one }] : [];
      });
    /** @type {Found} */
    const none = { at: null, cells: [], isFirstLook: false };
    // What is not measured over one scheme is missed as what the other is told by.
    const twin = foundOver(scheme === "ws" ? "wss" : "ws")[0] ?? choices[0];
    const missed = { key: twin.key, measure: twin.measure, ...none };
    const first = foundOver(scheme)[0] ?? missed;
    const { key, measure: name, at, cells, isFirstLook, otherwise = [] } = first;
    const held = cells.map((cell) => ({
      ...cell,
      toReference: toReference(analysed, Array.isArray(at) ? at : [], { name, proxy: cell.proxy }),
    }));
    const asked = { key, measure: measure(name), protocol, scheme, battle };
    return { ...asked, at, cells: held, isFirstLook, otherwise };
  });
  return columns.filter(({ at, battle }) => at || battle);
}

/**
 * @param {Pick<Analysis, "machineIndices">} analysed
 * @param {Setting[]} settings
 * @param {{name: string, proxy: string}} figure name: of the measure
 * @returns {number | null} mean over the settings; null: not all of them have an index
 */
export function toReference({ machineIndices }, settings, { name, proxy }) {
  const found = settings.flatMap(({ key }) =>
    machineIndices
      .filter(({ setting, measure: own }) => setting === key && own === name)
      .flatMap(({ proxies }) => proxies.find((one) => one.proxy === proxy)?.toReference ?? []),
  );
  return found.length > 0 && found.length === settings.length ? mean(found) : null;
}

/**
 * @param {string[]} proxies
 * @param {OverviewColumn[]} columns
 * @returns {string[]} as the first column that ranks them does; those without a rank last
 */
export function inOrder(proxies, columns) {
  const ranking = columns.find(({ cells }) => cells.some(({ rank }) => rank !== null));
  const place = (/** @type {string} */ name) => {
    const cell = ranking?.cells.find(({ proxy }) => proxy === name);
    return cell?.rank ? cell.rank + (cell.isBest ? 0 : 0.5) : Infinity;
  };
  return proxies.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

/**
 * @param {Omit<ColumnDefinition, "scheme">} definition
 * @returns {ColumnDefinition[]} over ws and over wss
 */
function both(definition) {
  return [
    { ...definition, scheme: "ws" },
    { ...definition, scheme: "wss" },
  ];
}

/**
 * @param {Choice} choice
 * @returns {ColumnDefinition[]} over ws, and over wss where that was measured too
 */
function heldColumns(choice) {
  const [plain, encrypted] = both({
    protocol: "websocket",
    battle: "nginx-idle",
    choices: [choice],
  });
  return [plain, { ...encrypted, battle: null }];
}

/**
 * @param {(workload: Workload) => boolean} [applies]
 * @returns {Choice["find"]} of what is asked about: where there are several kinds of load the one that most proxies are
 *   ranked in
 */
function pooled(applies = () => true) {
  return ({ asked }, { scheme, protocol }, key) => {
    const found = asked
      .filter(({ settings: [{ workload, ...setting }] }) => {
        return setting.scheme === scheme && workload.protocol === protocol && applies(workload);
      })
      .flatMap(({ settings, comparisons }) => {
        const comparison = comparisons.find((one) => one.measure === key);
        if (!comparison) return [];
        const cells = cellsOf(comparison);
        const isFirstLook = comparison.findings.some(({ gate }) => gate === "few-rounds");
        return cells.some(({ value }) => value) ? [{ at: settings, cells, isFirstLook }] : [];
      });
    const ranked = (/** @type {Found} */ { cells }) =>
      cells.filter(({ rank }) => rank !== null).length;
    // Of two that are ranked alike, that one.
    const paced = (/** @type {Found} */ { at }) => Number(isAtSetRate(at));
    return firstOf(found.toSorted((a, b) => ranked(b) - ranked(a) || paced(b) - paced(a)));
  };
}

/**
 * @param {Contest["at"] | null} at what an answer rests on
 * @returns {boolean} all proxies carried the same in it, as what was due came at a set rate
 */
export function isAtSetRate(at) {
  return Array.isArray(at) && at.every(({ workload }) => workload.loop === "open");
}

/**
 * @param {Load[]} loads for which one column has no room but for the first
 * @returns {Found | null} that one, with those of the others in which none of its best is among the best; null: there is none
 */
function firstOf([first, ...others]) {
  if (!first) return null;
  const bestOf = (/** @type {Load} */ { cells }) =>
    cells.filter(({ rank }) => rank === 1).map(({ proxy }) => proxy);
  const best = bestOf(first);
  const otherwise = others.flatMap((load) => {
    const own = bestOf(load);
    const differs = best.length > 0 && own.length > 0 && !own.some((name) => best.includes(name));
    return differs && Array.isArray(load.at) ? [{ at: load.at, best: own }] : [];
  });
  return { ...first, otherwise };
}

/**
 * @param {Comparison} comparison
 * @returns {Found["cells"]}
 */
export function cellsOf({ rows }) {
  const contenders = rows.filter(({ proxy }) => proxy !== CONTROL);
  // Of those that share the first rank, the one that all ratios are to.
  const best = contenders.find(
    ({ rank, p, toBest }) => rank === 1 && p === null && toBest?.value === 1,
  );
  return contenders.map((row) => ({
    proxy: row.proxy,
    value: row.median,
    values: row.values,
    ratio: row === best ? null : row.toBest,
    isBest: row === best,
    rank: row.rank,
    ties: row.ties,
    missing: row.missing,
  }));
}

/**
 * @param {DelayKind} kind
 * @returns {ColumnDefinition} the 99th percentile at a set rate
 */
function p99Column(kind) {
  const measure = kind === "handshake" ? "handshake_ms_p99" : "echo_latency_ms_p99";
  return {
    protocol: "websocket",
    scheme: "ws",
    battle: "latency",
    choices: [{ key: `${kind}-p99`, measure, find: delayed(kind) }],
  };
}

/**
 * @param {DelayKind} kind
 * @returns {Choice["find"]} where several settings have it, the first
 */
function delayed(kind) {
  return ({ delays }, { scheme }, key) => {
    const found = delays
      .filter((one) => one.kind === kind && one.setting.scheme === scheme)
      .map(({ setting, rows }) => {
        const comparison = setting.comparisons.find((one) => one.measure === key);
        const isFirstLook = comparison?.findings.some(({ gate }) => gate === "few-rounds") ?? false;
        return { at: [setting], cells: delayCells(rows), isFirstLook };
      })
      .filter(({ cells }) => cells.some(({ value }) => value));
    return firstOf(found);
  };
}

/**
 * @param {DelayRow[]} rows
 * @returns {Found["cells"]}
 */
export function delayCells(rows) {
  const contenders = rows
    .filter(({ proxy }) => proxy !== CONTROL)
    .map((row) => ({ row, told: row.percentiles.find(({ p }) => p === 0.99) }));
  const [best] = contenders
    .filter(({ told }) => told?.rank === 1 && told.ms)
    .sort((a, b) => Number(a.told?.ms?.value) - Number(b.told?.ms?.value));
  return contenders.map((one) => {
    const { row, told } = one;
    const [value, rank] = [told?.ms ?? null, told?.rank ?? null];
    return {
      proxy: row.proxy,
      value,
      values: value?.rounds ?? [],
      ratio: one === best || rank === null ? null : quotient(value, best?.told?.ms ?? null),
      isBest: one === best,
      rank,
      ties: told?.ties ?? [],
      missing: row.missing,
    };
  });
}

/**
 * @param {{isHeld: boolean}} what connections that are held, and carry messages; or those that come
 * @returns {Choice["find"]} the most under a promise; where several settings have it, the first
 */
function carried({ isHeld }) {
  return ({ capacities, results: { plan } }, { scheme }) => {
    const { promise, proxyCpus } = plan;
    if (!promise) return null;
    const found = capacities
      .filter((one) => one.scheme === scheme && one.workload.holdsConnections === isHeld)
      .map(({ answers, ...setting }) => ({
        at: [{ ...setting, comparisons: [], promised: { sloMs: promise.sloMs, proxyCpus } }],
        cells: answers.filter(({ proxy }) => proxy !== CONTROL).map(rateCell),
        isFirstLook: false,
      }))
      .filter(({ cells }) => cells.some(({ value }) => value));
    return firstOf(found);
  };
}

/**
 * @param {CapacityAnswer} answer
 * @returns {Found["cells"][number]} the highest rate that held, and in its interval the lowest that did not
 */
export function rateCell({ proxy, low, high, rank, ties, why }) {
  if (low === null)
    return { ...unranked(proxy, null, why === null ? [] : [{ kind: "skipped", why }]), rank, ties };
  /** @type {Estimate} */
  const value = { value: low, interval: high === null ? null : [low, high] };
  return { ...unranked(proxy, value), rank, ties, ...(high === null && { isAtLeast: true }) };
}

/**
 * @param {(row: SlopeRow) => Estimate | null} figureOf
 * @returns {Choice["find"]} of a slope over held connections
 */
function held(figureOf) {
  return ({ slopes }, { scheme }, key) => {
    const found = slopes.flatMap((one) => {
      const rows = one.parts.find((part) => part.measure === key)?.rows ?? [];
      const cells = slopeCells(rows, figureOf);
      return one.scheme === scheme && cells.some(({ value }) => value)
        ? [{ at: one, cells, isFirstLook: false }]
        : [];
    });
    return found[0] ?? null;
  };
}

/**
 * @param {string} event
 * @returns {Choice["find"]} what is lost in it; where several settings have it, the first
 */
function lostIn(event) {
  return ({ survivals }, { scheme }) => {
    const found = survivals
      .filter((setting) => setting.scheme === scheme)
      .flatMap(({ events, ...setting }) => {
        const { answers = [] } = events.find((one) => one.event === event) ?? {};
        const cells = shareCells(answers, ({ lost }) => lost);
        const at = [{ ...setting, comparisons: [] }];
        return cells.some(({ value }) => value) ? [{ at, cells, isFirstLook: false }] : [];
      });
    return found[0] ?? null;
  };
}

/**
 * @param {SurvivalAnswer[]} answers
 * @param {(figures: SurvivalFigures) => Share | null} shareIn
 * @returns {Found["cells"]} that share, in %
 */
export function shareCells(answers, shareIn) {
  return answers
    .filter(({ proxy }) => proxy !== CONTROL)
    .map(({ proxy, figures, missing }) =>
      unranked(proxy, percentOf(figures && shareIn(figures)), missing),
    );
}

/**
 * @param {string} proxy
 * @param {Estimate | null} value
 * @param {Missing[]} [missing]
 * @returns {Found["cells"][number]} of what has no rank
 */
export function unranked(proxy, value, missing = []) {
  return { proxy, value, values: [], ratio: null, isBest: false, rank: null, ties: [], missing };
}

/**
 * @param {Share | null} share
 * @returns {Estimate | null} in %
 */
function percentOf(share) {
  if (!share) return null;
  const [low, high] = share.interval;
  return { value: 100 * share.value, interval: [100 * low, 100 * high] };
}

/**
 * @param {SlopeRow[]} rows
 * @param {(row: SlopeRow) => Estimate | null} figureOf
 * @returns {Found["cells"]}
 */
export function slopeCells(rows, figureOf) {
  const contenders = rows.filter(({ proxy }) => proxy !== CONTROL);
  const [best] = contenders
    .filter(({ rank, slope }) => rank === 1 && slope)
    .sort((a, b) => Number(a.slope?.value) - Number(b.slope?.value));
  return contenders.map((row) => ({
    proxy: row.proxy,
    value: figureOf(row),
    values: [],
    ratio: row === best || row.rank === null ? null : quotient(figureOf(row), figureOf(best)),
    isBest: row === best,
    rank: row.rank,
    ties: row.ties,
    missing: row.ended && !row.slope ? [row.ended.why] : [],
  }));
}

/**
 * @param {Estimate | null} a
 * @param {Estimate | null} b
 * @returns {Ratio | null} with the interval that the ends of both leave: wider than that of the quotient itself
 */
function quotient(a, b) {
  if (!a || !b || !(b.value > 0)) return null;
  const [own, other] = [a.interval, b.interval];
  return {
    value: a.value / b.value,
    interval: own && other && other[0] > 0 ? [own[0] / other[1], own[1] / other[0]] : null,
    rounds: null,
  };
}
