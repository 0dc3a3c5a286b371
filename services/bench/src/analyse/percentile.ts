/**
 * Latency at a set rate: percentiles of all that was recorded in a setting's counted cells, all
 * rounds together, and what a proxy adds to the control's. Percentiles of cells are never averaged.
 *
 * The interval of a percentile is the distribution-free one of the rounds' own values. Differences
 * and ratios have one of a bootstrap of whole rounds, of the same rounds for both: simulated with 6
 * and 12 rounds (statistics/pooled-quantiles.test.ts) it covers the true one in 92 to 97 of 100
 * cases. Ranks are of the tests over rounds, and of that interval.
 */
import type { Comparison, Extra, Figure, Setting } from "../model/comparison.ts";
import { CONTROL } from "../plan/proxies.ts";
import { isPaced } from "../plan/workload.ts";
import { Histogram, medianInterval, PooledRounds, pooledQuantile } from "../statistics/index.ts";
import { comparison, estimateOf, figure, toBestOf } from "./figures.ts";
import { measure } from "./measures.ts";
import { allPairs, judge, rank } from "./ranking.ts";
import { CONFIDENCE, rangeOf, valuesByRound } from "./settings.ts";
import type { Ratio, Run } from "./settings.ts";

const PERCENTILES = { median: 0.5, p99: 0.99, p999: 0.999 };

/** Fewer latencies beyond a percentile do not tell it. */
const LEAST_BEYOND = 10;

/** Points of a curve for each tenfold of 1 / (1 − p). */
const POINTS_PER_DECADE = 20;

const KINDS = {
  "handshake-at-rate": {
    field: "handshakeMs" as const,
    prefix: "handshake_ms",
    applies: isPaced,
  },
  "echo-at-rate": {
    field: "echoLatencyMs" as const,
    prefix: "echo_latency_ms",
    applies: (workload: Setting["workload"]) =>
      isPaced(workload) ||
      (workload.messagesPerSecond ?? 0) > 0 ||
      (workload.intervalSeconds ?? 0) > 0,
  },
};

/**
 * @param tested the comparisons over rounds, whose tests and ranks these have
 * @returns of settings with a set rate whose record has distributions
 */
export function percentiles(run: Run, tested: Comparison[]): Comparison[] {
  return run.settings
    .filter(
      ({ workload: { protocol, loop, compares } }) =>
        protocol === "websocket" && loop === "open" && compares === "proxies",
    )
    .flatMap((setting) =>
      Object.entries(KINDS).flatMap(([question, { field, prefix, applies }]) => {
        if (!applies(setting.workload)) return [];
        const rounds = new Map(
          run.results.plan.proxies.map((proxy) => [
            proxy,
            histograms(run, setting, proxy, { field, prefix }),
          ]),
        );
        if ([...rounds.values()].every(({ size }) => size === 0)) return [];
        const pooledOf = pooledIn(rounds);
        return Object.entries(PERCENTILES).map(([suffix, p]) => {
          const key = `${prefix}_${suffix}`;
          const of = (name: string) =>
            tested.find(
              (one) =>
                one.measure.key === name &&
                one.settings.length === 1 &&
                one.settings[0] === setting.key,
            );
          const asked = { question, key, p, seed: run.results.plan.seed, pooledOf };
          return percentile(asked, setting, rounds, of(key), of(`${prefix}_median`));
        });
      }),
    );
}

type ByRound = Map<number, Histogram>;
type Combine = (values: number[]) => number;
type PooledOf = (proxy: string, common: number[]) => PooledRounds;

interface Asked {
  question: string;
  key: string;
  p: number;
  seed: number;
  pooledOf: PooledOf;
}

/** Of the same rounds of a proxy the same, as it is compared with each other one. */
function pooledIn(rounds: Map<string, ByRound>): PooledOf {
  const kept = new Map<string, PooledRounds>();
  return (proxy, common) => {
    const key = [proxy, ...common].join(" ");
    const histograms = common.flatMap((round) => rounds.get(proxy)?.get(round) ?? []);
    const pooled = kept.get(key) ?? new PooledRounds(histograms);
    kept.set(key, pooled);
    return pooled;
  };
}

function percentile(
  { question, key, p, seed, pooledOf }: Asked,
  setting: Setting,
  rounds: Map<string, ByRound>,
  tested: Comparison | undefined,
  first: Comparison | undefined,
): Comparison {
  // Over TLS the control encrypts in the thread that answers: it bounds nothing.
  const isBound = setting.scheme === "ws";
  const of = (proxy: string): ByRound => rounds.get(proxy) ?? new Map();
  const rowOf = (proxy: string) => tested?.figures.find((one) => one.proxy === proxy);
  const between = (a: string, b: string, combine: Combine) =>
    betweenTwo([of(a), of(b)], { p, combine, seed }, (common) =>
      [a, b].map((proxy) => pooledOf(proxy, common)),
    );
  const own = new Map([...rounds].map(([proxy, values]) => [proxy, ofAll(values, p)]));
  const valueOf = (proxy: string) => own.get(proxy)?.value ?? NaN;
  // Who counts, and whether anyone is ranked, is the same as of each round's own percentile.
  const ranking = [...rounds.keys()]
    .filter((proxy) => own.get(proxy) && (rowOf(proxy)?.rank ?? null) !== null)
    .sort((a, b) => valueOf(a) - valueOf(b));
  const ratios = new Map(
    allPairs(ranking).map((pair) => [
      String(pair),
      between(...pair, ([one, other]) => one / other),
    ]),
  );
  const judgement = judge(
    new Map(ranking.map((proxy) => [proxy, valuesOf(of(proxy), p)])),
    allPairs(ranking),
    (a, b) => ratios.get(String([a, b])) ?? null,
  );
  const ranks = rank(ranking, judgement.differ);
  const [best] = ranking;
  return comparison({
    question,
    measure: measure(key),
    settings: [setting],
    figures: [...rounds.keys()].map((proxy): Figure => {
      const ms = own.get(proxy) ?? null;
      const place = ranks.get(proxy);
      const missing = first?.figures.find((one) => one.proxy === proxy)?.missing ?? [];
      const pooled = of(proxy).size > 0 ? Histogram.pooled([...of(proxy).values()]) : null;
      const added =
        isBound && proxy !== CONTROL ? between(proxy, CONTROL, ([one, base]) => one - base) : null;
      return {
        ...figure(proxy),
        estimate: estimateOf(ms),
        toBest: place
          ? toBestOf(
              between(proxy, best, ([one, other]) => one / other),
              { isBest: proxy === best, isTied: place.rank === 1 },
            )
          : null,
        rounds: ms?.rounds ?? [],
        rank: place?.rank ?? null,
        tied: place?.ties ?? [],
        // Its cells may count, and have no distribution.
        missing: pooled ? [] : missing.length > 0 ? missing : [{ kind: "unreadable" }],
        extra: {
          samples: pooled?.total ?? 0,
          ...(added && {
            added: estimateOf(added),
            relation: relationOf(added, rowOf(proxy)?.extra.relation),
          }),
          ...(p === PERCENTILES.p99 && { curve: pooled ? curveOf(pooled) : [] }),
        },
      };
    }),
    // Each figure says whether it differs from the control.
    flags: (tested?.flags ?? []).filter(({ code }) => code !== "control-slower"),
    detectable: tested?.detectable ?? null,
  });
}

/** What the tests say of each round's own, where the interval does not deny it. */
function relationOf({ value, interval }: Ratio, tested: Extra["relation"]): Extra["relation"] {
  if (!interval || (interval[0] <= 0 && interval[1] >= 0)) return interval ? "same" : tested;
  return tested === (value > 0 ? "worse" : "better") ? tested : "same";
}

/** By round, of cells whose times count. */
function histograms(
  { cells }: Run,
  { key }: Setting,
  proxy: string,
  { field, prefix }: { field: "handshakeMs" | "echoLatencyMs"; prefix: string },
): Map<number, Histogram> {
  const own = cells.filter(({ setting, record }) => setting === key && record.proxy === proxy);
  const counted = valuesByRound(own, proxy, `${prefix}_median`);
  return new Map(
    own
      .filter((cell) => cell.counted && counted.has(cell.record.round))
      .flatMap(({ record }): [number, Histogram][] => {
        const text = record.distributions?.[field];
        return text ? [[record.round, Histogram.parse(text)]] : [];
      }),
  );
}

/** null: too few latencies for that percentile. */
function ofAll(byRound: ByRound, p: number): Ratio | null {
  const histograms = [...byRound.values()];
  const pooled = Histogram.pooled(histograms);
  if (isTooFew(pooled, p)) return null;
  const value = pooled.quantile(p);
  const values = valuesOf(byRound, p);
  const interval = medianInterval(values, CONFIDENCE);
  return {
    value,
    // Of many rounds it is that of their median, and the pooled value may lie beside it.
    interval: interval && [Math.min(interval[0], value), Math.max(interval[1], value)],
    rounds: rangeOf(values),
  };
}

/** Over the rounds that both have; null: too few latencies for that percentile. */
function betweenTwo(
  both: [ByRound, ByRound],
  { p, combine, seed }: { p: number; combine: Combine; seed: number },
  pooledOf: (common: number[]) => PooledRounds[],
): Ratio | null {
  const common = [...both[0].keys()].filter((round) => both[1].has(round));
  const parts = both.map((part) => common.map((round) => part.get(round) as Histogram));
  if (parts.some((part) => isTooFew(Histogram.pooled(part), p))) return null;
  const estimate = pooledQuantile(pooledOf(common), p, combine, { confidence: CONFIDENCE, seed });
  const values = common.map((_, i) => combine(parts.map((part) => part[i].quantile(p))));
  return { ...estimate, rounds: rangeOf(values) };
}

function isTooFew({ total }: Histogram, p: number): boolean {
  return (1 - p) * total < LEAST_BEYOND - 1e-6;
}

/** Each round's own. */
function valuesOf(byRound: ByRound, p: number): number[] {
  return [...byRound.values()].map((histogram) => histogram.quantile(p));
}

/**
 * From the quickest to close to the slowest, where HdrHistogram's plots have their points: evenly
 * on a logarithmic scale of 1 / (1 − p).
 */
function curveOf(histogram: Histogram): [beyond: number, ms: number][] {
  const last = Math.log10(histogram.total);
  const points = Math.max(1, Math.ceil(last * POINTS_PER_DECADE));
  return Array.from({ length: points + 1 }, (_, i): [number, number] => {
    const beyond = 10 ** ((last * i) / points);
    return [beyond, histogram.quantile(Math.max(1 - 1 / beyond, 1 / histogram.total))];
  });
}
