/**
 * Delay at a set rate: percentiles of all that was recorded in a setting's counted cells, of all rounds together, and what a proxy adds to
 * the control's. Percentiles of single cells are never averaged.
 *
 * The interval is the distribution-free one of the rounds' own values, as for every other figure. Simulated with six rounds that differ by
 * 2 to 20 % (log-normal, 800 latencies a round), it covered the true difference of pooled medians and 99th percentiles in 94 to 97 of 100
 * cases; a bootstrap of whole rounds did in 83 to 88. Whether a difference is seen, the tests over rounds of the setting's comparisons tell.
 */
import { CONTROL } from "../plan/proxies.js";
import { isPaced } from "../plan/workload.js";
import { Histogram, medianInterval } from "../statistics/index.js";
import { CONFIDENCE } from "./settings.js";

/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, Comparison, Delay, DelayFigure, DelayKind, DelayRow, Missing, Setting } from "./types.js" */
/** @import { Workload } from "../model/plan.ts" */

/** Percentiles that are told, and the measure whose comparison tests each. */
const PERCENTILES = [
  { p: 0.5, suffix: "median" },
  { p: 0.99, suffix: "p99" },
  { p: 0.999, suffix: "p999" },
];
/** Fewer latencies beyond a percentile do not tell it. */
const LEAST_BEYOND = 10;
/** Points of a curve for each tenfold of 1 / (1 − p). */
const POINTS_PER_DECADE = 20;

/** @type {Record<DelayKind, {field: "handshakeMs" | "echoLatencyMs", prefix: string, applies: (workload: Workload) => boolean}>} */
const KINDS = {
  handshake: { field: "handshakeMs", prefix: "handshake_ms", applies: isPaced },
  echo: {
    field: "echoLatencyMs",
    prefix: "echo_latency_ms",
    applies: (workload) =>
      isPaced(workload) ||
      (workload.messagesPerSecond ?? 0) > 0 ||
      (workload.intervalSeconds ?? 0) > 0,
  },
};

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {Delay[]} of settings with a set rate whose record has distributions
 */
export function delaysOf({ plan }, settings, cells) {
  return settings
    .filter(({ workload: { protocol, loop, compares } }) => {
      return protocol === "websocket" && loop === "open" && compares === "proxies";
    })
    .flatMap((setting) =>
      /** @type {DelayKind[]} */ (Object.keys(KINDS)).flatMap((kind) => {
        if (!KINDS[kind].applies(setting.workload)) return [];
        const rounds = new Map(
          plan.proxies.map((proxy) => [proxy, roundsOf(cells, setting, proxy, kind)]),
        );
        if ([...rounds.values()].every(({ size }) => size === 0)) return [];
        const rows = [...rounds].map(([proxy, own]) => rowOf(setting, kind, proxy, own, rounds));
        const isAdded = isBound(setting) && has(rounds, CONTROL);
        return [{ setting, kind, isAdded, busiestPercent: busiestIn(cells, setting), rows }];
      }),
    );
}

/**
 * @param {AnalysedCell[]} cells
 * @param {Setting} setting
 * @returns {number | null} as of `Delay`
 */
function busiestIn(cells, { key }) {
  const busy = cells
    .filter(({ counted, setting }) => counted && setting === key)
    .flatMap(({ measures }) => measures.machine_busy_percent ?? []);
  return busy.length > 0 ? Math.max(...busy) : null;
}

/**
 * @param {Setting} setting
 * @returns {boolean} the control does the same work without a proxy; over TLS it encrypts in the thread that answers
 */
function isBound({ scheme }) {
  return scheme === "ws";
}

/**
 * @param {Map<string, Map<number, Histogram>>} rounds by proxy
 * @param {string} proxy
 */
function has(rounds, proxy) {
  return (rounds.get(proxy)?.size ?? 0) > 0;
}

/**
 * @param {AnalysedCell[]} cells
 * @param {Setting} setting
 * @param {string} proxy
 * @param {DelayKind} kind
 * @returns {Map<number, Histogram>} by round, of cells whose times count
 */
function roundsOf(cells, { key }, proxy, kind) {
  const { field, prefix } = KINDS[kind];
  return new Map(
    cells
      .filter(
        ({ counted, setting, record, measures }) =>
          counted && setting === key && record.proxy === proxy && `${prefix}_median` in measures,
      )
      .flatMap(({ record }) => {
        const text = record.distributions?.[field];
        return text ? [/** @type {const} */ ([record.round, Histogram.parse(text)])] : [];
      }),
  );
}

/**
 * @param {Setting} setting
 * @param {DelayKind} kind
 * @param {string} proxy
 * @param {Map<number, Histogram>} own rounds
 * @param {Map<string, Map<number, Histogram>>} all rounds by proxy
 * @returns {DelayRow}
 */
function rowOf(setting, kind, proxy, own, all) {
  const control = all.get(CONTROL) ?? new Map();
  const comparisons = PERCENTILES.map(({ suffix }) =>
    setting.comparisons.find(({ measure }) => measure === `${KINDS[kind].prefix}_${suffix}`),
  );
  const pooled = own.size > 0 ? Histogram.pooled([...own.values()]) : null;
  const isOnTop = proxy !== CONTROL && isBound(setting);
  return {
    proxy,
    rounds: own.size,
    samples: pooled?.total ?? 0,
    percentiles: PERCENTILES.map(({ p }, i) => {
      const row = comparisons[i]?.rows.find((one) => one.proxy === proxy);
      return {
        p,
        ms: figureOf([own], p, ([one]) => one),
        added: isOnTop ? figureOf([own, control], p, ([one, base]) => one - base) : null,
        relation: isOnTop ? (comparisons[i]?.relations[proxy] ?? null) : null,
        rank: row?.rank ?? null,
        ties: row?.ties ?? [],
      };
    }),
    curve: pooled ? curveOf(pooled) : [],
    missing: pooled ? [] : missingIn(comparisons, proxy),
  };
}

/**
 * @param {(Comparison | undefined)[]} comparisons
 * @param {string} proxy
 * @returns {Missing[]}
 */
function missingIn(comparisons, proxy) {
  const missing = comparisons[0]?.rows.find((row) => row.proxy === proxy)?.missing ?? [];
  // Its cells count, and have no distribution.
  return missing.length > 0 ? missing : [{ kind: "unreadable" }];
}

/**
 * @param {Map<number, Histogram>[]} parts histograms by round
 * @param {number} p
 * @param {(quantiles: number[]) => number} valueOf of the same percentile of each part, in ms
 * @returns {DelayFigure | null} over the rounds that all parts have; null: too few latencies for that percentile
 */
function figureOf(parts, p, valueOf) {
  const rounds = [...parts[0].keys()].filter((round) => parts.every((part) => part.has(round)));
  const of = (/** @type {number[]} */ some) =>
    parts.map((part) =>
      Histogram.pooled(some.map((round) => /** @type {Histogram} */ (part.get(round)))),
    );
  const pooled = of(rounds);
  if (pooled.some(({ total }) => (1 - p) * total < LEAST_BEYOND - 1e-6)) return null;
  const at = (/** @type {Histogram[]} */ histograms) =>
    valueOf(histograms.map((histogram) => histogram.quantile(p)));
  const value = at(pooled);
  const values = rounds.map((round) => at(of([round])));
  const interval = medianInterval(values, CONFIDENCE);
  return {
    value,
    // Of many rounds it is that of their median, and the pooled value may lie beside it.
    interval: interval && [Math.min(interval[0], value), Math.max(interval[1], value)],
    rounds: values.length > 1 ? [Math.min(...values), Math.max(...values)] : null,
  };
}

/**
 * @param {Histogram} histogram
 * @returns {DelayRow["curve"]} from the quickest to close to the slowest, where HdrHistogram's plots have their points: evenly on a logarithmic
 *   scale of 1 / (1 − p)
 */
function curveOf(histogram) {
  const last = Math.log10(histogram.total);
  const points = Math.max(1, Math.ceil(last * POINTS_PER_DECADE));
  return Array.from({ length: points + 1 }, (_, i) => {
    const beyond = 10 ** ((last * i) / points);
    return { beyond, ms: histogram.quantile(Math.max(1 - 1 / beyond, 1 / histogram.total)) };
  });
}
