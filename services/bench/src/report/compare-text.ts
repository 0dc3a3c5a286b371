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
import { columnsText, wrapped } from "./columns.ts";
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

const WIDTH = 80;
const MOST_CONDITIONS = 6;

const HEAD: Column[] = [
  { title: "Proxy", words: true },
  ...["Was", "Now", "Ratio", "95 % interval"].map((title) => ({ title })),
  { title: "", words: true },
  { title: "p" },
];

/** @param all whether figures that do not differ, and all conditions, are shown too */
export function comparisonText(
  comparison: RunComparison,
  { proxies }: Pick<Results, "proxies">,
  all = false,
): string {
  const { run, baseline, rows } = comparison;
  const differing = rows.filter(({ differs }) => differs === "higher" || differs === "lower");
  const shown = all ? rows : differing;
  const title = (name: string) => proxies.find((proxy) => proxy.name === name)?.title ?? name;
  const left = rows.length - shown.length;
  return [
    `${run} against ${baseline}`,
    "",
    ...conditionLines(comparison, all),
    `${number(differing.length)} of ${counted(rows.length, "figure")} differ.${left > 0 ? ` The other ${number(left)}: --all` : ""}`,
    "",
    ...(shown.length > 0 ? [...tableOf(shown, title), ""] : []),
    ...comparisonNotes(comparison).flatMap((note) => wrapped(note, WIDTH)),
  ].join("\n");
}

/** A proxy that one of them lacks is not compared. */
function conditionLines({ differences }: RunComparison, all: boolean): string[] {
  const about = differences.filter(({ was, is }) => all || (was !== "absent" && is !== "absent"));
  if (about.length === 0) return [];
  const shown = all ? about : about.slice(0, MOST_CONDITIONS);
  const left = about.length - shown.length;
  return [
    "WARNING: made under other conditions, which may explain any difference:",
    ...columnsText(
      shown.map(({ what, key, was, is }) => [what, key, `${short(was)} → ${short(is)}`]),
      WIDTH,
    ),
    ...(left > 0 ? [`  ${number(left)} more: --all`] : []),
    "",
  ];
}

/** Under each setting its measures, under each measure its proxies. */
function tableOf(rows: ComparedRow[], title: (name: string) => string): string[] {
  const bySetting = Map.groupBy(rows, ({ cell }) => settingLabel(cell));
  const shown = [...bySetting].flatMap(([setting, own]) => [
    [{ text: setting }],
    ...[...Map.groupBy(own, ({ measure }) => measure)].flatMap(([key, same]) => [
      [{ text: `  ${measureTitle(measureOf(key))}` }],
      ...same.map((row) => cellsOf(row, title)),
    ]),
  ]);
  return tableText({ title: "", note: "", head: HEAD, rows: shown });
}

function cellsOf(row: ComparedRow, title: (name: string) => string): Cell[] {
  const { cell, p } = row;
  const { change = "", interval = "", now, was, outcome } = comparedWords(row);
  const texts = [
    `    ${title(cell.proxy)}`,
    ...[was, now, change, interval],
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
  return value.replace(/\bsha256:([0-9a-f]{12})[0-9a-f]+/g, "$1");
}
