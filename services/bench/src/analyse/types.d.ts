/**
 * What analysis makes of `results.json`, and all that rendering sees.
 */
import type { CellRecord, Parameters, Results, Scheme } from "../record/types.js";

/** Something that weakens or voids a figure, with the figure that shows it. */
export interface Finding {
  /** `generator-busy`, `too-short`, `control-slower`, `steal`, `foreign-load`, `spread`, `tls`, `bypassed`, … */
  gate: string;
  /** invalid: not counted; weak: counted, to be read with care; note: good to know. */
  severity: "invalid" | "weak" | "note";
  /** One sentence, with figure and limit. */
  message: string;
}

/** What is compared. */
export interface Measure {
  /** `cpu_us_per_handshake`; also the column of results.csv. */
  key: string;
  /** `CPU per handshake` */
  title: string;
  /** `µs`; empty: a plain number. */
  unit: string;
  better: "lower" | "higher";
  /** How it was got, for the reader of the table. */
  description: string;
}

/** An interval of the level given in `Analysis.confidence`. */
export type Interval = [low: number, high: number];

export interface Estimate {
  value: number;
  /** null: too few rounds for that level. */
  interval: Interval | null;
}

/** One proxy in one comparison. */
export interface Row {
  proxy: string;
  /** One value a counted round, in the order of rounds. */
  values: number[];
  /** Median over rounds; null: no counted cell, see `missing`. */
  median: Estimate | null;
  missing: string | null;
  toControl: Estimate | null;
  toBest: Estimate | null;
  /** From 1; proxies between which no difference is seen share it. The control has none. */
  rank: number | null;
  /** Proxies of the same rank. */
  ties: string[];
  /** Two-sided Mann–Whitney against the best, Holm-corrected over this comparison; null: it is the best, or there are too few rounds. */
  p: number | null;
}

/** All proxies under one measure and one setting. */
export interface Comparison {
  measure: string;
  rows: Row[];
  /** Smallest ratio between two proxies that this many rounds of this spread could have seen; null: none, too few rounds. */
  detectableRatio: number | null;
  findings: Finding[];
}

/** Scenario, scheme and parameters: what all proxies were put through alike. */
export interface Setting {
  key: string;
  /** `5,000 short-lived connections, wss` */
  title: string;
  scenario: string;
  scheme: Scheme;
  parameters: Parameters;
  comparisons: Comparison[];
}

/** A cell with what was derived from it. */
export interface AnalysedCell {
  record: CellRecord;
  setting: string;
  /** By `Measure.key`; absent where it could not be had. */
  measures: Record<string, number>;
  findings: Finding[];
  /** ok, of the last attempt, and no finding is `invalid`. */
  counted: boolean;
}

/** A question, and the one sentence that answers it, its uncertainty included. */
export interface Verdict {
  question: string;
  answer: string;
  /** What the reader must know before repeating it. */
  caveats: string[];
}

/** A published claim beside today's run. */
export interface Claim {
  claim: string;
  outcome: "holds" | "no longer" | "cannot be told here";
  today: string;
}

export interface PublishedStudy {
  title: string;
  year: number;
  source: string;
  machine: string;
  note: string;
  /** Rows as published. */
  tables: { title: string; columns: string[]; rows: (string | number | null)[][] }[];
  claims: Claim[];
}

export interface Analysis {
  results: Results;
  /** 0.95 */
  confidence: number;
  measures: Measure[];
  settings: Setting[];
  cells: AnalysedCell[];
  verdicts: Verdict[];
  /** Of the whole run. */
  findings: Finding[];
  /** Ratio that a proxy against a copy of itself showed, by measure; from the last A/A run on the same environment. */
  noiseFloor: { run: string; proxy: string; ratios: Record<string, number> } | null;
  published: PublishedStudy | null;
}
