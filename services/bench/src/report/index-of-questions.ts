/** Every question of pages.yaml with its answers over all runs; and published/README.md. */
import type { Pages, PageQuestion } from "./pages.ts";
import type { Estimate } from "../model/comparison.ts";
import { settingKey } from "../analyse/settings.ts";
import { loadOf, lowPowerOf } from "./text.ts";
import {
  addedText,
  amountText,
  answersTo,
  countsIn,
  dayOf,
  estimateText,
  figureOf,
  leadersOf,
  proxiesIn,
  schemeText,
  settingsOf,
  titleOf,
} from "./published.ts";
import type { Answer, PublishedRun } from "./published.ts";

export interface AnsweredQuestion extends PageQuestion {
  group: string;
  /** One a scheme: the run that says most. */
  answers: Answer[];
  /** Runs that answer it too. */
  others: PublishedRun[];
}

export function questionsOf(runs: PublishedRun[], { groups }: Pages): AnsweredQuestion[] {
  return groups.flatMap(({ title: group, questions }) =>
    questions.map((question) => {
      const all = (["ws", "wss"] as const).map((scheme) =>
        answersTo(runs, { ...question.from, scheme }),
      );
      const answers = pairIn(all) ?? all.flatMap(([first]) => first ?? []);
      const told = answers.map(({ run }) => run);
      const others = new Set(all.flat().map(({ run }) => run));
      return {
        ...question,
        group,
        answers,
        others: [...others].filter((run) => !told.includes(run)),
      };
    }),
  );
}

/** Plain and TLS of one run and one load; null: no run has both, and each stands for itself. */
function pairIn([plain, secured]: Answer[][]): Answer[] | null {
  const isSame = (a: Answer, b: Answer) =>
    a.run === b.run && String(loadsOf(a)) === String(loadsOf(b));
  const pairs = plain.flatMap((one) =>
    secured
      .filter((other) => isSame(one, other))
      .slice(0, 1)
      .map((other) => [one, other]),
  );
  return pairs[0] ?? null;
}

/** Of both schemes the same. */
function loadsOf({ run, comparison }: Answer): string[] {
  return settingsOf(run, comparison).map((setting) => settingKey({ ...setting, scheme: "ws" }));
}

/** Proxies that are no variant of another. */
export function originalsIn({ run, comparison }: Answer): string[] {
  const variants = run.comparisons.proxies.filter(({ variantOf }) => variantOf);
  return proxiesIn(comparison)
    .map(({ proxy }) => proxy)
    .filter((proxy) => !variants.some(({ name }) => name === proxy));
}

/** `nginx, HAProxy: 34.3 kB` */
export function bestText(answer: Answer): string {
  const originals = originalsIn(answer);
  const leaders = leadersOf(answer, originals);
  const { measure, figures } = answer.comparison;
  const amount = (proxy: string) => {
    const figure = figureOf(answer, proxy);
    return figure?.extra.added
      ? `adds ${addedText(answer, figure)}`
      : figure
        ? estimateText(figure, measure)
        : "";
  };
  const missed = lowPowerOf(answer.comparison);
  const power = missed && leaders.length > 1 ? `; may miss differences below ${missed}` : "";
  if (leaders.length === originals.length && originals.length > 1)
    return figures.some(({ extra }) => extra.grows !== undefined)
      ? "none grows"
      : `no difference seen: ${spanText(originals.map(amount))}${power}`;
  if (leaders.length > 0)
    return `**${leaders.map((proxy) => titleOf(answer, proxy)).join(", ")}**: ${spanText(leaders.map(amount))}${power}`;
  return measure.unit === "times"
    ? spanText(originals.map(amount))
    : `not ranked: ${spanText(originals.flatMap((proxy) => endsOf(figureOf(answer, proxy)?.estimate)).map((end) => amountText(end, measure)))}`;
}

/** Of a bracket its ends, of all others the value. */
function endsOf(estimate: Estimate | null | undefined): number[] {
  if (!estimate) return [];
  const { value, low, high, basis } = estimate;
  return basis === "bracket" ? [low, high].flatMap((end) => end ?? []) : [value];
}

/** From the smallest to the largest, which stand as texts: `0.86–0.98×`. */
function spanText(texts: string[]): string {
  const sorted = [...new Set(texts)].toSorted((a, b) => valueOf(a) - valueOf(b));
  return sorted.length > 1 ? `${sorted[0]} to ${sorted.at(-1)?.replace(/^adds /, "")}` : sorted[0];
}

function valueOf(text: string): number {
  const factor = / MB$/.test(text) ? 1e3 : 1;
  return parseFloat(text.replace(/^adds (≤ )?/, "").replaceAll(",", "")) * factor;
}

/** `10,000 connections, 100 at a time` */
export function loadText(answer: Answer): string {
  const { run, comparison } = answer;
  const settings = settingsOf(run, comparison);
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

export function publishedReadme(runs: PublishedRun[], questions: AnsweredQuestion[]): string {
  const machines = [...new Set(runs.map(({ machine }) => machine))].join("; ");
  const isBuilt = runs.every(({ built }) => built);
  const unanswered = questions.filter(({ answers }) => answers.length === 0);
  return [
    "<!-- Made by npm run generate in services/bench, from pages.yaml and the comparisons of each run. -->",
    "",
    "# Published runs",
    "",
    `${runs.length} runs on ${machines}${isBuilt ? ", with builds from Debian, npm, Go and Python packages instead of the official images" : ""}.`,
    "Each row is answered by one run: ranked, at a set rate, of most proxies, newest. Rows of plain and TLS are of one run",
    "and one load where a run has both.",
    "**Bold** leads, or cannot be told from who leads. Reports have all settings, intervals and flags;",
    "`raw.tar.zst` beside each has every raw sample.",
    "",
    "[Findings](FINDINGS.md) · [Claims of others](CLAIMS.md) · `index.html`, opened from a clone: the same with charts and a choice of proxies",
    ...[...Map.groupBy(questions, ({ group }) => group)].flatMap(([group, own]) => {
      const notes = [...new Set(own.flatMap(({ note }) => note ?? []))];
      return [
        "",
        `## ${group}`,
        "",
        "| Question | Best | Proxies | Date | Report |",
        "|---|---|--:|---|---|",
        ...own.flatMap((one) => one.answers.map((answer) => rowText(one, answer, notes))),
        ...(notes.length > 0
          ? ["", notes.map((note, i) => `${MARKS[i]} ${note}`).join("<br>\n")]
          : []),
      ];
    }),
    "",
    ...(unanswered.length > 0
      ? [`Not measured: ${unanswered.map(({ title }) => title).join("; ")}.`, ""]
      : []),
    "## All runs",
    "",
    "| Run | What it was | Date | Proxies | Rounds |",
    "|---|---|---|--:|--:|",
    ...runs.map((run) => {
      const { title, proxies, rounds } = run.comparisons;
      return `| [${run.name}](${run.name}/report.md) | ${title} | ${unbroken(dayOf(run))} | ${proxies.length - 1} | ${rounds} |`;
    }),
    "",
  ].join("\n");
}

/** With hyphens at which no line breaks. */
function unbroken(text: string): string {
  return text.replaceAll("-", "\u2011");
}

const MARKS = ["¹", "²", "³", "⁴", "⁵"];

function rowText({ title, note }: AnsweredQuestion, answer: Answer, notes: string[]): string {
  const { run } = answer;
  const scheme = schemeText(answer);
  const isSlope = answer.comparison.figures.some(({ extra }) => extra.upTo);
  const load = isSlope ? `${countsIn(answer)} connections` : loadOf(answer.comparison);
  const cells = [
    `${title}${title.includes(scheme) ? "" : `, ${scheme}`}${load && ` (${load})`}${note ? ` ${MARKS[notes.indexOf(note)]}` : ""}`,
    bestText(answer),
    originalsIn(answer).length,
    unbroken(dayOf(run)),
    `[${run.name}](${run.name}/report.md)`,
  ];
  return `| ${cells.join(" | ")} |`;
}
