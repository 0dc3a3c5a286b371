import assert from "node:assert/strict";
import { test } from "node:test";
import { comparison, figure } from "../analyse/figures.ts";
import { measure } from "../analyse/measures.ts";
import type { Estimate } from "../model/comparison.ts";
import { figuresTable } from "./table.ts";

test("a note says what brackets hold, unless it is the 95 % interval alone", () => {
  const question = "cpu_us_per_connection";
  const noteOf = (...bases: Estimate["basis"][]) => {
    const figures = bases.map((basis, i) => ({
      ...figure(`proxy-${i}`),
      estimate: { value: 2, low: 1, high: 3, basis },
    }));
    const settings = [{ key: "short-lived-ws", scheme: "ws" as const }];
    const one = comparison({ question, measure: measure(question), settings, figures });
    return figuresTable({ proxies: [], settings: {} }, [{ title: "", comparison: one }]).note;
  };
  assert.equal(noteOf("ci95"), "");
  assert.equal(noteOf("range"), "In brackets: lowest and highest round.");
  const mixed = "In brackets: 95 % interval, or else lowest and highest round.";
  assert.equal(noteOf("ci95", "range"), mixed);
});

test("counts have no decimals that say nothing, and no dash stands before a minus", () => {
  const question = "cpu_us_per_connection";
  const counts = { ...measure(question), unit: "", kind: "count" as const };
  const shown = (...rows: [value: number, low: number, high: number][]) => {
    const figures = rows.map(([value, low, high], i) => ({
      ...figure(`proxy-${i}`),
      estimate: { value, low, high, basis: "range" as const },
    }));
    const settings = [{ key: "short-lived-ws", scheme: "ws" as const }];
    const one = comparison({ question, measure: counts, settings, figures });
    const table = figuresTable({ proxies: [], settings: {} }, [{ title: "", comparison: one }]);
    return table.rows.map(([, { text, small }]) => `${text} ${small}`);
  };
  assert.deepEqual(shown([7, 0, 14], [0, -3, 0]), ["0 (-3 to 0)", "7 (0–14)"]);
  assert.deepEqual(shown([4.5, 2, 7], [3, 1, 5]), ["3 (1–5)", "4.5 (2–7)"]);
});
