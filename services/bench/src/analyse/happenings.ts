/**
 * What becomes of connections when something happens to them: an event on a proxy, a storm of
 * reconnects, clients that stop reading. Counts of all repetitions together, other figures medians
 * over them; no comparison of costs sees these cells.
 */
import type {
  Comparison,
  Figure,
  JudgedCell,
  Measure,
  Missing,
  Setting,
} from "../model/comparison.ts";
import type { Flag } from "../model/flag.ts";
import { CONTROL } from "../plan/proxies.ts";
import { kindIn, skipKindOf } from "../plan/skips.ts";
import type { SkipKind } from "../plan/skips.ts";
import { without, workloadOf } from "../plan/workload.ts";
import type { Meaning, PlannedCell } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import { comparison, figure, medianAndRange } from "./figures.ts";
import { compareSettings, once, reasonsOf, settingKey } from "./settings.ts";

type Told = Partial<Pick<Figure, "estimate" | "rounds" | "toControl" | "extra">>;

/** One measure of what happened: from the counted cells of one proxy. */
export interface Row<Seen> {
  question: string;
  measure: Measure;
  of: (seen: Seen[], control: Seen[]) => Told;
  /** Few events, or no earlier record, have it: why a proxy has no figure is no comparison. */
  isSpecial?: true;
}

interface Planned extends Setting {
  planned: PlannedCell[];
}

/** What makes no other setting: how long an event is looked on before and after it. */
const ASIDE: Partial<Record<Setting["workload"]["compares"], Meaning[]>> = {
  survival: ["quietSeconds", "watchSeconds", "timeoutSeconds"],
};

interface About<Seen> {
  results: Results;
  /** Every attempt at cells in which something happens. */
  cells: JudgedCell[];
  setting: Planned;
  event?: string;
  seenIn: (cell: JudgedCell) => Seen[];
  /** Of the comparison that answers a question, from all cells that were counted in it. */
  flagsOf?: (question: string, counted: JudgedCell[]) => Flag[];
}

/** A comparison a row: without those of which nothing is known of anyone, nor why. */
export function compare<Seen>(rows: Row<Seen>[], about: About<Seen>): Comparison[] {
  const { results, cells, setting, event, seenIn, flagsOf } = about;
  const { planned, ...told } = setting;
  const proxies = results.plan.proxies.flatMap((proxy) => {
    const own = planned.filter((cell) => cell.proxy === proxy);
    if (own.length === 0) return [];
    const seen = countedOf(cells, own).flatMap(seenIn);
    return { proxy, seen, missing: seen.length > 0 ? [] : missingOf(own, cells) };
  });
  const control = proxies.find(({ proxy }) => proxy === CONTROL)?.seen ?? [];
  const against = (proxy: string) => (proxy === CONTROL ? [] : control);
  return rows.flatMap(({ question, measure, of, isSpecial = false }) => {
    const one = comparison({
      question,
      measure,
      settings: [told],
      event,
      figures: proxies.map(({ proxy, seen, missing }) => ({
        ...figure(proxy),
        ...(seen.length > 0 && of(seen, against(proxy))),
        missing,
      })),
      flags: flagsOf?.(question, countedOf(cells, planned)),
    });
    const isTold = one.figures.some(
      ({ estimate, extra, missing }) =>
        estimate || extra.outcome || (missing.length > 0 && !isSpecial),
    );
    return isTold ? [one] : [];
  });
}

export function countedOf(cells: JudgedCell[], planned: PlannedCell[]): JudgedCell[] {
  const ids = new Set(planned.map(({ id }) => id));
  return cells.filter(({ counted, record }) => counted && ids.has(record.id));
}

/** Why there is no figure, each reason once. */
function missingOf(planned: PlannedCell[], cells: JudgedCell[]): Missing[] {
  const ids = new Set(planned.map(({ id }) => id));
  const attempts = cells.filter(({ record }) => ids.has(record.id));
  const ended = attempts.filter(({ record: { status } }) => status !== "skipped");
  const reasons: Missing[] = [
    ...planned.flatMap((cell) => skippedFor(cell.skip, skipKindOf(cell))),
    ...attempts.flatMap(({ record: { status, cause } }) =>
      status === "skipped" && cause ? skippedFor(cause.message, kindIn(cause.message)) : [],
    ),
    ...ended.flatMap(reasonsOf),
  ];
  return reasons.length > 0
    ? once(reasons)
    : [{ kind: ended.length > 0 ? "unreadable" : "not-run" }];
}

function skippedFor(why: string | null, kind: SkipKind | null): Missing[] {
  if (why === null) return [];
  return [{ kind: kind === "has-none" ? "unsupported" : "skipped", why }];
}

/** All settings in which something happens to connections. */
export function settingsOfEvents(results: Pick<Results, "plan">): Setting[] {
  return (["survival", "storm", "stalls"] as const)
    .flatMap((compares) => settingsComparing(results, compares))
    .map(({ planned: _, ...setting }) => setting);
}

/** ws before wss, then by parameters, which are without those that make no other setting. */
export function settingsComparing(
  { plan }: Pick<Results, "plan">,
  compares: Setting["workload"]["compares"],
): Planned[] {
  const parametersOf = ({ scenario, parameters }: PlannedCell) =>
    without(
      parameters,
      (ASIDE[compares] ?? []).map((meaning) => plan.scenarios[scenario].parameterNames[meaning]),
    );
  const own = plan.cells.filter(({ scenario }) => plan.scenarios[scenario].compares === compares);
  const groups = Map.groupBy(own, (cell) =>
    settingKey({ ...cell, parameters: parametersOf(cell) }),
  );
  return [...groups]
    .map(([key, planned]) => {
      const [{ scenario, scheme }] = planned;
      const parameters = parametersOf(planned[0]);
      return { key, scenario, scheme, parameters, workload: workloadOf(plan, planned[0]), planned };
    })
    .sort(compareSettings);
}

export function sum<T>(all: T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}

/**
 * What one process or server carried shares its fate: the unit is the event, and counts of all of
 * them together stand beside it without an interval.
 */
export function shareByEvent<T>(all: T[], count: (one: T) => number, of: (one: T) => number): Told {
  const known = all.filter((one) => of(one) > 0);
  if (known.length === 0) return {};
  return {
    ...medianAndRange(
      known.map((one) => (100 * count(one)) / of(one)),
      "events",
    ),
    extra: { count: sum(known, count), of: sum(known, of) },
  };
}
