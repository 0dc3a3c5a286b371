/**
 * Settings, and in each the comparisons of the proxies under one measure.
 */
import { median, quantile } from "simple-statistics";
import { counted, number } from "../numbers.js";
import { holdsConnections, timedSeconds } from "../plan/load.js";
import { CONTROL } from "../proxies.js";
import { detectableRatio, medianInterval, ratioInterval } from "../statistics/index.js";
import { measure } from "./measures.js";
import { allPairs, ALPHA, judge, rank } from "./ranking.js";
import { amount, list } from "./words.js";

/** @import { Parameters, PlannedCell, Results } from "../record/types.js" */
/** @import { AnalysedCell, Comparison, Finding, Measure, Ratio, Row, Setting } from "./types.js" */
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
  { key: "handshake_ms_mean", control: "bound", applies: opensConnections },
  { key: "handshake_ms_median", control: "bound", applies: opensConnections },
  { key: "handshake_ms_p99", control: "bound", applies: opensConnections },
  { key: "echo_latency_ms_mean", control: "bound", applies: sendsMessages },
  { key: "echo_latency_ms_median", control: "bound", applies: sendsMessages },
  { key: "echo_latency_ms_p99", control: "bound", applies: sendsMessages },
  { key: "total_seconds", control: "bound", applies: isUntimed },
  {
    key: "messages_per_second",
    control: "bound",
    applies: (p) => !opensConnections(p) && isUntimed(p),
  },
  {
    key: "connections_per_second",
    control: "bound",
    applies: (p) => opensConnections(p) && isUntimed(p),
  },
  { key: "cpu_us_per_handshake", control: "own", applies: opensConnections },
  {
    key: "cpu_us_per_message",
    control: "own",
    applies: (p) => p.MESSAGES > 1 || p.INTERVAL_SECONDS > 0,
  },
  { key: "proxy_cpu_cores", control: "own", applies: ({ HOLD_SECONDS }) => HOLD_SECONDS > 0 },
  { key: "proxy_memory_peak_usage_bytes", control: "own" },
  { key: "proxy_memory_per_connection_bytes", control: "own", applies: (p) => !isReadAfter(p) },
  { key: "proxy_memory_user_per_connection_bytes", control: "own", applies: holdsConnections },
  { key: "proxy_memory_kernel_per_connection_bytes", control: "own", applies: holdsConnections },
  { key: "proxy_sockets_left", control: "own", applies: isReadAfter },
  { key: "proxy_close_wait_left", control: "own", applies: isReadAfter },
  { key: "proxy_descriptors_left", control: "own", applies: isReadAfter },
  { key: "proxy_memory_left_bytes", control: "own", applies: isReadAfter },
];

/**
 * @param {Parameters} parameters
 * @returns {boolean} in the measured phase
 */
function opensConnections(parameters) {
  return !holdsConnections(parameters);
}

/** @param {Parameters} parameters */
function sendsMessages({ INTERVAL_SECONDS }) {
  return INTERVAL_SECONDS !== 0;
}

/**
 * @param {Parameters} parameters
 * @returns {boolean} the measured phase lasts until the work is done
 */
function isUntimed(parameters) {
  return timedSeconds(parameters) === 0;
}

/** @param {Parameters} parameters */
function isReadAfter({ SETTLE_SECONDS }) {
  return SETTLE_SECONDS !== undefined;
}

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
 * @returns {(Omit<Setting, "title" | "comparisons"> & {compared: typeof COMPARED})[]} ws before wss, then by parameters; and
 *   what is compared in each
 */
export function settingsOf(results) {
  const planned = new Map(results.plan.cells.map((cell) => [settingKey(cell), cell]));
  const settings = [...planned].map(([key, { scenario, scheme, parameters }]) => ({
    key,
    scenario,
    scheme,
    parameters,
    compared: COMPARED.filter(({ applies }) => applies?.(parameters) ?? true),
  }));
  return settings.sort(
    (a, b) =>
      compareText(a.scenario, b.scenario) ||
      compareText(a.scheme, b.scheme) ||
      Object.keys(a.parameters)
        .map((name) => a.parameters[name] - (b.parameters[name] ?? 0))
        .find((difference) => difference !== 0) ||
      0,
  );
}

/**
 * @param {Results} results
 * @param {AnalysedCell[]} cells of all settings
 * @returns {Setting[]} as of `settingsOf`
 */
export function compareAll(results, cells) {
  const settings = settingsOf(results);
  const all = settings.map(({ parameters }) => parameters);
  return settings.map(({ compared, ...setting }) => ({
    ...setting,
    title: titleOf(setting, all),
    comparisons: compared.map(({ key, control }) =>
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
 * @returns {Ratio | null} of the medians over the rounds that both have
 */
export function ratioOf(a, b, seed) {
  const common = [...a.keys()].filter((round) => b.has(round));
  const of = (/** @type {Map<number, number>} */ values) =>
    common.map((round) => /** @type {number} */ (values.get(round)));
  const [dividends, divisors] = [of(a), of(b)];
  const ratio = ratioInterval(dividends, divisors, { confidence: CONFIDENCE, seed });
  const each = dividends.map((value, i) => value / divisors[i]);
  const isRange = each.length > 1 && each.every(Number.isFinite);
  return ratio && { ...ratio, rounds: isRange ? [Math.min(...each), Math.max(...each)] : null };
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
      ...(control === "bound" ? controlSlower(measure, rows, data) : ownControl(data)),
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
      message: `Ranked by range over ${counted(most, "round")}, not tested: of two equal proxies 1 pair in ${chance} comes out apart`,
    });
  }
  if (measured.length > 1 && method === "none") {
    const message = "A single round: nothing is known about its spread, so there are no ranks";
    findings.push({ gate: "few-rounds", severity: "note", message });
  }
  const short = measured.filter((name) => data.values(name).length < most);
  if (short.length > 0) {
    const each = short.map((name) => `${titleIn(data, name)} ${data.values(name).length}`);
    findings.push({
      gate: "missing-rounds",
      severity: "weak",
      message: `Some lack rounds, and with fewer than the ${most} of others a difference is less likely to be seen`,
      figures: list(each),
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
      message: `The middle half of the rounds spans more than ${SPREAD_LIMIT_PERCENT} % of the median`,
      figures: list(wide),
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
  const each = faster.map(({ proxy }) => `${titleIn(data, proxy)} ${of(proxy)}`);
  return [
    {
      gate: "control-slower",
      severity: "weak",
      message:
        "The control was slower than a proxy, so it bounds nothing, and what a proxy adds cannot be read from it",
      figures: `control ${of(CONTROL)}, ${list(each)}`,
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
 * @param {SettingData} data
 * @returns {Finding[]}
 */
function ownControl(data) {
  if (data.values(CONTROL).length === 0) return [];
  return [
    {
      gate: "control-own",
      severity: "note",
      message:
        "What stands for the control is the cost of its echo server, which is no proxy: it has no rank, and no ratio to it is given",
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
