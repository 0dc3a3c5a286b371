import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { waitForProxy } from "./ready.ts";
import type { TestContext } from "node:test";

const ONE = ["my-project-nginx-1.my-project_default"];

/** Of the fields of a scenario's file, those that `ready` heeds. */
const SCENARIO = {
  description: "x",
  protocol: "websocket",
  loop: "closed",
  parameters: {
    CONNECTIONS: { description: "x", means: "connections", default: 100, min: 1, max: 1000 },
    MESSAGES: { description: "x", default: 1, min: 1, max: 10 },
  },
};

/** @param answers what the name server knows, a look after the other; the last stays */
function readyWith(
  t: TestContext,
  answers: string[][],
  {
    databases = ["_internal", "cadvisor", "k6"],
    answer = "200",
    scheme = "ws",
    run = "",
    scenario = "short-lived",
    environment = {},
  }: {
    databases?: string[];
    answer?: string;
    scheme?: "ws" | "wss";
    run?: string;
    scenario?: string;
    environment?: Record<string, string>;
  } = {},
) {
  const directory = mkdtempSync(join(tmpdir(), "ready-"));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, schemes, serves] of [
    ["nginx", ["ws", "wss"], "websockets"],
    ["tls", ["wss"], "websockets"],
    ["web", ["ws", "wss"], "files"],
  ]) {
    mkdirSync(join(directory, `proxies/${name}`), { recursive: true });
    writeFileSync(
      join(directory, `proxies/${name}/proxy.json`),
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
      }),
    );
  }
  mkdirSync(join(directory, "loadgen"));
  for (const script of ["short-lived.js", "files.mjs"]) {
    writeFileSync(join(directory, "loadgen", script), "");
    const table = join(directory, "loadgen", script.replace(/\.m?js$/, ".json"));
    writeFileSync(table, JSON.stringify(SCENARIO));
  }
  const file = join(directory, "run.json");
  const noted: unknown[] = [];
  const labels = waitForProxy({
    project: "my-project",
    directory,
    scenario,
    scheme,
    environment,
    waitSeconds: 1,
    run,
    file,
    databases: async () => databases,
    answer: async (url) => `${answer} from ${url}`.replace(/^200 .*/, "200"),
    resolve: async () => (answers.length > 1 ? (answers.shift() ?? []) : answers[0]),
    note: async (...about) => void noted.push(about),
  });
  return { labels, file, noted };
}

test("the one proxy's name and the time of the start are noted for the load generator", async (t) => {
  const { labels, file } = readyWith(t, [[], ["my-project-haproxy-hitch-1.my-project_default"]]);
  const { proxy, run } = await labels;
  assert.equal(proxy, "haproxy-hitch");
  // A folder and a tag: no colon.
  assert.match(run, /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/);
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
  // Also where the second comes up a moment after the first.
  for (const answers of [[both], [ONE, both]])
    await assert.rejects(readyWith(t, answers).labels, {
      message: /2 proxies are up at once: haproxy, nginx/,
      next: /docker compose --profile nginx down nginx\.\n.*exactly one profile/,
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
    next: /Expected one of: nginx, tls\. .*battles of HTTP requests/,
  });
});

test("what the load is, is noted with the parameters that its script will read", async (t) => {
  const { labels, noted } = readyWith(t, [ONE], {
    run: "mine",
    scheme: "wss",
    // Empty is as good as unset; a wrong one the script refuses itself.
    environment: { CONNECTIONS: "7", MESSAGES: "", OTHER: "1" },
  });
  await labels;
  const load = { proxy: "nginx", scenario: "short-lived", scheme: "wss" };
  assert.deepEqual(noted, [["mine", { ...load, parameters: { CONNECTIONS: 7, MESSAGES: 1 } }]]);
  const wrong = readyWith(t, [ONE], { environment: { CONNECTIONS: "many" } });
  const { run } = await wrong.labels;
  assert.deepEqual(wrong.noted, [[run, { ...load, scheme: "ws", parameters: { MESSAGES: 1 } }]]);
});

test("a name that no folder can have is refused before any wait", async (t) => {
  const { labels, noted } = readyWith(t, [[]], { run: "10:30" });
  await assert.rejects(labels, { message: /^RUN=10:30 cannot be/, next: /such as 10-30;/ });
  assert.deepEqual(noted, []);
});

test("a scenario that is not there, or not for this load, is refused with those that are", async (t) => {
  await assert.rejects(readyWith(t, [ONE], { scenario: "short" }).labels, {
    message: "unknown scenario: SCENARIO=short",
    next: "Expected one of: short-lived.",
  });
  await assert.rejects(readyWith(t, [ONE], { scenario: "files" }).labels, {
    message: /^SCENARIO=files is run in battles alone/,
  });
});
