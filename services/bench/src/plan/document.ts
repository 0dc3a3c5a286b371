/**
 * A YAML file (JSON is YAML) whose mistakes are named by their line.
 */
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { didYouMean, UserError } from "../errors.ts";
import type { ErrorObject, ValidateFunction } from "ajv";
import type { Scalar, Node } from "yaml";

/** keys and indexes from the root of the document */
export type Path = (string | number)[];

/** the part of JSON Schema (draft 7) that a message is made of */
export interface Schema {
  /** what a value must be, where the rest does not say it well */
  title?: string;
  description?: string;
  type?: string | string[];
  minimum?: number;
  maximum?: number;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
}

const EXPECTED_YAML = "Expected YAML: keys and values as in battles/quick.yaml.";

/** to compile a schema takes longer than to check all files of its kind */
const validators: WeakMap<object, ValidateFunction> = new WeakMap();

/** One file, read. */
export class Document {
  #lines = new LineCounter();
  #label: string;
  #tree;
  /** what the file says */
  value: unknown;

  /**
   * @param label how messages call it: `battles/quick.yaml`
   * @param expected what a message about something other than YAML says that it expected
   * @throws {UserError} when it is not YAML; exit code 2, as for every mistake in it
   */
  constructor(file: string, label: string, expected: string = EXPECTED_YAML) {
    this.#label = label;
    this.#tree = parseDocument(readFileSync(file, "utf8"), { lineCounter: this.#lines });
    const [error] = this.#tree.errors;
    if (error) {
      throw new UserError(
        `${label}, line ${error.linePos?.[0].line ?? 1}: ${error.message.split(" at line ")[0]}`,
        expected,
        2,
      );
    }
    try {
      this.value = this.#tree.toJS();
    } catch (error) {
      // An alias without its anchor is found here only.
      const fact = error instanceof Error ? error.message : String(error);
      throw this.mistake([], fact, expected);
    }
  }

  /**
   * @param path of what is wrong
   * @returns to be thrown
   */
  mistake(path: Path, fact: string, next?: string): UserError {
    return new UserError(`${this.#label}, line ${this.#lineOf(path)}: ${fact}`, next, 2);
  }

  /**
   * @param schema JSON Schema, draft 7; messages have its descriptions
   * @param path the part that is checked; nothing is checked where it is left out
   * @throws {UserError} for the first mistake in the file
   */
  check(schema: object, path: Path = []) {
    let part = this.value;
    for (const step of path) part = (part as any)[step];
    if (part === undefined) return;
    const validate = validatorOf(schema);
    if (validate(part)) return;
    const [first] = (validate.errors ?? [])
      .map((error) => ({ error, path: [...path, ...pathOf(error)] }))
      .map((found) => ({ ...found, line: this.#lineOf(found.path) }))
      .sort((a, b) => rank(a.error) - rank(b.error) || a.line - b.line);
    const { fact, next } = explain(first.error, first.path);
    throw this.mistake(first.path, fact, next);
  }

  /**
   * @param path as much of it as there is counts
   * @returns line of the key, or of the entry of a list, or of the alias that stands for them; from
   *   1
   */
  #lineOf(path: Path): number {
    let node: unknown = this.#tree.contents;
    let offset = this.#tree.contents?.range?.[0] ?? 0;
    for (const step of path) {
      if (isMap(node)) {
        const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
        if (!pair) break;
        offset = (pair.key as Scalar).range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        offset = (node as Node | undefined)?.range?.[0] ?? offset;
      } else break;
    }
    // In an empty file there is no line.
    return this.#lines.linePos(offset).line || 1;
  }
}

/** @param schema JSON Schema, draft 7 */
function validatorOf(schema: object) {
  const validator =
    validators.get(schema) ??
    new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true }).compile(schema);
  validators.set(schema, validator);
  return validator;
}

/** @returns to what is wrong, which for some keywords is inside of what Ajv names */
function pathOf({ instancePath, keyword, params, data }: ErrorObject): Path {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (keyword === "additionalProperties") return [...path, params.additionalProperty];
  if (keyword === "uniqueItems" && Array.isArray(data))
    return [...path, Math.max(params.i, params.j)];
  return path;
}

/** @returns a missing key comes last: an unknown one may be the same, misspelt */
function rank({ keyword }: ErrorObject): number {
  return keyword === "required" ? 1 : 0;
}

/** @param path in the whole document */
function explain(
  { keyword, params, data, parentSchema }: ErrorObject,
  path: Path,
): { fact: string; next: string } {
  const schema = parentSchema as Schema;
  if (keyword === "additionalProperties") {
    const known = Object.keys(schema.properties ?? {});
    return {
      fact: `unknown key "${params.additionalProperty}"`,
      next: `${didYouMean(params.additionalProperty, known)}Expected one of: ${known.join(", ")}.`,
    };
  }
  if (keyword === "required") {
    const { description = "" } = schema.properties?.[params.missingProperty] ?? {};
    return {
      fact: `"${params.missingProperty}" is missing${path.length === 0 ? "" : ` in ${named(path)}`}`,
      next: `Expected ${expectation(schema.properties?.[params.missingProperty] ?? {})}. ${description}`,
    };
  }
  if (keyword === "uniqueItems") {
    return {
      fact: `${JSON.stringify((data as unknown[])[params.i])} is listed twice in ${named(path.slice(0, -1))}`,
      next: "Expected each once.",
    };
  }
  const known = (schema.enum ?? [schema.const]).filter((value) => typeof value === "string");
  return {
    fact: `${path.length === 0 ? "the file" : named(path)} is ${shown(data)}`,
    next: `${typeof data === "string" ? didYouMean(data, known) : ""}Expected ${expectation(schema)}. ${schema.description ?? ""}`.trim(),
  };
}

/** @returns `"rounds"`, `entry 2 of "proxies"` */
function named(path: Path): string {
  const last = path.at(-1);
  const isEntry = typeof last === "number" || /^\d+$/.test(String(last));
  return isEntry ? `entry ${Number(last) + 1} of ${named(path.slice(0, -1))}` : `"${last}"`;
}

function shown(value: unknown) {
  if (value === null || value === "") return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object")
    return Object.keys(value).length === 0 ? "an empty group of keys" : "a group of keys";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** @returns `a whole number from 1 to 1000` */
export function expectation(schema: Schema): string {
  if (schema.title) return schema.title;
  if (schema.enum) return schema.enum.join(" or ");
  return [schema.type ?? []]
    .flat()
    .map((type) => typeExpectation(type, schema))
    .join(" or ");
}

function typeExpectation(type: string, { minimum, maximum, properties = {} }: Schema) {
  switch (type) {
    case "integer":
      return `a whole number from ${minimum} to ${maximum}`;
    case "number":
      return `a number from ${minimum} to ${maximum}`;
    case "array":
      // The one kind of list without a title is that of a parameter's values.
      return "a list of them";
    case "object":
      return `keys with values: ${Object.keys(properties).join(", ")}`;
    default:
      return "a text";
  }
}
