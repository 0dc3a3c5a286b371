import assert from "node:assert/strict";
import { test } from "node:test";
import { bisectLine, bisectVerdict } from "./bisect-text.ts";
import type { Found, Judged } from "../statistics/index.ts";

const RATIO: Judged["ratio"] = { value: 1.08, interval: [1.06, 1.1] };
const EQUAL: Judged["ratio"] = { value: 1.004, interval: [0.98, 1.02] };

test("a line says of each version what it costs, and how many may still be the first", () => {
  const rows: [Judged, number, string][] = [
    [
      { version: "3.5.2", verdict: "more", rounds: 4, ratio: RATIO },
      5,
      "3.5.2     1.08 times 3.3 (1.06–1.10), 4 rounds: costs more, 5 left",
    ],
    [
      { version: "3.4", verdict: "equal", rounds: 3, ratio: EQUAL },
      1,
      "3.4       1.00 times 3.3 (0.98–1.02), 3 rounds: equal",
    ],
    [
      { version: "3.3", verdict: "equal", rounds: 6, ratio: null },
      9,
      "3.3       beside itself, 6 rounds",
    ],
    [
      { version: "3.1", verdict: "unable", rounds: 0, ratio: null },
      9,
      "3.1       cannot be measured",
    ],
  ];
  for (const [judged, left, text] of rows) assert.equal(bisectLine(judged, left, "3.3"), text);
});

test("the verdict: the first that costs more, none, or why it could not tell", () => {
  const about = {
    ...{ title: "Traefik", threshold: 0.05, rounds: 24 },
    ...{ measure: "cpu-per-connection", wss: true },
  };
  const judged: Judged[] = [
    { version: "3.7", verdict: "equal", rounds: 3, ratio: EQUAL },
    { version: "3.6", verdict: "unable", rounds: 0, ratio: null },
  ];
  const base = { step: null, spreadPercent: 1.7, roundsNeeded: 4, judged };
  const rows: [Found, string][] = [
    [
      { ...base, outcome: "found", at: "3.5", between: ["3.4", "3.5"], step: RATIO, judged: [] },
      "Traefik 3.5 is the first that costs more than 3.3, CPU per connection over TLS: 1.08 times 3.4 (1.06–1.10).",
    ],
    [
      { ...base, outcome: "none", at: null, between: ["3.7", null] },
      "No release up to Traefik 3.7 costs 5 % more than 3.3, CPU per connection over TLS: 1.00 times 3.3 (0.98–1.02). Without 3.6, which cannot be measured.",
    ],
    [
      { ...base, outcome: "noise", at: "3.5", between: ["3.4", "3.6"], judged: [] },
      "Could not judge Traefik 3.5: it is neither equal nor 5 % more, and a round varies by 1.7 %. Try another --threshold. The first that costs more is after 3.4, and 3.6 at the latest.",
    ],
    [
      { ...base, outcome: "noise", at: null, between: ["3.3", null], roundsNeeded: 60, judged: [] },
      "Could not tell: a round varies by 1.7 %, and 5 % takes 60 rounds. Try --rounds 60, or a larger --threshold.",
    ],
    [
      { ...base, outcome: "unable", at: "3.3", between: ["3.3", null] },
      "Could not tell: Traefik 3.3 cannot be measured. Choose another --from.",
    ],
    [
      { ...base, outcome: "unable", at: null, between: ["3.3", null] },
      "Could not tell: no version but Traefik 3.3 can be measured.",
    ],
  ];
  for (const [found, text] of rows) assert.equal(bisectVerdict(found, "3.3", about), text);
});
