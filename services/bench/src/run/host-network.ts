/**
 * The measured path on the machines' own network: the same containers, without a network of their
 * own each. There they share the addresses of their machine, so those that would listen where the
 * proxy does listen elsewhere.
 */
import { EDGE_HOST } from "./edges.ts";
import type { ComposeConfig, ComposeService } from "../platform/compose.ts";
import type { MachineOfRun } from "../model/environment.ts";
import type { Scheme } from "../model/plan.ts";

/** what of a run a machine carries */
export type MachineRole = MachineOfRun["roles"][number];

/**
 * How this program, which has a network of Docker's, and what is on a machine's own find each
 * other.
 */
export interface Door {
  /**
   * address that the machine has in a network of Docker's: itself and its containers alone
   * reach what listens there
   */
  machine: string;
  /** address at which the machine finds this program */
  bench: string;
  /** address at which this program finds what listens on the machine */
  inside: string;
}

export interface RelayedPorts {
  /** of this program, for what is on the machine's own network */
  edges: number;
  /** of what is on that network, for this program */
  own: number[];
}

/** of a measured path on the machines' own network */
export interface HostNetwork {
  /** services of the proxy */
  proxies: string[];
  /** that of the machine of ./bench itself */
  own: Door;
}

/** Where each listens; proxy and k6 as they do on a network of their own. */
export const PORTS: {
  proxy: Record<Scheme, number>;
  reference: Record<Scheme, number>;
  server: number;
  k6: number;
} = {
  proxy: { ws: 8080, wss: 8443 },
  reference: { ws: 18081, wss: 18443 },
  server: 18080,
  k6: 6565,
};

/** What listens where a role is. */
export const PORTS_OF_ROLE: Record<MachineRole, number[]> = {
  proxy: [...Object.values(PORTS.proxy), ...Object.values(PORTS.reference)],
  servers: [PORTS.server],
  load: [PORTS.k6],
  observe: [],
};

/** What this program asks by itself. */
export const ASKED_PORTS = [...Object.values(PORTS.proxy), PORTS.server, PORTS.k6];

/** Who is found by its name there, and the role of its machine. */
export const ROLE_OF_NAME: Record<string, MachineRole> = {
  proxy: "proxy",
  echo: "servers",
  reference: "proxy",
};

/** Of what is on the same machine. */
export const LOOPBACK = "127.0.0.1";

/** Where nginx may write. */
const REFERENCE_COPY = "/tmp/reference.conf";

/** @returns as `Project.readOnce` takes it */
export function toHostNetwork({
  proxies,
  addresses,
  bench,
}: {
  proxies: string[];
  addresses: Record<string, string>;
  bench: string;
}): { key: string; change: (config: ComposeConfig) => ComposeConfig } {
  const about = { proxies, addresses, bench };
  return { key: JSON.stringify(about), change: (config) => onHostNetwork(config, about) };
}

/**
 * @param config as Compose wrote it
 * @returns with the measured path on the machine's own network; what observes stays where it is
 */
export function onHostNetwork(
  config: ComposeConfig,
  {
    proxies,
    addresses,
    bench,
  }: {
    /** services of the proxy */
    proxies: string[];
    /**
     * of who is found by its name, as the machine reaches them on which these containers start
     */
    addresses: Record<string, string>;
    /** address of this program, which is on Docker's network */
    bench: string;
  },
): ComposeConfig {
  /** what of each differs besides */
  const differing: Record<string, Partial<ComposeService>> = {
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

function moved(service: ComposeService, hosts: string[]): ComposeService {
  // The engine refuses settings of the network to a container that has none of its own: the
  // machine's are in force.
  const { networks: _, sysctls: __, ...rest } = service;
  return { ...rest, network_mode: "host", extra_hosts: hosts };
}

/** @param name of a service */
function withVariable({ services }: ComposeConfig, name: string, variable: string, value: number) {
  return { environment: { ...services[name]?.environment, [variable]: String(value) } };
}

function server(config: ComposeConfig) {
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
