import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { didYouMean, UserError } from "../errors.js";
import { Document } from "./document.js";
import schema from "./proxy.schema.json" with { type: "json" };

/** @import { Scheme } from "../model/plan.ts" */
/** @import { SameWork, VariantOf } from "../model/record.ts" */

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
 * @property {number} [closesAfterSeconds] its configuration ends, so long after the reload, what was open before, 0: at once; without it:
 *   never, as long as the client holds it
 * @property {boolean} [inPlace] the processes that run take the new configuration; default: others do, and take their place
 *
 * @typedef {object} Drain
 * @property {PartSignal[]} signals in this order; what is open is served until it ends, or the configuration ends it
 *
 * @typedef {object} Generation how it tells which configuration is in force: it answers GET /.generation with the number in a file
 *   that it reads as it starts, and as it reloads, or passes that on with the number as X-Generation, which the server behind it answers
 * @property {string} file its name in the folder /generation
 * @property {string} text of that file, in the configuration's own language; `{generation}` stands for the number
 *
 * @typedef {object} Proxy
 * @property {string} name the folder's, the profile's and the service's
 * @property {string} title
 * @property {string} vendor address of the project
 * @property {string} colour `#rrggbb`, the same in every chart
 * @property {VariantOf | null} variantOf it is that proxy but for what differs; null, the default: it is none
 * @property {boolean} terminatesTls
 * @property {boolean} speaksHttp
 * @property {boolean} addsForwardedHeaders
 * @property {boolean} choosesTls13Cipher default: true; false: its TLS library has no setting for it, and takes what the client prefers
 * @property {boolean} websocketsOverHttp2 carries WebSockets over HTTP/2 (RFC 8441) on 8443; default: false
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
 * @property {boolean} hostNetwork the variable SERVER_PORT is its server's port: it can share the machine's own network with the server;
 *   default: false
 * @property {boolean} balances spreads new connections in turn over all addresses that the name `echo` has; default: false, it uses one
 */

/** The folder of the control: load reaches an echo server directly. */
export const CONTROL = "none";
/** The group that every proxy is in. */
export const GROUP_OF_ALL = "all";

/** What need not be said: so it is with most. */
const DEFAULTS = {
  choosesTls13Cipher: true,
  websocketsOverHttp2: false,
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
  hostNetwork: false,
  groups: [],
  variantOf: null,
};

/** What a variant has not from its original. */
const OWN = ["title", "colour", "groups", "sameWorkAs"];

/**
 * @param {Scheme} scheme
 * @param {string} [host] where the proxy is found
 * @returns {string} address of a page that the server behind the proxy answers through it, or a file server itself
 */
export function healthUrl(scheme, host = "proxy") {
  return scheme === "wss" ? `https://${host}:8443/healthz` : `http://${host}:8080/healthz`;
}

/**
 * @param {Pick<Proxy, "name">} proxy
 * @param {{part?: string}} where
 * @returns {string} the service of Compose that a command or a signal is for
 */
export function serviceOf({ name }, { part }) {
  return part ? `${name}-${part}` : name;
}

/**
 * Every folder of proxies/ that has a proxy.json.
 *
 * @param {string} directory the folder proxies/
 * @returns {Proxy[]} sorted by name; of a variant with all that its original has
 * @throws {UserError} when a proxy.json is not as it should be
 */
export function readProxies(directory) {
  const documents = new Map(
    readdirSync(directory)
      .sort()
      .filter((name) => existsSync(join(directory, name, "proxy.json")))
      .map((name) => [name, openProxy(directory, name)]),
  );
  return [...documents].map(([name, document]) => {
    const original = originalOf(document, documents);
    if (original) document.value = merged(ofOriginal(original.value), document.value);
    document.check(schema);
    return /** @type {Proxy} */ ({ name, ...DEFAULTS, ...Object(document.value) });
  });
}

/**
 * @param {string} directory
 * @param {string} name
 */
function openProxy(directory, name) {
  return new Document(
    join(directory, name, "proxy.json"),
    `proxies/${name}/proxy.json`,
    "Expected JSON as in proxies/nginx/proxy.json.",
  );
}

/**
 * @param {Document} document
 * @param {Map<string, Document>} documents by name of the proxy
 * @returns {Document | null} null: it is no variant
 * @throws {UserError} when there is no such original, or it is a variant itself
 */
function originalOf(document, documents) {
  if (!Object(document.value).variantOf) return null;
  document.check(schema.properties.variantOf, ["variantOf"]);
  const { proxy } = Object(document.value).variantOf;
  const original = documents.get(proxy);
  if (!original) {
    throw document.mistake(
      ["variantOf", "proxy"],
      `it is a variant of "${proxy}", and there is no proxies/${proxy}/proxy.json`,
      `${didYouMean(proxy, [...documents.keys()])}Expected a folder of proxies/.`,
    );
  }
  if (Object(original.value).variantOf) {
    throw document.mistake(
      ["variantOf", "proxy"],
      `it is a variant of "${proxy}", which is a variant itself`,
      "Expected a proxy that is none: name the original of both, and say here all that differs from that.",
    );
  }
  // Else its mistakes would be told as those of the variant.
  original.check(schema);
  return original;
}

/** @param {unknown} value */
function ofOriginal(value) {
  return Object.fromEntries(Object.entries(Object(value)).filter(([key]) => !OWN.includes(key)));
}

/**
 * JSON Merge Patch (RFC 7396, section 2).
 *
 * @param {unknown} target stays as it is
 * @param {unknown} patch
 * @returns {unknown} the target with the patch's members in place of its own, in objects at any depth; without those that the patch has
 *   as null
 */
function merged(target, patch) {
  if (!isObject(patch)) return patch;
  const result = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
