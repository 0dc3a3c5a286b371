/**
 * What people read, against the rules of style.ts.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { faultsOf, longSentences, MOST_WORDS, proseOf, WORDINGS, WORDS } from "./style.ts";
import type { Fault } from "./style.ts";

/** The copy of the project that these tests run in. */
const root = join(import.meta.dirname, "../../../..");

const PROSE = [...WORDINGS, ...WORDS];
/** Code is no prose. */
const both = (text: string) => [
  ...faultsOf(
    text.replace(/`[^`\n]*`/g, (code) => "x".repeat(code.length)),
    PROSE,
  ),
  ...longSentences(text),
];
const wordings = (text: string) => faultsOf(text, WORDINGS);
const words = (text: string) => faultsOf(text, PROSE);
/** Tags are no words; blanks keep the lines. */
const page = (html: string) =>
  words(html.replace(/<(script|style)\b.*?<\/\1>|<[^>]+>/gs, (tag) => tag.replace(/[^\n]/g, " ")));

/** Every text, by who reads it, and how it is judged. */
const TEXTS: [who: string, files: string[], judge: (text: string) => Fault[]][] = [
  [
    "README and documentation",
    ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "{proxies,dashboards}/README.md"],
    both,
  ],
  ["READMEs of services", ["services/*/README.md"], both],
  ["published pages", ["published/*.md"], both],
  ["published reports", ["published/*/*/report.md"], words],
  ["published index", ["published/index.html"], page],
  ["help", ["services/bench/help/*.txt"], words],
  [
    "settings, and comments of Compose files and of workflows",
    [
      ".env",
      "compose.yaml",
      "action.yml",
      ".github/**/*",
      "hosts.example.yaml",
      "published/pages.yaml",
      "offline/**/*",
    ],
    words,
  ],
  ["battles", ["battles/**/*.yaml"], words],
  ["proxies", ["proxies/**/*"], words],
  ["certificates and loads", ["certs/*", "loadgen/**/*"], wordings],
  [
    "command line, and other services",
    ["services/**/*.{ts,js,mjs,sh,yaml,json,lua,py,java}", "services/**/{start,run-tests}"],
    wordings,
  ],
  ["dashboards", ["dashboards/src/**/*.ts", "dashboards/*.json", "dashboards/README.md"], wordings],
];

const IGNORED = ["**/node_modules/**", "**/package-lock.json", "**/recorded/**", "**/go.{mod,sum}"];
/** Holds the wordings themselves. */
const OWN = ["services/bench/test/lint/style.ts", "services/bench/test/lint/texts.test.ts"];

/** By file, what a line of it may hold. */
const ALLOWED: [file: string, text: string, reason: string][] = [
  [
    "published/messages/2026-11-24/report.md",
    "100 messages a connection, ",
    "title of a published run",
  ],
  [
    "services/bench/src/analyse/compare-runs.ts",
    '"cannot be told"',
    "a value in InfluxDB and JSON",
  ],
  ["services/bench/src/analyse/compare-runs.test.ts", '"cannot be told"', "as above"],
  ["dashboards/src/dashboards/compare.ts", '"cannot be told"', "as above"],
  ["published/soak/2026-11-24/report.md", "What is told over time", "remark of a published run"],
];

for (const [who, patterns, judge] of TEXTS) {
  test(`plain English: ${who}`, () => {
    const files = globSync(patterns, { cwd: root, exclude: IGNORED, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.(png|svg|zst)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter((file) => !OWN.includes(file));
    assert.ok(files.length > 0, `no file is any of ${patterns.join(", ")}`);
    const faults = files.sort().flatMap((file) => {
      const whole = readFileSync(join(root, file), "utf8");
      const text = /\.(ts|js|mjs)$/.test(file) ? proseOf(whole) : whole;
      const lines = text.split("\n");
      return judge(text)
        .filter(
          ({ line }) =>
            !ALLOWED.some(([of, part]) => of === file && lines[line - 1].includes(part)),
        )
        .map(({ line, found, better }) => `${file}:${line}: "${found}" – ${better}`);
    });
    assert.ok(faults.length === 0, `${faults.length} places:\n${faults.join("\n")}`);
  });
}

test("every rule catches its example, wrapped in a comment too, and its own advice passes", () => {
  for (const { pattern, better, example } of PROSE) {
    assert.equal(faultsOf(example, [{ pattern, better, example }]).length, 1, example);
    const wrapped = `/**\n * ${example.split(" ").join("\n   * ")}\n */`;
    assert.equal(faultsOf(wrapped, [{ pattern, better, example }]).length, 1, wrapped);
    assert.deepEqual(faultsOf(better, [{ pattern, better, example }]), []);
  }
  for (const good of [
    "they cannot be told apart",
    "a second look",
    "is told apart",
    "until it is told to end",
    "the run has begun",
    "cells that had not begun",
    "four times a second",
  ])
    assert.deepEqual(faultsOf(good, PROSE), []);
});

test("a rate is found after a number, and after a value in a template", () => {
  const found = (source: string) => faultsOf(proseOf(source), WORDINGS).map((one) => one.found);
  assert.deepEqual(found("// at 1,200 a second"), ["1,200 a second"]);
  assert.equal(found("const title = `${rate} a second`;").length, 1);
  assert.deepEqual(found("// of 2026-11-27 a cell"), []);
  assert.deepEqual(found("const before = 1;\n/** a machine */"), []);
});

test("of code only comments and strings are judged", () => {
  const source = 'const begun = `${whom} x`; // no\nlog("it was begun"); /* anew */\n';
  assert.deepEqual(
    faultsOf(proseOf(source), WORDINGS).map(({ line, found }) => [line, found]),
    [
      [2, "anew"],
      [2, "begun"],
    ],
  );
});

test("a long sentence is found at its line, and what is no sentence is not", () => {
  const words = (count: number) => Array.from({ length: count }, () => "word").join(" ");
  const text = `# Title\n\nShort. ${words(MOST_WORDS)}.\n${words(MOST_WORDS + 1)}.\n`;
  assert.deepEqual(
    longSentences(text).map(({ line, better }) => [line, better]),
    [[3, `${MOST_WORDS + 1} words`]],
  );
  assert.deepEqual(longSentences(`${words(MOST_WORDS - 1)} {{ratio run question ws}}.`), []);
  const half = words(MOST_WORDS / 2 + 1);
  for (const apart of [`${half} | ${half}`, `- ${half}\n- ${half}`, `${half}\n\n${half}`])
    assert.deepEqual(longSentences(apart), []);
  assert.deepEqual(longSentences("```\n" + words(MOST_WORDS + 1) + "\n```"), []);
});

/** @returns what it finds in texts that say how to use this, by file */
function inGuides(pattern: RegExp): [file: string, found: string][] {
  const files = globSync(["*.md", "docs/*.md", "compose.yaml", "services/bench/src/**/*.ts"], {
    cwd: root,
  });
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(pattern)].map(
      ({ 0: all, 1: part = all }): [string, string] => [file, part],
    ),
  );
}

test("one version of Compose is named everywhere: that of engine.sh", () => {
  const script = readFileSync(join(root, "services/bench/host/engine.sh"), "utf8");
  const needed = script.match(/^compose_minimum=(\S+)/m)?.[1];
  const named = inGuides(/Docker Compose (\d+(?:\.\d+)+)/g);
  assert.ok(named.some(([file]) => file === "README.md"));
  assert.deepEqual(
    named.filter(([, version]) => version !== needed),
    [],
    `engine.sh needs ${needed}`,
  );
});

test("no guide gives a `down` that leaves the proxy: Compose needs its profile", () => {
  assert.ok(inGuides(/docker compose --profile \S+ down/g).length > 0);
  assert.deepEqual(inGuides(/docker compose down(?! ended)/g), []);
});
