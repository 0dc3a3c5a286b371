import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { didYouMean, UserError } from "../errors.js";

/** @import { SameWork, Scheme } from "../record/types.js" */

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
 * @property {boolean} sendsProxyProtocol tells the server the client's address by the PROXY protocol; default: false
 * @property {"websockets" | "files" | "hello"} serves websockets, the default: it carries them, and HTTP, to the server behind it;
 *   files: nothing stands behind it, and it answers GET /files/<bytes> itself; hello: so too, with the same 12 bytes on any path
 * @property {Scheme[]} schemes what it serves: ws on 8080, wss on 8443; default: both
 * @property {number | null} maxConnections open at once; null, the default: as many as it has descriptors for
 * @property {"one" | "workers" | "many"} processes that carry connections: one, the default, with threads perhaps; PROXY_WORKERS, each
 *   with descriptors of its own; or as many as the connections need, so that no process runs out of them
 * @property {number | null} descriptorLimit what its configuration lets such a process open; null, the default: what the engine
 *   grants
 * @property {SameWork | null} sameWorkAs another that does the same work over one scheme: what differs there is noise; null, the default:
 *   there is none
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
  sendsProxyProtocol: ["true or false", isBoolean],
  serves: [
    '"websockets", "files" or "hello"',
    (/** @type {unknown} */ v) => ["websockets", "files", "hello"].includes(String(v)),
  ],
  schemes: ['"ws", "wss" or both, in a list', isSchemes],
  maxConnections: ["a whole number above 0, or null", isCountOrNull],
  processes: [
    '"one", "workers" or "many"',
    (/** @type {unknown} */ v) => ["one", "workers", "many"].includes(String(v)),
  ],
  descriptorLimit: ["a whole number above 0, or null", isCountOrNull],
  sameWorkAs: [
    '{"proxy": a folder of proxies/, "scheme": "ws" or "wss"}, or null',
    isSameWorkOrNull,
  ],
  configChecks: ['a list of {"command": [words], "part"?: text}', isPartCommands],
  versions: ['a list of {"command": [words], "part"?: text}', isPartCommands],
  reload: ["a list of words, or null", (/** @type {unknown} */ v) => v === null || isWords(v)],
};

/** What need not be said: so it is with most. */
const DEFAULTS = {
  sendsProxyProtocol: false,
  serves: "websockets",
  schemes: ["ws", "wss"],
  maxConnections: null,
  processes: "one",
  descriptorLimit: null,
  sameWorkAs: null,
};

/**
 * @param {Scheme} scheme
 * @returns {string} address of a page that the server behind the proxy answers through it, or a file server itself
 */
export function healthUrl(scheme) {
  return scheme === "wss" ? "https://proxy:8443/healthz" : "http://proxy:8080/healthz";
}

/** @param {unknown} value */
function isText(value) {
  return typeof value === "string" && value !== "";
}

/** @param {unknown} value */
function isBoolean(value) {
  return typeof value === "boolean";
}

/** @param {unknown} value */
function isSchemes(value) {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((scheme, i) => ["ws", "wss"].includes(scheme) && value.indexOf(scheme) === i)
  );
}

/** @param {unknown} value */
function isCountOrNull(value) {
  return value === null || (Number.isInteger(value) && Number(value) > 0);
}

/** @param {any} value */
function isSameWorkOrNull(value) {
  if (value === null) return true;
  return isText(value?.proxy) && isSchemes([value.scheme]) && Object.keys(value).length === 2;
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
    content = {
      ...DEFAULTS,
      ...JSON.parse(readFileSync(join(directory, name, "proxy.json"), "utf8")),
    };
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
      const known = Object.keys(KEYS);
      throw new UserError(
        `${file}: unknown key "${key}"`,
        `${didYouMean(key, known)}Known: ${known.join(", ")}.`,
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
    throw new UserError(
      `unknown proxy: ${name}`,
      `${didYouMean(name, known)}The folders of proxies/ are: ${known.join(", ")}.`,
      2,
    );
  });
}
