/**
 * A run's report: the order in which it says things. Everything that compares is of `Comparisons`;
 * the record is read for what became of each cell, and for the environment.
 */
import type { ExtraColumn } from "../analyse/questions.ts";
import { GROUPS, measureTitle } from "../analyse/questions.ts";
import type { Comparison, Comparisons, Reported } from "../model/comparison.ts";
import { counted, number } from "../numbers.ts";
import type { Block } from "./block.ts";
import { details, heading, table } from "./block.ts";
import type { Curves } from "./curve-charts.ts";
import { barsOf, curveCharts } from "./curve-charts.ts";
import {
  environmentBlocks,
  indexBlocks,
  repeatBlocks,
  stateOf,
  uncountedOf,
  validityBlocks,
} from "./record-blocks.ts";
import type { FlagCode } from "../model/flag.ts";
import type { Table } from "./table.ts";
import { figuresTable, noiseTable } from "./table.ts";
import { flagText, list, settingTitle, titleOfProxy } from "./text.ts";
import type { Answer, Topic } from "./topics.ts";
import { answersOf, columnTitle, placeOf, topicsOf, within } from "./topics.ts";

export interface ReportParts {
  /** Of the proxy over each cell, by its id. */
  curves?: Curves;
  /** Of the study that the battle repeats. */
  claims?: Table | null;
}

/** What the first table must not be read without. */
const ON_TOP: FlagCode[] = ["ranked-last", "lacks-settings", "left-out", "survivors", "few-rounds"];

const READING =
  "**Bold**: best, or no measurable difference from the best. ×: to the best of the column. #: rank. In brackets: 95 % interval over the rounds. May miss: smaller differences may be unseen.";
/** A table with more columns is one a scheme. */
const MOST_COLUMNS = 6;

export function reportOf(
  reported: Reported,
  { curves = {}, claims = null }: ReportParts = {},
): Block[] {
  const { comparisons: file } = reported;
  const topics = topicsOf(file);
  const answers = answersOf(file, topics);
  const groups = Object.entries(GROUPS).map(([group, title]) => ({
    title,
    topics: topics.filter(({ question }) => question.group === group),
  }));
  const { isComplete, sentence } = stateOf(reported.results);
  return [
    heading(1, file.title),
    ...(isComplete ? [] : [{ kind: "text" as const, text: sentence, tone: "warning" as const }]),
    ...answerBlocks(reported, answers),
    ...repeatBlocks(reported),
    ...groups
      .filter(({ topics: own }) => own.length > 0)
      .flatMap(({ title, topics: own }) => [
        heading(2, title),
        ...own.flatMap((topic) =>
          topicBlocks(reported, topic, curves, topic !== answers[0]?.topic),
        ),
      ]),
    ...(claims ? [heading(2, claims.title), table({ ...claims, title: "" })] : []),
    ...validityBlocks(reported),
    ...indexBlocks(reported),
    ...environmentBlocks(reported),
  ];
}

/** The first table, and one chart. */
function answerBlocks(reported: Reported, answers: Answer[]): Block[] {
  const { comparisons: file, results } = reported;
  if (answers.length === 0) {
    const [reason] = uncountedOf(reported);
    const why = reason
      ? ` (${reason.ids.length} of ${counted(results.cells.length, "attempt")}: ${reason.why})`
      : "";
    return [{ kind: "text", text: `No valid measurement${why}.`, tone: "warning" }];
  }
  const first = answers
    .filter((one) => one.topic === answers[0].topic)
    .map(({ comparison }) => comparison);
  const { topic } = answers[0];
  const chart = barsOf(within(file, topic.all), topic.question.title, first);
  const warned = answers.map(({ comparison }) => ({
    ...comparison,
    flags: comparison.flags.filter(({ code }) => ON_TOP.includes(code as FlagCode)),
  }));
  return [
    table(answerTable(file, answers)),
    ...flagBlocks(file, warned),
    { kind: "text", text: READING, tone: "note" },
    ...chart,
  ];
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
    answers.map(({ comparison, title, where }) => {
      // Of a ratio to another setting there is one alone, as a rule.
      const isOne = comparison.beside && answers.filter((one) => one.title === title).length === 1;
      return named
        ? { comparison, title: where }
        : { comparison, title, where: isOne ? "" : where };
    }),
    { short: true, title: named ? answers[0].title : "" },
  );
}

function topicBlocks(reported: Reported, topic: Topic, curves: Curves, hasBars: boolean): Block[] {
  const { question, top } = topic;
  const file = within(reported.comparisons, topic.all);
  if (question.group === "noise")
    return [
      heading(3, question.title),
      table(noiseTable(topic.all, (one) => columnTitle(one, file))),
    ];
  const shown = mainOf(topic);
  return [
    heading(3, question.title),
    ...topicNotes(reported, question.id),
    ...(hasBars && question.charts?.includes("bars") ? barsOf(file, question.title, top) : []),
    ...settingTables(file, shown, question),
    ...flagBlocks(file, shown),
    ...details("More figures", moreBlocks(file, topic, shown)),
    ...details("Curves", curveCharts(reported, topic, curves)),
  ];
}

/** What was done, or promised. */
function topicNotes({ comparisons, results: { plan } }: Reported, id: string): Block[] {
  if (id === "lost" && plan.events) {
    const items = Object.entries(plan.events).map(([event, what]) => ({
      label: event,
      text: what,
    }));
    return [{ kind: "list", items }];
  }
  if (id !== "capacity" || !plan.promise) return [];
  const { sloMs, failedPercent, sentPercent } = plan.promise;
  const text = `Promise: p99 ≤ ${number(sloMs)} ms, at most ${number(failedPercent)} % failed, at least ${number(sentPercent)} % sent.`;
  const isRanked = comparisons.comparisons.some(
    ({ question, figures }) => question === id && figures.some(({ rank }) => rank !== null),
  );
  const ranks =
    " Ranked by the rate that half of all probes keep: who shares a rank has intervals that meet, or are less than 5 % apart.";
  return [{ kind: "text", text: isRanked ? text + ranks : text }];
}

/** Settings beside each other; of a single one its measures. */
function mainOf({ top, all }: Topic): Comparison[] {
  return top.length > 1 ? top : all.filter((one) => placeOf(one) === placeOf(top[0]));
}

/** One table, or where it is too wide one a scheme and scenario. */
function settingTables(
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
export function flagBlocks(file: Comparisons, comparisons: Comparison[]): Block[] {
  const title = (name: string) => titleOfProxy(file, name);
  const told = comparisons.flatMap((one) =>
    one.flags.map((flag) => ({ one, flag, text: flagText(flag, title) })),
  );
  const places = new Set(comparisons.map((one) => columnTitle(one, file)));
  const byCode = Map.groupBy(told, ({ flag }) => flag.code);
  const items = [...byCode.values()].flatMap((same) =>
    [...Map.groupBy(same, ({ text }) => text)].map(([text, own]) => {
      const where = [...new Set(own.map(({ one }) => columnTitle(one, file)))];
      return {
        label: own[0].flag.severity,
        text: where.length < places.size ? `${text} (${list(where)})` : text,
      };
    }),
  );
  return items.length > 0 ? [{ kind: "list", items }] : [];
}
