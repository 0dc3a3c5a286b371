/**
 * Which container is which, told by its name alone: `ws-proxy-bench-<service>-<number>`. cAdvisor's other tags
 * depend on the container engine and on cAdvisor's own settings.
 */

const PROJECT = "ws-proxy-bench";

/** The services that are no proxy. Every other one of the project is. */
export const LOAD_SERVICES = ["load", "echo"];
export const OBSERVER_SERVICES = ["cadvisor", "influxdb", "grafana"];
const RUNNER_SERVICES = ["ready", "bench"];

/** How a container's name ends: `1`, or `run-5fd1c2` when `docker compose run` made it. */
const INSTANCE = "(?:run-)?[0-9a-f]+";

/**
 * @param {string[]} services
 * @returns {string} an InfluxQL condition: containers of these services
 */
export function containersOf(services) {
  return `"container_name" =~ ${namePattern(services)}`;
}

/**
 * Containers of the proxies chosen in the variable `proxy`. "All" includes those no file describes.
 *
 * The parts are listed because a proxy's name may start with another's: choosing `alpha` must show `alpha-tls` where
 * that is its second container, but not a proxy named `alpha-tuned`.
 * @param {import("./proxies.js").Proxy[]} proxies
 * @returns {string} an InfluxQL condition
 */
export function proxyContainers(proxies) {
  const parts = [...new Set(proxies.flatMap((proxy) => proxy.parts))].sort();
  const part = parts.length === 0 ? "" : `(-(${parts.join("|")}))?`;
  const others = [...LOAD_SERVICES, ...OBSERVER_SERVICES, ...RUNNER_SERVICES];
  return (
    `"container_name" =~ /^${PROJECT}-(\${proxy:regex})${part}-[0-9]+$/` +
    ` AND "container_name" !~ ${namePattern(others)}`
  );
}

/** @param {string[]} services */
function namePattern(services) {
  return `/^${PROJECT}-(${services.join("|")})-${INSTANCE}$/`;
}

/**
 * Turns a series' name into what people call the container: `ws-proxy-bench-echo-1 usage` into `echo usage`.
 * @type {import("@grafana/grafana-foundation-sdk/dashboard").DataTransformerConfig}
 */
export const SHORT_NAMES = {
  id: "renameByRegex",
  options: {
    regex: `^${PROJECT}-(.+?)-${INSTANCE}( .*)?$`,
    renamePattern: "$1$2",
  },
};
