/**
 * HTML as template literals in which nothing is unescaped by accident.
 */

/** Markup that is safe as it is. Only `html` and `trusted` make one. */
export class Html {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** @typedef {Html | string | number | false | null | undefined} Piece */

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** What a template is without its indentation: in a page of a thousand rows that is a third of it. @type {WeakMap<TemplateStringsArray, string[]>} */
const FLUSH = new WeakMap();

/**
 * @param {TemplateStringsArray} strings
 * @returns {string[]}
 */
function flush(strings) {
  const known = FLUSH.get(strings);
  if (known) return known;
  const made = strings.map((text) => text.replace(/\s*\n\s*/g, "\n"));
  FLUSH.set(strings, made);
  return made;
}

/**
 * Escapes every value for text and for quoted attributes. Lists are joined; null, undefined and false are left out. Of the template's own
 * white space around a line break the break alone is kept; values stay as they are, but for fractions, which get seven digits: enough to sort
 * by, and what is read is written by `numbers.js`.
 *
 * @param {TemplateStringsArray} strings
 * @param {...(Piece | Piece[])} values
 * @returns {Html}
 */
export function html(strings, ...values) {
  return new Html(
    flush(strings).reduce((text, string, index) => text + markup(values[index - 1]) + string),
  );
}

/**
 * @param {Piece | Piece[]} value
 * @returns {string}
 */
function markup(value) {
  if (value === null || value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(markup).join("");
  if (value instanceof Html) return value.text;
  if (typeof value === "number" && !Number.isInteger(value)) return String(rounded(value));
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** @param {number} value */
function rounded(value) {
  return Number(value.toPrecision(7));
}

/**
 * For markup that a serializer made, which escapes by itself, and for this program's own styles and scripts.
 *
 * @param {string} text
 * @returns {Html}
 */
export function trusted(text) {
  return new Html(text);
}
