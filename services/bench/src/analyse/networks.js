/**
 * What Docker's network costs, a bridge or over several machines the overlay: settings on it, beside the same on the machines' own.
 */
import { isOnHostNetwork, isOnOverlay } from "../plan/network.js";
import { isSameBut } from "./handshakes.js";
import { pairedRows } from "./paired-rows.js";

/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, NetworkCost, Ratio, Setting } from "./types.js" */

/**
 * @typedef {object} SeenCost
 * @property {NetworkCost} cost
 * @property {string} measure
 * @property {string} proxy
 * @property {Ratio} ratio the network that Docker made, to the machine's own
 */

/** Not what is held against the reference proxy: that one is on the same network, and the ratio hides what is asked for. */
const MEASURES = ["cpu_us_per_connection", "cpu_us_per_message"];

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {NetworkCost[]} empty: the run measured no setting on both
 */
export function networkCostsOf(results, settings, cells) {
  return settings.flatMap((setting) => {
    if (isOnHostNetwork(setting.workload)) return [];
    const beside = settings.find(
      (one) =>
        one.scheme === setting.scheme &&
        isOnHostNetwork(one.workload) &&
        isSameBut("hostNetwork", one, setting),
    );
    if (!beside) return [];
    const measures = pairedRows({ results, cells }, [setting, beside], MEASURES);
    if (measures.length === 0) return [];
    const network = isOnOverlay(setting.workload) ? "overlay" : "bridge";
    return [{ network, setting, beside, measures }];
  });
}

/**
 * @param {NetworkCost[]} costs
 * @returns {SeenCost[]} those whose interval leaves out that both cost the same, the most first
 */
export function seenCosts(costs) {
  return costs
    .flatMap((cost) =>
      cost.measures.flatMap(({ measure, rows }) =>
        rows.map(({ proxy, ratio }) => ({ cost, measure, proxy, ratio })),
      ),
    )
    .filter(({ ratio: { interval } }) => interval !== null && interval[0] > 1)
    .toSorted((a, b) => b.ratio.value - a.ratio.value);
}
