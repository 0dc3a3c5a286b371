/**
 * What plans and records of tests know of this project's scenarios.
 */
import { describedScenarios } from "../scenarios.js";
import { root } from "./project.js";

/** Of every scenario that this project has. */
export const SCENARIOS = describedScenarios(root);
