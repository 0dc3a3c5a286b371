/**
 * Settings, and in each the comparisons of the proxies under one measure.
 */
import { median, quantile } from "simple-statistics";
import { CONTROL } from "../proxies.js";
import { detectableRatio, medianInterval, ratioInterval } from "../statistics/index.js";
import { measure } from "./measures.js";
import { allPairs, ALPHA, judge, rank } from "./ranking.js";
import { amount, counted, list, number } from "./words.js";

/** @import { Parameters, PlannedCell, Results } from "../record/types.js" */
/** @import { AnalysedCell, Comparison, Finding, Measure, Row, Setting } from "./types.js" */
/** @import { Judgement } from "./ranking.js" */

export const CONFIDENCE = 0.95;

/** The middle half of the rounds may lie so far apart, as a share of their median. */
const SPREAD_LIMIT_PERCENT = 25;

/**
 * What is compared, and what the control means under it. `bound`: the control does the same work without a proxy, so no
 * proxy can do better, and the difference is what the proxy adds. `own`: it is the cost of the control's own echo server.
 *
 * @type {{key: string, control: "bound" | "own", applies?: (parameters: Parameters) => boolean}[]}
 */
const COMPARED = [
  { key: "handshake_ms_mean", control: "bound" },
  { key: "handshake_ms_median", control: "bound" },
  { key: "handshake_ms_p99", control: "bound" },
  { key: "echo_latency_ms_mean", control: "bound" },
  { key: "echo_latency_ms_median", control: "bound" },
  { key: "echo_latency_ms_p99", control: "bound" },
  { key: "total_seconds", control: "bound" },
  { key: "connections_per_second", control: "bound" },
  { key: "cpu_us_per_handshake", control: "own" },
  { key: "cpu_us_per_message", control: "own", applies: ({ MESSAGES }) => MESSAGES > 1 },
  { key: "proxy_memory_peak_usage_bytes", control: "own" },
  { key: "proxy_memory_per_connection_bytes", control: "own" },
];

/**
 * @param {Pick<PlannedCell, "scenario" | "scheme" | "parameters">} cell
 * @returns {string} the same for all proxies and rounds
 */
export function settingKey({ scenario, scheme, parameters }) {
  const parts = Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name.toLowerCase().replaceAll("_", "-")}-${value}`);
  return [scenario, scheme, ...parts].join("-");
}

/**
 * @param {Results} results
 * @param {AnalysedCell[]} cells of all settings
 * @returns {Setting[]} ws before wss, then by parameters
 */
export function compareAll(results, cells) {
  const planned = new Map(results.plan.cells.map((cell) => [settingKey(cell), cell]));
  const settings = [...planned].map(([key, { scenario, scheme, parameters }]) => ({
    key,
    scenario,
    scheme,
    parameters,
  }));
  settings.sort(
    (a, b) =>
      compareText(a.scenario, b.scenario) ||
      compareText(a.scheme, b.scheme) ||
      Object.keys(a.parameters)
        .map((name) => a.parameters[name] - (b.parameters[name] ?? 0))
        .find((difference) => difference !== 0) ||
      0,
  );
  const all = settings.map(({ parameters }) => parameters);
  return settings.map((setting) => ({
    ...setting,
    title: titleOf(setting, all),
    comparisons: COMPARED.filter(({ applies }) => applies?.(setting.parameters) ?? true).map(
      ({ key, control }) =>
        compare(measure(key), control, new SettingData(results, setting.key, cells, key)),
    ),
  }));
}

/**
 * @param {string} a
 * @param {string} b
 */
function compareText(a, b) {
  return a < b ? -1 : Number(a > b);
}

/**
 * @param {Pick<Setting, "scenario" | "scheme" | "parameters">} setting
 * @param {Parameters[]} all of the run
 * @returns {string} with every parameter that another setting has otherwise
 */
function titleOf({ scenario, scheme, parameters }, all) {
  const { CONNECTIONS: connections, MESSAGES: messages } = parameters;
  const others = Object.entries(parameters)
    .filter(([name]) => name !== "CONNECTIONS" && name !== "MESSAGES")
    .filter(([name, value]) => all.some((other) => other[name] !== value))
    .map(([name, value]) => `, ${name}=${value}`);
  const what = connections ? `${number(connections)} ${scenario} connections` : scenario;
  const load = messages > 1 ? ` × ${number(messages)} messages` : "";
  return `${what}${load}${others.join("")}, ${scheme}`;
}

/** The values of one measure in one setting. */
class SettingData {
  /**
   * @param {Results} results
   * @param {string} setting
   * @param {AnalysedCell[]} cells
   * @param {string} measure
   */
  constructor(results, setting, cells, measure) {
    this.results = results;
    this.setting = setting;
    this.measure = measure;
    this.cells = cells.filter((cell) => cell.setting === setting);
    /** By proxy and round. */
    this.rounds = new Map(
      results.plan.proxies.map((proxy) => [proxy, valuesByRound(this.cells, proxy, measure)]),
    );
  }

  /** @param {string} proxy */
  values(proxy) {
    return [...(this.rounds.get(proxy)?.values() ?? [])];
  }

  /**
   * @param {string} a
   * @param {string} b
   */
  ratio(a, b) {
    const none = new Map();
    return ratioOf(this.rounds.get(a) ?? none, this.rounds.get(b) ?? none, this.results.plan.seed);
  }

  /**
   * @param {string} proxy
   * @returns {string} why it has no value
   */
  missing(proxy) {
    const recorded = this.cells.filter((cell) => cell.record.proxy === proxy);
    if (recorded.some(({ counted }) => counted)) return "could not be read";
    const reasons = new Set(
      recorded.flatMap(({ record: { cause }, findings }) => [
        ...(cause ? [`${cause.kind}: ${cause.message}`] : []),
        ...findings.filter(({ severity }) => severity === "invalid").map(({ message }) => message),
      ]),
    );
    for (const cell of this.results.plan.cells)
      if (cell.skip && cell.proxy === proxy && settingKey(cell) === this.setting)
        reasons.add(`skipped: ${cell.skip}`);
    return [...reasons].join("; ") || "not run yet";
  }
}

/**
 * @param {AnalysedCell[]} cells of one setting
 * @param {string} proxy
 * @param {string} measure
 * @returns {Map<number, number>} values of counted cells by round, in the order of rounds
 */
export function valuesByRound(cells, proxy, measure) {
  return new Map(
    cells
      .filter(
        ({ counted, record, measures }) => counted && record.proxy === proxy && measure in measures,
      )
      .map(({ record, measures }) => /** @type {const} */ ([record.round, measures[measure]]))
      .sort(([a], [b]) => a - b),
  );
}

/**
 * @param {Map<number, number>} a by round
 * @param {Map<number, number>} b
 * @param {number} seed
 * @returns {import("./types.js").Estimate | null} of the medians over the rounds that both have
 */
export function ratioOf(a, b, seed) {
  const common = [...a.keys()].filter((round) => b.has(round));
  const of = (/** @type {Map<number, number>} */ values) =>
    common.map((round) => /** @type {number} */ (values.get(round)));
  return ratioInterval(of(a), of(b), { confidence: CONFIDENCE, seed });
}

/**
 * @param {Measure} measure
 * @param {"bound" | "own"} control
 * @param {SettingData} data
 * @returns {Comparison}
 */
function compare(measure, control, data) {
  const { plan } = data.results;
  const contenders = plan.proxies.filter((name) => name !== CONTROL);
  const measured = contenders.filter((name) => data.values(name).length > 0);
  const pairs = allPairs(measured);
  const judgement = judge(
    new Map(measured.map((name) => [name, data.values(name)])),
    pairs,
    (a, b) => data.ratio(a, b),
  );
  const order = measured.toSorted((a, b) => {
    const difference = median(data.values(a)) - median(data.values(b));
    return measure.better === "lower" ? difference : -difference;
  });
  const [best] = order;
  const ranks =
    judgement.method === "none" ? new Map() : rank(order, (a, b) => judgement.differ(a, b));

  const rows = plan.proxies.map((proxy) => {
    const own = data.values(proxy);
    const isContender = proxy !== CONTROL;
    /** @type {Row} */
    const row = {
      proxy,
      values: own,
      median:
        own.length > 0 ? { value: median(own), interval: medianInterval(own, CONFIDENCE) } : null,
      missing: own.length > 0 ? null : data.missing(proxy),
      toControl: isContender && control === "bound" ? data.ratio(proxy, CONTROL) : null,
      toBest: isContender && best ? data.ratio(proxy, best) : null,
      rank: ranks.get(proxy)?.rank ?? null,
      ties: ranks.get(proxy)?.ties ?? [],
      p: isContender && best && proxy !== best ? judgement.p(best, proxy) : null,
    };
    return row;
  });
  return {
    measure: measure.key,
    rows,
    detectableRatio:
      judgement.method === "test"
        ? detectableRatio(
            measured.map((name) => data.values(name)),
            { alpha: ALPHA, tests: pairs.length, seed: plan.seed },
          )
        : null,
    findings: [
      ...fewRounds(data, measured, judgement),
      ...wideSpread(data, control === "bound" ? plan.proxies : contenders),
      ...(control === "bound" ? controlSlower(measure, rows, data) : ownControl(measure, data)),
    ],
  };
}

/**
 * @param {SettingData} data
 * @param {string[]} measured
 * @param {Judgement} judgement
 * @returns {Finding[]}
 */
function fewRounds(data, measured, { method }) {
  const rounds = measured.map((name) => data.values(name).length);
  const most = Math.max(...rounds);
  /** @type {Finding[]} */
  const findings = [];
  if (measured.length > 1 && method === "range") {
    const chance = number(arrangements(most) / 2);
    findings.push({
      gate: "few-rounds",
      severity: "note",
      message: `ranked by range over ${counted(most, "round")}, not tested: of two equal proxies 1 pair in ${chance} comes out apart`,
    });
  }
  if (measured.length > 1 && method === "none") {
    const message = "a single round: nothing is known about its spread, so there are no ranks";
    findings.push({ gate: "few-rounds", severity: "note", message });
  }
  const short = measured.filter((name) => data.values(name).length < most);
  if (short.length > 0) {
    const each = short.map((name) => `${titleIn(data, name)} ${data.values(name).length}`);
    findings.push({
      gate: "missing-rounds",
      severity: "weak",
      message: `of ${counted(most, "round")} that others have, ${list(each)}: with fewer rounds a difference is less likely to be seen`,
    });
  }
  return findings;
}

/**
 * @param {number} n
 * @returns {number} ways to choose n of 2 n
 */
function arrangements(n) {
  let ways = 1;
  for (let i = 1; i <= n; i++) ways *= (n + i) / i;
  return Math.round(ways);
}

/**
 * @param {SettingData} data
 * @param {string[]} names
 * @returns {Finding[]}
 */
function wideSpread(data, names) {
  const wide = names.flatMap((name) => {
    const values = data.values(name);
    if (values.length < 2 || !(median(values) > 0)) return [];
    const percent = (100 * (quantile(values, 0.75) - quantile(values, 0.25))) / median(values);
    return percent > SPREAD_LIMIT_PERCENT ? [`${titleIn(data, name)} ${number(percent)} %`] : [];
  });
  if (wide.length === 0) return [];
  return [
    {
      gate: "spread",
      severity: "weak",
      message: `the middle half of the rounds lies far apart, as a share of the median (limit ${SPREAD_LIMIT_PERCENT} %): ${list(wide)}`,
    },
  ];
}

/**
 * Nothing can be faster than the same work without a proxy. Where the control comes out slower, something else slowed it.
 *
 * @param {Measure} measure
 * @param {Row[]} rows
 * @param {SettingData} data
 * @returns {Finding[]}
 */
function controlSlower(measure, rows, data) {
  const relations = relationsToControl(measure, rows);
  const faster = rows.filter(({ proxy }) => relations.get(proxy) === "better");
  if (faster.length === 0) return [];
  const of = (/** @type {string} */ name) => amount(median(data.values(name)), measure);
  return [
    {
      gate: "control-slower",
      severity: "weak",
      message: `the control (${of(CONTROL)}) was slower than ${list(faster.map(({ proxy }) => `${titleIn(data, proxy)} (${of(proxy)})`))}: here it bounds nothing, and what a proxy adds cannot be read from it`,
    },
  ];
}

/**
 * @param {Measure} measure
 * @param {Row[]} rows of a comparison with ratios to the control
 * @returns {Map<string, "better" | "worse" | "same">} each proxy with a figure beside the control; same: no difference is seen
 */
export function relationsToControl(measure, rows) {
  const control = rows.find(({ proxy }) => proxy === CONTROL);
  const proxies = rows.filter(({ proxy, median }) => proxy !== CONTROL && median);
  if (!control?.median) return new Map();
  const bound = control.median.value;
  const judgement = judge(
    new Map(rows.map(({ proxy, values }) => [proxy, values])),
    proxies.map(({ proxy }) => [proxy, CONTROL]),
    (a) => proxies.find(({ proxy }) => proxy === a)?.toControl ?? null,
  );
  return new Map(
    proxies.map(({ proxy, median }) => {
      if (!median || !judgement.differ(proxy, CONTROL)) return [proxy, "same"];
      const isBetter = median.value < bound === (measure.better === "lower");
      return [proxy, isBetter ? "better" : "worse"];
    }),
  );
}

/**
 * @param {Measure} measure
 * @param {SettingData} data
 * @returns {Finding[]}
 */
function ownControl({ title }, data) {
  if (data.values(CONTROL).length === 0) return [];
  return [
    {
      gate: "control-own",
      severity: "note",
      message: `${title} of ${titleIn(data, CONTROL)} is that of its echo server, which is no proxy: it is not ranked, and no ratio to it is given`,
    },
  ];
}

/**
 * @param {SettingData} data
 * @param {string} name
 */
function titleIn({ results }, name) {
  return titleOfProxy(results, name);
}

/**
 * @param {Results} results
 * @param {string} name
 * @returns {string} as a reader knows it
 */
export function titleOfProxy(results, name) {
  return results.proxies.find((proxy) => proxy.name === name)?.title ?? name;
}

/**
 * @param {Comparison} comparison
 * @returns {number | null} how far apart the two proxies were: the larger median by the smaller
 */
export function apart({ rows }) {
  const medians = rows.flatMap(({ proxy, median }) =>
    proxy !== CONTROL && median ? median.value : [],
  );
  if (medians.length !== 2 || Math.min(...medians) <= 0) return null;
  return Math.max(...medians) / Math.min(...medians);
}
