/**
 * Texts that a person writes, with places for figures:
 *
 *   {{ratio BATTLE QUESTION PROXY PROXY}}
 *   {{value BATTLE QUESTION PROXY}} of events as `50–52 %` or `10 of 10`
 *   {{ratio-value …}} of a ratio itself
 *   {{counts BATTLE QUESTION}} `1,000 to 9,000`, the connections at which slopes are compared
 *   {{table}} README's table   {{chart NAME}}   {{file NAME}}   {{report BATTLE}}   {{date}}   {{machine}}
 *
 * Among the words `ws`, `wss` and `key=value` narrow the comparison down to one: measure, event,
 * scenario, or a parameter of the load. `quick/2026-11-25` instead of a battle is that run of it alone.
 * A place that leads nowhere is an error.
 */
import { battlesOfHeadline, headlineMarkdown, headlineOf, theAnswer } from "./pages.ts";
import type { Pages } from "./pages.ts";
import {
  battleOf,
  countsIn,
  digits,
  estimateText,
  figureOf,
  machinesOf,
  ratioIn,
  reportOf,
  runsOf,
  whenOf,
} from "./published.ts";
import type { Answer, PublishedBattle, Reference } from "./published.ts";

interface TemplateContext {
  battles: PublishedBattle[];
  pages: Pages;
  /** From the text to published/: `published/`, or nothing. */
  folder: string;
}

export function filledIn(template: string, context: TemplateContext): string {
  // Figures are shorter than their places: lines end elsewhere.
  return template
    .split(/(\n\n+)/)
    .map((block) => {
      const filled = withFigures(block, context);
      return filled !== block && !NO_PROSE.test(block) ? flowing(filled) : filled;
    })
    .join("");
}

const WIDTH = 120;
/** A table, a heading, HTML, a fence, a picture. */
const NO_PROSE = /^([|#<]|```|\{\{(table|chart))/;
/** What Markdown reads as more than a word at the begin of a line. */
const MARKUP = /^([-+*#>|]|#+|\d+[.)])$/;

/** A paragraph, or a list, each item of which is one. */
function flowing(block: string): string {
  const items = block.trimEnd().split(/\n(?=- )/);
  return items.map(wrapped).join("\n") + block.slice(block.trimEnd().length);
}

function wrapped(item: string): string {
  const indent = item.startsWith("- ") ? "  " : "";
  return item.split(/\s+/).reduce((text, word) => {
    const line = text.slice(text.lastIndexOf("\n") + 1);
    const isFull = `${line} ${word}`.length > WIDTH && !MARKUP.test(word);
    return isFull ? `${text}\n${indent}${word}` : `${text} ${word}`;
  });
}

function withFigures(template: string, context: TemplateContext): string {
  return template.replace(/\{\{([^}]*)\}\}/g, (place, inner: string) => {
    const [kind, ...words] = inner.trim().split(/\s+/);
    const fill = PLACES[kind];
    if (!fill) throw new Error(`${place}: expected one of ${Object.keys(PLACES).join(", ")}`);
    try {
      return fill(words, context);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`${place}: ${why}`, { cause: error });
    }
  });
}

type Fill = (words: string[], context: TemplateContext) => string;

const PLACES: Record<string, Fill> = {
  table: (_, { battles, pages }) => headlineMarkdown(headlineOf(battles, pages)),
  file: ([name], context) => chartFile(name, context),
  chart: ([name], context) => {
    const file = chartFile(name, context);
    return `![${context.pages.charts[name].title}](${file})`;
  },
  report: ([name], { battles, folder }) => {
    const battle = battleNamed(battles, name);
    return `[${battle.name.split("/")[0]}, ${whenOf(battle)}](${folder}${reportOf(battle)})`;
  },
  date: (_, { battles }) => monthOf(battles[0]),
  machine: (_, { battles, pages }) => machinesOf(battlesOfHeadline(battles, pages)),
  ratio: figureFill(2, (answer, [proxy, to]) => spokenTimes(ratioIn(answer, proxy, to) ?? NaN)),
  value: figureFill(1, (answer, [proxy]) => {
    const figure = figureOf(answer, proxy);
    return figure ? estimateText(figure, answer.comparison.measure, 2) : "NaN";
  }),
  "ratio-value": figureFill(1, (answer, [proxy]) =>
    spokenTimes(figureOf(answer, proxy)?.estimate?.value ?? NaN),
  ),
  counts: figureFill(0, countsIn),
};

/** @param proxies that the place names */
function figureFill(proxies: number, text: (answer: Answer, names: string[]) => string): Fill {
  return (words, { battles }) => {
    const { reference, names } = referenceOf(words);
    if (names.length !== proxies) throw new Error(`expected ${proxies} proxies after the question`);
    const made = text(theAnswer(battlesFor(battles, reference.battle), reference), names);
    if (/NaN|undefined/.test(made)) throw new Error(`no figure of ${names.join(" or ")}`);
    return made;
  };
}

function referenceOf(words: string[]): { reference: Reference; names: string[] } {
  const plain = words.filter((word) => !word.includes("=") && !/^wss?$/.test(word));
  const scheme = words.find((word) => word === "ws" || word === "wss");
  const [battle, question, ...names] = plain;
  const given = words.filter((word) => word.includes("=")).map((word) => word.split("="));
  const isName = ([key]: string[]) => ["measure", "event", "scenario"].includes(key);
  const parameters = given
    .filter((one) => !isName(one))
    .map(([key, value]) => [key, Number(value)]);
  return {
    reference: {
      ...Object.fromEntries(given.filter(isName)),
      ...{ battle, question, scheme, parameters: Object.fromEntries(parameters) },
    },
    names,
  };
}

function chartFile(name: string, { pages, folder }: TemplateContext): string {
  if (!pages.charts[name]) throw new Error(`pages.yaml has no chart ${name}`);
  return `${folder}charts/${name}.svg`;
}

function battleNamed(battles: PublishedBattle[], name: string): PublishedBattle {
  const battle = battlesFor(battles, name).find((one) => one.name === name);
  if (!battle) throw new Error(`there is no published battle ${name}`);
  return battle;
}

/** Those, or where the name is of a run's folder that run alone. */
function battlesFor(battles: PublishedBattle[], name: string | undefined): PublishedBattle[] {
  const run = runsOf(battles).find(({ folder }) => folder === name);
  return run ? [battleOf(run.folder, [run])] : battles;
}

/** `November 2026` */
function monthOf(battle: PublishedBattle): string {
  const options = { month: "long", year: "numeric", timeZone: "UTC" } as const;
  return new Date(battle.comparisons.startedAt).toLocaleDateString("en", options);
}

/** In a sentence: two digits, but three around 1. */
function spokenTimes(ratio: number): string {
  return `${ratio > 0.8 && ratio < 1.25 ? ratio.toFixed(2) : digits(ratio, 2)}×`;
}
