/**
 * Records of earlier versions, as this one reads them.
 */
import { UserError } from "../errors.js";
import sameWork from "./same-work-of-schema-1.json" with { type: "json" };
import described from "./scenarios-of-schema-1.json" with { type: "json" };

/** @import { Plan, Results, SameWork, ScenarioDescription } from "./types.js" */

/** Schema 1 has the name of each scenario alone. These are all that there were. */
const SCENARIOS = /** @type {Record<string, ScenarioDescription>} */ (described);

/**
 * @param {any} results as they were read, of any schema
 * @param {string} file for the message
 * @returns {any} of schema 2, where they were of schema 1
 * @throws {UserError} when a scenario of schema 1 is none that the project had
 */
export function upgradeResults(results, file) {
  if (results?.schema !== 1) return results;
  const plan = upgradePlan(results.plan, file);
  return { ...results, schema: 2, plan, proxies: results.proxies?.map(withSameWork) };
}

/** Schema 1 did not keep what proxy.json says of it now. @type {Record<string, SameWork>} */
const SAME_WORK = /** @type {any} */ (sameWork);

/** @param {any} proxy */
function withSameWork(proxy) {
  const sameWorkAs = SAME_WORK[proxy?.name];
  return sameWorkAs ? { ...proxy, sameWorkAs } : proxy;
}

/**
 * @param {any} plan as it was read, of any schema
 * @param {string} file for the message
 * @returns {any} of schema 2, where it was of schema 1
 * @throws {UserError} as of `upgradeResults`
 */
export function upgradePlan(plan, file) {
  if (plan?.schema !== 1 || !Array.isArray(plan.cells)) return plan;
  const names = [...new Set(plan.cells.map((/** @type {any} */ cell) => String(cell?.scenario)))];
  const scenarios = Object.fromEntries(names.map((name) => [name, describedAs(name, file)]));
  return { ...plan, schema: 2, scenarios };
}

/**
 * @param {string} name of a scenario
 * @param {string} file
 */
function describedAs(name, file) {
  if (Object.hasOwn(SCENARIOS, name)) return SCENARIOS[name];
  throw new UserError(
    `${file} is of schema 1, which does not describe scenarios, and ${name} is none that came with it`,
    `Expected one of: ${Object.keys(SCENARIOS).join(", ")}. Run it again, or describe it there as in a run of today: "schema": 2, and "scenarios" in its plan.`,
  );
}
