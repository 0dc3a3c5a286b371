/**
 * Scenarios: the scripts of loadgen/, `<name>.js` for k6 and `<name>.mjs` for Node. The parameters of each are in the JSON file beside it, which the script reads too,
 * so that names, ranges and defaults are written down once.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { UserError } from "../errors.js";
import { Document, expectation } from "./document.js";
import schema from "./scenario.schema.json" with { type: "json" };

/**
 * @import { Proxy } from "./proxies.js"
 * @import { Schema } from "./document.js"
 * @import { Parameters, Scheme } from "../record/types.js"
 *
 * @typedef {object} Parameter
 * @property {string} description
 * @property {"integer" | "number"} [type] integer where it is left out: a whole number
 * @property {number} default
 * @property {number} [min]
 * @property {number} [max] both ends are allowed
 * @property {number[]} [values] the only ones that it may have: instead of min and max
 * @property {string} [atMost] another parameter that it may not exceed
 *
 * @typedef {object} Scenario
 * @property {string} name of the script, without its ending
 * @property {"k6" | "node"} runner of its script: the Compose services load and load-http
 * @property {string} backend the image that stands behind the proxy: ws-proxy-bench/<backend>
 * @property {"websockets" | "http" | "files"} serves what it asks a server for
 * @property {Scheme[]} schemes
 * @property {string} description
 * @property {Record<string, Parameter>} parameters
 */

/** What need not be said. */
const DEFAULTS = {
  backend: "echo",
  serves: /** @type {const} */ ("websockets"),
  schemes: /** @type {Scheme[]} */ (["ws", "wss"]),
};

/** Endings of scripts, and who runs those. */
const RUNNERS = /** @type {const} */ ({ ".js": "k6", ".mjs": "node" });

/**
 * @param {string} directory the project's
 * @returns {string[]} sorted
 */
export function scenarioNames(directory) {
  return readdirSync(join(directory, "loadgen"))
    .filter((file) => extname(file) in RUNNERS)
    .map((file) => basename(file, extname(file)))
    .sort();
}

/**
 * @param {string} directory the project's
 * @param {string} name one of `scenarioNames`
 * @returns {Scenario}
 * @throws {UserError} when the table of its parameters is missing or wrong, or two scripts have that name
 */
export function readScenario(directory, name) {
  const label = `loadgen/${name}.json`;
  const scripts = Object.entries(RUNNERS)
    .map(([ending, runner]) => ({ file: `loadgen/${name}${ending}`, runner }))
    .filter(({ file }) => existsSync(join(directory, file)));
  const [{ file, runner }] = scripts;
  if (scripts.length > 1) {
    throw new UserError(
      `two scripts are called ${name}: ${scripts.map((script) => script.file).join(" and ")}`,
      "Rename one of them.",
      2,
    );
  }
  if (!existsSync(join(directory, label))) {
    throw new UserError(
      `${file} has no table of its parameters`,
      `Expected ${label}, in the form of loadgen/short-lived.json.`,
      2,
    );
  }
  const document = new Document(join(directory, label), label);
  document.check(schema);
  const content =
    /** @type {Pick<Scenario, "description" | "parameters"> & Partial<typeof DEFAULTS>} */ (
      document.value
    );
  for (const [parameter, table] of Object.entries(content.parameters)) {
    const { default: fallback, atMost } = table;
    const path = ["parameters", parameter];
    if (!isAllowed(table, fallback)) {
      throw document.mistake(
        [...path, "default"],
        `the default of ${parameter} is ${fallback}`,
        `Expected ${expectation(valueSchema(table))}.`,
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
  return { ...DEFAULTS, name, runner, ...content };
}

/**
 * @param {Parameter} parameter
 * @param {number} value
 */
function isAllowed({ type, min = -Infinity, max = Infinity, values }, value) {
  if (values) return values.includes(value);
  return value >= min && value <= max && (type === "number" || Number.isInteger(value));
}

/**
 * @param {Parameter} parameter
 * @returns {Schema} of one value
 */
function valueSchema({ type = "integer", min, max, values, description }) {
  return {
    type,
    ...(values ? { enum: values } : { minimum: min, maximum: max }),
    description,
  };
}

/**
 * What a scenario asks for, against what a proxy's folder says that it serves.
 *
 * @param {Pick<Proxy, "name" | "serves">} proxy
 * @param {Pick<Scenario, "name" | "serves">} scenario
 * @param {Parameters} parameters
 * @returns {string | null} why it cannot; null: it can
 */
export function unableToServe(proxy, scenario, { FILE_BYTES }) {
  // A proxy carries whatever the server behind it serves.
  if (proxy.serves === "websockets") return null;
  if (scenario.serves !== "files")
    return `${proxy.name} has no server behind it and answers with files alone, ${scenario.name} asks for ${scenario.serves}`;
  if (proxy.serves === "hello" && FILE_BYTES !== HELLO_BYTES)
    return `${proxy.name} answers everything with ${HELLO_BYTES} bytes`;
  return null;
}

/** The page /hello, and the smallest file: `Hello world` and a line break. */
const HELLO_BYTES = 12;

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
    Object.entries(parameters).map(([parameter, table]) => {
      const items = valueSchema(table);
      return [parameter, lists ? listSchema(items, table) : items];
    }),
  );
  return {
    type: "object",
    additionalProperties: false,
    properties,
  };
}

/**
 * @param {Schema} items
 * @param {Parameter} table
 * @returns {object} JSON Schema of such a value, or of a list of them
 */
function listSchema({ enum: values, ...value }, table) {
  const list = { type: [table.type ?? "integer", "array"], minItems: 1, uniqueItems: true };
  if (!values) return { ...value, ...list, items: value };
  const title = `${values.join(" or ")}, or a list of them`;
  const items = { ...value, enum: values };
  // An enum beside `items` would hold for the list too.
  return { ...value, title, ...list, items, if: { type: value.type }, then: { ...items, title } };
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
