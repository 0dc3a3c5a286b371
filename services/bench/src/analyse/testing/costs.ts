/**
 * Made-up results of battles/cost.yaml and battles/mixed.yaml, in which it is known what each part of
 * a load costs. As in `results.ts`, nothing is flagged until a test makes it so.
 */
import { readBattle } from "../../plan/battle.ts";
import { makePlan } from "../../plan/plan.ts";
import { proxies as all, root } from "../../plan/testing/project.ts";
import { workloadOf } from "../../plan/workload.ts";
import { analyse } from "../index.ts";
import { cpuTerms, loadOf, memoryTerms } from "../cost-model.ts";
import type { Load } from "../cost-model.ts";
import { settingsOf } from "../settings.ts";
import { cellRecord, containerRecord, POLICY, runOf } from "./results.ts";
import type { CellRecord } from "../../model/cell.ts";
import type { Comparisons } from "../../model/comparison.ts";
import type { Plan, PlannedCell } from "../../model/plan.ts";

/** Coefficients of the sums of cost-model.ts. */
export interface Truth {
  cpu: number[];
  memory: number[];
}

export const TRUTHS: Record<string, Truth> = {
  nginx: { cpu: [0.001, 1e-7, 400e-6, 40e-6, 2e-9, 60e-6], memory: [20e6, 25e3, 1e3, 100, 0.2] },
  haproxy: { cpu: [0.002, 0, 700e-6, 60e-6, 1e-9, 20e-6], memory: [40e6, 60e3, 0, 0, 0] },
};

export const sumOf = (coefficients: number[], terms: number[]) =>
  coefficients.reduce((sum, coefficient, i) => sum + coefficient * terms[i], 0);

export const coresOf = ({ cpu }: Truth, load: Load) => sumOf(cpu, cpuTerms(load));
export const bytesOf = ({ memory }: Truth, load: Load) => sumOf(memory, memoryTerms(load));

/** The reference gets one operation beside four of the proxy. */
const SHARE = 0.2;
const REFERENCE_US = 300;
const NETWORK = { rxBytes: 1e12, txBytes: 1e12, rxPackets: 1e9, txPackets: 1e9 };

/**
 * @param about speed: CPU time to that of another machine; spread: a figure is off by up to so much;
 *   isWanted: of the plan's cells
 */
export function costRun(
  battle: string,
  {
    speed = 1,
    spread = 0,
    truths = TRUTHS,
    isWanted = () => true,
  }: {
    speed?: number;
    spread?: number;
    truths?: Record<string, Truth>;
    isWanted?: (cell: Pick<PlannedCell, "proxy" | "scenario" | "scheme">) => boolean;
  } = {},
): Comparisons {
  const names = Object.keys(truths);
  const plan = makePlan(
    readBattle(root, battle, { proxies: all }),
    { proxies: names },
    { proxies: all, referenceShare: SHARE },
  );
  const results = runOf({
    ...{ proxies: names, rounds: plan.rounds, spread },
    ...{ settings: settingsOf({ plan }), plan: { battle, referenceShare: SHARE } },
    records: (cell, off) =>
      isWanted(cell) ? [recordOf(plan, cell, truths[cell.proxy], { speed, off })] : [],
  });
  return analyse(results, { policy: POLICY }).comparisons;
}

function recordOf(
  plan: Plan,
  cell: PlannedCell,
  truth: Truth,
  { speed, off }: { speed: number; off: () => number },
): CellRecord {
  const workload = workloadOf(plan, cell);
  const load = loadOf(cell.scheme, workload);
  const { connections: held, messagesPerSecond, newPerSecond, messageBytes } = load;
  const { phaseSeconds: seconds = 0 } = workload;
  const came = newPerSecond * seconds;
  const echoed = messagesPerSecond * seconds + came;
  const opened = held + came;
  const cpuSeconds = speed * off() * coresOf(truth, load) * seconds;
  const record = cellRecord(
    { ...cell, parameters: { CONNECTIONS: opened, MESSAGES: 1, MESSAGE_BYTES: messageBytes } },
    {
      totalSeconds: seconds,
      cpuUsPerHandshake: (1e6 * cpuSeconds) / opened,
      peakBytes: off() * bytesOf(truth, load),
    },
  );
  record.containers[cell.proxy].network = NETWORK;
  const isShared = workload.usesReference && echoed > 0;
  const besides = isShared ? { connections: came / 4, messages: echoed / 4, requests: 0 } : null;
  if (besides)
    record.containers.reference = containerRecord({
      role: "reference",
      cpuSeconds: (speed * REFERENCE_US * besides.messages) / 1e6,
    });
  return {
    ...record,
    parameters: cell.parameters,
    messagesEchoed: echoed,
    sends: { due: echoed, late: 0, dropped: 0 },
    reference: besides,
    connectionsHeld: held > 0 ? { from: held, to: held } : null,
    echoWorkers: [
      {
        connections: came + (held > 0 ? 0 : (besides?.connections ?? 0)),
        messages: echoed + (besides?.messages ?? 0),
        refused: 0,
      },
    ],
  };
}
