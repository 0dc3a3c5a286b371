/**
 * Two runs beside each other, for a terminal: what differs in how they were made, then which
 * figures differ.
 */
import type { ComparedRow, RunComparison } from "../analyse/compare-runs.ts";
import { ALPHA } from "../analyse/ranking.ts";
import { measure as measureOf } from "../analyse/measures.ts";
import { measureTitle } from "../analyse/questions.ts";
import type { Results } from "../model/record.ts";
import { counted, number, probability, times } from "../numbers.ts";
import { settingLabel } from "../plan/describe.ts";
import type { Cell, Column } from "./table.ts";
import { tableText } from "./terminal.ts";
import { amount } from "./text.ts";

/** What the reader must know, a sentence each. */
export function comparisonNotes({ tested, ranged, incomplete }: RunComparison): string[] {
  return [
    "Two runs cannot tell a change from a machine that was slower throughout one of them.",
    ...(tested > 0
      ? [
          `Tested at ${number(100 * ALPHA)} %: of two equal runs up to ${number(Math.ceil(ALPHA * tested))} of ${counted(tested, "table")} would show a difference.`,
        ]
      : []),
    ...(ranged
      ? [
          `Too few rounds to test ${counted(ranged.figures, "figure")}: they differ where the rounds of both runs do not overlap; of two equal runs 1 in ${number(Math.round(1 / ranged.falseAlarms))} does.`,
        ]
      : []),
    ...incomplete.map((name) => `${name} is not complete: its medians rest on fewer rounds.`),
  ];
}

const HEAD: Column[] = [
  ...["Proxy", "Measure", "Setting"].map((title) => ({ title, words: true })),
  ...["Ratio", "95 % interval", "Now", "Was"].map((title) => ({ title })),
  { title: "", words: true },
  { title: "p" },
];

/** @param all whether figures that do not differ are shown too */
export function comparisonText(
  comparison: RunComparison,
  { proxies }: Pick<Results, "proxies">,
  all = false,
): string {
  const { run, baseline, differences, rows } = comparison;
  const differing = rows.filter(({ differs }) => differs === "higher" || differs === "lower");
  const rest = rows.filter((row) => !differing.includes(row));
  const title = (name: string) => proxies.find((proxy) => proxy.name === name)?.title ?? name;
  const lines = (shown: ComparedRow[]) =>
    shown.length === 0
      ? []
      : [
          ...tableText({
            title: "",
            note: "",
            head: HEAD,
            rows: shown.map((row) => cellsOf(row, title)),
          }),
          "",
        ];
  const conditions = differences.map(
    ({ what, key, was, is }) => `  ${what}: ${key} was ${short(was)}, is ${short(is)}`,
  );
  return [
    `${run} against ${baseline}`,
    "",
    ...(conditions.length > 0
      ? [
          "NOT MADE UNDER THE SAME CONDITIONS. Any difference below may come from these:",
          ...conditions,
          "",
        ]
      : []),
    `${number(differing.length)} of ${counted(rows.length, "figure")} differ.`,
    ...lines(differing),
    ...(all ? lines(rest) : rest.length > 0 ? [`The other ${number(rest.length)}: --all`] : []),
    ...comparisonNotes(comparison),
  ].join("\n");
}

function cellsOf(row: ComparedRow, title: (name: string) => string): Cell[] {
  const { cell, measure, p } = row;
  const { change = "", interval = "", now, was, outcome } = comparedWords(row);
  const texts = [
    title(cell.proxy),
    measureTitle(measureOf(measure)),
    settingLabel(cell),
    change,
    interval,
    now,
    was,
    outcome === "worse" ? "WORSE" : outcome,
    p === null ? "" : probability(p),
  ];
  return texts.map((text) => ({ text }));
}

/** `1.06×`, `1.02–1.10`, both figures with their unit, and whether the run is the better one. */
export function comparedWords({
  measure,
  ratio,
  value,
  baselineValue,
  differs,
  better,
}: ComparedRow) {
  const unit = measureOf(measure);
  const isDifferent = differs === "higher" || differs === "lower";
  return {
    ...(ratio && { change: `${times(ratio.value)}×` }),
    ...(ratio?.interval && { interval: ratio.interval.map(times).join("–") }),
    now: amount(value, unit),
    was: amount(baselineValue, unit),
    outcome: isDifferent ? (differs === better ? "better" : "worse") : differs,
  };
}

/** An image's id as the engine's own lists show it. */
function short(value: string): string {
  return value.replace(/\b(sha256:[0-9a-f]{12})[0-9a-f]+/g, "$1");
}
