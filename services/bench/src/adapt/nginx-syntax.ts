/**
 * The syntax of nginx.conf, with places: no library on npm keeps them, and a change must not move a
 * line.
 */
import { Directive } from "./directives.ts";
import { cannot, lineAt } from "./source.ts";
import type { Word } from "./directives.ts";
import type { Edits } from "./source.ts";

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
        return new Directive(edits, { words, start, end: at });
      }
      if (text[at] === "{" && words.length > 0) {
        const bodyStart = ++at;
        const isLua = words[0].text.endsWith("_by_lua_block");
        const body = isLua ? skipCode() : block(bodyStart - 1);
        return new Directive(edits, { words, start, end: at, body, bodyStart });
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
