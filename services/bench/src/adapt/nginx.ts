import { Directive, walk } from "./directives.ts";
import { Adapter, HERE, LIKELY, NOT_BESIDE, PATHS, cannot, Edits, logFile } from "./source.ts";
import { parseNginx } from "./nginx-syntax.ts";
import type { Copy } from "./source.ts";
import type { Scheme } from "../model/plan.ts";

/** Files that every image has. */
const OF_IMAGE = /^(mime\.types|(fastcgi|uwsgi|scgi)(_params|\.conf)|koi-utf|koi-win|win-utf)$/;

/** Directives of modules that no official image has. */
const OF_MODULES: [RegExp, string][] = [
  [/^brotli/, "ngx_brotli"],
  [/^zstd/, "zstd-nginx-module"],
  [/_by_lua(_block|_file)?$|^lua_/, "ngx_lua"],
  [/^geoip2/, "ngx_http_geoip2_module"],
  [/^geoip_/, "ngx_http_geoip_module"],
  [/^vhost_traffic_status/, "nginx-module-vts"],
  [/^more_(set|clear)_/, "headers-more"],
  [/^modsecurity/, "ModSecurity"],
  [/^js_/, "njs"],
  [/^perl/, "ngx_http_perl_module"],
  [/^pagespeed/, "ngx_pagespeed"],
  [/^(status_zone|health_check|auth_jwt|sticky|state|ntlm|zone_sync)/, "NGINX Plus"],
];

/** Left out wherever they stand, and why. */
const LEFT_OUT: [RegExp, string][] = [
  [/^user$/, "the container runs as nginx"],
  [/^daemon$/, "the container's first process stays in front"],
  [/^ssl$/, "`ssl` of `listen` says it since 1.25"],
  [/^auth_(basic|request)/, "the load has no password"],
  [/^(allow|deny)$/, "the load comes from Docker's network"],
  [/^limit_(req|conn)$/, "all load comes from one address"],
  [
    /^ssl_(client_certificate|verify_client|verify_depth|trusted_certificate|crl|password_file)$/,
    "the load has no certificate",
  ],
  [/^ssl_stapling/, "the test certificate has no OCSP server"],
  [/^ssl_engine$/, "there is no such device"],
  [/^proxy_ssl_/, "the server behind it speaks no TLS"],
  [/^proxy_bind$/, "the address is not the container's"],
  [/^internal$/, "the load asks for it from outside"],
];

/** Folders of temporary files. */
const TEMPORARY =
  /^(client_body|proxy|fastcgi|uwsgi|scgi)_temp_path$|^(proxy|fastcgi|uwsgi|scgi)_cache_path$/;

/** A `location` through which WebSockets may pass. */
interface Place {
  server: Directive;
  location: Directive | null;
  /** sets the header Upgrade, itself or where it inherits from */
  upgrades: boolean;
}

export class Nginx extends Adapter {
  /** by file; of those that are included alone */
  #edits = new Map<string, Edits>();
  #servers: Directive[] = [];
  #http: Directive | null = null;
  #main: Directive[] = [];
  /** what stands before and after the file: a fragment lacks what is around it */
  #before = "";
  #after = "";

  adapt(): Copy {
    this.#main = this.#read(this.source.main);
    this.#frame();
    this.#http = this.#main.find(({ name }) => name === "http") ?? null;
    const inHttp = this.#http?.body ?? this.#main;
    const servers = direct(inHttp).filter(({ name }) => name === "server");
    if (servers.length > 0) this.#servers = servers;
    const chosen = this.#choose();
    this.#adaptMain();
    this.#adaptUpstreams(inHttp);
    const carrying = new Set(chosen.map(({ server }) => server));
    for (const server of this.#servers)
      if (!carrying.has(server)) server.leaveOut("other servers are not measured");
    for (const place of chosen) this.#adaptServer(place, inHttp);
    this.#adaptAll(inHttp);
    return this.#done(chosen);
  }

  #read(name: string): Directive[] {
    const edits = this.edit(name);
    this.#edits.set(name, edits);
    const directives = parseNginx(edits);
    for (const one of walk(directives)) if (one.name === "include") this.#include(one);
    return directives;
  }

  #include(directive: Directive) {
    const [{ text }] = directive.args;
    const found = text.includes("*") ? this.source.glob(text) : [this.source.find(text)];
    const files = found.filter((name) => name !== null && !this.#edits.has(name));
    if (files.length > 0) directive.body = files.flatMap((name) => this.#read(String(name)));
    else if (found.includes(null) && !OF_IMAGE.test(text.replace(`${this.source.root}/`, "")))
      directive.leaveOut(NOT_BESIDE);
  }

  #frame() {
    const names = new Set(direct(this.#main).map(({ name }) => name));
    const { main } = this.source;
    const file = this.#edits.get(main);
    if (names.has("http")) {
      if (names.has("events")) return;
      file?.say(0, "added: events {}");
      this.#before = "events {} ";
      return;
    }
    if (names.has("stream") || names.has("mail"))
      throw cannot(
        main,
        1,
        "it has no http block, and of nginx servers of HTTP are tried",
        "Expected http, server or location. For `stream`: docs/own-config.md, a variant of nginx-tcp.",
      );
    const isServer = names.has("server");
    if (!isServer && !["location", "proxy_pass", "listen"].some((name) => names.has(name)))
      throw cannot(
        main,
        1,
        "it has neither http, server nor location",
        "Expected the file that nginx begins to read, or one with a server in it; of a folder: nginx.conf in it.",
      );
    file?.say(0, `added: events, http${isServer ? "" : ", server"} around the fragment`);
    this.#before = "events {} http { ";
    this.#after = "\n}\n";
    if (isServer || !file) return;
    this.#servers = [new Directive(file, { words: [], body: this.#main })];
    const isLocation = names.has("proxy_pass");
    this.#before += isLocation ? `server { listen ${HERE.ports.ws}; location / { ` : "server { ";
    this.#after = `\n}${isLocation ? "}" : ""}}\n`;
  }

  /** @returns one server for plain, one for TLS, or one for both */
  #choose(): Place[] {
    const { path, host } = this.asked;
    const servers = this.#servers.filter((one) => !host || namesOf(one).includes(host));
    if (servers.length === 0)
      throw cannot(
        this.source.main,
        1,
        host ? `no server has the name ${host}` : "there is no server in it",
        host
          ? `Expected one of ${[...new Set(this.#servers.flatMap(namesOf))].join(", ") || "none: leave --host out"}.`
          : "Expected one; of a folder, nginx.conf must include it.",
      );
    const places = servers.flatMap((server) => this.#placesOf(server));
    const fitting =
      path === undefined ? places : places.filter(({ location }) => matches(location, path));
    if (fitting.length === 0) {
      const known = places.map(({ location }) => titleOf(location)).join(", ");
      const [first] = servers;
      throw cannot(
        first.edits.file,
        first.line,
        path === undefined
          ? "no location of this server passes requests on (proxy_pass)"
          : `no location with proxy_pass matches ${path}`,
        path === undefined
          ? "Expected a proxy_pass to the server of the WebSockets, or a folder with the file that has it."
          : `Expected one of ${known || "none"}.`,
      );
    }
    const best = fitting.toSorted((a, b) => weight(b, path) - weight(a, path))[0];
    const schemes = schemesOf(best.server);
    const twin = fitting.find(
      (other) =>
        other.server !== best.server &&
        titleOf(other.location) === titleOf(best.location) &&
        other.upgrades === best.upgrades &&
        schemesOf(other.server).some((scheme) => !schemes.includes(scheme)),
    );
    return twin ? [best, twin] : [best];
  }

  #placesOf(server: Directive): Place[] {
    const outer = direct(this.#http?.body ?? []);
    const body = direct(server.body ?? []);
    const inherited = upgradesIn(body) ?? upgradesIn(outer) ?? false;
    const own = body.filter(({ name }) => name === "location");
    const inLocations = own.flatMap((location): Place[] => {
      const inside = [...walk(location.body ?? [])];
      if (!inside.some(({ name }) => name === "proxy_pass")) return [];
      return [{ server, location, upgrades: upgradesIn(inside) ?? inherited }];
    });
    const isFragment = body.some(({ name }) => name === "proxy_pass");
    return isFragment
      ? [{ server, location: null, upgrades: inherited }, ...inLocations]
      : inLocations;
  }

  #adaptMain() {
    for (const one of direct(this.#main)) {
      if (one.name === "pid" && !/^\/(var\/)?run\/[^/]+$/.test(one.args[0].text))
        one.setArgs("/run/nginx.pid");
      if (one.name === "load_module" && !this.asked.hasOwnImage)
        one.leaveOut("with --image your image can have it");
    }
  }

  #adaptUpstreams(inHttp: Directive[]) {
    for (const upstream of direct(inHttp).filter(({ name }) => name === "upstream"))
      for (const one of direct(upstream.body ?? []))
        if (one.name === "server") one.setWord(1, HERE.backend);
  }

  #adaptServer({ server, location, upgrades }: Place, inHttp: Directive[]) {
    const body = direct(server.body ?? []);
    this.#adaptListen(server, body);
    for (const one of body) {
      if (one.name === "return" || (one.name === "if" && answers(one)))
        one.leaveOut("it answers instead of the server");
      else if (one.name === "rewrite") one.leaveOut("it changes the path of the load");
      else if (one.name === "try_files") one.leaveOut("there are no such files");
      else if (
        one.name === "location" &&
        one !== location &&
        PATHS.some((path) => matches(one, path))
      )
        one.leaveOut(`the WebSockets live in ${titleOf(location)}`);
    }
    if (location) location.setArgs("/", ": the load asks for /");
    if (!upgrades) {
      const { edits, start } = location ?? server;
      edits.say(
        start,
        `${titleOf(location)} passes no WebSockets on: that takes proxy_http_version 1.1, and proxy_set_header for Upgrade $http_upgrade and Connection "upgrade"`,
      );
    }
    const upstreams = upstreamsOf(inHttp);
    for (const one of walk(location?.body ?? body)) {
      if (one.name === "proxy_pass") this.#adaptPass(one, upstreams);
      if (one.name === "return" || (one.name === "if" && answers(one)))
        one.leaveOut("it answers instead of the server");
    }
  }

  #adaptPass(pass: Directive, upstreams: string[]) {
    const [, scheme = "http://", authority = "", uri = ""] =
      /^(https?:\/\/)?(unix:[^:]*:?|[^/]*)(.*)$/.exec(pass.args[0].text) ?? [];
    const target = upstreams.includes(authority) ? authority : HERE.backend;
    // Of a path any but the whole one would hide the server's pages.
    const kept = uri === "" || uri.includes("$request_uri") ? "" : "/";
    const why = scheme === "https://" ? ": the server behind it speaks no TLS" : "";
    pass.setWord(1, `http://${target}${kept}`, why);
  }

  #adaptListen(server: Directive, body: Directive[]) {
    const listens = body.filter(({ name }) => name === "listen");
    const isOldTls = body.some(({ name, args }) => name === "ssl" && args[0]?.text === "on");
    const done = new Set<Scheme>();
    for (const one of listens) {
      const scheme = schemeOf(one, isOldTls);
      const words = one.args.slice(1).map(({ text }) => text);
      if (scheme === null || done.has(scheme)) {
        one.leaveOut(
          scheme === null ? "the load comes over TCP" : "one port of each kind is enough",
        );
        continue;
      }
      done.add(scheme);
      const kept = words.filter(
        (word) => word !== "proxy_protocol" && !word.startsWith("ipv6only"),
      );
      const tls = scheme === "wss" && !kept.includes("ssl") ? ["ssl"] : [];
      const why = words.includes("proxy_protocol") ? ": the load sends no PROXY protocol" : "";
      one.setArgs([HERE.ports[scheme], ...tls, ...kept].join(" "), why);
    }
    if (listens.length === 0 && !this.#before.includes("listen"))
      server.insert(` listen ${HERE.ports.ws};`, "added: listen 8080");
    const hasCertificate = [...body, ...direct(this.#http?.body ?? [])].some(
      ({ name }) => name === "ssl_certificate",
    );
    if (done.has("wss") && !hasCertificate)
      server.insert(
        ` ssl_certificate ${HERE.certificate}; ssl_certificate_key ${HERE.key};`,
        "added: ssl_certificate, which the file has not",
      );
  }

  /** What holds wherever it stands. */
  #adaptAll(inHttp: Directive[]) {
    const all = [...walk(this.#main)];
    const upstreams = upstreamsOf(inHttp);
    const cut = new Set<string>();
    const ofAuth = all.flatMap(({ name, args }) =>
      name === "auth_request_set" ? [args[0].text] : [],
    );
    const formats = all.flatMap(({ name, args }) => (name === "log_format" ? [args[0].text] : []));
    const zones = all.flatMap(({ name, args }) =>
      name.endsWith("_cache_path")
        ? args.flatMap(({ text }) => /^keys_zone=([^:]+)/.exec(text)?.[1] ?? [])
        : [],
    );
    for (const one of all) {
      const why = LEFT_OUT.find(([pattern]) => pattern.test(one.name))?.[1];
      const module = OF_MODULES.find(([pattern]) => pattern.test(one.name))?.[1];
      const value = one.args[0]?.text ?? "";
      if (why) one.leaveOut(why);
      else if (!one.body && ofAuth.some((name) => one.args.some(({ text }) => text.includes(name))))
        one.leaveOut("its variable comes of auth_request");
      else if (module && !this.asked.hasOwnImage)
        one.leaveOut(`the image has no ${module}; with --image yours can`);
      else if (one.name === "access_log") this.#adaptLog(one, formats);
      else if (one.name === "error_log" && value.startsWith("syslog:"))
        one.leaveOut("there is no syslog server");
      else if (one.name === "error_log" && isFile(value)) one.setWord(1, logFile(value));
      else if (TEMPORARY.test(one.name))
        one.setWord(1, `/tmp/${value.split("/").filter(Boolean).join("-")}`);
      else if (one.name === "resolver")
        one.setArgs(
          [
            HERE.nameServer,
            ...one.args.map(({ text }) => text).filter((text) => text.includes("=")),
          ].join(" "),
        );
      else if (one.name === "ssl_certificate" || one.name === "ssl_certificate_key") {
        const place = `${one.edits.file} ${one.name} ${blockOf(all, one)}`;
        if (cut.has(place)) one.leaveOut("one certificate is enough");
        else one.setArgs(one.name === "ssl_certificate" ? HERE.certificate : HERE.key);
        cut.add(place);
      } else if (/^ssl_(dhparam|session_ticket_key)$/.test(one.name)) {
        if (!this.source.find(value)) one.leaveOut(NOT_BESIDE);
      } else if (
        /_cache$/.test(one.name) &&
        one.name.startsWith("proxy") &&
        value !== "off" &&
        !zones.includes(value)
      )
        one.leaveOut(`nothing here defines the zone ${value}`);
      else if (/^(grpc|fastcgi|uwsgi|scgi|memcached)_pass$/.test(one.name))
        one.setWord(1, HERE.backend);
      else if (one.name === "proxy_pass") this.#adaptOtherPass(one, upstreams);
    }
    this.#addMap(all);
  }

  /** In a location of the server that the load does not ask for: nginx looks up its name anyway. */
  #adaptOtherPass(pass: Directive, upstreams: string[]) {
    const authority = /^https?:\/\/([^/]*)/.exec(pass.args[0].text)?.[1] ?? "";
    if (upstreams.includes(authority) || authority === HERE.backend) return;
    pass.edits.replace(pass.args[0].start, pass.args[0].end, `http://${HERE.backend}`, "");
  }

  #adaptLog(log: Directive, formats: string[]) {
    const [{ text }, ...rest] = log.args;
    if (text === "off") return;
    if (text.startsWith("syslog:")) return log.leaveOut("there is no syslog server");
    const format = rest[0]?.text ?? "combined";
    const isKnown = format === "combined" || format.includes("=") || formats.includes(format);
    const kept = rest.map((word) => word.text).slice(isKnown ? 0 : 1);
    const why = isKnown ? "" : `: the format ${format} is not in the file`;
    if (isFile(text) || !isKnown)
      log.setArgs([isFile(text) ? logFile(text) : text, ...kept].join(" "), why);
  }

  /** Fragments use the variable of a map that stands elsewhere. */
  #addMap(all: Directive[]) {
    const name = "$connection_upgrade";
    const use = all.find(({ args }) => args.some(({ text }) => text === name));
    const isMapped = all.some((one) => one.name === "map" && one.args[1]?.text === name);
    if (!use || isMapped) return;
    const map = "map $http_upgrade $connection_upgrade { default upgrade; '' close; }";
    if (this.#http) this.#http.insert(` ${map}`, "");
    else this.#before = this.#before.replace("http {", () => `http { ${map}`);
    use.edits.say(use.start, `added: ${map}, which it uses and the file has not`);
  }

  #done(chosen: Place[]): Copy {
    const applied = [...this.#edits].map(([name, edits]) => ({ name, ...edits.apply() }));
    const files = Object.fromEntries(applied.map(({ name, text }) => [name, text]));
    const { main } = this.source;
    files[main] = `${this.#before}${files[main]}${this.#after}`;
    return {
      main,
      // What nginx does not read as its own language, such as dhparams, is there as it is.
      files: { ...Object.fromEntries(this.source.read), ...files },
      schemes: [...new Set(chosen.flatMap(({ server }) => schemesOf(server)))],
      changes: applied.flatMap(({ changes }) => changes),
    };
  }
}

/** Those of a block, with what its includes have in their place. */
function direct(body: Directive[]): Directive[] {
  return body.flatMap((one) => (one.name === "include" && one.body ? direct(one.body) : one));
}

function upstreamsOf(inHttp: Directive[]): string[] {
  return direct(inHttp).flatMap(({ name, args }) => (name === "upstream" ? [args[0].text] : []));
}

function namesOf(server: Directive): string[] {
  return direct(server.body ?? []).flatMap(({ name, args }) =>
    name === "server_name" ? args.map(({ text }) => text) : [],
  );
}

/** @returns null: it sets no header, and inherits those around it */
function upgradesIn(directives: Directive[]): boolean | null {
  const headers = directives.filter(({ name }) => name === "proxy_set_header");
  if (headers.length === 0) return null;
  return headers.some(({ args }) => args[0]?.text.toLowerCase() === "upgrade");
}

/** How likely the WebSockets live there. */
function weight({ server, location, upgrades }: Place, path: string | undefined): number {
  const title = titleOf(location);
  const longest = path === undefined ? 0 : title.length;
  return (
    Number(upgrades) * 1000 +
    longest * 10 +
    Number(LIKELY.test(title)) * 5 +
    Number(schemesOf(server).length) +
    Number(title === "location /")
  );
}

function titleOf(location: Directive | null): string {
  return location ? `location ${location.args.map(({ text }) => text).join(" ")}` : "the fragment";
}

/** Whether nginx would take it for a path, if no other is closer. */
function matches(location: Directive | null, path: string): boolean {
  if (location === null) return true;
  const words = location.args.map(({ text }) => text);
  const [modifier, pattern] = words.length > 1 ? words : ["", words[0] ?? ""];
  if (pattern.startsWith("@")) return false;
  if (modifier === "=") return pattern === path;
  if (!modifier.startsWith("~")) return path.startsWith(pattern);
  try {
    return new RegExp(pattern, modifier === "~*" ? "i" : "").test(path);
  } catch {
    // A pattern that PCRE alone understands.
    return false;
  }
}

/** What a GET of the load may meet. */
function answers({ args, body }: Directive): boolean {
  const isOfMethod = args.some(({ text }) => text.includes("$request_method"));
  return !isOfMethod && direct(body ?? []).some(({ name }) => /^(return|rewrite)$/.test(name));
}

/** @returns null: no load can come over it */
function schemeOf(listen: Directive, isOldTls: boolean): Scheme | null {
  const [address, ...words] = listen.args.map(({ text }) => text);
  if (address.startsWith("unix:") || words.includes("quic") || words.includes("http3")) return null;
  return words.includes("ssl") || (isOldTls && !/(^|:)80$/.test(address)) ? "wss" : "ws";
}

function schemesOf(server: Directive): Scheme[] {
  const body = direct(server.body ?? []);
  const isOldTls = body.some(({ name, args }) => name === "ssl" && args[0]?.text === "on");
  const listens = body.filter(({ name }) => name === "listen");
  if (listens.length === 0) return ["ws"];
  const schemes = listens.flatMap((one) => schemeOf(one, isOldTls) ?? []);
  return [...new Set(schemes)];
}

function isFile(value: string): boolean {
  return !value.startsWith("/dev/") && value !== "stderr" && !value.startsWith("memory:");
}

/** The block around it: two directives of one block share it. */
function blockOf(all: Directive[], one: Directive): number {
  return (
    all.findLast(
      (other) =>
        other.body && other.edits === one.edits && other.start < one.start && one.end <= other.end,
    )?.start ?? -1
  );
}
