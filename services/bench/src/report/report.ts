/**
 * A run's report: the order in which it says things. Everything that compares is of `Comparisons`;
 * the record is read for what became of each cell, and for the environment.
 */
import type { ExtraColumn } from "../analyse/questions.ts";
import { measureTitle } from "../analyse/questions.ts";
import type { Comparison, Comparisons, Figure, Reported } from "../model/comparison.ts";
import { counted, number, times } from "../numbers.ts";
import type { Block } from "./block.ts";
import { details, heading, note, table } from "./block.ts";
import type { Curves } from "./curve-charts.ts";
import { barsOf, curveCharts, openChart, recoveryCharts, versionCharts } from "./curve-charts.ts";
import { headlineOf } from "./headline.ts";
import {
  dataBlocks,
  environmentBlocks,
  indexBlocks,
  runBlocks,
  stateOf,
  uncountedOf,
  validityBlocks,
} from "./record-blocks.ts";
import { EVENTS } from "../plan/events.ts";
import type { Flag, FlagCode } from "../model/flag.ts";
import type { Table } from "./table.ts";
import { figuresTable, noiseTable } from "./table.ts";
import {
  capital,
  flagText,
  isBest,
  list,
  lowPowerOf,
  missingText,
  settingTitle,
  time,
  titleOfProxy,
} from "./text.ts";
import type { Answer, Topic } from "./topics.ts";
import { answersOf, columnTitle, placeOf, topicsOf, within } from "./topics.ts";

interface ReportParts {
  /** Of the proxy over each cell, by its id. */
  curves?: Curves;
  /** Of the study that the battle repeats. */
  claims?: Table | null;
}

/** What the first table must not be read without. */
const ON_TOP: FlagCode[] = ["ranked-last", "lacks-settings", "left-out", "survivors", "few-rounds"];

/** Beside a chart there is room for so many columns, and a chart so wide. */
const COLUMNS_BESIDE = 3;
const HALF = 440;
const MOST_ROWS = 12;
/** A table with more columns is one a scheme. */
const MOST_COLUMNS = 6;

export function reportOf(
  reported: Reported,
  { curves = {}, claims = null }: ReportParts = {},
): Block[] {
  const { comparisons: file } = reported;
  const topics = topicsOf(file);
  const answers = answersOf(file, topics);
  const first = answers[0]?.topic;
  const { isComplete, sentence } = stateOf(reported.results);
  // How far equals come apart is no question of its own, unless a run asks nothing else.
  const isAside = (topic: Topic) => topic.question.group === "noise" && topic !== first;
  return [
    heading(1, first?.question.asks ?? file.title),
    ...(isComplete ? [] : [{ kind: "text" as const, text: sentence, tone: "warning" as const }]),
    ...firstScreen(reported, answers),
    ...runBlocks(reported),
    ...topics
      .filter((topic) => !isAside(topic))
      .sort((a, b) => Number(b === first) - Number(a === first))
      .flatMap((topic) => topicBlocks(reported, topic, curves, topic === first)),
    ...(claims ? [heading(2, claims.title), table({ ...claims, title: "" })] : []),
    heading(2, "How far to trust this run"),
    ...validityBlocks(reported),
    ...topics.filter(isAside).flatMap(({ question, all }) => {
      const own = within(file, all);
      const made = noiseTable(all, (one) => columnTitle(one, own));
      return details(`Noise floor: ${question.title.toLowerCase()}`, [table(made)]);
    }),
    ...indexBlocks(reported),
    ...environmentBlocks(reported),
    ...dataBlocks(reported.results),
  ];
}

/** The answer in a sentence, what weakens it, one chart, and a small table. */
function firstScreen(reported: Reported, answers: Answer[]): Block[] {
  const { comparisons: file, results } = reported;
  if (answers.length === 0) {
    const [reason] = uncountedOf(reported);
    const why = reason
      ? ` (${reason.ids.length} of ${counted(results.cells.length, "attempt")}: ${reason.why})`
      : "";
    return [{ kind: "text", text: `No valid measurement${why}.`, tone: "warning" }];
  }
  const [{ topic }] = answers;
  const first = answers.filter((one) => one.topic === topic);
  const variants = variantsAside(file, answers);
  const lean = answers.map((answer) => ({
    ...answer,
    comparison: withoutProxies(answer.comparison, variants),
  }));
  const chart = barsOf(
    within(file, topic.all),
    topic.question.title,
    lean.slice(0, first.length).map(({ comparison }) => comparison),
    HALF,
  ).slice(0, 1);
  const shown = chart.length > 0 ? lean.slice(0, COLUMNS_BESIDE) : lean;
  const small = [
    table(answerTable(file, shown)),
    ...readingOf(shown),
    ...(variants.length > 0 ? [note(`${counted(variants.length, "variant")} below.`)] : []),
  ];
  return [
    note(`${file.title}, ${time(file.startedAt)}`),
    { kind: "text", text: headlineOf(file, first), tone: "lead" },
    ...warningBlocks(file, shown),
    ...(first.length === 1 ? openChart(file, first[0].comparison) : []),
    { kind: "beside", parts: chart.length > 0 ? [chart, small] : [small] },
  ];
}

/** Of many proxies, those on the first screen are the originals. */
function variantsAside({ proxies }: Comparisons, answers: Answer[]): string[] {
  const shown = new Set(
    answers.flatMap(({ comparison }) => comparison.figures.map(({ proxy }) => proxy)),
  );
  if (shown.size <= MOST_ROWS) return [];
  return proxies
    .filter(({ name, variantOf }) => variantOf && shown.has(name) && shown.has(variantOf))
    .map(({ name }) => name);
}

function withoutProxies(comparison: Comparison, names: string[]): Comparison {
  const figures = comparison.figures.filter(({ proxy }) => !names.includes(proxy));
  return { ...comparison, figures };
}

/** What weakens the first table: in red, and what is only good to know as a note. */
function warningBlocks(file: Comparisons, shown: Answer[]): Block[] {
  const titles = new Map(
    shown.map(({ comparison, title, where }) => [comparison, { title, where }]),
  );
  const isOfOne = new Set(shown.map(({ title }) => title)).size === 1;
  const place = (one: Comparison) => {
    const { title, where } = titles.get(one) ?? { title: "", where: "" };
    return isOfOne ? where : [title, where].filter(Boolean).join(", ");
  };
  const isOnTop = ({ code }: Flag) => ON_TOP.includes(code);
  return flagItems(file, [...titles.keys()], place, isOnTop).map(({ flag, text }) => ({
    kind: "text",
    text: `${text}.`,
    tone: flag.severity === "note" ? "note" : "warning",
  }));
}

/** What signs in the first table mean, of those that are there. */
function readingOf(shown: Answer[]): Block[] {
  const all = shown.map(({ comparison }) => comparison);
  const some = (is: (one: Figure, among: Figure[]) => boolean) =>
    all.some(({ figures }) => figures.some((one) => is(one, figures)));
  const missed = all.filter(lowPowerOf).map(({ detectable }) => detectable ?? 0);
  const hasBest = some(isBest);
  const parts = [
    hasBest && "**Bold**: best, or no measurable difference from it.",
    hasBest && some(({ toBest }) => toBest !== null) && "×: to the best of the column.",
    missed.length > 0 && `Differences below ${times(Math.max(...missed))}× may be unseen.`,
    hasBest &&
      "Below, # is the rank, and brackets hold the 95 % interval unless a note says otherwise.",
  ].filter(Boolean);
  return parts.length > 0 ? [note(parts.join(" "))] : [];
}

export function answerTable(file: Comparisons, answers: Answer[]): Table {
  const [{ topic }] = answers;
  if (topic.question.group === "noise") {
    const own = within(file, topic.all);
    return noiseTable(topic.all, (one) => columnTitle(one, own));
  }
  const named = new Set(answers.map(({ title }) => title)).size === 1;
  return figuresTable(
    file,
    answers.map(({ comparison, title, where, extras }) => {
      // Of a ratio to another setting there is one alone, as a rule.
      const isOne = comparison.beside && answers.filter((one) => one.title === title).length === 1;
      return named
        ? { comparison, title: where || title, extras }
        : { comparison, title, where: isOne ? "" : where, extras };
    }),
    { short: true, title: named ? answers[0].title : "" },
  );
}

/** @param isFirst its first bars are on the first screen */
function topicBlocks(reported: Reported, topic: Topic, curves: Curves, isFirst: boolean): Block[] {
  const { question, top } = topic;
  const file = within(reported.comparisons, topic.all);
  if (question.group === "noise")
    return [
      heading(2, question.title),
      table(noiseTable(topic.all, (one) => columnTitle(one, file))),
    ];
  const shown = mainOf(topic);
  const overVersions = versionCharts(file, top);
  // Bars of each version would say the same again.
  const hasBars = question.charts?.includes("bars") && overVersions.length === 0;
  const bars = hasBars ? barsOf(file, question.title, top) : [];
  return [
    heading(2, question.title),
    ...topicNotes(reported, question.id),
    ...bars.slice(isFirst ? 1 : 0),
    ...overVersions,
    ...recoveryCharts(file, topic),
    ...settingTables(file, shown, question),
    ...flagBlocks(file, shown),
    ...details("More figures", moreBlocks(file, topic, shown)),
    ...details("Curves", curveCharts(reported, topic, curves)),
  ];
}

/** What was done, or promised. */
function topicNotes({ comparisons, results }: Reported, id: string): Block[] {
  const { plan } = results;
  if (id === "lost" && plan.events) {
    const items = Object.entries(plan.events).map(([event, what]) => ({
      label: event,
      text: what,
    }));
    return [{ kind: "list", items }, ...documentedBlocks(results)];
  }
  if (id !== "capacity" || !plan.promise) return [];
  const { sloMs, failedPercent, sentPercent } = plan.promise;
  const text = `Promise: p99 ≤ ${number(sloMs)} ms, at most ${number(failedPercent)} % failed, at least ${number(sentPercent)} % sent.`;
  const isRanked = comparisons.comparisons.some(
    ({ question, figures }) => question === id && figures.some(({ rank }) => rank !== null),
  );
  const ranks =
    " The figure is the rate that half of all tries keep, at the machine's mean speed. Who shares a rank has intervals that meet, or are less than 5 % apart.";
  return [{ kind: "text", text: isRanked ? text + ranks : text }];
}

/** What is to be expected of a reload. */
function documentedBlocks({ plan, proxies }: Reported["results"]): Block[] {
  const isReloaded = Object.keys(plan.events ?? {}).some((one) => EVENTS[one]?.needs === "reload");
  const items = proxies.flatMap(({ title, onReload }) =>
    isReloaded && onReload ? [{ label: title, text: onReload }] : [],
  );
  if (items.length === 0) return [];
  return [
    note("An open WebSocket at a reload, by documentation or source:"),
    { kind: "list", items },
  ];
}

/** Settings beside each other; of a single one its measures. */
export function mainOf({ top, all }: Topic): Comparison[] {
  return top.length > 1 ? top : all.filter((one) => placeOf(one) === placeOf(top[0]));
}

/** One table, or where it is too wide one a scheme and scenario. */
export function settingTables(
  file: Comparisons,
  comparisons: Comparison[],
  question?: Topic["question"],
): Block[] {
  const isOfOne = new Set(comparisons.map(placeOf)).size === 1;
  const isOfOneMeasure = new Set(comparisons.map(({ measure }) => measure.key)).size === 1;
  const column = (comparison: Comparison, where: string) => {
    const measure =
      comparison === comparisons[0] && question ? question.title : measureTitle(comparison.measure);
    return {
      comparison,
      title: isOfOne
        ? measure
        : isOfOneMeasure
          ? where
          : `${measureTitle(comparison.measure)}, ${where}`,
    };
  };
  if (comparisons.length <= MOST_COLUMNS || comparisons.some(({ event }) => event !== null))
    return [
      table(
        figuresTable(
          file,
          comparisons.map((one) => column(one, columnTitle(one, file))),
        ),
      ),
    ];
  const groups = Map.groupBy(
    comparisons,
    ({ settings: [key], scheme }) => `${file.settings[key].scenario}, ${scheme}`,
  );
  return [...groups].map(([title, own]) => {
    const { settings } = within(file, own);
    const columns = own.map((one) =>
      column(one, settingTitle(one.settings, settings, { scheme: groups.size === 1 })),
    );
    return table(figuresTable(file, columns, { title: groups.size > 1 ? title : "" }));
  });
}

/** Said of each measure; others once a setting. */
const OF_EACH: ExtraColumn[] = ["control", "added", "medians", "fromTo"];

/** What the main table leaves out, and what stands beside a figure: a table a setting or event. */
function moreBlocks(file: Comparisons, { question, all }: Topic, shown: Comparison[]): Block[] {
  const { columns = [] } = question;
  const rest = all.filter((one) => !shown.includes(one));
  const measures = new Set(all.map(({ measure }) => measure.key));
  if (measures.size === 1 && columns.length === 0)
    return rest.length === 0 ? [] : [...settingTables(file, rest), ...flagBlocks(file, rest)];
  const isOfEach = columns.some((name) => OF_EACH.includes(name));
  return [...Map.groupBy(all, placeOf).values()].flatMap((own) => {
    const made = figuresTable(
      file,
      own.map((comparison, i) => ({
        comparison,
        title: measureTitle(comparison.measure),
        extras: i === 0 ? columns : columns.filter((name) => OF_EACH.includes(name)),
        extrasOnly: shown.includes(comparison) && !isOfEach,
      })),
      { title: columnTitle(own[0], file) },
    );
    const isKnown = own.every((one) => shown.includes(one));
    const least = 1 + (isKnown && isOfEach ? own.length : 0);
    const flags = flagBlocks(
      file,
      own.filter((one) => rest.includes(one)),
    );
    return made.head.length > least ? [table(made), ...flags] : [];
  });
}

/**
 * What weakens the comparisons of a table, each text once, with the settings that it is of where it
 * is not of all.
 */
function flagBlocks(file: Comparisons, comparisons: Comparison[]): Block[] {
  const place = (one: Comparison) => columnTitle(one, file);
  const items = flagItems(file, comparisons, place).map(({ flag, text }) => ({
    label: flag.severity,
    text,
  }));
  return items.length > 0 ? [{ kind: "list", items }] : [];
}

function flagItems(
  file: Comparisons,
  comparisons: Comparison[],
  place: (one: Comparison) => string,
  isMeant: (flag: Flag) => boolean = () => true,
): { flag: Flag; text: string }[] {
  const title = (name: string) => titleOfProxy(file, name);
  const told = comparisons.flatMap((one) =>
    one.flags
      .filter(isMeant)
      .map((flag) => ({ one, flag, text: flagText(flag, title) + whyText(file, one, flag) })),
  );
  const places = new Set(comparisons.map(place));
  const byCode = Map.groupBy(told, ({ flag }) => flag.code);
  return [...byCode.values()].flatMap((same) =>
    [...Map.groupBy(same, ({ text }) => text)].map(([text, own]) => {
      const where = [...new Set(own.map(({ one }) => place(one)))];
      return {
        flag: own[0].flag,
        text: where.length < places.size ? `${text} (${list(where)})` : text,
      };
    }),
  );
}

/** Why a setting lacks a proxy: a pool leaves that to its settings. */
function whyText({ comparisons, settings }: Comparisons, pool: Comparison, flag: Flag): string {
  if (flag.code !== "lacks-settings") return "";
  const reasons = flag.figures.proxies.flatMap(({ proxy, connections }) =>
    comparisons
      .filter(({ question, settings: [key, ...more] }) => {
        const isPart = more.length === 0 && pool.settings.includes(key);
        const { workload } = settings[key];
        return (
          question === pool.question && isPart && connections.includes(workload.connections ?? 0)
        );
      })
      .flatMap(({ figures }) => figures.find((one) => one.proxy === proxy)?.missing ?? []),
  );
  const texts = new Set(reasons.map((missing) => missingText(missing, (name) => name)));
  return texts.size > 0 ? `. ${capital([...texts].join("; "))}` : "";
}
