/**
 * A pilot: rates that a battle leaves to the machine at hand. Each proxy carries each load once, at
 * the default rate of its scenario; from what that took of the machine follows the rate at which
 * the slowest proxy leaves it as idle as the battle asks.
 */
import { UserError } from "../errors.ts";
import { rateName } from "./workload.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Parameters, PilotedRate, Plan, ScenarioDescription, Scheme } from "../model/plan.ts";
import type { Battle, Test } from "./battle.ts";

/** How long each cell of a pilot is measured. */
const PILOT_SECONDS = 4;
/** The machine's speed varies within minutes: so much of what it may be busy is aimed at. */
const MARGIN = 0.85;

/**
 * @returns that tells its rates: its tests without one, once and for some seconds; null: it says
 *   them itself
 */
export function pilotOf(battle: Battle): Battle | null {
  const tests = battle.tests
    .filter(({ isPiloted }) => isPiloted)
    .map((test) => ({ ...test, parameters: shortened(test), isPiloted: false }));
  if (tests.length === 0) return null;
  const title = `${battle.title}: pilot`;
  return { ...battle, title, published: null, rounds: 1, pilot: null, tests };
}

/** @returns for as long as a pilot takes */
function shortened({ scenario: { parameterNames }, parameters }: Test): Test["parameters"] {
  const { phaseSeconds } = parameterNames;
  return phaseSeconds ? { ...parameters, [phaseSeconds]: [PILOT_SECONDS] } : parameters;
}

/**
 * What the load takes of the machine grows with its rate, what observes takes the same at any. CPU
 * time per operation falls as more come at once, so a rate that is above the pilot's is rather too
 * low than too high.
 *
 * @param results of the pilot, without cells that other programs disturbed
 * @param busyPercent the most that the machine is to be busy
 * @returns one a scheme and combination of parameters
 * @throws {UserError} when the pilot tells no rate for one of them
 */
export function ratesFrom(
  { plan, cells }: { plan: Plan; cells: CellRecord[] },
  busyPercent: number,
): PilotedRate[] {
  const loads = Map.groupBy(plan.cells, ({ scenario, scheme, parameters }) =>
    JSON.stringify([scenario, scheme, parameters]),
  );
  return [...loads.values()].map((planned) => {
    const [{ scenario, scheme, parameters }] = planned;
    const name = rateName(plan.scenarios[scenario]);
    if (!name) throw new Error(`${scenario} has no rate to compute`);
    const ids = planned.map(({ id }) => id);
    const carried = cells.filter(({ id, status }) => status === "ok" && ids.includes(id));
    // Of a cell that was run again, the last attempt counts.
    const proxies = [...new Map(carried.map((record) => [record.id, record])).values()].flatMap(
      (record) => carriedBy(record, parameters[name], busyPercent) ?? [],
    );
    const least = Math.min(...proxies.map(({ rate }) => rate));
    if (proxies.length === 0 || !(least > 0)) {
      throw new UserError(
        `the pilot found no ${name} for ${scenario}, ${scheme}: ${proxies.length === 0 ? "no proxy finished undisturbed by other programs" : `what observes alone takes ${busyPercent} % of the machine`}`,
        `Set the rate in the battle's file: ${name}, in the test's parameters.`,
      );
    }
    return { scenario, scheme, parameters, name, rate: roundedDown(least), proxies };
  });
}

/**
 * @param offered a second
 * @param limit the most that the machine is to be busy, in %
 * @returns null: the machine's counters are not known
 */
function carriedBy(
  { proxy, machine, measured, sends, containers }: CellRecord,
  offered: number,
  limit: number,
): PilotedRate["proxies"][number] | null {
  if (!machine || !measured || !sends) return null;
  const seconds = (measured.toMs - measured.fromMs) / 1000;
  // Of several machines that of the proxy is looked at.
  const carrier = Object.values(containers).find(({ role }) => role === "proxy")?.machine;
  const observing = Object.values(containers)
    .filter(({ role, machine: name }) => role === "observer" && name === carrier)
    .reduce((sum, { cpu }) => sum + cpu.totalSeconds, machine.benchSeconds);
  const perOperation = (machine.busySeconds - observing) / (sends.due - sends.dropped);
  const freeCores = (machine.cores * MARGIN * limit) / 100 - observing / seconds;
  const percentOf = (cpu: number) => (100 * cpu) / (machine.cores * seconds);
  return {
    proxy,
    offered,
    busyPercent: percentOf(machine.busySeconds),
    observingPercent: percentOf(observing),
    rate: freeCores / perOperation,
  };
}

/** @returns with two digits: it is no more exact */
function roundedDown(rate: number): number {
  const unit = 10 ** (Math.floor(Math.log10(rate)) - 1);
  return Number((Math.floor(rate / unit + 1e-9) * unit).toPrecision(2));
}

/**
 * @returns with its rate
 * @throws {Error} when there is none for it
 */
export function withRate(
  rates: Pick<PilotedRate, "scenario" | "scheme" | "parameters" | "name" | "rate">[],
  {
    scenario,
    scheme,
    parameters,
  }: { scenario: ScenarioDescription & { name: string }; scheme: Scheme; parameters: Parameters },
): Parameters {
  const others = (all: Parameters, name: string) =>
    JSON.stringify(
      Object.entries(all)
        .filter(([key]) => key !== name && key !== scenario.parameterNames.phaseSeconds)
        .sort(),
    );
  const found = rates.find(
    (one) =>
      one.scenario === scenario.name &&
      one.scheme === scheme &&
      others(one.parameters, one.name) === others(parameters, one.name),
  );
  if (!found) throw new Error(`no rate was piloted for ${scenario.name}, ${scheme}`);
  return { ...parameters, [found.name]: found.rate };
}
