/**
 * The most that each proxy carried under the run's promise, from the probes of its search and the
 * fresh cells after it.
 */
import type { Comparison, Extra, Figure, Missing, Setting } from "../model/comparison.ts";
import { CONTROL } from "../plan/proxies.ts";
import { rateName, workloadOf } from "../plan/workload.ts";
import { usageOnce } from "../record/carriers.ts";
import { referenceCpuUs } from "../record/machine-index.ts";
import type { CellRecord, Judgement, Probe } from "../model/cell.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import { capacityOf } from "../statistics/capacity-search.ts";
import { medianOf } from "../statistics/index.ts";
import { comparison, figure } from "./figures.ts";
import { measure } from "./measures.ts";
import { ofRole } from "./readings.ts";
import { settingKey } from "./settings.ts";

/** Fresh cells of each kind that have to agree before a rate is confirmed. */
export const FRESH_CELLS = 3;

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
 * One carries more than another where the lowest rate that it is known to carry is above the
 * highest that the other may. Of whom no upper end is known has no rank while it is known to carry
 * less than another's lowest rate: it may be anywhere, and would tie with all.
 */
function ranked(answers: Found[]): Figure[] {
  const isMore = (a: Found, b: Found) => a.low !== null && b.high !== null && a.low > b.high;
  const measured = answers.filter(
    ({ shown, low, high }) => shown.proxy !== CONTROL && (low !== null || high !== null),
  );
  const leastOfBest = Math.max(
    ...measured.flatMap(({ low, high }) => (low !== null && high !== null ? low : [])),
  );
  const inRanking = measured.filter(({ low, high }) => high !== null || Number(low) >= leastOfBest);
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
  const freshOf = (isWanted: (factor: number) => boolean) =>
    results.plan.cells.flatMap(({ id, capacity }) => {
      if (capacity?.part !== "fresh" || capacity.search !== search.id) return [];
      const fresh = isWanted(capacity.factor) ? last(id) : undefined;
      if (fresh?.status !== "ok" || !fresh.judgement) return [];
      const rate = fresh.parameters[String(rateName(workload))];
      return pointOf(fresh, fresh.judgement, { rate, cell: id, fresh: true });
    });
  const at = freshOf((factor) => factor === 1);
  const above = freshOf((factor) => factor > 1);
  const { low, high, kind } = capacityOf(searched, { at, above }, FRESH_CELLS);
  const points = [...searched, ...at, ...above];
  const failing = points
    .filter(({ verdict }) => verdict === "fails")
    .sort((a, b) => a.rate - b.rate);
  const lowest = failing.filter(({ rate }) => rate === failing[0].rate);
  const passed = points.filter(({ verdict, rate }) => verdict === "holds" && rate === low);
  const referenceUs = medianOf(points.map((point) => point.referenceUs));
  const perCore = low === null || budget === 0 ? null : low / budget;
  const why = record?.status === "ok" ? null : (record?.cause?.message ?? "it has not run");
  const shown: Figure = {
    ...figure(search.proxy),
    estimate: low === null ? null : { value: low, low, high, basis: "bracket" },
    missing: low === null ? missingOf(why, high) : [],
    extra: {
      search: {
        confirmed: kind === "confirmed",
        fresh: { at: at.length, above: above.length },
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
    { verdict, broken, limits }: Judgement,
    about: Pick<Point, "rate" | "cell" | "fresh">,
  ): Point & { referenceUs: number | null } {
    const latency = workload.holdsConnections ? measured.echoLatencyMs : measured.handshakeMs;
    const generator = cpuPerSecond(measured, "load", "totalSeconds");
    const proxy = cpuPerSecond(measured, "proxy", "totalSeconds");
    const isAlone = ofRole(measured, "proxy").length === 1;
    const operations = workload.holdsConnections ? "messages" : "connections";
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
      referenceUs: referenceCpuUs(measured, operations),
    };
  }
}

function missingOf(why: string | null, high: number | null): Missing[] {
  if (why !== null) return [{ kind: "skipped", why }];
  return high === null ? [] : [{ kind: "none-passed", rate: high }];
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
