/**
 * Proxies under one measure, from one value a round: in a setting, or in several that differ in
 * the number of connections alone. These are strata: tests and ranks are stratified.
 */
import { median, quantile } from "simple-statistics";
import type { Comparison, Extra, Figure, Setting } from "../model/comparison.ts";
import { flag } from "../model/flag.ts";
import type { Flag } from "../model/flag.ts";
import { CONTROL } from "../plan/proxies.ts";
import { detectableRatio, medianInterval } from "../statistics/index.ts";
import { answersBadly, BAD_ANSWERS_LIMIT_PERCENT, badPercentOf } from "./bad-answers.ts";
import { comparison, estimateOf, figure, toBestOf } from "./figures.ts";
import { summedUp, weakens } from "./flags.ts";
import { measure as measureOf } from "./measures.ts";
import type { Asked, Control } from "./questions.ts";
import { allPairs, ALPHA, ENOUGH_ROUNDS, judgeStrata, LEAST_ROUNDS, rank } from "./ranking.ts";
import type { Judgement } from "./ranking.ts";
import { comparesServers, CONFIDENCE } from "./settings.ts";
import type { Ratio, Run } from "./settings.ts";
import { connectionsIn, Values } from "./strata.ts";

/** The middle half of the rounds may lie so far apart, as a share of their median. */
const SPREAD_LIMIT_PERCENT = 25;

/** Of those that are kept, one of this many is a leak; fewer may be the proxy's own. */
const LEAK_SHARE = 0.01;
const KEPT = ["proxy_sockets_left", "proxy_descriptors_left"];

/** @param pool of which those settings are compared that have the measure */
export function compareRounds(
  run: Run,
  asked: Asked,
  pool: Setting[],
  settings: Setting[] = pool,
): Comparison {
  const measure = measureOf(asked.key);
  const values = new Values(run, measure, settings, pool.length > 1);
  const { plan } = run.results;
  const { contenders } = values;
  const { control } = asked;
  const measured = contenders.filter((name) => values.of(name).length > 0);
  const pairs = allPairs(measured);
  const judgement = judgeStrata(
    pairs,
    (a, b) => values.pairs(a, b),
    (a, b) => values.ratio(a, b),
  );
  const bad = new Map(plan.proxies.map((name) => [name, badPercentOf(values.cells, name)]));
  const isBad = (name: string) => answersBadly(bad.get(name) ?? 0);
  const order = measured.toSorted((a, b) => {
    const difference = values.standing(a) - values.standing(b);
    // An error is quick to give: nothing that it makes better counts before a good answer.
    return (
      Number(isBad(a)) - Number(isBad(b)) || (measure.better === "lower" ? difference : -difference)
    );
  });
  const ranking = order.filter((name) =>
    values.samples(name).some(({ length }) => length >= LEAST_ROUNDS),
  );
  const voided = contenders.filter((name) => values.isVoided(name));
  // Whoever is left is no sample of those that ran: the best of them may be the worst of all.
  const ranks: Map<string, { rank: number; ties: string[] }> =
    !asked.isRanked || judgement.method === "none" || voided.length > 0
      ? new Map()
      : rank(
          ranking,
          (a, b) => isBad(a) !== isBad(b) || (judgement.differ(a, b) && !values.areOpposite(a, b)),
        );
  const [best] = ranking;
  const toControl = new Map(
    control === "own" ? [] : contenders.map((name) => [name, values.ratio(name, CONTROL)]),
  );
  const relations =
    control === "own"
      ? {}
      : relationsToControl(
          values,
          measured.filter((name) => !isBad(name)),
          toControl,
        );
  const figures = plan.proxies.map((proxy): Figure => {
    const own = values.of(proxy);
    const ranked = ranks.get(proxy);
    const p = ranked && proxy !== best ? judgement.p(best, proxy) : null;
    const badPercent = bad.get(proxy) ?? 0;
    const extra: Extra = {
      ...(p !== null && { p }),
      ...(relations[proxy] && { relation: relations[proxy] }),
      ...(badPercent > 0 && { badPercent }),
    };
    return {
      ...figure(proxy),
      estimate:
        own.length > 0
          ? estimateOf({ value: median(own), interval: medianInterval(own, CONFIDENCE) })
          : null,
      // An error's ratio to a good answer says nothing.
      toBest:
        ranked && isBad(proxy) === isBad(best)
          ? toBestOf(values.ratio(proxy, best), {
              isBest: proxy === best,
              isTied: ranked.rank === 1,
            })
          : null,
      toControl: estimateOf(toControl.get(proxy) ?? null),
      rounds: own,
      rank: ranked?.rank ?? null,
      tied: ranked?.ties ?? [],
      missing: own.length > 0 ? [] : values.missing(proxy),
      extra,
    };
  });
  const told = control === "own" ? measured : plan.proxies;
  const isTested = asked.isRanked && judgement.method === "test";
  return comparison({
    question: asked.key,
    measure,
    settings: pool,
    figures,
    flags: [
      ...(asked.isRanked && voided.length > 0 && measured.length > 0
        ? [flag("survivors", "weak", { proxies: voided })]
        : []),
      ...(asked.isRanked ? values.flags() : []),
      ...(asked.isRanked ? fewRounds(values, measured, judgement) : []),
      ...badlyAnswered(bad),
      ...ofCells(values, told),
      ...inQueue(values),
      ...wideSpread(values, control === "own" ? contenders : plan.proxies),
      ...(control === "bound" ? controlSlower(values, relations) : []),
      ...ofControl(control, values),
      ...leaks(values),
    ],
    detectable: isTested
      ? detectableRatio(
          measured.flatMap((name) => values.samples(name)),
          {
            alpha: ALPHA,
            tests: pairs.length,
            seed: plan.seed,
            strata: Math.max(...measured.map((name) => values.samples(name).length)),
          },
        )
      : null,
  });
}

/** How each proxy with figures of good answers stands to the control. */
function relationsToControl(
  values: Values,
  proxies: string[],
  toControl: Map<string, Ratio | null>,
): Record<string, "better" | "worse" | "same"> {
  const control = values.of(CONTROL);
  if (control.length === 0) return {};
  const bound = median(control);
  const judgement = judgeStrata(
    proxies.map((proxy) => [proxy, CONTROL]),
    (a, b) => values.pairs(a, b),
    (a) => toControl.get(a) ?? null,
  );
  return Object.fromEntries(
    proxies.map((proxy) => {
      if (!judgement.differ(proxy, CONTROL)) return [proxy, "same"];
      const isBetter = median(values.of(proxy)) < bound === (values.measure.better === "lower");
      return [proxy, isBetter ? "better" : "worse"];
    }),
  );
}

function fewRounds(values: Values, measured: string[], { method }: Judgement): Flag[] {
  const roundsOf = (proxy: string) => values.samples(proxy).map(({ length }) => length);
  const most = Math.max(...measured.flatMap(roundsOf));
  const flags: Flag[] = [];
  if (measured.length > 1 && (method !== "test" || most < ENOUGH_ROUNDS)) {
    const onePairIn = method === "range" ? arrangements(most) / 2 : null;
    flags.push(
      flag("few-rounds", "note", {
        rounds: most,
        least: LEAST_ROUNDS,
        enough: ENOUGH_ROUNDS,
        onePairIn,
      }),
    );
  }
  const short = measured
    .map((proxy) => ({ proxy, rounds: Math.min(...roundsOf(proxy)) }))
    .filter(({ rounds }) => rounds < most);
  if (short.length > 0) flags.push(flag("missing-rounds", "weak", { most, proxies: short }));
  return flags;
}

/** Ways to choose n of 2 n. */
function arrangements(n: number): number {
  let ways = 1;
  for (let i = 1; i <= n; i++) ways *= (n + i) / i;
  return Math.round(ways);
}

function badlyAnswered(bad: Map<string, number>): Flag[] {
  const proxies = [...bad]
    .filter(([, badPercent]) => answersBadly(badPercent))
    .map(([proxy, badPercent]) => ({ proxy, badPercent }));
  if (proxies.length === 0) return [];
  return [flag("ranked-last", "weak", { limit: BAD_ANSWERS_LIMIT_PERCENT, proxies })];
}

function wideSpread(values: Values, names: string[]): Flag[] {
  const wide = names.flatMap((proxy) => {
    const percent = Math.max(...values.samples(proxy).map(middlePercent));
    return percent > SPREAD_LIMIT_PERCENT ? [{ proxy, percent }] : [];
  });
  return wide.length > 0
    ? [flag("spread", "weak", { limit: SPREAD_LIMIT_PERCENT, proxies: wide })]
    : [];
}

/** How far apart the middle half lies, as a share of the median; 0: too few to tell. */
function middlePercent(values: number[]): number {
  if (values.length < 2 || !(median(values) > 0)) return 0;
  return (100 * (quantile(values, 0.75) - quantile(values, 0.25))) / median(values);
}

/** What weakens single cells weakens what rests on them. */
function ofCells(values: Values, names: string[]): Flag[] {
  const cells = values.cells.filter(
    ({ counted, record }) => counted && names.includes(record.proxy),
  );
  const found = cells
    .filter(({ record }) => values.of(record.proxy).length > 0)
    .flatMap(({ record, flags }) => flags.map((one) => ({ record, flag: one })))
    .filter(
      ({ flag }) =>
        weakens(flag, values.measure.kind) &&
        !(flag.code === "saturated" && flag.figures.loop === "closed"),
    );
  return summedUp(found, cells.length);
}

/**
 * In a closed loop there are always this many at a time, and on a saturated machine they wait for
 * each other: what one takes is the CPU time of all that are in front of it.
 */
function inQueue({ measure, cells }: Values): Flag[] {
  if (measure.kind !== "time" || measure.unit !== "ms") return [];
  const saturated = cells
    .filter(({ counted, measures }) => counted && measure.key in measures)
    .flatMap(({ flags }) => flags)
    .flatMap((one) =>
      one.code === "saturated" && one.figures.loop === "closed" ? [one.figures] : [],
    );
  if (saturated.length === 0) return [];
  const { loop: _, ...figures } = saturated.toSorted((a, b) => b.percent - a.percent)[0];
  return [flag("queue", "weak", figures)];
}

/** Nothing is faster than the same work without a proxy: else something slowed the control. */
function controlSlower(values: Values, relations: Record<string, string>): Flag[] {
  const faster = Object.keys(relations).filter((proxy) => relations[proxy] === "better");
  if (faster.length === 0) return [];
  const of = (name: string) => median(values.of(name));
  return [
    flag("control-slower", "weak", {
      measure: values.measure.key,
      control: of(CONTROL),
      proxies: faster.map((proxy) => ({ proxy, value: of(proxy) })),
    }),
  ];
}

/** Over TLS the control encrypts in the thread that also answers: it bounds nothing. */
function ofControl(control: Control, values: Values): Flag[] {
  if (values.of(CONTROL).length === 0) return [];
  if (control === "own") return [flag("control-own", "note", {})];
  const isSecured = values.cells.some(
    ({ record, workload }) => record.scheme === "wss" && !comparesServers(workload),
  );
  return control === "beside" && isSecured ? [flag("control-beside", "note", {})] : [];
}

function leaks(values: Values): Flag[] {
  if (!KEPT.includes(values.measure.key)) return [];
  const connections = Math.max(...values.strata.map(connectionsIn));
  const proxies = values.contenders.flatMap((proxy) => {
    const kept = values.of(proxy);
    const left = kept.length > 0 ? median(kept) : 0;
    return left >= LEAK_SHARE * connections ? [{ proxy, left }] : [];
  });
  if (proxies.length === 0) return [];
  return [flag("leak", "weak", { proxies, connections, limit: 100 * LEAK_SHARE })];
}
