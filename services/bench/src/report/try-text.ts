/**
 * A configuration against its baseline, for a terminal.
 */
import type { Against } from "../analyse/against.ts";
import { measureTitle } from "../analyse/questions.ts";
import type { Comparisons, MeasureKind } from "../model/comparison.ts";
import { number, times } from "../numbers.ts";
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

/** @param names of the two proxies */
export function tryText(
  file: Comparisons,
  rows: Against[],
  names: { own: string; baseline: string },
): string {
  const shown = within(
    file,
    rows.map(({ comparison }) => comparison),
  );
  const head: Column[] = [
    { title: "Measure", words: true },
    ...[names.own, names.baseline].map((name) => ({ title: titleOfProxy(file, name) })),
    { title: "Ratio" },
    { title: "95 % interval" },
    { title: "", words: true },
  ];
  const table: Table = {
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
    footnotes: rows.flatMap(({ own }) =>
      own.missing.map((missing) => missingText(missing, (name) => titleOfProxy(file, name))),
    ),
  };
  return tableText(table).join("\n");
}

/** `no difference above 3 %` */
export function seenText({ comparison, seen, ratio }: Against): string {
  if (seen === "better" || seen === "worse") return WORDS[comparison.measure.kind][seen];
  if (seen === "unknown") return "could not tell";
  if (!ratio?.low || !ratio.high) return "no measurable difference";
  const percent = 100 * Math.max(1 - ratio.low, ratio.high - 1);
  return `no difference above ${number(Math.ceil(percent))} %`;
}
