/**
 * What Docker's network costs, in words and as a table.
 *
 * @import { SeenCost } from "../analyse/networks.js"
 * @import { Analysis, NetworkCost } from "../analyse/types.js"
 */
import { times } from "../numbers.js";
import { without } from "../plan/workload.js";
import { pairedTable } from "./paired-table.js";
import { nameOfProxy, settingTitle, timesWithInterval } from "./words.js";

/** What Docker made, as headings and sentences call it. @type {Record<NetworkCost["network"], {name: string, what: string, own: string}>} */
const NETWORKS = {
  bridge: {
    name: "Docker's network",
    what: "the network that Docker makes",
    own: "the machine's own",
  },
  overlay: {
    name: "the overlay",
    what: "the overlay over all machines (VXLAN, and a bridge on each)",
    own: "the machines' own network",
  },
};

/**
 * @param {NetworkCost[]} costs of one run, which is on one machine or on several
 * @returns {string}
 */
export function networkHeading([{ network }]) {
  return `What ${NETWORKS[network].name} costs`;
}

/**
 * @param {NetworkCost[]} costs
 * @returns {string} how to read it
 */
export function networkNote([{ network }]) {
  const { name, what, own } = NETWORKS[network];
  return `The same load on ${what} and on ${own}, in the same rounds. Both are medians over the rounds, and their ratio is above 1 where ${name} costs the proxy CPU time. What is held against the reference proxy hides that: it is on the same network as the proxy beside it.`;
}

/**
 * @param {Analysis} analysis
 * @param {SeenCost} most
 * @param {string} costs `A short connection costs`
 * @returns {string} `A short connection costs nginx 1.30 times the CPU on the network that Docker makes that it costs on the machine's own`
 */
export function networkSentence({ results }, { cost: { network }, proxy, ratio }, costs) {
  const { what, own } = NETWORKS[network];
  return `${costs} ${nameOfProxy(results, proxy)} ${times(ratio.value)} times the CPU on ${what} that it costs on ${own}`;
}

/**
 * @param {Analysis} analysis
 * @param {NetworkCost} cost
 * @returns {string} `2,000 short-lived connections, ws`
 */
export function networkTitle({ settings }, { setting }) {
  const { hostNetwork } = setting.workload.parameterNames;
  const here = (/** @type {typeof setting} */ one) => ({
    ...one,
    parameters: without(one.parameters, [hostNetwork]),
  });
  return settingTitle(here(setting), settings.map(here));
}

/**
 * @param {Analysis} analysis
 * @param {NetworkCost} cost
 * @returns {ReturnType<typeof pairedTable>}
 */
export function networkTable(analysis, { network, measures }) {
  return pairedTable(analysis, measures, ({ medians, ratio }, amountOf) => {
    const [docker, host] = medians.map(amountOf);
    return `${docker}, on ${NETWORKS[network].own} ${host}: ${timesWithInterval(ratio)}`;
  });
}
