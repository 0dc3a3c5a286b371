/**
 * Against a server that behaves as Grafana's source says: pkg/api/frontendsettings.go,
 * pkg/api/render.go, pkg/api/dashboard_snapshot.go.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { UserError } from "../errors.ts";
import { grafanaAt } from "./grafana.ts";

const SNAPSHOT = { name: "n", expires: 0, dashboard: { title: "d" } };
const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const PANEL = {
  uid: "battle",
  panel: 101,
  fromMs: 0,
  toMs: 30_000,
  variables: { run: { values: ["a&b"] }, proxy: { values: [], all: ".*" } },
};

async function grafana(t: TestContext, { status = 200, rendererAvailable = true } = {}) {
  const asked: { url: URL; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://grafana");
    const body = (await request.toArray()).join("");
    asked.push({ url, headers: request.headers, body });
    const json = (code: number, value: unknown) =>
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (status !== 200) return json(status, { message: "Permission denied" });
    if (url.pathname === "/api/frontend/settings") return json(200, { rendererAvailable });
    if (url.pathname === "/api/snapshots")
      return json(200, {
        key: "k",
        url: "http://g/dashboard/snapshot/k",
        deleteUrl: "http://g/api/snapshots-delete/d",
      });
    if (url.pathname.startsWith("/render/d-solo/"))
      return response.writeHead(200, { "content-type": "image/png" }).end(PNG);
    json(404, { message: "Not found" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  t.after(() => server.close());
  const address = server.address() as AddressInfo;
  return { host: `127.0.0.1:${address.port}`, asked };
}

test("its own picture of a panel: dashboard, panel, range, variables, theme", async (t) => {
  const { host, asked } = await grafana(t);
  const one = grafanaAt(`http://${host}/`);
  assert.equal(await one.canRender(), true);
  assert.deepEqual(Buffer.from(await one.picture({ ...PANEL, theme: "dark" })), PNG);
  const { pathname, searchParams } = asked[1].url;
  assert.match(pathname, /^\/render\/d-solo\/battle\//);
  for (const [key, value] of Object.entries({
    panelId: "101",
    from: "0",
    to: "30000",
    theme: "dark",
    "var-run": "a&b",
  }))
    assert.equal(searchParams.get(key), value);
  assert.deepEqual(searchParams.getAll("var-proxy"), ["$__all"]);
  assert.ok(Number(searchParams.get("width")) > 0 && Number(searchParams.get("height")) > 0);
});

test("a snapshot is posted with the login of the address or the token, and its addresses come back", async (t) => {
  const { host, asked } = await grafana(t);
  const kept = await grafanaAt(`http://me:p%40ss@${host}`).keep(SNAPSHOT);
  assert.deepEqual(
    [kept.url, kept.deleteUrl],
    ["http://g/dashboard/snapshot/k", "http://g/api/snapshots-delete/d"],
  );
  assert.deepEqual(JSON.parse(asked[0].body), SNAPSHOT);
  assert.equal(
    asked[0].headers.authorization,
    `Basic ${Buffer.from("me:p@ss").toString("base64")}`,
  );
  await grafanaAt(`http://${host}`, "t").keep(SNAPSHOT);
  assert.equal(asked[1].headers.authorization, "Bearer t");
});

test("no renderer, no permission, no picture, no answer: each has its own message", async (t) => {
  const without = await grafana(t, { rendererAvailable: false });
  assert.equal(await grafanaAt(`http://${without.host}`).canRender(), false);
  const denied = await grafana(t, { status: 403 });
  const one = grafanaAt(`http://me:secret@${denied.host}`);
  await assert.rejects(one.keep(SNAPSHOT), (error) => {
    assert.ok(error instanceof UserError);
    assert.match(error.message, /status 403, Permission denied/);
    assert.match(error.next, /GRAFANA_TOKEN/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  await assert.rejects(
    one.picture({ ...PANEL, theme: "light" }),
    /no picture: status 403.*d-solo\/battle/,
  );
  await assert.rejects(grafanaAt("http://127.0.0.1:1").keep(SNAPSHOT), UserError);
  assert.throws(() => grafanaAt("grafana:3000"), { exitCode: 2 });
});
