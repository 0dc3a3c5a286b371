import assert from "node:assert/strict";
import { test } from "node:test";
import { causesIn } from "./causes.ts";

const NGINX = (i: number) =>
  `2026/11/21 03:00:0${i % 10} [error] 29#29: *${i} connect() failed (111: Connection refused) while connecting to upstream, client: 172.18.0.${i}, upstream: "http://172.18.0.3:8080/hello"`;

test("lines that differ in numbers and addresses are one, the most frequent first", () => {
  const text = [NGINX(1), NGINX(22), "worker process 7 exited on signal 9", "", NGINX(9)].join(
    "\n",
  );
  assert.deepEqual(causesIn([{ service: "nginx", text }]), [
    {
      service: "nginx",
      line: 'N [error] N#N: *N connect() failed (N: Connection refused) while connecting to upstream, client: N, upstream: "http://N/hello"',
      count: 3,
    },
    { service: "nginx", line: "worker process N exited on signal N", count: 1 },
  ]);
});

test("the same line of two services is two; five are kept; words with digits stay", () => {
  const line = "client 0x7f3a from fe80::1:2 at 2026-11-21T03:00:00.123Z: HTTP2 reset";
  const logs = ["echo", "nginx"].map((service) => ({ service, text: line }));
  assert.deepEqual(
    causesIn(logs).map((cause) => [cause.service, cause.line]),
    [
      ["echo", "client N from N at N: HTTP2 reset"],
      ["nginx", "client N from N at N: HTTP2 reset"],
    ],
  );
  const words = ["a", "b", "c", "d", "e", "f", "g"].join("\n");
  assert.equal(causesIn([{ service: "echo", text: words }]).length, 5);
  assert.deepEqual(causesIn([{ service: "echo", text: "" }]), []);
});
