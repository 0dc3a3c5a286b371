import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { didYouMean, SEE_LIST, UserError } from "../errors.ts";
import { Document } from "./document.ts";
import schema from "./proxy.schema.json" with { type: "json" };
import type { Scheme } from "../model/plan.ts";
import type { SameWork, VariantOf } from "../model/record.ts";

interface PartCommand {
  /** the container `<name>-<part>`; without it the one named as the proxy */
  part?: string;
  command: string[];
}

interface PartSignal {
  /** the container `<name>-<part>`; without it the one named as the proxy */
  part?: string;
  /** to the container's first process: a name without SIG, such as HUP */
  signal: string;
}

interface Reload {
  /** in this order */
  signals: PartSignal[];
  /**
   * its configuration ends, so long after the reload, what was open before, 0: at once; without
   * it: never, as long as the client holds it
   */
  closesAfterSeconds?: number;
  /**
   * the processes that run take the new configuration; default: others do, and take their place
   */
  inPlace?: boolean;
  /** what becomes of an open WebSocket by its documentation or source, and where that stands */
  documented?: string;
}

interface Drain {
  /** in this order; what is open is served until it ends, or the configuration ends it */
  signals: PartSignal[];
}

/**
 * how it tells which configuration is in force: it answers GET /.generation with the number in a
 * file that it reads as it starts, and as it reloads, or passes that on with the number as
 * X-Generation, which the server behind it answers
 */
interface Generation {
  /** its name in the folder /generation */
  file: string;
  /** of that file, in the configuration's own language; `{generation}` stands for the number */
  text: string;
}

export interface Proxy {
  /** the folder's, the profile's and the service's */
  name: string;
  title: string;
  /** address of the project */
  vendor: string;
  /** `#rrggbb`, the same in every chart */
  colour: string;
  /** of its mark in every chart; default: circle */
  shape: string;
  /** it is that proxy but for what differs; null, the default: it is none */
  variantOf: VariantOf | null;
  terminatesTls: boolean;
  speaksHttp: boolean;
  addsForwardedHeaders: boolean;
  /**
   * default: true; false: its TLS library has no setting for it, and takes what the client
   * prefers
   */
  choosesTls13Cipher: boolean;
  /** carries WebSockets over HTTP/2 (RFC 8441) on 8443; default: false */
  websocketsOverHttp2: boolean;
  /**
   * default: true; false: it has the shortest configuration of its documentation, and is not held
   * to what takes tuning
   */
  tuned: boolean;
  /**
   * only who names it has it: it is not in GROUP_OF_ALL, and its image is built when it is named;
   * default: false
   */
  onlyByName: boolean;
  /** tells the server the client's address by the PROXY protocol; default: false */
  sendsProxyProtocol: boolean;
  /**
   * websockets, the default: it carries them, and HTTP, to the server behind it; files: nothing
   * stands behind it, and it answers GET /files/<bytes> itself; hello: so too, with the same 12
   * bytes on any path
   */
  serves: "websockets" | "files" | "hello";
  /** what it serves: ws on 8080, wss on 8443; default: both */
  schemes: Scheme[];
  /** open at once; null, the default: as many as it has descriptors for */
  maxConnections: number | null;
  /**
   * that carry connections: one, the default, with threads perhaps; PROXY_WORKERS, each with
   * descriptors of its own; or as many as the connections need, so that no process runs out of
   * them
   */
  processes: "one" | "workers" | "many";
  /**
   * what its configuration lets such a process open; null, the default: what the engine grants
   */
  descriptorLimit: number | null;
  /**
   * another that does the same work over one scheme: what differs there is noise; null, the
   * default: there is none
   */
  sameWorkAs: SameWork | null;
  /**
   * in which battles and the command line may name it; default: none but GROUP_OF_ALL
   */
  groups: string[];
  /** each ends with a status other than 0, and says why, when the config is wrong */
  configChecks: PartCommand[];
  /** each prints the version on the first line, build options and libraries after it */
  versions: PartCommand[];
  /** how it takes a changed configuration without a stop; null, the default: it cannot */
  reload: Reload | null;
  /** how it stops without ending what is open; null, the default: it cannot */
  drain: Drain | null;
  /**
   * what of it can die without the whole: a child of each container's first process; null, the
   * default: there is one process
   */
  worker: "child" | null;
  /** null, the default: it cannot tell */
  generation: Generation | null;
  /**
   * the variable SERVER_PORT is its server's port: it can share the machine's own network with
   * the server; default: false
   */
  hostNetwork: boolean;
  /**
   * spreads new connections in turn over all addresses that the name `echo` has; default:
   * false, it uses one
   */
  balances: boolean;
}

/** The folder of the control: load reaches an echo server directly. */
export const CONTROL = "none";
/** The group that every proxy is in which is tuned, but those that have to be named. */
const GROUP_OF_ALL = "all";

/** What need not be said: so it is with most. */
const DEFAULTS = {
  shape: "circle",
  choosesTls13Cipher: true,
  websocketsOverHttp2: false,
  tuned: true,
  onlyByName: false,
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
const OWN = ["title", "colour", "groups", "tuned", "sameWorkAs"];

/**
 * @param host where the proxy is found
 * @returns address of a page that the server behind the proxy answers through it, or a file server
 *   itself
 */
export function healthUrl(scheme: Scheme, host = "proxy"): string {
  return scheme === "wss" ? `https://${host}:8443/healthz` : `http://${host}:8080/healthz`;
}

/** @returns the service of Compose that a command or a signal is for */
export function serviceOf({ name }: Pick<Proxy, "name">, { part }: { part?: string }): string {
  return part ? `${name}-${part}` : name;
}

/**
 * Every folder of proxies/ that has a proxy.json.
 *
 * @param directory the folder proxies/
 * @returns sorted by name; of a variant with all that its original has
 * @throws {UserError} when a proxy.json is not as it should be
 */
export function readProxies(directory: string): Proxy[] {
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
    return { name, ...DEFAULTS, ...Object(document.value) } as Proxy;
  });
}

function openProxy(directory: string, name: string) {
  return new Document(
    join(directory, name, "proxy.json"),
    `proxies/${name}/proxy.json`,
    "Expected JSON as in proxies/nginx/proxy.json.",
  );
}

/**
 * @param documents by name of the proxy
 * @returns null: it is no variant
 * @throws {UserError} when there is no such original, or it is a variant itself
 */
function originalOf(document: Document, documents: Map<string, Document>): Document | null {
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
      "Expected an original, not a variant: name the original of both, and state here everything that differs from it.",
    );
  }
  // Otherwise its mistakes would be reported as those of the variant.
  original.check(schema);
  return original;
}

function ofOriginal(value: unknown) {
  return Object.fromEntries(Object.entries(Object(value)).filter(([key]) => !OWN.includes(key)));
}

/**
 * JSON Merge Patch (RFC 7396, section 2).
 *
 * @param target stays as it is
 * @returns the target with the patch's members instead of its own, in objects at any depth;
 *   without those that the patch has as null
 */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @returns the names that it can be picked by, beside its own */
export function groupsOf({
  tuned,
  onlyByName,
  groups,
}: Pick<Proxy, "tuned" | "onlyByName" | "groups">): string[] {
  return tuned && !onlyByName ? [GROUP_OF_ALL, ...groups] : groups;
}

/** @returns names of the groups that they are in, sorted */
export function groupNames(proxies: Pick<Proxy, "groups">[]): string[] {
  return [...new Set([GROUP_OF_ALL, ...proxies.flatMap(({ groups }) => groups)])].sort();
}

/**
 * @param name that is no proxy's and no group's
 * @returns what to type instead
 */
export function knownProxies(proxies: Pick<Proxy, "name" | "groups">[], name: string): string {
  const names = proxies.map((proxy) => proxy.name);
  return `${didYouMean(name, [...names, ...groupNames(proxies)])}${SEE_LIST}`;
}

/**
 * @param names of proxies and groups
 * @returns those named, in that order; of a group in theirs; each once
 * @throws {UserError} when one is unknown
 */
export function pickProxies(proxies: Proxy[], names: string[]): Proxy[] {
  const picked = names.flatMap((name) => {
    const group = proxies.filter((proxy) => groupsOf(proxy).includes(name));
    return group.length > 0 ? group : pickProxy(proxies, name);
  });
  return [...new Set(picked)];
}

/**
 * @param names of proxies and groups; none: all but those that have to be named
 * @throws {UserError} when one is unknown
 */
export function chosenProxies(proxies: Proxy[], names: string[] = []): Proxy[] {
  if (names.length > 0) return pickProxies(proxies, names);
  return proxies.filter(({ onlyByName }) => !onlyByName);
}

/** @throws {UserError} when it is unknown */
export function pickProxy(proxies: Proxy[], name: string): Proxy {
  const proxy = proxies.find((candidate) => candidate.name === name);
  if (proxy) return proxy;
  if (groupNames(proxies).includes(name)) {
    const names = pickProxies(proxies, [name]).map((member) => member.name);
    throw new UserError(`${name} is a group of proxies`, `Expected one of ${names.join(", ")}.`, 2);
  }
  throw new UserError(`unknown proxy: ${name}`, knownProxies(proxies, name), 2);
}
