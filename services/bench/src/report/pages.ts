/** published/pages.yaml: what the pages over all battles show; and README's first table. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { Figure } from "../model/comparison.ts";
import { NONE } from "../numbers.ts";
import { loopText } from "./text.ts";
import {
  addedText,
  amountText,
  estimateText,
  answersTo,
  figureOf,
  leadersOf,
  ratioText,
  titleOf,
} from "./published.ts";
import type { Answer, PublishedBattle, Reference } from "./published.ts";

export interface Pages {
  /** base: what `times` are of, in every column. */
  headline: { footnotes: string; base: string; proxies: string[]; columns: Column[] };
  charts: Record<string, ChartPlan>;
  /** The chart that is a PNG too, for slides and previews of links. */
  picture: string;
  groups: { title: string; questions: PageQuestion[] }[];
}

export interface Column {
  title: string;
  show: "value" | "times" | "added" | "share";
  from: Reference;
  /** Where a proxy has no such event: what is shown of it instead. */
  instead?: Partial<Reference>;
  /** Of a proxy with several ways to do it: which variant is shown. */
  as?: Record<string, string>;
  /** Marks of footnotes by proxy; `column`: beside the title. */
  notes?: Record<string, string>;
}

export interface ChartPlan {
  title: string;
  axis: string;
  note?: string;
  proxies?: string[];
  base?: string;
  series: (Reference & { title: string })[];
}

export interface PageQuestion {
  title: string;
  card?: boolean;
  notes?: string[];
  /** Without a scheme: of both. */
  from: Reference;
}

export interface Headline {
  footnotes: string;
  base: string;
  columns: string[];
  rows: { proxy: string; title: string; version: string; cells: HeadlineCell[] }[];
}

interface HeadlineCell {
  text: string;
  /** The best of its column, or not told from it. */
  best: boolean;
  note: string;
}

export function readPages(folder: string): Pages {
  return parse(readFileSync(join(folder, "pages.yaml"), "utf8"));
}

/** The one comparison that a person named. */
export function theAnswer(battles: PublishedBattle[], reference: Reference): Answer {
  const answers = answersTo(battles, reference);
  const pooled = answers.filter(({ comparison }) => comparison.settings.length > 1);
  const [first, ...others] = pooled.length > 0 ? pooled : answers;
  if (first && others.length === 0) return first;
  throw new Error(
    `${answers.length} comparisons match ${JSON.stringify(reference)}${answers.length > 1 ? ": name battle, measure, scheme, event, scenario or parameters" : ""}`,
  );
}

export function headlineOf(battles: PublishedBattle[], { headline }: Pages): Headline {
  const { proxies, columns, base } = headline;
  const answers = columns.map(({ from }) => theAnswer(battles, from));
  return {
    footnotes: headline.footnotes,
    base,
    columns: columns.map(({ title, notes }, i) => {
      const { load } = answers[i].comparison;
      const told = load ? `${title}, ${loopText(load)}` : title;
      return [told, notes?.column].filter(Boolean).join("\u00a0");
    }),
    rows: proxies.map((proxy) => ({
      proxy,
      title: titleOf(answers.find((one) => figureOf(one, proxy)) ?? answers[0], proxy),
      version: versionOf(answers, proxy),
      cells: columns.map((column, i) =>
        headlineCell(column, answers[i], { battles, proxy, base, among: proxies }),
      ),
    })),
  };
}

/** Those that its table rests on. */
export function battlesOfHeadline(
  battles: PublishedBattle[],
  { headline }: Pages,
): PublishedBattle[] {
  return [...new Set(headline.columns.map(({ from }) => theAnswer(battles, from).battle))];
}

/** `3.0`, of the runs that the table rests on; `3.0, 3.2` where they differ. */
function versionOf(answers: Answer[], proxy: string): string {
  const versions = answers.flatMap(
    ({ battle }) => battle.comparisons.proxies.find(({ name }) => name === proxy)?.version ?? [],
  );
  const short = versions.flatMap((version) => version.match(/ (\d+\.\d+)/)?.[1] ?? []);
  return [...new Set(short)].join(", ");
}

function headlineCell(
  { show, notes, from, instead, as = {} }: Column,
  asked: Answer,
  {
    battles,
    proxy,
    base,
    among,
  }: { battles: PublishedBattle[]; proxy: string; base: string; among: string[] },
): HeadlineCell {
  const shown = (name: string) => as[name] ?? name;
  const isLeftOut = instead && isUnsupported(figureOf(asked, shown(proxy)));
  const answer = isLeftOut ? theAnswer(battles, { ...from, ...instead }) : asked;
  const figure = figureOf(answer, shown(proxy));
  const note = notes?.[proxy] ?? "";
  if (!figure?.estimate) {
    const event = answer.comparison.event?.split("-")[0] ?? "";
    const text = isUnableTo(battles, event, proxy) ? `no ${event}` : NONE;
    return { text, best: false, note: "" };
  }
  const { value } = figure.estimate;
  const leaders = leadersOf(answer, among.map(shown));
  const text = {
    value: () => estimateText(figure, answer.comparison.measure, 2),
    added: () => addedText(answer, figure),
    share: () => shareText(value),
    times: () => ratioText(answer, proxy, base),
  }[show]();
  return { text, best: leaders.includes(shown(proxy)), note };
}

/** @returns a run of any battle has left the event out for this proxy, as it has none such */
function isUnableTo(battles: PublishedBattle[], event: string, proxy: string): boolean {
  return battles.some(({ comparisons }) =>
    comparisons.comparisons.some(
      (comparison) =>
        comparison.event?.split("-")[0] === event &&
        comparison.figures.some((figure) => figure.proxy === proxy && isUnsupported(figure)),
    ),
  );
}

function isUnsupported(figure: Figure | undefined): boolean {
  return figure?.missing[0]?.kind === "unsupported";
}

/** `none`, `half`, `all`, `12 %` */
function shareText(percent: number): string {
  if (percent === 0) return "none";
  if (percent >= 99.5) return "all";
  return Math.abs(percent - 50) < 2 ? "half" : `${amountText(percent, { unit: "%" }, 2)}`;
}

export function headlineMarkdown({ columns, rows, footnotes }: Headline): string {
  return [
    `| | ${columns.join(" | ")} |`,
    `|---|${columns.map(() => "--:|").join("")}`,
    ...rows.map(({ title, version, cells }) => {
      const texts = cells.map(({ text, best, note }) =>
        [best ? `**${text}**` : text, note].filter(Boolean).join(" "),
      );
      return `| **${title.replace("-", "\u2011")}**&nbsp;${version} | ${texts.join(" | ")} |`;
    }),
    "",
    footnotes,
  ].join("\n");
}
