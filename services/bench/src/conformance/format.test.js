import assert from "node:assert/strict";
import { test } from "node:test";
import { formatResult } from "./format.js";

const RESULT = {
  id: "text",
  scheme: /** @type {const} */ ("wss"),
  title: "text message echoed",
  expected: "a text message of 3 bytes",
  actual: "a binary message of 3 bytes",
};

test("one line a check", () => {
  assert.equal(formatResult({ ...RESULT, ok: true }), "ok   wss  text message echoed");
  assert.equal(
    formatResult({ ...RESULT, ok: false }),
    "FAIL wss  text message echoed: expected a text message of 3 bytes; got a binary message of 3 bytes",
  );
  assert.equal(
    formatResult({ ...RESULT, scheme: "ws", ok: true, skipped: "the control has none" }),
    "skip ws   text message echoed: the control has none",
  );
});
