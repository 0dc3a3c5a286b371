/**
 * What Markdown is made of, as GitHub reads it.
 */

/**
 * @param {string[]} head
 * @param {string[][]} rows
 * @param {string[]} [align]
 * @returns {string} its lines
 */
export function table(head, rows, align = head.map(() => "---")) {
  return [head, align, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/**
 * @param {string} text
 * @returns {string} one line in which nothing is markup; an underscore within a word is none anyway
 */
export function plain(text) {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*[\]<>|#~]|(?<!\w)_|_(?!\w)/g, "\\$&")
    .trim();
}
