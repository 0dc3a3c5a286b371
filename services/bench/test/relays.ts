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
const HAPROXY = {
  command: ["haproxy", "-W", "-db", "-f", "/relay/haproxy.cfg"],
  tmpfs: ["/run:uid=99,gid=99", "/run/haproxy:uid=99,gid=99", "/var/lib/haproxy:uid=99,gid=99"],
};
const RELOAD = { signals: [{ signal: "HUP" }] };

/**
 * @param directory a copy of the project
 * @param delayMs each way
 */
export function addLateRelay(directory: string, name: string, delayMs: number) {
  addNodeRelay(directory, name, "late.mjs", { environment: { DELAY_MS: `${delayMs}` } });
}

/**
 * Reads whatever comes, and keeps what the other side does not take.
 *
 * @param directory a copy of the project
 */
export function addHoardingRelay(directory: string, name: string) {
  addLateRelay(directory, name, 0);
}

/**
 * Resets one in so many connections when it reloads.
 *
 * @param directory a copy of the project
 */
export function addDroppingRelay(directory: string, name: string, oneIn = 10) {
  const environment = { ONE_IN: `${oneIn}` };
  addNodeRelay(directory, name, "dropping.mjs", { environment, reload: RELOAD });
}

/**
 * Leaves an old process behind on one in so many reloads.
 *
 * @param directory a copy of the project
 */
export function addLeakingRelay(directory: string, name: string, oneIn = 1) {
  const environment = { ONE_IN: `${oneIn}` };
  addNodeRelay(directory, name, "leaking.mjs", { environment, reload: RELOAD });
}

/**
 * Answers with the old configuration for some time after it has reloaded.
 *
 * @param directory a copy of the project
 */
export function addStaleRelay(directory: string, name: string, staleMs: number) {
  addNodeRelay(directory, name, "stale.mjs", {
    environment: { STALE_MS: `${staleMs}` },
    reload: RELOAD,
    generation: { file: "number", text: "{generation}" },
  });
}

function addNodeRelay(
  directory: string,
  name: string,
  script: string,
  {
    environment = {},
    ...facts
  }: { environment?: Record<string, string>; reload?: object; generation?: object },
) {
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
    { versions: [{ command: ["node", "--version"] }], ...facts },
  );
}

/**
 * Two containers with one address, to which the kernel spreads the connections.
 *
 * @param directory a copy of the project
 * @param burnUs CPU time of each connection
 */
export function addBusyRelay(directory: string, name: string, burnUs: number) {
  const container = {
    ...HAPROXY,
    image: "${HAPROXY_IMAGE}",
    environment: { BURN_US: `${burnUs}` },
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
 * Its versions are tags of an image, which says in BURN_US what it burns.
 *
 * @param directory a copy of the project
 * @param image with a tag
 */
export function addVersionedRelay(directory: string, name: string, image: string) {
  const service = { ...HAPROXY, image, pull_policy: "never", ...proxyOf(name, "proxy") };
  add(directory, name, { [name]: service }, { versions: [{ command: ["haproxy", "-v"] }] });
}

/** @param service of proxies/proxy.yaml */
function proxyOf(name: string, service: "proxy" | "container") {
  return {
    profiles: [name],
    extends: { file: "../proxy.yaml", service },
    volumes: ["./:/relay:ro"],
  };
}

/** @param facts of proxy.json, beside those of all relays */
function add(directory: string, name: string, services: Record<string, object>, facts: object) {
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
