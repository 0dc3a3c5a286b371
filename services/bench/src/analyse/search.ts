/**
 * The most that each proxy carried under the run's promise, from the probes of its search and the
 * fresh cells after it.
 */
import type { Comparison, Extra, Figure, Missing, Setting } from "../model/comparison.ts";
import { CONTROL } from "../plan/proxies.ts";
import { LEAST_SAMPLES } from "../plan/probes.ts";
import { operationsOf, rateName, workloadOf } from "../plan/workload.ts";
import { usageOnce } from "../record/carriers.ts";
import { referenceCpuUs } from "../record/machine-index.ts";
import { ofEnough } from "../record/promise.ts";
import type { CellRecord, Judgement, Probe } from "../model/cell.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import { capacityOf } from "../statistics/capacity-search.ts";
import { medianOf } from "../statistics/index.ts";
import { comparison, figure } from "./figures.ts";
import { measure } from "./measures.ts";
import { ofRole } from "./readings.ts";
import { settingKey } from "./settings.ts";

/**
 * Ratio of two intervals' ends, as a search's tries share containers and minutes. With a spread of 5
 * % between cells it told 1 of 100 simulated pairs of equal proxies apart, without it 4; of pairs
 * with a ratio of 1.25 a third to two thirds.
 */
const APART = 1.05;

type Measured = Omit<Probe, keyof Judgement | "rate" | "startedAt">;
type Point = NonNullable<Extra["search"]>["points"][number];
type Found = { shown: Figure; low: number | null; high: number | null };

/** In the order of the battle. */
export function searches(results: Results): Comparison[] {
  const { plan } = results;
  const cells = plan.cells.filter(({ capacity }) => capacity?.part === "search");
  return [...Map.groupBy(cells, settingKey)].map(([key, own]) => {
    const [{ scenario, scheme, parameters }] = own;
    const workload = workloadOf(plan, own[0]);
    return comparison({
      question: "capacity",
      measure: measure(
        workload.holdsConnections ? "messages_per_second" : "connections_per_second",
      ),
      settings: [{ key, scheme }],
      figures: ranked(
        plan.proxies.flatMap((proxy) => {
          const search = own.find((cell) => cell.proxy === proxy);
          return search
            ? found(results, search, { key, scenario, scheme, parameters, workload })
            : [];
        }),
      ),
    });
  });
}

/**
 * Who is confirmed is ranked, unless one that is not may carry as much. One carries more than
 * another where the intervals of their thresholds are `APART`.
 */
function ranked(answers: Found[]): Figure[] {
  const isConfirmed = ({ shown }: Found) => shown.extra.search?.confirmed === true;
  const proxies = answers.filter(({ shown }) => shown.proxy !== CONTROL);
  const thresholdOf = ({ shown }: Found) => shown.extra.search?.threshold;
  const isMore = (a: Found, b: Found) => {
    const [low, high] = [thresholdOf(a)?.low ?? 0, thresholdOf(b)?.high ?? Infinity];
    return low > APART * high;
  };
  const mayReach = ({ low, high }: Found, own: Found) =>
    (low !== null || high !== null) && (high === null || high > Number(own.low));
  const open = proxies.filter((one) => !isConfirmed(one));
  const inRanking = proxies.filter(
    (own) => proxies.length > 1 && isConfirmed(own) && !open.some((other) => mayReach(other, own)),
  );
  return answers.map((own) => {
    if (!inRanking.includes(own)) return own.shown;
    const more = inRanking.filter((other) => isMore(other, own));
    const alike = inRanking.filter(
      (other) => other !== own && !more.includes(other) && !isMore(own, other),
    );
    return { ...own.shown, rank: 1 + more.length, tied: alike.map(({ shown }) => shown.proxy) };
  });
}

function found(results: Results, search: PlannedCell, { workload }: Setting): Found {
  const budget = results.plan.proxyCpus;
  const last = (id: string) =>
    results.cells.findLast((record) => record.id === id && record.status !== "failed") ??
    results.cells.findLast((record) => record.id === id);
  const record = last(search.id);
  const searched = (record?.probes ?? []).map((probe) =>
    pointOf(probe, probe, { rate: probe.rate, cell: search.id, fresh: false }),
  );
  const fresh = results.plan.cells.flatMap(({ id, capacity }) => {
    if (capacity?.part !== "fresh" || capacity.search !== search.id) return [];
    const own = last(id);
    if (own?.status !== "ok" || !own.judgement) return [];
    const rate = own.parameters[String(rateName(workload))];
    return pointOf(own, own.judgement, { rate, cell: id, fresh: true });
  });
  const points = [...searched, ...fresh];
  const told = (some: typeof points) => some.filter(({ limits }) => !limits.includes("samples"));
  const { threshold, low, high, agreeing, contradicting, isConfirmed } = capacityOf(
    told(searched),
    told(fresh),
  );
  const failing = points
    .filter(({ verdict }) => verdict === "fails")
    .sort((a, b) => a.rate - b.rate);
  const lowest = failing.filter(({ rate }) => rate === failing[0].rate);
  const held = points.filter(({ verdict }) => verdict === "holds").sort((a, b) => b.rate - a.rate);
  const passed = held.filter(({ rate }) => rate === held[0].rate);
  const referenceUs = medianOf(points.map((point) => point.referenceUs));
  const perCore = budget === 0 || !isConfirmed || !threshold ? null : threshold.rate / budget;
  const value = threshold?.rate ?? low;
  const why = record?.status === "ok" ? null : (record?.cause?.message ?? "it has not run");
  const shown: Figure = {
    ...figure(search.proxy),
    estimate: value === null ? null : { value, low, high, basis: isConfirmed ? "ci95" : "bracket" },
    missing: value === null ? missingOf(why, high, points) : [],
    extra: {
      search: {
        confirmed: isConfirmed,
        fresh: { tried: fresh.length, agreeing, contradicting },
        threshold,
        brokeFirst: [...new Set(lowest.flatMap(({ broken }) => broken))],
        perCore,
        generatorPercent: medianOf(passed.map((point) => point.generatorPercent)),
        budgetPercent: medianOf(lowest.map((point) => point.budgetPercent)),
        points: points.map(({ referenceUs: _, ...point }) => point),
      },
      ...(perCore !== null &&
        referenceUs !== null && { toReference: (perCore * referenceUs) / 1e6 }),
    },
  };
  return { shown, low, high };

  function pointOf(
    measured: Measured,
    judgement: Judgement,
    about: Pick<Point, "rate" | "cell" | "fresh">,
  ): Point & { referenceUs: number | null } {
    const latency = workload.holdsConnections ? measured.echoLatencyMs : measured.handshakeMs;
    // A record of before this was asked has judged fewer.
    const { verdict, broken, limits } = ofEnough(judgement, latency?.count ?? 0);
    const generator = cpuPerSecond(measured, "load", "totalSeconds");
    const proxy = cpuPerSecond(measured, "proxy", "totalSeconds");
    const isAlone = ofRole(measured, "proxy").length === 1;
    return {
      ...about,
      verdict,
      broken,
      limits,
      endMs: measured.measured?.toMs ?? null,
      p99Ms: latency?.p99 ?? null,
      generatorPercent:
        generator === null || !measured.machine
          ? null
          : (100 * generator) / coresAround(measured, measured.machine.cores),
      budgetPercent: proxy === null || budget === 0 ? null : (100 * proxy) / budget,
      // Of several containers with one budget it is not known.
      throttled: isAlone ? cpuPerSecond(measured, "proxy", "throttledSeconds") : null,
      referenceUs: referenceCpuUs(measured, operationsOf(workload)),
    };
  }
}

function missingOf(why: string | null, high: number | null, points: Point[]): Missing[] {
  if (why !== null) return [{ kind: "skipped", why }];
  if (high !== null) return [{ kind: "none-passed", rate: high }];
  const hasFew = points.some(({ limits }) => limits.includes("samples"));
  return hasFew ? [{ kind: "few-samples", least: LEAST_SAMPLES }] : [];
}

/**
 * @param cores of the machine that is the only one
 * @returns of the load's machines
 */
function coresAround(
  { containers, machines }: Pick<CellRecord, "containers" | "machines">,
  cores: number,
): number {
  const loads = Object.values(containers).filter(({ role }) => role === "load");
  const names = loads.flatMap(({ machine }) => machine ?? []);
  const around = usageOnce(machines ?? {}, names);
  return around.reduce((sum, each) => sum + each.cores, 0) || cores;
}

/** Seconds in each of the measured phase; null: it was not measured. */
function cpuPerSecond(
  measured: Measured,
  role: "proxy" | "load",
  what: "totalSeconds" | "throttledSeconds",
): number | null {
  if (!measured.measured) return null;
  const { fromMs, toMs } = measured.measured;
  const used = ofRole(measured, role).reduce((sum, { cpu }) => sum + cpu[what], 0);
  return toMs > fromMs ? (1000 * used) / (toMs - fromMs) : null;
}
