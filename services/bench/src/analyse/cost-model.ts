/**
 * What a proxy costs under a load that nobody measured: a sum of terms, whose coefficients come from
 * the comparisons of one run (battles/cost.yaml).
 *
 *     cores  = a + b N + c C + d m + e (m + C) bytes + f w ln(1,000 / w), w = m + 3 C below 1,000
 *     memory = a + b N + c C + d m + e m bytes
 *
 * N connections are held, m messages per second are echoed on them, C more connections per second
 * come, send one message each and go. w is how often all that wakes the proxy up, three times for a
 * connection: what follows at once finds it awake and its code in the caches, so an operation costs
 * less the more there are. Beyond what was measured it is taken to cost no less.
 *
 * CPU is that of a machine as fast as in the median of each setting, by the reference beside the
 * proxy: between two rounds, 20 minutes apart, the machine of published/cost/2026-11-27 became 17 %
 * slower, and a figure relative to the reference changed by 4 %. So the model holds for a machine
 * that has a quarter more to do than the proxy's load.
 *
 * In that run it is off by 3.9 % (root mean square). With a root of the rate instead of the
 * logarithm, 5.2 %, and at 250 messages per second 9 % too low for each of six proxies: so it
 * predicted the first mixed loads (commit 43ecedc9), 8 % too low. Of the twelve of
 * published/mixed/2026-11-28, predicted before they were measured, it came within 10 % of at least
 * ten for each proxy, relative to the reference.
 */
import type { Comparison, Comparisons, Estimate, Figure } from "../model/comparison.ts";
import type { Scheme, Workload } from "../model/plan.ts";
import { isPaced } from "../plan/workload.ts";
import { fittedAt, leastSquares, meanRatio } from "../statistics/index.ts";
import type { LinearFit } from "../statistics/least-squares.ts";
import { estimateOf } from "./figures.ts";
import { CONFIDENCE, holdsForSeconds } from "./settings.ts";

/** The battle whose comparisons a model is made of. */
export const COST_BATTLE = "cost";

export interface Load {
  scheme: Scheme;
  /** Held. */
  connections: number;
  messagesPerSecond: number;
  messageBytes: number;
  /** That come, send one message each, and go. */
  newPerSecond: number;
}

/** What `Load` may be, to be inside of what was measured. */
type Limits = Record<Exclude<keyof Load, "scheme">, number> & { leastPerSecond: number };

interface ProxyModel {
  proxy: string;
  title: string;
  /** null: too few of its settings were measured. */
  cpu: LinearFit | null;
  memory: LinearFit | null;
}

/** Of each scheme that was measured. */
export type CostModel = Partial<Record<Scheme, SchemeModel>>;

interface SchemeModel {
  limits: Limits;
  proxies: ProxyModel[];
  /** Cores that the reference would need for the whole load. null: as for a proxy */
  reference: LinearFit | null;
}

export interface ProxyCost {
  proxy: string;
  title: string;
  cores: Estimate | null;
  bytes: Estimate | null;
}

/** Below that, CPU time is the same whatever the load: all its error is not in proportion. */
const LEAST_CORES = 0.01;

/** Terms of the sums. The pages have them too, as their own source: they use nothing else. */
export function cpuTerms(load: Omit<Load, "scheme">): number[] {
  const { connections, messagesPerSecond, newPerSecond, messageBytes } = load;
  const bytesPerSecond = (messagesPerSecond + newPerSecond) * messageBytes;
  const wakeUps = messagesPerSecond + 3 * newPerSecond;
  const rare = wakeUps > 0 && wakeUps < 1000 ? wakeUps * Math.log(1000 / wakeUps) : 0;
  return [1, connections, newPerSecond, messagesPerSecond, bytesPerSecond, rare];
}

export function memoryTerms(load: Omit<Load, "scheme">): number[] {
  const { connections, messagesPerSecond, newPerSecond, messageBytes } = load;
  return [1, connections, newPerSecond, messagesPerSecond, messagesPerSecond * messageBytes];
}

export function costModel(run: Comparisons): CostModel {
  const measured = measuredIn(run).filter(({ isMix }) => !isMix);
  return Object.fromEntries(
    [...Map.groupBy(measured, ({ load }) => load.scheme)].map(([scheme, own]) => [
      scheme,
      {
        limits: limitsOf(own.map(({ load }) => load)),
        proxies: modelsOf(run, own),
        reference: cpuFit(
          own.flatMap(({ load, referenceCores }) =>
            referenceCores === null ? [] : [[load, referenceCores]],
          ),
        ),
      },
    ]),
  );
}

/** A load, and what was measured under it. */
type Point = [load: Load, y: number];

function cpuFit(points: Point[]): LinearFit | null {
  return leastSquares(
    points.map(([load, y]) => ({ x: cpuTerms(load), y, scale: y + LEAST_CORES })),
  );
}

function memoryFit(points: Point[]): LinearFit | null {
  return leastSquares(points.map(([load, y]) => ({ x: memoryTerms(load), y, scale: y })));
}

function modelsOf({ proxies }: Comparisons, measured: Measured[]): ProxyModel[] {
  const pointsOf = (proxy: string, what: "cores" | "bytes") =>
    measured.flatMap((one) => (one[what].get(proxy) ?? []).map((y): Point => [one.load, y]));
  const known = new Set(measured.flatMap(({ cores }) => [...cores.keys()]));
  return proxies
    .filter(({ name }) => known.has(name))
    .map(({ name, title }) => ({
      ...{ proxy: name, title },
      cpu: cpuFit(pointsOf(name, "cores")),
      memory: memoryFit(pointsOf(name, "bytes")),
    }));
}

/** @param speed CPU time of this machine, to that of the run's: `machineSpeed` */
export function costsOf(model: CostModel, load: Load, speed = 1): ProxyCost[] {
  const at = (fit: LinearFit | null, terms: number[], factor: number): Estimate | null => {
    const told = fit && estimateOf(fittedAt(fit, terms, CONFIDENCE));
    if (!told) return null;
    const { value, low, high, basis } = told;
    const end = (one: number | null) => one && factor * Math.max(0, one);
    return { value: factor * value, low: end(low), high: end(high), basis };
  };
  return (model[load.scheme]?.proxies ?? []).map(({ proxy, title, cpu, memory }) => ({
    ...{ proxy, title },
    cores: at(cpu, cpuTerms(load), speed),
    bytes: at(memory, memoryTerms(load), 1),
  }));
}

/**
 * What the reference would need for the whole load, in cores on the machine of the model's run.
 *
 * @returns null: it was measured in too few settings of that scheme
 */
export function referenceCoresOf(model: CostModel, load: Load): number | null {
  const reference = model[load.scheme]?.reference;
  return reference ? fittedAt(reference, cpuTerms(load), CONFIDENCE).value : null;
}

/** What of a load lies outside of all that was measured, with the limit. */
export function outsideOf(model: CostModel, load: Load): { what: keyof Limits; limit: number }[] {
  const limits = model[load.scheme]?.limits;
  if (!limits) return [];
  const perSecond = operationsOf(load);
  const above = (
    ["connections", "messagesPerSecond", "messageBytes", "newPerSecond"] as const
  ).flatMap((what) => (load[what] > limits[what] ? [{ what, limit: limits[what] }] : []));
  const isBelow = perSecond > 0 && perSecond < limits.leastPerSecond;
  const below = { what: "leastPerSecond", limit: limits.leastPerSecond } as const;
  return [...above, ...(isBelow ? [below] : [])];
}

function operationsOf({ messagesPerSecond, newPerSecond }: Load): number {
  return messagesPerSecond + newPerSecond;
}

function limitsOf(loads: Load[]): Limits {
  const most = (what: Exclude<keyof Load, "scheme">) =>
    Math.max(...loads.map((load) => load[what]));
  const perSecond = loads.map(operationsOf).filter((each) => each > 0);
  return {
    connections: most("connections"),
    messagesPerSecond: most("messagesPerSecond"),
    messageBytes: most("messageBytes"),
    newPerSecond: most("newPerSecond"),
    leastPerSecond: Math.min(...perSecond),
  };
}

/**
 * CPU time of one run's machine to that of another's: what the reference cost in the settings that
 * both have, beside the same proxies, as its cost depends on those.
 *
 * @returns null: they have none in common
 */
export function machineSpeed(run: Comparisons, base: Comparisons): Estimate | null {
  const costs = referenceCosts(base);
  const ratios = [...referenceCosts(run)].flatMap(([key, us]) => {
    const other = costs.get(key);
    return other ? [us / other] : [];
  });
  return estimateOf(meanRatio(ratios, CONFIDENCE));
}

/** µs of the reference per operation, by setting and proxy beside it. */
function referenceCosts({ comparisons }: Comparisons): Map<string, number> {
  return new Map(
    comparisons.flatMap(({ id, figures }) =>
      figures.flatMap(({ proxy, extra: { spread, toReference } }): [string, number][] =>
        spread && toReference ? [[`${id} ${proxy}`, spread.rawUs / toReference]] : [],
      ),
    ),
  );
}

/** A load that was measured, and what each proxy cost under it: a value of each round. */
interface Measured {
  setting: string;
  load: Load;
  /** Connections are held, carry messages, come and go at once. */
  isMix: boolean;
  /** For the whole load, at what an operation of its share cost the reference. null: it had none */
  referenceCores: number | null;
  cores: Map<string, number[]>;
  bytes: Map<string, number[]>;
}

/**
 * Of settings at a rate, or without any message: what is done as fast as it goes has no load. CPU of
 * a mix is known beside the reference only, as that of a model.
 */
export function measuredIn({ settings, comparisons }: Comparisons): Measured[] {
  return Object.values(settings).flatMap(({ key, scheme, workload }) => {
    const cpu = cpuOf(workload);
    if (!cpu) return [];
    const figuresOf = (question: string) =>
      comparisons.find((one) => one.question === question && isOf(one, key))?.figures ?? [];
    const isMix = workload.arrivalsPerSecond !== undefined;
    const load = loadOf(scheme, workload);
    const figures = figuresOf(cpu.question).filter(({ extra }) => !isMix || extra.held);
    const referenceUs = figures.find(({ extra }) => extra.referenceUs)?.extra.referenceUs;
    return [
      {
        ...{ setting: key, load, isMix },
        referenceCores: referenceUs ? (referenceUs * operationsOf(load)) / 1e6 : null,
        cores: valuesOf(figures, cpu.perSecond),
        bytes: valuesOf(figuresOf("proxy_memory_peak_usage_bytes"), 1),
      },
    ];
  });
}

const isOf = ({ settings }: Comparison, key: string) =>
  settings.length === 1 && settings[0] === key;

/**
 * The question that answers how many cores it takes: by CPU time per operation where there is one
 * kind of them, as a Poisson process brings more or fewer than its rate says.
 */
function cpuOf(workload: Workload): { question: string; perSecond: number } | null {
  const { connectionsPerSecond = 0, messagesPerSecond = 0, intervalSeconds = 0 } = workload;
  if (isPaced(workload))
    return workload.messages === 1
      ? { question: "cpu_us_per_connection", perSecond: connectionsPerSecond / 1e6 }
      : null;
  if (!holdsForSeconds(workload)) return null;
  if (workload.arrivalsPerSecond || (messagesPerSecond === 0 && intervalSeconds === 0))
    return { question: "proxy_cpu_cores", perSecond: 1 };
  return messagesPerSecond > 0
    ? { question: "cpu_us_per_message", perSecond: messagesPerSecond / 1e6 }
    : null;
}

/** As a battle's setting has it. */
export function loadOf(scheme: Scheme, workload: Workload): Load {
  const { connections = 0, messagesPerSecond = 0, connectionsPerSecond = 0 } = workload;
  const { arrivalsPerSecond = 0 } = workload;
  const newPerSecond = isPaced(workload) ? connectionsPerSecond : arrivalsPerSecond;
  // Where none is sent, none has a size.
  const isSilent = messagesPerSecond + newPerSecond === 0;
  const messageBytes = isSilent ? 0 : (workload.messageBytes ?? 0);
  return { scheme, connections, messagesPerSecond, messageBytes, newPerSecond };
}

function valuesOf(figures: Figure[], factor: number): Map<string, number[]> {
  return new Map(
    figures
      .filter(({ role, rounds }) => role === "proxy" && rounds.length > 0)
      .map(({ proxy, rounds, extra: { held = rounds } }) => [
        proxy,
        held.map((value) => factor * value),
      ]),
  );
}
