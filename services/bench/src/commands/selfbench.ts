/**
 * `selfbench`: measures the benchmark itself, its overhead, run-to-run spread and false positives,
 * with runs of its own, and compares them with what the project promises.
 */
import { join } from "node:path";
import { median } from "simple-statistics";
import { measuresOf } from "../analyse/measures.ts";
import { readBattle } from "../plan/battle.ts";
import { readNetwork, readReferenceShare } from "../plan/knobs.ts";
import { makeAaPlan, makePlan } from "../plan/plan.ts";
import { CONTROL, readProxies } from "../plan/proxies.ts";
import { workloadOf } from "../plan/workload.ts";
import { isDisturbed } from "../record/disturbance.ts";
import { begin } from "./run.ts";
import { mannWhitney, spreadPercent } from "../statistics/index.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Plan, Workload } from "../model/plan.ts";

/** Whose spread is promised: the two whose difference people ask for. */
const PROXIES = ["nginx", "haproxy"];
const COMPARISONS = 20;
const ROUNDS_A_COMPARISON = 6;
const LEVEL = 0.05;
/** Of CPU per connection against the reference, over rounds. */
const SPREAD_PERCENT = 2;
const RAW = "cpu_us_per_connection";
const AGAINST_REFERENCE = "cpu_per_connection_to_reference";

interface Figure {
  title: string;
  found: string;
  promised: string;
  reached: boolean;
}

type Cell = CellRecord & { workload: Workload };

/**
 * @param directory the project's
 * @returns exit status: 1 when a figure is not reached
 */
export async function selfbench(directory: string, say: (line: string) => void): Promise<number> {
  const proxies = readProxies(join(directory, "proxies"));
  const context = { directory, proxies, keepGoing: true, say };
  const large = readBattle(directory, "selfbench", { proxies });
  const small = readBattle(directory, "quick", { proxies });

  const known = {
    proxies,
    referenceShare: readReferenceShare(directory),
    network: readNetwork(directory),
  };
  const spread = makePlan(large, { proxies: PROXIES }, known);
  const observed = withoutControl(
    makeAaPlan(large, { proxy: PROXIES[0], overrides: { schemes: ["ws"] } }, known),
  );
  for (const cell of observed.cells) cell.observed = cell.proxy === cell.profile;
  const alarms = withoutControl(
    makeAaPlan(
      small,
      {
        proxy: PROXIES[0],
        overrides: { schemes: ["ws"], rounds: COMPARISONS * ROUNDS_A_COMPARISON },
      },
      known,
    ),
  );

  const runs: [plan: Plan, name: string, judge: (cells: Cell[]) => Figure[]][] = [
    [
      spread,
      "selfbench-spread",
      (cells) => [
        overhead(cells),
        ...PROXIES.flatMap((proxy) => variation(cells, proxy)),
        observersShare(cells),
      ],
    ],
    [observed, "selfbench-observers", (cells) => [observersEffect(cells)]],
    [alarms, "selfbench-aa", (cells) => [falseAlarms(cells)]],
  ];
  const figures: Figure[] = [];
  for (const [plan, name, judge] of runs) {
    const { code, store } = await begin(context, plan, name, ["selfbench"]);
    if (code === 130) return code;
    const cells = store.results.cells
      .filter((record) => record.status === "ok" && !isDisturbed(record))
      .map((cell) => ({ ...cell, workload: workloadOf(plan, cell) }));
    figures.push(...judge(cells));
  }
  for (const { title, found, promised, reached } of figures)
    console.log(
      `${reached ? "reached    " : "NOT REACHED"}  ${title}: ${found} (promised: ${promised})`,
    );
  return figures.every(({ reached }) => reached) ? 0 : 1;
}

function withoutControl(plan: Plan): Plan {
  return {
    ...plan,
    proxies: plan.proxies.filter((name) => name !== CONTROL),
    cells: plan.cells.filter(({ proxy }) => proxy !== CONTROL),
  };
}

/**
 * Time from the end of one cell to the end of the next, without warm-up and measured phase.
 *
 * @param cells in the order in which they ran
 */
export function overhead(cells: CellRecord[]): Figure {
  const seconds = cells.slice(1).map(({ startedAt }, i) => {
    const { startedAt: before, phases } = cells[i];
    return (
      (Date.parse(startedAt) - Date.parse(before)) / 1000 -
      (phases.warmUp ?? 0) -
      (phases.measure ?? 0)
    );
  });
  const found = median(seconds);
  return {
    title: "overhead of a cell beyond warm-up and measured phase, median",
    found: `${found.toFixed(2)} s over ${seconds.length} cells`,
    promised: "at most 6 s",
    reached: found <= 6,
  };
}

/** @returns one a scheme */
export function variation(cells: Cell[], proxy: string): Figure[] {
  return [...new Set(cells.map(({ scheme }) => scheme))].map((scheme) => {
    const own = cells.filter((cell) => cell.proxy === proxy && cell.scheme === scheme);
    const [raw, held] = [RAW, AGAINST_REFERENCE].map(
      (measure) => spreadPercent(own.map((cell) => figureOf(cell, measure))) ?? NaN,
    );
    const against = Number.isNaN(held)
      ? "nothing to hold it against (REFERENCE_SHARE)"
      : `${held.toFixed(1)} % against the reference`;
    return {
      title: `CPU per connection of ${proxy} over ${scheme}, standard deviation`,
      found: `${against}, ${raw.toFixed(1)} % as measured, over ${own.length} rounds`,
      promised: `at most ${SPREAD_PERCENT} % against the reference`,
      reached: held <= SPREAD_PERCENT,
    };
  });
}

function observersShare(cells: Cell[]): Figure {
  const shares = cells.map((cell) => measuresOf(cell, cell.workload).observers_cpu_percent);
  const found = Math.max(...shares);
  return {
    title:
      "CPU of cAdvisor, InfluxDB and runner in the measured phase, largest share of all CPU used",
    found: `${found.toFixed(1)} %, median ${median(shares).toFixed(1)} %`,
    promised: "at most 5 %",
    reached: found <= 5,
  };
}

/** @param cells half of them without observers, labelled as the copy */
function observersEffect(cells: Cell[]): Figure {
  const on = cpuPerConnection(cells.filter(({ proxy }) => proxy === PROXIES[0]));
  const off = cpuPerConnection(cells.filter(({ proxy }) => proxy !== PROXIES[0]));
  const { p } = mannWhitney(on, off);
  return {
    title: `CPU per connection of ${PROXIES[0]} with observers, against without`,
    found: `ratio ${(median(on) / median(off)).toFixed(3)} of medians over ${on.length} and ${off.length} rounds, p = ${p.toFixed(2)}`,
    promised: `no difference seen at the ${100 * LEVEL} % level`,
    reached: p >= LEVEL,
  };
}

/** @param cells of a proxy and its copy */
export function falseAlarms(cells: Cell[]): Figure {
  let alarms = 0;
  let comparisons = 0;
  for (let first = 1; cells.some(({ round }) => round >= first); first += ROUNDS_A_COMPARISON) {
    const group = cells.filter(
      ({ round }) => round >= first && round < first + ROUNDS_A_COMPARISON,
    );
    const [a, b] = [true, false].map((isOriginal) =>
      cpuPerConnection(group.filter(({ proxy }) => (proxy === PROXIES[0]) === isOriginal)),
    );
    if (a.length === 0 || b.length === 0) continue;
    comparisons += 1;
    if (mannWhitney(a, b).p < LEVEL) alarms += 1;
  }
  return {
    title: `A/A comparisons of ${PROXIES[0]} that saw a difference in CPU per connection`,
    found: `${alarms} of ${comparisons}`,
    promised: `at most 1 of ${COMPARISONS} at the ${100 * LEVEL} % level`,
    reached: alarms <= 1 && comparisons >= COMPARISONS,
  };
}

/** @returns against the reference; as measured where that is turned off */
function cpuPerConnection(cells: Cell[]): number[] {
  const held = cells.map((cell) => figureOf(cell, AGAINST_REFERENCE));
  return held.every(Number.isFinite) ? held : cells.map((cell) => figureOf(cell, RAW));
}

/** @returns NaN: it has none */
function figureOf(cell: Cell, measure: string): number {
  return measuresOf(cell, cell.workload)[measure] ?? NaN;
}
