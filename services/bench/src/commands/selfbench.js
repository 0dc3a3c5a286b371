/**
 * `selfbench`: measures the benchmark itself, its overhead, run-to-run spread and false positives, with runs of its own, and
 * compares them with what the project promises.
 */
import { join } from "node:path";
import { median } from "simple-statistics";
import { measuresOf } from "../analyse/measures.js";
import { readBattle } from "../plan/battle.js";
import { readNetwork, readReferenceShare } from "../plan/knobs.js";
import { makeAaPlan, makePlan } from "../plan/plan.js";
import { CONTROL, readProxies } from "../plan/proxies.js";
import { workloadOf } from "../plan/workload.js";
import { isDisturbed } from "../record/disturbance.js";
import { begin } from "./run.js";
import { mannWhitney, spreadPercent } from "../statistics/index.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { Plan } from "../model/plan.ts" */

/** Whose spread is promised: the two whose difference people ask for. */
const PROXIES = ["nginx", "haproxy"];
const COMPARISONS = 20;
const ROUNDS_A_COMPARISON = 6;
const LEVEL = 0.05;
/** Of CPU per connection against the reference, over rounds. */
const SPREAD_PERCENT = 2;
const RAW = "cpu_us_per_connection";
const AGAINST_REFERENCE = "cpu_per_connection_to_reference";

/**
 * @typedef {object} Figure
 * @property {string} title
 * @property {string} found
 * @property {string} promised
 * @property {boolean} reached
 *
 * @typedef {CellRecord & {workload: import("../model/plan.ts").Workload}} Cell
 */

/**
 * @param {string} directory the project's
 * @param {(line: string) => void} say
 * @returns {Promise<number>} exit status: 1 when a figure is not reached
 */
export async function selfbench(directory, say) {
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

  /** @type {[plan: Plan, name: string, judge: (cells: Cell[]) => Figure[]][]} */
  const runs = [
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
  /** @type {Figure[]} */
  const figures = [];
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

/** @param {Plan} plan @returns {Plan} */
function withoutControl(plan) {
  return {
    ...plan,
    proxies: plan.proxies.filter((name) => name !== CONTROL),
    cells: plan.cells.filter(({ proxy }) => proxy !== CONTROL),
  };
}

/**
 * Time from the end of one cell to the end of the next, without warm-up and measured phase.
 *
 * @param {CellRecord[]} cells in the order in which they ran
 * @returns {Figure}
 */
export function overhead(cells) {
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

/**
 * @param {Cell[]} cells
 * @param {string} proxy
 * @returns {Figure[]} one a scheme
 */
export function variation(cells, proxy) {
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

/**
 * @param {Cell[]} cells
 * @returns {Figure}
 */
function observersShare(cells) {
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

/**
 * @param {Cell[]} cells half of them without observers, labelled as the copy
 * @returns {Figure}
 */
function observersEffect(cells) {
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

/**
 * @param {Cell[]} cells of a proxy and its copy
 * @returns {Figure}
 */
export function falseAlarms(cells) {
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

/**
 * @param {Cell[]} cells
 * @returns {number[]} against the reference; as measured where that is turned off
 */
function cpuPerConnection(cells) {
  const held = cells.map((cell) => figureOf(cell, AGAINST_REFERENCE));
  return held.every(Number.isFinite) ? held : cells.map((cell) => figureOf(cell, RAW));
}

/**
 * @param {Cell} cell
 * @param {string} measure
 * @returns {number} NaN: it has none
 */
function figureOf(cell, measure) {
  return measuresOf(cell, cell.workload)[measure] ?? NaN;
}
