import { errorFunction, quantileSorted } from "simple-statistics";
import { middleMs } from "./histogram.ts";
import type { Histogram } from "./histogram.ts";
import { medianDepth } from "./interval.ts";
import { randomNumbers } from "./random.ts";
import { studentQuantile } from "./student.ts";
import type { Estimate } from "./types.ts";

interface Draws {
  seed: number;
  resamples?: number;
}

/** The histograms of one proxy by round: percentiles of any draw of these rounds together. */
export class PooledRounds {
  /** Of rounds. */
  readonly count: number;
  readonly #indices: number[];
  /** Of each bucket of any, values up to it by round. */
  readonly #below: Float64Array[];
  readonly #totals: number[];
  readonly #resampled: Map<string, number[]> = new Map();

  constructor(histograms: Histogram[]) {
    this.count = histograms.length;
    this.#totals = histograms.map(({ total }) => total);
    const all = new Set(histograms.flatMap(({ indices }) => [...indices]));
    this.#indices = [...all].sort((a, b) => a - b);
    const places = new Map(this.#indices.map((index, i) => [index, i]));
    this.#below = this.#indices.map(() => new Float64Array(histograms.length));
    histograms.forEach(({ indices, counts }, round) => {
      indices.forEach((index, i) => (this.#below[places.get(index) as number][round] = counts[i]));
      for (let i = 1; i < this.#below.length; i++)
        this.#below[i][round] += this.#below[i - 1][round];
    });
  }

  /** @param drawn how often each round */
  quantile(p: number, drawn: ArrayLike<number>): number {
    const total = this.#sum(drawn, this.#totals);
    const rank = Math.max(1, Math.ceil(p * total - 1e-6));
    let [low, high] = [0, this.#indices.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sum(drawn, this.#below[middle]) >= rank) high = middle;
      else low = middle + 1;
    }
    return middleMs(this.#indices[low]);
  }

  /**
   * Percentiles of draws with replacement: of the same seed and as many rounds the same draws,
   * whatever the proxy. They are kept, as a proxy is compared with each other one.
   */
  resampled(p: number, { seed, resamples = 4000 }: Draws): number[] {
    const key = [p, seed, resamples].join(" ");
    const kept = this.#resampled.get(key);
    if (kept) return kept;
    const random = randomNumbers(seed);
    const drawn = new Uint8Array(this.count);
    const values = Array.from({ length: resamples }, () => {
      drawn.fill(0);
      for (let i = 0; i < this.count; i++) drawn[Math.floor(random() * this.count)] += 1;
      return this.quantile(p, drawn);
    });
    this.#resampled.set(key, values);
    return values;
  }

  /** A bootstrap asks for it some million times. */
  #sum(drawn: ArrayLike<number>, ofRound: ArrayLike<number>): number {
    let sum = 0;
    for (let round = 0; round < ofRound.length; round++) sum += drawn[round] * ofRound[round];
    return sum;
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
 * @param parts each of one proxy, of the same rounds
 * @param combine the percentiles of the parts
 * @returns its interval is null with so few rounds that a median has none
 */
export function pooledQuantile(
  parts: PooledRounds[],
  p: number,
  combine: (values: number[]) => number,
  { confidence, ...draws }: Draws & { confidence: number },
): Estimate {
  const [{ count }] = parts;
  const once = new Uint8Array(count).fill(1);
  const value = combine(parts.map((part) => part.quantile(p, once)));
  if (medianDepth(count, confidence) === 0) return { value, interval: null };
  const [first, ...others] = parts.map((part) => part.resampled(p, draws));
  const values = first
    .map((one, i) => combine([one, ...others.map((other) => other[i])]))
    .sort((a, b) => a - b);
  const tail = expandedTail(count, confidence);
  return { value, interval: [quantileSorted(values, tail), quantileSorted(values, 1 - tail)] };
}

/** Share of resampled values beyond each end. */
function expandedTail(n: number, confidence: number): number {
  const t = studentQuantile((1 + confidence) / 2, n - 1);
  return (1 - errorFunction(Math.sqrt(n / (n - 1) / 2) * t)) / 2;
}
