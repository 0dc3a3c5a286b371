/**
 * Published claims, as rules that test today's run.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { didYouMean } from "../errors.ts";
import type { Comparison, Estimate, Setting } from "../model/comparison.ts";
import type { FlagFigures } from "../model/flag.ts";
import { Document } from "../plan/document.ts";
import { CONTROL } from "../plan/proxies.ts";
import type { Parameters, Scheme } from "../model/plan.ts";
import { estimateOf } from "./figures.ts";
import { MEASURES } from "./measures.ts";
import { PER_CONNECTION } from "./operation-costs.ts";
import { estimateOver, LEAST_RUNS } from "./pool.ts";
import { comparesServers, medianEstimate, ratioOf, settingKey, valuesByRound } from "./settings.ts";
import type { Run } from "./settings.ts";

/** Which settings a claim is about. */
export interface ClaimFilter {
  scenario: string;
  scheme: Scheme;
  /** Those that must be so. */
  parameters?: Parameters;
}

/**
 * The figure lies between `min` and `max` in every setting that `at` matches, as it is or with
 * `serial`. The figure is one of:
 * - without `to` and `against`: the median of `of` itself;
 * - with `to`: its ratio to each of those proxies in the same setting;
 * - with `against`: its ratio to itself in the setting that differs in just that;
 * - with both: its ratio to each of those proxies in that other setting;
 * - with `slope`: what the measure grows by with each connection that is held.
 * With `sumOver`, each of these figures is added up, round by round, over the settings that differ
 * in that parameter alone.
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
  /** What it is instead, and why; only where rule is null. */
  kind?: "advice" | "not comparable" | "not measured";
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
}

export interface ClaimFigure {
  outcome: ClaimOutcome;
  /** Keys of the setting, of those that are added up, or of a slope's. */
  at: string[];
  isSlope: boolean;
  /** Proxy that it is compared with; null: itself, or a figure of its own. */
  other: string | null;
  /** null: it was not measured. */
  estimate: Estimate | null;
  /** Why it is not comparable; null: it is. */
  queue: FlagFigures["queue"] | null;
  /** Of the same two, where it is not comparable: what a queue does not touch. */
  instead: { measure: string; estimate: Estimate } | null;
}

/** A study and its claims: a file of battles/published/. */
export interface PublishedRules {
  title: string;
  /** null: the source does not say. */
  year: number | null;
  source: string;
  machine: string;
  note: string;
  /** Rows as published. */
  tables: { title: string; columns: string[]; rows: (string | number | null)[][] }[];
  claims: PublishedClaim[];
}

export interface Analysed {
  run: Run;
  comparisons: Comparison[];
}

/** From the one that decides over the claim to the one that leaves it to the others. */
const OUTCOMES: ClaimOutcome[] = ["not comparable", "no longer", "inconclusive", "holds"];

const schema = JSON.parse(
  readFileSync(new URL("./published.schema.json", import.meta.url), "utf8"),
);

/**
 * @param file in battles/published/
 * @throws UserError for a mistake in it, with its line
 */
export function readPublished(file: string): PublishedRules {
  const document = new Document(file, `battles/published/${basename(file)}`);
  document.check(schema);
  const study = document.value as PublishedRules;
  study.tables.forEach(({ columns, rows }, i) =>
    rows.forEach((row, j) => {
      if (row.length !== columns.length)
        throw document.mistake(
          ["tables", i, "rows", j],
          `the row has ${row.length} entries, the table ${columns.length} columns`,
          `Expected one entry per column: ${columns.join(", ")}.`,
        );
    }),
  );
  study.claims.forEach((claim, i) => refuseFaultyClaim(document, claim, i));
  return study;
}

/** What the schema cannot say. */
function refuseFaultyClaim(document: Document, claim: PublishedClaim, i: number): void {
  const { rule } = claim;
  const refuse = (keys: string[], fact: string, next: string) => {
    throw document.mistake(["claims", i, ...keys], fact, next);
  };
  const words = ["kind", "reason"] as const;
  if (!rule) {
    const lacking = words.find((word) => claim[word] === undefined);
    if (lacking)
      refuse(
        ["rule"],
        `the rule is null, and no ${lacking} is given`,
        "Expected a kind and a reason: why no run of this benchmark can decide it.",
      );
    return;
  }
  const { measure: key, of, to, serial, against, slope, min, max } = rule;
  const measures = MEASURES.map((one) => one.key);
  const excess = words.find((word) => claim[word] !== undefined);
  /** Whether it is a mistake, where it is, the fact, and what was expected. */
  const mistakes: [boolean, string[], string, string][] = [
    [
      excess !== undefined,
      [excess ?? ""],
      `there is a rule and a ${excess}`,
      `Expected a ${excess} only where rule is null.`,
    ],
    [
      !measures.includes(key),
      ["rule", "measure"],
      `there is no measure "${key}"`,
      `${didYouMean(key, measures)}Expected a column of results.csv.`,
    ],
    [
      serial !== undefined && !isTime(key),
      ["rule", "serial"],
      `serial is given, and ${key} is no time`,
      "Expected it only for times, which under load are a queue's.",
    ],
    [
      min === undefined && max === undefined,
      ["rule"],
      "the rule has no limit",
      "Expected min, max or both.",
    ],
    [
      min !== undefined && max !== undefined && min > max,
      ["rule", "min"],
      `min is ${min}, above max, which is ${max}`,
      "Expected min up to max.",
    ],
    [
      slope === true && (to !== undefined || against !== undefined),
      ["rule", "slope"],
      "a slope is compared with another",
      "Expected a slope without to and against.",
    ],
    [
      to?.includes(of) === true && !against,
      ["rule", "to"],
      `${of} is compared with itself`,
      "Expected other proxies, or against.",
    ],
  ];
  for (const [isMistake, keys, fact, next] of mistakes) if (isMistake) refuse(keys, fact, next);
}

/**
 * A figure agrees when its whole interval is inside of the limits, and contradicts when all of it
 * is outside. A claim holds when every figure of it agrees, and no longer when one contradicts.
 * Otherwise this run cannot tell.
 *
 * That every one of several must agree errs on the careful side (an intersection-union test:
 * Berger, Technometrics 24 (1982) 295-300). That one is enough to contradict does not: each has an
 * interval of its own, not corrected for their number, as six rounds allow no wider one.
 */
export function claimOf(published: PublishedClaim, analysed: Analysed): Claim {
  const { rule } = published;
  if (!rule)
    return { ...published, outcome: "inconclusive", figures: [], places: 0, isTold: false };
  const { figures, places } = rule.slope ? slopesIn(rule, analysed) : figuresOf(rule, analysed);
  return judgedBy({ ...published, figures, places });
}

function judgedBy(told: PublishedClaim & Told): Claim {
  const figures = told.figures.toSorted(
    (a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome),
  );
  return {
    ...told,
    outcome: figures[0]?.outcome ?? "inconclusive",
    figures,
    isTold: figures.some(({ estimate }) => estimate),
  };
}

/**
 * A claim over several runs of one method: each figure is judged by its estimate over all of them.
 *
 * @param runs the newest first; fewer than LEAST_RUNS: the first alone decides
 */
function claimOver(published: PublishedClaim, runs: Analysed[]): Claim {
  const [newest, ...others] = runs.map((one) => claimOf(published, one));
  const { rule } = published;
  if (!rule || runs.length < LEAST_RUNS) return newest;
  const figures = newest.figures.map((figure): ClaimFigure => {
    const isSame = ({ at, other }: ClaimFigure) =>
      other === figure.other && String(at) === String(figure.at);
    const same = [figure, ...others.flatMap((one) => one.figures.find(isSame) ?? [])];
    const estimates = same.flatMap(({ estimate }) => estimate ?? []);
    if (estimates.length < LEAST_RUNS || figure.queue) return figure;
    const estimate = estimateOver(estimates);
    return { ...figure, estimate, outcome: outcomeOf(estimate, rule) };
  });
  return judgedBy({ ...newest, figures });
}

type Told = Pick<Claim, "figures" | "places">;

/** Of every setting that matches and, where it is compared with another, has that other. */
function figuresOf(rule: ClaimRule, analysed: Analysed): Told {
  const { settings } = analysed.run;
  const { against, to = [null] } = rule;
  const matching = placesOf(
    rule,
    settings.filter((setting) => answers(setting, rule)),
  );
  const figures = matching.flatMap((at) => {
    const base = against ? at.map((setting) => counterpart(setting, against, settings)) : at;
    if (!base.every((setting) => setting !== undefined)) return [];
    return to.map((other) => figureOf(rule, { at, other, base }, analysed));
  });
  return { figures, places: matching.length };
}

/** Each the settings whose figures are added up to one. */
function placesOf({ sumOver }: ClaimRule, matching: Setting[]): Setting[][] {
  if (sumOver === undefined) return matching.map((setting) => [setting]);
  const family = ({ scenario, scheme, parameters }: Setting) => {
    const { [sumOver]: _, ...rest } = parameters;
    return settingKey({ scenario, scheme, parameters: rest });
  };
  return [...Map.groupBy(matching, family).values()];
}

/** Of every slope whose settings match. */
function slopesIn(rule: ClaimRule, { run, comparisons }: Analysed): Told {
  const matching = comparisons.filter(
    ({ question, measure, settings: [first] }) =>
      question === "memory-per-connection" &&
      measure.key === rule.measure &&
      run.settings.some((setting) => setting.key === first && matches(setting, rule.at)),
  );
  const figures = matching.flatMap(({ settings: at, figures }) => {
    const own = figures.find(({ proxy }) => proxy === rule.of);
    if (!own) return [];
    const { estimate } = own;
    const outcome = outcomeOf(estimate, rule);
    return [{ at, isSlope: true, other: null, estimate, outcome, queue: null, instead: null }];
  });
  return { figures, places: matching.length };
}

type Loaded = Pick<Setting, "scenario" | "scheme" | "parameters">;

/** It is one that the claim is about. */
function answers(setting: Loaded, { at, serial }: ClaimRule): boolean {
  if (matches(setting, at)) return true;
  return !!serial && matches(setting, { ...at, parameters: { ...at.parameters, ...serial } });
}

function matches(
  setting: Loaded,
  { scenario, scheme, parameters = {} }: Partial<ClaimFilter>,
): boolean {
  return (
    (scenario ?? setting.scenario) === setting.scenario &&
    (scheme ?? setting.scheme) === setting.scheme &&
    Object.entries(parameters).every(([name, value]) => setting.parameters[name] === value)
  );
}

/**
 * @param against what is otherwise in the other
 * @returns undefined: there is none, or it is this one
 */
function counterpart<S extends Loaded>(
  setting: S,
  against: Partial<ClaimFilter>,
  settings: S[],
): S | undefined {
  const wanted = {
    scenario: against.scenario ?? setting.scenario,
    scheme: against.scheme ?? setting.scheme,
    parameters: { ...setting.parameters, ...against.parameters } as Parameters,
  };
  return settings.find(
    (other) =>
      other !== setting &&
      matches(other, { ...wanted, parameters: against.parameters }) &&
      // Another scenario may lack a parameter of this one, and have its own.
      Object.entries(other.parameters).every(
        ([name, value]) => (wanted.parameters[name] ?? value) === value,
      ),
  );
}

interface Sides {
  /** Whose figures are added up. */
  at: Setting[];
  /** Proxy that it is compared with; null: none. */
  other: string | null;
  /** Where that is. */
  base: Setting[];
}

function figureOf(rule: ClaimRule, sides: Sides, analysed: Analysed): ClaimFigure {
  const { at, other, base } = sides;
  const estimate = estimateIn(rule, sides, analysed);
  const queue = queueOf([...at, ...base], rule.measure, analysed);
  return {
    at: at.map(({ key }) => key),
    isSlope: false,
    other,
    estimate,
    queue,
    outcome: queue ? "not comparable" : outcomeOf(estimate, rule),
    instead: queue && insteadOf(rule, sides, analysed),
  };
}

function estimateIn(
  rule: ClaimRule,
  { at, other, base }: Sides,
  { run: { results, cells } }: Analysed,
): Estimate | null {
  const { measure, of } = rule;
  /** Sums over the settings, of the rounds that all of them have. */
  const values = (proxy: string, settings: Setting[]) => {
    const [first, ...others] = settings.map(({ key }) =>
      valuesByRound(
        cells.filter(({ setting }) => setting === key),
        proxy,
        measure,
      ),
    );
    const rounds = [...first].filter(([round]) => others.every((one) => one.has(round)));
    return new Map(
      rounds.map(([round, value]) => [
        round,
        others.reduce((sum, one) => sum + (one.get(round) as number), value),
      ]),
    );
  };
  const own = values(of, at);
  return estimateOf(
    isRatio(rule)
      ? ratioOf(own, values(other ?? of, base), results.plan.seed)
      : medianEstimate([...own.values()]),
  );
}

/** Of the busiest; null: it is no time, or times of those settings are no queue's. */
function queueOf(
  settings: Setting[],
  key: string,
  { comparisons }: Analysed,
): FlagFigures["queue"] | null {
  if (!isTime(key)) return null;
  const keys = settings.map((setting) => setting.key);
  const found = comparisons
    .filter(({ settings: own }) => own.length === 1 && keys.includes(own[0]))
    .flatMap(({ flags }) => flags.flatMap((flag) => (flag.code === "queue" ? flag.figures : [])));
  return found.toSorted((a, b) => b.percent - a.percent)[0] ?? null;
}

/** A time under load can be a queue's. */
function isTime(key: string): boolean {
  return MEASURES.some((one) => one.key === key && one.kind === "time");
}

/** CPU time, the first that is compared. */
const INSTEAD = [PER_CONNECTION, "proxy_cpu_us_per_request", "servers_cpu_seconds"];

/** @param rule about a time */
function insteadOf(rule: ClaimRule, sides: Sides, analysed: Analysed): ClaimFigure["instead"] {
  const [{ key: first, workload }] = sides.at;
  // The control's CPU time is that of a server, which compares with servers alone.
  const isOfServer = [rule.of, sides.other].includes(CONTROL) && !comparesServers(workload);
  if (!isRatio(rule) || isOfServer) return null;
  const measure = INSTEAD.find((key) =>
    analysed.comparisons.some(
      ({ question, settings }) =>
        question === key && settings.length === 1 && settings[0] === first,
    ),
  );
  const estimate = measure ? estimateIn({ ...rule, measure }, sides, analysed) : null;
  return measure && estimate ? { measure, estimate } : null;
}

/** Its figure is a ratio, without a unit. */
export function isRatio({ to, against }: ClaimRule): boolean {
  return to !== undefined || against !== undefined;
}

function outcomeOf(
  estimate: Estimate | null,
  { min = -Infinity, max = Infinity }: ClaimRule,
): ClaimOutcome {
  if (estimate?.basis !== "ci95") return "inconclusive";
  const { low, high } = estimate as { low: number; high: number };
  if (low >= min && high <= max) return "holds";
  return high < min || low > max ? "no longer" : "inconclusive";
}

/** Runs of a battle that may decide a claim. */
export interface Ground {
  /** The battle's. */
  name: string;
  /** Their report, in published/. */
  report: string;
  /** Of the newest. */
  startedAt: string;
  /** The newest first. */
  runs: Analysed[];
}

interface Telling {
  ground: Ground;
  /** As that battle tells it. */
  claim: Claim;
}

/** A claim over many battles. */
export interface ClaimRow {
  study: PublishedRules;
  claim: PublishedClaim;
  state: ClaimOutcome | NonNullable<PublishedClaim["kind"]> | "no run yet";
  /** The battle that says most; null: no run has what it is about. */
  told: Telling | null;
  /** Those that come to the opposite, the newest first. */
  others: Telling[];
}

/** How much an outcome says. */
const STRENGTH: Record<ClaimOutcome, number> = {
  holds: 2,
  "no longer": 2,
  "not comparable": 1,
  inconclusive: 0,
};

/**
 * In the order of the studies and of their claims.
 *
 * @param battles grounds of each: the first that has what a claim is about decides it
 */
export function claimTable(studies: PublishedRules[], battles: Ground[][]): ClaimRow[] {
  return studies.flatMap((study) =>
    study.claims.map((claim) => {
      const telling = claim.rule ? tellingOf(claim, battles) : [];
      const [told = null] = telling;
      const others = telling.filter((other) => told && areOpposite(told, other));
      return { study, claim, state: stateOf(claim, told), told, others };
    }),
  );
}

function stateOf({ kind }: PublishedClaim, told: Telling | null): ClaimRow["state"] {
  if (!told) return kind ?? "no run yet";
  // Of figures that do not count nothing can be said, not even that they do not compare.
  return told.claim.isTold ? told.claim.outcome : "inconclusive";
}

/** The one that says most first, then the newest. */
function tellingOf(claim: PublishedClaim, battles: Ground[][]): Telling[] {
  return battles
    .flatMap((grounds) => firstTelling(claim, grounds) ?? [])
    .sort(
      (a, b) =>
        Number(b.claim.isTold) - Number(a.claim.isTold) ||
        STRENGTH[b.claim.outcome] - STRENGTH[a.claim.outcome] ||
        b.ground.startedAt.localeCompare(a.ground.startedAt),
    );
}

function firstTelling(claim: PublishedClaim, grounds: Ground[]): Telling | null {
  for (const ground of grounds) {
    const told = claimOver(claim, ground.runs);
    if (told.figures.length > 0) return { ground, claim: told };
  }
  return null;
}

function areOpposite({ claim: a }: Telling, { claim: b }: Telling): boolean {
  return STRENGTH[a.outcome] === 2 && STRENGTH[b.outcome] === 2 && a.outcome !== b.outcome;
}
