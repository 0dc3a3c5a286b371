/**
 * Whether a load kept a promise, and whose fault it was where it did not: of the proxy, or of what
 * measures it.
 */
import { takenByOthers, STEAL_LIMIT_PERCENT, FOREIGN_LIMIT_PERCENT } from "./disturbance.ts";
import { LEAST_SAMPLES } from "../plan/probes.ts";
import type { Broken, CellRecord, Judgement, Limit } from "../model/cell.ts";
import type { LoadPromise } from "../model/plan.ts";

/** A generator that is busier than this, in % of the cores that it may use, measures itself. */
export const GENERATOR_LIMIT_PERCENT = 80;
/**
 * On a machine that is busier, in % of its cores, whatever is ready to run waits for a core. A
 * generator that shares the cores with what it measures gets no more than its part of them, so its
 * own limit never tells.
 */
export const MACHINE_LIMIT_PERCENT = 90;
/**
 * Where more of what was due began late, in %, the highest percentile that is promised may be the
 * generator's own lateness.
 */
export const LATE_LIMIT_PERCENT = 1;

type Judged = Pick<
  CellRecord,
  "measured" | "connections" | "sends" | "handshakeMs" | "echoLatencyMs" | "containers" | "machine"
>;

/** @param record of an open loop */
export function judge(
  record: Judged,
  promise: LoadPromise,
  {
    holdsConnections,
    generatorCores,
  }: {
    /** messages on connections that are held are what is due; else connections are */
    holdsConnections: boolean;
    /** that its generators may use at most */
    generatorCores: number;
  },
): Judgement {
  const broken = brokenOf(record, promise, holdsConnections);
  const limits = broken.length === 0 ? [] : limitsOf(record, generatorCores);
  const verdict = broken.length === 0 ? "holds" : limits.length > 0 ? "limited" : "fails";
  const latency = holdsConnections ? record.echoLatencyMs : record.handshakeMs;
  return ofEnough({ verdict, broken, limits }, latency?.count ?? 0);
}

/**
 * A load keeps to its p99 where at most 1 in 100 of its latencies is above: what was measured
 * decides, without a test of its own, as latencies of a queue are late together, and a binomial
 * test takes them as independent. That chance has a part is left to the curve through all probes,
 * and to fresh cells. From fewer latencies than `LEAST_SAMPLES` not even none that is late would
 * tell.
 *
 * @param samples latencies that it rests on
 * @returns with too few: says nothing, unless something else was broken
 */
export function ofEnough(judgement: Judgement, samples: number): Judgement {
  const { broken, limits } = judgement;
  const isOfP99 = broken.every((what) => what === "p99");
  if (samples >= LEAST_SAMPLES || !isOfP99) return judgement;
  return { verdict: "limited", broken, limits: [...limits, "samples"] };
}

/** @returns what it did not keep */
function brokenOf(
  record: Judged,
  { sloMs, failedPercent, sentPercent }: LoadPromise,
  holdsConnections: boolean,
): Broken[] {
  const { connections, sends } = record;
  const latency = holdsConnections ? record.echoLatencyMs : record.handshakeMs;
  const due = sends?.due ?? 0;
  const broken: Broken[] = [];
  // Where nothing came back there is no latency at all.
  if (!(latency && latency.p99 <= sloMs)) broken.push("p99");
  const asked = connections?.asked ?? 0;
  if (!(connections && 100 * connections.failed <= failedPercent * asked)) broken.push("failures");
  if (!(sends && due > 0 && 100 * (due - sends.dropped) >= sentPercent * due))
    broken.push("sending");
  return broken;
}

/** @returns what measures was at: its figures say nothing about the proxy */
function limitsOf(record: Judged, generatorCores: number): Limit[] {
  const { measured, machine, containers, sends } = record;
  const seconds = measured ? (measured.toMs - measured.fromMs) / 1000 : 0;
  if (!(seconds > 0)) return [];
  const limits: Limit[] = [];
  const generator = Object.values(containers)
    .filter(({ role }) => role === "load")
    .reduce((sum, { cpu }) => sum + cpu.totalSeconds, 0);
  const isBusy = 100 * generator > GENERATOR_LIMIT_PERCENT * generatorCores * seconds;
  const isLate = sends !== null && 100 * sends.late > LATE_LIMIT_PERCENT * sends.due;
  if (isBusy || isLate) limits.push("generator");
  if (machine) {
    const isFull = 100 * machine.busySeconds > MACHINE_LIMIT_PERCENT * machine.cores * seconds;
    const { steal, foreign } = takenByOthers(record) ?? { steal: 0, foreign: 0 };
    const isTaken = steal > STEAL_LIMIT_PERCENT.invalid || foreign > FOREIGN_LIMIT_PERCENT.invalid;
    if (isFull || isTaken) limits.push("machine");
  }
  return limits;
}
