/**
 * A configuration in YAML: changed as a value, each change with the line where it stood.
 */
import { LineCounter, parseDocument } from "yaml";
import { cannot } from "./source.ts";
import type { Change } from "./source.ts";

type Path = (string | number)[];

export class YamlCopy {
  readonly file: string;
  readonly changes: Change[] = [];
  /** to be changed */
  // What a user writes has any shape.
  readonly value: any;
  #tree;
  #lines = new LineCounter();

  /** @throws {UserError} when it is no YAML; exit code 2 */
  constructor(file: string, text: string) {
    this.file = file;
    this.#tree = parseDocument(text, { lineCounter: this.#lines, merge: true });
    const [error] = this.#tree.errors;
    if (error)
      throw cannot(
        file,
        error.linePos?.[0].line ?? 1,
        error.message.split(" at line ")[0],
        "Expected YAML. A file in TOML has to be written as YAML first.",
      );
    this.value = this.#tree.toJS() ?? {};
  }

  lineOf(path: Path): number {
    for (let length = path.length; length > 0; length--) {
      const node = this.#tree.getIn(path.slice(0, length), true) as
        | { range?: number[] }
        | undefined;
      if (node?.range) return this.#lines.linePos(node.range[0]).line;
    }
    return 1;
  }

  /** @param path of what was there before it was changed */
  say(path: Path, what: string) {
    this.changes.push({ file: this.file, line: this.lineOf(path), what });
  }

  /** Takes a member away, if it is there. */
  leaveOut(holder: any, path: Path, key: string, why: string) {
    if (holder?.[key] === undefined) return;
    delete holder[key];
    this.say([...path, key], `left out: ${key} (${why})`);
  }
}
