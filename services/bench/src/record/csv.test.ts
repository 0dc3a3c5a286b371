import assert from "node:assert/strict";
import { test } from "node:test";
import { csvText, readRows } from "./csv.ts";

test("numbers, texts that need quotes and what is not there are read as they were written", () => {
  const csv = csvText([
    ["ms", "service", "why"],
    [0, "nginx", 'said "no", twice\nat once'],
    [0.5, undefined, null],
  ]);
  assert.ok(csv.endsWith("\n0.5,,\n"), csv);
  assert.deepEqual(
    [...readRows(csv)],
    [
      { ms: "0", service: "nginx", why: 'said "no", twice\nat once' },
      { ms: "0.5", service: "", why: "" },
    ],
  );
  assert.deepEqual([...readRows(csvText([["ms"]]))], []);
});
