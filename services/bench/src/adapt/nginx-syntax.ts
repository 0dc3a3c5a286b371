/**
 * The syntax of nginx.conf, with places: no library on npm keeps them, and a change must not move a
 * line.
 */
import { cannot, Edits, lineAt } from "./source.ts";

export interface Word {
  /** without quotes */
  text: string;
  start: number;
  end: number;
}

export interface Directive {
  name: string;
  args: Word[];
  start: number;
  /** after its `;` or `}` */
  end: number;
  /** null: it is a simple one; of an include: what it includes */
  body: Directive[] | null;
  /** after `{` */
  bodyStart: number;
  edits: Edits;
  /** of the copy */
  isLeftOut?: boolean;
}

/** @throws {UserError} where braces or a `;` are missing; exit code 2 */
export function parseNginx(edits: Edits): Directive[] {
  const { text, file } = edits;
  let at = 0;

  const skip = () => {
    const blank = /(?:\s+|#.*)*/y;
    blank.lastIndex = at;
    blank.exec(text);
    at = blank.lastIndex;
  };
  const word = (): Word => {
    const start = at;
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      const quoted = quote === '"' ? /"(?:\\[^]|[^"\\])*"/y : /'(?:\\[^]|[^'\\])*'/y;
      quoted.lastIndex = at;
      const match = quoted.exec(text);
      if (!match)
        throw cannot(file, lineAt(text, at), "a quote has no end", `Expected another ${quote}.`);
      at = quoted.lastIndex;
      return { text: match[0].slice(1, -1), start, end: at };
    }
    const plain = /(?:\\[^]|\$\{[^}]*\}|[^\s;{}\\])+/y;
    plain.lastIndex = at;
    plain.exec(text);
    at = plain.lastIndex;
    return { text: text.slice(start, at), start, end: at };
  };
  const block = (opened: number | null): Directive[] => {
    const directives: Directive[] = [];
    for (;;) {
      skip();
      if (at >= text.length) {
        if (opened === null) return directives;
        throw cannot(file, lineAt(text, opened), "a { has no }", "Expected a block that ends.");
      }
      if (text[at] === "}") {
        if (opened === null)
          throw cannot(file, lineAt(text, at), "a } has no {", "Expected as many of each.");
        at++;
        return directives;
      }
      directives.push(directive());
    }
  };
  const directive = (): Directive => {
    const start = at;
    const words: Word[] = [];
    for (;;) {
      skip();
      if (text[at] === ";" && words.length > 0) {
        at++;
        const [name, ...args] = words;
        return { name: name.text, args, start, end: at, body: null, bodyStart: at, edits };
      }
      if (text[at] === "{" && words.length > 0) {
        const bodyStart = ++at;
        const [name, ...args] = words;
        const body = name.text.endsWith("_by_lua_block") ? skipCode() : block(bodyStart - 1);
        return { name: name.text, args, start, end: at, body, bodyStart, edits };
      }
      if (at >= text.length || ";{}".includes(text[at])) {
        const what = words.map((each) => each.text).join(" ") || text[at];
        throw cannot(file, lineAt(text, start), `${what} does not end`, "Expected a ; or a block.");
      }
      words.push(word());
    }
  };
  /** Lua has braces of its own. */
  const skipCode = (): Directive[] => {
    for (let depth = 1; depth > 0; at++) {
      if (at >= text.length)
        throw cannot(file, lineAt(text, at), "a { has no }", "Expected a block that ends.");
      depth += Number(text[at] === "{") - Number(text[at] === "}");
    }
    return [];
  };
  return block(null);
}

/** All that are in the copy, those of blocks and included files with them. */
export function* walk(directives: Directive[]): Generator<Directive> {
  for (const directive of directives) {
    if (directive.isLeftOut) continue;
    yield directive;
    if (directive.body) yield* walk(directive.body);
  }
}
