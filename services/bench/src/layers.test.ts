/**
 * Which part of the program may import which. Whoever needs an edge that is missing here has code
 * in the wrong place, or a reason to change this table.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { test } from "node:test";

/** folders of src/, and those that each may import */
const ALLOWED: Record<string, string[]> = {
  // The types that pass from stage to stage, each with its schema: all may import them.
  model: [],
  statistics: [],
  platform: [],
  plan: ["statistics"],
  record: ["plan"],
  // What is run: never what is made of it.
  conformance: ["plan", "platform"],
  machine: ["plan", "platform", "record"],
  run: ["conformance", "machine", "plan", "platform", "record", "statistics"],
  // Several machines: what runs on one knows nothing of them.
  hosts: ["run", "machine", "plan", "platform", "record"],
  // What is made of a record: never an engine.
  analyse: ["plan", "record", "statistics"],
  report: ["analyse", "plan", "record", "statistics"],
  // Points for InfluxDB, and what `export` draws of them.
  series: ["analyse", "plan", "platform", "record"],
  panels: ["platform", "plan", "record", "report"],
  // A user's configuration as a folder of proxies/.
  adapt: [],
  // Only commands join the stages.
  commands: [
    ...["statistics", "platform", "plan", "record", "conformance", "machine", "hosts", "run"],
    ...["analyse", "report", "series", "panels", "adapt"],
  ],
};

/**
 * Files at the root of src/. cli.ts calls commands; the others are shared by all and import nothing
 * of the program.
 */
const ENTRY = "cli.ts";
const SHARED = ["errors.ts", "numbers.ts"];

const src = import.meta.dirname;

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .filter((file) => !file.endsWith(".test.ts") && !file.split(sep).includes("testing"))
  .sort();

/** @returns its folder in src/, or the file itself at the root */
function partOf(file: string): string {
  return file.split(sep)[0];
}

/** @returns files of this program that it imports */
function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, specifier]) =>
    normalize(join(dirname(file), specifier)),
  );
}

test("every folder has a line in the table, and nothing but shared files lies beside them", () => {
  const parts = [...new Set(files.map(partOf))];
  assert.deepEqual(
    parts.filter((part) => !part.endsWith(".ts")).sort(),
    Object.keys(ALLOWED).sort(),
  );
  assert.deepEqual(parts.filter((part) => part.endsWith(".ts")).sort(), [ENTRY, ...SHARED].sort());
});

test("imports go one way", () => {
  const offenders = files.flatMap((file) => {
    const part = partOf(file);
    const allowed = part === ENTRY ? ["commands"] : SHARED.includes(part) ? [] : ALLOWED[part];
    return importsOf(file)
      .filter((target) => !target.startsWith(".."))
      .filter((target) => ![part, "model", ...SHARED, ...allowed].includes(partOf(target)))
      .map((target) => `${file} imports ${target}`);
  });
  assert.deepEqual(offenders, []);
});

test("no stage reaches another in a circle", () => {
  const reached = (from: string, seen: string[]) =>
    ALLOWED[from].forEach((to) => {
      assert.ok(!seen.includes(to), `a circle: ${[...seen, to].join(" → ")}`);
      reached(to, [...seen, to]);
    });
  for (const name of Object.keys(ALLOWED)) reached(name, [name]);
});

test("no file has the name of a folder beside it", () => {
  for (const file of files) {
    const folder = file.replace(/\.ts$/, "");
    assert.ok(!files.some((other) => other.startsWith(`${folder}${sep}`)), file);
  }
});
