/**
 * Latency at a set rate: percentiles of all that was recorded in a setting's counted cells, all
 * rounds together, and what a proxy adds to the control's. Percentiles of cells are never averaged.
 *
 * The interval is the distribution-free one of the rounds' own values. Simulated with six rounds
 * that differ by 2 to 20 % (log-normal, 800 latencies a round) it covered the true difference of
 * pooled medians and p99 in 94 to 97 of 100 cases; a bootstrap of whole rounds in 83 to 88.
 * Whether a difference is seen, the tests over rounds tell.
 */
import type { Comparison, Figure, Setting } from "../model/comparison.ts";
import { CONTROL } from "../plan/proxies.ts";
import { isPaced } from "../plan/workload.ts";
import { Histogram, medianInterval } from "../statistics/index.ts";
import { comparison, estimateOf, figure, quotient, valueOf } from "./figures.ts";
import { measure } from "./measures.ts";
import { CONFIDENCE, valuesByRound } from "./settings.ts";
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
        return Object.entries(PERCENTILES).map(([suffix, p]) => {
          const key = `${prefix}_${suffix}`;
          const of = (name: string) =>
            tested.find(
              (one) =>
                one.measure.key === name &&
                one.settings.length === 1 &&
                one.settings[0] === setting.key,
            );
          return percentile({ question, key, p }, setting, rounds, of(key), of(`${prefix}_median`));
        });
      }),
    );
}

function percentile(
  { question, key, p }: { question: string; key: string; p: number },
  setting: Setting,
  rounds: Map<string, Map<number, Histogram>>,
  tested: Comparison | undefined,
  first: Comparison | undefined,
): Comparison {
  // Over TLS the control encrypts in the thread that answers: it bounds nothing.
  const isBound = setting.scheme === "ws";
  const control = rounds.get(CONTROL) ?? new Map();
  const told = [...rounds].map(([proxy, own]) => {
    const row = tested?.figures.find((one) => one.proxy === proxy);
    const missing = first?.figures.find((one) => one.proxy === proxy)?.missing ?? [];
    const pooled = own.size > 0 ? Histogram.pooled([...own.values()]) : null;
    const ms = atPercentile([own], p, ([one]) => one);
    const added =
      isBound && proxy !== CONTROL
        ? atPercentile([own, control], p, ([one, base]) => one - base)
        : null;
    const relation = isBound && proxy !== CONTROL ? row?.extra.relation : undefined;
    const shown: Figure = {
      ...figure(proxy),
      estimate: estimateOf(ms),
      rounds: ms?.rounds ?? [],
      rank: row?.rank ?? null,
      tied: row?.tied ?? [],
      // Its cells may count, and have no distribution.
      missing: pooled ? [] : missing.length > 0 ? missing : [{ kind: "unreadable" }],
      extra: {
        samples: pooled?.total ?? 0,
        ...(added && { added: estimateOf(added) }),
        ...(relation && { relation }),
        ...(p === PERCENTILES.p99 && { curve: pooled ? curveOf(pooled) : [] }),
      },
    };
    return { shown, ms };
  });
  const [best] = told
    .filter(({ shown, ms }) => shown.rank === 1 && ms)
    .sort((a, b) => Number(a.ms?.value) - Number(b.ms?.value));
  return comparison({
    question,
    measure: measure(key),
    settings: [setting],
    figures: told.map(({ shown, ms }) => ({
      ...shown,
      toBest:
        shown.rank === null || !best
          ? null
          : shown === best.shown
            ? valueOf(1)
            : quotient(ms, best.ms),
    })),
    // What differs from the control is told with each figure.
    flags: (tested?.flags ?? []).filter(({ code }) => code !== "control-slower"),
    detectable: tested?.detectable ?? null,
  });
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

/** Over the rounds that all parts have; null: too few latencies for that percentile. */
function atPercentile(
  parts: Map<number, Histogram>[],
  p: number,
  combine: (values: number[]) => number,
): Ratio | null {
  const rounds = [...parts[0].keys()].filter((round) => parts.every((part) => part.has(round)));
  const of = (some: number[]) =>
    parts.map((part) => Histogram.pooled(some.map((round) => part.get(round) as Histogram)));
  const pooled = of(rounds);
  if (pooled.some(({ total }) => (1 - p) * total < LEAST_BEYOND - 1e-6)) return null;
  const at = (some: Histogram[]) => combine(some.map((histogram) => histogram.quantile(p)));
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
