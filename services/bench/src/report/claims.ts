/**
 * What others claimed, held against published runs: battles/published/*.yaml has the claims as
 * rules over a run's values by round; analyse/claims.js judges them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { claimTable } from "../analyse/claim-table.js";
import type { ClaimRow } from "../analyse/claim-table.js";
import { isRatio, readPublished } from "../analyse/claims.js";
import type { PublishedRules } from "../analyse/claims.js";
import { analyseCells } from "../analyse/index.js";
import { measure } from "../analyse/measures.js";
import { withOperationCosts } from "../analyse/operation-costs.js";
import { heldAgainstReference } from "../analyse/reference.js";
import { settingsOf } from "../analyse/settings.js";
import type * as old from "../analyse/types.d.ts";
import type { Estimate, Setting } from "../model/comparison.ts";
import type { TlsPolicy } from "../model/environment.ts";
import type { Results } from "../model/record.ts";
import { amountText } from "./published.ts";
import type { PublishedRun } from "./published.ts";

type ClaimEstimate = NonNullable<old.ClaimFigure["estimate"]>;

/** A claim about more figures than this shows those that decide. */
const SHOWN = 4;

const INTRODUCTION = [
  "# Claims of others",
  "52 claims of four studies, held against the runs published here. Order and ratios are compared;",
  "single figures of another machine at another time are not. A claim **holds** when every interval",
  "lies inside its limits, and is **no longer** true when one lies outside. The thresholds are ours,",
  "where the study states none. Limits and figures: `battles/published/`.",
];

/** @param project folder */
export function claimsPage(project: string, runs: PublishedRun[]): string {
  const studies = studiesOf(project);
  const policy: TlsPolicy = JSON.parse(readFileSync(join(project, "certs/policy.json"), "utf8"));
  const grounds = runs.map((run) => groundOf(run, recordOf(project, run), policy));
  const rows = claimTable(studies, grounds, []);
  const counts = [...Map.groupBy(rows, ({ state }) => state)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([state, own]) => `${state} ${own.length}`);
  const [title, ...introduction] = INTRODUCTION;
  return [
    title,
    "",
    introduction.join("\n").replace("52", String(rows.length)),
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

function recordOf(project: string, { name }: PublishedRun): Results {
  return JSON.parse(readFileSync(join(project, "published", name, "results.json"), "utf8"));
}

/** What a claim is judged by: values of cells that count, and of comparisons flags and slopes. */
function groundOf({ name, comparisons }: PublishedRun, results: Results, policy: TlsPolicy) {
  const { cells } = heldAgainstReference(analyseCells(results, policy));
  const settings = Object.values(comparisons.settings).map((setting) => ({
    ...setting,
    comparisons: comparisons.comparisons
      .filter(({ settings: [key, ...others] }) => key === setting.key && others.length === 0)
      .map((one) => ({
        measure: one.measure.key,
        findings: one.flags.map((flag) => ({ ...flag, gate: flag.code })),
        rows: one.figures,
      })),
  }));
  const slopes = comparisons.comparisons
    .filter(({ question }) => question === "memory-per-connection")
    .map((one) => ({
      ...sharedBy(one.settings.map((key) => comparisons.settings[key])),
      parts: [
        {
          measure: one.measure.key,
          rows: one.figures.map(({ proxy, estimate, missing }) => {
            return { proxy, missing, slope: estimate && { ...estimate, interval: ends(estimate) } };
          }),
        },
      ],
    }));
  const analysis = {
    results,
    settings,
    slopes,
    cells: withOperationCosts(settingsOf(results), cells),
  };
  return { name, analysis: analysis as unknown as old.Analysis };
}

/** Settings that differ in the number of connections, as one. */
function sharedBy(settings: Setting[]) {
  const [{ scenario, scheme, parameters }] = settings;
  const shared = Object.entries(parameters).filter(([name, value]) =>
    settings.every((other) => other.parameters[name] === value),
  );
  return { scenario, scheme, parameters: Object.fromEntries(shared) };
}

function ends({ low, high }: Estimate): [number, number] | null {
  return low === null || high === null ? null : [low, high];
}

function rowText({ claim, state, told, others }: ClaimRow): string {
  const { rule } = claim;
  const report = told ? `[${told.run.name}](${told.run.name}/report.md)` : "";
  const isOutcome = state === "holds" || state === "no longer";
  const opposite = others.map(({ run }) => `${run.name} says the opposite`);
  const today =
    rule && told
      ? [figuresText(rule, told.claim, told.run.analysis), ...opposite].join("; ")
      : (claim.reason ?? "no published run has it").trim();
  return `| ${[claim.claim, isOutcome ? `**${state}**` : state, today, report].map(cell).join(" | ")} |`;
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}

function figuresText(
  rule: old.ClaimRule,
  { figures, outcome, places }: Pick<old.Claim, "figures" | "outcome" | "places">,
  { results }: old.Analysis,
): string {
  const title = (name: string) =>
    name === "none"
      ? "no proxy"
      : (results.proxies.find((proxy) => proxy.name === name)?.title ?? name);
  const other = ({ other }: old.ClaimFigure) => (other === null ? "itself" : title(other));
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
    const { at, estimate } = figure;
    const where = places > 1 && Array.isArray(at) ? ` at ${sizeText(at[0], rule)}` : "";
    if (!estimate) return `no valid figure${where}`;
    return isRatio(rule)
      ? ratioText(estimate, `${other(figure)}${otherwise(rule)}${where}`)
      : `${amountText(estimate.value, of)}${rangeText(estimate, (end) => amountText(end, of))}${where}`;
  });
  const rest = figures.length > SHOWN ? [`${figures.length - SHOWN} more`] : [];
  const summed = rule.sumOver ? " in all" : "";
  return `${of.title}${summed}: ${title(rule.of)} ${[...told, ...rest].join(", ")}. Needs ${limits(rule)}`;
}

/** What tells one of several settings from the others. */
function sizeText({ parameters }: Pick<Setting, "parameters">, { against }: old.ClaimRule): string {
  const names = Object.keys(against?.parameters ?? { CONNECTIONS: 0 });
  const known = names.filter((name) => name in parameters);
  return known.map((name) => `${name}=${parameters[name]}`).join(", ");
}

function otherwise({ against }: old.ClaimRule): string {
  if (!against) return "";
  const { scenario, scheme, parameters = {} } = against;
  const each = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return ` with ${[scenario, scheme, ...each].filter(Boolean).join(", ")}`;
}

/** `0.98× HAProxy (0.90–1.07)` */
function ratioText(estimate: ClaimEstimate, to: string): string {
  return `${estimate.value.toFixed(2)}× ${to}${rangeText(estimate, (end) => end.toFixed(2))}`;
}

function rangeText({ interval }: ClaimEstimate, text: (end: number) => string): string {
  return interval ? ` (${interval.map(text).join("–")})` : "";
}

function limits(rule: old.ClaimRule): string {
  const text = (limit: number) =>
    isRatio(rule) ? `${limit}×` : amountText(limit, measure(rule.measure));
  const { min, max } = rule;
  if (min !== undefined && max !== undefined) return `${text(min)} to ${text(max)}`;
  return max === undefined ? `≥ ${text(min as number)}` : `≤ ${text(max)}`;
}
