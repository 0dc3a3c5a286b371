/**
 * A configuration as a tree of directives, with places: what changes in a copy is changed where it
 * stands.
 */
import { lineAt } from "./source.ts";
import type { Edits } from "./source.ts";

export interface Word {
  /** without quotes, where the language has them */
  text: string;
  start: number;
  end: number;
}

export class Directive {
  readonly edits: Edits;
  /** its name first; none: a block without one */
  readonly words: Word[];
  readonly start: number;
  readonly end: number;
  /** null: it is a simple one; of an include: what it includes */
  body: Directive[] | null;
  /** after what opens it */
  readonly bodyStart: number;
  /** of the copy */
  isLeftOut = false;

  constructor(
    edits: Edits,
    {
      words,
      start = words[0]?.start ?? 0,
      end = words.at(-1)?.end ?? start,
      body = null,
      bodyStart = end,
    }: {
      words: Word[];
      start?: number;
      end?: number;
      body?: Directive[] | null;
      bodyStart?: number;
    },
  ) {
    this.edits = edits;
    this.words = words;
    this.start = start;
    this.end = end;
    this.body = body;
    this.bodyStart = bodyStart;
  }

  get name(): string {
    return this.words[0]?.text ?? "";
  }

  get args(): Word[] {
    return this.words.slice(1);
  }

  get texts(): string[] {
    return this.words.map(({ text }) => text);
  }

  get line(): number {
    return lineAt(this.edits.text, this.start);
  }

  /** In one line. */
  get title(): string {
    const { edits, start, end, bodyStart } = this;
    const head = edits.text.slice(start, bodyStart).trim().replace(/\s+/g, " ");
    if (bodyStart === end) return head.replace(/;$/, "");
    return `${head} … ${/(\}|<\/[^>]*>)$/.exec(edits.text.slice(bodyStart, end))?.[0] ?? ""}`;
  }

  leaveOut(why: string) {
    this.isLeftOut = true;
    this.edits.replace(this.start, this.end, "", `left out: ${this.title} (${why})`);
  }

  /** @param why follows the change, in its line */
  setLine(text: string, why = "") {
    this.setWords(0, text, why);
  }

  setArgs(text: string, why = "") {
    this.setWords(1, text, why);
  }

  /** From that word on: 0 is the name. */
  setWords(from: number, text: string, why = "") {
    this.#set(from, this.words.length - 1, text, why);
  }

  setWord(i: number, text: string, why = "") {
    this.#set(i, i, text, why);
  }

  #set(from: number, to: number, text: string, why: string) {
    const { start } = this.words[from];
    const { end } = this.words[to];
    const before = this.edits.text.slice(start, end).replace(/\s+/g, " ");
    if (before === text) return;
    const what = `${before} → ${text.replace(/\n\s*/g, "; ")}${why}`;
    this.edits.replace(start, end, text, from > 0 ? `${this.name} ${what}` : what);
  }

  /** Before all else in its block. */
  insert(text: string, what: string) {
    this.edits.replace(this.bodyStart, this.bodyStart, text, what);
  }
}

/** All that are in the copy, those of blocks and included files with them. */
export function* walk(directives: Directive[]): Generator<Directive> {
  for (const directive of directives) {
    if (directive.isLeftOut) continue;
    yield directive;
    if (directive.body) yield* walk(directive.body);
  }
}
