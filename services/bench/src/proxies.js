import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nearest, UserError } from "./errors.js";

/**
 * @typedef {object} PartCommand
 * @property {string} [part] the container `<name>-<part>`; without it the one named as the proxy
 * @property {string[]} command
 *
 * @typedef {object} Proxy
 * @property {string} name the folder's, the profile's and the service's
 * @property {string} title
 * @property {string} vendor address of the project
 * @property {string} colour `#rrggbb`, the same in every chart
 * @property {boolean} terminatesTls
 * @property {boolean} speaksHttp
 * @property {boolean} addsForwardedHeaders
 * @property {PartCommand[]} configChecks each ends with a status other than 0, and says why, when the config is wrong
 * @property {PartCommand[]} versions each prints the version on the first line, build options and libraries after it
 * @property {string[] | null} reload command inside the container; null: it cannot
 */

/** The folder of the control: load reaches an echo server directly. */
export const CONTROL = "none";

/** What each key of proxy.json must be. */
const KEYS = {
  title: ["a text", isText],
  vendor: ["a text", isText],
  colour: [
    "a colour such as #0072B2",
    (/** @type {unknown} */ v) => /^#[0-9A-Fa-f]{6}$/.test(String(v)),
  ],
  terminatesTls: ["true or false", isBoolean],
  speaksHttp: ["true or false", isBoolean],
  addsForwardedHeaders: ["true or false", isBoolean],
  configChecks: ['a list of {"command": [words], "part"?: text}', isPartCommands],
  versions: ['a list of {"command": [words], "part"?: text}', isPartCommands],
  reload: ["a list of words, or null", (/** @type {unknown} */ v) => v === null || isWords(v)],
};

/** @param {unknown} value */
function isText(value) {
  return typeof value === "string" && value !== "";
}

/** @param {unknown} value */
function isBoolean(value) {
  return typeof value === "boolean";
}

/** @param {unknown} value */
function isWords(value) {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

/** @param {unknown} value */
function isPartCommands(value) {
  return (
    Array.isArray(value) &&
    value.every((entry) => isWords(entry?.command) && isText(entry.part ?? "whole"))
  );
}

/**
 * Every folder of proxies/ that has a proxy.json.
 *
 * @param {string} directory the folder proxies/
 * @returns {Proxy[]} sorted by name
 * @throws {UserError} when a proxy.json is not as it should be
 */
export function readProxies(directory) {
  return readdirSync(directory)
    .sort()
    .filter((name) => existsSync(join(directory, name, "proxy.json")))
    .map((name) => readProxy(directory, name));
}

/**
 * @param {string} directory
 * @param {string} name
 * @returns {Proxy}
 */
function readProxy(directory, name) {
  const file = `proxies/${name}/proxy.json`;
  let content;
  try {
    content = JSON.parse(readFileSync(join(directory, name, "proxy.json"), "utf8"));
  } catch (error) {
    throw new UserError(
      `${file} cannot be read: ${error instanceof Error ? error.message : error}`,
      "Correct the file.",
    );
  }
  for (const [key, [expected, isValid]] of Object.entries(KEYS)) {
    if (!(/** @type {(value: unknown) => boolean} */ (isValid)(content[key]))) {
      throw new UserError(
        `${file}: "${key}" is ${JSON.stringify(content[key]) ?? "missing"}`,
        `Expected ${expected}. See proxies/nginx/proxy.json.`,
      );
    }
  }
  for (const key of Object.keys(content)) {
    if (!(key in KEYS)) {
      const meant = nearest(key, Object.keys(KEYS));
      throw new UserError(
        `${file}: unknown key "${key}"`,
        meant ? `Did you mean "${meant}"?` : `Known: ${Object.keys(KEYS).join(", ")}.`,
      );
    }
  }
  return { name, ...content };
}

/**
 * @param {Proxy[]} proxies
 * @param {string[]} names
 * @returns {Proxy[]} those named, in that order
 * @throws {UserError} when one is unknown
 */
export function pickProxies(proxies, names) {
  const known = proxies.map((proxy) => proxy.name);
  return names.map((name) => {
    const proxy = proxies.find((candidate) => candidate.name === name);
    if (proxy) return proxy;
    const meant = nearest(name, known);
    throw new UserError(
      `unknown proxy: ${name}`,
      `${meant ? `Did you mean ${meant}? ` : ""}The folders of proxies/ are: ${known.join(", ")}.`,
      2,
    );
  });
}
