/**
 * Distributions of times, compact enough for a record and fine enough for any percentile of it: the
 * buckets of HdrHistogram (https://hdrhistogram.org) with a lowest value of 1 µs and 3 significant
 * digits. Counts of several add up, so they give percentiles of what was recorded in several cells
 * together, which percentiles of the cells do not.
 */

/**
 * Steps of each power of two: below twice as many µs a bucket is 1 µs, above at most a 1,024th of
 * its value.
 */
const STEPS = 1024;

/**
 * What is known of a value: it was recorded to the µs, and is at most so far from the middle of its
 * bucket, as a share.
 */
export const RESOLUTION = { us: 1, exactBelowMs: (2 * STEPS) / 1000, share: 1 / (2 * STEPS) };

export class Histogram {
  /** From the lowest bucket. */
  indices: Int32Array<ArrayBuffer>;
  counts: Float64Array<ArrayBuffer>;
  /** Values in all. */
  total: number;

  /** @param counts by the index of the bucket, each above 0 */
  constructor(counts: Map<number, number>) {
    this.indices = Int32Array.from(counts.keys()).sort();
    this.counts = Float64Array.from(this.indices, (index) => counts.get(index) ?? 0);
    this.total = this.counts.reduce((sum, count) => sum + count, 0);
  }

  /** @param values in ms, from 0 */
  static of(values: Iterable<number>): Histogram {
    const counts: Map<number, number> = new Map();
    for (const ms of values) {
      const index = indexOf(Math.round(1000 * ms));
      counts.set(index, (counts.get(index) ?? 0) + 1);
    }
    return new Histogram(counts);
  }

  /** @returns of all of their values */
  static pooled(histograms: Histogram[]): Histogram {
    const counts: Map<number, number> = new Map();
    for (const { indices, counts: own } of histograms)
      indices.forEach((index, i) => counts.set(index, (counts.get(index) ?? 0) + own[i]));
    return new Histogram(counts);
  }

  /** @param text as of `toString` */
  static parse(text: string): Histogram {
    const counts: Map<number, number> = new Map();
    let index = 0;
    for (const part of text.split(" ").filter(Boolean)) {
      const [step, count = "1"] = part.split("x");
      index += Number(step);
      counts.set(index, Number(count));
    }
    return new Histogram(counts);
  }

  /**
   * @returns its buckets: the step of the index from the last one, and after an x the count where
   *   it is not 1
   */
  toString(): string {
    let last = 0;
    const parts = Array.from(this.indices, (index, i) => {
      const step = index - last;
      last = index;
      return this.counts[i] === 1 ? `${step}` : `${step}x${this.counts[i]}`;
    });
    return parts.join(" ");
  }

  /**
   * The smallest value that this many of all values do not exceed (nearest rank, as HdrHistogram has
   * it).
   *
   * @param p share of the values, above 0, at most 1
   * @returns ms, the middle of its bucket
   * @throws {Error} when there is no value
   */
  quantile(p: number): number {
    // A product such as 0.999 × 1,000 may be a little above the whole number that it is.
    const rank = Math.max(1, Math.ceil(p * this.total - 1e-6));
    let below = 0;
    for (const [i, count] of this.counts.entries()) {
      below += count;
      if (below >= rank) return middleMs(this.indices[i]);
    }
    throw new Error("an empty histogram has no quantile");
  }
}

/**
 * @param us whole, from 0
 * @returns of its bucket: they have no gaps between them
 */
function indexOf(us: number): number {
  if (us < 2 * STEPS) return us;
  const power = Math.floor(Math.log2(us / STEPS));
  return power * STEPS + Math.floor(us / 2 ** power);
}

/** @param index of a bucket */
export function middleMs(index: number): number {
  if (index < 2 * STEPS) return index / 1000;
  const power = Math.floor(index / STEPS) - 1;
  const lowest = (index - power * STEPS) * 2 ** power;
  return (lowest + (2 ** power - 1) / 2) / 1000;
}
