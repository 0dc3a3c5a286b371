/** Words in columns, for a terminal. */

const GAP = "  ";

/**
 * @param rows the last word of each is wrapped within its column
 * @returns lines, indented
 */
export function columnsText(rows: string[][], width: number): string[] {
  const last = Math.max(...rows.map((row) => row.length)) - 1;
  const widths = Array.from({ length: last }, (_, i) =>
    Math.max(...rows.map((row) => row[i]?.length ?? 0)),
  );
  const before = widths.reduce((sum, one) => sum + one + GAP.length, GAP.length);
  return rows.flatMap((row) =>
    wrapped(row[last] ?? "", width - before).map((part, i) => {
      const words = widths.map((one, column) => (i === 0 ? row[column] : "").padEnd(one));
      return ["", ...words, part].join(GAP).trimEnd();
    }),
  );
}

/** @returns one line at least; a word that is longer than the width stays whole */
export function wrapped(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}
