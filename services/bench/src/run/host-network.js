/**
 * The measured path on the machines' own network: the same containers, without a network of their own each. There they share the addresses of
 * their machine, so those that would listen where the proxy does listen elsewhere.
 */
import { EDGE_HOST } from "./edges.js";

/** @import { ComposeConfig, ComposeService } from "../platform/docker.js" */
/** @import { MachineOfRun } from "../model/environment.ts" */
/** @import { Scheme } from "../model/plan.ts" */

/** @typedef {MachineOfRun["roles"][number]} MachineRole what of a run a machine carries */

/**
 * How this program, which has a network of Docker's, and what is on a machine's own find each other.
 *
 * @typedef {object} Door
 * @property {string} machine address that the machine has in a network of Docker's: itself and its containers alone reach what listens there
 * @property {string} bench address at which the machine finds this program
 * @property {string} inside address at which this program finds what listens on the machine
 *
 * @typedef {object} RelayedPorts
 * @property {number} edges of this program, for what is on the machine's own network
 * @property {number[]} own of what is on that network, for this program
 *
 * @typedef {object} HostNetwork of a measured path on the machines' own network
 * @property {string[]} proxies services of the proxy
 * @property {Door} own that of the machine of ./bench itself
 */

/** Where each listens; proxy and k6 as they do on a network of their own. @type {{proxy: Record<Scheme, number>, reference: Record<Scheme, number>, server: number, k6: number}} */
export const PORTS = {
  proxy: { ws: 8080, wss: 8443 },
  reference: { ws: 18081, wss: 18443 },
  server: 18080,
  k6: 6565,
};

/** What listens where a role is. @type {Record<MachineRole, number[]>} */
export const PORTS_OF_ROLE = {
  proxy: [...Object.values(PORTS.proxy), ...Object.values(PORTS.reference)],
  servers: [PORTS.server],
  load: [PORTS.k6],
  observe: [],
};

/** What this program asks by itself. */
export const ASKED_PORTS = [...Object.values(PORTS.proxy), PORTS.server, PORTS.k6];

/** Who is found by its name there, and the role of its machine. @type {Record<string, MachineRole>} */
export const ROLE_OF_NAME = { proxy: "proxy", echo: "servers", reference: "proxy" };

/** Of what is on the same machine. */
export const LOOPBACK = "127.0.0.1";

/** Where nginx may write. */
const REFERENCE_COPY = "/tmp/reference.conf";

/**
 * @param {{proxies: string[], addresses: Record<string, string>, bench: string}} about
 * @returns {{key: string, change: (config: ComposeConfig) => ComposeConfig}} as `Project.readOnce` takes it
 */
export function toHostNetwork({ proxies, addresses, bench }) {
  const about = { proxies, addresses, bench };
  return { key: JSON.stringify(about), change: (config) => onHostNetwork(config, about) };
}

/**
 * @param {ComposeConfig} config as Compose wrote it
 * @param {object} about
 * @param {string[]} about.proxies services of the proxy
 * @param {Record<string, string>} about.addresses of who is found by its name, as the machine reaches them on which these containers start
 * @param {string} about.bench address of this program, which is on Docker's network
 * @returns {ComposeConfig} with the measured path on the machine's own network; what observes stays where it is
 */
export function onHostNetwork(config, { proxies, addresses, bench }) {
  /** @type {Record<string, Partial<ComposeService>>} what of each differs besides */
  const differing = {
    ...Object.fromEntries(
      proxies.map((name) => [name, withVariable(config, name, "SERVER_PORT", PORTS.server)]),
    ),
    echo: server(config),
    reference: { command: ["sh", "-c", REFERENCE_COMMAND] },
    load: {},
  };
  const named = Object.entries({ ...addresses, [EDGE_HOST]: bench });
  const hosts = named.map(([name, address]) => `${name}:${address}`);
  const services = Object.fromEntries(
    Object.entries(config.services).map(([name, service]) => [
      name,
      name in differing ? moved({ ...service, ...differing[name] }, hosts) : service,
    ]),
  );
  return { ...config, services };
}

/**
 * @param {ComposeService} service
 * @param {string[]} hosts
 * @returns {ComposeService}
 */
function moved(service, hosts) {
  // The engine refuses settings of the network to a container that has none of its own: the machine's are in force.
  const { networks: _, sysctls: __, ...rest } = service;
  return { ...rest, network_mode: "host", extra_hosts: hosts };
}

/**
 * @param {ComposeConfig} config
 * @param {string} name of a service
 * @param {string} variable
 * @param {number} value
 */
function withVariable({ services }, name, variable, value) {
  return { environment: { ...services[name]?.environment, [variable]: String(value) } };
}

/** @param {ComposeConfig} config */
function server(config) {
  const { environment } = withVariable(config, "echo", "ECHO_PORT", PORTS.server);
  // Of a proxy that does not run there; the port may be another program's.
  delete environment.ECHO_PROXY_PROTOCOL_PORT;
  return { environment };
}

/** Its configuration is held still, and nginx reads no variables: so a copy has the ports. */
const REFERENCE_COMMAND = [
  `sed -e 's/echo:8080/echo:${PORTS.server}/'`,
  `-e 's/listen ${PORTS.proxy.ws} /listen ${PORTS.reference.ws} /'`,
  `-e 's/listen ${PORTS.proxy.wss} /listen ${PORTS.reference.wss} /'`,
  `/reference.conf >${REFERENCE_COPY} && exec nginx -c ${REFERENCE_COPY}`,
].join(" ");
