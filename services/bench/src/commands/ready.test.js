import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { waitForProxy } from "./ready.js";

const ONE = ["my-project-nginx-1.my-project_default"];

/**
 * @param {import("node:test").TestContext} t
 * @param {string[][]} answers what the name server knows, a look after the other; the last stays
 * @param {{databases?: string[], answer?: string, scheme?: "ws" | "wss"}} [world]
 */
function readyWith(
  t,
  answers,
  { databases = ["_internal", "cadvisor", "k6"], answer = "200", scheme = "ws" } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), "ready-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, schemes, serves] of [
    ["nginx", ["ws", "wss"], "websockets"],
    ["tls", ["wss"], "websockets"],
    ["web", ["ws", "wss"], "files"],
  ]) {
    mkdirSync(join(directory, `${name}`));
    writeFileSync(
      join(directory, `${name}/proxy.json`),
      JSON.stringify({
        title: "X",
        vendor: "v",
        colour: "#000000",
        terminatesTls: true,
        speaksHttp: true,
        addsForwardedHeaders: true,
        schemes,
        serves,
        configChecks: [],
        versions: [],
        reload: null,
      }),
    );
  }
  const file = join(directory, "run.json");
  const labels = waitForProxy({
    project: "my-project",
    proxiesDirectory: directory,
    scheme,
    waitSeconds: 1,
    run: "",
    file,
    databases: async () => databases,
    answer: async (url) => `${answer} from ${url}`.replace(/^200 .*/, "200"),
    resolve: async () => (answers.length > 1 ? (answers.shift() ?? []) : answers[0]),
  });
  return { labels, file };
}

test("the one proxy's name and the time of the start are noted for the load generator", async (t) => {
  const { labels, file } = readyWith(t, [[], ["my-project-haproxy-hitch-1.my-project_default"]]);
  const { proxy, run } = await labels;
  assert.equal(proxy, "haproxy-hitch");
  assert.match(run, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { proxy, run });
});

test("no proxy in time is refused, with the profiles there are", async (t) => {
  await assert.rejects(readyWith(t, [[]]).labels, {
    message: /no proxy is up after 1 s/,
    next: /Profiles: nginx, tls\./,
  });
});

test("two proxies at once are refused", async (t) => {
  const both = ["my-project-nginx-1.my-project_default", "my-project-haproxy-1.my-project_default"];
  await assert.rejects(readyWith(t, [both]).labels, {
    message: /2 proxies are up at once: haproxy, nginx/,
  });
});

test("a database that is missing is refused, with those there are", async (t) => {
  await assert.rejects(readyWith(t, [ONE], { databases: ["k6"] }).labels, {
    message: /no databases cadvisor and k6 after 1 s .* it has: k6/,
  });
});

test("a proxy that does not forward is refused, with its last answer", async (t) => {
  await assert.rejects(readyWith(t, [ONE], { answer: "502" }).labels, {
    message: /nginx did not answer .* within 1 s .* last: 502 from http:\/\/proxy:8080\/healthz/,
  });
  await assert.rejects(readyWith(t, [ONE], { answer: "502", scheme: "wss" }).labels, {
    message: /last: 502 from https:\/\/proxy:8443\/healthz/,
  });
});

test("a proxy that does not serve the scheme is refused, with the one it serves", async (t) => {
  const tls = ["my-project-tls-1.my-project_default"];
  await assert.rejects(readyWith(t, [tls]).labels, {
    message: /tls does not serve ws$/,
    next: /Expected SCHEME to be wss: SCHEME=wss docker compose --profile tls up/,
  });
  assert.equal((await readyWith(t, [tls], { scheme: "wss" }).labels).proxy, "tls");
});

test("a file server is refused, with the proxies that carry WebSockets", async (t) => {
  await assert.rejects(readyWith(t, [["my-project-web-1.my-project_default"]]).labels, {
    message: /^web carries no WebSockets/,
    next: /Expected one of: nginx, tls\. .*scenario files/,
  });
});
