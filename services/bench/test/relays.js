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

/**
 * @param {string} directory a copy of the project
 * @param {string} name
 * @param {number} delayMs each way
 */
export function addLateRelay(directory, name, delayMs) {
  const container = {
    // It has Node, and every project has built it.
    image: "ws-proxy-bench/http-proxy",
    pull_policy: "never",
    command: ["node", "/relay/late.mjs"],
    environment: { DELAY_MS: `${delayMs}` },
  };
  add(directory, name, { [name]: { ...container, ...proxyOf(name, "proxy") } }, [
    "node",
    "--version",
  ]);
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
  add(directory, name, services, ["haproxy", "-v"]);
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
 * @param {string[]} version command that prints it
 */
function add(directory, name, services, version) {
  const folder = join(directory, "proxies", name);
  mkdirSync(folder);
  cpSync(FILES, folder, { recursive: true });
  const facts = { title: name, ...FACTS, versions: [{ command: version }] };
  writeFileSync(join(folder, "proxy.json"), JSON.stringify(facts));
  // JSON is YAML.
  writeFileSync(join(folder, "compose.yaml"), JSON.stringify({ services }));
  const file = join(directory, "compose.yaml");
  const compose = readFileSync(file, "utf8");
  writeFileSync(
    file,
    compose.replace("include:\n", `include:\n  - proxies/${name}/compose.yaml\n`),
  );
}
