/**
 * A tiny battle of HTTP requests and of TLS handshakes: what is recorded of them.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lastAttempts, testbed } from "../testbed.ts";
import type { CellRecord } from "../../src/model/cell.ts";

const BATTLE = `title: one of each
proxies: [nginx, nginx-files]
rounds: 1
seed: 1
workers: 2
tests:
  - scenario: http
    schemes: [ws, wss]
    parameters: { CONNECTIONS: 20, THREADS: 2, DURATION_SECONDS: 1 }
  - scenario: files
    schemes: [ws, wss]
    parameters: { REQUESTS: 201, THREADS: 2, FILE_BYTES: 2216 }
  - scenario: tls-handshake
    schemes: [wss]
    parameters: { CONNECTIONS: 60, TLS_VERSION: [1.2, 1.3], RESUMED: 1 }
  - scenario: tls-handshake
    schemes: [wss]
    parameters: { CONNECTIONS: 60, RSA_BITS: 2048 }
`;

test("a battle of requests and of TLS handshakes", async (t) => {
  const { bench, results, assertNothingLeft } = testbed(t, BATTLE);
  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  await assertNothingLeft();
  const cells = lastAttempts(results().cells);
  const of = (proxy: string, scenario: string) =>
    cells.filter((cell) => cell.proxy === proxy && cell.scenario === scenario);

  await t.test("wrk's requests, plain and over TLS", () => {
    for (const proxy of ["none", "nginx"]) {
      assert.equal(of(proxy, "http").length, 2);
      for (const cell of of(proxy, "http")) {
        assertRequests(cell);
        assert.ok(Number(cell.requests?.completed) > 200, `${cell.requests?.completed} requests`);
        const seconds = Number(cell.totalSeconds);
        assert.ok(seconds >= 1 && seconds < 2, `${seconds} s`);
        const { reference, containers } = cell;
        assert.ok(Number(reference?.requests) > 20, `${cell.id}: ${reference?.requests}`);
        assert.ok(containers.reference.cpu.totalSeconds > 0, cell.id);
      }
    }
  });

  await t.test("ApacheBench's, from a server of files too", () => {
    for (const proxy of ["none", "nginx", "nginx-files"]) {
      assert.equal(of(proxy, "files").length, 2);
      for (const cell of of(proxy, "files")) {
        assertRequests(cell);
        assert.equal(cell.requests?.completed, 201);
        // Its requests would be in the CPU time of the server that is compared.
        assert.deepEqual([cell.reference, cell.containers.reference], [null, undefined]);
      }
    }
  });

  await t.test("a server of files is skipped where something else is asked", () => {
    assert.deepEqual(
      of("nginx-files", "http").map(({ status, cause }) => [status, cause?.message]),
      ["ws", "wss"].map(() => [
        "skipped",
        "nginx-files has no server behind it and serves only files, but http needs another page",
      ]),
    );
  });

  await t.test("handshakes: version, key type and resumption are those that were asked for", () => {
    const handshakes = [...of("none", "tls-handshake"), ...of("nginx", "tls-handshake")];
    assert.equal(handshakes.length, 2 * 3);
    for (const { id, status, cause, parameters, connections, tls, ...cell } of handshakes) {
      assert.equal(status, "ok", `${id}: ${cause?.message}`);
      assert.deepEqual([connections?.opened, connections?.failed], [60, 0], id);
      assert.deepEqual(cell.sends, { ...cell.sends, due: 60, dropped: 0 });
      assert.deepEqual(cell.reference, { connections: 15, messages: 15, requests: 0 });
      assert.equal(cell.messagesEchoed, 60);
      assert.equal(cell.handshakeMs?.count, 60);
      assert.equal(tls?.version, `TLSv${parameters.TLS_VERSION}`, id);
      assert.equal(tls?.resumed, parameters.RESUMED === 1, id);
      assert.equal(tls?.keyType, parameters.RSA_BITS ? "rsa 2048" : "ecdsa P-256", id);
      const counted = cell.echoWorkers?.reduce((sum, worker) => sum + worker.connections, 0);
      // Those before the load come before the measured phase; an echo server of its own takes the
      // control's place.
      assert.equal(counted, cell.proxy === "none" ? 60 : 75, id);
    }
  });
});

function assertRequests(cell: CellRecord) {
  const { id, status, cause, requests, requestMs, connections, containers, tls } = cell;
  assert.equal(status, "ok", `${id}: ${cause?.message}`);
  assert.equal(requests?.non2xx, 0, id);
  const errors = Object.values(requests?.socketErrors ?? {});
  assert.ok(
    errors.every((count) => count === 0),
    JSON.stringify(requests),
  );
  assert.deepEqual([requests?.causes, requests?.statuses], [[], {}]);
  assert.ok(requestMs && requestMs.min <= requestMs.median && requestMs.median <= requestMs.p99);
  assert.deepEqual([connections, cell.echoWorkers, cell.connectionsHeld], [null, null, null]);
  assert.ok(containers[cell.proxy].cpu.totalSeconds > 0, id);
  assert.ok(containers["load-1"].cpu.totalSeconds > 0, id);
  assert.equal(tls?.version, cell.scheme === "wss" ? "TLSv1.3" : undefined);
}

const BROKEN = `title: one that breaks
proxies: [nginx]
rounds: 1
seed: 1
tests:
  - scenario: http
    schemes: [ws]
    parameters: { CONNECTIONS: 8, THREADS: 2, DURATION_SECONDS: 2 }
`;

test("requests that are not answered with 2xx are a result, with their statuses and what the log says", async (t) => {
  const { bench, directory, results } = testbed(t, BROKEN);
  breakNginx(directory);
  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  const cell = results().cells.find(({ proxy }) => proxy === "nginx");
  assert.equal(cell?.status, "ok", cell?.cause?.message);
  const { completed = 0, non2xx = 0, statuses, causes } = cell?.requests ?? {};
  assert.ok(non2xx > 0 && non2xx < completed, `${non2xx} of ${completed}`);
  assert.deepEqual(Object.keys(statuses ?? {}), ["503"]);
  assert.equal(causes?.[0].service, "nginx");
  assert.match(causes?.[0].line ?? "", /limiting requests, excess/);
});

/** nginx answers 503 where more come than its limit, and says so in its log. */
function breakNginx(directory: string) {
  const file = join(directory, "proxies/nginx/nginx.conf");
  const config = readFileSync(file, "utf8");
  const broken = config
    .replace("http {", "http {\n    limit_req_zone $uri zone=all:1m rate=100r/s;")
    .replace(
      "location / {",
      "location /hello {\n            limit_req zone=all;\n            proxy_pass http://echo;\n        }\n        location / {",
    );
  assert.notEqual(broken, config);
  writeFileSync(file, broken);
}
