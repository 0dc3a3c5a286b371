/**
 * How long cells take: before a run from figures measured for this project, during it from what
 * cells really took.
 */
import { median } from "simple-statistics";
import { groupsOf } from "./side-by-side.ts";
import { probeParameters } from "./probes.ts";
import { isPaced, rampSeconds, rateName, withReference, workloadOf } from "./workload.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Plan, PlannedCell, Scheme, Workload } from "../model/plan.ts";

/** How often a cell is run at once before it counts as failed. */
export const ATTEMPTS = 2;

/**
 * Start, verify, k6's start and stop: 2.0 s in the median on 2 cores (`./bench selfbench`, 36
 * cells).
 */
const OVERHEAD_SECONDS = 2;

/** What is read of the proxy after the load has ended, and the preparations before the event. */
const EVENT_OVERHEAD_SECONDS = 4;

/**
 * Rates that a search tries: four doublings, two that fail, two that divide what is left, then five
 * near the limit, which is taken to be 16 times the first rate. Each has its pause, the start and
 * the end of the generator, and what waits for its timeout where the rate is too high.
 */
const DOUBLINGS = [1, 2, 4, 8, 16, 32, 32, 22, 19];
const NEAR_LIMIT = Array.from({ length: 5 }, () => 16);
const PROBE_OVERHEAD_SECONDS = 3;

/**
 * Short connections with one message of 1 KiB, on 2 cores: the slower proxies' medians in the
 * published run of `balancerbattle` (results/) were 1,300 and 780, those of others 2,300 and 1,160.
 */
const CONNECTIONS_PER_SECOND: Record<Scheme, number> = { ws: 1250, wss: 625 };

/**
 * Further messages on an open connection. Not measured yet: k6 alone uses 58 µs of CPU a message;
 * with proxy and echo server using as much each, 2 cores would reach 11,000. Half of that.
 */
const MESSAGES_PER_SECOND: Record<Scheme, number> = { ws: 5000, wss: 4000 };

/**
 * Requests of HTTP, a new connection each, and the bytes of what they ask for. The slower servers
 * in the published run of `files` (results/): 3,700 to 5,000 small files per second, 1,050 to 1,500
 * over TLS; 6 to 7 s and 10 to 11 s for 5,000 files of 768 KiB.
 */
const REQUESTS: Record<Scheme, { perSecond: number; bytesPerSecond: number }> = {
  ws: { perSecond: 4000, bytesPerSecond: 700e6 },
  wss: { perSecond: 1250, bytesPerSecond: 600e6 },
};

/**
 * @param cells of it; left out: all
 * @returns seconds; cells that are skipped take none
 */
export function estimateSeconds(
  plan: Pick<Plan, "cells" | "proxyCpus" | "scenarios" | "sideBySide">,
  cells: PlannedCell[] = plan.cells,
): number {
  return secondsOf(plan, cells, (cell) => cellSeconds(plan, cell));
}

/**
 * @param cells of it
 * @param of seconds of one
 * @returns of all; of those that run at once the longest counts
 */
function secondsOf(
  plan: Pick<Plan, "sideBySide">,
  cells: PlannedCell[],
  of: (cell: PlannedCell) => number,
): number {
  return groupsOf(plan, cells).reduce((sum, group) => sum + Math.max(...group.map(of)), 0);
}

function cellSeconds(plan: Pick<Plan, "proxyCpus" | "scenarios">, cell: PlannedCell) {
  const { scheme, parameters, warmUp, skip, capacity, event } = cell;
  if (skip !== null) return 0;
  const seconds = (phase: Pick<PlannedCell, "scenario" | "parameters">) =>
    phaseSeconds(workloadOf(plan, phase), scheme, plan.proxyCpus);
  return (
    OVERHEAD_SECONDS +
    (event ? EVENT_OVERHEAD_SECONDS : 0) +
    (warmUp ? seconds({ ...cell, parameters: { ...parameters, ...warmUp } }) : 0) +
    (capacity ? probesOf(plan, cell, seconds) : seconds(cell))
  );
}

/** @returns of a search all its probes; of a fresh cell one near the limit */
function probesOf(
  plan: Pick<Plan, "scenarios">,
  cell: PlannedCell,
  seconds: (phase: Pick<PlannedCell, "scenario" | "parameters">) => number,
) {
  const workload = workloadOf(plan, cell);
  const first = cell.parameters[String(rateName(workload))];
  const of = (times: number, isNear: boolean) =>
    seconds({
      ...cell,
      parameters: probeParameters(workload, cell.parameters, times * first, { isNear }),
    });
  if (cell.capacity?.part === "fresh") return of(NEAR_LIMIT[0], true);
  const all = [
    ...DOUBLINGS.map((times) => of(times, false)),
    ...NEAR_LIMIT.map((times) => of(times, true)),
  ];
  return all.reduce((sum, one) => sum + one + PROBE_OVERHEAD_SECONDS, 0);
}

/**
 * Generous: ten times the estimate of the work, the time that parameters set, and once the longest
 * that a single connection may take. A cell that hangs still ends.
 *
 * @param proxyCpus 0: no limit
 * @returns whole seconds after which the measured phase has failed
 */
export function limitSeconds(workload: Workload, scheme: Scheme, proxyCpus: number): number {
  const { timeoutSeconds = 0, phaseSeconds: timed = 0 } = workload;
  const work = Math.ceil(10 * workSeconds(workload, scheme, proxyCpus));
  return work + Math.ceil(timed) + timeoutSeconds + 60;
}

/** Opening, work, and waiting for what a proxy lets go of. */
function phaseSeconds(workload: Workload, scheme: Scheme, proxyCpus: number) {
  const { phaseSeconds: timed = 0, settleSeconds = 0 } = workload;
  const work = timed === 0 ? workSeconds(workload, scheme, proxyCpus) : 0;
  return rampSeconds(workload) + timed + work + settleSeconds;
}

/**
 * @returns of connections and messages that are done as fast as the machine can, or as the load's
 *   rate lets it
 */
function workSeconds(workload: Workload, scheme: Scheme, proxyCpus: number): number {
  const { messages = 1, fileBytes = 0 } = workload;
  const connections = withReference(workload.connections ?? 1, workload);
  const requests = withReference(workload.requests ?? 0, workload);
  const { perSecond, bytesPerSecond } = REQUESTS[scheme];
  const seconds =
    connections / CONNECTIONS_PER_SECOND[scheme] +
    (connections * (messages - 1)) / MESSAGES_PER_SECOND[scheme] +
    requests / perSecond +
    (requests * fileBytes) / bytesPerSecond;
  // With less than a core, the proxy is what the rest waits for.
  const atFullSpeed = proxyCpus > 0 ? seconds / Math.min(1, proxyCpus) : seconds;
  if (!isPaced(workload)) return atFullSpeed;
  // Those to the reference proxy come between the others.
  const { connections: due = 1, connectionsPerSecond: rate = 1 } = workload;
  return Math.max(atFullSpeed, due / rate);
}

/**
 * What is left of a run. A cell takes what the same cell took in other rounds (median); one that
 * has not been run yet takes its estimate, corrected by how all cells so far compare with theirs.
 *
 * @param records of all attempts so far
 * @param toRepeat cells that are run once more, though they ended well
 * @returns seconds
 */
export function estimateRemaining(
  plan: Plan,
  records: CellRecord[],
  toRepeat: readonly PlannedCell[] = [],
): number {
  const over = new Set(
    records
      .filter(({ status, attempt }) => status !== "failed" || attempt >= ATTEMPTS)
      .map(({ id }) => id),
  );
  for (const { id } of toRepeat) over.delete(id);
  const planned = new Map(plan.cells.map((cell) => [cell.id, cell]));
  /** seconds that each kind of cell took */
  const took: Map<string, number[]> = new Map();
  let tookAll = 0;
  let estimatedAll = 0;
  for (const { id, status, phases } of records) {
    const cell = planned.get(id);
    if (status !== "ok" || !cell) continue;
    const seconds = Object.values(phases).reduce((sum, phase) => sum + phase, 0);
    took.set(kindOf(cell), [...(took.get(kindOf(cell)) ?? []), seconds]);
    tookAll += seconds;
    estimatedAll += cellSeconds(plan, cell);
  }
  const correction = estimatedAll > 0 ? tookAll / estimatedAll : 1;
  const left = plan.cells.filter(({ id, skip }) => skip === null && !over.has(id));
  return secondsOf(plan, left, (cell) => {
    const known = took.get(kindOf(cell));
    return known ? median(known) : correction * cellSeconds(plan, cell);
  });
}

/** @returns the same for the same cell in other rounds */
function kindOf({ proxy, scenario, scheme, parameters, capacity, event }: PlannedCell): string {
  return JSON.stringify([proxy, scenario, scheme, parameters, capacity, event]);
}

/** @returns as precise as an estimate is: `45 s`, `3 min`, `1 h 20 min` */
export function formatDuration(seconds: number): string {
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest ? ` ${rest} min` : ""}`;
}
