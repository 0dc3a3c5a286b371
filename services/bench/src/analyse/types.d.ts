/**
 * What analysis makes of `results.json`, and all that rendering sees.
 */
import type { Capacity } from "../statistics/capacity-search.js";
import type { Estimate, Interval } from "../statistics/types.js";
import type { Broken, CellRecord, CourseReading, Judgement } from "../model/cell.ts";
import type { NetworkReading } from "../model/container.ts";
import type { Parameters, ScenarioDescription, Scheme, Workload } from "../model/plan.ts";
import type { Results } from "../model/record.ts";

/** What each gate found: the figures that its sentence is made of. Shares are in %, and `limit` is of the figure beside it. */
export interface GateFigures {
  // Of a cell.
  /** isBounded: its threads cannot use more than `cores`, and other cores are idle. */
  "generator-busy": { percent: number; limit: number; cores: number; isBounded: boolean };
  /** Two ticks are so much of the CPU time that is asked about. */
  "too-short": {
    cpuSeconds: number;
    tickSeconds: number;
    percent: number;
    limit: number;
    /** What would make the phase longer; null: its connections are held, and a proxy may idle. */
    repeats: "connections" | "requests" | null;
  };
  /** The whole machine was busy for so much of the time. atATime: connections, at most. */
  saturated: { percent: number; limit: number; loop: "closed" | "open"; atATime: number };
  steal: { percent: number; limit: number };
  "foreign-load": { percent: number; limit: number };
  /** The reference proxy's CPU time per operation was so far from the median of the setting. */
  "machine-index": { percent: number; limit: number; medianUs: number };
  tls: {
    what: "version" | "cipher" | "group" | "key" | "session";
    found: string;
    expected: string[];
    /** Whether the load asks for it, or certs/policy.json does. */
    isOfLoad: boolean;
  };
  "tls-unknown": {};
  bypassed: { what: keyof NetworkReading; found: number; least: number };
  "bypass-unknown": {};
  "echo-count": {
    what: "connections" | "messages";
    echo: number;
    generator: number;
    limit: number;
  };
  "echo-count-unknown": {};
  "request-count": { answers: number; unanswered: number; asked: number };
  "bad-answers": { bad: number; asked: number; percent: number; limit: number };
  "not-held": { from: number; to: number; asked: number };
  failed: { failed: number; asked: number; percent: number; limit: number };
  late: { percent: number; limit: number; due: number };
  dropped: { percent: number; limit: number; due: number };
  "memory-unknown": {};
  "machine-unknown": {};
  "side-by-side": {};

  // Of a comparison.
  /**
   * Below `least` nothing is ranked, below `enough` it is a first look. onePairIn: of so many pairs of equal proxies one comes out
   * apart; null: they are tested, or not ranked.
   */
  "few-rounds": { rounds: number; least: number; enough: number; onePairIn: number | null };
  /** Of these no figure counts, and so the others are not ranked. */
  survivors: { proxies: string[] };
  "missing-rounds": { most: number; proxies: { proxy: string; rounds: number }[] };
  /** Of a pool: proxies that have no figure in some of its settings, which have so many connections. */
  "lacks-settings": { proxies: { proxy: string; connections: number[] }[] };
  /** Of a pool: settings with so many connections are left out, as figures of these are void there. */
  "left-out": { proxies: string[]; connections: number[] };
  /** Of a pool: two that differ, the first being better with so many connections, the second with so many. */
  opposite: {
    pairs: { proxies: [string, string]; better: [first: number[], second: number[]] }[];
  };
  "ranked-last": { limit: number; proxies: { proxy: string; badPercent: number }[] };
  spread: { limit: number; proxies: { proxy: string; percent: number }[] };
  "control-slower": {
    measure: string;
    control: number;
    proxies: { proxy: string; value: number }[];
  };
  "control-own": {};
  /** Over TLS. */
  "control-beside": {};
  /** Of slopes: these proxies have none. */
  "no-slope": { rows: Pick<SlopeRow, "proxy" | "missing" | "ended">[] };
  /** Of slopes: how they are told apart. */
  "slope-rule": { confidence: number };
  /** Of slopes: for their number, too few connection counts and rounds to tell them apart. points: of the proxy with the fewest. */
  "few-points": { proxies: number; points: number };
  /** Of times of a closed loop: the busiest of its cells. */
  queue: { percent: number; limit: number; atATime: number };

  // Of an answer.
  "no-figure": { proxies: string[]; missing: Missing[] };
  /** Differences from the best that are no larger than the noise floor's ratio. */
  "inside-noise": { proxies: string[]; ratio: number; floor: NoiseFloor };
  "full-handshakes": {};
  "whole-connections": {};

  // Of a run.
  incomplete: { open: number; planned: number };
  "shared-cores": { cores: number; busyPercent: number };
  /** Machines of hosts.yaml that are one. */
  "one-machine": { names: string[] };
  unobserved: { proxies: string[] };
  variants: { variants: { proxy: string; of: string; differs: string }[] };
  /** These let the client choose the cipher of TLS 1.3. */
  "client-chooses-cipher": { proxies: string[] };
}

export type Gate = keyof GateFigures;

/** Something that weakens or voids a figure, with the figures that show it. */
export interface FindingOf<G extends Gate> {
  gate: G;
  /** invalid: not counted; weak: counted, to be read with care; note: good to know. */
  severity: "invalid" | "weak" | "note";
  figures: GateFigures[G];
  /** Beginnings of the keys of measures that it voids in a cell which counts for all others. */
  voids?: string[];
  /** Of a run, what was found in cells: in so many, and the first of them, whose figures these are. */
  cells?: { affected: number; all: number; first: string };
}

export type Finding = { [G in Gate]: FindingOf<G> }[Gate];

/** Why a figure is missing. */
export type Missing =
  | { kind: "not-run" }
  /** This proxy has no such thing as the event is done to. */
  | { kind: "has-none"; why: string }
  | { kind: "skipped"; why: string }
  | { kind: "failed"; cause: NonNullable<CellRecord["cause"]> }
  | { kind: "invalid"; finding: Finding }
  /** Its cells count, but not for this measure. */
  | { kind: "voided"; finding: Finding }
  | { kind: "unreadable" }
  /** It is derived from several settings, and no round has all of them. */
  | { kind: "no-common-round" };

/** What is compared. */
export interface Measure {
  /** `cpu_us_per_connection`; also the column of results.csv. */
  key: string;
  /** `CPU per connection` */
  title: string;
  /** `µs`; empty: a plain number. */
  unit: string;
  better: "lower" | "higher";
  /** How it was got, for the reader of the table. */
  description: string;
}

/** Of two medians. */
export interface Ratio extends Estimate {
  /** Lowest and highest ratio within a round; null: there is one round, or a value is 0. */
  rounds: Interval | null;
}

/** One proxy in one comparison. */
export interface Row {
  proxy: string;
  /** One value a counted round, in the order of rounds. */
  values: number[];
  /** Median over rounds; null: no counted cell, see `missing`. */
  median: Estimate | null;
  /** Each reason once; empty where there is a median. */
  missing: Missing[];
  toControl: Ratio | null;
  toBest: Ratio | null;
  /** From 1; proxies that cannot be told from the best of them share it. The control has none. */
  rank: number | null;
  /** Those of the same rank from which no difference is seen: of three, two may differ from each other. */
  ties: string[];
  /** Two-sided Mann–Whitney against the best, Holm-corrected over this comparison; null: it is the best, or there are too few rounds. */
  p: number | null;
  /** Of HTTP: share of its requests in counted cells that were not answered well, in %; 0: all were, or it is not HTTP. */
  badPercent: number;
}

/** All proxies under one measure, in one setting or in those of a pool. */
export interface Comparison {
  measure: string;
  rows: Row[];
  /** Each proxy with a figure of good answers beside the control; same: no difference is seen. Empty where that costs its own. */
  relations: Record<string, Relation>;
  /** Smallest ratio between two proxies that this many rounds of this spread could have seen; null: none, too few rounds. */
  detectableRatio: number | null;
  findings: Finding[];
}

/** Requests of one proxy in one setting that were not answered well, over all cells of it that ended. */
export interface BadAnswers {
  proxy: string;
  setting: Setting;
  /** Cells with such answers, and cells in all. */
  cells: { bad: number; all: number };
  /** Not answered well: neither 2xx nor 3xx, of a wrong length, or not at all; and all requests. */
  bad: number;
  asked: number;
  /** In %. */
  percent: number;
  /** Most frequent first; counted in a pass of its own, so they do not add up to `bad`. */
  statuses: { status: string; count: number }[];
  /** Most frequent first. */
  socketErrors: { kind: string; count: number }[];
  /** What the logs say, and what usually causes such a line; null: it is not known. */
  causes: { service: string; line: string; count: number; usual: UsualCause | null }[];
}

/** What usually makes a proxy write such a line to its log. */
export type UsualCause =
  | "out-of-ports"
  | "worker-connections"
  | "descriptors"
  | "no-live-upstreams"
  | "no-live-servers"
  | "queue-timeout"
  | "refused"
  | "closed-in-use"
  | "timed-out";

/** Where the CPU time of a proxy and its server was spent. */
export interface CpuByPlace {
  /** One, or those of a sum, which differ in size alone. */
  settings: Setting[];
  rows: {
    proxy: string;
    places: { place: Place; service: string; total: Estimate; user: number; system: number }[];
    /** null: no round has all of it. */
    total: Estimate | null;
  }[];
}

/** What one kind of TLS handshake costs beside another, in CPU time of the proxy for a whole connection. */
export interface HandshakeCost {
  kind: HandshakeKind;
  /** Of settings that differ in that alone. */
  pairs: {
    setting: Setting;
    beside: Setting;
    /** The first to the second. */
    ratios: ProxyRatio[];
  }[];
}

/** resumed: to a full one; rsa: to one with an ECDSA key; tls12: to one of TLS 1.3. */
export type HandshakeKind = "resumed" | "rsa" | "tls12";

/** WebSockets that share HTTP/2 connections beside the same on connections of their own. */
export interface Multiplexing {
  setting: Setting;
  /** Differs in that alone. */
  beside: Setting;
  measures: {
    measure: string;
    /** Medians over the rounds, and the first to the second. */
    rows: { proxy: string; shared: number; own: number; ratio: Ratio }[];
  }[];
}

/** A setting on Docker's network beside the same on the machine's own. */
export interface NetworkCost {
  /** What Docker made: one over all machines, or that of the one. */
  network: "overlay" | "bridge";
  setting: Setting;
  /** Differs in that alone. */
  beside: Setting;
  measures: {
    measure: string;
    /** Medians over the rounds, and the first to the second. */
    rows: { proxy: string; medians: [number, number]; ratio: Ratio }[];
  }[];
}

export interface ProxyRatio {
  proxy: string;
  ratio: Ratio;
}

/** front: the proxy, or the first of its containers; tls: a container of its own for TLS; server: what answers. */
export type Place = "front" | "tls" | "server";

/** What one message, or one handshake with its close, costs over a scheme: where a run tells it best. */
export interface OperationCost {
  /** `cpu_us_per_message` or `cpu_us_per_handshake`. */
  measure: string;
  scheme: Scheme;
  /** Values, intervals, ratios, ranks, and why a proxy has none; null: see `missing`. */
  told: { setting: Setting; comparison: Comparison } | null;
  /** Messages a connection of all settings that open them in the measured phase: it takes two that differ in that alone. */
  missing: { messages: number[] } | null;
}

/** What is delayed: the opening of a connection, or a message and its echo. */
export type DelayKind = "handshake" | "echo";

/** Latencies at a set rate, of all rounds together. */
export interface Delay {
  setting: Setting;
  kind: DelayKind;
  /** What proxies add to the control is told; false: over TLS the control bounds nothing, or it has no figure. */
  isAdded: boolean;
  /** How busy the machine was in the busiest cell that counts, in %; null: it is not known. */
  busiestPercent: number | null;
  /** In the order of the plan, the control among them. */
  rows: DelayRow[];
}

export interface DelayRow {
  proxy: string;
  /** Rounds and latencies that it rests on. */
  rounds: number;
  samples: number;
  percentiles: DelayPercentile[];
  /** The whole distribution, evenly on a logarithmic scale of beyond, which is 1 / (1 - p): one in so many took longer than ms. */
  curve: { beyond: number; ms: number }[];
  /** Empty where there are latencies. */
  missing: Missing[];
}

/** In ms. */
export interface DelayFigure extends Estimate {
  /** Lowest and highest round by itself; null: a single one. */
  rounds: Interval | null;
}

export interface DelayPercentile {
  /** 0.99 */
  p: number;
  /** null: too few latencies for that percentile. */
  ms: DelayFigure | null;
  /** Less that of the control in the same rounds; null: as above, or nothing is told of it. */
  added: DelayFigure | null;
  /** To the control, by a test over rounds; null: nothing is told of it. */
  relation: Relation | null;
  /** Among the proxies, by a test over rounds; null: nobody is ranked. */
  rank: number | null;
  ties: string[];
}

/** CPU time of one operation in one setting. */
export interface LoadCost {
  /** Key of the measure: CPU time per connection or per message. */
  measure: string;
  setting: Setting;
  /** One a proxy; toReference: over the rounds, null where it had no reference proxy beside it. */
  rows: { row: Row; toReference: Estimate | null }[];
}

/** At a set rate, and beside it the same operation in closed loops of the run. */
export interface EqualLoad extends LoadCost {
  closed: LoadCost[];
}

/** Scenario, scheme and parameters: what all proxies were put through alike. */
export interface Setting {
  key: string;
  scenario: string;
  scheme: Scheme;
  parameters: Parameters;
  /** What it asks of a proxy, by what its parameters mean. */
  workload: Workload;
  comparisons: Comparison[];
}

/** Settings that differ in the number of connections alone, and what they say together. */
export interface Pool {
  /** From the fewest connections. */
  settings: Setting[];
  /**
   * Of a single setting its own. Of several: `Row.values` are means over the settings, one a round; ratios, tests and ranks are
   * stratified by setting, each pair over those that both have.
   */
  comparisons: Comparison[];
}

/** Of settings that have as many rounds. */
export interface PlannedPool extends Pool {
  rounds: number;
}

/** A cell with what was derived from it. */
export interface AnalysedCell {
  record: CellRecord;
  setting: string;
  workload: Workload;
  /** By `Measure.key`; absent where it could not be had. */
  measures: Record<string, number>;
  findings: Finding[];
  /** ok, of the last attempt, and no finding is `invalid`. */
  counted: boolean;
}

/**
 * A question, the settings that it is about, and what answers it: figures, and findings that reach them.
 *
 * leak: whether connections are kept that clients have dropped; best: which proxy is best under a measure; added: what a proxy
 * adds to the control's time; delay: the same at a set rate, by percentile; memory: what connections take, and what a proxy has without them; tls: what TLS costs; handshake: what one kind of handshake costs beside another; self: whether a
 * proxy differs from a copy of itself; noise: which difference is none.
 */
export type Verdict =
  | VerdictOf<"leak", LeakAnswer>
  | VerdictOf<"memory", MemoryAnswer>
  | (VerdictOf<"best", BestAnswer> & { measure: string })
  | (VerdictOf<"added", AddedAnswer> & { measure: string })
  | (VerdictOf<"delay", DelayAnswer> & { kind: DelayKind })
  | (VerdictOf<"tls", RatioAnswer> & { measure: string })
  | (VerdictOf<"handshake", RatioAnswer> & { kind: HandshakeKind })
  | (VerdictOf<"self", SelfAnswer> & Pick<SelfComparison, "proxy" | "unobserved">)
  | VerdictOf<"noise", { settings: Setting[]; floor: NoiseFloor; caveats: Finding[] }>;

interface VerdictOf<Question extends string, Answer> {
  question: Question;
  scope: Scope;
  /** One a scheme, where the question is not about both. */
  answers: Answer[];
  /** What the reader must know before repeating any of the answers. */
  caveats: Finding[];
}

/** What tells the settings of a verdict from the other settings of the run: empty where it is about all. */
export interface Scope {
  scenario: string | null;
  parameters: Parameters;
  /** Of the scenario that these parameters are of; null: there are none. */
  description: ScenarioDescription | null;
}

interface AnswerOf {
  /** Whose figures it rests on. */
  settings: Setting[];
  /** What the reader must know before repeating it. */
  caveats: Finding[];
}

export interface BestAnswer extends AnswerOf {
  /** Over all of these settings. */
  comparison: Comparison;
  /** All that is compared over them. */
  comparisons: Comparison[];
  /** The same in each of them, where there are several; a measure that one does not compare is not there. */
  singles: (Pick<BestAnswer, "comparison" | "comparisons" | "order"> & { setting: Setting })[];
  /** Proxies with a figure, the best rank first, then who answers well, then the better median. */
  order: Row[];
}

export interface AddedAnswer extends BestAnswer {
  /** null: it has no figure. */
  control: Row | null;
}

export interface DelayAnswer extends AnswerOf {
  delay: Delay;
}

export type Relation = "better" | "worse" | "same";

/** Of the first setting to the second; of TLS to that without, with as many connections, one pair after the other. */
export interface RatioAnswer extends AnswerOf {
  ratios: ProxyRatio[];
}

export interface MemoryAnswer extends AnswerOf {
  /** Over the connections that are held; null: none are, or too few counts of them were planned. */
  slopes: Slopes | null;
  /** Rows of `slopes` with a slope, but the control, the best rank first, then by slope; empty where there are none. */
  order: SlopeRow[];
  /** In the setting of the answer, never ranked: of each proxy with a figure. */
  footprints: { proxy: string; baseline: Row; growth: Row }[];
}

export interface LeakAnswer extends AnswerOf {
  connections: number;
  settleSeconds: number;
  /** Sockets or descriptors more than before, whichever are more; the worst first. */
  left: { proxy: string; left: number; isLeak: boolean }[];
}

export interface SelfAnswer extends AnswerOf {
  measures: SelfMeasure[];
}

/** A proxy against a copy of itself. */
export interface SelfComparison {
  proxy: string;
  copy: string;
  /** The copy ran without what observes: a difference is the cost of observing, not noise. In `./bench selfbench` alone. */
  unobserved: boolean;
  /** A copy of the same configuration; false: another proxy that does the same work, over one scheme. */
  isCopy: boolean;
  /** How differences are judged, over all measures of all settings; range: too few rounds for a test; none: a single round. */
  method: "test" | "range" | "none";
  settings: { setting: Setting; measures: SelfMeasure[] }[];
}

export interface SelfMeasure {
  measure: string;
  original: Estimate;
  copy: Estimate;
  /** The copy's median to the original's. */
  ratio: Ratio;
  /** Whether a difference is seen; null: with a single round nothing can be told. */
  differs: boolean | null;
  /** Two-sided Mann–Whitney, Holm-corrected over all measures of all settings; null: not tested. */
  p: number | null;
  /** Smallest ratio between the two that so many rounds of this spread could have seen; null: none, too few rounds. */
  detectableRatio: number | null;
}

/** All proxies at a glance. */
export interface Overview {
  /** Without the control; the best first, as the first column ranks them. */
  proxies: string[];
  columns: OverviewColumn[];
}

export interface OverviewColumn {
  /** `connection` */
  key: string;
  measure: Measure;
  protocol: Workload["protocol"];
  scheme: Scheme;
  /** Which battle measures it; null: nobody misses it where it was not measured. */
  battle: string | null;
  /** What it rests on; null: the run cannot speak to it. */
  at: (Setting & Partial<Promised>)[] | Slopes | null;
  /** One a proxy; empty where `at` is null. */
  cells: OverviewCell[];
  /** Ranked by fewer rounds than a verdict takes. */
  isFirstLook: boolean;
  /** Other loads of the run for which the same is asked, where others are best: who. */
  otherwise: { at: Setting[]; best: string[] }[];
}

/** Of a setting in which the highest rate was searched. */
export interface Promised {
  /** sloMs: p99 at most; proxyCpus: budget of each proxy in cores, 0: none. */
  promised: { sloMs: number; proxyCpus: number };
}

export interface OverviewCell {
  proxy: string;
  /** null: see `missing`. */
  value: Estimate | null;
  /** One a round, in their order; empty for a slope. Of a percentile of all rounds together: that of the lowest and of the highest round. */
  values: number[];
  /** To the best; null: it is the best, or nobody is ranked. */
  ratio: Ratio | null;
  /** CPU time to that of the reference proxy, which may be held against other machines; null: the record has none. */
  toReference: number | null;
  isBest: boolean;
  /** Of a rate that was searched: no higher one is known that is too much. */
  isAtLeast?: true;
  rank: number | null;
  /** Those of the same rank from which no difference is seen. */
  ties: string[];
  missing: Missing[];
}

/**
 * One question of a run over one scheme, in one figure a proxy, whatever is asked: what many runs are laid out side by side by.
 *
 * As the verdict of that name; footprint: the memory of a proxy before a load or what it grows by under it; capacity: the most under a
 * promise; lost: connections in an event; failed: new handshakes from then on; newcomers: what a server gets of new connections that was
 * started in it; storm: time until 99 % are back; stall: memory that a stalled client costs; course: what grows over time.
 */
export interface Contest extends Pick<
  OverviewColumn,
  "measure" | "scheme" | "cells" | "isFirstLook"
> {
  question:
    | "best"
    | "added"
    | "delay"
    | "memory"
    | "footprint"
    | "tls"
    | "handshake"
    | "leak"
    | "capacity"
    | "lost"
    | "failed"
    | "newcomers"
    | "storm"
    | "stall"
    | "course";
  /** Its measure, or the kind of delay, of footprint or of handshake, or the event. */
  detail: string;
  /** What it rests on: settings, or the slope over them. */
  at: Omit<Setting, "comparisons">[] | Slopes;
  /** What the reader must know before repeating it. */
  caveats: Finding[];
}

/** Which settings a claim is about. */
export interface ClaimFilter {
  scenario: string;
  scheme: Scheme;
  /** Those that must be so. */
  parameters?: Parameters;
}

/**
 * The figure lies between `min` and `max` in every setting that `at` matches, as it is or with `serial`. The figure is one of:
 * - without `to` and `against`: the median of `of` itself;
 * - with `to`: its ratio to each of those proxies in the same setting;
 * - with `against`: its ratio to itself in the setting that differs in just that, such as fewer connections or ws;
 * - with both: its ratio to each of those proxies in that other setting;
 * - with `slope`: what the measure grows by with each connection that is held.
 * With `sumOver`, each of these figures is added up, round by round, over the settings that differ in that parameter alone.
 */
export interface ClaimRule {
  measure: string;
  of: string;
  to?: string[];
  at: ClaimFilter;
  /** Parameters of `at` that differ where the same comes one at a time. */
  serial?: Parameters;
  against?: Partial<ClaimFilter>;
  slope?: true;
  /** A parameter. */
  sumOver?: string;
  min?: number;
  max?: number;
}

export interface PublishedClaim {
  claim: string;
  /** null: no run of this benchmark can tell. */
  rule: ClaimRule | null;
  /** What it is instead; only where rule is null. */
  kind?: "advice" | "not comparable" | "not measured";
  /** Why; only where rule is null. */
  reason?: string;
}

/** not comparable: times of a closed loop whose load shared its cores with what it measured. */
export type ClaimOutcome = "holds" | "no longer" | "inconclusive" | "not comparable";

/** A published claim beside today's run. */
export interface Claim extends PublishedClaim {
  outcome: ClaimOutcome;
  /** Those that decide over the claim first; empty: the run has none that it is about. */
  figures: ClaimFigure[];
  /** Settings, or sums of settings, that it is about, with or without a figure. */
  places: number;
  /** This run has a figure that it is about. */
  isTold: boolean;
  /** Battles of the study that have the tests and proxies it is about. */
  battles: string[];
}

export interface ClaimFigure {
  outcome: ClaimOutcome;
  /** Of one setting, or added up over several; or of the slope over connections. */
  at: Setting[] | Slopes;
  /** Proxy that it is held against; null: itself, or a figure of its own. */
  other: string | null;
  /** null: it was not measured. */
  estimate: Estimate | null;
  /** Why it is not comparable; null: it is. */
  queue: GateFigures["queue"] | null;
  /** Of the same two, where it is not comparable: what a queue does not touch. null: there is nothing such. */
  instead: { measure: string; estimate: Estimate } | null;
}

export interface PublishedStudy {
  title: string;
  /** null: the source does not say. */
  year: number | null;
  source: string;
  machine: string;
  note: string;
  /** Rows as published. */
  tables: { title: string; columns: string[]; rows: (string | number | null)[][] }[];
  claims: Claim[];
}

/** How far a proxy was from a copy of itself. */
export interface NoiseFloor {
  /** Folder of the run. */
  run: string;
  proxy: string;
  /** Numbers of connections of its settings, from the fewest; and its scenarios. */
  connections: number[];
  scenarios: string[];
  /** Each ratio is one of medians over so many rounds. */
  rounds: number;
  /** The largest of all settings and of all groups of so many rounds, by measure; at least 1. */
  ratios: Record<string, number>;
}

/** How memory grows with the connections that are held, over settings that differ in their number alone. */
export interface Slopes {
  scenario: string;
  scheme: Scheme;
  /** Without that which says how many are held. */
  parameters: Parameters;
  /** Most connections planned. */
  most: number;
  /** All memory, the user part, the kernel part. Only the rows of the first are ranked. */
  parts: { measure: string; rows: SlopeRow[] }[];
  /** Why none of its rows has a rank; null: they are ranked, or there is nothing to rank. */
  unranked: FindingOf<"few-points"> | FindingOf<"survivors"> | null;
}

export interface SlopeRow {
  proxy: string;
  /** One a counted cell, by connections; growthBytes: mean over the hold less what it had before the load. */
  points: { connections: number; bytes: number; growthBytes: number }[];
  /** Bytes a connection; null: see `missing`. */
  slope: Estimate | null;
  /**
   * How many connections take a GiB, 2^30 bytes: that divided by the slope, the baseline not in it; the interval is that of the slope,
   * inverted. null: there is no slope above 0; its interval is null as well where that of the slope reaches 0.
   */
  connectionsPerGiB: Estimate | null;
  /** From 1, by slope; proxies that cannot be told from the best of them share it. null: the control, without a slope, or not ranked. */
  rank: number | null;
  /** Those of the same rank from which no difference is seen. */
  ties: string[];
  /** Bytes before the load, warmed up and without a connection: the median of its counted cells; null: there are none. */
  baseline: Estimate | null;
  /** uncounted: this kernel does not count it; otherwise so many counts of connections, of at least so many; null: there is a slope. */
  missing: { kind: "uncounted" } | { kind: "few-counts"; counts: number; least: number } | null;
  /** Where it ended before the most that was planned, the next count, and why that was not held; null: it did not. */
  ended: { connections: number; next: number; why: Missing } | null;
}

/** What a proxy had over time, in a setting whose load is steady. */
export interface Course {
  setting: Setting;
  /** In the order of the plan, the control among them. */
  rows: CourseRow[];
}

export interface CourseRow {
  proxy: string;
  /** Of all rounds together. */
  hours: number;
  parts: CoursePart[];
  /** Empty where there are figures. */
  missing: Missing[];
}

export interface CoursePart {
  what: Exclude<keyof CourseReading, "seconds">;
  /** null: it could not be read. */
  perHour: Estimate | null;
  /** Of the first and the last part of the phase that count; null: as above. */
  from: number | null;
  to: number | null;
  /** null: too few readings to tell. */
  grows: boolean | null;
}

/** One setting's figures of CPU time beside those of the reference proxy. */
export interface MachineIndex {
  /** Key of the setting. */
  setting: string;
  /** Key of the measure that is held against it, and of the reference proxy's own. */
  measure: string;
  index: string;
  /** CPU time of the reference proxy per operation, in µs: over the cells that count. */
  medianUs: number;
  rangeUs: Interval;
  /** toReference: median over the rounds. rawPercent, heldPercent: standard deviation over the rounds in % of the mean, of what was
   * measured and of its ratio to the index; null: a single round. */
  proxies: {
    proxy: string;
    toReference: number;
    rawPercent: number | null;
    heldPercent: number | null;
  }[];
}

/** The most that proxies carried under the run's promise, in what they were put through alike but for the rate. */
export interface CapacitySetting extends Omit<Setting, "comparisons"> {
  /** In the order of the run's proxies. */
  answers: CapacityAnswer[];
}

export interface CapacityAnswer extends Capacity {
  proxy: string;
  /** Ends of the rate over the budget; null: there is no such end, or no budget. */
  perCore: { low: number | null; high: number | null };
  /** The lower end per core, times what an operation cost the reference proxy beside it: cores' worth of its work; null: not known. */
  againstReference: number | null;
  /** Search first, in its order, then fresh cells. */
  points: CapacityPoint[];
  /** Fresh cells that have ended well. */
  fresh: { at: number; above: number };
  /** At the lowest rate that failed; empty: none did. */
  brokeFirst: Broken[];
  /** CPU time of the generator at the highest rate that held, of the whole machine; median. */
  generatorPercent: number | null;
  /** CPU time of the proxy at the lowest rate that failed, of its budget; median. */
  budgetPercent: number | null;
  /**
   * p99 broke there with CPU time left in the budget: so many ms one operation takes where the proxy has no more than its budget for it. The
   * more of the promise that is, the more a few at once break it, whatever is left. null: the budget was used up, or something else broke.
   */
  stretchedMs: number | null;
  /** Medians at the highest rate that held; throttled: seconds in each for which the kernel held the proxy back. null: none held. */
  atRate: { rate: number; p99Ms: number | null; throttled: number | null } | null;
  /** Why there is no search; null: there is one. */
  why: string | null;
  /** 1 carries most; null: the control, or no end of its rate is known. */
  rank: number | null;
  /** Others that are not told apart from it. */
  ties: string[];
}

/** A rate that was tried. */
export interface CapacityPoint extends Judgement {
  rate: number;
  /** Id of its cell. */
  cell: string;
  /** End of the measured phase, ms since 1970; null: it was not measured. */
  endMs: number | null;
  isFresh: boolean;
  /** Of handshake, or on held connections of echo. */
  p99Ms: number | null;
  generatorPercent: number | null;
  budgetPercent: number | null;
  /** Seconds in each for which the kernel held the proxy back; of several containers with one budget it is not known. */
  throttled: number | null;
  referenceUs: number | null;
}

/** So many of all that there were. */
export interface Share {
  count: number;
  of: number;
  /** From 0 to 1, as the ends of the exact interval. */
  value: number;
  interval: Interval;
}

/** Of several repetitions. */
export interface Rounds {
  median: number;
  lowest: number;
  highest: number;
  /** Of those that have one, in their order. */
  values: number[];
}

/** How often something was seen. */
export interface Counted {
  what: string;
  count: number;
}

export interface CurvePoint {
  seconds: number;
  value: number;
}

/** What became of connections around events, in what proxies were put through alike. */
export interface SurvivalSetting extends Omit<Setting, "comparisons"> {
  /** The control first, where the run has it. */
  events: SurvivalEvent[];
}

export interface SurvivalEvent {
  /** Its name. */
  event: string;
  /** What is done, in a few words; empty: the record does not say. */
  what: string;
  /** Nothing happens: what is lost all the same, no event has done. */
  isControl: boolean;
  /** In the order of the plan, the control among them. */
  answers: SurvivalAnswer[];
  /** Who lost most connections, or where nobody stands out in that, let most new handshakes fail; null: nobody stands out. */
  worst: { what: "lost" | "failed"; proxies: string[] } | null;
}

export interface SurvivalAnswer {
  proxy: string;
  /** null: see `missing`. */
  figures: SurvivalFigures | null;
  missing: Missing[];
  /** More than in the same proxy's cells without an event; null: it is those, or there are none. */
  beyondControl: { lost: boolean; failed: boolean; messages: boolean } | null;
}

/** Counts are of all repetitions together; other figures medians over them, unless it says otherwise. */
export interface SurvivalFigures {
  rounds: number;
  /** Connections open at the event. */
  held: number;
  watchedSeconds: number;
  /** Of those held, so many seconds after it. */
  alive: { seconds: number; share: Share }[];
  /** Of those held, by the end of the watch. */
  lost: Share | null;
  /** Each repetition by itself. */
  lostByRound: number[];
  /** How these ended, the most frequent first. */
  ends: Counted[];
  /** Connections that had ended before the event. */
  endedBefore: number;
  /** Not echoed, of those sent in the whole phase. */
  messages: Share | null;
  /** The longest on a connection that survived, in any repetition; null: none did. */
  silenceMs: number | null;
  /** New handshakes from the event on; seconds: those of the worst repetition in which one failed, or was slow. */
  probes: {
    failed: Share | null;
    slow: Share | null;
    failingSeconds: number;
    slowSeconds: number;
    /** Until the end of the last second in which one failed, after the event, in the worst repetition. */
    lastFailedSeconds: number;
    /** Of the whole phase, the most frequent first. */
    causes: Counted[];
  };
  /** Until the new configuration first answered, in the repetitions in which it did; null: in none. */
  newGeneration: { ms: number; mostMs: number; rounds: number } | null;
  /** Repetitions in which the old configuration still answered at the end: whatever was kept, nothing was renewed. */
  oldGenerations: number;
  /** Of the proxy, all its containers together, old ones and new ones; null: not read. */
  processes: SurvivalCourse | null;
  memoryBytes: SurvivalCourse | null;
  /** CPU seconds a second, before the event and from then on. */
  cores: { before: number; after: number } | null;
  oldProcesses: OldProcesses | null;
  /** What was done, and when, in the first repetition. */
  steps: { seconds: number; what: string }[];
  /** New connections by server behind the proxy; null: there was one, or it was not asked. */
  servers: ServerShares | null;
  timeline: Timeline;
}

export interface ServerShares {
  /** So many servers. */
  count: number;
  /** Connections that those got which started in the event, of all since it; null: none started, or there were none. */
  newcomers: Share | null;
  /** Share of the busiest server. */
  busiest: number;
}

/** before: without the event; peak: the highest after it; end: at the end of the watch. */
export interface SurvivalCourse {
  before: number;
  peak: number;
  end: number;
  /** To before; null: that is 0. */
  peakRatio: number | null;
}

/**
 * Processes that an event is to replace. gone: all had ended so long after it. stayed: in so many repetitions some were there at the end of
 * the watch, and none when the load had gone. leaked: in so many some were there when nothing was left for them to do; most: so many.
 */
export type OldProcesses =
  | { kind: "gone"; seconds: number; mostSeconds: number }
  | { kind: "stayed"; rounds: number; most: number }
  | { kind: "leaked"; rounds: number; most: number };

/** By whole seconds around the event. */
export interface Timeline {
  /** Of the connections held at the event. */
  openPercent: CurvePoint[];
  /** Of the new handshakes of that second. */
  failedPercent: CurvePoint[];
  memoryBytes: CurvePoint[];
}

/** How long all take to come back after they were cut at once. */
export interface StormSetting extends Omit<Setting, "comparisons"> {
  /** In the order of the plan, the control among them: how fast this machine can at all. */
  answers: StormAnswer[];
}

export interface StormAnswer {
  proxy: string;
  /** null: see `missing`. */
  figures: StormFigures | null;
  missing: Missing[];
  /** Time until 99 % were back to that of the control; null: it is the control, or one of both has none. */
  toControl: number | null;
  /** Every repetition took longer than any of the control; null: too few to tell. */
  isSlower: boolean | null;
}

export interface StormFigures {
  rounds: number;
  /** Of those cut, all repetitions together. */
  back: Share | null;
  /** Since the cut, until so many percent were back; null: never. */
  ms: Record<"p50" | "p99" | "p100", Rounds | null>;
  /** For each connection that was cut. */
  attempts: number | null;
  /** Of attempts that failed, the most frequent first. */
  causes: Counted[];
  /** Of the proxy over the measured phase, its highest sample, and that less the baseline; null: not read. */
  cpuSeconds: number | null;
  peakBytes: number | null;
  growthBytes: number | null;
  /** CPU time of the generator, of the cores that it can use. */
  generatorPercent: number | null;
  /** Percent of those cut that were back. */
  curve: CurvePoint[];
}

/** What clients cost that do not read. */
export interface StallSetting extends Omit<Setting, "comparisons"> {
  /** In the order of the plan, the control among them. */
  answers: StallAnswer[];
  /** Without a proxy the sender was not held back either; null: the control has no figure. */
  controlTookAll: boolean | null;
}

export interface StallAnswer {
  proxy: string;
  /** null: see `missing`. */
  figures: StallFigures | null;
  missing: Missing[];
}

export interface StallFigures {
  rounds: number;
  /** Sent on a stalled connection: the least and the most of any, and the median of the repetitions' medians. */
  sentBytes: { min: number; median: number; max: number };
  /** What the proxy grew by for each stalled connection: all, anonymous memory, kernel memory, socket buffers; null: not read. */
  bytes: Record<"all" | "user" | "kernel" | "sockets", Rounds | null>;
  /**
   * held-back: the sender was, in each repetition. Otherwise it was not, up to what was sent: unbounded: most of that is in the proxy;
   * elsewhere: it is not.
   */
  bound: "held-back" | "unbounded" | "elsewhere";
  /** Echo latency of the connections that read, before and while others do not. */
  p99Ms: Record<"quiet" | "stalled", Rounds | null>;
  /** All that was sent came in its order once they read again. */
  isInOrder: boolean;
  lostBytes: number;
  /** Stalled connections that ended, by how, the most frequent first. */
  ends: Counted[];
}

export interface Analysis {
  results: Results;
  /** 0.95 */
  confidence: number;
  measures: Measure[];
  settings: Setting[];
  /** Each setting is of one. */
  pools: PlannedPool[];
  /** Of settings in which every cell that counts had a share of its load on the reference proxy. */
  machineIndices: MachineIndex[];
  /** Of scenarios that hold connections, where at least four counts of them were planned. */
  slopes: Slopes[];
  /** Empty: no phase was long enough. */
  courses: Course[];
  /** ws before wss; empty where no WebSockets ran. */
  operationCosts: OperationCost[];
  /** Whether socket buffers are in a container's memory: under cgroup v1 they are not; null: the record does not have the version. */
  countsSocketBuffers: boolean | null;
  /** Of settings with a set rate. */
  delays: Delay[];
  equalLoads: EqualLoad[];
  /** Worst first; empty where all requests were answered well. */
  badAnswers: BadAnswers[];
  /** Of settings in which CPU time is spent in more than a proxy of one container; sums before what they are of. */
  cpuByPlace: CpuByPlace[];
  /** Empty unless kinds of handshakes were compared. */
  handshakes: HandshakeCost[];
  /** Empty: no WebSockets shared connections. */
  multiplexing: Multiplexing[];
  /** Empty: the run measured no setting on both networks. */
  networkCosts: NetworkCost[];
  cells: AnalysedCell[];
  /** Empty: the run searches no rate. */
  capacities: CapacitySetting[];
  /** Cells of searches, and fresh ones at the rates that they found: in no figure but `capacities`. */
  searchCells: AnalysedCell[];
  /** Of events, of storms, and of clients that do not read; each empty: the run has none. */
  survivals: SurvivalSetting[];
  storms: StormSetting[];
  stalls: StallSetting[];
  /** Their cells: in no other figure. */
  experimentCells: AnalysedCell[];
  /** What the verdicts are about, in the order of their questions. */
  asked: Pool[];
  verdicts: Verdict[];
  /** null: there is nothing to see at a glance, as in an A/A run. */
  overview: Overview | null;
  /** Of the whole run. */
  findings: Finding[];
  /** Of a run of `./bench aa`. */
  aa: SelfComparison | null;
  /** Of two proxies of this run each that do the same work by their own description: its own noise floor. */
  sameWork: SelfComparison[];
  /** From the last A/A run on the same environment; null: there is none, or this is one. */
  noiseFloor: NoiseFloor | null;
  published: PublishedStudy | null;
}
