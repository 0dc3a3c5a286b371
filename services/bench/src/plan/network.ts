/**
 * Which network is measured: the one that Docker makes, a bridge or over several machines the
 * overlay, or the machine's own.
 */
import { UserError } from "../errors.ts";
import { workloadOf } from "./workload.ts";
import type { Plan, Workload } from "../model/plan.ts";
import type { Test } from "./battle.ts";
import type { Proxy } from "./proxies.ts";

export type Network = (typeof NETWORKS)[number];

/**
 * As NETWORK and battles name them. Over several machines the overlay is what Docker makes, and
 * stands in the bridge's place.
 */
export const NETWORKS = ["bridge", "host"] as const;

/** Each is known to a cell by its place here. */
const OF_CELLS = [...NETWORKS, "overlay"] as const;

/**
 * The parameter of a cell that says which; no script takes it. A cell without it is on Docker's
 * network.
 */
export const HOST_NETWORK = "HOST_NETWORK";

/**
 * @returns the containers of the measured path have no network of their own: they share the
 *   machine's
 */
export function isOnHostNetwork({ hostNetwork = 0 }: Pick<Workload, "hostNetwork">): boolean {
  return OF_CELLS[hostNetwork] === "host";
}

/**
 * @param workload of a cell that says its network
 * @returns it is the one over all machines
 */
export function isOnOverlay({ hostNetwork = 0 }: Pick<Workload, "hostNetwork">): boolean {
  return OF_CELLS[hostNetwork] === "overlay";
}

/** @returns those that are to run on the machine's own network */
export function cellsOnHostNetwork({
  cells,
  ...plan
}: Pick<Plan, "scenarios" | "referenceShare" | "cells">): Plan["cells"] {
  return cells.filter((cell) => cell.skip === null && isOnHostNetwork(workloadOf(plan, cell)));
}

/** @returns on each of them */
export function onNetworks<T extends Pick<Test, "scenario" | "parameters">>(
  test: T,
  networks: readonly Network[],
): T {
  const { scenario, parameters } = test;
  const parameterNames = { ...scenario.parameterNames, hostNetwork: HOST_NETWORK };
  const values = networks.map((network) => NETWORKS.indexOf(network));
  const moved = {
    scenario: { ...scenario, parameterNames },
    parameters: { ...parameters, [HOST_NETWORK]: values },
  };
  return { ...test, ...moved } as T;
}

/**
 * @param network of those that do not say it themselves
 * @param about isSpread: over several machines
 */
export function withNetwork(
  tests: Test[],
  network: Network,
  { isSpread = false }: { isSpread?: boolean } = {},
): Test[] {
  const saysIt = ({ parameters }: Test) => HOST_NETWORK in parameters;
  // Else the plan is the one that it was before there was a choice: runs of both are compared.
  if (network === "bridge" && !tests.some(saysIt)) return tests;
  const all = tests.map((test) => (saysIt(test) ? test : onNetworks(test, [network])));
  return isSpread ? all.map(onOverlay) : all;
}

/**
 * @param test that says its networks
 * @returns with the overlay in the bridge's place
 */
function onOverlay(test: Test): Test {
  const [bridge, overlay] = [OF_CELLS.indexOf("bridge"), OF_CELLS.indexOf("overlay")];
  const networks = test.parameters[HOST_NETWORK].map((one) => (one === bridge ? overlay : one));
  return { ...test, parameters: { ...test.parameters, [HOST_NETWORK]: networks } };
}

/** @returns why it cannot carry it there; null: it can */
export function unableOnNetwork(
  { name, hostNetwork }: Pick<Proxy, "name" | "hostNetwork">,
  workload: Pick<Workload, "hostNetwork">,
): string | null {
  if (hostNetwork || !isOnHostNetwork(workload)) return null;
  return `${name} cannot run on the machine's own network: its server's port cannot be changed from 8080`;
}

/**
 * Who names a proxy means it.
 *
 * @param proxies all of them
 * @throws {UserError} when one cannot run where a test is; exit code 2
 */
export function refuseUnableOnNetwork(tests: Test[], named: Proxy[], proxies: Proxy[]) {
  const values = tests.flatMap(({ parameters }) => parameters[HOST_NETWORK] ?? []);
  const reasons = values.flatMap((hostNetwork) =>
    named.flatMap((proxy) => unableOnNetwork(proxy, { hostNetwork }) ?? []),
  );
  if (reasons.length === 0) return;
  const able = proxies.filter(({ hostNetwork }) => hostNetwork).map(({ name }) => name);
  throw new UserError(
    reasons[0],
    `Leave it out (--proxies), or leave NETWORK=host out. Of the folders of proxies/, these can: ${able.join(", ")}.`,
    2,
  );
}

/**
 * What the machine's own network cannot carry yet, told before anything starts.
 *
 * @throws {UserError} exit code 2
 */
export function refuseOnHostNetwork(plan: Plan) {
  const { battle, scenarios } = plan;
  const next =
    "Leave NETWORK=host out (or network: of the test), or run another battle, such as quick, with it.";
  for (const { event, scenario } of cellsOnHostNetwork(plan)) {
    const { runner, backend } = scenarios[scenario];
    // Two servers, or two proxies, would have one port.
    if (event !== undefined)
      throw new UserError(
        `${battle} has the event ${event}, and events do not work on the machine's own network`,
        next,
        2,
      );
    if (runner === "k6" && backend === "echo") continue;
    const why =
      runner === "k6" ? `has another server than echo, ${backend}` : "is run by Node, not by k6";
    throw new UserError(
      `${battle} has the test ${scenario}, which ${why}: that does not work on the machine's own network yet`,
      next,
      2,
    );
  }
}
