import assert from "node:assert/strict";
import { test } from "node:test";
import { comparison, figure } from "../analyse/figures.ts";
import { measure } from "../analyse/measures.ts";
import { seenText, tryText, verdictText } from "./try-text.ts";
import type { Against, Judged, Seen } from "../analyse/against.ts";
import type { Comparisons, Estimate, Figure } from "../model/comparison.ts";

function row(key: string, seen: Seen, ratio: Estimate | null): Against {
  const value = (number: number): Estimate => ({
    value: number,
    low: null,
    high: null,
    basis: "range",
  });
  const [own, baseline] = [
    { ...figure("yours"), estimate: value(300) },
    { ...figure("nginx"), estimate: value(250) },
  ];
  const one = comparison({
    question: key,
    measure: measure(key),
    settings: [{ key: "s", scheme: "ws" }],
    figures: [own, baseline],
  });
  return { comparison: one, own, baseline, ratio, seen, judged: "open" };
}

/** as much of the file as the table reads */
function file(rows: Against[]): Comparisons {
  return {
    proxies: [
      { name: "yours", title: "my.conf", version: null },
      { name: "nginx", title: "nginx", version: null },
    ],
    settings: {
      s: {
        key: "s",
        scenario: "short-lived",
        scheme: "ws",
        parameters: {},
        workload: { parameterNames: {} },
      },
    },
    comparisons: rows.map((one) => one.comparison),
  } as unknown as Comparisons;
}

const TITLES = ["my.conf", "nginx"];

function interval(value: number, low: number, high: number): Estimate {
  return { value, low, high, basis: "ci95" };
}

test("what came out, in words of the measure", () => {
  const rows: [string, Seen, Estimate | null, string][] = [
    ["cpu_us_per_connection", "worse", interval(1.2, 1.1, 1.3), "costs more"],
    ["cpu_us_per_connection", "better", interval(0.8, 0.7, 0.9), "cheaper"],
    ["handshake_ms_p99", "worse", interval(1.2, 1.1, 1.3), "slower"],
    ["cpu_us_per_connection", "none", interval(1, 0.98, 1.021), "no difference above 3 %"],
    ["cpu_us_per_connection", "none", interval(1, 0.91, 1.01), "no difference above 9 %"],
    ["cpu_us_per_connection", "none", null, "no measurable difference"],
    ["cpu_us_per_connection", "unknown", null, "could not tell"],
  ];
  for (const [key, seen, ratio, expected] of rows)
    assert.equal(seenText(row(key, seen, ratio)), expected);
});

test("the last line, by what is judged", () => {
  const worse = row("cpu_us_per_connection", "worse", interval(1.2, 1.11, 1.3));
  worse.judged = "worse";
  const open = row("cpu_us_per_message", "none", interval(1, 0.8, 1.3));
  const missing = { ...open, baseline: figure("nginx") };
  const rows: [Judged, Against[], boolean, RegExp][] = [
    ["not-worse", [open], false, /^my\.conf is no worse, to 10 %\.$/],
    ["open", [open], false, /: try --rounds 12\.$/],
    ["open", [open, missing], false, /: measurements are missing, see above\.$/],
    ["worse", [open, worse], false, /^my\.conf is worse by more than 10 %: CPU per connection\.$/],
    ["worse", [], true, /: a failed check\.$/],
  ];
  for (const [judged, all, broken, expected] of rows)
    assert.match(verdictText(judged, all, { tolerance: 0.1, broken, title: "my.conf" }), expected);
});

test("why a figure is missing, once, with whose it is", () => {
  const own = row("cpu_us_per_connection", "unknown", null);
  const baseline: Figure = {
    ...figure("nginx"),
    missing: [{ kind: "not-run" }, { kind: "not-run" }],
  };
  const text = tryText(file([own]), [{ ...own, baseline }], TITLES);
  assert.equal(text.match(/nginx: not measured yet/g)?.length, 1, text);
});

test("a row has both figures, their ratio and its interval", () => {
  const own = row("cpu_us_per_connection", "worse", interval(1.2, 1.1, 1.3));
  const [head, line] = tryText(file([own]), [own], TITLES).split("\n");
  assert.match(head, /my\.conf +nginx +Ratio +95 % interval/);
  assert.match(line, /CPU per connection.* 300 µs +250 µs +1\.20× +1\.10–1\.30 +costs more/);
});
