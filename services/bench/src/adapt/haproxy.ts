import { join } from "node:path";
import { Directive } from "./directives.ts";
import { Adapter, HERE, HOSTS, NOT_BESIDE, PATHS, cannot, Edits } from "./source.ts";
import type { Copy } from "./source.ts";
import type { Scheme } from "../model/plan.ts";

interface Section {
  kind: string;
  name: string;
  /** the first says kind and name */
  lines: Directive[];
}

const SECTIONS =
  /^(global|defaults|frontend|backend|listen|userlist|peers|resolvers|mailers|cache|ring|program|http-errors|log-forward|log-profile|fcgi-app|crt-store|traces|acme)$/;

/** Left out wherever they stand, and why: the line begins so. */
const LEFT_OUT: [RegExp, string][] = [
  [/^(chroot|user|group|uid|gid|daemon|pidfile|nbproc|setcap)\b/, "the container is run otherwise"],
  [/^stats (socket|timeout)\b/, "nothing here asks it"],
  [/^(ca-base|crt-base|ssl-dh-param-file)\b/, "certificates are the suite's"],
  [
    /^(reqadd|reqi?rep|reqi?del|rspadd|rspi?rep|rspi?del|block|appsession|contimeout|clitimeout|srvtimeout)\b/,
    "HAProxy has it no more",
  ],
  [
    /^option (forceclose|http-tunnel|http-use-proxy-header|accept-invalid-http-request)\b/,
    "HAProxy has it no more",
  ],
  [/^(http-request|tcp-request \S+) (deny|reject|tarpit|auth|silent-drop)\b/, "the load is let in"],
  [/^filter spoe\b/, "its agent is not here"],
  [
    /^http-request (set-path|set-uri|replace-path|replace-uri|replace-pathq|set-pathq|return)\b/,
    "the load asks for /",
  ],
  [/^email-alert\b/, "there is no mail server"],
  [
    /^http-check (expect|send|connect|disable-on-404|send-state)\b/,
    "the server behind is asked for /healthz",
  ],
];

/** Words of a `bind` or `server` line; `=`: a value follows. */
const OF_BIND = new Set(
  `accept-proxy accept-netscaler-cip= crt= crt-list= ca-file= ca-verify-file= crl-file= verify=
  user= group= uid= gid= mode= interface= v4v6 v6only strict-sni`.split(/\s+/),
);
const OF_SERVER = new Set(
  `ssl check-ssl no-check-ssl check-sni= check-alpn= verify= verifyhost= ca-file= crt=
  crl-file= sni= alpn= proto= send-proxy send-proxy-v2 check-send-proxy send-proxy-v2-ssl
  send-proxy-v2-ssl-cn source= port= addr= ca-sign-file= track= agent-check agent-port=
  agent-addr= no-ssl-reuse ssl-min-ver= ssl-max-ver= ssl-reuse ciphers=`.split(/\s+/),
);

export class Haproxy extends Adapter {
  // Of HAProxy's own language are "${NAME}" in quotes.
  #edits = this.edit(this.source.main, /"\$\{\w+\}"/g);
  #sections = sectionsOf(this.#edits);

  adapt(): Copy {
    const { main } = this.source;
    const served = this.#sections.filter(({ kind }) => kind === "frontend" || kind === "listen");
    const doors = served.filter((one) => this.#leadsOn(one));
    if (doors.length === 0) {
      const [first] = served;
      throw cannot(
        main,
        first ? first.lines[0].line : 1,
        first
          ? `${first.kind} ${first.name} leads to no server`
          : "it has no frontend and no listen",
        "Expected a frontend with default_backend or use_backend, or a listen with a server.",
      );
    }
    const chosen = this.#choose(doors);
    for (const section of this.#sections) {
      if (served.includes(section) && !chosen.includes(section))
        this.#leaveOutAll(section, "other frontends are not measured");
      else if (/^(program|peers|mailers|log-forward|ring)$/.test(section.kind))
        this.#leaveOutAll(section, "nothing here needs it");
      else this.#adaptSection(section);
    }
    const done = new Set<Scheme>();
    for (const door of chosen) this.#adaptDoor(door, done);
    const { text, changes } = this.#edits.apply();
    // HAProxy refuses a last line without a line break.
    const files = { ...Object.fromEntries(this.source.read), [main]: `${text.trimEnd()}\n` };
    return { main, files, changes, schemes: [...done] };
  }

  #leadsOn({ kind, lines }: Section): boolean {
    const isOfStats = lines.some(({ texts: words }) => words[0] === "stats" && words[1] === "uri");
    const own = kind === "listen" && lines.some(({ texts: words }) => words[0] === "server");
    return own || (!isOfStats && this.#backendsOf(lines).length > 0);
  }

  #backendsOf(lines: Directive[]): string[] {
    return lines.flatMap(({ texts: [first, name] }) =>
      first === "use_backend" || first === "default_backend" ? [name] : [],
    );
  }

  /** @returns one for plain, one for TLS, or one for both */
  #choose(doors: Section[]): Section[] {
    const { path, host } = this.asked;
    const fits = (text: string | undefined) => (door: Section) =>
      text === undefined || door.lines.some(({ texts: words }) => words.includes(text));
    const asked = doors.filter(fits(host));
    if (host && asked.length === 0)
      throw cannot(
        this.source.main,
        1,
        `no frontend knows the host ${host}`,
        "Expected one that an acl names, or leave --host out.",
      );
    if (path && !asked.some(fits(path)))
      throw cannot(
        this.source.main,
        1,
        `no acl names the path ${path}`,
        "Expected one as it stands in an acl, or leave --path out.",
      );
    const best = (path ? asked.filter(fits(path)) : asked).toSorted(
      (a, b) => weight(b) - weight(a),
    );
    const [first] = best;
    const schemes = this.#schemesOf(first);
    const targets = this.#backendsOf(first.lines);
    const twin = best.find(
      (other) =>
        other !== first &&
        this.#schemesOf(other).some((scheme) => !schemes.includes(scheme)) &&
        this.#backendsOf(other.lines).some((name) => targets.includes(name)),
    );
    return twin ? [first, twin] : [first];
  }

  /** Without plain where it is but redirected. */
  #schemesOf({ lines }: Section): Scheme[] {
    const isRedirected = lines.some(({ texts: words }) => redirectsToTls(words));
    const [{ texts: head }] = lines;
    const schemes = lines.flatMap(({ texts: words }) =>
      words[0] === "bind" ? (schemeOf(words) ?? []) : [],
    );
    const all: Scheme[] = [...new Set([...schemes, ...(head[2] ? ["ws" as const] : [])])];
    return isRedirected ? all.filter((scheme) => scheme === "wss") : all;
  }

  #adaptDoor(section: Section, done: Set<Scheme>) {
    const { lines } = section;
    const schemes = this.#schemesOf(section);
    if (schemes.length === 0)
      throw cannot(
        this.source.main,
        lines[0].line,
        `${section.kind} ${section.name} redirects what it gets, or has no bind for TCP`,
        "Expected a frontend that a WebSocket passes: name it with --path or --host, or give it `bind :80`.",
      );
    const [head] = lines;
    if (head.texts[2]) {
      done.add("ws");
      const said = head.texts.slice(0, 2).join(" ");
      head.setLine(`${said}\n    bind :${HERE.ports.ws}`, ": HAProxy takes no address there");
    }
    for (const line of lines) {
      const { texts: words } = line;
      const text = words.join(" ");
      if (words[0] === "bind") this.#adaptBind(line, schemes, done);
      else if (words[0] === "acl" || /\bif\b|\bunless\b/.test(text)) this.#adaptCondition(line);
      if (/^redirect |^http-request redirect /.test(text) && !redirectsToTls(words))
        line.leaveOut("it answers instead of the server");
    }
    const hasDefault = lines.some(({ texts: words }) => words[0] === "default_backend");
    const [target] = this.#backendsOf(lines);
    if (!hasDefault && section.kind === "frontend") {
      const added = `default_backend ${target}`;
      const { end } = lines[lines.length - 1];
      const what = `added: ${added}: what the load asks for beside WebSockets`;
      this.#edits.replace(end, end, `\n    ${added}`, what);
    }
  }

  #adaptBind(line: Directive, schemes: Scheme[], done: Set<Scheme>) {
    const scheme = schemeOf(line.texts);
    if (scheme === null || !schemes.includes(scheme) || done.has(scheme)) {
      const why =
        scheme === null
          ? "the load comes over TCP"
          : done.has(scheme)
            ? "one port of each kind is enough"
            : "it but redirects";
      line.leaveOut(why);
      return;
    }
    done.add(scheme);
    const kept = without(line.texts.slice(2), OF_BIND).filter((word) => word !== "ssl");
    const tls = scheme === "wss" ? ["ssl", "crt", HERE.combined] : [];
    line.setLine(["bind", `:${HERE.ports[scheme]}`, ...tls, ...kept].join(" "));
  }

  /** A path or host that the load does not ask for becomes one that it does. */
  #adaptCondition(line: Directive) {
    const text = this.#edits.text.slice(line.start, line.end);
    const adapted = text
      .replace(
        /\b(path(?:_beg|_dir)?)((?:\s+-\w+)*)((?:\s+(?!if\b|or\b|\|\||[}{-])\S+)+)/g,
        (all, fetch, flags, values) => {
          const asked = values.trim().split(/\s+/);
          return fetch !== "path" && asked.some((value: string) => value === "/")
            ? all
            : `path_beg${flags.replace(/ -m \w+/, "")} ${PATHS[0]}`;
        },
      )
      .replace(
        /\bpath_(?:reg|end|sub|len|dom)((?:\s+-\w+)*)((?:\s+(?!if\b|or\b|[}{-])\S+)+)/g,
        (_all, flags) => `path_beg${flags} ${PATHS[0]}`,
      )
      .replace(
        /\b((?:req\.)?hdr(?:_dom|_end|_beg|_sub|_reg)?\(host\)(?:,[\w()]+)*|ssl_fc_sni(?:_end|_reg)?|req\.ssl_sni)((?:\s+-\w+)*)((?:\s+(?!if\b|or\b|[}{-])\S+)+)/gi,
        (_all, _fetch, _flags) => `hdr(host) -i ${HOSTS.join(" ")}`,
      );
    if (adapted !== text) line.setLine(adapted.trim());
  }

  /** @returns the scripts are all beside it: without one, what it defines is unknown */
  #hasScripts(): boolean {
    const loads = this.#sections.flatMap(({ lines }) => lines.filter(loadsLua));
    return loads.every(({ texts }) => this.source.find(texts[1] ?? "") !== null);
  }

  #adaptSection({ kind, lines }: Section) {
    for (const line of lines) {
      const { texts: words } = line;
      const text = words.join(" ");
      const why = LEFT_OUT.find(([pattern]) => pattern.test(text))?.[1];
      if (why) line.leaveOut(why);
      else if (/^lua-|\blua\./.test(text) && !this.#hasScripts()) line.leaveOut(NOT_BESIDE);
      else if (loadsLua(line)) this.#adaptScript(line);
      else if (words[0] === "server" || words[0] === "server-template") this.#adaptServer(line);
      else if (words[0] === "nameserver")
        line.setLine(`nameserver ${words[1]} ${HERE.nameServer}:53`);
      else if (words[0] === "log" && words[1] !== "global") this.#adaptLog(line);
      else if (text.startsWith("option httpchk")) line.setLine("option httpchk GET /healthz");
      else if (words[0] === "errorfile" || words[0] === "errorfiles") {
        if (!this.source.find(words.at(-1) ?? "")) line.leaveOut(NOT_BESIDE);
      } else if (words[0] === "stick-table" && words.includes("peers"))
        line.setLine(without(words, new Set(["peers="])).join(" "));
      else if (kind === "frontend" && text === "option http-pretend-keepalive")
        line.leaveOut("HAProxy has it in a backend alone");
      else if (/^use_backend %\[/.test(text) && !this.#hasMaps(text))
        line.leaveOut("its map is not beside yours");
      else if (kind === "backend" && /^(redirect|http-request redirect)\b/.test(text))
        line.leaveOut("it answers instead of the server");
    }
  }

  /** HAProxy looks for it where it is started, not beside its file. */
  #adaptScript(line: Directive) {
    const [load, file, ...options] = line.texts;
    const at = join(this.source.root, this.source.find(file) ?? "");
    if (at !== file) line.setLine([load, at, ...options].join(" "));
  }

  #hasMaps(text: string): boolean {
    return [...text.matchAll(/\bmap\w*\(([^,)]+)/g)].every(([, file]) => this.source.find(file));
  }

  #adaptServer(line: Directive) {
    const isTemplate = line.texts[0] === "server-template";
    const [first, name, ...rest] = line.texts;
    const [count, ...options] = isTemplate ? rest : ["", ...rest];
    const kept = without(options.slice(1), OF_SERVER);
    const dropped = options
      .slice(1)
      .some((word) => word === "ssl" || word.startsWith("send-proxy"));
    const said = [first, name, ...(isTemplate ? [count] : []), HERE.backend, ...kept].join(" ");
    line.setLine(said, dropped ? ": the server behind speaks plain HTTP/1.1" : "");
  }

  #adaptLog(line: Directive) {
    const [, target, ...rest] = line.texts;
    if (target === "stdout" || target === "stderr") return;
    const kept = without(rest, new Set(["len=", "format=", "sample="]));
    line.setLine(
      ["log", "stdout", "format", "raw", ...kept].join(" "),
      ": there is no syslog server",
    );
  }

  #leaveOutAll({ kind, name, lines }: Section, why: string) {
    const { start } = lines[0];
    const end = lines.at(-1)?.end ?? lines[0].end;
    this.#edits.replace(
      start,
      end,
      "",
      `left out: ${[kind, name].filter(Boolean).join(" ")} (${why})`,
    );
  }
}

function sectionsOf(edits: Edits): Section[] {
  const sections: Section[] = [];
  let start = 0;
  for (const raw of edits.text.split("\n")) {
    const at = start;
    const code = raw.replace(/(^|\s)#.*$/, "");
    const words = [...code.matchAll(/(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+/g)].map(
      ({ 0: text, index }) => ({ text, start: at + index, end: at + index + text.length }),
    );
    start += raw.length + 1;
    if (words.length === 0) continue;
    const line = new Directive(edits, { words });
    const [{ text: kind }] = words;
    if (SECTIONS.test(kind)) sections.push({ kind, name: line.texts[1] ?? "", lines: [line] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

function loadsLua({ texts: [first] }: Directive): boolean {
  return first === "lua-load" || first === "lua-load-per-thread";
}

/** @returns null: no load can come over it */
function schemeOf(words: string[]): Scheme | null {
  if (/^(\/|unix@|abns@|quic|fd@|sockpair@|udp)/.test(words[1] ?? "")) return null;
  return words.includes("ssl") ? "wss" : "ws";
}

function redirectsToTls(words: string[]): boolean {
  const text = words.join(" ");
  return /^(http-request )?redirect scheme https\b/.test(text);
}

/** The more, the likelier WebSockets pass it. */
function weight({ lines }: Section): number {
  const text = lines.map(({ texts: words }) => words.join(" ")).join("\n");
  return (
    Number(/hdr\(upgrade\)/i.test(text)) * 4 +
    Number(/\b(ws|wss|websocket|socket|sock)/i.test(text)) * 2 +
    Number(/^bind .*\bssl\b/m.test(text))
  );
}

/** @param dropped words; `=`: with the value after it */
function without(words: string[], dropped: Set<string>): string[] {
  return words.filter(
    (word, i) => !dropped.has(word) && !dropped.has(`${word}=`) && !dropped.has(`${words[i - 1]}=`),
  );
}
