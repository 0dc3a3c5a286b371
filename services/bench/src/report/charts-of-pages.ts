/** Pictures over published runs: bars of one comparison, or of two side by side. */
import type { Estimate } from "../model/comparison.ts";
import { shownUnit } from "../numbers.ts";
import { bars } from "./chart.ts";
import type { Bar } from "./chart.ts";
import { theAnswer } from "./pages.ts";
import type { ChartPlan, Pages } from "./pages.ts";
import {
  dayOf,
  estimateText,
  figureOf,
  missingText,
  proxiesIn,
  timesText,
  titleOf,
} from "./published.ts";
import type { Answer, PublishedRun } from "./published.ts";

/** By name of the file. */
export function chartsOf(runs: PublishedRun[], { charts }: Pages): Record<string, string> {
  return Object.fromEntries(
    Object.entries(charts).map(([name, plan]) => [`charts/${name}.svg`, chartOf(runs, plan)]),
  );
}

function chartOf(runs: PublishedRun[], plan: ChartPlan): string {
  const { title, axis, note, base, series } = plan;
  const answers = series.map(({ title: _, ...reference }) => theAnswer(runs, reference));
  const proxies = plan.proxies ?? proxiesIn(answers[0].comparison).map(({ proxy }) => proxy);
  const bases = answers.map((one) => (base ? (figureOf(one, base)?.estimate?.value ?? 1) : 1));
  const values = answers.flatMap(({ comparison }) =>
    proxiesIn(comparison).map(({ estimate }) => estimate?.value ?? 0),
  );
  const { divisor } = base ? { divisor: 1 } : shownUnit(answers[0].comparison.measure.unit, values);
  const from = [...new Set(answers.map(({ run }) => `${run.name}, ${dayOf(run)}`))];
  return bars({
    title,
    better: answers[0].comparison.measure.better,
    caption: [...from, note].filter(Boolean).join(" · "),
    axis: { label: axis },
    ...(series.length === 2 && { series: [series[0].title, series[1].title] as const }),
    rows: proxies.map((proxy) => ({
      label: titleOf(answers[0], proxy),
      ...lookOf(answers, proxy),
      values: answers.map((answer, i) => barOf(answer, proxy, bases[i] * divisor, base)),
    })),
  });
}

/** Colour and mark of a proxy, the same in every picture. */
function lookOf([{ run }]: Answer[], proxy: string) {
  const { proxies } = run.comparisons;
  const { colour = "#888888" } = proxies.find(({ name }) => name === proxy) ?? {};
  return { colour };
}

function barOf(answer: Answer, proxy: string, unit: number, base?: string): Bar | null {
  const figure = figureOf(answer, proxy);
  if (!figure) return null;
  if (!figure.estimate) return { value: null, text: missingText(figure.missing) };
  const isBest = base !== undefined && figureOf(answer, base)?.toBest?.value === 1;
  // Ratios by rounds have the narrower interval.
  const estimate = isBest && figure.toBest ? figure.toBest : scaled(figure.estimate, unit);
  const { value, low, high } = estimate;
  const isTimes = base || answer.comparison.measure.unit === "times";
  return {
    value,
    ...(low !== null && high !== null && proxy !== base && { low, high }),
    text: isTimes ? timesText(value) : estimateText(figure, answer.comparison.measure, 2),
  };
}

function scaled({ value, low, high, basis }: Estimate, unit: number): Estimate {
  const over = (end: number | null) => (end === null ? null : end / unit);
  return { value: value / unit, low: over(low), high: over(high), basis };
}
