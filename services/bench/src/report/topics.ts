/**
 * The comparisons of a run by topic, in the order of the table of questions; and the few that
 * answer it at a glance.
 */
import type { ExtraColumn, Question } from "../analyse/questions.ts";
import { QUESTIONS } from "../analyse/questions.ts";
import type { Comparison, Comparisons, Figure, Setting } from "../model/comparison.ts";
import { times } from "../numbers.ts";
import { NOTHING } from "../plan/events.ts";
import { connectionsInAll } from "../plan/workload.ts";
import {
  addedText,
  isBest,
  list,
  loopText,
  lowPowerOf,
  settingTitle,
  titleOfProxy,
} from "./text.ts";

export interface Topic {
  question: Question;
  /** Of its ranking measure: pooled ones, and those that are part of no pool. */
  top: Comparison[];
  /** All of its measures and settings, each with what is to be said beside it. */
  all: Comparison[];
}

/** @returns those with a figure, in the order of the table */
export function topicsOf({ comparisons }: Comparisons): Topic[] {
  const measured = withoutRates(comparisons).filter(({ figures }) =>
    figures.some(({ estimate, extra }) => estimate || extra.outcome),
  );
  const topics = Map.groupBy(QUESTIONS, ({ id, topic }) => topic ?? id);
  return [...topics.values()].flatMap((questions) => {
    const all = questions.flatMap(({ id }) => measured.filter(({ question }) => question === id));
    if (all.length === 0) return [];
    const question = questions.find(({ id }) => id === all[0].question) ?? questions[0];
    const own = all.filter((one) => one.question === question.id);
    // Of each setting the measure that it is ranked by.
    const primary = [...Map.groupBy(own, placeOf).values()].map(
      (same) => same.find(({ measure }) => measure.key === question.rankBy) ?? same[0],
    );
    return [
      { question, top: primary.filter((one) => !primary.some((pool) => isPart(one, pool))), all },
    ];
  });
}

/** What all measures of one table have in common. */
export function placeOf({ settings, beside, event }: Comparison): string {
  return JSON.stringify([settings, beside, event]);
}

/** With the settings of these alone, from which each is told apart. */
export function within(file: Comparisons, comparisons: Comparison[]): Comparisons {
  const keys = new Set(comparisons.flatMap(({ settings }) => settings));
  const settings = Object.entries(file.settings).filter(([key]) => keys.has(key));
  return { ...file, settings: Object.fromEntries(settings) };
}

/**
 * Where a comparison has latencies at a rate over all rounds, those of single cells add nothing.
 */
function withoutRates(comparisons: Comparison[]): Comparison[] {
  const told = (id: string) =>
    new Set(
      comparisons.filter(({ question }) => question === id).flatMap(({ settings }) => settings),
    );
  const [handshake, echo] = [told("handshake-at-rate"), told("echo-at-rate")];
  return comparisons.filter(
    ({ question, settings }) =>
      !(question.startsWith("handshake_ms_") && settings.every((key) => handshake.has(key))) &&
      !(question.startsWith("echo_latency_ms_") && settings.every((key) => echo.has(key))),
  );
}

function isPart(one: Comparison, pool: Comparison): boolean {
  return (
    one.question === pool.question &&
    one.event === pool.event &&
    one.settings.length < pool.settings.length &&
    one.settings.every((key) => pool.settings.includes(key))
  );
}

/** What a column of figures is of: the event, or the setting. */
export function columnTitle(
  one: Comparison,
  named: Pick<Comparisons, "settings" | "proxies">,
): string {
  const where = settingTitle(one.settings, named.settings);
  if (one.event === null) return where;
  const several = Object.keys(named.settings).length > 1;
  return [eventText(one, named), several && where].filter(Boolean).join(", ");
}

/** What was done; of two copies of one thing, which ones. */
function eventText(
  { event, figures: [first] }: Comparison,
  named: Pick<Comparisons, "settings" | "proxies">,
): string {
  const other = event?.startsWith(`${first.proxy}-`) ? event.slice(first.proxy.length + 1) : null;
  const known = named.proxies.some(({ name }) => name === other);
  if (other === null || !known) return event ?? "";
  return `${titleOfProxy(named, first.proxy)} against ${titleOfProxy(named, other)}`;
}

const MOST_ANSWERS = 7;

export interface Answer {
  topic: Topic;
  comparison: Comparison;
  title: string;
  where: string;
  /** What stands beside it in the table. */
  extras?: ExtraColumn[];
}

/**
 * What a run says first: of each question one setting a scheme, the one with most in it. Of few
 * events it says more.
 */
export function answersOf(file: Comparisons, topics = topicsOf(file)): Answer[] {
  const asked = topics
    .filter(({ question }) => question.answer !== undefined)
    .sort((a, b) => (a.question.answer ?? 0) - (b.question.answer ?? 0));
  // A run that asks how large noise is asks nothing else.
  const isOfNoise = asked[0]?.question.group === "noise";
  const events = new Set(asked[0]?.top.map(({ event }) => event).filter((one) => one !== NOTHING));
  const tried = events.has(null) ? Infinity : events.size;
  const isOfOneEvent = tried === 1;
  // Where nobody loses a connection, another question comes first.
  const lead = asked.find(tellsApart) ?? asked[0];
  return (isOfNoise ? asked.slice(0, 1) : asked)
    .filter(({ question: { mostEvents } }) => mostEvents === undefined || mostEvents >= tried)
    .sort((a, b) => Number(b === lead) - Number(a === lead))
    .flatMap((topic) =>
      picked(
        file,
        topic.top.filter(({ event }) => event !== NOTHING),
      ).map((comparison) => ({
        topic,
        comparison,
        title: topic.question.title,
        where: whereOf(comparison, within(file, topic.all), isOfOneEvent),
        ...(isOfOneEvent && !topic.question.mostEvents && { extras: ["causes" as const] }),
      })),
    )
    .slice(0, MOST_ANSWERS);
}

/** Of questions that a report can have as its title. */
function tellsApart({ question, top }: Topic): boolean {
  const values = (figures: Figure[]) => figures.flatMap(({ estimate }) => estimate?.value ?? []);
  return (
    question.asks !== undefined && top.some(({ figures }) => new Set(values(figures)).size > 1)
  );
}

/** The only event is named once, above the table. */
function whereOf(one: Comparison, file: Comparisons, isOfOneEvent: boolean): string {
  if (!isOfOneEvent) return columnTitle(one, file);
  const several = Object.keys(file.settings).length > 1;
  return several ? columnTitle({ ...one, event: null }, file) : "";
}

/**
 * One a scheme, event and measure: that of most settings, figures and connections; of TLS the
 * newest, with the cheapest key.
 */
export function picked({ settings }: Comparisons, comparisons: Comparison[]): Comparison[] {
  const weight = ({ settings: keys, figures }: Comparison) => {
    const of = (value: (setting: Setting) => number) =>
      Math.max(...keys.map((key) => value(settings[key])));
    return [
      // A cost at a set rate is what users see; at the machine's limit it is another.
      Number(keys.every((key) => settings[key].workload.loop === "open")),
      keys.length,
      figures.filter(({ estimate }) => estimate).length,
      of(({ workload }) => workload.tlsVersion ?? 0),
      of(({ workload }) => -(workload.rsaBits ?? 0)),
      of(({ workload }) => -(workload.resumed ?? 0)),
      of(({ workload }) => connectionsInAll(workload)),
    ];
  };
  const groups = Map.groupBy(
    comparisons,
    ({ scheme, event, measure }) => `${scheme} ${event} ${measure.key}`,
  );
  return [...groups.values()].map((group) =>
    group.reduce((best, one) => (isMore(weight(one), weight(best)) ? one : best)),
  );
}

function isMore(a: number[], b: number[]): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at] > b[at];
}

/** How a ratio to the best reads, by kind of measure. */
const VERBS: Record<Comparison["measure"]["kind"], (ratio: string, best: string) => string> = {
  cpu: (ratio, best) => `uses ${ratio} the CPU of ${best}`,
  memory: (ratio, best) => `uses ${ratio} the memory of ${best}`,
  time: (ratio, best) => `takes ${ratio} as long as ${best}`,
  rate: (ratio, best) => `reaches ${ratio} of ${best}`,
  count: (ratio, best) => `has ${ratio} as many as ${best}`,
  share: (ratio, best) => `has ${ratio} the share of ${best}`,
};

export interface Ranked {
  where: string;
  best: Figure[];
  /** `is best`, `tie`. */
  verb: string;
  last: Figure | undefined;
}

/** `, closed loop` */
function loopOf({ load }: Comparison): string {
  return load ? `, ${loopText(load)}` : "";
}

/** Lines made of ranks alone: `CPU per connection: nginx and HAProxy tie (ws and wss).` */
export function summaryOf(file: Comparisons, answers = answersOf(file)): string[] {
  const title = (name: string) => inSentence(titleOfProxy(file, name));
  const tying = (best: Figure[]) =>
    tyingText(
      file,
      best.map(({ proxy }) => proxy),
    );
  const groups = Map.groupBy(
    answers,
    ({ topic, comparison }) => `${topic.question.title}${loopOf(comparison)}`,
  );
  return [...groups].flatMap(([asked, own], _, all) => {
    const loop = loopOf(own[0].comparison);
    const ranked = own.flatMap(({ comparison, where }) => rankedOf(comparison, where) ?? []);
    const ties = Map.groupBy(ranked, ({ best, verb }) => `${tying(best)} ${verb}`);
    const leading = [...ties].map(
      ([told, same]) => `${told} (${list(same.map(({ where }) => where))})`,
    );
    // Where all is of one question, the table above says which.
    const about = all.length > 1 ? `${asked}: ` : "";
    const lines = leading.length > 0 ? [`${about}${leading.join("; ")}.`] : [];
    const worst = Map.groupBy(
      ranked.filter(({ last }) => last),
      ({ last, best }) => JSON.stringify([last?.proxy, best[0].proxy, !last?.extra.added]),
    );
    const verb = VERBS[own[0].comparison.measure.kind];
    const behind = [...worst.values()].map((same) => {
      const [{ last, best }] = same;
      const added = same.flatMap((one) => {
        const estimate = one.last?.extra.added;
        const { measure } = own[0].comparison;
        return estimate ? `${addedText(estimate, measure)} (${one.where})` : [];
      });
      if (last && added.length > 0) return `${title(last.proxy)} adds ${list(added)}.`;
      const [first, ...rest] = same.map(({ where, last: one }) => [
        times(one?.toBest?.value ?? NaN),
        where,
      ]);
      const others = rest.map(([ratio, where]) => `, ${ratio}× (${where})`).join("");
      return `${title(last?.proxy ?? "")} ${verb(`${first[0]}×`, title(best[0].proxy))} (${first[1]})${others}${all.length > 1 ? loop : ""}.`;
    });
    return [...lines, ...behind];
  });
}

const MOST_NAMES = 5;

/** Without variants of what is named anyway. */
export function tyingText(file: Comparisons, names: string[], most = MOST_NAMES): string {
  const { proxies } = file;
  const own = proxies.filter(({ name }) => names.includes(name));
  const told = own.filter(({ variantOf }) => !variantOf || !names.includes(variantOf));
  const titles = told.map(({ name }) => inSentence(titleOfProxy(file, name))).sort();
  const more = titles.length - most;
  return list(more > 0 ? [...titles.slice(0, most), `${more} more`] : titles);
}

/** Where a comma would part it: `nginx (16k buffer)` of `nginx, 16k buffer`. */
export function inSentence(title: string): string {
  const [first, ...rest] = title.split(", ");
  return rest.length > 0 ? `${first} (${rest.join(", ")})` : first;
}

/** @returns null: nobody is ranked */
export function rankedOf(comparison: Comparison, where: string): Ranked | null {
  const { figures } = comparison;
  const best = figures
    .filter((one) => isBest(one, figures))
    .sort((a, b) => Number(b.toBest?.value === 1) - Number(a.toBest?.value === 1));
  if (best.length === 0) return null;
  const distance = ({ toBest }: Figure) => Math.abs(Math.log(toBest?.value ?? 1));
  const last = figures
    .filter(({ rank, toBest }) => rank !== null && rank > 1 && toBest)
    .sort((a, b) => distance(b) - distance(a))[0];
  const missed = lowPowerOf(comparison);
  const tie = missed ? `cannot be told apart below ${missed}` : "tie";
  const verb = best.length === 1 ? "is best" : tie;
  return { where, best, verb, last };
}
