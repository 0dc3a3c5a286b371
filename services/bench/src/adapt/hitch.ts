import { Directive } from "./directives.ts";
import { Adapter, HERE, cannot, lineAt, logFile } from "./source.ts";
import type { Word } from "./directives.ts";
import type { Copy, Edits } from "./source.ts";

/** Left out wherever they stand, and why. */
const LEFT_OUT: [RegExp, string][] = [
  [/^(user|group|chroot|daemon|pidfile)$/, "the container is run otherwise"],
  [/^syslog/, "there is no syslog server"],
  [
    /^(pem-dir|pem-dir-glob|ocsp-(?!dir)[\w-]+|client-verify(-ca)?)$/,
    "certificates are the suite's",
  ],
  [/^ssl-engine$/, "there is no such device"],
  [/^shared-cache/, "there is no other hitch"],
  [/^proxy-(proxy|tlv)$/, "the load sends no PROXY protocol"],
  [/^write-ip$/, "no server here reads it"],
];

/** What hitch tells the server of the client: HAProxy reads each version. */
const TELLS = /^write-proxy(-v[12])?$/;

const OF_FRONTEND: Record<string, string> = { host: '"0.0.0.0"', port: `"${HERE.ports.wss}"` };

export class Hitch extends Adapter {
  #edits = this.edit(this.source.main);
  #required: Record<string, string> = {
    frontend: `"[0.0.0.0]:${HERE.ports.wss}"`,
    "pem-file": `"${HERE.combined}"`,
  };
  #done = new Set<string>();
  #isAlone = true;

  /** @param isAlone false: in front of HAProxy, as in ../../../../proxies/haproxy-hitch */
  adapt(isAlone: boolean): Copy {
    const { main } = this.source;
    const { path, host } = this.asked;
    if (path !== undefined || host !== undefined)
      throw cannot(main, 1, "hitch reads no HTTP", "Leave --path and --host out.");
    this.#isAlone = isAlone;
    this.#required.backend = isAlone
      ? `"${HERE.backend.replace(/^[^:]+/, "[$&]")}"`
      : '"[127.0.0.1]:8444"';
    this.#adaptAll(parse(this.#edits));
    const tells = [...this.#done].some((name) => TELLS.test(name));
    if (!isAlone && !tells) this.#required["write-proxy-v2"] = "on";
    const missing = Object.entries(this.#required).filter(([name]) => !this.#done.has(name));
    const added = missing.map(([name, value]) => `${name} = ${value}`);
    const { length } = this.#edits.text;
    const text = `\n${added.join("\n")}\n`;
    if (added.length > 0) this.#edits.replace(length, length, text, `added: ${added.join("; ")}`);
    const copy = this.#edits.apply();
    return { main, files: { [main]: copy.text }, changes: copy.changes, schemes: ["wss"] };
  }

  #adaptAll(all: Directive[]) {
    for (const one of all) {
      const [name, value] = one.texts;
      const why = LEFT_OUT.find(([pattern]) => pattern.test(name))?.[1];
      if (why) one.leaveOut(why);
      else if (name in this.#required && this.#done.has(name)) one.leaveOut("one is enough");
      else if (TELLS.test(name) && value === "on" && this.#isAlone)
        one.leaveOut("the server behind it does not read that");
      else if (name === "alpn-protos" && this.#isAlone && /\bh(ttp\/)?2\b/.test(value))
        one.setArgs('"http/1.1"', ": the server behind it speaks no HTTP/2");
      else if (name === "log-filename") one.setArgs(`"${logFile(value)}"`);
      else if (name === "ocsp-dir") one.setArgs('""');
      else if (name in OF_FRONTEND) one.setArgs(OF_FRONTEND[name]);
      else if (name === "frontend" && one.body) this.#adaptAll(one.body);
      else if (name in this.#required) one.setArgs(this.#required[name]);
      if (!one.isLeftOut && value !== "off") this.#done.add(name);
    }
  }
}

/** `name = value`, the value in quotes, in words or a block. */
function parse(edits: Edits): Directive[] {
  const { text, file } = edits;
  const token =
    /(?:\s|#.*)+|([\w-]+)[^\S\n]*=[^\S\n]*(?:("[^"\n]*")|(\{)|([^\s#"{}=]+(?:[^\S\n,]*,?[^\S\n]*[^\s#"{}=,]+(?![^\S\n]*=)(?=[\s#}]|$))*))|(\})/y;
  const open: { words: Word[]; bodyStart: number; body: Directive[] }[] = [];
  const top: Directive[] = [];
  for (let at = 0; at < text.length; at = token.lastIndex) {
    token.lastIndex = at;
    const match = token.exec(text);
    const [all = "", name, quoted, brace, bare, end] = match ?? [];
    const value = quoted ?? brace ?? bare;
    const block = end === undefined ? undefined : open.pop();
    if (!match || (end !== undefined && !block))
      throw cannot(
        file,
        lineAt(text, at),
        `${text.slice(at).split("\n")[0]} is no line of hitch.conf`,
        "Expected `name = value`, or a block in braces.",
      );
    if (name !== undefined) {
      const valueStart = at + all.length - value.length;
      const words = [
        { text: name, start: at, end: at + name.length },
        { text: value.replace(/^"|"$/g, ""), start: valueStart, end: at + all.length },
      ];
      if (brace) open.push({ words, bodyStart: at + all.length, body: [] });
      else (open.at(-1)?.body ?? top).push(new Directive(edits, { words }));
    } else if (block) {
      const words = [block.words[0], { ...block.words[1], end: at + 1 }];
      (open.at(-1)?.body ?? top).push(new Directive(edits, { ...block, words, end: at + 1 }));
    }
  }
  const [left] = open;
  if (!left) return top;
  throw cannot(
    file,
    lineAt(text, left.words[0].start),
    "a { has no }",
    "Expected a block that ends.",
  );
}
