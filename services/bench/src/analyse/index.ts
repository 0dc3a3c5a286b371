/**
 * What a run's record says: its comparisons, and what weakens them. It sees the record alone, and
 * gives the same for the same record.
 */
import { mean, median } from "simple-statistics";
import type {
  Comparison,
  Comparisons,
  JudgedCell,
  Reported,
  Setting,
} from "../model/comparison.ts";
import { flag } from "../model/flag.ts";
import type { Flag } from "../model/flag.ts";
import { CONTROL } from "../plan/proxies.ts";
import { connectionsAtATime, isExperiment, workloadOf } from "../plan/workload.ts";
import { isWithProxy } from "../record/carriers.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Environment, TlsPolicy } from "../model/environment.ts";
import type { Plan } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import { askedIn } from "./questions.ts";
import { badAnswersOf } from "./bad-answers.ts";
import { copies, copyIn, noiseFloor } from "./copies.ts";
import type { NoiseFloor } from "./copies.ts";
import { events } from "./events.ts";
import { flagsOf, isVoidedBy, summedUp } from "./flags.ts";
import { settingsOfEvents } from "./happenings.ts";
import { measure, measuresOf } from "./measures.ts";
import { PER_HANDSHAKE, withOperationCosts } from "./operation-costs.ts";
import { percentiles } from "./percentile.ts";
import { placesIn } from "./places.ts";
import { baselines, handshakes, multiplexed, networks, releases, tls, variants } from "./ratio.ts";
import { heldAgainstReference } from "./reference.ts";
import { compareRounds } from "./rounds.ts";
import { searches } from "./search.ts";
import { poolsOf, settingKey, settingsOf } from "./settings.ts";
import type { Pool, Run } from "./settings.ts";
import { slopes } from "./slope.ts";
import { slowReaders } from "./slow-readers.ts";
import { storms } from "./storms.ts";
import { trends } from "./trends.ts";
import { versionsOf } from "./versions.ts";

export interface Context {
  /** Of certs/policy.json; null: what TLS negotiated is not judged. */
  policy: TlsPolicy | null;
  /** Of an A/A run on the same environment. */
  noiseFloor?: NoiseFloor | null;
  /** Those to compare, beside the control; the machine index stays that of all cells. */
  proxies?: string[] | null;
}

/** @param whole record of a run, complete or not */
export function analyse(
  whole: Results,
  { policy, noiseFloor = null, proxies = null }: Context,
): Reported & { run: Run } {
  const recorded = proxies ? ofProxies(whole, proxies) : whole;
  const { run, indices } = comparable(whole, recorded, policy);
  const eventCells = judge(withCells(recorded, isOfEvent(recorded)), policy);
  const pools = poolsOf(run.results, run.settings);
  const rounds = pools.flatMap((pool) => comparedIn(run, pool, indices));
  const memory = slopes(run);
  const comparisons = [
    ...baselines(run, rounds),
    ...rounds,
    ...percentiles(run, rounds),
    ...memory,
    ...trends(run),
    ...tls(run, pools, rounds),
    ...handshakes(run),
    ...networks(run),
    ...multiplexed(run),
    ...variants(run, memory),
    ...releases(run),
    ...searches(recorded),
    ...events(recorded, eventCells),
    ...storms(recorded, eventCells),
    ...slowReaders(recorded, eventCells),
    ...copies(run, rankedIn(run)),
  ].map((one) => withLoad(run, insideNoise(one, noiseFloor)));
  const searchCells = judge(withCells(recorded, isOfSearch(recorded)), policy);
  const judged = new Map(
    [...run.cells, ...searchCells, ...eventCells].map((cell) => [cell.record, cell]),
  );
  const cells = recorded.cells.flatMap((record) => judged.get(record) ?? []);
  const searched = new Set(searchCells);
  return {
    run,
    results: recorded,
    cells,
    comparisons: {
      ...about(
        recorded,
        cells.filter((cell) => !searched.has(cell)),
        comparisons,
      ),
      comparisons,
    },
  };
}

/** How far a proxy was from a copy of itself in another run; null: that is no such run. */
export function noiseFloorOf(aa: Results, results: Results): NoiseFloor | null {
  const isSame = isSameEnvironment(aa.environment.identity, results.environment.identity);
  if (!isSame || !copyIn(aa.plan)) return null;
  const run = runOf(aa, null);
  return noiseFloor(run, rankedIn(run), results.plan.rounds);
}

/** The values of a record by round, without comparisons. */
export function runOf(results: Results, policy: TlsPolicy | null): Run {
  return comparable(results, results, policy).run;
}

/** Without the cells of searches and events, which are compared with nothing else. */
function comparable(whole: Results, recorded: Results, policy: TlsPolicy | null) {
  const plain = (results: Results) => {
    const [isEvent, isSearch] = [isOfEvent(results), isOfSearch(results)];
    return withCells(results, (cell) => !isEvent(cell) && !isSearch(cell));
  };
  const results = plain(recorded);
  const { cells, machineIndices: indices } = heldAgainstReference(
    judge(plain(whole), policy),
    referenceHasTurns(whole.plan),
  );
  const own = new Set(results.cells);
  const settings = settingsOf(results);
  const held = cells.filter(({ record }) => own.has(record));
  return { run: { results, settings, cells: withOperationCosts(settings, held) }, indices };
}

/** Several load containers keep no turns: each has its own. */
function referenceHasTurns({ cells, scenarios }: Plan): (cell: CellRecord) => boolean {
  const several = new Set(cells.flatMap(({ id, loads = 1 }) => (loads > 1 ? [id] : [])));
  return ({ id, scenario }) => (scenarios[scenario].referenceTurns ?? false) && !several.has(id);
}

/** A pool's comparisons, then those of each of its settings, where it has several. */
function comparedIn(
  run: Run,
  { settings }: Pool,
  indices: ReturnType<typeof heldAgainstReference>["machineIndices"],
): Comparison[] {
  const asked = settings.flatMap((setting) =>
    askedOf(run, setting).map((each) => ({ setting, each })),
  );
  const single = asked.map(({ setting, each }) =>
    withPlaces(run, setting, compareRounds(run, each, [setting])),
  );
  const pooled = [...Map.groupBy(asked, ({ each }) => each.key).values()].map((own) =>
    compareRounds(
      run,
      own[0].each,
      settings,
      own.map(({ setting }) => setting),
    ),
  );
  return [...(settings.length > 1 ? pooled : []), ...single].map((one) =>
    withReference(one, indices),
  );
}

function askedOf({ settings, results: { plan } }: Run, setting: Setting) {
  return askedIn(setting, { settings, plan });
}

/** Keys of the measures that rank proxies, by setting. */
function rankedIn(run: Run): Map<string, string[]> {
  return new Map(
    run.settings.map((setting) => [
      setting.key,
      askedOf(run, setting).flatMap(({ key, isRanked }) => (isRanked ? [key] : [])),
    ]),
  );
}

/** CPU time to the reference's: of a pool the mean over its settings, where all have it. */
function withReference(
  one: Comparison,
  indices: ReturnType<typeof heldAgainstReference>["machineIndices"],
): Comparison {
  const own = indices.filter(
    ({ setting, measure }) => one.settings.includes(setting) && measure === one.measure.key,
  );
  if (own.length === 0) return one;
  const figures = one.figures.map((figure) => {
    const told = own.flatMap(
      ({ proxies }) => proxies.find(({ proxy }) => proxy === figure.proxy) ?? [],
    );
    if (told.length === 0 || told.length < one.settings.length) return figure;
    if (told.length === 1) return { ...figure, extra: { ...figure.extra, ...told[0].extra } };
    const ratios = told.flatMap(({ extra }) => extra.toReference ?? []);
    if (ratios.length < told.length) return figure;
    return { ...figure, extra: { ...figure.extra, toReference: mean(ratios) } };
  });
  return { ...one, figures };
}

/** Of CPU time, under which load it was measured: an operation costs less when many come at once. */
function withLoad({ settings, cells }: Run, one: Comparison): Comparison {
  const own = settings.filter(({ key }) => one.settings.includes(key));
  if (one.measure.kind !== "cpu" || own.length === 0) return one;
  const busy = cells
    .filter(({ setting, counted }) => counted && one.settings.includes(setting))
    .flatMap(({ measures }) => measures.machine_busy_percent ?? []);
  const [{ workload }] = own;
  return {
    ...one,
    load: {
      loop: workload.loop,
      atATime: workload.loop === "closed" ? connectionsAtATime(workload) : null,
      busyPercent: busy.length > 0 ? median(busy) : null,
    },
  };
}

/** Of CPU time, where it was spent; of error answers, which they were. */
function withPlaces(run: Run, setting: Setting, one: Comparison): Comparison {
  const { key, kind, unit } = one.measure;
  const isOfErrors = key === "non_2xx_percent";
  // A handshake's is that of a connection less its messages.
  const isOfCpu = kind === "cpu" && unit !== "cores" && key !== PER_HANDSHAKE;
  if (!isOfCpu && !isOfErrors) return one;
  const figures = one.figures.map((figure) => {
    const cells = run.cells.filter(
      (cell) => cell.setting === setting.key && cell.record.proxy === figure.proxy,
    );
    const places = isOfErrors ? [] : placesIn(run, setting, cells);
    const extra = {
      ...figure.extra,
      ...(places.length > 0 && { places }),
      ...(isOfErrors && badAnswersOf(cells)),
    };
    return { ...figure, extra };
  });
  return { ...one, figures };
}

/** A difference that is claimed and no larger than that of a proxy from its own copy. */
function insideNoise(one: Comparison, floor: NoiseFloor | null): Comparison {
  const ratio = one.measure.unit === "times" ? undefined : floor?.ratios[one.measure.key];
  if (!floor || !ratio) return one;
  const proxies = one.figures
    .filter(({ rank, toBest }) => {
      if (rank === null || rank === 1 || !toBest) return false;
      return Math.max(toBest.value, 1 / toBest.value) <= ratio;
    })
    .map(({ proxy }) => proxy);
  if (proxies.length === 0) return one;
  const noise = flag("inside-noise", "weak", { proxies, ratio, floor: floor.run });
  return { ...one, flags: [...one.flags, noise] };
}

/** Every attempt, in the order of the record; figures as they were measured. */
export function judge(results: Results, policy: TlsPolicy | null): JudgedCell[] {
  const last = new Map(results.cells.map((record) => [record.id, record]));
  const profiles = new Map(results.plan.cells.map(({ id, profile }) => [id, profile]));
  const untuned = new Set(
    results.proxies.filter(({ tuned }) => tuned === false).map(({ name }) => name),
  );
  return results.cells.map((record) => {
    const workload = workloadOf(results.plan, record);
    const flags = flagsOf(record, {
      workload,
      plan: results.plan,
      profile: profiles.get(record.id),
      // What TLS costs by default is asked of a proxy that is not tuned.
      policy: untuned.has(record.proxy) ? null : policy,
    });
    const all = Object.entries(measuresOf(record, workload));
    return {
      record,
      setting: settingKey(record),
      workload,
      measures: Object.fromEntries(
        all.filter(([key]) => !flags.some((one) => isVoidedBy(one, measure(key).kind))),
      ),
      flags,
      counted:
        record.status === "ok" &&
        last.get(record.id) === record &&
        flags.every(({ severity }) => severity !== "invalid"),
    };
  });
}

type IsWanted = (cell: { id: string; scenario: string; proxy: string }) => boolean;

/** Something happens to their connections: no comparison of costs sees them. */
function isOfEvent({ plan }: Results): IsWanted {
  return ({ scenario }) => isExperiment(plan.scenarios[scenario]);
}

function isOfSearch({ plan }: Results): IsWanted {
  const ids = new Set(plan.cells.filter(({ capacity }) => capacity).map(({ id }) => id));
  return ({ id }) => ids.has(id);
}

export function withoutEvents(results: Results): Results {
  const isEvent = isOfEvent(results);
  return withCells(results, (cell) => !isEvent(cell));
}

function withCells(results: Results, isWanted: IsWanted): Results {
  const { plan, cells } = results;
  if (plan.cells.every(isWanted)) return results;
  return {
    ...results,
    plan: { ...plan, cells: plan.cells.filter(isWanted) },
    cells: cells.filter(isWanted),
  };
}

function ofProxies(results: Results, names: string[]): Results {
  const isOwn = (proxy: string) => proxy === CONTROL || names.includes(proxy);
  const own = withCells(results, ({ proxy }) => isOwn(proxy));
  return {
    ...own,
    proxies: own.proxies.filter(({ name }) => isOwn(name)),
    plan: { ...own.plan, proxies: own.plan.proxies.filter(isOwn) },
  };
}

/** All of comparisons.json but for the comparisons. */
function about(
  results: Results,
  cells: JudgedCell[],
  comparisons: Comparison[],
): Omit<Comparisons, "comparisons"> {
  const { plan, run, proxies } = results;
  const used = new Set(
    comparisons.flatMap(({ settings, beside }) => [settings, beside ?? []].flat()),
  );
  const settings = [...settingsOf(results), ...settingsOfEvents(results)].filter(({ key }) =>
    used.has(key),
  );
  return {
    schema: 1,
    battle: plan.battle,
    title: plan.title,
    startedAt: run.startedAt,
    ...(run.method !== undefined && { method: run.method }),
    rounds: plan.rounds,
    proxies: proxies.map(({ name, title, colour, shape, variantOf, parts }) => ({
      name,
      title,
      ...(colour && { colour }),
      ...(shape && { shape }),
      ...(variantOf && { variantOf: variantOf.proxy }),
      version: versionsOf(results, parts).join(" + ") || null,
    })),
    settings: Object.fromEntries(
      settings.map(({ key, scenario, scheme, parameters, workload }) => [
        key,
        { key, scenario, scheme, parameters, workload },
      ]),
    ),
    flags: runFlags(results, cells),
  };
}

function runFlags(results: Results, cells: JudgedCell[]): Flag[] {
  const { plan, proxies } = results;
  const measured = (hasFigure: (record: JudgedCell["record"]) => boolean) => {
    const names = new Set(results.cells.filter(hasFigure).map(({ proxy }) => proxy));
    return proxies.filter(({ name }) => names.has(name));
  };
  const namesOf = (some: typeof proxies) => some.map(({ name }) => name);
  const ended = new Set(results.cells.map(({ id }) => id));
  const open = plan.cells.filter(({ id, skip }) => !skip && !ended.has(id)).length;
  const ok = cells.filter(({ record }) => record.status === "ok");
  const found = ok.flatMap(({ record, flags }) => flags.map((one) => ({ record, flag: one })));
  const unseen = plan.cells.flatMap(({ proxy, observed }) => (observed === false ? [proxy] : []));
  const unobserved = namesOf(proxies.filter(({ name }) => unseen.includes(name)));
  const free = namesOf(
    measured(({ tls }) => Boolean(tls)).filter(
      ({ choosesTls13Cipher }) => choosesTls13Cipher === false,
    ),
  );
  const variants = measured(() => true).flatMap(({ name, variantOf }) =>
    variantOf ? [{ proxy: name, of: variantOf.proxy, differs: variantOf.differs }] : [],
  );
  return [
    ...(open > 0 ? [flag("incomplete", "weak", { open, planned: plan.cells.length })] : []),
    ...summedUp(found, ok.length),
    ...sharedCores(cells),
    ...oneMachine(cells),
    ...(unobserved.length > 0 ? [flag("unobserved", "note", { proxies: unobserved })] : []),
    ...(free.length > 0 ? [flag("client-chooses-cipher", "note", { proxies: free })] : []),
    ...(variants.length > 0 ? [flag("variants", "note", { variants })] : []),
  ];
}

function sharedCores(cells: JudgedCell[]): Flag[] {
  const shared = cells.filter(
    ({ counted, record }) =>
      counted &&
      record.machine &&
      record.loadCores >= record.machine.cores &&
      isWithProxy(record, "load"),
  );
  if (shared.length === 0) return [];
  const busy = shared.flatMap(({ measures }) => measures.machine_busy_percent ?? []);
  const figures = { cores: shared[0].record.loadCores, busyPercent: median(busy) };
  return [flag("shared-cores", "note", figures)];
}

/** One for each machine that has several engines of hosts.yaml. */
function oneMachine(cells: JudgedCell[]): Flag[] {
  const groups = cells.flatMap(({ record }) =>
    Object.entries(record.machines ?? {}).flatMap(([name, { sameMachineAs }]) =>
      sameMachineAs ? [[name, ...sameMachineAs].sort()] : [],
    ),
  );
  const each = new Map(groups.map((names) => [names.join(), names]));
  return [...each.values()].map((names) => flag("one-machine", "note", { names }));
}

/** Keys of an environment's identity that only a run with that proxy has. */
const OF_PROXIES = /^(image of |proxies\/)/;

/** What both have must be the same, and beyond that each may have proxies of its own. */
function isSameEnvironment(a: Environment["identity"], b: Environment["identity"]): boolean {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) =>
    key in a && key in b ? a[key] === b[key] : OF_PROXIES.test(key),
  );
}

/** A number in comparisons.json has eight digits, so that it does not grow with noise. */
const DIGITS = 8;

/** comparisons.json: one comparison a line, so that a change of one shows as that. */
export function comparisonsJson({ comparisons, ...head }: Comparisons): string {
  const short = (_: string, value: unknown) =>
    typeof value === "number" && !Number.isInteger(value) ? +value.toPrecision(DIGITS) : value;
  const lines = comparisons.map((one) => `    ${JSON.stringify(one, short)}`);
  const opening = JSON.stringify(head, short, 2).replace(/\n}$/, "");
  return `${opening},\n  "comparisons": [\n${lines.join(",\n")}\n  ]\n}\n`;
}
