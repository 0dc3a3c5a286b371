/**
 * The first of a series of versions that costs more than the first one, by halves.
 *
 * Each is judged by Wald's sequential probability ratio test (Annals of Mathematical Statistics 16
 * (1945) 117-186): it costs as much as the first, or more by the threshold, from logarithms of ratios
 * of rounds, which are taken as normal. It ends as soon as the rounds tell one from the other, and
 * keeps its error whenever it ends. What lies between the two may stay open.
 *
 * The place beside the baseline may itself cost a little more or less: the first version is measured
 * beside itself, and what that shows is taken off. How much rounds vary is pooled over all versions.
 */
import { mean } from "simple-statistics";
import { studentQuantile } from "./student.ts";
import type { Estimate } from "./types.ts";

/** unable: it could not be measured */
export type Verdict = "more" | "equal" | "open" | "unable";

export interface Judged {
  version: string;
  verdict: Verdict;
  rounds: number;
  /** to the first version; null: no round has a figure */
  ratio: Estimate | null;
}

/** noise: rounds vary too much for an answer, or one lies between the two */
export interface Found {
  outcome: "found" | "none" | "noise" | "unable";
  /** the first that costs more, where one does; of noise the one that stayed open */
  at: string | null;
  /** the last that is known to cost no more, and the first that does: between them nothing is known */
  between: [string, string | null];
  /** of the first that costs more to the last that does not */
  step: Estimate | null;
  /** of a round, in % */
  spreadPercent: number;
  /** of each version, to tell equal from more by the threshold at that spread */
  roundsNeeded: number;
  /** each version once, in the order in which they were measured */
  judged: Judged[];
}

interface Options {
  /** share: 0.05 */
  threshold: number;
  /** of each version, at most */
  mostRounds: number;
}

/**
 * Probability of a wrong answer in a whole search, if it were known how much rounds vary. As it is
 * not, 1 to 5 % of simulated searches are wrong.
 */
const ERROR = 0.03;
const CONFIDENCE = 0.95;

/** Of the first version beside itself: less tells too little of how much rounds vary. */
const LEAST_OF_FIRST = 6;
/** Of any other: one or two may be off together. */
const LEAST = 3;

/**
 * As if earlier rounds had varied so much: ratios within cells vary by 1.5 to 2 %, and a few that
 * happen to agree do not show that they vary less.
 */
const BEFORE = { rounds: 4, spread: 0.02 };

/**
 * @param versions the oldest first, two or more
 * @param measure ratios to the first version, one a round; null: it cannot be measured
 * @param tell gets each that was judged; left: those that may still be the first
 */
export async function firstToCostMore(
  versions: string[],
  measure: (version: string, rounds: number) => Promise<number[] | null>,
  options: Options,
  tell: (judged: Judged, left: string[]) => void = () => {},
): Promise<Found> {
  const search = new Search(versions, measure, options, tell);
  return search.run();
}

class Search {
  #versions: string[];
  #measure: Parameters<typeof firstToCostMore>[1];
  #tell: (judged: Judged, left: string[]) => void;
  #mostRounds: number;
  /** ln(1 + threshold) */
  #step: number;
  /** of the evidence, at which the test ends */
  #bound: number;
  /** ln of ratios of each version, the first beside itself */
  #logs: Map<string, number[]> = new Map();
  /** rounds that were measured, some of which may have no figure */
  #asked: Map<string, number> = new Map();
  #judged: Judged[] = [];

  constructor(
    ...[versions, measure, { threshold, mostRounds }, tell = () => {}]: Parameters<
      typeof firstToCostMore
    >
  ) {
    this.#versions = [...versions];
    this.#measure = measure;
    this.#tell = tell;
    this.#mostRounds = mostRounds;
    this.#step = Math.log(1 + threshold);
    const error = ERROR / (1 + Math.ceil(Math.log2(versions.length)));
    this.#bound = Math.log((1 - error) / error);
  }

  async run(): Promise<Found> {
    const versions = this.#versions;
    if (!(await this.#measureFirst())) return this.#end("unable", versions[0], versions[0], null);
    if (this.#needed() > this.#mostRounds) return this.#end("noise", null, versions[0], null);
    let [low, high] = [0, versions.length];
    // Until one is known to cost more, the last of all is judged.
    while (high - low > 1) {
      const isOpenEnd = high === versions.length;
      const at = isOpenEnd ? high - 1 : Math.floor((low + high) / 2);
      const verdict = await this.#judge(versions[at]);
      const version = versions[at];
      if (verdict === "unable") {
        versions.splice(at, 1);
        high -= 1;
      } else if (verdict === "more") high = at;
      else if (verdict === "equal") low = at;
      this.#note(version, verdict, versions.slice(low + 1, high + 1));
      if (verdict === "open")
        return this.#end("noise", versions[at], versions[low], versions[high] ?? null);
    }
    if (low === 0 && versions.length === 1) return this.#end("unable", null, versions[0], null);
    if (high === versions.length) return this.#end("none", null, versions[low], null);
    return this.#end("found", versions[high], versions[low], versions[high]);
  }

  #end(outcome: Found["outcome"], at: string | null, low: string, high: string | null): Found {
    return {
      ...{ outcome, at, between: [low, high], judged: this.#judged },
      step: outcome === "found" && high !== null ? this.#ratio(high, low) : null,
      spreadPercent: 100 * this.#spread(),
      roundsNeeded: 2 * this.#needed(),
    };
  }

  /** @returns false: it cannot be measured */
  async #measureFirst(): Promise<boolean> {
    const [first] = this.#versions;
    const isMeasured =
      (await this.#add(first, LEAST_OF_FIRST)) &&
      // Twice as many as would do if the other had no spread: then the other needs no more.
      (await this.#add(first, 2 * this.#needed() - LEAST_OF_FIRST));
    this.#note(first, isMeasured ? "equal" : "unable", this.#versions.slice(1));
    return isMeasured;
  }

  async #judge(version: string): Promise<Verdict> {
    let verdict: Verdict = "open";
    while (verdict === "open") {
      // The one of the two that has fewer rounds tells more by its next.
      const [next] = [version, this.#versions[0]]
        .filter((one) => this.#askedOf(one) < this.#mostRounds)
        .toSorted((a, b) => this.#askedOf(a) - this.#askedOf(b));
      if (next === undefined) break;
      const rounds = Math.max(this.#askedOf(next) === 0 ? LEAST : 1, this.#missing(version));
      if (await this.#add(next, rounds)) verdict = this.#verdict(version);
      else verdict = "unable";
    }
    return verdict;
  }

  #note(version: string, verdict: Verdict, left: string[]) {
    const [first] = this.#versions;
    const logs = this.#logs.get(version) ?? [];
    const ratio = version === first ? null : this.#ratio(version, first);
    const judged = { version, verdict, rounds: logs.length, ratio };
    this.#judged.push(judged);
    this.#tell(judged, left);
  }

  #askedOf(version: string): number {
    return this.#asked.get(version) ?? 0;
  }

  /** @returns false: it cannot be measured */
  async #add(version: string, wanted: number): Promise<boolean> {
    const before = this.#askedOf(version);
    const rounds = Math.min(wanted, this.#mostRounds - before);
    if (rounds <= 0) return true;
    this.#asked.set(version, before + rounds);
    const ratios = await this.#measure(version, rounds);
    if (ratios === null) return false;
    this.#logs.set(version, [...(this.#logs.get(version) ?? []), ...ratios.map(Math.log)]);
    return true;
  }

  /** Standard deviation of the logarithm of a round's ratio. */
  #spread(): number {
    let [squares, degrees] = [BEFORE.rounds * BEFORE.spread ** 2, BEFORE.rounds];
    for (const logs of this.#logs.values()) {
      if (logs.length < 2) continue;
      const centre = mean(logs);
      for (const one of logs) squares += (one - centre) ** 2;
      degrees += logs.length - 1;
    }
    return Math.sqrt(squares / degrees);
  }

  /** Rounds after which the test ends, of one that is exactly equal, or more by exactly the threshold. */
  #needed(): number {
    return Math.ceil((2 * this.#spread() ** 2 * this.#bound) / this.#step ** 2);
  }

  /** @returns evidence that it costs more, to the bound */
  #evidence(version: string): number {
    const [own, zero] = [version, this.#versions[0]].map((one) => this.#logs.get(one) ?? []);
    if (own.length < LEAST || zero.length < LEAST) return 0;
    const variance = this.#spread() ** 2 * (1 / own.length + 1 / zero.length);
    const distance = mean(own) - mean(zero);
    return ((this.#step / variance) * (distance - this.#step / 2)) / this.#bound;
  }

  #verdict(version: string): Verdict {
    const evidence = this.#evidence(version);
    if (evidence >= 1) return "more";
    return evidence <= -1 ? "equal" : "open";
  }

  /** Rounds that are still missing, if it is equal, or more by the threshold. */
  #missing(version: string): number {
    return Math.ceil(this.#needed() * (1 - Math.abs(this.#evidence(version))));
  }

  #ratio(a: string, b: string): Estimate | null {
    const [own, other] = [a, b].map((one) => this.#logs.get(one) ?? []);
    if (own.length === 0 || other.length === 0) return null;
    const centre = mean(own) - mean(other);
    const groups = [...this.#logs.values()];
    const degrees = groups.reduce((sum, { length }) => sum + Math.max(0, length - 1), 0);
    if (degrees < 2) return { value: Math.exp(centre), interval: null };
    const t = studentQuantile((1 + CONFIDENCE) / 2, degrees);
    const half = t * this.#spread() * Math.sqrt(1 / own.length + 1 / other.length);
    return {
      value: Math.exp(centre),
      interval: [Math.exp(centre - half), Math.exp(centre + half)],
    };
  }
}
