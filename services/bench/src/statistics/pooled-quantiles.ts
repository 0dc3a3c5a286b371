import { errorFunction, quantileSorted } from "simple-statistics";
import { middleMs } from "./histogram.ts";
import type { Histogram } from "./histogram.ts";
import { medianDepth } from "./interval.ts";
import { randomNumbers } from "./random.ts";
import { studentQuantile } from "./student.ts";
import type { Estimate } from "./types.ts";

/** The histograms of one proxy by round: percentiles of any draw of these rounds together. */
class Rounds {
  readonly #indices: number[];
  /** Of each round, values up to each bucket of any. */
  readonly #below: Float64Array[];
  readonly #totals: number[];

  constructor(histograms: Histogram[]) {
    this.#totals = histograms.map(({ total }) => total);
    const all = new Set(histograms.flatMap(({ indices }) => [...indices]));
    this.#indices = [...all].sort((a, b) => a - b);
    const places = new Map(this.#indices.map((index, i) => [index, i]));
    this.#below = histograms.map(({ indices, counts }) => {
      const below = new Float64Array(this.#indices.length);
      indices.forEach((index, i) => (below[places.get(index) as number] = counts[i]));
      for (let i = 1; i < below.length; i++) below[i] += below[i - 1];
      return below;
    });
  }

  /** @param drawn how often each round */
  quantile(p: number, drawn: ArrayLike<number>): number {
    const sum = (of: (round: number) => number) =>
      this.#totals.reduce((all, _, round) => all + drawn[round] * of(round), 0);
    const rank = Math.max(1, Math.ceil(p * sum((round) => this.#totals[round]) - 1e-6));
    let [low, high] = [0, this.#indices.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sum((round) => this.#below[round][middle]) >= rank) high = middle;
      else low = middle + 1;
    }
    return middleMs(this.#indices[low]);
  }
}

/**
 * A percentile of what all rounds recorded together, or what several proxies' make: their
 * difference, or their ratio. Its interval is of a bootstrap of whole rounds, which hold what varies
 * within a round as well as between them (Davison & Hinkley, Bootstrap Methods and their
 * Application, 1997, 3.8). Of all proxies the same rounds are drawn: what slows one slows all.
 *
 * With few rounds the percentile interval is too narrow; the ends are further out, by as much as
 * Student's t is wider than the normal distribution (Hesterberg, What Teachers Should Know About
 * the Bootstrap, The American Statistician 69 (2015) 371-386: expanded percentiles).
 *
 * @param parts each of one proxy: a histogram a round, of the same rounds
 * @param combine the percentiles of the parts
 * @returns its interval is null with so few rounds that a median has none
 */
export function pooledQuantile(
  parts: Histogram[][],
  p: number,
  combine: (values: number[]) => number,
  { confidence, seed, resamples = 4000 }: { confidence: number; seed: number; resamples?: number },
): Estimate {
  const n = parts[0].length;
  const rounds = parts.map((part) => new Rounds(part));
  const at = (drawn: ArrayLike<number>) => combine(rounds.map((one) => one.quantile(p, drawn)));
  const value = at(new Array(n).fill(1));
  if (medianDepth(n, confidence) === 0) return { value, interval: null };
  const random = randomNumbers(seed);
  const drawn = new Uint8Array(n);
  const values = Array.from({ length: resamples }, () => {
    drawn.fill(0);
    for (let i = 0; i < n; i++) drawn[Math.floor(random() * n)] += 1;
    return at(drawn);
  }).sort((a, b) => a - b);
  const tail = expandedTail(n, confidence);
  return { value, interval: [quantileSorted(values, tail), quantileSorted(values, 1 - tail)] };
}

/** Share of resampled values beyond each end. */
function expandedTail(n: number, confidence: number): number {
  const t = studentQuantile((1 + confidence) / 2, n - 1);
  return (1 - errorFunction(Math.sqrt(n / (n - 1) / 2) * t)) / 2;
}
