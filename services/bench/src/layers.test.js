/**
 * Which part of the program may import which. Whoever needs an edge that is missing here has code in the wrong place, or a reason
 * to change this table.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { test } from "node:test";

/** @type {Record<string, string[]>} folders of src/, and those that each may import */
const ALLOWED = {
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
  // Only commands join the stages.
  commands: [
    ...["statistics", "platform", "plan", "record", "conformance", "machine", "hosts", "run"],
    ...["analyse", "report", "series", "panels"],
  ],
};

/** Files at the root of src/. cli.js calls commands; the others are shared by all and import nothing of the program. */
const ENTRY = "cli.js";
const SHARED = ["errors.js", "numbers.js"];

const src = import.meta.dirname;

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.(js|ts)$/.test(file))
  .filter((file) => !/\.test\.[jt]s$/.test(file) && !file.split(sep).includes("testing"))
  .sort();

/** @param {string} file @returns {string} its folder in src/, or the file itself at the root */
function partOf(file) {
  return file.split(sep)[0];
}

/** @param {string} file @returns {string[]} files of this program that it imports */
function importsOf(file) {
  const text = readFileSync(join(src, file), "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, specifier]) =>
    normalize(join(dirname(file), specifier)),
  );
}

test("every folder has a line in the table, and nothing but shared files lies beside them", () => {
  const parts = [...new Set(files.map(partOf))];
  assert.deepEqual(
    parts.filter((part) => !part.endsWith(".js")).sort(),
    Object.keys(ALLOWED).sort(),
  );
  assert.deepEqual(parts.filter((part) => part.endsWith(".js")).sort(), [ENTRY, ...SHARED].sort());
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
  const reached = (/** @type {string} */ from, /** @type {string[]} */ seen) =>
    ALLOWED[from].forEach((to) => {
      assert.ok(!seen.includes(to), `a circle: ${[...seen, to].join(" → ")}`);
      reached(to, [...seen, to]);
    });
  for (const name of Object.keys(ALLOWED)) reached(name, [name]);
});

test("no file has the name of a folder beside it", () => {
  for (const file of files) {
    const folder = file.replace(/\.(js|ts)$/, "");
    assert.ok(!files.some((other) => other.startsWith(`${folder}${sep}`)), file);
  }
});
