/**
 * Which network is measured: the one that Docker makes, a bridge or over several machines the overlay, or the machine's own.
 */
import { UserError } from "../errors.js";
import { workloadOf } from "./workload.js";

/**
 * @import { Plan, Workload } from "../model/plan.ts"
 * @import { Test } from "./battle.js"
 * @import { Proxy } from "./proxies.js"
 *
 * @typedef {(typeof NETWORKS)[number]} Network
 */

/** As NETWORK and battles name them. Over several machines the overlay is what Docker makes, and stands in the bridge's place. */
export const NETWORKS = /** @type {const} */ (["bridge", "host"]);

/** Each is known to a cell by its place here. */
const OF_CELLS = /** @type {const} */ ([...NETWORKS, "overlay"]);

/** The parameter of a cell that says which; no script takes it. A cell without it is on Docker's network. */
export const HOST_NETWORK = "HOST_NETWORK";

/**
 * @param {Pick<Workload, "hostNetwork">} workload
 * @returns {boolean} the containers of the measured path have no network of their own: they share the machine's
 */
export function isOnHostNetwork({ hostNetwork = 0 }) {
  return OF_CELLS[hostNetwork] === "host";
}

/**
 * @param {Pick<Workload, "hostNetwork">} workload of a cell that says its network
 * @returns {boolean} it is the one over all machines
 */
export function isOnOverlay({ hostNetwork = 0 }) {
  return OF_CELLS[hostNetwork] === "overlay";
}

/**
 * @param {Pick<Plan, "scenarios" | "referenceShare" | "cells">} plan
 * @returns {Plan["cells"]} those that are to run on the machine's own network
 */
export function cellsOnHostNetwork({ cells, ...plan }) {
  return cells.filter((cell) => cell.skip === null && isOnHostNetwork(workloadOf(plan, cell)));
}

/**
 * @template {Pick<Test, "scenario" | "parameters">} T
 * @param {T} test
 * @param {readonly Network[]} networks
 * @returns {T} on each of them
 */
export function onNetworks(test, networks) {
  const { scenario, parameters } = test;
  const parameterNames = { ...scenario.parameterNames, hostNetwork: HOST_NETWORK };
  const values = networks.map((network) => NETWORKS.indexOf(network));
  const moved = {
    scenario: { ...scenario, parameterNames },
    parameters: { ...parameters, [HOST_NETWORK]: values },
  };
  return /** @type {T} */ ({ ...test, ...moved });
}

/**
 * @param {Test[]} tests
 * @param {Network} network of those that do not say it themselves
 * @param {{isSpread?: boolean}} [about] isSpread: over several machines
 * @returns {Test[]}
 */
export function withNetwork(tests, network, { isSpread = false } = {}) {
  const saysIt = (/** @type {Test} */ { parameters }) => HOST_NETWORK in parameters;
  // Else the plan is the one that it was before there was a choice: runs of both are compared.
  if (network === "bridge" && !tests.some(saysIt)) return tests;
  const all = tests.map((test) => (saysIt(test) ? test : onNetworks(test, [network])));
  return isSpread ? all.map(onOverlay) : all;
}

/**
 * @param {Test} test that says its networks
 * @returns {Test} with the overlay in the bridge's place
 */
function onOverlay(test) {
  const [bridge, overlay] = [OF_CELLS.indexOf("bridge"), OF_CELLS.indexOf("overlay")];
  const networks = test.parameters[HOST_NETWORK].map((one) => (one === bridge ? overlay : one));
  return { ...test, parameters: { ...test.parameters, [HOST_NETWORK]: networks } };
}

/**
 * @param {Pick<Proxy, "name" | "hostNetwork">} proxy
 * @param {Pick<Workload, "hostNetwork">} workload
 * @returns {string | null} why it cannot carry it there; null: it can
 */
export function unableOnNetwork({ name, hostNetwork }, workload) {
  if (hostNetwork || !isOnHostNetwork(workload)) return null;
  return `${name} cannot run on the machine's own network: it has no setting for its server's port, which is not 8080 there`;
}

/**
 * Who names a proxy means it.
 *
 * @param {Test[]} tests
 * @param {Proxy[]} named
 * @param {Proxy[]} proxies all of them
 * @throws {UserError} when one cannot run where a test is; exit code 2
 */
export function refuseUnableOnNetwork(tests, named, proxies) {
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
 * @param {Plan} plan
 * @throws {UserError} exit code 2
 */
export function refuseOnHostNetwork(plan) {
  const { battle, scenarios } = plan;
  const next =
    "Leave NETWORK=host out (or network: of the test), or run another battle, such as quick, with it.";
  for (const { event, scenario } of cellsOnHostNetwork(plan)) {
    const { runner, backend } = scenarios[scenario];
    // Two servers, or two proxies, would have one port.
    if (event !== undefined)
      throw new UserError(
        `${battle} has the event ${event}, and on the machine's own network events cannot happen`,
        next,
        2,
      );
    if (runner === "k6" && backend === "echo") continue;
    const why =
      runner === "k6" ? `has another server than echo, ${backend}` : "is run by Node, not by k6";
    throw new UserError(
      `${battle} has the test ${scenario}, which ${why}: on the machine's own network that is not done yet`,
      next,
      2,
    );
  }
}
