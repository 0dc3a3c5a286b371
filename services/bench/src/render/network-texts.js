/**
 * What Docker's network costs, in words and as a table.
 *
 * @import { Analysis, NetworkCost } from "../analyse/types.js"
 */
import { without } from "../plan/workload.js";
import { pairedTable } from "./paired-table.js";
import { settingTitle, timesWithInterval } from "./words.js";

/** How to read it. */
export const NETWORK_NOTE =
  "The same load on the network that Docker makes and on the machine's own, in the same rounds. Both are medians over the rounds, and their ratio is above 1 where Docker's network costs the proxy CPU time. What is held against the reference proxy hides that: it is on the same network as the proxy beside it.";

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
export function networkTable(analysis, { measures }) {
  return pairedTable(analysis, measures, ({ medians, ratio }, amountOf) => {
    const [docker, host] = medians.map(amountOf);
    return `${docker}, on the machine's own ${host}: ${timesWithInterval(ratio)}`;
  });
}
