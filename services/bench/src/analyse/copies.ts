/** A proxy beside a copy of itself, or beside one that does the same work: how large noise is. */
import { median } from "simple-statistics";
import type { Comparison, Setting } from "../model/comparison.ts";
import type { Plan } from "../model/plan.ts";
import { detectableRatio, smallestP } from "../statistics/index.ts";
import { comparison, inTimes, ratioFigure } from "./figures.ts";
import { measure } from "./measures.ts";
import { ALPHA, judge } from "./ranking.ts";
import { ratioOf, roundsIn } from "./settings.ts";
import type { Run } from "./settings.ts";

/** Two proxies that do the same work: whatever differs is noise, or the cost of observing. */
interface Pair {
  question: "aa" | "observers" | "same-work";
  proxy: string;
  copy: string;
}

/** null: no proxy of the plan is a copy of another. */
export function copyIn({ cells }: Plan): Pair | null {
  const copied = cells.find(({ proxy, profile }) => proxy !== profile);
  const original = cells.find(({ proxy }) => proxy === copied?.profile);
  if (!copied || !original) return null;
  const isObserved = (name: string) =>
    cells.every(({ proxy, observed }) => proxy !== name || observed !== false);
  const { proxy } = original;
  const alike = isObserved(proxy) === isObserved(copied.proxy);
  return { question: alike ? "aa" : "observers", proxy, copy: copied.proxy };
}

/** What the work costs, a measure of each kind: memory is a container's own, whatever it does. */
const OF_WORK = [
  "cpu_us_per_connection",
  "cpu_us_per_handshake",
  "cpu_us_per_message",
  "proxy_cpu_us_per_request",
  "handshake_ms_mean",
  "echo_latency_ms_mean",
  "request_ms_mean",
  "connections_per_second",
  "messages_per_second",
  "requests_per_second",
];

/**
 * A proxy beside its copy, and proxies that do the same work by their own description: an A/A
 * pair in every run that has both.
 *
 * @param ranked measures by which proxies are ranked, by setting
 */
export function copies(run: Run, ranked: Map<string, string[]>): Comparison[] {
  const { plan, proxies } = run.results;
  const copy = copyIn(plan);
  const twins = proxies.flatMap(({ name, sameWorkAs }): [Pair, string][] =>
    sameWorkAs && proxies.some((one) => one.name === sameWorkAs.proxy)
      ? [[{ question: "same-work", proxy: sameWorkAs.proxy, copy: name }, sameWorkAs.scheme]]
      : [],
  );
  return [
    ...(copy ? copiesOf(run, copy, run.settings, (key) => ranked.get(key) ?? []) : []),
    ...twins.flatMap(([pair, scheme]) =>
      copiesOf(
        run,
        pair,
        run.settings.filter((setting) => setting.scheme === scheme),
        (key) => (ranked.get(key) ?? []).filter((one) => OF_WORK.includes(one)),
      ),
    ),
  ];
}

/**
 * Judged over all measures of all settings together, so that chance alone shows a difference in
 * one of 20 runs and not in one of 20 measures.
 */
function copiesOf(
  run: Run,
  { question, proxy, copy }: Pair,
  settings: Setting[],
  measuresIn: (setting: string) => string[],
): Comparison[] {
  const { seed } = run.results.plan;
  const compared = settings.flatMap((setting) =>
    measuresIn(setting.key).flatMap((key) => {
      const [original, second] = [proxy, copy].map((name) => roundsIn(run, setting, name, key));
      const ratio = ratioOf(second, original, seed);
      const values = [[...original.values()], [...second.values()]] as [number[], number[]];
      return ratio ? [{ setting, key, values, ratio }] : [];
    }),
  );
  const names = compared.map((_, i): [string, string] => [`original ${i}`, `copy ${i}`]);
  const judgement = judge(
    new Map(compared.flatMap(({ values }, i) => names[i].map((name, j) => [name, values[j]]))),
    names,
    (a) => compared[names.findIndex(([name]) => name === a)].ratio,
  );
  const detectable = (groups: [number[], number[]]) => {
    const [a, b] = groups;
    if (judgement.method === "none") return null;
    return judgement.method === "test"
      ? detectableRatio(groups, { alpha: ALPHA, tests: compared.length, seed })
      : // Ranges that do not touch are the test's most extreme outcome.
        detectableRatio(groups, { alpha: smallestP(a.length, b.length), tests: 1, seed });
  };
  return compared.map(({ setting, key, values, ratio }, i) => {
    const p = judgement.p(...names[i]);
    return comparison({
      question,
      measure: inTimes(measure(key)),
      settings: [setting],
      event: `${copy}-${proxy}`,
      figures: [
        ratioFigure(copy, ratio, {
          medians: [median(values[1]), median(values[0])],
          ...(p !== null && { p }),
          ...(judgement.method !== "none" && {
            outcome: judgement.differ(...names[i]) ? "differs" : "tie",
          }),
        }),
      ],
      detectable: detectable(values),
    });
  });
}

/** How far a proxy was from a copy of itself. */
export interface NoiseFloor {
  /** Folder of the run. */
  run: string;
  /** The largest of all settings and all groups of as many rounds, by measure; at least 1. */
  ratios: Record<string, number>;
}

/**
 * Medians of more rounds lie closer together: the rounds are taken in groups of as many as those
 * have that the floor is for, and the largest ratio of a group is the floor.
 *
 * @param run an A/A run
 * @param rounds of the run that the floor is for
 * @returns null: there is no pair with figures, or the copy was no copy
 */
export function noiseFloor(
  run: Run,
  ranked: Map<string, string[]>,
  rounds: number,
): NoiseFloor | null {
  const { plan } = run.results;
  const pair = copyIn(plan);
  if (pair?.question !== "aa") return null;
  const size = Math.min(rounds, plan.rounds);
  const ratios: Record<string, number> = {};
  for (const setting of run.settings)
    for (const key of ranked.get(setting.key) ?? []) {
      const [a, b] = [pair.proxy, pair.copy].map((name) => roundsIn(run, setting, name, key));
      for (const group of groupsOf(
        [...a.keys()].filter((round) => b.has(round)),
        size,
      )) {
        const [own, other] = [a, b].map((values) =>
          median(group.map((round) => values.get(round) as number)),
        );
        if (own > 0 && other > 0)
          ratios[key] = Math.max(own / other, other / own, ratios[key] ?? 1);
      }
    }
  return Object.keys(ratios).length > 0 ? { run: run.results.run.name, ratios } : null;
}

/** All of that size; the rounds themselves where they are fewer. */
function groupsOf(rounds: number[], size: number): number[][] {
  if (rounds.length <= size) return rounds.length > 0 ? [rounds] : [];
  return Array.from({ length: Math.floor(rounds.length / size) }, (_, i) =>
    rounds.slice(i * size, (i + 1) * size),
  );
}
