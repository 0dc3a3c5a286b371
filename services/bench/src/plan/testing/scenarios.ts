/**
 * What plans and records of tests know of this project's scenarios.
 */
import { describedScenarios } from "../scenarios.ts";
import { root } from "./project.ts";

/** Of every scenario that this project has. */
export const SCENARIOS = describedScenarios(root);
