/**
 * Which container is which, told by its name alone: `ws-proxy-bench-<service>-<number>`. cAdvisor's
 * other tags depend on the container engine and on cAdvisor's own settings.
 */

import type { Proxy } from "./proxies.ts";
import type { DataTransformerConfig } from "@grafana/grafana-foundation-sdk/dashboard";

export const PROJECT = "ws-proxy-bench";

/** What stands in a proxy's place, or beside it, and is none: the control, and the index of the machine's speed. */
export const CONTROLS = { none: "no proxy (control)", reference: "reference" };

/** The services that are no proxy. Every other one of the project is. */
export const LOAD_SERVICES = ["load", "load-http", "warm-up", "echo", ...Object.keys(CONTROLS)];
export const OBSERVER_SERVICES = ["cadvisor", "influxdb", "grafana", "renderer"];
const RUNNER_SERVICES = ["ready", "certs", "host-ports", "watch", "bench"];
/** `./bench verify` gives each proxy a project of its own, whose name begins with this one's. */
const VERIFIED = "verify-.+";
const NO_PROXIES = [...LOAD_SERVICES, ...OBSERVER_SERVICES, ...RUNNER_SERVICES, VERIFIED];

/** How a container's name ends: `1`, or `run-5fd1c2` when `docker compose run` made it. */
const INSTANCE = "(?:run-)?[0-9a-f]+";

/** @returns an InfluxQL condition: containers of these services */
export function containersOf(services: string[]): string {
  return `"container_name" =~ ${namePattern(services)}`;
}

/**
 * Containers of the proxies chosen in the variable `proxy`. "All" includes those no file describes.
 *
 * The parts are listed because a proxy's name may start with another's: choosing `alpha` must show
 * `alpha-tls` where that is its second container, but not a proxy named `alpha-tuned`.
 *
 * @returns an InfluxQL condition
 */
export function proxyContainers(proxies: Proxy[]): string {
  const parts = partsOf(proxies);
  const part = parts.length === 0 ? "" : `(-(${parts.join("|")}))?`;
  return (
    `"container_name" =~ /^${PROJECT}-(\${proxy:regex})${part}-[0-9]+$/` +
    ` AND "container_name" !~ ${namePattern(NO_PROXIES)}`
  );
}

/**
 * The first container of every proxy, whatever the variable says.
 *
 * @returns an InfluxQL condition
 */
export function firstContainers(proxies: Proxy[]): string {
  const further = proxies.flatMap(({ name, parts }) => parts.map((part) => `${name}-${part}`));
  return (
    `"container_name" =~ /^${PROJECT}-.+-[0-9]+$/` +
    ` AND "container_name" !~ ${namePattern([...NO_PROXIES, ...further])}`
  );
}

function partsOf(proxies: Proxy[]) {
  return [...new Set(proxies.flatMap((proxy) => proxy.parts))].sort();
}

function namePattern(services: string[]) {
  return `/^${PROJECT}-(${services.join("|")})-${INSTANCE}$/`;
}

/**
 * cAdvisor's tag `machine` where all is on one, and on the one with ./bench: the host name of its
 * container (services/cadvisor).
 */
const OWN_MACHINE = "cadvisor";

/**
 * Turns a series' name into what people call the container: `ws-proxy-bench-echo-1 on cadvisor
 * usage` into `echo usage`, and where that is another machine's, into `echo on two usage`.
 */
export const SHORT_NAMES: DataTransformerConfig = {
  id: "renameByRegex",
  options: {
    regex: `^${PROJECT}-(.+?)-${INSTANCE}(?: on ${OWN_MACHINE}(?= |$))?( .*)?$`,
    renamePattern: "$1$2",
  },
};

/** Says of the control what it is; of the reference its name does. */
export const CONTROL_NAMES: DataTransformerConfig = {
  id: "renameByRegex",
  options: { regex: "^none( .*)?$", renamePattern: `${CONTROLS.none}$1` },
};
