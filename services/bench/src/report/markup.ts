/**
 * HTML as template literals in which nothing is unescaped by accident.
 */

/** Markup that is safe as it is. Only `html` and `trusted` make one. */
export class Html {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

export type Piece = Html | string | number | false | null | undefined;

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * What a template is without its indentation: in a page of a thousand rows that is a third of it.
 */
const FLUSH: WeakMap<TemplateStringsArray, string[]> = new WeakMap();

function flush(strings: TemplateStringsArray): string[] {
  const known = FLUSH.get(strings);
  if (known) return known;
  const made = strings.map((text) => text.replace(/\s*\n\s*/g, "\n"));
  FLUSH.set(strings, made);
  return made;
}

/**
 * Escapes every value for text and for quoted attributes. Lists are joined; null, undefined and
 * false are left out. Of the template's own white space around a line break the break alone is
 * kept; values stay as they are, but for fractions, which get seven digits: enough to sort by, and
 * what is read is written by `numbers.ts`.
 */
export function html(strings: TemplateStringsArray, ...values: (Piece | Piece[])[]): Html {
  return new Html(
    flush(strings).reduce((text, string, index) => text + markup(values[index - 1]) + string),
  );
}

function markup(value: Piece | Piece[]): string {
  if (value === null || value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(markup).join("");
  if (value instanceof Html) return value.text;
  if (typeof value === "number" && !Number.isInteger(value)) return String(rounded(value));
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** The attribute with its space; nothing without a name: a table has a thousand cells without. */
export function classOf(name: string | false | undefined): Html {
  return html`${name && html` class="${name}"`}`;
}

function rounded(value: number) {
  return Number(value.toPrecision(7));
}

/**
 * For markup that a serializer made, which escapes by itself, and for this program's own styles and
 * scripts.
 */
export function trusted(text: string): Html {
  return new Html(text);
}
