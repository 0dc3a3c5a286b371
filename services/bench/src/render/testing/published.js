/**
 * Made-up published runs, for tests: of every kind of question one.
 */
import { analyse } from "../../analyse/index.js";
import { capacityResults } from "../../analyse/testing/capacities.js";
import { survivalResults } from "../../analyse/testing/experiments.js";
import { rateResults } from "../../analyse/testing/rates.js";
import { recorded } from "../../analyse/testing/recorded.js";
import { idleResults, POLICY, results } from "../../analyse/testing/results.js";

/** @import { Results } from "../../model/record.ts" */
/** @import { PublishedRun } from "../../analyse/claim-table.js" */

const policy = /** @type {any} */ (POLICY);

/**
 * @param {string} name of its folder
 * @param {Results} made
 * @returns {PublishedRun}
 */
export function publishedRun(name, made) {
  return { name, analysis: analyse(made, { policy }) };
}

/** @type {PublishedRun[]} */
export const RUNS = [
  { name: "reference", analysis: recorded("reference") },
  publishedRun("short", results({ schemes: ["ws", "wss"] })),
  publishedRun("latency", rateResults()),
  publishedRun("idle", idleResults()),
  publishedRun("capacity", capacityResults()),
  publishedRun(
    "survival",
    survivalResults({ proxies: { none: { none: {} }, nginx: { reload: { lost: 3 }, none: {} } } }),
  ),
];
