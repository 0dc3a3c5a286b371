/**
 * Proxies of which is known what they add: relays in a copy of the project.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES = join(import.meta.dirname, "relays");

const FACTS = {
  vendor: "https://example.org",
  colour: "#777777",
  terminatesTls: false,
  speaksHttp: false,
  addsForwardedHeaders: false,
  schemes: ["ws"],
  configChecks: [],
  reload: null,
};
const RELOAD = { signals: [{ signal: "HUP" }] };

/**
 * @param {string} directory a copy of the project
 * @param {string} name
 * @param {number} delayMs each way
 */
export function addLateRelay(directory, name, delayMs) {
  addNodeRelay(directory, name, "late.mjs", { environment: { DELAY_MS: `${delayMs}` } });
}

/**
 * Reads whatever comes, and keeps what the other side does not take.
 *
 * @param {string} directory a copy of the project
 * @param {string} name
 */
export function addHoardingRelay(directory, name) {
  addLateRelay(directory, name, 0);
}

/**
 * Resets every tenth connection when it reloads.
 *
 * @param {string} directory a copy of the project
 * @param {string} name
 */
export function addDroppingRelay(directory, name) {
  addNodeRelay(directory, name, "dropping.mjs", { reload: RELOAD });
}

/**
 * Leaves an old process behind whenever it reloads.
 *
 * @param {string} directory a copy of the project
 * @param {string} name
 */
export function addLeakingRelay(directory, name) {
  addNodeRelay(directory, name, "leaking.mjs", { reload: RELOAD });
}

/**
 * @param {string} directory
 * @param {string} name
 * @param {string} script
 * @param {{environment?: Record<string, string>, reload?: object}} about
 */
function addNodeRelay(directory, name, script, { environment = {}, reload }) {
  const container = {
    // It has Node, and every project has built it.
    image: "ws-proxy-bench/http-proxy",
    pull_policy: "never",
    command: ["node", `/relay/${script}`],
    environment,
  };
  add(
    directory,
    name,
    { [name]: { ...container, ...proxyOf(name, "proxy") } },
    { versions: [{ command: ["node", "--version"] }], ...(reload && { reload }) },
  );
}

/**
 * Two containers with one address, to which the kernel spreads the connections.
 *
 * @param {string} directory a copy of the project
 * @param {string} name
 * @param {number} burnUs CPU time of each connection
 */
export function addBusyRelay(directory, name, burnUs) {
  const container = {
    image: "${HAPROXY_IMAGE}",
    command: ["haproxy", "-W", "-db", "-f", "/relay/haproxy.cfg"],
    environment: { BURN_US: `${burnUs}` },
    tmpfs: ["/run:uid=99,gid=99", "/run/haproxy:uid=99,gid=99", "/var/lib/haproxy:uid=99,gid=99"],
  };
  const services = {
    [name]: { ...container, ...proxyOf(name, "proxy") },
    [`${name}-second`]: {
      ...container,
      ...proxyOf(name, "container"),
      network_mode: `service:${name}`,
    },
  };
  add(directory, name, services, { versions: [{ command: ["haproxy", "-v"] }] });
}

/**
 * @param {string} name
 * @param {"proxy" | "container"} service of proxies/proxy.yaml
 */
function proxyOf(name, service) {
  return {
    profiles: [name],
    extends: { file: "../proxy.yaml", service },
    volumes: ["./:/relay:ro"],
  };
}

/**
 * @param {string} directory
 * @param {string} name
 * @param {Record<string, object>} services
 * @param {object} facts of proxy.json, beside those of all relays
 */
function add(directory, name, services, facts) {
  const folder = join(directory, "proxies", name);
  mkdirSync(folder);
  cpSync(FILES, folder, { recursive: true });
  writeFileSync(join(folder, "proxy.json"), JSON.stringify({ title: name, ...FACTS, ...facts }));
  // JSON is YAML.
  writeFileSync(join(folder, "compose.yaml"), JSON.stringify({ services }));
  const file = join(directory, "compose.yaml");
  const compose = readFileSync(file, "utf8");
  writeFileSync(
    file,
    compose.replace("include:\n", `include:\n  - proxies/${name}/compose.yaml\n`),
  );
}
