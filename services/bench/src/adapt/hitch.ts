import { Directive } from "./directives.ts";
import { HERE, cannot, Edits, lineAt, logFile } from "./source.ts";
import type { Word } from "./directives.ts";
import type { Asked, Copy, Source, Templates } from "./source.ts";

/** Left out wherever they stand, and why. */
const LEFT_OUT: [RegExp, string][] = [
  [/^(user|group|chroot|daemon|pidfile)$/, "the container is run otherwise"],
  [/^syslog/, "there is no syslog server"],
  [
    /^(pem-dir|pem-dir-glob|ocsp-\w+|client-verify\w*|client-verify-ca)$/,
    "certificates are the suite's",
  ],
  [/^ssl-engine$/, "there is no such device"],
  [/^shared-cache/, "there is no other hitch"],
];

/** What it tells the server of the client, each in a way of its own. */
const TELLS = /^(write-ip|write-proxy|write-proxy-v1|write-proxy-v2|proxy-proxy)$/;

const REQUIRED = {
  frontend: `"[0.0.0.0]:${HERE.ports.wss}"`,
  "pem-file": `"${HERE.combined}"`,
};

/** hitch alone, whose server reads no PROXY protocol and no HTTP/2. */
export function adaptHitch(source: Source, asked: Asked, templates: Templates): Copy {
  const [host, port] = HERE.backend.split(":");
  return adapt(source, asked, templates, { backend: `"[${host}]:${port}"`, isAlone: true });
}

/** That of ../../../../proxies/haproxy-hitch. */
export function adaptHitchOfHaproxy(source: Source, asked: Asked, templates: Templates): Copy {
  return adapt(source, asked, templates, { backend: '"[127.0.0.1]:8444"', isAlone: false });
}

function adapt(
  source: Source,
  { path, host }: Asked,
  templates: Templates,
  { backend, isAlone }: { backend: string; isAlone: boolean },
): Copy {
  const { main } = source;
  if (path !== undefined || host !== undefined)
    throw cannot(main, 1, "hitch reads no HTTP", "Leave --path and --host out.");
  const edits = new Edits(main, templates.fill(main, source.text(main)));
  const required: Record<string, string> = { ...REQUIRED, backend };
  const done = new Set<string>();
  const adaptAll = (all: Directive[]) => {
    for (const one of all) {
      const [name, value] = one.texts;
      const why = LEFT_OUT.find(([pattern]) => pattern.test(name))?.[1];
      const isFurther = done.has(name);
      if (why) one.leaveOut(why);
      else if (name in required && isFurther) one.leaveOut("one is enough");
      else if (TELLS.test(name) && isOn(one) && (isAlone || name === "write-ip"))
        one.leaveOut("the server behind it does not read that");
      else if (name === "alpn-protos" && isAlone && /\bh(ttp\/)?2\b/.test(value))
        one.setArgs('"http/1.1"', ": the server behind it speaks no HTTP/2");
      else if (name === "log-filename") one.setArgs(`"${logFile(value)}"`);
      else if (name === "frontend" && one.body) adaptFrontend(one, adaptAll);
      else if (name in required) one.setArgs(required[name]);
      if (!one.isLeftOut && (name in required || (TELLS.test(name) && isOn(one))))
        done.add(TELLS.test(name) ? "tells" : name);
    }
  };
  adaptAll(parse(edits));
  if (!isAlone && !done.has("tells")) required["write-proxy-v2"] = "on";
  const missing = Object.entries(required).filter(([name]) => !done.has(name));
  const added = missing.map(([name, value]) => `${name} = ${value}`);
  const { length } = edits.text;
  if (added.length > 0)
    edits.replace(length, length, `\n${added.join("\n")}\n`, `added: ${added.join("; ")}`);
  const { text, changes } = edits.apply();
  return { main, files: { [main]: text }, changes, schemes: ["wss"] };
}

function isOn({ texts: [, value] }: Directive): boolean {
  return value === "on";
}

function adaptFrontend(one: Directive, adaptAll: (all: Directive[]) => void) {
  const inside = one.body ?? [];
  const places: Record<string, string> = { host: '"0.0.0.0"', port: `"${HERE.ports.wss}"` };
  for (const each of inside) if (each.name in places) each.setArgs(places[each.name]);
  adaptAll(inside);
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
