/** Pictures over published battles: bars of one comparison, or of two side by side. */
import { estimateOf } from "../analyse/figures.ts";
import { ratiosOver } from "../analyse/pool.ts";
import type { Estimate, Figure } from "../model/comparison.ts";
import { shownUnit } from "../numbers.ts";
import { bars } from "./chart.ts";
import type { Bar, Bars } from "./chart.ts";
import { loopText, proxiesIn } from "./text.ts";
import { theAnswer } from "./pages.ts";
import type { ChartPlan, Pages } from "./pages.ts";
import {
  estimateText,
  figureOf,
  machinesOf,
  missingText,
  ratioIn,
  timesText,
  titleOf,
  whenOf,
} from "./published.ts";
import type { Answer, PublishedBattle } from "./published.ts";

/** By name of the file. */
export function chartsOf(battles: PublishedBattle[], { charts }: Pages): Record<string, string> {
  return Object.fromEntries(
    Object.entries(charts).map(([name, plan]) => [
      `charts/${name}.svg`,
      bars(chartOf(battles, plan)),
    ]),
  );
}

/** In pixels; of the picture that previews of links show. */
export const PICTURE = { width: 1200, height: 630 };
/** At which the chart has the picture's shape. */
const DRAWN = 620;

/** A chart as large as a slide shows it, with the name of the project: SVG, for `pngOf`. */
export function pictureOf(battles: PublishedBattle[], { charts, picture }: Pages): string {
  const { caption, ...chart } = chartOf(battles, charts[picture]);
  const [{ battle }] = answersIn(battles, charts[picture]);
  const svg = bars(
    { ...chart, caption: ["ws-proxy-bench", machinesOf([battle]), caption].join(" · ") },
    { width: DRAWN },
  );
  const { width, height } = PICTURE;
  const drawn = Number(svg.match(/height="(\d+)"/)?.[1]);
  const scale = Math.min(width / DRAWN, height / drawn);
  const at = [(width - scale * DRAWN) / 2, (height - scale * drawn) / 2].map((one) =>
    one.toFixed(1),
  );
  const placed = svg.replace(
    /width="\d+" height="\d+"/,
    `x="${at[0]}" y="${at[1]}" width="${(scale * DRAWN).toFixed(1)}" height="${(scale * drawn).toFixed(1)}"`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#ffffff"/>${placed}</svg>`;
}

function chartOf(battles: PublishedBattle[], plan: ChartPlan): Bars {
  const { title, axis, note, base, series } = plan;
  const answers = answersIn(battles, plan);
  if (new Set(answers.map(({ battle }) => battle.name)).size > 1)
    throw new Error(`the chart "${title}" joins two battles: their figures do not compare`);
  const proxies = plan.proxies ?? proxiesIn(answers[0].comparison).map(({ proxy }) => proxy);
  const values = answers.flatMap(({ comparison }) =>
    proxiesIn(comparison).map(({ estimate }) => estimate?.value ?? 0),
  );
  const { divisor } = base ? { divisor: 1 } : shownUnit(answers[0].comparison.measure.unit, values);
  const [{ battle }] = answers;
  const loads = new Set(
    answers.flatMap(({ comparison: { load } }) => (load ? loopText(load) : [])),
  );
  return {
    title,
    better: answers[0].comparison.measure.better,
    caption: [`${battle.name}, ${whenOf(battle)}`, ...loads, note].filter(Boolean).join(" · "),
    axis: { label: axis },
    ...(series.length === 2 && { series: [series[0].title, series[1].title] as const }),
    rows: proxies.map((proxy) => ({
      label: titleOf(answers[0], proxy),
      ...lookOf(answers, proxy),
      values: answers.map((answer) => barOf(answer, proxy, divisor, base)),
    })),
  };
}

/** One for each of its series, of one battle. */
function answersIn(battles: PublishedBattle[], { series }: Pick<ChartPlan, "series">): Answer[] {
  return series.map(({ title: _, ...reference }) => theAnswer(battles, reference));
}

/** Colour and mark of a proxy, the same in every picture. */
function lookOf([{ battle }]: Answer[], proxy: string) {
  const { proxies } = battle.comparisons;
  const { colour = "#888888" } = proxies.find(({ name }) => name === proxy) ?? {};
  return { colour };
}

function barOf(answer: Answer, proxy: string, unit: number, base?: string): Bar | null {
  const figure = figureOf(answer, proxy);
  if (!figure) return null;
  if (!figure.estimate) return { value: null, text: missingText(figure.missing) };
  const estimate = base ? timesOf(answer, figure, base) : scaled(figure.estimate, unit);
  const { value, low, high } = estimate;
  const isTimes = base || answer.comparison.measure.unit === "times";
  return {
    value,
    ...(low !== null && high !== null && proxy !== base && { low, high }),
    text: isTimes ? timesText(value) : estimateText(figure, answer.comparison.measure, 2),
  };
}

/**
 * The ratio that tables and texts have. Its interval is known where one of both is the best, or of
 * several runs.
 */
function timesOf(answer: Answer, figure: Figure, base: string): Estimate {
  const [own, other] = [figure.toBest, figureOf(answer, base)?.toBest];
  if (own && other?.value === 1) return own;
  if (own?.value === 1 && other?.low && other.high)
    return { ...other, value: 1 / other.value, low: 1 / other.high, high: 1 / other.low };
  const value = ratioIn(answer, figure.proxy, base) ?? NaN;
  const { battle, comparison } = answer;
  const over = ratiosOver(comparison.figures, battle.runs.length)(figure.proxy, base);
  return { low: null, high: null, basis: "range", ...estimateOf(over), value };
}

function scaled({ value, low, high, basis }: Estimate, unit: number): Estimate {
  const over = (end: number | null) => (end === null ? null : end / unit);
  return { value: value / unit, low: over(low), high: over(high), basis };
}
