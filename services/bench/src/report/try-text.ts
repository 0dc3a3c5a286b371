/**
 * A configuration against its baseline, for a terminal and as blocks of Markdown.
 */
import type { Against, Judged } from "../analyse/against.ts";
import { measureTitle } from "../analyse/questions.ts";
import type { Comparisons, MeasureKind } from "../model/comparison.ts";
import { number, times } from "../numbers.ts";
import { heading } from "./block.ts";
import type { Block } from "./block.ts";
import type { Column, Table } from "./table.ts";
import { tableText } from "./terminal.ts";
import { amount, missingText, titleOfProxy } from "./text.ts";
import { columnTitle, within } from "./topics.ts";

/** What less and more of a measure is called. */
const WORDS: Record<MeasureKind, { better: string; worse: string }> = {
  cpu: { better: "cheaper", worse: "costs more" },
  memory: { better: "cheaper", worse: "costs more" },
  time: { better: "faster", worse: "slower" },
  rate: { better: "faster", worse: "slower" },
  count: { better: "better", worse: "worse" },
  share: { better: "better", worse: "worse" },
};

/** What `try` says, in parts. */
export type Told = Extract<Block, { kind: "heading" | "text" | "list" | "table" }>;

/** A part of what came out: a blank line stands before the next. */
export type Tell = (part: Told[]) => void;

export function listed(title: string, lines: string[]): Told[] {
  return [heading(3, title), { kind: "list", items: lines.map((text) => ({ text })) }];
}

export function toldText(part: Told[]): string {
  return part
    .flatMap((block) => {
      if (block.kind === "table") return tableText(block.table);
      return block.kind === "list" ? block.items.map(({ text }) => `  ${text}`) : block.text;
    })
    .join("\n");
}

/** Enough for an answer where 6 give none. */
const MORE_ROUNDS = 12;

/** @param titles of the two: the one that is tried, and the baseline */
export function tryTable(file: Comparisons, rows: Against[], titles: string[]): Table {
  const shown = within(
    file,
    rows.map(({ comparison }) => comparison),
  );
  const head: Column[] = [
    { title: "Measure", words: true },
    ...titles.map((title) => ({ title })),
    { title: "Ratio" },
    { title: "95 % interval" },
    { title: "", words: true },
  ];
  const titleOf = (proxy: string) => titleOfProxy(file, proxy);
  const reasons = ({ own, baseline }: Against) =>
    [own, baseline].flatMap(({ missing }, i) =>
      missing.map((one) => `${titles[i]}: ${missingText(one, titleOf)}`),
    );
  return {
    title: "",
    note: "",
    head,
    rows: rows.map((row) => {
      const { comparison, own, baseline, ratio } = row;
      const { measure } = comparison;
      const figure = ({ estimate }: Against["own"]) =>
        estimate ? amount(estimate.value, measure) : "–";
      const where = columnTitle(comparison, { ...file, settings: shown.settings });
      return [
        [measureTitle(measure), where].filter(Boolean).join(", "),
        figure(own),
        figure(baseline),
        ratio ? `${times(ratio.value)}×` : "",
        ratio?.low && ratio.high ? `${times(ratio.low)}–${times(ratio.high)}` : "",
        seenText(row),
      ].map((text) => ({ text }));
    }),
    footnotes: [...new Set(rows.flatMap(reasons))],
  };
}

/**
 * The last line, which says what the exit status means.
 *
 * @param broken it fails a check that the baseline passes
 */
export function verdictText(
  judged: Judged,
  rows: Against[],
  { tolerance, broken, title }: { tolerance: number; broken: boolean; title: string },
): string {
  const percent = `${number(100 * tolerance)} %`;
  if (judged === "not-worse") return `${title} is no worse, to ${percent}.`;
  if (judged === "open") {
    const isMissing = rows.some(({ own, baseline }) => !own.estimate || !baseline.estimate);
    const next = isMissing ? "measurements are missing, see above" : `try --rounds ${MORE_ROUNDS}`;
    return `Could not tell whether ${title} is worse by more than ${percent}: ${next}.`;
  }
  const worse = rows.filter((row) => row.judged === "worse");
  const measures = worse.map(({ comparison }) => measureTitle(comparison.measure));
  const what = [...new Set(measures), ...(broken ? ["a failed check"] : [])].join(", ");
  return `${title} is worse by more than ${percent}: ${what}.`;
}

/** `no difference above 3 %` */
export function seenText({ comparison, seen, ratio }: Against): string {
  if (seen === "better" || seen === "worse") return WORDS[comparison.measure.kind][seen];
  if (seen === "unknown") return "could not tell";
  if (!ratio?.low || !ratio.high) return "no measurable difference";
  const percent = 100 * Math.max(1 - ratio.low, ratio.high - 1);
  return `no difference above ${number(Math.ceil(percent))} %`;
}
