import assert from "node:assert/strict";
import { test } from "node:test";
import { CHECKS as ALL_CHECKS, checksOf } from "./checks.ts";
import { formatResult } from "./format.ts";
import { check, failuresOf, NO_DELAY } from "./testing/check.ts";
import {
  anotherAddress,
  both,
  MESSAGE_WRONGS,
  REQUEST_WRONGS,
  tls,
  TLS_WRONGS,
} from "./testing/faults.ts";
import { DRAIN_WRONGS, reloads, RELOAD_WRONGS } from "./testing/reloads.ts";
import { POLICY } from "./testing/server.ts";
import type { CheckResult } from "./conform.ts";

const CHECKS = ALL_CHECKS.websockets;

/** @returns of checks of a proxy that claims no WebSockets over HTTP/2 */
const countOf = (...schemes: ("ws" | "wss")[]): number =>
  schemes.flatMap((scheme) => checksOf("websockets", { scheme, websocketsOverHttp2: false }))
    .length;

function skippedOf(results: CheckResult[]) {
  return results.filter(({ skipped }) => skipped).map(({ scheme, id }) => `${scheme} ${id}`);
}

for (const keyType of ["ecdsa", "rsa"] as const) {
  test(`a right server with an ${keyType} certificate passes every check`, async (t) => {
    const lines: string[] = [];
    const right = reloads();
    const results = await check(t, {
      server: { algorithm: keyType, ...right.server },
      options: {
        keyType,
        reload: right.reload,
        idleMs: undefined,
        onResult: (result) => lines.push(formatResult(result)),
      },
    });
    assert.deepEqual(failuresOf(results), []);
    assert.deepEqual(skippedOf(results), both("held", "drain"));
    assert.equal(results.length, countOf("ws", "wss"));
    assert.deepEqual(lines.sort(), results.map(formatResult).sort());
  });
}

test("a target without forwarded headers is not held to them, when told so", async (t) => {
  const results = await check(t, {
    server: { forward() {} },
    options: { forwarded: false },
  });
  assert.deepEqual(failuresOf(results), []);
  assert.deepEqual(
    skippedOf(results),
    both("forwarded-for", "forwarded-proto", "forged-proto", "held", "reload", "drain"),
  );
});

test("the PROXY protocol is checked of a target that sends it only", async (t) => {
  const results = await check(t, {
    server: { forward: anotherAddress },
    options: { proxyProtocol: false },
  });
  assert.deepEqual(failuresOf(results), []);
  assert.deepEqual(skippedOf(results), both("proxy-protocol", "held", "reload", "drain"));
});

test("a scheme that is not served is not checked", async (t) => {
  const results = await check(t, { options: { schemes: ["wss"], plainPort: 1 } });
  assert.deepEqual(failuresOf(results), []);
  assert.equal(results.length, countOf("wss"));
});

test("what the policy leaves open is not checked", async (t) => {
  const results = await check(t, {
    server: { tls: { minVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0", secureOptions: 0 } },
    options: {
      policy: {
        ...POLICY,
        minVersion: "TLSv1.1",
        cipherSuitesTls13: ["TLS_AES_256_GCM_SHA384"],
        ciphersTls12: ["ECDHE-ECDSA-AES256-GCM-SHA384"],
        sessionResumption: true,
      },
    },
  });
  assert.deepEqual(failuresOf(results), []);
  assert.deepEqual(skippedOf(results), [
    ...both("held", "reload", "drain"),
    ...tls("tls11-refused"),
  ]);
});

test("a relay that delays nothing passes every check", async (t) => {
  assert.deepEqual(failuresOf(await check(t, { relay: NO_DELAY })), []);
});

test("what takes tuning is reported of a target that is not tuned; all else fails", async (t) => {
  const faults = {
    server: {
      forward() {},
      tls: { minVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0", secureOptions: 0 },
      ws: { autoPong: false },
    },
  } as const;
  const strict = failuresOf(await check(t, faults));
  const results = await check(t, { ...faults, options: { tuned: false } });
  const excused = results
    .filter(({ untuned }) => untuned)
    .map(({ scheme, id }) => `${scheme} ${id}`);
  assert.deepEqual(failuresOf(results), both("ping"));
  assert.deepEqual([...excused, ...both("ping")].sort(), strict.sort());
  assert.ok(excused.includes("ws forwarded-for") && excused.includes("wss tls13-cipher"));
});

test("no check is without a fault that it finds", () => {
  const found = new Set(
    [MESSAGE_WRONGS, REQUEST_WRONGS, TLS_WRONGS, RELOAD_WRONGS, DRAIN_WRONGS].flatMap((wrongs) =>
      Object.values(wrongs).flatMap(({ fails }) => fails),
    ),
  );
  const all = [
    ...CHECKS.ws.map(({ id }) => `ws ${id}`),
    ...CHECKS.wss.map(({ id }) => `wss ${id}`),
  ];
  assert.deepEqual(
    all.filter((check) => !found.has(check)),
    [],
  );
});
