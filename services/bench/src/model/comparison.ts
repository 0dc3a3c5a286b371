/**
 * One comparison, many views: all that anyone reads of a run is a view of a list of these.
 * `analyse` makes them of a record; reports, pages, claims and `compare` read nothing else of it.
 */
import type { Workload } from "../model/plan.ts";
import type { Flag } from "./flag.ts";
import type { CellRecord, Judgement } from "./cell.ts";
import type { Parameters, Scheme } from "./plan.ts";
import type { Results } from "./record.ts";

/** What the ends of an estimate are: a 95 % confidence interval, the lowest and highest round, an
 * exact binomial interval, or the lowest and highest event, whose connections had one fate: no
 * interval over them says anything. Of a search that fresh cells did not confirm a bracket: the
 * value is somewhere in it, and never shown alone. */
type Basis = "ci95" | "range" | "exact" | "events" | "bracket";

export interface Estimate {
  value: number;
  /** null: too few values for an interval, or no end is known. */
  low: number | null;
  high: number | null;
  basis: Basis;
}

export type MeasureKind = "time" | "rate" | "cpu" | "memory" | "count" | "share";

/** What is compared. */
export interface Measure {
  /** `cpu_us_per_connection`; also the column of results.csv. */
  key: string;
  /** `CPU per connection` */
  title: string;
  /** `µs`; empty: a plain number; `times`: a ratio. */
  unit: string;
  kind: MeasureKind;
  better: "lower" | "higher";
}

/** Scenario, scheme and parameters: what all proxies were put through alike. */
export interface Setting {
  key: string;
  scenario: string;
  scheme: Scheme;
  parameters: Parameters;
  /** What it asks of a proxy, by what its parameters mean. */
  workload: Workload;
}

/** One question over one setting, or over a pool of them. */
export interface Comparison {
  /** The same for the same plan: `cpu_us_per_connection/short-lived-ws-connections-500`. */
  id: string;
  /** Row of the table of questions. */
  question: string;
  measure: Measure;
  scheme: Scheme;
  /** Keys of the settings that it rests on; several are pooled, the fewest connections first. */
  settings: string[];
  /**
   * Of a ratio: keys of those that it is to, in the same order; the key of another proxy's copy.
   */
  beside: string[] | null;
  /** Of what is done to a proxy: its name. */
  event: string | null;
  /** In the order of the plan, the control among them where it was planned. */
  figures: Figure[];
  flags: Flag[];
  /** Of CPU time, which depends on it: the loop, and how busy the machine was. */
  load?: { loop: "open" | "closed"; atATime: number | null; busyPercent: number | null };
  /** Smallest ratio between two proxies that this many rounds of this spread could have seen;
   * null: none, too few rounds, or nothing is tested. */
  detectable: number | null;
}

/** One proxy in one comparison. */
export interface Figure {
  proxy: string;
  role: "proxy" | "control";
  /** null: see `missing`. */
  estimate: Estimate | null;
  /**
   * To the best; 1 for the best itself, and in the interval of a tie. null: nobody is ranked, or
   * this one is not, or it answers with errors and the best does not.
   */
  toBest: Estimate | null;
  /** null: the control does other work, or has no figure. */
  toControl: Estimate | null;
  /** One value a counted round, in their order. */
  rounds: number[];
  /** From 1; proxies tied with the best of them share it. null: not ranked. */
  rank: number | null;
  /** Those of the same rank from which it does not differ measurably. */
  tied: string[];
  /** Why there is no estimate, each reason once. */
  missing: Missing[];
  extra: Extra;
}

/** CPU time as measured, and relative to the reference. */
interface Spread {
  /** Median over the rounds, as measured. */
  rawUs: number;
  /** Standard deviation over the rounds in % of the mean; null: a single round. */
  rawPercent: number | null;
  heldPercent: number | null;
}

/** What some questions say of a figure beside it. */
export interface Extra {
  /** Against the best, Holm-corrected over the comparison. */
  p?: number;
  /** Beside the control, by a test over rounds. */
  relation?: "better" | "worse" | "same";
  /** CPU time to that of the reference proxy beside it; of a search cores' worth of its work. */
  toReference?: number;
  spread?: Spread;
  /** CPU time of the reference beside it, in µs per operation: the median of the setting's cells. */
  referenceUs?: number;
  /** The rounds, as on a machine that is in each as fast as the reference found it in the median. */
  held?: number[];
  /** HTTP: share of requests that were not answered well, in %. */
  badPercent?: number;
  /** Of a ratio: the two medians; of a copy: the original's. */
  medians?: [number, number];
  /** Of a release: the one that it is compared with. */
  before?: string;
  /** Latencies that a percentile rests on, and what it adds to the control's. */
  samples?: number;
  added?: Estimate | null;
  /**
   * A value over something: latency over 1/(1 − p), percent over seconds, bytes over connections.
   */
  curve?: [x: number, y: number][];
  /** Where CPU time was spent, in seconds of the measured phase. */
  places?: { place: string; service: string; seconds: number; user: number; system: number }[];
  /** Of a slope: memory before the load; most connections measured; where it ended, and why. */
  baseline?: Estimate | null;
  upTo?: number;
  ended?: { connections: number; next: number; why: Missing } | null;
  /** Of a trend: median of its first and last part, and whether it grows. */
  from?: number | null;
  to?: number | null;
  grows?: boolean | null;
  hours?: number;
  /** Of a search: fresh cells that ended well, what broke first, where CPU went. */
  search?: {
    /** No fresh cell contradicts the search, and enough agree with it; else it is a bracket. */
    confirmed: boolean;
    /** agreeing, contradicting: of those outside of the interval that the search leaves by itself */
    fresh: { tried: number; agreeing: number; contradicting: number };
    /** Half of all probes and fresh cells keep the promise there, at the machine's mean speed. */
    threshold: { rate: number; width: number; low: number | null; high: number | null } | null;
    brokeFirst: string[];
    perCore: number | null;
    generatorPercent: number | null;
    budgetPercent: number | null;
    /** Search first, in its order, then fresh cells. */
    points: {
      rate: number;
      /** Id of its cell. */
      cell: string;
      fresh: boolean;
      verdict: Judgement["verdict"];
      broken: string[];
      limits: string[];
      /** End of the measured phase, ms since 1970; null: it was not measured. */
      endMs: number | null;
      p99Ms: number | null;
      generatorPercent: number | null;
      budgetPercent: number | null;
      /** Seconds in each for which the kernel held the proxy back. */
      throttled: number | null;
    }[];
  };
  /** This many of all that there were. */
  count?: number;
  of?: number;
  /** How things ended or failed, the most frequent first. */
  causes?: { what: string; count: number }[];
  /** Steps of an event, and curves around it, by name: points of seconds and value. */
  steps?: { seconds: number; what: string }[];
  around?: Record<string, [seconds: number, value: number][]>;
  /**
   * Of several runs: what each said, the newest first; how far they lie apart, in % (SD of the
   * logarithms), and how far their rounds alone would put them. null: a value is not above 0, or
   * a figure is of no rounds.
   */
  runs?: { values: number[]; betweenPercent: number | null; withinPercent: number | null };
  /** Words that stand beside a figure: `held-back`, `gone`. */
  outcome?: string;
}

/** Why a figure is missing. */
export type Missing =
  | { kind: "not-run" | "unreadable" | "no-common-round" | "uncounted" }
  | { kind: "unsupported" | "skipped"; why: string }
  | { kind: "failed"; cause: NonNullable<CellRecord["cause"]> }
  | { kind: "invalid" | "voided"; flag: Flag }
  | { kind: "few-counts"; counts: number; least: number }
  /** Of a search: the lowest rate that failed; no rate with latencies enough for a p99. */
  | { kind: "none-passed"; rate: number }
  | { kind: "few-samples"; least: number };

/** comparisons.json beside results.json. */
export interface Comparisons {
  schema: 1;
  battle: string;
  title: string;
  startedAt: string;
  /** Absent: of before 27 November 2026. */
  method?: number;
  rounds: number;
  /** In the order of the plan, the control among them. */
  proxies: {
    name: string;
    title: string;
    /** Of its mark in charts, as its proxy.json has them. */
    colour?: string;
    shape?: string;
    variantOf?: string;
    /** As the programs tell it: `HAProxy 3.0.11 + hitch 1.8.0`. */
    version: string | null;
  }[];
  settings: Record<string, Setting>;
  /** Of the whole run. */
  flags: Flag[];
  comparisons: Comparison[];
}

/** A cell with what was derived from it. */
export interface JudgedCell {
  record: CellRecord;
  setting: string;
  workload: Workload;
  /** By `Measure.key`; absent where it could not be had. */
  measures: Record<string, number>;
  flags: Flag[];
  /** ok, of the last attempt, and no flag is `invalid`. */
  counted: boolean;
}

/** All that a report is made of. */
export interface Reported {
  comparisons: Comparisons;
  /** The record: for the environment, the plan, and what became of each cell. */
  results: Results;
  /** Every attempt, in the order of the record. */
  cells: JudgedCell[];
}
