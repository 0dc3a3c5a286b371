import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "./testing/check.js";
import { policyCiphers, testAll, TLS_WRONGS } from "./testing/faults.js";

testAll(TLS_WRONGS);

test("a server that lets TLS 1.1 in is reported with what it negotiated", async (t) => {
  const results = await check(t, {
    server: { tls: { minVersion: "TLSv1.1", ciphers: policyCiphers("ECDHE-ECDSA-AES128-SHA") } },
  });
  const result = results.find(({ id }) => id === "tls11-refused");
  assert.match(result?.actual ?? "", /^a connection with TLSv1\.1, ECDHE-ECDSA-AES128-SHA/);
});
