/**
 * What others claimed, checked against published runs: battles/published/*.yaml has the claims as
 * rules over a run's values by round; analyse/claims.ts judges them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { claimOf, claimTable, isRatio, readPublished } from "../analyse/claims.ts";
import type {
  Analysed,
  Claim,
  ClaimFigure,
  ClaimRow,
  ClaimRule,
  Ground,
  PublishedRules,
} from "../analyse/claims.ts";
import { runOf } from "../analyse/index.ts";
import { measure } from "../analyse/measures.ts";
import type { Estimate, Measure } from "../model/comparison.ts";
import type { TlsPolicy } from "../model/environment.ts";
import type { Parameters } from "../model/plan.ts";
import { parameterText } from "./load-text.ts";
import { amountText, reportOf, spanText, startOf } from "./published.ts";
import type { PublishedBattle } from "./published.ts";
import type { Table } from "./table.ts";

/** A claim about more figures than this shows those that decide. */
const SHOWN = 3;

/** @param project folder */
export function claimsPage(project: string, battles: PublishedBattle[]): string {
  const studies = studiesOf(project);
  const policy: TlsPolicy = JSON.parse(readFileSync(join(project, "certs/policy.json"), "utf8"));
  const rows = claimTable(
    studies,
    battles.map((battle) => groundsOf(project, battle, policy)),
  );
  const counts = [...Map.groupBy(rows, ({ state }) => state)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([state, own]) => `${state} ${own.length}`);
  return [
    "# Claims of others",
    "",
    `${rows.length} claims of ${studies.length} studies, checked against the runs published here. Order and ratios are compared;`,
    "single figures of another machine at another time are not. A claim **holds** when every interval",
    "lies inside its limits, and is **no longer** true when one lies outside. The thresholds are ours,",
    "where the study states none; of “several” and “many times” we ask the least they can mean, twice.",
    "Limits and figures: `battles/published/`.",
    "",
    `Outcomes: ${counts.join(", ")}.`,
    ...studies.flatMap((study) => [
      "",
      `## ${[study.title, study.year].filter(Boolean).join(", ")}`,
      "",
      study.source.startsWith("https:") ? `<${study.source}>` : `${study.source}.`,
      "",
      "| Claim | Outcome | Today | Report |",
      "|---|---|---|---|",
      ...rows.filter((row) => row.study === study).map(rowText),
    ]),
    "",
  ].join("\n");
}

function studiesOf(project: string): PublishedRules[] {
  const folder = join(project, "battles/published");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((file) => readPublished(join(folder, file)));
}

/**
 * A claim is not judged again until it comes out: all pooled runs decide, or the first run where
 * none are pooled, or they lack what the claim is about.
 *
 * @returns with what it is judged by: values by round, and of comparisons flags and slopes
 */
function groundsOf(project: string, battle: PublishedBattle, policy: TlsPolicy): Ground[] {
  const groups = [battle.runs, battle.earlier.slice(-1)].filter(({ length }) => length > 0);
  const deciding = battle.runs.length > 1 ? groups : groups.slice(-1);
  return deciding.map((runs) => ({
    name: battle.name,
    report: reportOf({ ...battle, runs }),
    startedAt: startOf(runs[0]),
    runs: runs.map(({ folder, comparisons: { comparisons } }) => {
      const file = join(project, "published", folder, "results.json");
      return { run: runOf(JSON.parse(readFileSync(file, "utf8")), policy), comparisons };
    }),
  }));
}

function rowText({ claim, state, told, others }: ClaimRow): string {
  const { rule } = claim;
  const report = told ? `[${told.ground.name}](${told.ground.report})` : "";
  const isOutcome = state === "holds" || state === "no longer";
  const opposite = others.map(({ ground }) => `${ground.name} says the opposite`);
  const today =
    rule && told
      ? [figuresText(rule, told.claim, told.ground.runs[0]), ...opposite].join("; ")
      : (claim.reason ?? "no published run has it").trim();
  return `| ${[claim.claim, isOutcome ? `**${state}**` : state, today, report].map(cell).join(" | ")} |`;
}

/** The claims of the study that a run's battle repeats, beside what that run says. */
export function studyTable(study: PublishedRules, analysed: Analysed): Table {
  const rows = study.claims.map((claim) => ({ claim, told: claimOf(claim, analysed) }));
  return {
    title: `Claims of ${[study.title, study.year].filter(Boolean).join(", ")}`,
    note: `${study.source} · Setup then: ${study.machine} · How a claim is judged: published/CLAIMS.md`,
    head: ["Claim", "Outcome", "This run"].map((title) => ({ title, words: true })),
    rows: rows.map(({ claim, told }) =>
      [
        claim.claim,
        claim.kind ?? told.outcome,
        claim.rule && told.figures.length > 0
          ? figuresText(claim.rule, told, analysed)
          : (claim.reason ?? "not measured in this run").trim(),
      ].map((text) => ({ text })),
    ),
  };
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}

function figuresText(
  rule: ClaimRule,
  { figures, outcome, places }: Pick<Claim, "figures" | "outcome" | "places">,
  { run: { results, settings } }: Analysed,
): string {
  const title = (name: string) =>
    name === "none"
      ? "no proxy"
      : (results.proxies.find((proxy) => proxy.name === name)?.title ?? name);
  const other = ({ other }: ClaimFigure) => (other === null ? "itself" : title(other));
  if (outcome === "not comparable") {
    const [{ queue }] = figures;
    const instead = figures.flatMap((figure) =>
      figure.instead ? [ratioText(figure.instead.estimate, other(figure))] : [],
    );
    const [first] = figures.flatMap(({ instead }) => instead?.measure ?? []);
    return [
      `Mostly queueing: ${queue?.atATime} at a time kept the machine ${Math.round(queue?.percent ?? 0)} % busy.`,
      ...(first ? [`${measure(first).title}: ${title(rule.of)} ${instead.join(", ")}`] : []),
    ].join(" ");
  }
  const of = measure(rule.measure);
  const told = figures.slice(0, SHOWN).map((figure) => {
    const { at, estimate, isSlope } = figure;
    const setting = settings.find(({ key }) => key === at[0]);
    const words = (parameters: Parameters) =>
      Object.entries(parameters).map(([name, value]) =>
        parameterText(setting?.workload ?? null, name, value),
      );
    const size = words(sizeOf(setting?.parameters ?? {}, rule)).join(", ");
    const where = places > 1 && !isSlope && size ? ` at ${size}` : "";
    if (!estimate) return `no valid figure${where}`;
    return isRatio(rule)
      ? ratioText(estimate, `${other(figure)}${otherwise(rule, words)}${where}`)
      : `${intervalText(estimate, of)}${where}`;
  });
  const rest = figures.length > SHOWN ? [`${figures.length - SHOWN} more`] : [];
  const summed = rule.sumOver ? " in all" : "";
  return `${of.title}${summed}: ${title(rule.of)} ${[...told, ...rest].join(", ")}. Needs ${limits(rule)}`;
}

/** What distinguishes one of several settings from the others. */
function sizeOf(parameters: Parameters, { against }: ClaimRule): Parameters {
  const names = Object.keys(against?.parameters ?? { CONNECTIONS: 0 });
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => names.includes(name)));
}

function otherwise({ against }: ClaimRule, words: (parameters: Parameters) => string[]): string {
  if (!against) return "";
  const { scenario, scheme, parameters = {} } = against;
  return ` with ${[scenario, scheme, ...words(parameters)].filter(Boolean).join(", ")}`;
}

/** `0.98× HAProxy (0.90–1.07)` */
function ratioText(estimate: Estimate, to: string): string {
  const range = intervalText(estimate, { unit: "times" }).replaceAll("×", "");
  return range.replace(/^\S+/, `$&× ${to}`);
}

/** `23.8 kB (23.7–23.9 kB)`; its interval is left out where it reads the same. */
function intervalText({ value, low, high, basis }: Estimate, of: Pick<Measure, "unit">): string {
  const [text, range] = [amountText(value, of), spanText(low, high, of)];
  return basis === "ci95" && range !== text ? `${text} (${range})` : text;
}

function limits(rule: ClaimRule): string {
  const text = (limit: number) =>
    isRatio(rule) ? `${limit}×` : amountText(limit, measure(rule.measure));
  const { min, max } = rule;
  if (min !== undefined && max !== undefined) return `${text(min)} to ${text(max)}`;
  return max === undefined ? `≥ ${text(min as number)}` : `≤ ${text(max)}`;
}
