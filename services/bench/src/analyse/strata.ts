/** The values of one measure in one setting or several, its strata: by proxy and round. */
import { mean, median } from "simple-statistics";
import type { JudgedCell, Measure, Missing, Setting } from "../model/comparison.ts";
import { flag } from "../model/flag.ts";
import type { Flag, FlagFigures } from "../model/flag.ts";
import { CONTROL } from "../plan/proxies.ts";
import { connectionsInAll } from "../plan/workload.ts";
import { mannWhitney, superiority } from "../statistics/index.ts";
import { isVoidedBy } from "./flags.ts";
import { measure as measureOf } from "./measures.ts";
import { PER_CONNECTION, sourcesOf } from "./operation-costs.ts";
import { allPairs, ALPHA, LEAST_ROUNDS } from "./ranking.ts";
import {
  once,
  plannedIn,
  ratioOf,
  reasonsOf,
  stratifiedRatioOf,
  valuesByRound,
} from "./settings.ts";
import type { Ratio, Run } from "./settings.ts";

/** The values of one measure in one setting. */
interface Stratum {
  setting: Setting;
  /** Keys of the settings that the figure is derived from. */
  sources: string[];
  /** What a cell must have for the figure to be had. */
  needed: Measure;
  /** Cells of the sources. */
  cells: JudgedCell[];
  /** By proxy and round. */
  rounds: Map<string, Map<number, number>>;
}

/** The values of one measure in its strata. */
export class Values {
  run: Run;
  measure: Measure;
  contenders: string[];
  strata: Stratum[];
  /** Settings in which a contender's figures are void, and others that are whole. */
  leftOut: Stratum[];
  cells: JudgedCell[];
  isPool: boolean;

  constructor(run: Run, measure: Measure, settings: Setting[], isPool: boolean) {
    this.run = run;
    this.measure = measure;
    this.isPool = isPool;
    this.contenders = run.results.plan.proxies.filter((name) => name !== CONTROL);
    const planned = settings.map((setting) => stratumOf(run, measure, setting));
    const measured = planned.filter((one) =>
      this.contenders.some((name) => valuesIn(one, name).length > 0),
    );
    const all = measured.length > 0 ? measured : planned;
    // Where a contender's figures are void, whoever is left is no sample.
    const whole = all.filter((one) => !this.contenders.some((name) => this.#isVoidedIn(one, name)));
    this.strata = whole.length > 0 ? whole : all;
    this.leftOut = all.filter((one) => !this.strata.includes(one));
    this.cells = [...new Set(this.strata.flatMap(({ cells }) => cells))];
  }

  /** One a round: means over the settings, of the rounds that have the most of them. */
  of(proxy: string): number[] {
    const rounds = Map.groupBy(
      this.strata.flatMap((one) => [...(one.rounds.get(proxy) ?? [])]),
      ([round]) => round,
    );
    const most = Math.max(...[...rounds.values()].map(({ length }) => length));
    return [...rounds]
      .filter(([, values]) => values.length === most)
      .sort(([a], [b]) => a - b)
      .map(([, values]) => mean(values.map(([, value]) => value)));
  }

  /** Its values in each stratum in which it has any. */
  samples(proxy: string): number[][] {
    return this.strata.map((one) => valuesIn(one, proxy)).filter(({ length }) => length > 0);
  }

  /** The values of two in each stratum that both have. */
  pairs(a: string, b: string): [number[], number[]][] {
    return this.strata
      .map((one): [number[], number[]] => [valuesIn(one, a), valuesIn(one, b)])
      .filter((pair) => pair.every(({ length }) => length > 0));
  }

  /**
   * Decides the lower of two. With other settings figures have another level: there it is how
   * often it is the higher of two, against each other proxy in the settings that both have.
   */
  standing(proxy: string): number {
    if (!this.isPool) return median(this.of(proxy));
    const shares = this.contenders.flatMap((other) => {
      const pairs = other === proxy ? [] : this.pairs(proxy, other);
      return pairs.length > 0 ? [superiority(pairs)] : [];
    });
    return shares.length > 0 ? mean(shares) : 0.5;
  }

  ratio(a: string, b: string): Ratio | null {
    const both = this.strata.flatMap(({ rounds }): [Map<number, number>, Map<number, number>][] => {
      const [own, other] = [rounds.get(a), rounds.get(b)];
      return own && other && own.size > 0 && other.size > 0 ? [[own, other]] : [];
    });
    return this.isPool
      ? stratifiedRatioOf(both)
      : ratioOf(...(both[0] ?? [new Map(), new Map()]), this.run.results.plan.seed);
  }

  /** Whether one is lower in a setting, and the other in another one. */
  areOpposite(a: string, b: string): boolean {
    return this.#directions(a, b).every((connections) => connections.length > 0);
  }

  /**
   * Connections of the settings in which a is lower, and in which it is higher. Each setting by
   * itself and uncorrected, so that a change of direction is noticed sooner than a difference is
   * claimed: of two equal proxies in three settings, 4 pairs of 1,000 come out opposite.
   */
  #directions(a: string, b: string): [number[], number[]] {
    const different = this.strata.flatMap((one) => {
      const pair = [valuesIn(one, a), valuesIn(one, b)];
      if (!pair.every(({ length }) => length >= LEAST_ROUNDS)) return [];
      const { p, u } = mannWhitney(pair[0], pair[1]);
      const isLower = u < (pair[0].length * pair[1].length) / 2;
      return p <= ALPHA ? [{ connections: connectionsIn(one), isLower }] : [];
    });
    const of = (wanted: boolean) =>
      different.filter(({ isLower }) => isLower === wanted).map(({ connections }) => connections);
    return [of(true), of(false)];
  }

  /** It was measured, and in a setting none of its figures counts. */
  isVoided(proxy: string): boolean {
    return this.strata.some((one) => this.#isVoidedIn(one, proxy));
  }

  #isVoidedIn(stratum: Stratum, proxy: string): boolean {
    if (valuesIn(stratum, proxy).length > 0) return false;
    return missingIn(this.run, stratum, proxy).some(
      ({ kind }) => kind === "voided" || kind === "invalid",
    );
  }

  /** Why it has no value. */
  missing(proxy: string): Missing[] {
    return once(this.strata.flatMap((one) => missingIn(this.run, one, proxy)));
  }

  /** What is to be said of a pool. */
  flags(): Flag[] {
    const flags: Flag[] = [];
    if (this.leftOut.length > 0)
      flags.push(
        flag("left-out", "weak", {
          proxies: this.contenders.filter((name) =>
            this.leftOut.some((one) => this.#isVoidedIn(one, name)),
          ),
          connections: this.leftOut.map(connectionsIn),
        }),
      );
    const lacking = this.contenders.flatMap((proxy) => {
      const without = this.strata.filter((one) => valuesIn(one, proxy).length === 0);
      if (without.length === 0 || without.length === this.strata.length) return [];
      return [{ proxy, connections: without.map(connectionsIn) }];
    });
    if (lacking.length > 0) flags.push(flag("lacks-settings", "weak", { proxies: lacking }));
    const isLowerBetter = this.measure.better === "lower";
    const pairs = allPairs(this.contenders)
      .filter((pair) => this.areOpposite(...pair))
      .map((proxies): FlagFigures["opposite"]["pairs"][number] => {
        const [lower, higher] = this.#directions(...proxies);
        return { proxies, better: isLowerBetter ? [lower, higher] : [higher, lower] };
      });
    if (pairs.length > 0) flags.push(flag("opposite", "weak", { pairs }));
    return flags;
  }
}

function stratumOf({ results, settings, cells }: Run, measure: Measure, setting: Setting): Stratum {
  const derived = sourcesOf(setting, measure.key, settings);
  const from = derived ? [derived.of, derived.fewer, derived.more] : [setting];
  const sources = [...new Set(from.map(({ key }) => key))];
  const own = cells.filter((cell) => cell.setting === setting.key);
  return {
    setting,
    sources,
    needed: derived ? measureOf(PER_CONNECTION) : measure,
    cells: cells.filter((cell) => sources.includes(cell.setting)),
    rounds: new Map(
      results.plan.proxies.map((proxy) => [proxy, valuesByRound(own, proxy, measure.key)]),
    ),
  };
}

function valuesIn({ rounds }: Stratum, proxy: string): number[] {
  return [...(rounds.get(proxy)?.values() ?? [])];
}

export function connectionsIn({ setting }: Stratum): number {
  return connectionsInAll(setting.workload);
}

/** Why a proxy has no value in a stratum: one reason or more. */
function missingIn(run: Run, { sources, cells, needed }: Stratum, proxy: string): Missing[] {
  const reasons = once(
    sources.flatMap((setting) =>
      missingInSource(
        run,
        setting,
        proxy,
        cells.filter((cell) => cell.setting === setting && cell.record.proxy === proxy),
        needed,
      ),
    ),
  );
  return reasons.length > 0 ? reasons : [{ kind: "no-common-round" }];
}

function missingInSource(
  run: Run,
  setting: string,
  proxy: string,
  recorded: JudgedCell[],
  needed: Measure,
): Missing[] {
  const counting = recorded.filter(({ counted }) => counted);
  if (counting.some(({ measures }) => needed.key in measures)) return [];
  const voiding = counting
    .flatMap(({ flags }) => flags)
    .filter((one) => isVoidedBy(one, needed.kind));
  if (voiding.length > 0)
    return [...Map.groupBy(voiding, ({ code }) => code).values()].map(([one]) => ({
      kind: "voided",
      flag: one,
    }));
  if (counting.length > 0) return [{ kind: "unreadable" }];
  const reasons: Missing[] = recorded.flatMap(reasonsOf);
  for (const cell of plannedIn(run.results, setting))
    if (cell.skip && cell.proxy === proxy) reasons.push({ kind: "skipped", why: cell.skip });
  return reasons.length > 0 ? reasons : [{ kind: "not-run" }];
}
