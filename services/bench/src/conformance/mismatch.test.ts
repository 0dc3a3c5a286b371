import assert from "node:assert/strict";
import { test } from "node:test";
import { ensure, explain, Failure, isRefusedByServer } from "./mismatch.ts";

function errorOf(code: string, message = "message") {
  return Object.assign(new Error(message), { code });
}

test("ensure throws what was found", () => {
  ensure(true, "never seen");
  assert.throws(() => ensure(false, "status 502"), new Failure("status 502"));
});

test("errors are in plain words", () => {
  const words = (error: unknown) => explain(error, "proxy:8080");
  assert.equal(words(new Failure("status 502")), "status 502");
  assert.equal(words(errorOf("ENOTFOUND")), "host name not found (proxy:8080, ENOTFOUND)");
  assert.equal(
    words(errorOf("ERR_SSL_WRONG_VERSION_NUMBER")),
    "an answer that is not TLS (proxy:8080)",
  );
  assert.equal(
    words(
      Object.assign(errorOf("ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR"), { reason: "internal error" }),
    ),
    "TLS handshake refused by the server: internal error",
  );
  assert.equal(
    words(errorOf("ERR_TLS_CERT_ALTNAME_INVALID", "no such name")),
    "certificate not accepted: no such name",
  );
  assert.equal(words(errorOf("ERR_UNKNOWN", "")), "ERR_UNKNOWN");
  assert.equal(words("thrown text"), "thrown text");
  // `localhost` has two addresses: Node reports both attempts in one error without a message.
  assert.equal(
    words(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })),
    "connection refused: nothing listens there (proxy:8080, ECONNREFUSED)",
  );
});

test("a handshake that the client itself ended is no refusal by the server", () => {
  assert.equal(isRefusedByServer(errorOf("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION")), true);
  assert.equal(isRefusedByServer(errorOf("ECONNRESET")), true);
  assert.equal(isRefusedByServer(errorOf("ERR_SSL_NO_PROTOCOLS_AVAILABLE")), false);
  assert.equal(isRefusedByServer(errorOf("ERR_SSL_UNSUPPORTED_PROTOCOL")), false);
  assert.equal(isRefusedByServer(errorOf("ECONNREFUSED")), false);
  assert.equal(isRefusedByServer(errorOf("UNABLE_TO_VERIFY_LEAF_SIGNATURE")), false);
});
