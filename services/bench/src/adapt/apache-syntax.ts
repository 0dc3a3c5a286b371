/** The syntax of httpd.conf, with places. */
import { Directive } from "./directives.ts";
import { cannot, lineAt } from "./source.ts";
import type { Word } from "./directives.ts";
import type { Edits } from "./source.ts";

const WORD = /"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|(?:(?!\\\n)\S)+/g;

/** A section is a block, its name that of its tag. */
export function parseApache(edits: Edits): Directive[] {
  const { text, file } = edits;
  const top: Directive[] = [];
  const open: { words: Word[]; start: number; bodyStart: number; body: Directive[] }[] = [];
  // A backslash at its end continues a line.
  for (const { 0: raw, index } of text.matchAll(/(?:\\\n|[^\n])+/g)) {
    const start = index + raw.search(/\S|$/);
    const line = raw.trim();
    const end = start + line.length;
    const [, slash, inside] = /^<(\/?)([^]*)>$/.exec(line) ?? [];
    const from = slash === undefined ? start : start + 1 + slash.length;
    const words = [...(inside ?? line).matchAll(WORD)].map(({ 0: word, index: at }) => ({
      text: word.replace(/^(["'])([^]*)\1$/, "$2"),
      start: from + at,
      end: from + at + word.length,
    }));
    if (words.length === 0 || line.startsWith("#")) continue;
    if (slash === "") open.push({ words, start, bodyStart: end, body: [] });
    else {
      const section = slash === "/" ? open.pop() : undefined;
      if (slash === "/" && section?.words[0].text.toLowerCase() !== words[0].text.toLowerCase())
        throw cannot(
          file,
          lineAt(text, start),
          `${line} ends nothing`,
          "Expected as many of each.",
        );
      const parent = open.at(-1)?.body ?? top;
      parent.push(new Directive(edits, section ? { ...section, end } : { words }));
    }
  }
  const [left] = open;
  if (!left) return top;
  const name = left.words[0].text;
  throw cannot(file, lineAt(text, left.start), `<${name}> has no end`, `Expected </${name}>.`);
}
