import assert from "node:assert/strict";
import { test } from "node:test";
import { check, failuresOf } from "./testing/check.ts";
import { policyCiphers, testAll, TLS_WRONGS } from "./testing/faults.ts";
import { POLICY } from "./testing/server.ts";

testAll(TLS_WRONGS);

test("a server that takes the client's cipher of TLS 1.3, and says so, is asked by a client that prefers the policy's", async (t) => {
  const failures = async (ciphers: string) =>
    failuresOf(
      await check(t, {
        server: { tls: { ciphers, honorCipherOrder: false } },
        options: { choosesTls13Cipher: false },
      }),
    );
  // Of TLS 1.2 it should still choose.
  assert.deepEqual(await failures("DEFAULT"), ["wss tls12-cipher"]);
  const { ciphersTls12 } = POLICY;
  assert.deepEqual(await failures(["TLS_AES_256_GCM_SHA384", ...ciphersTls12].join(":")), [
    "wss tls13-cipher",
  ]);
});

test("a server that lets TLS 1.1 in is reported with what it negotiated", async (t) => {
  const results = await check(t, {
    server: { tls: { minVersion: "TLSv1.1", ciphers: policyCiphers("ECDHE-ECDSA-AES128-SHA") } },
  });
  const result = results.find(({ id }) => id === "tls11-refused");
  assert.match(result?.actual ?? "", /^a connection with TLSv1\.1, ECDHE-ECDSA-AES128-SHA/);
});
