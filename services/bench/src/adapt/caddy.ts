import { HERE, LIKELY, cannot, Edits, lineAt, logFile, Templates } from "./source.ts";
import type { Adapted, Asked, Source } from "./source.ts";
import type { Scheme } from "../model/plan.ts";

interface Word {
  text: string;
  start: number;
  end: number;
}

/** A line, and the block that it opens. */
interface Line {
  words: Word[];
  body: Line[] | null;
  /** of all of it */
  start: number;
  end: number;
  /** after its `{` */
  bodyStart: number;
}

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

/** @throws {UserError} with the line, where it cannot be adapted; exit code 2 */
export function adaptCaddy(source: Source, asked: Asked): Adapted {
  return new Caddy(source, asked).adapt();
}

class Caddy {
  #source: Source;
  #asked: Asked;
  #templates: Templates;
  #edits: Edits;
  #top: Line[];

  constructor(source: Source, asked: Asked) {
    this.#source = source;
    this.#asked = asked;
    this.#templates = new Templates(asked.set);
    const { main } = source;
    // Caddy's own names of the environment.
    const own = source
      .text(main)
      .replace(/\{\$(\w+)(?::([^}]*))?\}/g, (_, name, value) =>
        value === undefined ? `\${${name}}` : `\${${name}:-${value}}`,
      );
    this.#edits = new Edits(main, this.#templates.fill(main, own));
    this.#top = parse(this.#edits);
  }

  adapt(): Adapted {
    const { main } = this.#source;
    const sites = this.#top.filter(isSite);
    const whole = this.#withoutBraces(sites);
    const places = (whole ?? sites).filter((site) => this.#proxiesIn(site).length > 0);
    if (/^\s*\{\s*"/.test(this.#source.text(main)))
      throw cannot(main, 1, "it is JSON", "Expected a Caddyfile: `try` does not adapt JSON.");
    if (places.length === 0) {
      const first = sites[0];
      throw cannot(
        main,
        first ? this.#lineOf(first) : 1,
        "no site has a reverse_proxy",
        "Expected a site such as `example.com { reverse_proxy app:3000 }`.",
      );
    }
    const chosen = this.#choose(places);
    for (const other of sites)
      if (!chosen.includes(other) && !whole) this.#leaveOut(other, "other sites are not measured");
    for (const options of this.#top.filter(({ words, body }) => body && words.length === 0))
      this.#adaptAll(options.body ?? []);
    for (const snippet of this.#top.filter(({ words }) => words[0]?.text.startsWith("(")))
      this.#adaptBody(snippet.body ?? []);
    const schemes = chosen.flatMap((site) => this.#adaptSite(site)).sort();
    const { text, changes } = this.#edits.apply();
    const files = { ...Object.fromEntries(this.#source.read), [main]: text };
    this.#templates.refuseLeft(files);
    const shown = changes.map((one) => ({ ...one, what: this.#templates.original(one.what) }));
    return { main, files, changes: shown, schemes, filled: this.#templates.filled };
  }

  #adaptSite(site: Line): Scheme[] {
    const schemes = this.#adaptAddresses(site);
    this.#adaptBody(site.body ?? []);
    this.#adaptPlaces(site.body ?? []);
    if (schemes.includes("wss")) this.#adaptTls(site);
    return schemes;
  }

  /** A file with a single site needs no braces: its first line has the addresses. */
  #withoutBraces(sites: Line[]): Line[] | null {
    const [first, ...rest] = sites;
    if (!first || first.body || rest.length === 0) return null;
    return [{ ...first, body: rest, bodyStart: first.end }];
  }

  /** Those of snippets with them. */
  #proxiesIn({ body }: Line): Line[] {
    return [...walk(body ?? [])].flatMap((line): Line[] => {
      const [first, name] = line.words.map(({ text }) => text);
      if (first === "reverse_proxy") return [line];
      if (first !== "import") return [];
      const snippet = this.#top.find(({ words }) => words[0]?.text === `(${name})`);
      return snippet ? this.#proxiesIn(snippet) : [];
    });
  }

  /** @returns one for plain, one for TLS, or one for both */
  #choose(places: Line[]): Line[] {
    const { host, path } = this.#asked;
    const textOf = ({ start, end }: Line) => this.#edits.text.slice(start, end);
    const fitting = places.filter((site) =>
      [host, path].every((word) => !word || textOf(site).includes(word)),
    );
    if (fitting.length === 0)
      throw cannot(
        this.#edits.file,
        this.#lineOf(places[0]),
        `no site has ${[host, path].filter(Boolean).join(" and ")}`,
        `Expected one of ${places.flatMap(({ words }) => words.map(({ text }) => text)).join(" ")}`,
      );
    const weight = (site: Line) =>
      Number(/upgrade\s+websocket/i.test(textOf(site))) * 2 + Number(LIKELY.test(textOf(site)));
    const best = fitting.toSorted((a, b) => weight(b) - weight(a))[0];
    const schemes = schemesOf(best);
    const twin = fitting.find((other) =>
      schemesOf(other).every((scheme) => !schemes.includes(scheme)),
    );
    return twin ? [best, twin] : [best];
  }

  #adaptAddresses(site: Line): Scheme[] {
    const words = site.words.filter(({ text }) => text !== ",");
    const schemes = schemesOf(site);
    const before = words.map(({ text }) => text).join(" ");
    const after = schemes
      .map((scheme) => `${scheme === "ws" ? "http" : "https"}://:${HERE.ports[scheme]}`)
      .join(", ");
    if (before !== after) {
      const { start } = words[0];
      this.#edits.replace(start, words.at(-1)?.end ?? start, after, `${before} → ${after}`);
    }
    return schemes;
  }

  #adaptTls(site: Line) {
    const own = (site.body ?? []).find(({ words }) => words[0]?.text === "tls");
    const text = `tls ${HERE.certificate} ${HERE.key}`;
    if (!own) {
      this.#edits.replace(site.bodyStart, site.bodyStart, `\n${text}`, `added: ${text}`);
      return;
    }
    const before = own.words.map((word) => word.text).join(" ");
    const { start } = own.words[0];
    if (before !== text)
      this.#edits.replace(start, own.words.at(-1)?.end ?? start, text, `${before} → ${text}`);
    for (const line of own.body ?? [])
      if (OF_CERTIFICATES.test(line.words[0]?.text ?? ""))
        this.#leaveOut(line, "the certificate is the suite's");
  }

  #adaptBody(body: Line[]) {
    this.#adaptAll(body);
    for (const line of walk(body)) {
      const [first] = line.words.map(({ text }) => text);
      if (first === "reverse_proxy") this.#adaptProxy(line);
      else if (first === "import" && !this.#isKnown(line))
        this.#leaveOut(line, "there is no such file beside yours");
    }
  }

  #isKnown({ words }: Line): boolean {
    const name = words[1]?.text ?? "";
    const isSnippet = this.#top.some((line) => line.words[0]?.text === `(${name})`);
    return isSnippet || name.includes("*") || this.#source.find(name) !== null;
  }

  #adaptAll(body: Line[]) {
    for (const line of body) {
      const first = line.words[0]?.text ?? "";
      const why = LEFT_OUT.find(([pattern]) => pattern.test(first))?.[1];
      if (why) this.#leaveOut(line, why);
      else if (first === "output" && line.words[1]?.text === "file") {
        const file = line.words[2];
        if (file) this.#set(file, logFile(file.text), "output file");
      } else if (first !== "reverse_proxy" && first !== "tls") this.#adaptAll(line.body ?? []);
    }
  }

  #adaptProxy(line: Line) {
    const [, ...words] = line.words;
    const isMatcher = /^(@|\/|\*)/.test(words[0]?.text ?? "");
    this.#setServers(isMatcher ? words.slice(1) : words, "reverse_proxy");
    for (const own of line.body ?? []) {
      const first = own.words[0]?.text;
      if (first === "to") this.#setServers(own.words.slice(1), "to");
      else if (first === "dynamic") {
        const [name, port] = HERE.backend.split(":");
        const values: Record<string, string> = { name, port };
        for (const {
          words: [key, value],
        } of own.body ?? [])
          if (value && values[key.text]) this.#set(value, values[key.text], key.text);
      } else if (/^health_/.test(first ?? ""))
        this.#leaveOut(own, "of the servers that are not here");
      else if (first === "transport")
        for (const one of own.body ?? [])
          if (OF_TRANSPORT.test(one.words[0]?.text ?? "") && one.words[1]?.text !== "1.1")
            this.#leaveOut(one, "the server behind speaks plain HTTP/1.1");
    }
  }

  #setServers(words: Word[], what: string) {
    if (words.length === 0) return;
    const [{ start }] = words;
    const before = words.map(({ text }) => text).join(" ");
    if (before === HERE.backend) return;
    this.#edits.replace(
      start,
      words.at(-1)?.end ?? start,
      HERE.backend,
      `${what} ${before} → ${HERE.backend}`,
    );
  }

  /** Paths and hosts that the load does not ask for become those that it does. */
  #adaptPlaces(body: Line[]) {
    const paths = [...walk(body)].flatMap((line): { line: Line; word: Word }[] => {
      const [first, second] = line.words;
      const isBlock = /^(handle|handle_path|route|reverse_proxy)$/.test(first?.text ?? "");
      return isBlock && second?.text.startsWith("/") ? [{ line, word: second }] : [];
    });
    const { path } = this.#asked;
    const carrying = paths.filter(
      ({ line }) => this.#proxiesIn({ ...line, body: [line] }).length > 0,
    );
    const named = carrying.filter(({ word }) =>
      path ? word.text.startsWith(path) : LIKELY.test(word.text),
    );
    const hasOther = body.some(
      ({ words }) => words[0]?.text === "reverse_proxy" && !/^[/@]/.test(words[1]?.text ?? ""),
    );
    const [chosen] = named.length > 0 ? named : hasOther ? [] : carrying;
    if (chosen) {
      const { word, line } = chosen;
      this.#set(word, "*", line.words[0].text, ": the load asks for /");
      if (line.words[0].text === "handle_path") this.#set(line.words[0], "handle", "handle_path");
      for (const other of body)
        if (other !== line && isCatchAll(other))
          this.#leaveOut(other, `the WebSockets live in ${word.text}`);
    } else
      for (const other of body)
        if (ANSWERS.test(other.words[0]?.text ?? ""))
          this.#leaveOut(other, "it answers instead of the server");
    for (const line of walk(body)) {
      const words = line.words[0]?.text.startsWith("@") ? line.words.slice(1) : line.words;
      const isMatcher =
        line.words[0]?.text.startsWith("@") ||
        /^(path|path_regexp|host)$/.test(words[0]?.text ?? "");
      if (!isMatcher || !/^(path|path_regexp|host)$/.test(words[0]?.text ?? "") || words.length < 2)
        continue;
      const isHost = words[0].text === "host";
      const [start, end] = [words[0].start, words.at(-1)?.end ?? words[0].end];
      const text = isHost ? "host proxy" : "path *";
      this.#edits.replace(
        start,
        end,
        text,
        `${words.map((word) => word.text).join(" ")} → ${text}`,
      );
    }
    const isReached =
      body.some(isProxyForAll) || chosen !== undefined || this.#proxiesOfSnippets(body);
    if (isReached) return;
    const last = body[body.length - 1];
    const added = `reverse_proxy ${HERE.backend}`;
    this.#edits.replace(
      last.end,
      last.end,
      `\n${added}`,
      `added: ${added}: what the load asks for beside WebSockets`,
    );
  }

  #proxiesOfSnippets(body: Line[]): boolean {
    return body.some(
      (line) =>
        line.words[0]?.text === "import" && this.#proxiesIn({ ...line, body: [line] }).length > 0,
    );
  }

  #set(word: Word, text: string, what: string, why = "") {
    const { start, end } = word;
    if (word.text !== text)
      this.#edits.replace(
        start,
        end,
        text,
        `${what === word.text ? "" : `${what} `}${word.text} → ${text}${why}`,
      );
  }

  #leaveOut(line: Line, why: string) {
    const words = line.words.map(({ text }) => text).join(" ");
    this.#edits.replace(
      line.start,
      line.end,
      "",
      `left out: ${words}${line.body ? " { … }" : ""} (${why})`,
    );
  }

  #lineOf({ start }: Line): number {
    return lineAt(this.#edits.text, start);
  }
}

function isSite({ words }: Line): boolean {
  return words.length > 0 && !words[0].text.startsWith("(");
}

function isCatchAll({ words }: Line): boolean {
  const [first, second] = words.map(({ text }) => text);
  return (
    ANSWERS.test(first) ||
    (/^(reverse_proxy|handle|route)$/.test(first) && !/^[/@]/.test(second ?? ""))
  );
}

function isProxyForAll({ words, body }: Line): boolean {
  const [first, second] = words.map(({ text }) => text);
  if (first === "reverse_proxy") return !/^[/@]/.test(second ?? "");
  return (
    /^(handle|route)$/.test(first) &&
    !/^[/@]/.test(second ?? "") &&
    (body ?? []).some(isProxyForAll)
  );
}

function schemesOf({ words }: Line): Scheme[] {
  const addresses = words.filter(({ text }) => text !== ",");
  return [...new Set(addresses.map(({ text }) => schemeOf(text)))].sort();
}

function schemeOf(address: string): Scheme {
  if (address.startsWith("https://")) return "wss";
  if (address.startsWith("http://") || /:80,?$/.test(address)) return "ws";
  if (/:443,?$/.test(address)) return "wss";
  return /^:\d+,?$/.test(address) ? "ws" : "wss";
}

function* walk(body: Line[]): Generator<Line> {
  for (const line of body) {
    yield line;
    if (line.body) yield* walk(line.body);
  }
}

/** The lines of a Caddyfile, with places; `caddy adapt` drops them. */
function parse({ text, file }: Edits): Line[] {
  let at = 0;
  const block = (opened: number | null): Line[] => {
    const lines: Line[] = [];
    let words: Word[] = [];
    const flush = (body: Line[] | null, end: number, bodyStart: number) => {
      if (words.length > 0 || body)
        lines.push({ words, body, start: words[0]?.start ?? bodyStart - 1, end, bodyStart });
      words = [];
    };
    while (at < text.length) {
      const rest = text.slice(at);
      const blank = /^[^\S\n]+|^#.*|^\\\n/.exec(rest);
      if (blank && (blank[0][0] !== "#" || /(^|\s)$/.test(text.slice(0, at))))
        at += blank[0].length;
      else if (rest[0] === "\n") {
        const isGoingOn = words.at(-1)?.text.endsWith(",");
        if (!isGoingOn) flush(null, words.at(-1)?.end ?? at, at);
        at++;
      } else if (/^\{(?=\s|$)/.test(rest)) {
        const open = at++;
        const body = block(open);
        flush(body, at, open + 1);
      } else if (/^\}(?=\s|$)/.test(rest)) {
        flush(null, words.at(-1)?.end ?? at, at);
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
    flush(null, words.at(-1)?.end ?? at, at);
    if (opened !== null)
      throw cannot(file, lineAt(text, opened), "a { has no }", "Expected a block that ends.");
    return lines;
  };
  return block(null);
}
