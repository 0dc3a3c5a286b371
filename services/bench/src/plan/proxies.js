import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { didYouMean, UserError } from "../errors.js";

/** @import { SameWork, Scheme } from "../record/types.js" */

/**
 * @typedef {object} PartCommand
 * @property {string} [part] the container `<name>-<part>`; without it the one named as the proxy
 * @property {string[]} command
 *
 * @typedef {object} PartSignal
 * @property {string} [part] the container `<name>-<part>`; without it the one named as the proxy
 * @property {string} signal to the container's first process: a name without SIG, such as HUP
 *
 * @typedef {object} Reload
 * @property {PartSignal[]} signals in this order
 * @property {number} [closesAfterSeconds] its configuration ends, so long after the reload, what was open before; without it: never, as
 *   long as the client holds it
 * @property {boolean} [inPlace] the processes that run take the new configuration; default: others do, and take their place
 *
 * @typedef {object} Drain
 * @property {PartSignal[]} signals in this order; what is open is served until it ends, or the configuration ends it
 *
 * @typedef {object} Generation how it tells which configuration is in force: it answers GET /.generation with the number in a file
 *   that it reads as it starts, and as it reloads
 * @property {string} file its name in the folder /generation
 * @property {string} text of that file, in the configuration's own language; `{generation}` stands for the number
 *
 * @typedef {object} Proxy
 * @property {string} name the folder's, the profile's and the service's
 * @property {string} title
 * @property {string} vendor address of the project
 * @property {string} colour `#rrggbb`, the same in every chart
 * @property {boolean} terminatesTls
 * @property {boolean} speaksHttp
 * @property {boolean} addsForwardedHeaders
 * @property {boolean} choosesTls13Cipher default: true; false: its TLS library has no setting for it, and takes what the client prefers
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
 * @property {string[]} groups in which battles and the command line may name it; default: none but GROUP_OF_ALL, which has every proxy
 * @property {PartCommand[]} configChecks each ends with a status other than 0, and says why, when the config is wrong
 * @property {PartCommand[]} versions each prints the version on the first line, build options and libraries after it
 * @property {Reload | null} reload how it takes a changed configuration without a stop; null, the default: it cannot
 * @property {Drain | null} drain how it stops without ending what is open; null, the default: it cannot
 * @property {"child" | null} worker what of it can die without the whole: a child of each container's first process; null, the default:
 *   there is one process
 * @property {Generation | null} generation null, the default: it cannot tell
 * @property {boolean} balances spreads new connections in turn over all addresses that the name `echo` has; default: false, it uses one
 */

/** The folder of the control: load reaches an echo server directly. */
export const CONTROL = "none";
/** The group that every proxy is in. */
export const GROUP_OF_ALL = "all";

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
  choosesTls13Cipher: ["true or false", isBoolean],
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
  groups: [
    'a list of names such as ["common"]',
    (/** @type {unknown} */ v) => Array.isArray(v) && v.every(isText),
  ],
  configChecks: ['a list of {"command": [words], "part"?: text}', isPartCommands],
  versions: ['a list of {"command": [words], "part"?: text}', isPartCommands],
  reload: [
    '{"signals": [{"signal": a name such as "HUP", "part"?: text}], "closesAfterSeconds"?: a number above 0, "inPlace"?: true or false}, or null',
    (/** @type {any} */ v) => v === null || isReload(v),
  ],
  drain: [
    '{"signals": [{"signal": a name such as "QUIT", "part"?: text}]}, or null',
    (/** @type {any} */ v) => v === null || (hasKeys(v, ["signals"]) && isPartSignals(v.signals)),
  ],
  worker: ['"child", or null', (/** @type {unknown} */ v) => v === null || v === "child"],
  generation: [
    '{"file": a file name, "text": what it says, with {generation} for the number}, or null',
    (/** @type {any} */ v) => v === null || isGeneration(v),
  ],
  balances: ["true or false", isBoolean],
};

/** What need not be said: so it is with most. */
const DEFAULTS = {
  choosesTls13Cipher: true,
  sendsProxyProtocol: false,
  serves: "websockets",
  schemes: ["ws", "wss"],
  maxConnections: null,
  processes: "one",
  descriptorLimit: null,
  sameWorkAs: null,
  reload: null,
  drain: null,
  worker: null,
  generation: null,
  balances: false,
  groups: [],
};

/**
 * @param {Scheme} scheme
 * @returns {string} address of a page that the server behind the proxy answers through it, or a file server itself
 */
export function healthUrl(scheme) {
  return scheme === "wss" ? "https://proxy:8443/healthz" : "http://proxy:8080/healthz";
}

/**
 * @param {Pick<Proxy, "name">} proxy
 * @param {{part?: string}} where
 * @returns {string} the service of Compose that a command or a signal is for
 */
export function serviceOf({ name }, { part }) {
  return part ? `${name}-${part}` : name;
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

/** @param {unknown} value */
function isPartSignals(value) {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (entry) =>
        hasKeys(entry, ["signal"], ["part"]) &&
        /^(?!SIG)[A-Z]+[0-9]?$/.test(entry.signal) &&
        isText(entry.part ?? "whole"),
    )
  );
}

/** @param {any} value */
function isReload(value) {
  return (
    hasKeys(value, ["signals"], ["closesAfterSeconds", "inPlace"]) &&
    isPartSignals(value.signals) &&
    isBoolean(value.inPlace ?? false) &&
    (value.closesAfterSeconds ?? 1) > 0
  );
}

/** @param {any} value */
function isGeneration(value) {
  return (
    hasKeys(value, ["file", "text"]) &&
    /^[\w-]+(\.[\w-]+)*$/.test(value.file) &&
    isText(value.text) &&
    value.text.includes("{generation}")
  );
}

/**
 * @param {unknown} value
 * @param {string[]} required
 * @param {string[]} [optional]
 * @returns {boolean} whether it is an object with these keys and no others
 */
function hasKeys(value, required, optional = []) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  const known = [...required, ...optional];
  return required.every((key) => keys.includes(key)) && keys.every((key) => known.includes(key));
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
 * @param {Pick<Proxy, "groups">[]} proxies
 * @returns {string[]} names of the groups that they are in, sorted
 */
export function groupNames(proxies) {
  return [...new Set([GROUP_OF_ALL, ...proxies.flatMap(({ groups }) => groups)])].sort();
}

/**
 * @param {Pick<Proxy, "name" | "groups">[]} proxies
 * @param {string} name that is no proxy's and no group's
 * @returns {string} what to type instead
 */
export function knownProxies(proxies, name) {
  const names = proxies.map((proxy) => proxy.name);
  const groups = groupNames(proxies);
  return `${didYouMean(name, [...names, ...groups])}The folders of proxies/ are: ${names.join(", ")}. Groups: ${groups.join(", ")}.`;
}

/**
 * @param {Proxy[]} proxies
 * @param {string[]} names of proxies and groups
 * @returns {Proxy[]} those named, in that order; of a group in theirs; each once
 * @throws {UserError} when one is unknown
 */
export function pickProxies(proxies, names) {
  const picked = names.flatMap((name) => {
    const group = proxies.filter(({ groups }) => [GROUP_OF_ALL, ...groups].includes(name));
    return group.length > 0 ? group : pickProxy(proxies, name);
  });
  return [...new Set(picked)];
}

/**
 * @param {Proxy[]} proxies
 * @param {string} name
 * @returns {Proxy}
 * @throws {UserError} when it is unknown
 */
export function pickProxy(proxies, name) {
  const proxy = proxies.find((candidate) => candidate.name === name);
  if (proxy) return proxy;
  if (groupNames(proxies).includes(name)) {
    const names = pickProxies(proxies, [name]).map((member) => member.name);
    throw new UserError(`${name} is a group of proxies`, `Expected one of ${names.join(", ")}.`, 2);
  }
  throw new UserError(`unknown proxy: ${name}`, knownProxies(proxies, name), 2);
}
