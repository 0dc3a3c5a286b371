import { Directive, walk } from "./directives.ts";
import { Adapter, HERE, LIKELY, NOT_BESIDE, cannot, Edits, lineAt, logFile } from "./source.ts";
import type { Word } from "./directives.ts";
import type { Copy } from "./source.ts";
import type { Scheme } from "../model/plan.ts";

const LEFT_OUT: [RegExp, string][] = [
  [/^(basic_?auth|forward_auth|jwt|authorize|authenticate|security)$/, "the load has no password"],
  [/^(rate_limit|abort|error|redir|rewrite|uri)$/, "the load is let in, and asks for /"],
  [
    /^(acme_\w+|cert_issuer|email|on_demand_tls|ocsp_stapling|storage|pki|http_port|https_port|default_bind|skip_install_trust|local_certs)$/,
    "certificates and ports are the suite's",
  ],
  [/^bind$/, "the address is not the container's"],
];

/** Of a block of tls, what fetches or checks certificates. */
const OF_CERTIFICATES =
  /^(ca|ca_root|dns|issuer|on_demand|client_auth|load|get_certificate|eab|key_type|resolvers|propagation_\w+|dns_\w+)$/;
/** Of a transport, and the HTTP that the server behind does not speak. */
const OF_TRANSPORT = /^(tls|tls_\w+|versions)$/;
/** What answers what the load asks for, where WebSockets are not meant. */
const ANSWERS = /^(file_server|respond|php_fastcgi|try_files|root)$/;

export class Caddy extends Adapter {
  #edits = new Edits(
    this.source.main,
    this.templates.fill(this.source.main, withShellNames(this.source.text(this.source.main))),
  );
  #top = parse(this.#edits);

  adapt(): Copy {
    const { main } = this.source;
    const sites = this.#top.filter(isSite);
    const whole = this.#withoutBraces(sites);
    const places = (whole ?? sites).filter((site) => this.#proxiesIn(site.body).length > 0);
    if (/^\s*\{\s*"/.test(this.source.text(main)))
      throw cannot(main, 1, "it is JSON", "Expected a Caddyfile: `try` does not adapt JSON.");
    if (places.length === 0) {
      const first = sites[0];
      throw cannot(
        main,
        first ? first.line : 1,
        "no site has a reverse_proxy",
        "Expected a site such as `example.com { reverse_proxy app:3000 }`.",
      );
    }
    const chosen = this.#choose(places);
    for (const other of sites)
      if (!chosen.includes(other) && !whole) other.leaveOut("other sites are not measured");
    for (const options of this.#top.filter(({ words, body }) => body && words.length === 0))
      this.#adaptAll(options.body ?? []);
    for (const snippet of this.#top.filter(({ words }) => words[0]?.text.startsWith("(")))
      this.#adaptBody(snippet.body ?? []);
    const schemes = chosen.flatMap((site) => this.#adaptSite(site));
    const { text, changes } = this.#edits.apply();
    const files = { ...Object.fromEntries(this.source.read), [main]: text };
    return { main, files, changes, schemes };
  }

  #adaptSite(site: Directive): Scheme[] {
    const schemes = this.#adaptAddresses(site);
    this.#adaptBody(site.body ?? []);
    this.#adaptPlaces(site.body ?? []);
    if (schemes.includes("wss")) this.#adaptTls(site);
    return schemes;
  }

  /** A file with a single site needs no braces: its first line has the addresses. */
  #withoutBraces(sites: Directive[]): Directive[] | null {
    const [first, ...rest] = sites;
    if (!first || first.body || rest.length === 0) return null;
    return [new Directive(this.#edits, { words: first.words, body: rest })];
  }

  /** Those of snippets with them. */
  #proxiesIn(body: Directive[] | null): Directive[] {
    return [...walk(body ?? [])].flatMap((line): Directive[] => {
      const [first, name] = line.texts;
      if (first === "reverse_proxy") return [line];
      if (first !== "import") return [];
      const snippet = this.#top.find(({ words }) => words[0]?.text === `(${name})`);
      return snippet ? this.#proxiesIn(snippet.body) : [];
    });
  }

  /** @returns one for plain, one for TLS, or one for both */
  #choose(places: Directive[]): Directive[] {
    const { host, path } = this.asked;
    const textOf = ({ start, end }: Directive) => this.#edits.text.slice(start, end);
    const fitting = places.filter((site) =>
      [host, path].every((word) => !word || textOf(site).includes(word)),
    );
    if (fitting.length === 0)
      throw cannot(
        this.#edits.file,
        places[0].line,
        `no site has ${[host, path].filter(Boolean).join(" and ")}`,
        `Expected one of ${places.flatMap(({ texts }) => texts).join(" ")}`,
      );
    const weight = (site: Directive) =>
      Number(/upgrade\s+websocket/i.test(textOf(site))) * 2 + Number(LIKELY.test(textOf(site)));
    const best = fitting.toSorted((a, b) => weight(b) - weight(a))[0];
    const schemes = schemesOf(best);
    const twin = fitting.find((other) =>
      schemesOf(other).every((scheme) => !schemes.includes(scheme)),
    );
    return twin ? [best, twin] : [best];
  }

  #adaptAddresses(site: Directive): Scheme[] {
    const schemes = schemesOf(site);
    const ports = schemes.map(
      (scheme) => `${scheme === "ws" ? "http" : "https"}://:${HERE.ports[scheme]}`,
    );
    site.setLine(ports.join(", "));
    return schemes;
  }

  #adaptTls(site: Directive) {
    const own = (site.body ?? []).find(({ name }) => name === "tls");
    const text = `tls ${HERE.certificate} ${HERE.key}`;
    if (!own) {
      site.insert(`\n${text}`, `added: ${text}`);
      return;
    }
    own.setLine(text);
    for (const line of own.body ?? [])
      if (OF_CERTIFICATES.test(line.name)) line.leaveOut("the certificate is the suite's");
  }

  #adaptBody(body: Directive[]) {
    this.#adaptAll(body);
    for (const line of walk(body)) {
      if (line.name === "reverse_proxy") this.#adaptProxy(line);
      else if (line.name === "import" && !this.#isKnown(line)) line.leaveOut(NOT_BESIDE);
    }
  }

  #isKnown({ texts: [, name = ""] }: Directive): boolean {
    const isSnippet = this.#top.some((line) => line.name === `(${name})`);
    return isSnippet || name.includes("*") || this.source.find(name) !== null;
  }

  #adaptAll(body: Directive[]) {
    for (const line of body) {
      const [first = "", kind, file] = line.texts;
      const why = LEFT_OUT.find(([pattern]) => pattern.test(first))?.[1];
      if (why) line.leaveOut(why);
      else if (first === "output" && kind === "file") {
        if (file) line.setWord(2, logFile(file));
      } else if (first !== "reverse_proxy" && first !== "tls") this.#adaptAll(line.body ?? []);
    }
  }

  #adaptProxy(line: Directive) {
    const servers = /^(@|\/|\*)/.test(line.texts[1] ?? "") ? 2 : 1;
    if (line.words.length > servers) line.setWords(servers, HERE.backend);
    for (const own of line.body ?? []) {
      if (own.name === "to") own.setArgs(HERE.backend);
      else if (own.name === "dynamic") {
        const [name, port] = HERE.backend.split(":");
        const values: Record<string, string> = { name, port };
        for (const one of own.body ?? [])
          if (one.words.length > 1 && values[one.name]) one.setWord(1, values[one.name]);
      } else if (own.name.startsWith("health_")) own.leaveOut("of the servers that are not here");
      else if (own.name === "transport")
        for (const one of own.body ?? [])
          if (OF_TRANSPORT.test(one.name) && one.texts[1] !== "1.1")
            one.leaveOut("the server behind speaks plain HTTP/1.1");
    }
  }

  /** Paths and hosts that the load does not ask for become those that it does. */
  #adaptPlaces(body: Directive[]) {
    const { path } = this.asked;
    const carrying = [...walk(body)].filter(
      (line) =>
        /^(handle|handle_path|route|reverse_proxy)$/.test(line.name) &&
        line.texts[1]?.startsWith("/") &&
        this.#proxiesIn([line]).length > 0,
    );
    const named = carrying.filter(({ texts: [, place] }) =>
      path ? place.startsWith(path) : LIKELY.test(place),
    );
    const hasOther = body.some(
      ({ texts: [first, second = ""] }) => first === "reverse_proxy" && !/^[/@]/.test(second),
    );
    const [chosen] = named.length > 0 ? named : hasOther ? [] : carrying;
    if (chosen) {
      chosen.setWord(1, "*", ": the load asks for /");
      if (chosen.name === "handle_path") chosen.setWord(0, "handle");
      for (const other of body)
        if (other !== chosen && isCatchAll(other))
          other.leaveOut(`the WebSockets live in ${chosen.texts[1]}`);
    } else
      for (const other of body)
        if (ANSWERS.test(other.name)) other.leaveOut("it answers instead of the server");
    for (const line of walk(body)) {
      const at = Number(line.name.startsWith("@"));
      const [kind = "", ...values] = line.texts.slice(at);
      if (/^(path|path_regexp|host)$/.test(kind) && values.length > 0)
        line.setWords(at, kind === "host" ? "host proxy" : "path *");
    }
    const isReached =
      body.some(isProxyForAll) ||
      chosen !== undefined ||
      body.some((line) => line.name === "import" && this.#proxiesIn([line]).length > 0);
    if (isReached) return;
    const { end } = body[body.length - 1];
    const added = `reverse_proxy ${HERE.backend}`;
    const why = "what the load asks for beside WebSockets";
    this.#edits.replace(end, end, `\n${added}`, `added: ${added}: ${why}`);
  }
}

/** Caddy's own names of the environment. */
function withShellNames(text: string): string {
  return text.replace(/\{\$(\w+)(?::([^}]*))?\}/g, (_, name, value) =>
    value === undefined ? `\${${name}}` : `\${${name}:-${value}}`,
  );
}

function isSite({ words }: Directive): boolean {
  return words.length > 0 && !words[0].text.startsWith("(");
}

function isCatchAll({ texts: [first, second = ""] }: Directive): boolean {
  return (
    ANSWERS.test(first) || (/^(reverse_proxy|handle|route)$/.test(first) && !/^[/@]/.test(second))
  );
}

function isProxyForAll({ texts: [first, second = ""], body }: Directive): boolean {
  if (/^[/@]/.test(second)) return false;
  return (
    first === "reverse_proxy" ||
    (/^(handle|route)$/.test(first) && (body ?? []).some(isProxyForAll))
  );
}

function schemesOf({ words }: Directive): Scheme[] {
  const addresses = words.filter(({ text }) => text !== ",");
  return [...new Set(addresses.map(({ text }) => schemeOf(text)))].sort();
}

function schemeOf(address: string): Scheme {
  if (address.startsWith("https://")) return "wss";
  if (address.startsWith("http://") || /:80,?$/.test(address)) return "ws";
  if (/:443,?$/.test(address)) return "wss";
  return /^:\d+,?$/.test(address) ? "ws" : "wss";
}

/** The lines of a Caddyfile, with places; `caddy adapt` drops them. */
function parse(edits: Edits): Directive[] {
  const { text, file } = edits;
  let at = 0;
  const block = (opened: number | null): Directive[] => {
    const lines: Directive[] = [];
    let words: Word[] = [];
    const flush = (block?: { body: Directive[]; end: number; bodyStart: number }) => {
      const start = words[0]?.start ?? (block && block.bodyStart - 1);
      if (start !== undefined) lines.push(new Directive(edits, { words, start, ...block }));
      words = [];
    };
    while (at < text.length) {
      const rest = text.slice(at);
      const blank = /^[^\S\n]+|^#.*|^\\\n/.exec(rest);
      if (blank && (blank[0][0] !== "#" || /(^|\s)$/.test(text.slice(0, at))))
        at += blank[0].length;
      else if (rest[0] === "\n") {
        const isGoingOn = words.at(-1)?.text.endsWith(",");
        if (!isGoingOn) flush();
        at++;
      } else if (/^\{(?=\s|$)/.test(rest)) {
        const open = at++;
        flush({ body: block(open), end: at, bodyStart: open + 1 });
      } else if (/^\}(?=\s|$)/.test(rest)) {
        flush();
        if (opened === null)
          throw cannot(file, lineAt(text, at), "a } has no {", "Expected as many of each.");
        at++;
        return lines;
      } else {
        const word = /^"(?:\\[^]|[^"\\])*"|^`[^`]*`|^\S+/.exec(rest)?.[0] ?? rest[0];
        words.push({ text: word.replace(/^["`]|["`]$/g, ""), start: at, end: at + word.length });
        at += word.length;
      }
    }
    flush();
    if (opened !== null)
      throw cannot(file, lineAt(text, opened), "a { has no }", "Expected a block that ends.");
    return lines;
  };
  return block(null);
}
