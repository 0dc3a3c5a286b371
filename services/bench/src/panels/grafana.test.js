/**
 * Against a server that behaves as Grafana's source says: pkg/api/frontendsettings.go, pkg/api/render.go,
 * pkg/api/dashboard_snapshot.go.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { UserError } from "../errors.js";
import { Grafana } from "./grafana.js";

/** @import { TestContext } from "node:test" */

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const PANEL = {
  uid: "battle",
  panel: 101,
  fromMs: 0,
  toMs: 30_000,
  variables: { run: ["a&b"], proxy: ["x", "y"] },
};

/**
 * @param {TestContext} t
 * @param {{status?: number, rendererAvailable?: boolean}} [options]
 */
async function grafana(t, { status = 200, rendererAvailable = true } = {}) {
  /** @type {{url: URL, headers: import("node:http").IncomingHttpHeaders, body: string}[]} */
  const asked = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "", "http://grafana");
    const body = (await request.toArray()).join("");
    asked.push({ url, headers: request.headers, body });
    const json = (/** @type {number} */ code, /** @type {unknown} */ value) =>
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
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(() => server.close());
  const address = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { host: `127.0.0.1:${address.port}`, asked };
}

test("its own picture of a panel: dashboard, panel, range, variables, theme", async (t) => {
  const { host, asked } = await grafana(t);
  const one = new Grafana(`http://${host}/`);
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
  assert.deepEqual(searchParams.getAll("var-proxy"), ["x", "y"]);
  assert.ok(Number(searchParams.get("width")) > 0 && Number(searchParams.get("height")) > 0);
});

test("a snapshot is posted with the login of the address or the token, and its addresses come back", async (t) => {
  const { host, asked } = await grafana(t);
  const snapshot = { name: "n", expires: 0, dashboard: { title: "d" } };
  const kept = await new Grafana(`http://me:p%40ss@${host}`).keep(snapshot);
  assert.deepEqual(kept, {
    url: "http://g/dashboard/snapshot/k",
    deleteUrl: "http://g/api/snapshots-delete/d",
  });
  assert.deepEqual(JSON.parse(asked[0].body), snapshot);
  assert.equal(
    asked[0].headers.authorization,
    `Basic ${Buffer.from("me:p@ss").toString("base64")}`,
  );
  await new Grafana(`http://${host}`, { token: "t" }).keep(snapshot);
  assert.equal(asked[1].headers.authorization, "Bearer t");
});

test("no renderer, no permission, no picture, no answer: each is said", async (t) => {
  const without = await grafana(t, { rendererAvailable: false });
  assert.equal(await new Grafana(`http://${without.host}`).canRender(), false);
  const denied = await grafana(t, { status: 403 });
  const one = new Grafana(`http://me:secret@${denied.host}`);
  await assert.rejects(one.keep({}), (error) => {
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
  await assert.rejects(new Grafana("http://127.0.0.1:1").keep({}), UserError);
  assert.throws(() => new Grafana("grafana:3000"), { exitCode: 2 });
});
