/**
 * Lines at the end of a terminal that are rewritten in place, below lines that last.
 */

/** Where a terminal does not tell its width, as one has none before a container's first resize. */
const USUAL_COLUMNS = 80;

const ERASE_REST_OF_LINE = "\x1b[K";
const ERASE_BELOW = "\x1b[J";
const up = (lines: number) => `\x1b[${lines}A`;

/**
 * The cursor rests on an empty line above the block: it stays there when a resize wraps the block's
 * lines again, and what another program writes is not written over.
 */
export class TerminalBlock {
  #stream: { write(text: string): unknown };
  #columns: () => number | undefined;
  /** lasting lines that wait for the next drawing */
  #waiting: string[] = [];
  /** What the block shows now, and for which width; empty: it is not there. */
  #shown = "";
  #shownWidth = 0;

  /** @param columns width of the terminal now */
  constructor(stream: { write(text: string): unknown }, columns: () => number | undefined) {
    this.#stream = stream;
    this.#columns = columns;
  }

  /** @param line that lasts */
  say(line: string) {
    this.#waiting.push(line);
  }

  /** @param block of characters that are one column wide */
  draw(block: string[]) {
    const width = widthOf(this.#columns());
    const lines = block.map((line) => clip(line, width));
    const next = lines.join("\n");
    // The old block may take more lines than it was written in, wrapped again; or be gone over by a
    // long lasting line. It gets shorter only when a cell has ended, which leaves such a line.
    const anew = this.#waiting.length > 0 || width !== this.#shownWidth;
    if (lines.length === 0 || (!anew && next === this.#shown)) return;
    const lasting = this.#waiting.splice(0).map((line) => `${line}\n`);
    this.#stream.write(
      [
        "\r",
        anew ? ERASE_BELOW : "",
        ...lasting,
        ERASE_REST_OF_LINE,
        ...lines.map((line) => `\n${line}${ERASE_REST_OF_LINE}`),
        up(lines.length),
        "\r",
      ].join(""),
    );
    this.#shown = next;
    this.#shownWidth = width;
  }

  /** The block goes, the lasting lines stay. */
  close() {
    if (this.#shown) this.#stream.write(`\r${ERASE_BELOW}`);
    for (const line of this.#waiting.splice(0)) this.#stream.write(`${line}\n`);
  }
}

/**
 * One column less than there is: a terminal whose last column is full treats "erase the rest of the
 * line" in its own way.
 */
export function widthOf(columns: number | undefined): number {
  return Math.max(1, (columns || USUAL_COLUMNS) - 1);
}

/** @param width at least 1 */
function clip(text: string, width: number) {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}
