/**
 * A user's configuration as it was read, its templates, and the changes to the copy of it. The copy
 * keeps the lines of the original, so that a proxy's own messages name the right one.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path";
import { UserError } from "../errors.ts";
import type { Scheme } from "../model/plan.ts";

/** What reads the files of a configuration, by their path in its folder. */
interface Files {
  /** null: there is none, or it is no text */
  read: (name: string) => string | null;
  /** names in a folder; of one that is not there: none */
  list: (folder: string) => string[];
}

/** A configuration: the file that the proxy begins to read, and what it includes. */
export class Source {
  readonly main: string;
  /** where the folder is in the container */
  readonly root: string;
  /** that were asked for */
  readonly read = new Map<string, string>();
  #files: Files;

  constructor(main: string, root: string, files: Files) {
    this.main = main;
    this.root = root;
    this.#files = files;
  }

  /** @returns its path in the folder; null: the folder has no such file */
  find(path: string): string | null {
    const name = this.#inside(path);
    const text = this.read.get(name) ?? this.#files.read(name);
    if (text === null) return null;
    this.read.set(name, text);
    return name;
  }

  /** @param pattern with `*` in its last part */
  glob(pattern: string): string[] {
    const inside = this.#inside(pattern);
    const folder = dirname(inside);
    const last = basename(inside).replace(/[.+?^${}()|[\]\\]/g, "\\$&");
    const fits = new RegExp(`^${last.replaceAll("*", ".*")}$`);
    const names = this.#files.list(folder).filter((name) => fits.test(name));
    return names.flatMap((name) => this.find(join(folder, name)) ?? []).sort();
  }

  text(name: string): string {
    return this.read.get(this.find(name) ?? "") ?? "";
  }

  #inside(path: string): string {
    return path.startsWith("/") ? relative(this.root, path) : normalize(path);
  }
}

/** What the command line says of it. */
export interface Asked {
  /** where the WebSockets live; left out: found in the file */
  path?: string;
  host?: string;
  /** of templates, by name */
  set: Record<string, string>;
  /** the user's own image runs it, with modules that are not known here */
  hasOwnImage: boolean;
}

export interface Change {
  file: string;
  line: number;
  what: string;
}

export interface Copy {
  /** of its files the one that the proxy begins to read */
  main: string;
  files: Record<string, string>;
  changes: Change[];
  schemes: Scheme[];
}

export interface Adapted extends Copy {
  /** names of --set that it has a place for */
  filled: Set<string>;
}

/** What the proxy in the copy meets: see proxies/proxy.yaml. */
export const HERE = {
  backend: "echo:8080",
  ports: { ws: 8080, wss: 8443 },
  certificate: "/certs/cert.pem",
  key: "/certs/key.pem",
  combined: "/certs/combined.pem",
  nameServer: "127.0.0.11",
  /** writable, on disk */
  logs: "/var/log/tried",
} as const;

export const NOT_BESIDE = "there is no such file beside yours";

/** The load's own requests, all of which must reach the server behind the proxy. */
export const PATHS = ["/", "/healthz", "/headers", "/.generation"];
/** In turns with another, the baseline has the reference's place. */
export const HOSTS = ["proxy", "reference"].flatMap((name) => [
  name,
  `${name}:8080`,
  `${name}:8443`,
]);

/**
 * @param path a file, or a folder that has it and all that it includes
 * @param names of that file, the usual first
 * @param root where the folder is in the container
 * @throws {UserError} exit code 2
 */
export function openSource(path: string, names: string[], root: string): Source {
  if (!existsSync(path))
    throw new UserError(
      `there is no ${path}`,
      `Expected a file such as ${names[0]}, or a folder that has it.`,
      2,
    );
  const isFolder = statSync(path).isDirectory();
  const folder = isFolder ? path : dirname(path);
  const main = isFolder ? names.find((name) => existsSync(join(path, name))) : basename(path);
  if (!main)
    throw new UserError(
      `${path} has no ${names.join(" or ")}`,
      "Expected one of them, or the file itself instead of the folder.",
      2,
    );
  return new Source(main, root, {
    read: (name) => readText(join(folder, name)),
    list: (inside) => (existsSync(join(folder, inside)) ? readdirSync(join(folder, inside)) : []),
  });
}

function readText(file: string): string | null {
  if (!existsSync(file) || !statSync(file).isFile()) return null;
  const bytes = readFileSync(file);
  return bytes.includes(0) ? null : bytes.toString("utf8");
}

const TEMPLATE = /\$\{([A-Z][A-Z0-9_]*)(?::-([^}]*))?\}|%%(\w+)%%|\{\{-?\s*(.*?)\s*-?\}\}/g;
const STATEMENT = /\{%.*?%\}|\{\{-?\s*(?:range|if|else|end|with|define|template|block)\b.*?\}\}/;
const UNFILLED = /unfilled_(\d+)_template/g;

/**
 * The places of a template, `${NAME}`, `%%NAME%%` and `{{ NAME }}`. Most of them are a port, a
 * server or a name, which the copy has others of: only what is left in it must be filled.
 */
export class Templates {
  /** names of --set that it has a place for */
  readonly filled = new Set<string>();
  #unfilled: { text: string; name: string; file: string; line: number }[] = [];
  #set: Record<string, string>;

  constructor(set: Record<string, string>) {
    this.#set = set;
  }

  /**
   * @param own places of the proxy's own language
   * @throws {UserError} when the template has statements: exit code 2
   */
  fill(file: string, text: string, own?: RegExp): string {
    const statement = STATEMENT.exec(text);
    if (statement)
      throw new UserError(
        `${file}, line ${lineAt(text, statement.index)}: ${statement[0]} is a statement of a template`,
        "Expected a finished configuration, or a template with nothing but names. Render it first.",
        2,
      );
    const kept = own ? [...text.matchAll(own)] : [];
    return text.replace(TEMPLATE, (place, shell, standard, percent, braces, offset) => {
      if (kept.some(({ 0: all, index }) => index <= offset && offset < index + all.length))
        return place;
      const name = (shell ?? percent ?? braces).replace(/^\./, "");
      if (name in this.#set) {
        this.filled.add(name);
        return this.#set[name];
      }
      if (standard !== undefined) return standard;
      this.#unfilled.push({ text: place, name, file, line: lineAt(text, offset) });
      return `unfilled_${this.#unfilled.length - 1}_template`;
    });
  }

  /**
   * @returns as the user knows it
   * @throws {UserError} when a place is left that nobody has filled: exit code 2
   */
  finish({ files, changes, schemes, ...rest }: Copy): Adapted {
    const left = Object.values(files).flatMap((text) =>
      [...withoutComments(text).matchAll(UNFILLED)].map(([, i]) => this.#unfilled[Number(i)]),
    );
    if (left.length > 0) {
      const names = [...new Set(left.map(({ name }) => name))];
      throw new UserError(
        left
          .map(({ file, line, text }) => `${file}, line ${line}: ${text} is not filled`)
          .join("\n"),
        `Expected ${names.map((name) => `--set ${quoted(name)}=VALUE`).join(" ")}`,
        2,
      );
    }
    const original = (text: string) =>
      text.replace(UNFILLED, (_, i) => this.#unfilled[Number(i)].text);
    return {
      ...rest,
      files,
      schemes: schemes.toSorted(),
      changes: changes.map((change) => ({ ...change, what: original(change.what) })),
      filled: this.filled,
    };
  }
}

/**
 * @param all of one command line: a name may have its place in one of them alone
 * @throws {UserError} for a name of --set without a place; exit code 2
 */
export function refuseUnplaced(set: Asked["set"], all: Pick<Adapted, "filled">[]) {
  const name = Object.keys(set).find((one) => all.every(({ filled }) => !filled.has(one)));
  if (name === undefined) return;
  throw new UserError(
    `--set ${name}: no configuration has a placeholder of that name`,
    `Expected \${${name}}, %%${name}%% or {{ ${name} }} in it.`,
    2,
  );
}

function quoted(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${name}'`;
}

function withoutComments(text: string): string {
  return text.replace(/^\s*#.*$/gm, "");
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** What a place of WebSockets is often called. */
export const LIKELY = /ws|sock|hub|cable|live|stream|realtime/i;

interface Edit {
  start: number;
  end: number;
  text: string;
  what: string;
}

/** Changes to the text of one file, by offset. */
export class Edits {
  readonly file: string;
  readonly text: string;
  #edits: Edit[] = [];

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  /**
   * No line moves. Of two for the same place the first holds; one inside of another is gone with it.
   *
   * @param what it changes, in words; empty: part of a change that has its words
   */
  replace(start: number, end: number, text: string, what: string) {
    const lines = this.text.slice(start, end).split("\n").length - 1;
    const kept = "\n".repeat(Math.max(0, lines - (text.split("\n").length - 1)));
    this.#edits.push({ start, end, text: text + kept, what });
  }

  say(offset: number, what: string) {
    this.replace(offset, offset, "", what);
  }

  apply(): { text: string; changes: Change[] } {
    // What is put before a place is kept, whatever becomes of that.
    const isAdded = ({ start, end }: Edit) => Number(start === end);
    const kept = this.#edits
      .toSorted((a, b) => a.start - b.start || isAdded(b) - isAdded(a) || b.end - a.end)
      .reduce<Edit[]>((before, edit) => {
        const last = before.findLast(({ start, end }) => end > start);
        return last && edit.start < last.end ? before : [...before, edit];
      }, []);
    return {
      text: kept.reduceRight(
        (text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end),
        this.text,
      ),
      changes: kept
        .filter(({ what }) => what)
        .map(({ start, what }) => ({ file: this.file, line: lineAt(this.text, start), what })),
    };
  }
}

/** What is common to those of languages that are changed by offset. */
export class Adapter {
  readonly source: Source;
  readonly asked: Asked;
  readonly templates: Templates;

  constructor(source: Source, asked: Asked, templates: Templates) {
    this.source = source;
    this.asked = asked;
    this.templates = templates;
  }

  /** @param own places of the proxy's own language, which are no template's */
  edit(name: string, own?: RegExp): Edits {
    return new Edits(name, this.templates.fill(name, this.source.text(name), own));
  }
}

/** `/var/log/nginx/x.log` as a file that may be written here. */
export function logFile(path: string): string {
  return `${HERE.logs}/${basename(path) || "log"}`;
}

/** @returns one that cannot be adapted; exit code 2 */
export function cannot(file: string, line: number, reason: string, next: string): UserError {
  return new UserError(`${file}, line ${line}: ${reason}`, next, 2);
}
