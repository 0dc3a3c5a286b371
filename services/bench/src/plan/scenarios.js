/**
 * Scenarios: the k6 scripts of loadgen/. The parameters of each are in the JSON file beside it, which the script reads too,
 * so that names, ranges and defaults are written down once.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { UserError } from "../errors.js";
import { Document } from "./document.js";
import schema from "./scenario.schema.json" with { type: "json" };

/**
 * @import { Parameters } from "../record/types.js"
 *
 * @typedef {object} Parameter
 * @property {string} description
 * @property {"integer" | "number"} [type] integer where it is left out: a whole number
 * @property {number} default
 * @property {number} min
 * @property {number} max both ends are allowed
 * @property {string} [atMost] another parameter that it may not exceed
 *
 * @typedef {object} Scenario
 * @property {string} name of the script, without its ending
 * @property {string} description
 * @property {Record<string, Parameter>} parameters
 */

/**
 * @param {string} directory the project's
 * @returns {string[]} sorted
 */
export function scenarioNames(directory) {
  return readdirSync(join(directory, "loadgen"))
    .filter((file) => file.endsWith(".js"))
    .map((file) => basename(file, ".js"))
    .sort();
}

/**
 * @param {string} directory the project's
 * @param {string} name one of `scenarioNames`
 * @returns {Scenario}
 * @throws {UserError} when the table of its parameters is missing or wrong
 */
export function readScenario(directory, name) {
  const label = `loadgen/${name}.json`;
  if (!existsSync(join(directory, label))) {
    throw new UserError(
      `loadgen/${name}.js has no table of its parameters`,
      `Expected ${label}, in the form of loadgen/short-lived.json.`,
      2,
    );
  }
  const document = new Document(join(directory, label), label);
  document.check(schema);
  const content = /** @type {Omit<Scenario, "name">} */ (document.value);
  for (const [parameter, { type, default: fallback, min, max, atMost }] of Object.entries(
    content.parameters,
  )) {
    const path = ["parameters", parameter];
    const isWhole = type !== "number";
    if (fallback < min || fallback > max || (isWhole && !Number.isInteger(fallback))) {
      throw document.mistake(
        [...path, "default"],
        `the default of ${parameter} is ${fallback}`,
        `Expected a ${isWhole ? "whole number" : "number"} from ${min} to ${max}.`,
      );
    }
    if (atMost !== undefined && !Object.hasOwn(content.parameters, atMost)) {
      throw document.mistake(
        [...path, "atMost"],
        `unknown parameter "${atMost}"`,
        `Expected one of: ${Object.keys(content.parameters).join(", ")}.`,
      );
    }
  }
  return { name, ...content };
}

/**
 * @param {Scenario} scenario
 * @returns {Parameters}
 */
export function defaults({ parameters }) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, parameter.default]),
  );
}

/**
 * @param {Scenario} scenario
 * @param {{lists: boolean}} options lists: a parameter may be a list of values
 * @returns {object} JSON Schema of the parameters in a battle
 */
export function parametersSchema({ parameters }, { lists }) {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([parameter, { type = "integer", min, max, description }]) => {
      const range = { minimum: min, maximum: max, description };
      const items = { type, ...range };
      return [
        parameter,
        lists ? { type: [type, "array"], ...range, items, minItems: 1, uniqueItems: true } : items,
      ];
    }),
  );
  return {
    type: "object",
    additionalProperties: false,
    properties,
  };
}

/**
 * @param {Scenario} scenario
 * @param {Parameters} parameters all of them
 * @returns {{name: string, limit: string}[]} parameters above the one that limits them
 */
export function excesses(scenario, parameters) {
  return Object.entries(scenario.parameters).flatMap(([name, { atMost }]) =>
    atMost !== undefined && parameters[name] > parameters[atMost] ? [{ name, limit: atMost }] : [],
  );
}

/**
 * @param {Record<string, number[]>} lists
 * @returns {Parameters[]} every combination; the last list varies fastest
 */
export function combinations(lists) {
  return Object.entries(lists).reduce(
    (found, [name, values]) =>
      found.flatMap((parameters) => values.map((value) => ({ ...parameters, [name]: value }))),
    /** @type {Parameters[]} */ ([{}]),
  );
}
