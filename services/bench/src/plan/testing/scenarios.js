/**
 * What plans and records of tests know of this project's scenarios.
 */
import { descriptionOf, readScenario, scenarioNames } from "../scenarios.js";
import { root } from "./project.js";

/** Of every scenario that this project has. @type {import("../../record/types.js").Plan["scenarios"]} */
export const SCENARIOS = Object.fromEntries(
  scenarioNames(root).map((name) => [name, descriptionOf(readScenario(root, name))]),
);
