import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { rateResults } from "../analyse/testing/rates.ts";
import { results as sample } from "../analyse/testing/results.ts";
import { validateResults } from "./schema.ts";

const PROJECT = join(import.meta.dirname, "../../../..");

suite("published records are read as they are", () => {
  const published = join(PROJECT, "published");
  for (const name of readdirSync(published)) {
    const file = join(published, name, "results.json");
    if (!existsSync(file)) continue;
    test(name, () => {
      const read = JSON.parse(readFileSync(file, "utf8"));
      assert.equal(validateResults(read, file), read);
    });
  }
});

suite("what a record does not hold is refused, with its place", () => {
  const requests = {
    completed: 10,
    non2xx: 2,
    statuses: { 502: -1 },
    socketErrors: { read: 0 },
    causes: [{ service: "nginx", line: "refused", count: 2 }],
  };
  const WRONG: [what: string, change: (results: any) => void, expected: RegExp][] = [
    ["a key is missing", ({ plan }) => delete plan.rounds, /\/plan must have .*rounds/],
    ["a scenario is not described", ({ plan }) => delete plan.scenarios, /\/plan .*scenarios/],
    ["a key is none", ({ run }) => (run.note = ""), /\/run must not .*note/],
    ["an entry is null", ({ cells }) => (cells[0] = null), /\/cells\/0 must be object/],
    ["a kind is none", ({ plan }) => (plan.keyType = "dsa"), /\/plan\/keyType .*ecdsa/],
    ["a count is negative", ({ cells }) => (cells[1].requests = requests), /\/cells\/1\/requests/],
    ["a phase is none", ({ cells }) => (cells[0].phases.wait = 1), /\/cells\/0\/phases .*wait/],
    [
      "a distribution is none",
      ({ cells }) => (cells[0].distributions.handshakeMs = "-1x2"),
      /\/cells\/0\/distributions\/handshakeMs/,
    ],
  ];
  for (const [what, change, expected] of WRONG)
    test(what, () => {
      const results = rateResults({ rounds: 1 });
      assert.equal(validateResults(results, "results.json"), results);
      change(results);
      assert.throws(() => validateResults(results, "x/results.json"), {
        message: new RegExp(`^x/results\\.json is not a results file: ${expected.source}`),
        next: /model\/record\.ts/,
      });
    });
});

suite("a record of another schema is refused with what reads it", () => {
  for (const [schema, next] of [
    [1, /^Commit 178da92 reads it: git worktree add \S+ 178da92/],
    [3, /^Use the version of \.\/bench that wrote it/],
  ] as const)
    test(`schema ${schema}`, () => {
      assert.throws(() => validateResults({ ...sample(), schema }, "x/results.json"), {
        message: `x/results.json is of schema ${schema}; this version reads only schema 2`,
        next,
      });
    });
});
