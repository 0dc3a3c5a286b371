/**
 * The answer to a report's first question in one sentence, made of typed values by tables: true of
 * any run, also where nothing is ranked.
 */
import type {
  Comparison,
  Comparisons,
  Estimate,
  Figure,
  MeasureKind,
} from "../model/comparison.ts";
import { CONFIDENCE } from "../analyse/settings.ts";
import { times } from "../numbers.ts";
import { schemeName } from "../plan/workload.ts";
import { addedText, amountOf, capital, isSpan, list, proxiesIn, titleOfProxy } from "./text.ts";
import type { Answer, Ranked } from "./topics.ts";
import { inSentence, rankedOf, tyingText } from "./topics.ts";

interface Verbs {
  /** One, and several of a tie. */
  best: [string, string];
  last: (ratio: string) => string;
}

const VERBS: Record<MeasureKind, Verbs> = {
  cpu: { best: ["uses least CPU", "tie for least CPU"], last: (of) => `uses ${of} as much` },
  memory: {
    best: ["uses least memory", "tie for least memory"],
    last: (of) => `uses ${of} as much`,
  },
  time: { best: ["is fastest", "tie for fastest"], last: (of) => `takes ${of} as long` },
  rate: { best: ["reaches most", "tie for most"], last: (of) => `reaches ${of} of that` },
  count: { best: ["has fewest", "tie for fewest"], last: (of) => `has ${of} as many` },
  share: { best: ["has least", "tie for least"], last: (of) => `has ${of} as much` },
};

/** @param answers to the first question */
export function headlineOf(file: Comparisons, answers: Answer[]): string {
  const [{ topic, comparison }] = answers;
  if (topic.question.group === "noise") return noiseText(topic.all);
  if (topic.question.id === "lost")
    return eventsText(
      file,
      answers.map(({ comparison: one }) => one),
    );
  // What else a setting is, table and chart say.
  const isOfSchemes = new Set(answers.map((one) => one.comparison.scheme)).size === answers.length;
  const places = answers.map(({ comparison: one, where }) => {
    const name = isOfSchemes ? schemeName(file.settings[one.settings[0]]) : where;
    return { one, where: answers.length > 1 ? name : "" };
  });
  if (topic.question.id === "releases") return releasesText(file, places);
  const ranked = places.flatMap(({ one, where }) => rankedOf(one, where) ?? []);
  const most = comparison.figures.some(isRange) ? 1 : MOST_PLACES;
  const clauses =
    ranked.length > 0
      ? rankedClauses(file, comparison, ranked)
      : places.slice(0, most).map(({ one, where }) => measuredText(file, one) + within(where));
  return `${clauses.join("; ")}.`;
}

/** More are in the table. */
const MOST_PLACES = 2;

function isRange({ estimate }: Figure): boolean {
  return estimate !== null && isSpan(estimate);
}

function within(where: string): string {
  return where ? ` (${where})` : "";
}

const MOST_TIED = 3;

/** Who is best, each group of places once; then who is last in the first place. */
function rankedClauses(file: Comparisons, { measure }: Comparison, ranked: Ranked[]): string[] {
  const { best: verbs, last: lastVerb } = VERBS[measure.kind];
  const names = ({ best }: Ranked) =>
    tyingText(
      file,
      best.map(({ proxy }) => proxy),
      MOST_TIED,
    );
  const leading = [...Map.groupBy(ranked, names)].map(([named, same]) => {
    const verb = verbs[same[0].best.length === 1 ? 0 : 1];
    return `${named} ${verb}${within(list(same.flatMap(({ where }) => where || [])))}`;
  });
  const [{ last, where }] = ranked;
  if (!last?.toBest) return leading;
  const { added } = last.extra;
  const what = added
    ? `adds ${addedText(added, measure)}`
    : lastVerb(`${times(last.toBest.value)}×`);
  return [...leading, `${inSentence(titleOfProxy(file, last.proxy))} ${what}${within(where)}`];
}

const FEW = 2;

/** What nobody is ranked by: ranges as they are, otherwise the ends of what was measured. */
function measuredText(file: Comparisons, comparison: Comparison): string {
  const { measure } = comparison;
  const sign = measure.better === "lower" ? 1 : -1;
  const known = proxiesIn(comparison).sort(
    (a, b) => sign * ((a.estimate?.value ?? 0) - (b.estimate?.value ?? 0)),
  );
  const title = ({ proxy }: Figure) => inSentence(titleOfProxy(file, proxy));
  const text = ({ estimate }: Figure) => (estimate ? amountOf(estimate, measure) : "");
  const grown = known.filter(({ extra: { grows } }) => grows);
  if (known.some(({ extra: { grows } }) => grows !== undefined && grows !== null))
    return grown.length > 0
      ? `${measure.title}: ${grown.map((one) => `${title(one)} ${text(one)}`).join(", ")}`
      : `No growth seen on ${list(known.map(title))}`;
  const isShown = known.length <= FEW || known.some(isRange);
  if (known.length > 1 && new Set(known.map(text)).size === 1)
    return `${text(known[0])} on every proxy`;
  const shown = isShown ? known : [known[0], known[known.length - 1]];
  const texts = shown.map((one) => `${title(one)} ${text(one)}`);
  const unit = measure.kind === "rate" ? ` ${measure.title.toLowerCase()}` : "";
  return texts.join(isShown ? ", " : " to ") + unit;
}

/** What became of connections. */
function fateOf({ estimate }: Figure): "none" | "some" | "all" {
  const { value = null, low = null, high = null } = estimate ?? {};
  const isAlways = (all: number) => [value, low ?? all, high ?? all].every((one) => one === all);
  if (isAlways(0)) return "none";
  return isAlways(100) ? "all" : "some";
}

const NONE_LOSES = "no proxy loses connections";
const EVERY_LOSES_ALL = "every proxy measured loses all";

/** Of a single event who loses how much; of several in which proxies differ. */
function eventsText(file: Comparisons, comparisons: Comparison[]): string {
  const first = comparisons.filter(({ question }) => question === comparisons[0].question);
  if (first.length === 1) return `${fatesText(file, first[0])}.`;
  const named = (own: Comparison[]) => list(own.map(({ event }) => event ?? ""));
  const groups = Map.groupBy(first, (one) => {
    const fates = new Set(proxiesIn(one).map(fateOf));
    if (fates.has("some")) return measuredText(file, one);
    if (fates.size > 1) return fatesText(file, one);
    return fates.has("all") ? EVERY_LOSES_ALL : NONE_LOSES;
  });
  const alike = [EVERY_LOSES_ALL, NONE_LOSES];
  const parts = [...groups]
    .sort(([a], [b]) => alike.indexOf(b) - alike.indexOf(a))
    .map(([text, own]) =>
      alike.includes(text) ? `${text} at ${named(own)}` : `${named(own)}: ${text}`,
    );
  return `${capital(parts.join("; "))}.`;
}

function fatesText(file: Comparisons, comparison: Comparison): string {
  const told = (one: Figure) =>
    ({
      none: "no connection",
      all: "all",
      some: amountOf(one.estimate as Estimate, comparison.measure),
    })[fateOf(one)];
  const groups = [...Map.groupBy(proxiesIn(comparison), told)].sort(
    ([, [a]], [, [b]]) => (a.estimate?.value ?? 0) - (b.estimate?.value ?? 0),
  );
  const parts = groups.map(([text, own]) => {
    const names = list(own.map(({ proxy }) => inSentence(titleOfProxy(file, proxy))));
    return `${names} ${own.length > 1 ? "lose" : "loses"} ${text}`;
  });
  return parts.join("; ");
}

/** Releases whose interval leaves out 1, the largest change first, and how many would by chance. */
function releasesText(file: Comparisons, places: { one: Comparison; where: string }[]): string {
  const told = places.flatMap(({ one, where }) =>
    one.figures.flatMap(({ proxy, estimate, extra: { before } }) => {
      if (!before || !estimate) return [];
      const { value, low, high } = estimate;
      if (low === null || high === null) return [];
      const [title, other] = [proxy, before].map((name) => titleOfProxy(file, name));
      const text = `${inSentence(title)} uses ${times(value)}× the ${one.measure.title} of ${other}${within(where)}`;
      return [{ text, size: Math.abs(Math.log(value)), differs: low > 1 || high < 1 }];
    }),
  );
  const changed = told.filter(({ differs }) => differs).sort((a, b) => b.size - a.size);
  if (changed.length === 0) return "No release differs from the one before by more than the noise.";
  const byChance = Math.round((1 - CONFIDENCE) * told.length);
  const texts = changed.map(({ text }) => text).join("; ");
  return `${texts}. Of ${told.length} comparisons, about ${byChance} would differ by chance.`;
}

function noiseText(comparisons: Comparison[]): string {
  const outcomes = comparisons.flatMap(({ figures }) =>
    figures.flatMap(({ extra }) => extra.outcome ?? []),
  );
  const apart = outcomes.filter((outcome) => outcome === "differs").length;
  return `${apart} of ${outcomes.length} comparisons of equals show a difference.`;
}
