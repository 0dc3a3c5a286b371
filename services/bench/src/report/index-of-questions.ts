/** Every question of pages.yaml with its answers over all battles; and published/README.md. */
import type { Pages, PageQuestion } from "./pages.ts";
import type { Figure } from "../model/comparison.ts";
import { LEAST_RUNS } from "../analyse/pool.ts";
import { settingKey } from "../analyse/settings.ts";
import { loadOf, loopText, lowPowerOf, mostAdded, proxiesIn } from "./text.ts";
import {
  addedText,
  answersTo,
  countsIn,
  endsOf,
  estimateText,
  figureOf,
  leadersOf,
  machinesOf,
  schemeText,
  reportOf,
  runsOf,
  settingsOf,
  spanText,
  titleOf,
  whenOf,
} from "./published.ts";
import type { Answer, PublishedBattle } from "./published.ts";

export interface AnsweredQuestion extends PageQuestion {
  group: string;
  /** One a scheme: the battle that says most. */
  answers: Answer[];
  /** Runs that answer it too. */
  others: PublishedBattle[];
}

export function questionsOf(battles: PublishedBattle[], { groups }: Pages): AnsweredQuestion[] {
  return groups.flatMap(({ title: group, questions }) =>
    questions.map((question) => {
      const schemes = question.from.scheme ? [question.from.scheme] : (["ws", "wss"] as const);
      const all = schemes.map((scheme) => answersTo(battles, { ...question.from, scheme }));
      const answers = pairIn(all) ?? all.flatMap(([first]) => first ?? []);
      const told = answers.map(({ battle }) => battle);
      const others = new Set(all.flat().map(({ battle }) => battle));
      return {
        ...question,
        group,
        answers,
        others: [...others].filter((battle) => !told.includes(battle)),
      };
    }),
  );
}

/** Plain and TLS of one battle and one load; null: no battle has both, and each stands for itself. */
function pairIn([plain, secured = []]: Answer[][]): Answer[] | null {
  const isSame = (a: Answer, b: Answer) =>
    a.battle === b.battle && String(loadsOf(a)) === String(loadsOf(b));
  const pairs = plain.flatMap((one) =>
    secured
      .filter((other) => isSame(one, other))
      .slice(0, 1)
      .map((other) => [one, other]),
  );
  return pairs[0] ?? null;
}

/** Of both schemes the same. */
function loadsOf({ battle, comparison }: Answer): string[] {
  return settingsOf(battle, comparison).map((setting) => settingKey({ ...setting, scheme: "ws" }));
}

/** Proxies with a figure, without variants of them. */
export function originalsIn({ battle, comparison }: Answer): string[] {
  const { proxies } = battle.comparisons;
  const names = proxiesIn(comparison).map(({ proxy }) => proxy);
  const isVariant = (proxy: string) =>
    names.includes(proxies.find(({ name }) => name === proxy)?.variantOf ?? "");
  return names.filter((proxy) => !isVariant(proxy));
}

/** Names of one rank in a cell; those that are not named are counted. */
const MOST_NAMES = 3;

/**
 * `**HAProxy, nginx** and 5 more, 330–399 µs, tied within 1.59×`
 *
 * @param common proxies, which are named before others
 */
export function bestText(answer: Answer, common: string[]): string {
  const originals = originalsIn(answer);
  const leaders = leadersOf(answer, originals);
  const amount = amountOf(answer, leaders.length > 0 ? leaders : originals);
  const missed = lowPowerOf(answer.comparison);
  const tied = missed && leaders.length > 1 ? `tied within ${missed}` : "";
  if (leaders.length === originals.length && originals.length > 1)
    return answer.comparison.figures.some(({ extra }) => extra.grows !== undefined)
      ? "none grows"
      : ["no measurable difference", amount, tied].filter(Boolean).join(", ");
  if (leaders.length === 0)
    return answer.comparison.measure.unit === "times" ? amount : `not ranked, ${amount}`;
  const usual = common.filter((proxy) => leaders.includes(proxy));
  const names = [...new Set([...usual, ...leaders])].map((proxy) => titleOf(answer, proxy));
  const rest = names.length - MOST_NAMES;
  const bold = `**${names.slice(0, MOST_NAMES).join(", ")}**${rest > 0 ? ` and ${rest} more` : ""}`;
  return [bold, amount, tied].filter(Boolean).join(", ");
}

/** From the smallest to the largest of some proxies: `330–399 µs`; `adds 0.5 ms to ≤ 1.1 ms`. */
function amountOf(answer: Answer, proxies: string[]): string {
  const { measure } = answer.comparison;
  const figures = proxies.flatMap((proxy) => figureOf(answer, proxy) ?? []);
  const isAdded = figures.some(({ extra }) => extra.added);
  if (!isAdded && figures.every(({ estimate }) => estimate?.basis !== "exact")) {
    const ends = figures.flatMap(endsOf);
    return spanText(Math.min(...ends), Math.max(...ends), measure);
  }
  const sorted = figures.toSorted((a, b) => shownOf(a) - shownOf(b));
  const texts = sorted.map((figure) =>
    isAdded ? addedText(answer, figure) : estimateText(figure, measure),
  );
  const ends = new Set([texts[0], texts[texts.length - 1]]);
  return `${isAdded ? "adds " : ""}${[...ends].join(" to ")}`;
}

/** What its text says: of what a proxy adds the upper end, where it may be nothing. */
function shownOf({ estimate, extra: { added } }: Figure): number {
  return added ? (mostAdded(added) ?? added.value) : (estimate?.value ?? 0);
}

/** `10,000 connections, 100 at a time` */
export function loadText(answer: Answer): string {
  const { battle, comparison } = answer;
  const settings = settingsOf(battle, comparison);
  const [{ workload }] = settings;
  const isCounted = settings.some(({ workload: { connections } }) => connections);
  const { connectionsPerSecond, messagesPerSecond, holdsConnections, loop } = workload;
  const parts = [
    isCounted && `${countsIn(answer)} connections${holdsConnections ? " held" : ""}`,
    loop === "open" &&
      !holdsConnections &&
      comparison.question !== "capacity" &&
      `${connectionsPerSecond?.toLocaleString("en")} new connections/s`,
    comparison.question !== "capacity" &&
      messagesPerSecond &&
      `${messagesPerSecond.toLocaleString("en")} messages/s`,
  ];
  return [...parts, loadOf(comparison)].filter(Boolean).join(", ");
}

/** @param common proxies, which are named before others */
export function publishedReadme(
  battles: PublishedBattle[],
  questions: AnsweredQuestion[],
  common: string[],
): string {
  const runs = runsOf(battles);
  const isBuilt = runs.every(({ built }) => built);
  const notes = [...new Set(questions.flatMap(({ notes = [] }) => notes))];
  const told = new Set(questions.flatMap(({ answers }) => answers.map(({ battle }) => battle)));
  const unanswered = questions.filter(({ answers }) => answers.length === 0);
  return [
    "<!-- Made by npm run generate in services/bench, from pages.yaml and the comparisons of each run. -->",
    "",
    "# Published runs",
    "",
    `${runs.length} runs of ${battles.length} battles on ${machinesOf(battles)}${isBuilt ? ", built from Debian, npm, Go and Python packages, not official images" : ""}.`,
    `A row rests on one run, or on ${LEAST_RUNS} and more with the same versions.`,
    "Of several battles: ranked, set rate, most runs, most proxies, newest. A closed loop fills the machine.",
    "**Bold**: best, or no measurable difference from the best; tied within 1.3×: a smaller difference would not show.",
    "Reports have intervals and flags, `raw.tar.zst` every raw sample.",
    "",
    "[Findings](FINDINGS.md) · [Claims of others](CLAIMS.md) · [Charts, with a choice of proxies](index.html) (from a clone, or `./bench site`)",
    ...[...Map.groupBy(questions, ({ group }) => group)].flatMap(([group, own]) => [
      "",
      `## ${group}`,
      "",
      "| Question | Best | Proxies | Date | Report |",
      "|---|---|--:|---|---|",
      ...own.flatMap((question) => rowsOf(question, { notes, common })),
    ]),
    "",
    ...notes.map((note, i) => `${mark(i)} ${note}${i < notes.length - 1 ? "<br>" : ""}`),
    "",
    ...(unanswered.length > 0
      ? [`Not measured: ${unanswered.map(({ title }) => title).join("; ")}.`, ""]
      : []),
    "## Other battles",
    "",
    "| Battle | What it was | Proxies | Date |",
    "|---|---|--:|---|",
    ...battles
      .filter((battle) => !told.has(battle))
      .map((battle) => {
        const { title, proxies } = battle.comparisons;
        return `| ${reportLink(battle)} | ${title} | ${proxies.length - 1} | ${unbroken(whenOf(battle))} |`;
      }),
    "",
  ].join("\n");
}

function reportLink(battle: PublishedBattle): string {
  return `[${battle.name}](${reportOf(battle)})`;
}

/** With hyphens at which no line breaks. */
function unbroken(text: string): string {
  return text.replaceAll("-", "\u2011");
}

/** Of a footnote. */
function mark(i: number): string {
  return String(i + 1).replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]);
}

/** A row for each battle, in which plain and TLS have a line each. */
function rowsOf(
  { title, notes: own = [], answers }: AnsweredQuestion,
  { notes, common }: { notes: string[]; common: string[] },
): string[] {
  const marks = own.map((note) => mark(notes.indexOf(note))).join(" ");
  return [...Map.groupBy(answers, ({ battle }) => battle)].map(([battle, ofBattle]) => {
    const conditions = new Set(ofBattle.map(conditionText).filter((text) => !title.includes(text)));
    const lines = ofBattle.map((answer) => {
      const scheme = schemeText(answer);
      return `${title.includes(scheme) ? "" : `${scheme}: `}${bestText(answer, common)}`;
    });
    const counts = new Set(ofBattle.map((answer) => originalsIn(answer).length));
    const cells = [
      `${[title, ...conditions].join(", ")}${marks && ` ${marks}`}`,
      lines.join("<br>"),
      [...counts].join("–"),
      unbroken(whenOf(battle)),
      reportLink(battle),
    ];
    return `| ${cells.join(" | ")} |`;
  });
}

/** `closed loop`; of slopes the numbers of connections. */
function conditionText(answer: Answer): string {
  const { figures, load } = answer.comparison;
  if (figures.some(({ extra }) => extra.upTo)) return `${countsIn(answer)} connections`;
  return load ? loopText(load) : "";
}
