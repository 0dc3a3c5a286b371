/**
 * Settings, and in each the comparisons of the proxies under one measure.
 */
import { median, quantile } from "simple-statistics";
import { CONTROL } from "../plan/proxies.js";
import { isPaced, isReadAfter, workloadOf } from "../plan/workload.js";
import {
  detectableRatio,
  medianInterval,
  ratioInterval,
  stratifiedRatio,
} from "../statistics/index.js";
import { answersBadly, BAD_ANSWERS_LIMIT_PERCENT, badPercentOf } from "./bad-answers.js";
import { BESIDE, isVoidedBy, summedUp, weakens } from "./gates.js";
import { measure } from "./measures.js";
import { PER_CONNECTION, PER_HANDSHAKE, PER_MESSAGE, sourcesOf } from "./operation-costs.js";
import { allPairs, ALPHA, ENOUGH_ROUNDS, judgeStrata, LEAST_ROUNDS, rank } from "./ranking.js";

/** @import { Parameters, PlannedCell, Workload } from "../model/plan.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, Comparison, Finding, FindingOf, Measure, Missing, Ratio, Row, Setting } from "./types.js" */
/** @import { Judgement } from "./ranking.js" */
/** @import { Sources } from "./operation-costs.js" */
/** @import { PoolData } from "./pooling.js" */
/** @import { Relation } from "./types.js" */
/** @import { Stratum } from "../statistics/van-elteren.js" */

export const CONFIDENCE = 0.95;

/** Times that are a queue's, in a closed loop on a saturated machine. */
const IN_QUEUE = /^(handshake|echo_latency|request)_ms_/;

/** The middle half of the rounds may lie so far apart, as a share of their median. */
const SPREAD_LIMIT_PERCENT = 25;

/**
 * What the control means under a measure. `bound`: it does the same work without a proxy, so no proxy can do better, and the
 * difference is what the proxy adds. `own`: it is the cost of the control's own server. `beside`: it does as any other does, and
 * bounds nothing: of files it is one of the servers, and over TLS it encrypts in Node's own thread.
 *
 * @typedef {"bound" | "own" | "beside"} Control
 *
 * @typedef {SettingData | PoolData} Data
 */

/** What a proxy holds beside its connections: told, and never ranked. */
const FOOTPRINT = { control: /** @type {const} */ ("own"), isRanked: false };

/** What the load alone tells; measures derived from several settings are compared where the run has those. @type {{key: string, control: Control, applies?: (workload: Workload) => boolean, isRanked?: boolean}[]} */
const COMPARED = [
  { key: "handshake_ms_mean", control: "bound", applies: opensConnections },
  { key: "handshake_ms_median", control: "bound", applies: opensConnections },
  { key: "handshake_ms_p99", control: "bound", applies: opensConnections },
  {
    key: "handshake_ms_p999",
    control: "bound",
    applies: (workload) => opensConnections(workload) && isOpen(workload),
  },
  { key: "echo_latency_ms_mean", control: "bound", applies: sendsMessages },
  { key: "echo_latency_ms_median", control: "bound", applies: sendsMessages },
  { key: "echo_latency_ms_p99", control: "bound", applies: sendsMessages },
  {
    key: "echo_latency_ms_p999",
    control: "bound",
    applies: (workload) => sendsMessages(workload) && isOpen(workload),
  },
  { key: "requests_per_second", control: "bound", applies: sendsRequests },
  { key: "request_ms_mean", control: "bound", applies: sendsRequests },
  { key: "request_ms_median", control: "bound", applies: sendsRequests },
  { key: "request_ms_p99", control: "bound", applies: sendsRequests },
  { key: "non_2xx_percent", control: "beside", applies: sendsRequests },
  { key: "socket_errors_per_1000_requests", control: "beside", applies: sendsRequests },
  { key: "total_seconds", control: "bound", applies: isUntimed },
  {
    key: "messages_per_second",
    control: "bound",
    applies: (workload) => workload.holdsConnections && isUntimed(workload),
  },
  {
    key: "connections_per_second",
    control: "bound",
    applies: (workload) => opensConnections(workload) && isUntimed(workload),
  },
  { key: PER_CONNECTION, control: "own", applies: opensConnections },
  {
    // Elsewhere it is derived from two settings, or not known.
    key: PER_MESSAGE,
    control: "own",
    applies: ({ holdsConnections, messages = 1, intervalSeconds = 0, messagesPerSecond = 0 }) =>
      holdsConnections && (messages > 1 || intervalSeconds > 0 || messagesPerSecond > 0),
  },
  { key: PER_HANDSHAKE, control: "own", applies: () => false },
  {
    key: "proxy_cpu_us_per_request",
    control: "own",
    // Of files, it would hold a proxy's part of the work against a server's whole.
    applies: (workload) => sendsRequests(workload) && !comparesServers(workload),
  },
  {
    key: "servers_cpu_seconds",
    control: "beside",
    applies: comparesServers,
  },
  {
    key: "proxy_cpu_cores",
    control: "own",
    applies: holdsForSeconds,
  },
  // What a configuration reserves is most of a small load's memory, and says nothing of a large one's: slopes.js ranks.
  ...[
    "proxy_memory_baseline_usage_bytes",
    "proxy_memory_growth_bytes",
    "proxy_memory_peak_usage_bytes",
  ].map((key) => ({ key, ...FOOTPRINT, applies: isOfProxy })),
  {
    key: "proxy_memory_per_connection_bytes",
    ...FOOTPRINT,
    applies: (workload) => !isReadAfter(workload) && !sendsRequests(workload) && !isPaced(workload),
  },
  {
    key: "proxy_memory_user_per_connection_bytes",
    ...FOOTPRINT,
    applies: ({ holdsConnections }) => holdsConnections,
  },
  {
    key: "proxy_memory_kernel_per_connection_bytes",
    ...FOOTPRINT,
    applies: ({ holdsConnections }) => holdsConnections,
  },
  { key: "proxy_sockets_left", control: "own", applies: isReadAfter },
  { key: "proxy_close_wait_left", control: "own", applies: isReadAfter },
  { key: "proxy_descriptors_left", control: "own", applies: isReadAfter },
  { key: "proxy_memory_left_bytes", control: "own", applies: isReadAfter },
];

/**
 * @param {string} key of a measure
 * @returns {boolean} it says which proxy is better
 */
export function isRanked(key) {
  return COMPARED.every((one) => one.key !== key || one.isRanked !== false);
}

/** @param {Workload} workload */
function isOfProxy(workload) {
  return !comparesServers(workload);
}

/**
 * @param {Workload} workload
 * @returns {boolean} WebSockets in the measured phase
 */
function opensConnections({ protocol, holdsConnections }) {
  return protocol === "websocket" && !holdsConnections;
}

/** @param {Workload} workload */
function sendsMessages({ protocol, intervalSeconds }) {
  return protocol === "websocket" && intervalSeconds !== 0;
}

/** @param {Workload} workload */
function sendsRequests({ protocol }) {
  return protocol === "http";
}

/**
 * @param {Pick<Workload, "compares">} workload
 * @returns {boolean} what stands in a proxy's place may be the server itself, the control among them: it bounds nothing
 */
export function comparesServers({ compares }) {
  return compares === "servers";
}

/**
 * @param {Workload} workload
 * @returns {boolean} connections are open through a phase of a set length
 */
export function holdsForSeconds({ holdsConnections, phaseSeconds = 0 }) {
  return holdsConnections && phaseSeconds > 0;
}

/**
 * @param {Workload} workload
 * @returns {boolean} the measured phase lasts until the work is done, and the proxy says how long that is
 */
function isUntimed({ loop, phaseSeconds }) {
  return loop === "closed" && phaseSeconds === undefined;
}

/**
 * @param {Workload} workload
 * @returns {boolean} its times are delays at a rate, and their tail is worth a comparison
 */
function isOpen({ loop }) {
  return loop === "open";
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
 * @returns {(Omit<Setting, "comparisons"> & {compared: {key: string, control: Control}[]})[]} ws before wss, then by parameters; and
 *   what is compared in each
 */
export function settingsOf(results) {
  const planned = new Map(results.plan.cells.map((cell) => [settingKey(cell), cell]));
  const loaded = [...planned].map(([key, cell]) => {
    const { scenario, scheme, parameters } = cell;
    return { key, scenario, scheme, parameters, workload: workloadOf(results.plan, cell) };
  });
  const settings = loaded.map((setting) => {
    const { scheme, workload } = setting;
    const compared = COMPARED.filter(
      ({ key, applies }) =>
        ((applies?.(workload) ?? true) || sourcesOf(setting, key, loaded)) &&
        !(results.plan.sideBySide && isVoidedBy(BESIDE, key)),
    ).map(({ key, control }) => ({
      key,
      /** @type {Control} */
      control:
        control === "bound" && (comparesServers(workload) || scheme === "wss") ? "beside" : control,
    }));
    return { ...setting, compared };
  });
  return settings.sort(compareSettings);
}

/**
 * @param {Pick<Setting, "scenario" | "scheme" | "parameters">} a
 * @param {Pick<Setting, "scenario" | "scheme" | "parameters">} b
 * @returns {number} of a sort: by scenario, ws before wss, then by parameters, the first one first
 */
export function compareSettings(a, b) {
  return (
    compareText(a.scenario, b.scenario) ||
    compareText(a.scheme, b.scheme) ||
    Object.keys(a.parameters)
      .map((name) => a.parameters[name] - (b.parameters[name] ?? 0))
      .find((difference) => difference !== 0) ||
    0
  );
}

/**
 * @param {Results} results
 * @param {AnalysedCell[]} cells of all settings
 * @returns {Setting[]} as of `settingsOf`
 */
export function compareAll(results, cells) {
  const settings = settingsOf(results);
  return settings.map(({ compared, ...setting }) => ({
    ...setting,
    comparisons: compared.map(({ key, control }) =>
      compare(
        measure(key),
        control,
        new SettingData(results, setting.key, cells, {
          measure: key,
          sources: sourcesOf(setting, key, settings),
        }),
      ),
    ),
  }));
}

/**
 * @param {string} a
 * @param {string} b
 */
export function compareText(a, b) {
  return a < b ? -1 : Number(a > b);
}

/** The values of one measure in one setting. */
export class SettingData {
  /**
   * @param {Results} results
   * @param {string} setting
   * @param {AnalysedCell[]} cells
   * @param {{measure: string, sources: Sources | null}} figure sources: null where each cell has its own figure
   */
  constructor(results, setting, cells, { measure, sources }) {
    this.results = results;
    this.measure = measure;
    /** What a cell must have for the figure to be had. */
    this.needed = sources ? PER_CONNECTION : measure;
    const { of, fewer, more } = sources ?? { of: { key: setting }, fewer: null, more: null };
    /** Keys of the settings that it rests on. */
    this.settings = [...new Set([of, fewer, more].flatMap((source) => source?.key ?? []))];
    /** Of all of them. */
    this.cells = cells.filter((cell) => this.settings.includes(cell.setting));
    const own = this.cells.filter((cell) => cell.setting === setting);
    /** By proxy and round. */
    this.rounds = new Map(
      results.plan.proxies.map((proxy) => [proxy, valuesByRound(own, proxy, measure)]),
    );
  }

  /** @param {string} proxy */
  badPercent(proxy) {
    return badPercentOf(this.cells, proxy);
  }

  /** @param {string} proxy */
  values(proxy) {
    return [...(this.rounds.get(proxy)?.values() ?? [])];
  }

  /**
   * @param {string} proxy
   * @returns {number[][]} its values in each stratum, here one, in which it has any
   */
  samples(proxy) {
    const values = this.values(proxy);
    return values.length > 0 ? [values] : [];
  }

  /**
   * @param {string} a
   * @param {string} b
   * @returns {Stratum[]}
   */
  strata(a, b) {
    const pair = /** @type {Stratum} */ ([this.values(a), this.values(b)]);
    return pair.every(({ length }) => length > 0) ? [pair] : [];
  }

  /**
   * @param {string} proxy
   * @returns {number} what tells the lower of two
   */
  standing(proxy) {
    return median(this.values(proxy));
  }

  /** @returns {boolean} whether two proxies differ in opposite directions: not within one setting */
  areOpposite() {
    return false;
  }

  /** @returns {Finding[]} beside those of every comparison */
  findings() {
    return [];
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
   * @returns {boolean} it was measured, and none of its figures counts
   */
  isVoided(proxy) {
    if (this.values(proxy).length > 0) return false;
    return this.missing(proxy).some(({ kind }) => kind === "voided" || kind === "invalid");
  }

  /**
   * @param {string} proxy
   * @returns {Missing[]} why it has no value: one reason or more
   */
  missing(proxy) {
    const reasons = this.settings.flatMap((setting) => this.#missingIn(setting, proxy));
    const each = new Map(reasons.map((reason) => [JSON.stringify(reason), reason]));
    return each.size > 0 ? [...each.values()] : [{ kind: "no-common-round" }];
  }

  /**
   * @param {string} setting
   * @param {string} proxy
   * @returns {Missing[]} empty where it has what is needed
   */
  #missingIn(setting, proxy) {
    const recorded = this.cells.filter(
      (cell) => cell.setting === setting && cell.record.proxy === proxy,
    );
    const counting = recorded.filter(({ counted }) => counted);
    if (counting.some(({ measures }) => this.needed in measures)) return [];
    const voiding = counting
      .flatMap(({ findings }) => findings)
      .filter((finding) => isVoidedBy(finding, this.needed));
    if (voiding.length > 0)
      return [...Map.groupBy(voiding, ({ gate }) => gate).values()].map(([finding]) => ({
        kind: "voided",
        finding,
      }));
    if (counting.length > 0) return [{ kind: "unreadable" }];
    /** @type {Missing[]} */
    const reasons = recorded.flatMap((cell) => reasonsOf(cell));
    for (const cell of this.results.plan.cells)
      if (cell.skip && cell.proxy === proxy && settingKey(cell) === setting)
        reasons.push({ kind: "skipped", why: cell.skip });
    return reasons.length > 0 ? reasons : [{ kind: "not-run" }];
  }
}

/**
 * @param {AnalysedCell} cell
 * @returns {Missing[]} why it does not count
 */
export function reasonsOf({ record: { cause }, findings }) {
  const invalid = findings.filter(({ severity }) => severity === "invalid");
  return [
    ...(cause ? [{ kind: /** @type {const} */ ("failed"), cause }] : []),
    ...invalid.map((finding) => ({ kind: /** @type {const} */ ("invalid"), finding })),
  ];
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
 * @param {AnalysedCell[][]} settings cells of each
 * @param {string} proxy
 * @param {string} measure
 * @returns {Map<number, number>} sums over the settings, of the rounds that all of them have
 */
export function sumsByRound(settings, proxy, measure) {
  const [first, ...others] = settings.map((cells) => valuesByRound(cells, proxy, measure));
  return others.reduce(
    (sums, values) =>
      new Map(
        [...sums].flatMap(([round, sum]) => {
          const value = values.get(round);
          return value === undefined ? [] : [[round, sum + value]];
        }),
      ),
    first,
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
 * @param {{results: Results, cells: AnalysedCell[]}} analysed
 * @param {string} measure
 * @param {[Setting, Setting][]} pairs the first to the second; several differ in the number of connections alone, and are strata
 * @returns {{proxy: string, ratio: Ratio}[]} of each proxy that has cells that count in both of a pair
 */
export function ratiosOf({ results, cells }, measure, pairs) {
  const of = (/** @type {Setting} */ { key }, /** @type {string} */ proxy) =>
    valuesByRound(
      cells.filter((cell) => cell.setting === key),
      proxy,
      measure,
    );
  const [[{ workload }]] = pairs;
  return results.plan.proxies
    .filter((proxy) => proxy !== CONTROL || comparesServers(workload))
    .flatMap((proxy) => {
      const rounds = pairs
        .map(([over, under]) => /** @type {RoundsOfTwo} */ ([of(over, proxy), of(under, proxy)]))
        .filter((pair) => pair.every(({ size }) => size > 0));
      const ratio =
        rounds.length === 1 ? ratioOf(...rounds[0], results.plan.seed) : stratifiedRatioOf(rounds);
      return ratio ? [{ proxy, ratio }] : [];
    });
}

/**
 * @typedef {[a: Map<number, number>, b: Map<number, number>]} RoundsOfTwo values by round
 *
 * @param {RoundsOfTwo[]} strata
 * @returns {Ratio | null} that all strata share
 */
export function stratifiedRatioOf(strata) {
  const ratio = stratifiedRatio(
    strata.map(([a, b]) => [[...a.values()], [...b.values()]]),
    { confidence: CONFIDENCE },
  );
  const each = strata.flatMap(([a, b]) =>
    [...a].flatMap(([round, value]) => {
      const other = b.get(round);
      return other === undefined ? [] : [value / other];
    }),
  );
  return (
    ratio && { ...ratio, rounds: each.length > 1 ? [Math.min(...each), Math.max(...each)] : null }
  );
}

/**
 * @param {Measure} measure
 * @param {Control} control
 * @param {Data} data
 * @returns {Comparison}
 */
export function compare(measure, control, data) {
  const { plan } = data.results;
  const contenders = plan.proxies.filter((name) => name !== CONTROL);
  const measured = contenders.filter((name) => data.values(name).length > 0);
  const pairs = allPairs(measured);
  const judgement = judgeStrata(
    pairs,
    (a, b) => data.strata(a, b),
    (a, b) => data.ratio(a, b),
  );
  const differ = (/** @type {string} */ a, /** @type {string} */ b) =>
    judgement.differ(a, b) && !data.areOpposite(a, b);
  const isBad = (/** @type {string} */ name) => answersBadly({ badPercent: data.badPercent(name) });
  const order = measured.toSorted((a, b) => {
    const difference = data.standing(a) - data.standing(b);
    // An error is quick to give: nothing that it makes better counts before a good answer.
    return (
      Number(isBad(a)) - Number(isBad(b)) || (measure.better === "lower" ? difference : -difference)
    );
  });
  const inRanking = order.filter((name) =>
    data.samples(name).some(({ length }) => length >= LEAST_ROUNDS),
  );
  const [best] = inRanking;
  const voided = contenders.filter((name) => data.isVoided(name));
  // Whoever is left is no sample of those that ran: the best of them may be the worst of all.
  const ranked = isRanked(measure.key);
  const ranks =
    !ranked || judgement.method === "none" || voided.length > 0
      ? new Map()
      : rank(inRanking, (a, b) => isBad(a) !== isBad(b) || differ(a, b));

  const rows = plan.proxies.map((proxy) => {
    const own = data.values(proxy);
    const isContender = proxy !== CONTROL;
    /** @type {Row} */
    const row = {
      proxy,
      values: own,
      median:
        own.length > 0 ? { value: median(own), interval: medianInterval(own, CONFIDENCE) } : null,
      missing: own.length > 0 ? [] : data.missing(proxy),
      toControl: isContender && control !== "own" ? data.ratio(proxy, CONTROL) : null,
      toBest: ranks.has(proxy) ? data.ratio(proxy, best) : null,
      rank: ranks.get(proxy)?.rank ?? null,
      ties: ranks.get(proxy)?.ties ?? [],
      p: ranks.has(proxy) && proxy !== best ? judgement.p(best, proxy) : null,
      badPercent: data.badPercent(proxy),
    };
    return row;
  });
  const relations = control === "own" ? {} : relationsToControl(measure, rows, data);
  return {
    measure: measure.key,
    rows,
    relations,
    detectableRatio:
      ranked && judgement.method === "test"
        ? detectableRatio(
            measured.flatMap((name) => data.samples(name)),
            {
              alpha: ALPHA,
              tests: pairs.length,
              seed: plan.seed,
              strata: Math.max(...measured.map((name) => data.samples(name).length)),
            },
          )
        : null,
    findings: [
      ...(ranked && voided.length > 0 && measured.length > 0 ? survivors(voided) : []),
      ...(ranked ? data.findings() : []),
      ...(ranked ? fewRounds(data, measured, judgement) : []),
      ...badlyAnswered(data),
      ...ofCells(data, control === "own" ? measured : plan.proxies),
      ...inQueue(measure, data),
      ...wideSpread(data, control === "own" ? contenders : plan.proxies),
      ...(control === "bound" ? controlSlower(measure, relations, data) : []),
      ...(control === "own" ? ownControl(data) : []),
      ...(control === "beside" ? controlBeside(data) : []),
    ],
  };
}

/**
 * @param {string[]} proxies
 * @returns {Finding[]}
 */
function survivors(proxies) {
  return [{ gate: "survivors", severity: "weak", figures: { proxies } }];
}

/**
 * @param {Data} data
 * @param {string[]} measured
 * @param {Judgement} judgement
 * @returns {Finding[]}
 */
function fewRounds(data, measured, { method }) {
  const roundsOf = (/** @type {string} */ proxy) => data.samples(proxy).map(({ length }) => length);
  const most = Math.max(...measured.flatMap(roundsOf));
  /** @type {Finding[]} */
  const findings = [];
  if (measured.length > 1 && (method !== "test" || most < ENOUGH_ROUNDS)) {
    const onePairIn = method === "range" ? arrangements(most) / 2 : null;
    const figures = { rounds: most, least: LEAST_ROUNDS, enough: ENOUGH_ROUNDS, onePairIn };
    findings.push({ gate: "few-rounds", severity: "note", figures });
  }
  const short = measured
    .map((proxy) => ({ proxy, rounds: Math.min(...roundsOf(proxy)) }))
    .filter(({ rounds }) => rounds < most);
  if (short.length > 0) {
    const figures = { most, proxies: short };
    findings.push({ gate: "missing-rounds", severity: "weak", figures });
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
 * @param {Data} data
 * @returns {Finding[]}
 */
function badlyAnswered(data) {
  const proxies = data.results.plan.proxies
    .map((proxy) => ({ proxy, badPercent: data.badPercent(proxy) }))
    .filter(answersBadly);
  if (proxies.length === 0) return [];
  const figures = { limit: BAD_ANSWERS_LIMIT_PERCENT, proxies };
  return [{ gate: "ranked-last", severity: "weak", figures }];
}

/**
 * @param {Data} data
 * @param {string[]} names
 * @returns {Finding[]}
 */
function wideSpread(data, names) {
  const wide = names.flatMap((name) => {
    const percent = Math.max(...data.samples(name).map(middlePercent));
    return percent > SPREAD_LIMIT_PERCENT ? [{ proxy: name, percent }] : [];
  });
  if (wide.length === 0) return [];
  const figures = { limit: SPREAD_LIMIT_PERCENT, proxies: wide };
  return [{ gate: "spread", severity: "weak", figures }];
}

/**
 * @param {number[]} values
 * @returns {number} how far apart the middle half of them lies, as a share of the median; 0: too few, or the median is not above 0
 */
function middlePercent(values) {
  if (values.length < 2 || !(median(values) > 0)) return 0;
  return (100 * (quantile(values, 0.75) - quantile(values, 0.25))) / median(values);
}

/**
 * What weakens single cells weakens what rests on them.
 *
 * @param {Data} data
 * @param {string[]} names of those with a figure
 * @returns {Finding[]}
 */
function ofCells(data, names) {
  const cells = data.cells.filter(({ counted, record }) => counted && names.includes(record.proxy));
  const found = cells
    .filter(({ record }) => data.values(record.proxy).length > 0)
    .flatMap(({ record, findings }) => findings.map((finding) => ({ record, finding })))
    .filter(
      ({ finding }) =>
        weakens(finding, data.measure) &&
        !(finding.gate === "saturated" && finding.figures.loop === "closed"),
    );
  return summedUp(found, cells.length);
}

/**
 * In a closed loop there are always so many at a time, and on a saturated machine they wait for each other: what one takes is the
 * CPU time of all that are in front of it.
 *
 * @param {Measure} measure
 * @param {Data} data
 * @returns {Finding[]}
 */
function inQueue({ key }, data) {
  if (!IN_QUEUE.test(key)) return [];
  const saturated = data.cells
    .filter(({ counted, measures }) => counted && key in measures)
    .flatMap(({ findings }) => findings)
    .filter((finding) => finding.gate === "saturated" && finding.figures.loop === "closed")
    .map((finding) => /** @type {FindingOf<"saturated">} */ (finding).figures);
  if (saturated.length === 0) return [];
  const { loop, ...figures } = saturated.toSorted((a, b) => b.percent - a.percent)[0];
  return [{ gate: "queue", severity: "weak", figures }];
}

/**
 * Nothing can be faster than the same work without a proxy. Where the control comes out slower, something else slowed it.
 *
 * @param {Measure} measure
 * @param {Record<string, Relation>} relations
 * @param {Data} data
 * @returns {Finding[]}
 */
function controlSlower(measure, relations, data) {
  const faster = Object.keys(relations).filter((proxy) => relations[proxy] === "better");
  if (faster.length === 0) return [];
  const of = (/** @type {string} */ name) => median(data.values(name));
  const figures = {
    measure: measure.key,
    control: of(CONTROL),
    proxies: faster.map((proxy) => ({ proxy, value: of(proxy) })),
  };
  return [{ gate: "control-slower", severity: "weak", figures }];
}

/**
 * @param {Measure} measure
 * @param {Row[]} rows of a comparison with ratios to the control
 * @param {Data} data
 * @returns {Record<string, Relation>} as of `Comparison.relations`
 */
function relationsToControl(measure, rows, data) {
  const control = rows.find(({ proxy }) => proxy === CONTROL);
  const proxies = rows.filter((row) => row.proxy !== CONTROL && row.median && !answersBadly(row));
  if (!control?.median) return {};
  const bound = control.median.value;
  const judgement = judgeStrata(
    proxies.map(({ proxy }) => [proxy, CONTROL]),
    (a, b) => data.strata(a, b),
    (a) => proxies.find(({ proxy }) => proxy === a)?.toControl ?? null,
  );
  return Object.fromEntries(
    proxies.map(({ proxy, median }) => {
      if (!median || !judgement.differ(proxy, CONTROL)) return [proxy, "same"];
      const isBetter = median.value < bound === (measure.better === "lower");
      return [proxy, isBetter ? "better" : "worse"];
    }),
  );
}

/**
 * Over TLS the control encrypts in the thread that also answers: what a proxy takes from it may be more than the proxy costs.
 *
 * @param {Data} data
 * @returns {Finding[]}
 */
function controlBeside(data) {
  const isSecured = data.cells.some(
    ({ record, workload }) => record.scheme === "wss" && !comparesServers(workload),
  );
  if (!isSecured || data.values(CONTROL).length === 0) return [];
  return [{ gate: "control-beside", severity: "note", figures: {} }];
}

/**
 * @param {Data} data
 * @returns {Finding[]}
 */
function ownControl(data) {
  if (data.values(CONTROL).length === 0) return [];
  return [{ gate: "control-own", severity: "note", figures: {} }];
}
