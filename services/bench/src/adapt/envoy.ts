import { HERE, PATHS, LIKELY, cannot, logFile } from "./source.ts";
import { YamlCopy } from "./yaml-copy.ts";
import type { Asked, Copy, Source, Templates } from "./source.ts";
import type { Scheme } from "../model/plan.ts";

const ROUTER = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";

/** Filters that ask another server, or for what the load has not. */
const OF_OTHERS =
  /ext_authz|jwt_authn|rbac|ratelimit|rate_limit|oauth2|ext_proc|wasm|golang|basic_auth|api_key|ip_tagging|grpc_json_transcoder|dynamic_forward_proxy|istio|mixer|on_demand|csrf/;

type Path = (string | number)[];

/** A chain of filters through which WebSockets may pass. */
interface Door {
  listener: number;
  chain: any;
  path: Path;
  manager: any;
  managerPath: Path;
  scheme: Scheme;
  upgrades: boolean;
}

/** @throws {UserError} with the line, where it cannot be adapted; exit code 2 */
export function adaptEnvoy(source: Source, asked: Asked, templates: Templates): Copy {
  const { main } = source;
  const copy = new YamlCopy(main, templates.fill(main, source.text(main)));
  const resources = copy.value.static_resources;
  if (!resources?.listeners?.length)
    throw cannot(
      main,
      copy.lineOf(["dynamic_resources"]),
      "it has no static_resources with listeners: a control plane gives them",
      "Expected a bootstrap file that has listeners, routes and clusters itself, as `config_dump` shows them.",
    );
  refuseVersion2(copy);
  const doors = choose(copy, doorsOf(copy), asked);
  resources.listeners = doors.map((door) => {
    adaptDoor(copy, door, asked);
    const listener = resources.listeners[door.listener];
    return adaptListener(copy, listener, door);
  });
  (resources.clusters ?? []).forEach((cluster: any, i: number) => adaptCluster(copy, cluster, i));
  for (const key of ["admin", "dynamic_resources", "stats_sinks", "tracing", "hds_config"])
    copy.leaveOut(copy.value, [], key, "nothing here asks or answers it");
  return {
    main,
    files: {
      ...Object.fromEntries(source.read),
      [main]: `${JSON.stringify(copy.value, null, 2)}\n`,
    },
    changes: copy.changes,
    schemes: doors.map(({ scheme }) => scheme),
  };
}

function refuseVersion2(copy: YamlCopy) {
  walk(copy.value, [], (value, path) => {
    const type = value["@type"];
    const isOld = typeof type === "string" && /envoy\.(config\.filter|api\.v2)|\.v2\./.test(type);
    const isUntyped =
      value.config !== undefined &&
      typeof value.name === "string" &&
      value.name.startsWith("envoy.");
    if (isOld || (isUntyped && !/router$/.test(value.name)))
      throw cannot(
        copy.file,
        copy.lineOf(path),
        `${type ?? `${value.name} with config`} is of version 2 of Envoy's API, which Envoy 1.18 dropped`,
        "Expected version 3: typed_config with a type such as envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.",
      );
  });
}

function walk(value: any, path: Path, visit: (value: any, path: Path) => void) {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) visit(value, path);
  for (const [key, inner] of Object.entries(value))
    walk(inner, [...path, Array.isArray(value) ? Number(key) : key], visit);
}

function doorsOf(copy: YamlCopy): Door[] {
  return copy.value.static_resources.listeners.flatMap((listener: any, i: number) =>
    (listener.filter_chains ?? []).flatMap((chain: any, j: number): Door[] => {
      const path: Path = ["static_resources", "listeners", i, "filter_chains", j];
      const at = (chain.filters ?? []).findIndex(({ typed_config: config }: any) =>
        /HttpConnectionManager$/.test(config?.["@type"] ?? ""),
      );
      const socket = chain.transport_socket;
      if (at < 0 || /quic/i.test(JSON.stringify(socket ?? ""))) return [];
      const manager = chain.filters[at].typed_config;
      const upgrades = JSON.stringify(manager).includes('"upgrade_type":"websocket"');
      const managerPath = [...path, "filters", at, "typed_config"];
      return [
        { listener: i, chain, path, manager, managerPath, scheme: socket ? "wss" : "ws", upgrades },
      ];
    }),
  );
}

function choose(copy: YamlCopy, doors: Door[], { host, path }: Asked): Door[] {
  if (doors.length === 0)
    throw cannot(
      copy.file,
      copy.lineOf(["static_resources", "listeners", 0]),
      "no listener has a connection manager of HTTP (version 3)",
      "Expected a listener with envoy.filters.network.http_connection_manager and typed_config.",
    );
  const named = (door: Door) => {
    const text = JSON.stringify(door.manager);
    return [host, path].every((word) => word === undefined || text.includes(JSON.stringify(word)));
  };
  const fitting = doors.filter(named);
  if (fitting.length === 0)
    throw cannot(
      copy.file,
      copy.lineOf(doors[0].managerPath),
      `no route has ${[host, path].filter(Boolean).join(" and ")}`,
      "Expected a domain and a prefix or path as they stand in the file, or leave --host and --path out.",
    );
  const carrying = fitting.filter(({ upgrades }) => upgrades);
  const best = carrying.length > 0 ? carrying : fitting;
  return (["ws", "wss"] as const).flatMap(
    (scheme) => best.find((door) => door.scheme === scheme) ?? [],
  );
}

function adaptListener(copy: YamlCopy, listener: any, { chain, path, scheme, listener: i }: Door) {
  const before = listener.address?.socket_address;
  const port = HERE.ports[scheme];
  const at: Path = ["static_resources", "listeners", i];
  const chains = listener.filter_chains.length;
  if (before?.port_value !== port || before?.address !== "0.0.0.0")
    copy.say(
      [...at, "address"],
      `listens on ${before?.address}:${before?.port_value} → 0.0.0.0:${port}`,
    );
  if (chains > 1) copy.say(path, `left out: ${chains - 1} other filter chains`);
  const { filter_chain_match: match, ...rest } = chain;
  if (match) copy.say([...path, "filter_chain_match"], "left out: filter_chain_match");
  const filters = (listener.listener_filters ?? []).filter(
    ({ name = "" }) => !/proxy_protocol|original_/.test(name),
  );
  const address = { socket_address: { address: "0.0.0.0", port_value: port } };
  const { additional_addresses: _, access_log: __, ...kept } = listener;
  // One listener may have a chain for plain and one for TLS.
  const name = `${listener.name ?? "listener"}-${scheme}`;
  return { ...kept, name, address, listener_filters: filters, filter_chains: [rest] };
}

function adaptDoor(copy: YamlCopy, door: Door, asked: Asked) {
  const { chain, path, manager, managerPath, scheme } = door;
  if (manager.rds || manager.scoped_routes)
    throw cannot(
      copy.file,
      copy.lineOf([...managerPath, manager.rds ? "rds" : "scoped_routes"]),
      "a control plane gives the routes",
      "Expected route_config with the routes themselves, as `config_dump` shows them.",
    );
  if (scheme === "wss") adaptTls(copy, chain.transport_socket, [...path, "transport_socket"]);
  const hosts = manager.route_config?.virtual_hosts ?? [];
  const at = bestOf(hosts, (one: any) => scoreOfHost(one, asked));
  const host = hosts[at];
  if (!host)
    throw cannot(
      copy.file,
      copy.lineOf(managerPath),
      "there is no virtual host",
      "Expected route_config with one.",
    );
  const hostPath = [...managerPath, "route_config", "virtual_hosts", at];
  if (hosts.length > 1) copy.say(hostPath, `left out: ${hosts.length - 1} other virtual hosts`);
  if (host.domains?.join() !== "*")
    copy.say([...hostPath, "domains"], `domains ${host.domains} → *`);
  host.domains = ["*"];
  copy.leaveOut(host, hostPath, "require_tls", "the load does not follow a redirect");
  copy.leaveOut(host, hostPath, "rate_limits", "all load comes from one address");
  manager.route_config.virtual_hosts = [host];
  adaptRoutes(copy, host, hostPath, asked);
  copy.leaveOut(manager, managerPath, "tracing", "there is no such server");
  manager.http_filters = (manager.http_filters ?? []).filter((filter: any, i: number) => {
    const isOut = OF_OTHERS.test(filter.name ?? "");
    const filterPath = [...managerPath, "http_filters", i];
    if (isOut) copy.say(filterPath, `left out: ${filter.name} (it asks for what is not here)`);
    if (/router$/.test(filter.name ?? "") && !filter.typed_config) {
      delete filter.config;
      filter.typed_config = { "@type": ROUTER };
      copy.say(filterPath, "added: typed_config of the router");
    }
    return !isOut;
  });
  manager.access_log?.forEach((log: any, i: number) => {
    const file = log.typed_config?.path;
    if (typeof file !== "string" || file.startsWith("/dev/")) return;
    log.typed_config.path = logFile(file);
    copy.say(
      [...managerPath, "access_log", i, "typed_config", "path"],
      `${file} → ${logFile(file)}`,
    );
  });
}

function adaptTls(copy: YamlCopy, socket: any, path: Path) {
  const context = socket.typed_config?.common_tls_context ?? {};
  const at = [...path, "typed_config", "common_tls_context"];
  const certificate = {
    certificate_chain: { filename: HERE.certificate },
    private_key: { filename: HERE.key },
  };
  const before = JSON.stringify(context.tls_certificates);
  context.tls_certificates = [certificate];
  if (before !== JSON.stringify([certificate]))
    copy.say([...at, "tls_certificates"], `the certificate → ${HERE.certificate}`);
  for (const key of [
    "tls_certificate_sds_secret_configs",
    "validation_context",
    "validation_context_sds_secret_config",
    "combined_validation_context",
  ])
    copy.leaveOut(context, at, key, "the load has no certificate");
  copy.leaveOut(
    socket.typed_config,
    [...path, "typed_config"],
    "require_client_certificate",
    "the load has no certificate",
  );
  socket.typed_config.common_tls_context = context;
}

function adaptRoutes(copy: YamlCopy, host: any, hostPath: Path, asked: Asked) {
  const routes: any[] = host.routes ?? [];
  const at = bestOf(routes, (route) => scoreOfRoute(route, asked));
  const chosen = routes[at];
  if (!chosen?.route)
    throw cannot(
      copy.file,
      copy.lineOf([...hostPath, "routes"]),
      "no route of this virtual host leads to a cluster",
      "Expected a route with `route: { cluster: … }`.",
    );
  const path = [...hostPath, "routes", at];
  const before = titleOf(chosen.match);
  const { path: _, safe_regex: __, path_separated_prefix: ___, ...match } = chosen.match;
  chosen.match = { ...match, prefix: "/" };
  if (before !== "prefix /")
    copy.say([...path, "match"], `${before} → prefix /: the load asks for /`);
  for (const key of ["prefix_rewrite", "regex_rewrite", "path_rewrite_policy"])
    copy.leaveOut(chosen.route, [...path, "route"], key, "the load asks for /");
  host.routes = routes.filter((route, i) => {
    const isInTheWay =
      route !== chosen &&
      (i < at || !route.route) &&
      PATHS.some((one) => matches(route.match, one));
    if (isInTheWay)
      copy.say(
        [...hostPath, "routes", i],
        `left out: ${titleOf(route.match)} (the WebSockets live in ${before})`,
      );
    return !isInTheWay;
  });
  const isPartial = Boolean(match.headers || match.query_parameters || match.runtime_fraction);
  if (!isPartial) return;
  host.routes.push({ match: { prefix: "/" }, route: chosen.route });
  copy.say(path, "added: a route for what the load asks for beside WebSockets");
}

function titleOf(match: any): string {
  const { prefix, path, safe_regex: regex } = match ?? {};
  if (prefix !== undefined) return `prefix ${prefix}`;
  return path === undefined ? `safe_regex ${regex?.regex}` : `path ${path}`;
}

function matches(match: any, path: string): boolean {
  const { prefix, path: exact, safe_regex: regex } = match ?? {};
  if (prefix !== undefined) return path.startsWith(prefix);
  if (exact !== undefined) return path === exact;
  return regex !== undefined && new RegExp(`^(?:${regex.regex})$`).test(path);
}

function scoreOfRoute({ match, route }: any, { path }: Asked): number {
  if (!route || route.upgrade_configs?.some((one: any) => one.enabled === false)) return -1;
  const title = titleOf(match);
  const isAsked = path !== undefined && (matches(match, path) || title.endsWith(` ${path}`));
  return (
    Number(isAsked) * (1000 + title.length) +
    Number(Boolean(route.upgrade_configs)) * 100 +
    Number(LIKELY.test(title)) * 10 +
    Number(title === "prefix /")
  );
}

function scoreOfHost({ domains = [], routes = [] }: any, asked: Asked): number {
  const best = Math.max(-1, ...routes.map((route: any) => scoreOfRoute(route, asked)));
  return Number(domains.includes(asked.host)) * 10_000 + best;
}

/** @returns its place; -1: there is none */
function bestOf(all: any[], score: (one: any) => number): number {
  const scores = all.map(score);
  return scores.indexOf(Math.max(...scores));
}

function adaptCluster(copy: YamlCopy, cluster: any, i: number) {
  const path: Path = ["static_resources", "clusters", i];
  const [address, port] = HERE.backend.split(":");
  const before = JSON.stringify(
    cluster.load_assignment ?? cluster.hosts ?? cluster.eds_cluster_config ?? {},
  );
  const found = [...before.matchAll(/"address":"([^"]+)","port_value":(\d+)/g)].map(
    ([, name, number]) => `${name}:${number}`,
  );
  const endpoint = { address: { socket_address: { address, port_value: Number(port) } } };
  const endpoints = [{ lb_endpoints: [{ endpoint }] }];
  cluster.load_assignment = { cluster_name: cluster.name, endpoints };
  if (found.join() !== HERE.backend)
    copy.say(
      path,
      `cluster ${cluster.name}: ${found.join(", ") || "its servers"} → ${HERE.backend}`,
    );
  if (cluster.type !== "STRICT_DNS" && cluster.type !== "LOGICAL_DNS") {
    copy.say([...path, "type"], `type ${cluster.type ?? "STATIC"} → STRICT_DNS`);
    cluster.type = "STRICT_DNS";
  }
  for (const key of ["hosts", "eds_cluster_config", "cluster_type"])
    if (cluster[key] !== undefined) delete cluster[key];
  for (const key of ["transport_socket", "tls_context", "transport_socket_matches"])
    copy.leaveOut(cluster, path, key, "the server behind speaks no TLS");
  for (const key of ["health_checks", "upstream_bind_config", "track_cluster_stats"])
    copy.leaveOut(cluster, path, key, "of the servers that are not here");
  copy.leaveOut(cluster, path, "http2_protocol_options", "the server behind speaks HTTP/1.1");
  for (const [key, options] of Object.entries<any>(
    cluster.typed_extension_protocol_options ?? {},
  )) {
    if (
      !options.explicit_http_config?.http2_protocol_options &&
      !options.auto_config &&
      !options.use_downstream_protocol_config
    )
      continue;
    delete options.auto_config;
    delete options.use_downstream_protocol_config;
    options.explicit_http_config = { http_protocol_options: {} };
    copy.say(
      [...path, "typed_extension_protocol_options", key],
      "HTTP/2 to the servers → HTTP/1.1",
    );
  }
}
