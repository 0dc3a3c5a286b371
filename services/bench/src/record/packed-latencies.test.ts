import assert from "node:assert/strict";
import { test } from "node:test";
import { packedLatencies } from "./packed-latencies.ts";

test("latencies are sorted within each second of each metric, each in three digits and as what it is more than the one before", () => {
  const csv = [
    "metric,ms,value",
    "handshake,0,39.908",
    "echo,12,1.002",
    "handshake,999,39.907",
    "handshake,1000,2.5",
    "echo,13,1.002",
    "handshake,1700,0.001",
    "handshake,5,1004.1",
  ];
  assert.equal(
    packedLatencies(`${csv.join("\n")}\n`),
    [
      "metric,second,us",
      "handshake,0,39900 0 960100",
      "echo,0,1000 0",
      "handshake,1,1 2499",
      "",
    ].join("\n"),
  );
});

test("a cell in which nothing was measured has the columns alone", () => {
  assert.equal(packedLatencies("metric,ms,value\n"), "metric,second,us\n");
});

test("other columns are refused", () => {
  assert.throws(
    () => packedLatencies("metric,second,us\nhandshake,0,39907\n"),
    /has the columns metric,second,us, not metric,ms,value/,
  );
});
