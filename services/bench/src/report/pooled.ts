/** The report over several runs of a battle, as Markdown: each run's own report has the rest. */
import { basename } from "node:path";
import type { Comparison, Figure } from "../model/comparison.ts";
import { counted } from "../numbers.ts";
import { heading, note, table } from "./block.ts";
import { headlineOf } from "./headline.ts";
import { markdownOf } from "./markdown.ts";
import { machineOf } from "./published.ts";
import type { PublishedBattle, PublishedRun } from "./published.ts";
import { answerTable, mainOf, settingTables } from "./report.ts";
import type { Table } from "./table.ts";
import { titleOfProxy } from "./text.ts";
import { answersOf, columnTitle, topicsOf, within } from "./topics.ts";
import type { Topic } from "./topics.ts";

/** @param battle of several runs */
export function pooledReport(battle: PublishedBattle): string {
  const { comparisons: file, runs, earlier } = battle;
  const topics = topicsOf(file).filter(({ question }) => question.group !== "noise");
  const answers = answersOf(file, topics);
  const [{ topic: first }] = answers;
  const opening = markdownOf([
    heading(1, first.question.asks ?? file.title),
    note(`${file.title}, ${counted(runs.length, "run")}`),
    {
      kind: "text",
      text: headlineOf(
        file,
        answers.filter(({ topic }) => topic === first),
      ),
      tone: "lead",
    },
    table(answerTable(file, answers)),
    note(
      "A run counts as one value: figures are geometric means over the runs, and brackets hold Student's 95 % interval over them, so both what differs within a run and what differs between runs is in it. What a proxy adds weighs each run by its own interval. Machines differ in their µs; ranks rest on the ratios within each run. Figures of events, searches and shares have the lowest and highest of all runs; what was counted in events is the median run's.",
    ),
    heading(2, "Runs"),
  ]);
  const tables = topics.flatMap((topic) => {
    const own = within(file, topic.all);
    const shown = mainOf(topic);
    return [
      heading(2, topic.question.title),
      ...settingTables(own, shown, topic.question),
      ...spreadTables(battle, topic, shown),
    ];
  });
  const earlierOnes =
    earlier.length > 0 ? ["", "Earlier, with other versions or another method:", ""] : [];
  return [
    opening,
    ...runs.map(runLine),
    ...earlierOnes,
    ...earlier.map(runLine),
    "",
    markdownOf(tables),
  ].join("\n");
}

function runLine(run: PublishedRun): string {
  const at = basename(run.folder);
  return `- [${at}](${at}/report.md), ${counted(run.comparisons.rounds, "round")}, ${machineOf(run)}`;
}

/** How far the runs lie apart; none: nothing of the topic is pooled, or is above 0 in each. */
function spreadTables({ comparisons: file }: PublishedBattle, topic: Topic, shown: Comparison[]) {
  const pooled = shown.filter(({ figures }) => figures.some(hasSpread));
  if (pooled.length === 0) return [];
  const own = within(file, topic.all);
  const told = pooled.flatMap(({ figures }) => figures.filter(hasSpread));
  const proxies = new Set(told.map(({ proxy }) => proxy));
  const spread: Table = {
    title: "How far the runs differ",
    note: "Standard deviation between runs, and in brackets what the rounds alone would make of it.",
    head: [{ title: "Proxy" }, ...pooled.map((one) => ({ title: columnTitle(one, own) }))],
    rows: [...proxies].map((proxy) => [
      { text: titleOfProxy(file, proxy), proxy },
      ...pooled.map(({ figures }) => ({
        text: spreadText(figures.find((figure) => figure.proxy === proxy)),
      })),
    ]),
  };
  return [table(spread)];
}

function hasSpread({ extra }: Figure): boolean {
  return (extra.runs?.betweenPercent ?? null) !== null;
}

/** `2.1 % (0.8 %)` */
function spreadText(figure: Figure | undefined): string {
  const { betweenPercent = null, withinPercent = null } = figure?.extra.runs ?? {};
  if (betweenPercent === null) return "–";
  const within = withinPercent === null ? "" : ` (${withinPercent.toFixed(1)} %)`;
  return `${betweenPercent.toFixed(1)} %${within}`;
}
