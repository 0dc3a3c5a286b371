import assert from "node:assert/strict";
import { test } from "node:test";
import { survivalResults } from "../analyse/testing/experiments.js";
import { results } from "../analyse/testing/results.js";
import { renderFindings } from "./found-texts.js";
import { publishedRun, RUNS } from "./testing/published.js";

const LOST = publishedRun(
  "survival",
  survivalResults({
    proxies: {
      none: { none: {}, reload: {} },
      haproxy: { none: {}, reload: {} },
      nginx: { none: {}, reload: { ends: [{ afterMs: 100, how: "reset", count: 2000 }] } },
    },
  }),
);

/** @type {import("./claim-rows.js").ClaimEntry} */
const CLAIM = {
  claim: "A is <lighter> than B",
  by: "Somebody, 2013",
  state: "no longer",
  today: "A to B 2.00 times.",
  run: "survival",
};

test("findings are sentences, each with its figures and its report, the largest difference first", () => {
  const text = renderFindings([LOST, ...RUNS.slice(0, -1)], [CLAIM]);
  assert.match(
    text,
    /^1\. \*\*Reload: a reload after a change of the configuration: all open connections are lost through nginx, none through HAProxy\.\*\*$/m,
  );
  assert.match(
    text,
    /^\d+\. \*\*A short connection costs \S+ times the CPU through \S.* that it costs/m,
  );
  const found = text.match(/^\d+\. \*\*/gm) ?? [];
  assert.ok(found.length > 3 && found.length <= 10, String(found.length));
  for (const line of text.split("\n").filter((line) => line.startsWith("   - ")))
    assert.match(line, /\]\([a-z]+\/report\.md\)$/);
  assert.doesNotMatch(text, /\b(undefined|NaN|null|Infinity)\b/);
  assert.match(text, /^- \*\*no longer\*\*: A is \\<lighter\\> than B/m);
});

test("what is not seen is no finding, and what is not measured is said", () => {
  const text = renderFindings([publishedRun("short", results({ rounds: 2 }))], []);
  assert.match(text, /No published run shows a difference yet\./);
  assert.match(text, /^- Memory a held connection, ws: not measured/m);
});
