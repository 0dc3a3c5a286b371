/**
 * Looks at what is appended to a file while another program writes it, at a cost that has a limit.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** At most so much is read at a time: 1 to 2 ms of CPU for k6's CSV. */
const LIMIT_BYTES = 64 << 10;
/**
 * What is more is read in this many parts, spread evenly: its end alone would be the last moments of
 * a second.
 */
const PARTS = 8;

export class Tail {
  #path: string;
  #limitBytes: number;
  #position = 0;

  /** @param path of a file that need not exist yet */
  constructor(path: string, { limitBytes = LIMIT_BYTES }: { limitBytes?: number } = {}) {
    this.#path = path;
    this.#limitBytes = limitBytes;
  }

  /**
   * What is there by now is never read.
   */
  skip() {
    this.#withFile((_, size) => (this.#position = size));
  }

  /**
   * @returns whole lines that were appended since the last call, or a sample of them; []: none, or
   *   no file
   */
  lines(): string[] {
    return (
      this.#withFile((file, size) => {
        const from = this.#position;
        if (size - from <= this.#limitBytes) return this.#all(file, from, size);
        this.#position = size;
        const length = Math.floor(this.#limitBytes / PARTS);
        const step = (size - from - length) / (PARTS - 1);
        return Array.from({ length: PARTS }, (_, i) =>
          // Where a part begins and ends, a line is cut.
          read(file, Math.floor(from + i * step), length)
            .split("\n")
            .slice(1, -1),
        ).flat();
      }) ?? []
    );
  }

  #all(file: number, from: number, size: number) {
    const text = read(file, from, size - from);
    const end = text.lastIndexOf("\n") + 1;
    // A line that is not whole yet is read again. Bytes: k6's lines are ASCII, and latin1 has one a
    // character.
    this.#position = from + end;
    return end > 0 ? text.slice(0, end - 1).split("\n") : [];
  }

  /** @returns undefined: there is no such file yet, or no longer */
  #withFile<T>(action: (file: number, size: number) => T): T | undefined {
    let file;
    try {
      file = openSync(this.#path, "r");
    } catch {
      return undefined;
    }
    try {
      return action(file, fstatSync(file).size);
    } finally {
      closeSync(file);
    }
  }
}

function read(file: number, from: number, length: number) {
  const buffer = Buffer.alloc(length);
  const count = readSync(file, buffer, 0, length, from);
  return buffer.toString("latin1", 0, count);
}
