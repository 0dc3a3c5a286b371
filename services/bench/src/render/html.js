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

/**
 * Escapes every value for text and for quoted attributes. Lists are joined; null, undefined and false are left out.
 *
 * @param {TemplateStringsArray} strings
 * @param {...(Piece | Piece[])} values
 * @returns {Html}
 */
export function html(strings, ...values) {
  return new Html(
    strings.reduce((text, string, index) => text + markup(values[index - 1]) + string),
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
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]);
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
