import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsOf } from "./gates.js";
import { analyse } from "./index.js";
import { tlsResults } from "./testing/http.js";
import { POLICY, results, workloadFor } from "./testing/results.js";

const policy = /** @type {any} */ (POLICY);

test("each kind of handshake beside the one that differs in that alone", () => {
  const { handshakes } = analyse(tlsResults({ rounds: 6, names: ["none", "nginx"] }), { policy });
  const differing = handshakes.map(({ kind, pairs }) => [
    kind,
    pairs.map(({ setting, beside }) =>
      Object.keys(setting.parameters)
        .filter((name) => setting.parameters[name] !== beside.parameters[name])
        .map((name) => `${name} ${setting.parameters[name]} to ${beside.parameters[name]}`)
        .join(),
    ),
  ]);
  assert.deepEqual(differing, [
    ["resumed", Array(4).fill("RESUMED 1 to 0")],
    ["rsa", Array(2).fill("RSA_BITS 2048 to 0")],
    ["tls12", Array(2).fill("TLS_VERSION 1.2 to 1.3")],
  ]);
  const [{ pairs }] = handshakes;
  const nginx = pairs[2].ratios.find(({ proxy }) => proxy === "nginx")?.ratio;
  // 260 of 380 µs.
  assert.ok(nginx?.interval && nginx.interval[0] < 260 / 380 && nginx.interval[1] > 260 / 380);
  // The control's CPU is its echo server's.
  assert.ok(pairs.every(({ ratios }) => ratios.every(({ proxy }) => proxy !== "none")));
  assert.deepEqual(analyse(results({ rounds: 1 }), { policy }).handshakes, []);
});

test("of eight kinds of handshakes the usual one is asked about, and what the others cost beside it", () => {
  const { verdicts } = analyse(tlsResults(), { policy });
  const usual = { TLS_VERSION: 1.3, RESUMED: 0, RSA_BITS: 0 };
  assert.deepEqual(
    verdicts.map((verdict) => [
      verdict.question,
      verdict.question === "handshake" ? verdict.kind : verdict.scope.parameters,
    ]),
    [
      ["best", usual],
      ["handshake", "resumed"],
      ["handshake", "rsa"],
      ["handshake", "tls12"],
    ],
  );
});

test("at a fixed rate nothing is compared that the rate says itself, or that an upper bound was taken for", () => {
  const { settings } = analyse(tlsResults({ rounds: 1 }), { policy });
  const compared = settings.flatMap(({ comparisons }) => comparisons.map(({ measure }) => measure));
  const untold = [
    "connections_per_second",
    "total_seconds",
    "proxy_memory_per_connection_bytes",
  ].filter((key) => compared.includes(key));
  assert.deepEqual(untold, []);
  assert.ok(["cpu_us_per_connection", "handshake_ms_p99"].every((key) => compared.includes(key)));
});

test("TLS is judged by what the cell asks for", () => {
  const { cells } = tlsResults({ rounds: 1 });
  const gates = (
    /** @type {Partial<NonNullable<typeof cells[0]["tls"]>>} */ change,
    wanted = {},
  ) => {
    const cell = cells.find(
      ({ parameters, proxy }) =>
        proxy === "nginx" &&
        Object.entries(wanted).every(([name, value]) => parameters[name] === value),
    );
    assert.ok(cell?.tls);
    const record = { ...cell, tls: { ...cell.tls, ...change } };
    return findingsOf(record, {
      workload: workloadFor(record),
      policy,
      keyType: "ecdsa",
      isControl: false,
    }).map(({ figures }) => figures);
  };
  for (const { parameters } of cells) assert.deepEqual(gates({}, parameters), []);
  const rsa = { RSA_BITS: 2048, TLS_VERSION: 1.2, RESUMED: 1 };
  assert.deepEqual(gates({ keyType: "ecdsa P-256" }, rsa), [
    { what: "key", found: "ecdsa P-256", expected: ["rsa 2048"], isOfLoad: true },
  ]);
  assert.deepEqual(gates({ resumed: false }, rsa), [
    { what: "session", found: "new", expected: ["resumed"], isOfLoad: true },
  ]);
  assert.deepEqual(gates({ version: "TLSv1.3" }, rsa), [
    { what: "version", found: "TLSv1.3", expected: ["TLSv1.2"], isOfLoad: true },
  ]);
  // A resumed session of TLS 1.2 has no group, one of TLS 1.3 has.
  assert.deepEqual(gates({ group: "none" }, rsa), []);
  assert.deepEqual(gates({ group: "none" }, { RESUMED: 1, TLS_VERSION: 1.3 }), [
    { what: "group", found: "none", expected: ["X25519"], isOfLoad: true },
  ]);
});
