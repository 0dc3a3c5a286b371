import assert from "node:assert/strict";
import { test } from "node:test";
import { formatResult } from "./format.ts";

const RESULT = {
  id: "text",
  scheme: "wss" as const,
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
    formatResult({ ...RESULT, ok: true, untuned: true }),
    "note wss  text message echoed: expected a text message of 3 bytes; got a binary message of 3 bytes",
  );
  assert.equal(
    formatResult({ ...RESULT, scheme: "ws", ok: true, skipped: "the control has none" }),
    "skip ws   text message echoed: the control has none",
  );
});

test("a question answered with no is no failure", () => {
  assert.equal(
    formatResult({ ...RESULT, title: "HTTP/2 offered", ok: true, no: "ALPN chose nothing" }),
    "no   wss  HTTP/2 offered: ALPN chose nothing",
  );
});

test("a remark stands beside the ok", () => {
  const passed = { ...RESULT, ok: true, remark: "1 of 2 connections stood still" };
  assert.equal(
    formatResult(passed),
    "ok   wss  text message echoed: 1 of 2 connections stood still",
  );
});
