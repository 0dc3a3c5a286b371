/**
 * What both reports say of the machine's speed.
 *
 * @import { Analysis, MachineIndex, Setting } from "../analyse/types.js"
 */
import { isPerOperation } from "../analyse/reference.js";
import { counted, figure, NONE, number, range } from "../numbers.js";
import { measure as measureOf } from "../analyse/measures.js";
import { settingTitle, titleOfProxy } from "./words.js";

export const INDEX_NOTE =
  "In every cell a pinned nginx that is never tuned, the reference, carried a small share of the same load, in the same loop and to the same server. What an operation cost it is the machine's index in that cell. CPU time of a proxy is held against it: ranks, tests, intervals and ratios use that ratio, and µs are the ratio times the median index of the setting. × reference is the unit that may be held against another machine's. Spread: standard deviation over the rounds, in % of the mean.";

/**
 * @param {Analysis} analysis
 * @param {MachineIndex} index
 * @returns {Setting}
 */
function settingOf({ settings }, { setting }) {
  const found = settings.find(({ key }) => key === setting);
  if (!found) throw new Error(`no setting ${setting}`);
  return found;
}

/**
 * @param {Pick<Analysis, "machineIndices" | "settings">} analysis
 * @returns {string[]} what µs of CPU time are worth, a sentence; empty where there are none
 */
export function indexLead({ machineIndices, settings }) {
  const ofCpu = settings.filter(({ comparisons }) =>
    comparisons.some(({ measure }) => isPerOperation(measure)),
  );
  if (ofCpu.length === 0) return [];
  const held = new Set(machineIndices.map(({ setting }) => setting));
  const without = ofCpu.filter(({ key }) => !held.has(key));
  if (without.length === 0)
    return [
      "CPU time is held against a reference proxy that carried a share of the same load; µs are this machine's at its usual speed in this run, ratios may be held against those of other machines.",
    ];
  const where =
    without.length === ofCpu.length
      ? "No reference proxy shared the load"
      : `No reference proxy shared the load of ${number(without.length)} of ${counted(ofCpu.length, "setting")}`;
  return [
    `${where}: how fast the machine was in each cell is not known, and µs of CPU time are that machine's at that hour.`,
  ];
}

/**
 * @param {Analysis} analysis
 * @returns {{title: string, index: string, head: string[], rows: string[][]}[]} a table a setting and measure
 */
export function indexTables(analysis) {
  const { machineIndices, results, settings } = analysis;
  const percent = (/** @type {number | null} */ value) => (value === null ? NONE : figure(value));
  return machineIndices.map((one) => ({
    title: `${settingTitle(settingOf(analysis, one), settings)}: ${measureOf(one.measure).title}`,
    index: `Machine index: ${figure(one.medianUs)} µs (median), ${range(one.rangeUs, one.medianUs)} µs over the cells.`,
    head: ["Proxy", "× reference", "Spread as measured, %", "Spread against reference, %"],
    rows: one.proxies.map(({ proxy, toReference, rawPercent, heldPercent }) => [
      titleOfProxy(results, proxy),
      toReference.toFixed(3),
      percent(rawPercent),
      percent(heldPercent),
    ]),
  }));
}
