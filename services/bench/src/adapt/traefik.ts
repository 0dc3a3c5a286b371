import { basename } from "node:path";
import { HERE, LIKELY, cannot, logFile } from "./source.ts";
import { YamlCopy } from "./yaml-copy.ts";
import type { Asked, Copy, Source, Templates } from "./source.ts";
import type { Scheme } from "../model/plan.ts";

const COMPOSE = ["docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml"];

/** Beside the file that Traefik begins to read. */
const DYNAMIC = "tried-dynamic.yaml";

/** Middlewares that let the load not through, or change its path. */
const IN_THE_WAY =
  /^(basicAuth|digestAuth|forwardAuth|ipAllowList|ipWhiteList|rateLimit|inFlightReq|stripPrefix|stripPrefixRegex|replacePath|replacePathRegex|redirectScheme|redirectRegex|addPrefix|plugin)$/;

/** Of its start, which nothing here answers or asks. */
const OF_OTHERS = [
  ...["api", "certificatesResolvers", "experimental", "hub", "metrics", "ping", "pilot", "tracing"],
];

type Dynamic = { copy: YamlCopy; value: any };

/** @throws {UserError} with the line, where it cannot be adapted; exit code 2 */
export function adaptTraefik(source: Source, asked: Asked, templates: Templates): Copy {
  const { main } = source;
  const copy = new YamlCopy(main, templates.fill(main, source.text(main)));
  const isCompose = copy.value.services !== undefined && copy.value.entryPoints === undefined;
  const { http, tcp, udp, tls, ...start } = isCompose ? ofLabels(copy) : copy.value;
  const own: Dynamic[] = http ? [{ copy, value: { http, tls } }] : [];
  const beside = start.providers?.docker && COMPOSE.find((name) => source.find(name));
  if (beside) {
    const labels = new YamlCopy(beside, templates.fill(beside, source.text(beside)));
    own.push({ copy: labels, value: ofLabels(labels) });
  }
  const included = providedBy(source, start.providers?.file).map((name): Dynamic => {
    const read = new YamlCopy(name, templates.fill(name, source.text(name)));
    return { copy: read, value: read.value };
  });
  const all = [...own, ...included];
  const routers = all.flatMap(({ copy: from, value }) =>
    Object.entries<any>(value.http?.routers ?? {}).map(([name, router]) => ({
      name,
      router,
      from,
    })),
  );
  if (routers.length === 0)
    throw cannot(
      main,
      copy.lineOf(["providers"]),
      "no router of HTTP is in it or in the files that it names",
      "Expected http.routers, in this file or in providers.file of the folder; or a Compose file with labels.",
    );
  const entries = entriesOf(
    start,
    routers.map(({ router }) => router),
  );
  const chosen = choose(routers, entries, asked);
  if (chosen.length === 0)
    throw cannot(
      routers[0].from.file,
      routers[0].from.lineOf(["http", "routers", routers[0].name]),
      `no router has ${[asked.host, asked.path].filter(Boolean).join(" and ")}`,
      "Expected a host and a path as they stand in a rule, or leave --host and --path out.",
    );
  const merged = (part: string) =>
    Object.assign({}, ...all.map(({ value }) => value.http?.[part] ?? {}));
  const middlewares = merged("middlewares");
  const dynamic = {
    http: {
      routers: Object.fromEntries(
        chosen.map(({ name, router, from, scheme }) => [
          `${name}-${scheme}`,
          adaptRouter(from, name, router, { scheme, middlewares }),
        ]),
      ),
      services: adaptServices(
        all,
        chosen.map(({ router }) => nameOf(router.service)),
      ),
      ...(Object.keys(middlewares).length > 0 && { middlewares }),
      ...(Object.keys(merged("serversTransports")).length > 0 && {
        serversTransports: merged("serversTransports"),
      }),
    },
    tls: {
      options: Object.assign({}, ...all.map(({ value }) => value.tls?.options ?? {})),
      stores: {
        default: { defaultCertificate: { certFile: HERE.certificate, keyFile: HERE.key } },
      },
    },
  };
  if (Object.keys(dynamic.tls.options).length === 0)
    delete (dynamic.tls as Partial<typeof dynamic.tls>).options;
  const schemes = chosen.map(({ scheme }) => scheme);
  const files = {
    [main]: text(adaptStart(copy, start, { entries, schemes, root: source.root })),
    [DYNAMIC]: text(dynamic),
  };
  const changes = [copy, ...all.map((one) => one.copy)].flatMap((one) => one.changes);
  return { main, files, schemes, changes: [...new Set(changes)] };
}

function text(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Labels and arguments of a Compose file, as files would say them. */
function ofLabels(copy: YamlCopy): any {
  const told: any = {};
  for (const [service, { labels = [], command = [] }] of Object.entries<any>(copy.value.services)) {
    const pairs = Array.isArray(labels)
      ? labels.map((label) => label.split(/=(.*)/s))
      : Object.entries(labels);
    for (const [key, value] of pairs)
      if (/^traefik\.http\./.test(key)) set(told, key.split(".").slice(1), String(value));
    const named = (part: string) =>
      pairs.flatMap(
        ([key]: string[]) => key.match(`^traefik\\.http\\.${part}\\.([^.]+)`)?.[1] ?? [],
      );
    for (const name of named("routers")) {
      const router = told.http.routers[name];
      router.service ??= named("services")[0] ?? service;
      const services = ((told.http.services ??= {})[router.service] ??= {});
      services.loadBalancer = { ...services.loadBalancer, servers: [{ url: `http://${service}` }] };
    }
    for (const argument of [command].flat()) {
      const [, key, value = "true"] = /^--([^=]+)=?(.*)$/s.exec(String(argument)) ?? [];
      if (key && /^entrypoints\./i.test(key))
        set(told, ["entryPoints", ...key.split(".").slice(1)], value);
    }
  }
  copy.say(["services"], "labels of the containers → a file");
  return told;
}

/** Arrays and truths are words in a label. */
function set(target: any, path: string[], value: string) {
  let place = target;
  for (const step of path
    .slice(0, -1)
    .map((one) => (one === "loadbalancer" ? "loadBalancer" : one))) {
    const known = Object.keys(place).find((key) => key.toLowerCase() === step.toLowerCase());
    if (typeof place[known ?? step] !== "object") place[known ?? step] = {};
    place = place[known ?? step];
  }
  const last = path[path.length - 1];
  const key = last.toLowerCase() === "entrypoints" ? "entryPoints" : last;
  const isList = ["entryPoints", "middlewares"].includes(key);
  if (key === "tls") place.tls = value === "true" ? {} : undefined;
  else
    place[key] = isList
      ? value.split(",")
      : value === "true"
        ? true
        : value === "false"
          ? false
          : value;
}

/** @returns files of the folder; one that has another name in the container is found by its last part */
function providedBy(source: Source, file: any): string[] {
  if (!file) return [];
  if (file.filename)
    return [source.find(file.filename) ?? source.find(basename(file.filename))].filter(
      (name) => name !== null,
    );
  const folder = String(file.directory ?? "").replace(/\/$/, "");
  const places = [folder, basename(folder), "."].map((place) => [
    ...source.glob(`${place}/*.yml`),
    ...source.glob(`${place}/*.yaml`),
  ]);
  const found = places.find((names) => names.length > 0) ?? [];
  return found.filter((name) => name !== source.main && /^http:/m.test(source.text(name)));
}

/** @returns scheme of each entry point; of one that but redirects: null */
function entriesOf(start: any, routers: any[]): Map<string, Scheme | null> {
  const known = Object.entries<any>(start.entryPoints ?? {}).map(
    ([name, entry]): [string, Scheme | null] => {
      const isTls = entry.http?.tls !== undefined || /:443\b/.test(entry.address ?? "");
      return [name, entry.http?.redirections ? null : isTls ? "wss" : "ws"];
    },
  );
  const named = routers.flatMap(({ entryPoints = [] }) => entryPoints as string[]);
  const others = named.filter((name) => !known.some(([one]) => one === name));
  return new Map([
    ...others.map((name): [string, Scheme] => [
      name,
      /secure|https|443|tls/.test(name) ? "wss" : "ws",
    ]),
    ...known,
  ]);
}

interface Chosen {
  name: string;
  router: any;
  from: YamlCopy;
  scheme: Scheme;
}

/** @returns one of each scheme, which lead to one service */
function choose(
  routers: Omit<Chosen, "scheme">[],
  entries: Map<string, Scheme | null>,
  { host, path }: Asked,
): Chosen[] {
  const served = routers
    .filter(({ router }) => router.service && !/@internal$/.test(router.service))
    .filter(({ router: { rule = "" } }) =>
      [host, path].every((word) => word === undefined || rule.includes(word)),
    )
    .flatMap((one): Chosen[] => {
      const names: string[] = one.router.entryPoints ?? [...entries.keys()];
      const schemes = names
        .map((name) => entries.get(name) ?? null)
        .filter((scheme) => scheme !== null);
      const all: Scheme[] = one.router.tls
        ? ["wss"]
        : schemes.length > 0 || names.length > 0
          ? schemes
          : ["ws"];
      return [...new Set(all)].map((scheme) => ({ ...one, scheme }));
    });
  const weight = ({ name, router: { rule = "", service } }: Chosen) =>
    Number(LIKELY.test(rule)) * 4 + Number(LIKELY.test(`${name} ${service}`)) * 2;
  const [best] = served.toSorted((a, b) => weight(b) - weight(a));
  if (!best) return [];
  const twin = served.find(
    ({ scheme, router }) =>
      scheme !== best.scheme && nameOf(router.service) === nameOf(best.router.service),
  );
  return twin ? [best, twin] : [best];
}

function nameOf(service: string): string {
  return String(service).replace(/@file$|@docker$/, "");
}

function adaptRouter(
  copy: YamlCopy,
  name: string,
  router: any,
  { scheme, middlewares }: { scheme: Scheme; middlewares: any },
): object {
  const path = ["http", "routers", name];
  const { rule, middlewares: own = [], tls, priority: _, ...rest } = router;
  const kept = (own as string[]).map(nameOf).filter((one) => {
    const [kind = "an unknown one"] = Object.keys(middlewares[one] ?? {});
    if (middlewares[one] && !IN_THE_WAY.test(kind)) return true;
    copy.say(
      [...path, "middlewares"],
      `left out: middleware ${one} (${middlewares[one] ? kind : "not in these files"})`,
    );
    return false;
  });
  if (rule !== "PathPrefix(`/`)")
    copy.say([...path, "rule"], `rule ${rule} → PathPrefix(\`/\`): the load asks for /`);
  const options = typeof tls === "object" && tls?.options ? { options: nameOf(tls.options) } : {};
  return {
    ...rest,
    rule: "PathPrefix(`/`)",
    service: nameOf(router.service),
    entryPoints: [scheme],
    ...(kept.length > 0 && { middlewares: kept }),
    ...(scheme === "wss" && { tls: options }),
  };
}

function adaptServices(all: Dynamic[], wanted: string[]): object {
  const services = all.flatMap(({ copy, value }) =>
    Object.entries<any>(value.http?.services ?? {}).map(([name, service]) => ({
      copy,
      name,
      service,
    })),
  );
  const adapted = services.flatMap(({ copy, name, service }) => {
    const path = ["http", "services", name];
    if (!service.loadBalancer) return wanted.includes(name) ? [[name, service]] : [];
    const { servers = [], healthCheck, sticky, ...rest } = service.loadBalancer;
    const urls = servers.map(({ url }: any) => url).filter(Boolean);
    const here = `http://${HERE.backend}`;
    if (urls.join() !== here)
      copy.say(
        [...path, "loadBalancer", "servers"],
        `${name}: ${urls.join(", ") || "its servers"} → ${here}`,
      );
    if (healthCheck)
      copy.say(
        [...path, "loadBalancer", "healthCheck"],
        "left out: healthCheck (of the servers that are not here)",
      );
    const { port: _, scheme: __, server: ___, ...kept } = rest;
    return [
      [name, { loadBalancer: { ...kept, ...(sticky && { sticky }), servers: [{ url: here }] } }],
    ];
  });
  const found = Object.fromEntries(adapted);
  for (const name of wanted)
    found[name] ??= { loadBalancer: { servers: [{ url: `http://${HERE.backend}` }] } };
  return found;
}

function adaptStart(
  copy: YamlCopy,
  start: any,
  {
    entries,
    schemes,
    root,
  }: { entries: Map<string, Scheme | null>; schemes: Scheme[]; root: string },
): object {
  const {
    entryPoints = {},
    providers,
    accessLog,
    services: _,
    networks: __,
    volumes: ___,
    version: ____,
    ...rest
  } = start;
  const points = schemes.map((scheme) => {
    const [name] = [...entries].find(([, one]) => one === scheme) ?? [];
    const {
      address,
      http = {},
      http3: _http3,
      proxyProtocol,
      ...entry
    } = entryPoints[name ?? ""] ?? {};
    const { redirections: _redirections, middlewares: _middlewares, tls: _tls, ...kept } = http;
    copy.say(
      ["entryPoints", name ?? ""],
      `entry point ${name ?? scheme} ${address ?? ""} → :${HERE.ports[scheme]}`,
    );
    if (proxyProtocol)
      copy.say(
        ["entryPoints", name ?? "", "proxyProtocol"],
        "left out: proxyProtocol (the load sends none)",
      );
    return [
      scheme,
      {
        ...entry,
        address: `:${HERE.ports[scheme]}`,
        ...(Object.keys(kept).length > 0 && { http: kept }),
      },
    ];
  });
  if (providers) copy.say(["providers"], `providers ${Object.keys(providers).join(", ")} → a file`);
  for (const key of OF_OTHERS) copy.leaveOut(rest, [], key, "nothing here asks or answers it");
  const file = accessLog?.filePath;
  if (file) copy.say(["accessLog", "filePath"], `${file} → ${logFile(file)}`);
  if (rest.log?.filePath) rest.log.filePath = logFile(rest.log.filePath);
  return {
    ...rest,
    ...(accessLog !== undefined && {
      accessLog: { ...accessLog, ...(file && { filePath: logFile(file) }) },
    }),
    global: { checkNewVersion: false, sendAnonymousUsage: false },
    entryPoints: Object.fromEntries(points),
    providers: { file: { filename: `${root}/${DYNAMIC}`, watch: false } },
  };
}
