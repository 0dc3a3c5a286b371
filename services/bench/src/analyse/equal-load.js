/**
 * What a handshake or a message costs in CPU time at a set rate: the same for all proxies, whatever each could carry. In a closed loop a
 * proxy's CPU time per operation depends on how many come at once, and that on the proxy.
 */
import { median } from "simple-statistics";
import { CONTROL } from "../plan/proxies.js";
import { medianInterval } from "../statistics/index.js";
import { PER_CONNECTION, PER_MESSAGE } from "./operation-costs.js";
import { ratioToReference } from "./reference.js";
import { CONFIDENCE, valuesByRound } from "./settings.js";

/** @import { AnalysedCell, Comparison, EqualLoad, LoadCost, Setting } from "./types.js" */

/**
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {EqualLoad[]} of settings with a set rate in which a proxy has a figure
 */
export function equalLoadsOf(settings, cells) {
  const told = settings.filter(({ workload: { protocol, compares } }) => {
    return protocol === "websocket" && compares === "proxies";
  });
  const costs = told.flatMap((setting) => costIn(setting, cells) ?? []);
  return costs
    .filter(({ setting: { workload } }) => workload.loop === "open" && !workload.dropsConnections)
    .map((open) => ({
      ...open,
      closed: costs.filter(
        (other) => other.setting.workload.loop === "closed" && isSameWork(open, other),
      ),
    }));
}

/**
 * @param {Setting} setting
 * @param {AnalysedCell[]} cells
 * @returns {LoadCost | null} null: no proxy has a figure
 */
function costIn(setting, cells) {
  const { workload } = setting;
  const key = workload.holdsConnections ? PER_MESSAGE : PER_CONNECTION;
  const comparison = setting.comparisons.find(({ measure }) => measure === key);
  if (!comparison?.rows.some(({ proxy, median }) => proxy !== CONTROL && median)) return null;
  return { measure: key, setting, rows: rowsOf(comparison, setting, cells, ratioToReference(key)) };
}

/**
 * @param {Comparison} comparison
 * @param {Setting} setting
 * @param {AnalysedCell[]} cells
 * @param {string | null} ratio key of the measure
 * @returns {LoadCost["rows"]}
 */
function rowsOf({ rows }, { key }, cells, ratio) {
  const own = cells.filter(({ setting }) => setting === key);
  return rows
    .filter(({ proxy }) => proxy !== CONTROL)
    .map((row) => {
      const values = ratio ? [...valuesByRound(own, row.proxy, ratio).values()] : [];
      return {
        row,
        toReference:
          values.length > 0
            ? { value: median(values), interval: medianInterval(values, CONFIDENCE) }
            : null,
      };
    });
}

/**
 * @param {LoadCost} a
 * @param {LoadCost} b
 * @returns {boolean} the same operation over the same scheme, of messages of that size
 */
function isSameWork(a, b) {
  const work = (/** @type {LoadCost} */ { measure, setting: { scheme, workload } }) =>
    JSON.stringify([
      measure,
      scheme,
      workload.messageBytes ?? null,
      // Of messages on connections that are held, how many each carries is no matter.
      measure === PER_CONNECTION ? (workload.messages ?? 1) : null,
    ]);
  return work(a) === work(b);
}
