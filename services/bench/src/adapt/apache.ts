import { basename, dirname, join } from "node:path";
import { parseApache } from "./apache-syntax.ts";
import { walk } from "./directives.ts";
import { Adapter, HERE, LIKELY, NOT_BESIDE, PATHS, cannot, Edits, logFile } from "./source.ts";
import type { Directive } from "./directives.ts";
import type { Copy } from "./source.ts";
import type { Scheme } from "../model/plan.ts";

/** Of the official image. */
const MODULES = new Set(
  `access_compat actions alias allowmethods asis auth_basic auth_digest auth_form authn_anon authn_core
  authn_dbd authn_dbm authn_file authn_socache authnz_fcgi authnz_ldap authz_core authz_dbd authz_dbm
  authz_groupfile authz_host authz_owner authz_user autoindex brotli buffer cache cache_disk
  cache_socache cgi cgid charset_lite data dav dav_fs dav_lock dbd deflate dir dumpio env expires
  ext_filter file_cache filter headers http2 include info lbmethod_bybusyness lbmethod_byrequests
  lbmethod_bytraffic lbmethod_heartbeat ldap log_config log_debug log_forensic logio lua macro mime
  mime_magic mpm_event mpm_prefork mpm_worker negotiation proxy proxy_ajp proxy_balancer
  proxy_connect proxy_express proxy_fcgi proxy_fdpass proxy_ftp proxy_hcheck proxy_html proxy_http
  proxy_http2 proxy_scgi proxy_uwsgi proxy_wstunnel ratelimit reflector remoteip reqtimeout request
  rewrite sed session session_cookie session_crypto session_dbd setenvif slotmem_plain slotmem_shm
  socache_dbm socache_memcache socache_redis socache_shmcb speling ssl status substitute suexec
  unique_id unixd userdir usertrack version vhost_alias watchdog xml2enc`.split(/\s+/),
);

/** Which modules a directive needs, by its text. */
const NEEDS: [RegExp, string[]][] = [
  [/^<?(Proxy|Balancer)/i, ["proxy"]],
  [/^(ProxyPass|ProxyPassMatch|BalancerMember|RewriteRule)\b.*\bwss?:\/\//i, ["proxy_wstunnel"]],
  [/\bfcgi:\/\//i, ["proxy_fcgi"]],
  [/\bajp:\/\//i, ["proxy_ajp"]],
  [/\bbalancer:\/\//i, ["slotmem_shm", "proxy_balancer", "lbmethod_byrequests"]],
  [/\blbmethod=bytraffic/i, ["lbmethod_bytraffic"]],
  [/\blbmethod=bybusyness/i, ["lbmethod_bybusyness"]],
  [/^ProxyHTML/i, ["xml2enc", "proxy_html"]],
  [/^Rewrite/i, ["rewrite"]],
  [/^(Request)?Header\b/i, ["headers"]],
  [/^SSL/i, ["ssl"]],
  [/^SSL\w+ "?shmcb:/i, ["socache_shmcb"]],
  [/^Redirect/i, ["alias"]],
  [/^(SetEnvIf|BrowserMatch)/i, ["setenvif"]],
  [/^(SetEnv|PassEnv|UnsetEnv)\b/i, ["env"]],
  [/^(CustomLog|TransferLog|LogFormat|GlobalLog)\b/i, ["log_config"]],
  // Sizes that only that module counts.
  [/^(CustomLog|LogFormat|GlobalLog)\b.*%[!\d,<>]*[IOS]\b/, ["logio"]],
  [/^Expires/i, ["expires"]],
  [/^(AddOutputFilterByType|Filter\w+)\b/i, ["filter"]],
  [/^Deflate|\b(IN|DE)FLATE\b/i, ["filter", "deflate"]],
  [/^(AddType|AddEncoding|AddCharset|AddOutputFilter|AddInputFilter)\b/i, ["mime"]],
  [/^(H2|Protocols\b.*\bh2)/i, ["http2"]],
  [/^RemoteIP/i, ["remoteip"]],
  [/^RequestReadTimeout/i, ["reqtimeout"]],
  [/^(ExtendedStatus|ProxyStatus)\b/i, ["status"]],
  [/^Substitute/i, ["substitute"]],
  [/^(Use|<Macro)\b/i, ["macro"]],
];

/** Directives of modules that no official image has: mod_security, PHP, Passenger and others. */
const OF_OTHERS =
  /^(Sec[A-Z]|php\d?_|Passenger|WSGI|ModPagespeed|DOS|Jk|Perl|Fcgid|FastCgi|GeoIP|MaxMind|QS_|RPAF|CloudFlare)/i;

/** Left out wherever they stand, and why. */
const LEFT_OUT: [RegExp, string][] = [
  [
    /^(User|Group|ChrootDir|PidFile|Mutex|ScoreBoardFile|CoreDumpDirectory|ServerRoot|DefaultRuntimeDir)$/i,
    "the container is run otherwise",
  ],
  [/^(NameVirtualHost|AcceptMutex|LockFile|SSLMutex|DefaultType)$/i, "Apache has it no more"],
  [/^(ServerName|ServerAlias|ServerAdmin|ServerPath)$/i, "the load asks for proxy"],
  [
    /^(DocumentRoot|Directory|DirectoryMatch|Files|FilesMatch|(Script)?Alias(Match)?|Directory(Index|Slash)|FallbackResource|UserDir|(Add|Set)Handler|Action|TypesConfig|MIMEMagicFile|(Add|Default)Icon\w*|IndexOptions|IndexIgnore|ReadmeName|HeaderName|AddLanguage|LanguagePriority|ForceLanguagePriority)$/i,
    "no files are served",
  ],
  [
    /^(Auth.*|Require(Any|All|None)|Order|Allow|Deny|Satisfy|Limit|LimitExcept|SSLRequire|SSLRequireSSL|LDAP.*|OIDC.*|Mellon.*|Shib.*)$/i,
    "the load is let in",
  ],
  [
    /^(SSLCACertificate\w+|SSLCADN\w+|SSLCARevocation\w+|SSLCertificateChainFile|SSLVerify\w+|SSLOCSP\w+|SSLUseStapling|SSLStapling\w+|SSLPassPhraseDialog|MD.*)$/i,
    "certificates are the suite's",
  ],
  [/^SSLCryptoDevice$/i, "there is no such device"],
  [/^SSLProxy/i, "the server behind it speaks no TLS"],
  [/^ProxyRemote/i, "there is no such proxy"],
  [/^ProxyWebsocketFallbackToProxyHttp$/i, "the load asks for pages there, too"],
  [/^RemoteIPProxyProtocol/i, "the load sends no PROXY protocol"],
];

/** What says how many connections it carries. */
const OF_MPM =
  /^(StartServers|ServerLimit|Thread\w+|M(in|ax)Spare\w+|MaxRequestWorkers|MaxClients)$/i;

/** That of ../../../../proxies/apache: a fragment says nothing of it. */
const MPM = `StartServers \${PROXY_WORKERS}
ThreadLimit 256
ThreadsPerChild 256
MinSpareThreads 256
ServerLimit 64
MaxRequestWorkers 16384
MaxSpareThreads 16384
`;

/** Of the image's own httpd.conf, and Debian's. */
const FORMATS: Record<string, string> = {
  common: '%h %l %u %t \\"%r\\" %>s %b',
  combined: '%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"',
  vhost_combined: '%v:%p %h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"',
};

/** Of the copy: Apache begins to read another, which includes the user's, so that no line moves. */
const FOLDER = "tried";
const FRAME = `${FOLDER}.conf`;

/** Sections around what holds as if it stood alone. */
const THROUGH = /^(IfModule|IfVersion|IfFile|IfDefine|If|ElseIf|Else|Include|IncludeOptional)$/i;

/** Of a request: what it asks for, or who asks. */
const OF_REQUEST =
  /%\{(HTTP:(Upgrade|Connection)|REQUEST_URI|REQUEST_FILENAME|THE_REQUEST|QUERY_STRING|HTTP_HOST|SERVER_NAME|SERVER_PORT|REMOTE_ADDR|HTTP_ORIGIN|HTTP_COOKIE|HTTP_USER_AGENT)\}/i;
const OF_UPGRADE = /%\{HTTP:(Upgrade|Connection)\}/i;

/** Flags of a RewriteRule. */
const PROXIES = /[[,](P|proxy)[\],]/i;
const REDIRECTS = /[[,](R|redirect)[=\],]/i;
const REFUSES = /[[,](F|forbidden|G|gone)[\],]/i;

/** Of `ws://host:port/path`, and of unix:/x|http://… */
const TARGET = /^(?:unix:[^|]*\|)?(?:(\w+):\/\/)?([^/%$]*)([^]*)$/;

interface Server {
  /** null: what stands outside of all */
  block: Directive | null;
  body: Directive[];
  scheme: Scheme;
}

interface Module {
  name: string;
  path: string;
}

/** Through which WebSockets may pass. */
interface Place {
  server: Server;
  /** ProxyPass, ProxyPassMatch or RewriteRule */
  directive: Directive;
  /** around it; null: none */
  location: Directive | null;
  /** of a RewriteRule */
  conditions: Directive[];
  /** path, or a regular expression */
  path: string;
  isPattern: boolean;
  carries: boolean;
}

export class Apache extends Adapter {
  /** by file; of those that are included alone */
  #edits = new Map<string, Edits>();
  #top: Directive[] = [];
  #defined = new Map<string, string>();
  /** what the file lacks */
  #added: string[] = [];

  adapt(): Copy {
    const { main } = this.source;
    this.#top = this.#read(main);
    for (const one of walk(this.#top))
      if (is(one, "IfDefine") && !this.#isDefined(one.texts[1])) one.leaveOut("it is not defined");
    const servers = this.#servers();
    const chosen = this.#choose(servers);
    const served = chosen.map(({ server }) => server);
    for (const { block } of servers)
      if (block && served.every((one) => one.block !== block))
        block.leaveOut("other virtual hosts are not measured");
    // Two may share what stands outside of both.
    const places = new Map(chosen.map((place) => [place.directive, place]));
    for (const place of places.values()) this.#adaptPlace(place);
    this.#adaptAll();
    for (const server of served) this.#adaptServer(server);
    const schemes = served.map(({ scheme }) => scheme);
    this.#adaptListen(schemes);
    const frame = this.#frame(schemes);
    const files = [...this.#edits].map(([name, edits]) => ({ name, ...edits.apply() }));
    for (const { name, text } of files) this.source.read.set(name, text);
    return {
      main: FRAME,
      schemes,
      files: {
        ...Object.fromEntries(
          [...this.source.read].map(([name, text]) => [`${FOLDER}/${name}`, text]),
        ),
        [FRAME]: frame,
      },
      changes: files.flatMap(({ changes }) => changes),
    };
  }

  #read(name: string): Directive[] {
    const raw = this.source.text(name);
    for (const [, key, value = ""] of raw.matchAll(/^\s*Define\s+(\w+)[^\S\n]*"?([^"\n]*)/gim))
      this.#defined.set(key, value);
    const own = ["PROXY_WORKERS", ...this.#defined.keys()];
    const edits = this.edit(name, new RegExp(`\\$\\{(${own.join("|")})\\}`, "g"));
    this.#edits.set(name, edits);
    const directives = parseApache(edits);
    for (const one of walk(directives)) if (is(one, "Include(Optional)?")) this.#include(one);
    return directives;
  }

  /** Of a path below another ServerRoot, too. */
  #include(one: Directive) {
    if (one.body) return;
    const [, path = ""] = one.texts;
    const inside = path.replace(/^\/(etc\/(apache2|httpd)|usr\/local\/apache2)\//, "");
    const isGlob = path.includes("*");
    const places = [inside, inside.replace(/^conf\//, ""), ...(isGlob ? [] : [basename(inside)])];
    const found = places
      .map((place) => (isGlob ? this.source.glob(place) : [this.source.find(place)]))
      .map((names) => names.filter((name) => name !== null && !this.#edits.has(name)))
      .find((names) => names.length > 0);
    if (!found) return one.leaveOut(NOT_BESIDE);
    const [first] = found;
    const shown = isGlob ? join(dirname(String(first)), basename(path)) : String(first);
    one.edits.replace(one.words[1].start, one.words[1].end, this.#here(shown), "");
    one.body = found.flatMap((name) => this.#read(String(name)));
  }

  #here(name: string): string {
    return join(this.source.root, FOLDER, name);
  }

  #isDefined(condition = ""): boolean {
    const [, not, name] = /^(!?)(.*)$/.exec(condition) ?? [];
    return this.#defined.has(name ?? "") !== (not === "!");
  }

  #servers(): Server[] {
    const hosts = direct(this.#top).filter((one) => is(one, "VirtualHost"));
    const servers = hosts.map((block): Server => {
      const body = block.body ?? [];
      const isTls = hasTls(body) || /:443$/.test(block.texts[1] ?? "");
      return { block, body, scheme: isTls ? "wss" : "ws" };
    });
    if (servers.some(({ scheme }) => scheme === "ws")) return servers;
    const scheme = hosts.length === 0 && hasTls(this.#top) ? "wss" : "ws";
    return [...servers, { block: null, body: this.#top, scheme }];
  }

  /** @returns one for plain, one for TLS, or one for both */
  #choose(servers: Server[]): Place[] {
    const { main } = this.source;
    const { path, host } = this.asked;
    const named = servers.filter(({ body }) => !host || namesOf(body).includes(host));
    const [first] = named;
    if (!first)
      throw cannot(
        main,
        1,
        `no virtual host has the name ${host}`,
        `Expected one of ${servers.flatMap(({ body }) => namesOf(body)).join(", ") || "none: leave --host out"}.`,
      );
    const shared = this.#placesOf({ block: null, body: this.#top, scheme: "ws" });
    const places = named.flatMap((server) => [
      ...(server.block ? this.#placesOf(server) : []),
      // A virtual host inherits them, but for rules of mod_rewrite.
      ...shared
        .filter(({ directive }) => !server.block || !is(directive, "RewriteRule"))
        .map((place) => ({ ...place, server })),
    ]);
    const fitting = path === undefined ? places : places.filter((place) => matches(place, path));
    if (fitting.length === 0)
      throw cannot(
        (first.block ?? this.#top[0])?.edits.file ?? main,
        (first.block ?? this.#top[0])?.line ?? 1,
        path === undefined
          ? "nothing passes requests on: no ProxyPass, no RewriteRule with [P]"
          : `no ProxyPass and no RewriteRule with [P] matches ${path}`,
        path === undefined
          ? "Expected one to the server of the WebSockets, or a folder with the file that has it."
          : `Expected one of ${places.map((place) => place.path).join(", ") || "none"}.`,
      );
    const weight = (place: Place) =>
      Number(place.carries) * 1000 +
      Number(!redirects(place.server.body)) * 100 +
      Number(matches(place, "/")) * 10 +
      Number(LIKELY.test(place.path)) * 5 +
      Number(place.server.scheme === "wss");
    const [best] = fitting.toSorted((a, b) => weight(b) - weight(a));
    const twin = fitting.find(
      ({ server, path: other, carries }) =>
        server.scheme !== best.server.scheme &&
        other === best.path &&
        carries === best.carries &&
        !redirects(server.body),
    );
    return twin ? [best, twin] : [best];
  }

  #placesOf(server: Server, body = server.body, location: Directive | null = null): Place[] {
    let conditions: Directive[] = [];
    return direct(body).flatMap((one): Place[] => {
      if (is(one, "Location(Match)?")) return this.#placesOf(server, one.body ?? [], one);
      if (is(one, "RewriteCond")) conditions.push(one);
      const own = conditions;
      const isRule = is(one, "RewriteRule");
      if (isRule) conditions = [];
      const place = { server, directive: one, location, conditions: isRule ? own : [] };
      const args = one.texts.slice(1);
      if (isRule) {
        const [path = "", target = "", flags = ""] = args;
        const carries = this.#carries(target, own);
        return PROXIES.test(flags) ? [{ ...place, path, isPattern: true, carries }] : [];
      }
      const [path = "", ...rest] = location ? [location.texts.at(-1), ...args] : args;
      if (!is(one, "ProxyPass(Match)?") || rest[0] === "!") return [];
      const isPattern =
        is(one, "ProxyPassMatch") || is(location, "LocationMatch") || location?.texts[1] === "~";
      return [{ ...place, path, isPattern, carries: this.#carries(rest.join(" ")) }];
    });
  }

  /** @param target of it, and its parameters */
  #carries(target: string, conditions: Directive[] = []): boolean {
    const text = target.replace(/\$\{(\w+)\}/g, (all, name) => this.#defined.get(name) ?? all);
    if (/^wss?:|\bupgrade=(?!none)/i.test(text)) return true;
    const [, balancer] = /^(balancer:\/\/[^/]+)/i.exec(text) ?? [];
    if (balancer)
      return [...walk(this.#top)].some(
        ({ texts, body }) =>
          body &&
          texts[1] === balancer &&
          body.some(
            (one) =>
              is(one, "BalancerMember|ProxySet") && this.#carries(one.texts.slice(1).join(" ")),
          ),
      );
    // Of a template nobody knows.
    return !/^\w+:\/\//.test(text) && conditions.some(({ title }) => OF_UPGRADE.test(title));
  }

  #adaptPlace(chosen: Place) {
    const { server, directive, conditions, path, carries } = chosen;
    const shown = is(directive, "RewriteRule") ? `RewriteRule ${path}` : `ProxyPass ${path}`;
    if (!carries)
      directive.edits.say(
        directive.start,
        `${shown} passes no WebSockets on: that takes upgrade=websocket, or ws:// instead of http://`,
      );
    let hasPlain = conditions.every((one) => isNoUpgrade(one) || !ofRequest(one));
    for (const one of conditions) {
      if (OF_UPGRADE.test(one.title) || !ofRequest(one)) continue;
      const or = /[[,]OR[\],]/i.test(one.texts[3] ?? "") ? ",OR" : "";
      one.setArgs(`%{HTTP:Upgrade} websocket [NC${or}]`, ": the load asks for /");
    }
    this.#adaptTarget(chosen, true);
    const body = server.block
      ? [...direct(server.body), ...direct(this.#top)]
      : direct(server.body);
    const others = [
      ...(server.block ? this.#placesOf(server) : []),
      ...this.#placesOf({ ...server, body: this.#top }),
    ].filter((other) => other.directive !== directive);
    for (const other of others) {
      const isMet = PATHS.some((one) => matches(other, one));
      if (isMet && !is(directive, "RewriteRule")) {
        for (const one of [...other.conditions, other.directive])
          one.leaveOut(`the WebSockets live in ${path}`);
      } else {
        this.#adaptTarget(other, isMet);
        hasPlain ||=
          other.conditions.every(isNoUpgrade) && PATHS.every((one) => matches(other, one));
      }
    }
    this.#leaveOutAnswers(body);
    if (hasPlain) return;
    const added = `ProxyPass / http://${HERE.backend}/`;
    const why = "what the load asks for beside WebSockets";
    directive.edits.say(directive.start, `added: ${added}: ${why}`);
    this.#added.push(added);
  }

  #adaptTarget({ directive, location, path, isPattern }: Place, isMet: boolean) {
    const isRule = is(directive, "RewriteRule");
    const at = isRule || !location ? 2 : 1;
    const { text, start, end } = directive.words[at];
    const [, scheme = isRule ? "ws" : "http", authority = "", tail = ""] = TARGET.exec(text) ?? [];
    const isBalancer = scheme === "balancer";
    const matchesLoad = PATHS.every((one) => matchesText(path, isPattern, one));
    const plain = { wss: "ws", https: "http", h2: "http", h2c: "http" }[scheme] ?? scheme;
    const base = `${plain}://${isBalancer ? authority : HERE.backend}`;
    if (!isMet) return directive.edits.replace(start, end, `${base}${tail}`, "");
    const usesPattern = isRule || is(location, "LocationMatch");
    const isKept = isRule && matchesLoad && /^(\/?\$[01]|%\{REQUEST_URI\})$/.test(tail);
    directive.setWord(at, `${base}${isKept ? tail : usesPattern ? "/$1" : "/"}`);
    if (isKept || path === "/") return;
    const pattern = usesPattern ? "^/?(.*)" : "/";
    const why = ": the load asks for /";
    if (location && !isRule) location.setArgs(pattern, why);
    else directive.setWord(1, pattern, why);
    // That of a pattern takes its parameters from no worker when it captures nothing, as of /.
    if (!location && !isRule && isPattern) directive.setWord(0, "ProxyPass");
  }

  /** What answers, or changes, what the load asks for. */
  #leaveOutAnswers(body: Directive[]) {
    let conditions: Directive[] = [];
    for (const one of body) {
      if (is(one, "Location(Match)?")) this.#leaveOutAnswers(direct(one.body ?? []));
      if (is(one, "RewriteCond")) conditions.push(one);
      if (is(one, "RewriteRule")) {
        const [, pattern = "", target = "", flags = ""] = one.texts;
        const isMet = PATHS.some((path) => matchesText(pattern, true, path));
        const answers = REDIRECTS.test(flags) || REFUSES.test(flags);
        if (isMet && !PROXIES.test(flags) && !one.isLeftOut && (answers || target !== "-")) {
          const why = answers
            ? "it answers instead of the server"
            : "it changes the path of the load";
          for (const each of [...conditions, one]) each.leaveOut(why);
        }
        conditions = [];
      }
      if (is(one, "Redirect(Match|Permanent|Temp)?") && answersLoad(one))
        one.leaveOut("it answers instead of the server");
      if (
        is(one, "ProxyPass") &&
        one.texts[2] === "!" &&
        PATHS.some((path) => path.startsWith(one.texts[1]))
      )
        one.leaveOut("the load asks for it");
    }
  }

  #adaptServer({ block, body, scheme }: Server) {
    block?.setArgs(`*:${HERE.ports[scheme]}`);
    if (scheme === "ws") return;
    const names = [...walk(body), ...direct(this.#top)].map(({ name }) => name.toLowerCase());
    const lines = [
      ...(names.includes("sslengine") ? [] : ["SSLEngine on"]),
      ...(names.includes("sslcertificatefile") ? [] : [`SSLCertificateFile ${HERE.certificate}`]),
      ...(names.includes("sslcertificatekeyfile") ? [] : [`SSLCertificateKeyFile ${HERE.key}`]),
    ];
    const last = direct(body).at(-1);
    if (last && lines.length > 0)
      last.edits.replace(last.end, last.end, `\n${lines.join("\n")}`, `added: ${lines.join("; ")}`);
  }

  /** What holds wherever it stands. */
  #adaptAll() {
    const cut = new Set<string>();
    for (const one of walk(this.#top)) {
      const [, value = ""] = one.texts;
      const why = LEFT_OUT.find(([pattern]) => pattern.test(one.name))?.[1];
      if (why) one.leaveOut(why);
      else if (OF_OTHERS.test(one.name) && !this.asked.hasOwnImage)
        one.leaveOut("its module is not in the image; with --image yours can have it");
      else if (is(one, "Require") && !/^all\s+granted$/i.test(one.texts.slice(1).join(" ")))
        one.leaveOut("the load is let in");
      else if (is(one, "ErrorLog|CustomLog|TransferLog|GlobalLog|ForensicLog")) adaptLog(one);
      else if (is(one, "SSLSessionCache"))
        one.setArgs(value.replace(/^(shmcb|shm|dbm):[^(]*/, "shmcb:/run/ssl_scache"));
      else if (is(one, "SSLCertificate(Key)?File")) {
        const place = `${one.name} ${this.#blockOf(one)}`;
        if (cut.has(place)) one.leaveOut("one certificate is enough");
        else one.setArgs(is(one, "SSLCertificateFile") ? HERE.certificate : HERE.key);
        cut.add(place);
      } else if (is(one, "SSLOpenSSLConfCmd") && /^DHParameters$/i.test(value))
        one.leaveOut(NOT_BESIDE);
      else if (is(one, "SSLSessionTicketKeyFile")) one.leaveOut(NOT_BESIDE);
      else if (is(one, "ProxyPassReverse")) {
        const at = one.words.length - 1;
        const { text, start, end } = one.words[at];
        one.edits.replace(start, end, text.replace(/^(\w+:\/\/)[^/]*/, `$1${HERE.backend}`), "");
      } else if (is(one, "Proxy")) this.#adaptMembers(one.body ?? []);
    }
  }

  #blockOf(one: Directive): number {
    const around = [...walk(this.#top)].findLast(
      (other) => is(other, "VirtualHost") && other.start < one.start && one.end <= other.end,
    );
    return around?.start ?? -1;
  }

  #adaptMembers(body: Directive[]) {
    const members = direct(body).filter((one) => is(one, "BalancerMember"));
    for (const [i, one] of members.entries()) {
      if (i > 0) {
        one.leaveOut("one server is behind it");
        continue;
      }
      const [, target = "", ...rest] = one.texts;
      const scheme = /^wss?:/.test(target) ? "ws" : "http";
      const kept = rest.filter((word) => !word.startsWith("hc"));
      one.setArgs([`${scheme}://${HERE.backend}`, ...kept].join(" "));
    }
  }

  #adaptListen(schemes: Scheme[]) {
    const tls = [...walk(this.#top)].flatMap((one) =>
      is(one, "VirtualHost") && hasTls(one.body ?? []) ? [portOf(one.texts[1])] : [],
    );
    const done = new Set<Scheme>();
    for (const one of walk(this.#top)) {
      if (!is(one, "Listen")) continue;
      const [, address = "", protocol = ""] = one.texts;
      const port = portOf(address);
      const isTls = port === "443" || protocol === "https" || tls.includes(port);
      const scheme = isTls ? "wss" : "ws";
      if (!schemes.includes(scheme) || done.has(scheme)) {
        one.leaveOut(
          done.has(scheme) ? "one port of each kind is enough" : "nothing is measured there",
        );
        continue;
      }
      done.add(scheme);
      one.setArgs(listenOf(scheme));
    }
    for (const scheme of schemes)
      if (!done.has(scheme)) this.#added.push(`Listen ${listenOf(scheme)}`);
  }

  /** Its modules, which the frame loads: some are built in, where loading fails. */
  #loaded(): Module[] {
    const loaded: Module[] = [];
    for (const one of walk(this.#top)) {
      if (!is(one, "LoadModule")) continue;
      const [, full = "", path = ""] = one.texts;
      const name = full.replace(/_module$/, "");
      const isKnown = MODULES.has(name);
      if (!isKnown && !this.asked.hasOwnImage) {
        one.leaveOut(`the image has no ${basename(path, ".so")}; with --image yours can`);
        continue;
      }
      one.edits.replace(one.start, one.end, "", "");
      if (!isMpm({ name }) || !loaded.some(isMpm))
        loaded.push({ name, path: isKnown ? pathOf(name) : path });
    }
    return loaded;
  }

  /** What is around the user's file: see ../../../../proxies/apache/httpd.conf. */
  #frame(schemes: Scheme[]): string {
    const loaded = this.#loaded();
    const copied = [...this.#edits].flatMap(([name, edits]) => [
      ...walk(parseApache(new Edits(name, edits.apply().text))),
    ]);
    const hasMpm = loaded.some(isMpm);
    const needed = [
      ...(hasMpm ? [] : ["mpm_event"]),
      ...["unixd", "authz_core", "proxy", "proxy_http"],
      ...(schemes.includes("wss") ? ["ssl"] : []),
      ...copied.flatMap(({ title }) =>
        NEEDS.flatMap(([pattern, names]) => (pattern.test(title) ? names : [])),
      ),
    ];
    const missing = [...new Set(needed)].filter((name) => loaded.every((one) => one.name !== name));
    const modules = [...loaded, ...missing.map((name) => ({ name, path: pathOf(name) }))];
    const isSized = hasMpm || copied.some(({ name }) => OF_MPM.test(name));
    const formats = Object.entries(FORMATS).filter(
      ([name]) =>
        copied.some((one) => is(one, "CustomLog") && one.texts[2] === name) &&
        !copied.some((one) => is(one, "LogFormat") && one.texts.at(-1) === name),
    );
    const added = [...new Set(this.#added)];
    const what = [
      ...(missing.length > 0 ? [`modules ${missing.join(", ")}`] : []),
      ...(isSized ? [] : ["the suite's number of threads"]),
      ...formats.map(([name]) => `LogFormat ${name}`),
      ...added.filter((line) => line.startsWith("Listen ")),
    ];
    const { main } = this.source;
    if (what.length > 0) this.#edits.get(main)?.say(0, `added around the file: ${what.join("; ")}`);
    return [
      "ServerRoot /usr/local/apache2",
      "ServerName proxy",
      "DefaultRuntimeDir /run",
      "PidFile /run/httpd.pid",
      "ErrorLog /proc/self/fd/2",
      ...modules.map(
        ({ name, path }) =>
          `<IfModule !${name}_module>\n    LoadModule ${name}_module ${path}\n</IfModule>`,
      ),
      ...(isSized ? [] : [MPM]),
      // Its default is a file that not every image has.
      ...(modules.some(({ name }) => name === "mime") ? ["TypesConfig /dev/null"] : []),
      ...formats.map(([name, format]) => `LogFormat "${format}" ${name}`),
      ...added,
      `Include ${this.#here(main)}\n`,
    ].join("\n");
  }
}

function isMpm({ name }: Pick<Module, "name">): boolean {
  return name.startsWith("mpm_");
}

function pathOf(module: string): string {
  return `modules/mod_${module}.so`;
}

function ofRequest({ title }: Directive): boolean {
  return OF_REQUEST.test(title);
}

/** Of a condition that WebSockets do not meet. */
function isNoUpgrade({ title }: Directive): boolean {
  return OF_UPGRADE.test(title) && /\s"?!/.test(title);
}

/** @param names of directives or sections, a regular expression */
function is(one: Directive | null, names: string): boolean {
  return one !== null && new RegExp(`^(${names})$`, "i").test(one.name);
}

/** Those of a block, and of what is included or holds under a condition there. */
function direct(body: Directive[]): Directive[] {
  return body
    .filter(({ isLeftOut }) => !isLeftOut)
    .flatMap((one) => (THROUGH.test(one.name) ? direct(one.body ?? []) : one));
}

function hasTls(body: Directive[]): boolean {
  return direct(body).some(
    (one) => is(one, "SSLCertificateFile") || (is(one, "SSLEngine") && /^on$/i.test(one.texts[1])),
  );
}

function namesOf(body: Directive[]): string[] {
  return direct(body).flatMap((one) =>
    is(one, "ServerName|ServerAlias") ? one.texts.slice(1) : [],
  );
}

function portOf(address = ""): string {
  return /(\d+)$/.exec(address)?.[1] ?? "";
}

function listenOf(scheme: Scheme): string {
  return scheme === "ws" ? `${HERE.ports.ws}` : `${HERE.ports.wss} https`;
}

function matches({ path, isPattern }: Place, asked: string): boolean {
  return matchesText(path, isPattern, asked);
}

/** Whether Apache would take it for a path. */
function matchesText(path: string, isPattern: boolean, asked: string): boolean {
  if (!isPattern) return asked.startsWith(path);
  try {
    return new RegExp(path.replace(/^!/, "")).test(asked) !== path.startsWith("!");
  } catch {
    // A pattern that PCRE alone understands.
    return false;
  }
}

/** All that comes, to TLS or elsewhere. */
function redirects(body: Directive[]): boolean {
  return direct(body).some(
    (one) =>
      (is(one, "Redirect(Match|Permanent|Temp)?") && answersLoad(one)) ||
      (is(one, "RewriteRule") &&
        REDIRECTS.test(one.texts[3] ?? "") &&
        matchesText(one.texts[1] ?? "", true, "/")),
  );
}

function answersLoad(one: Directive): boolean {
  const [path = "/"] = one.texts.slice(1).filter((text) => /^[/^(.]/.test(text));
  return PATHS.some((asked) => matchesText(path, is(one, "RedirectMatch"), asked));
}

function adaptLog(one: Directive) {
  const [, value = ""] = one.texts;
  if (value.startsWith("syslog")) one.leaveOut("there is no syslog server");
  else if (value.startsWith("|"))
    one.setWord(1, logFile(`${one.name.toLowerCase()}.log`), ": that program is not here");
  else if (!/^\/(dev|proc)\//.test(value)) one.setWord(1, logFile(value));
}
