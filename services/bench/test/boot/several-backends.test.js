/**
 * Two servers behind each proxy that says it balances: new connections go to both in turn, and with one server it is as ever.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { WebSocket } from "ws";
import { until } from "../../src/platform/wait.js";
import { readAvailableProxies } from "../lab.js";
import { startProxy, waitForProxy } from "../requests.js";

const CONNECTIONS = 40;
/** Each worker of a proxy counts by itself, and the kernel spreads connections over them as it likes. */
const FAIR = 16;
const SERVERS = [1, 2];
/** Until a proxy that follows the name has looked it up. */
const LOOKED_UP_MS = 10_000;

const { proxies, unavailable } = await readAvailableProxies();

for (const { name, balances } of proxies) {
  if (!balances) continue;
  test(`${name} uses two servers in turn`, { skip: unavailable.get(name) }, async (t) => {
    const { project } = await startProxy(t, name, ["ws"], {});
    await project.check([
      "up",
      "--detach",
      "--no-deps",
      "--scale",
      `echo=${SERVERS.length}`,
      "echo",
    ]);
    await project.check(["restart", "--timeout", "0", name]);
    await waitForProxy(["ws"]);

    const served = () => Promise.all(SERVERS.map((i) => totalOf(`${project.name}-echo-${i}`)));
    const both = await until(
      Date.now() + LOOKED_UP_MS,
      async () => {
        await connect(2);
        return served();
      },
      (totals) => totals.every((total) => total > 0),
    );
    await connect(CONNECTIONS);
    const shares = (await served()).map((total, i) => total - both[i]);
    assert.equal(shares[0] + shares[1], CONNECTIONS);
    assert.ok(Math.min(...shares) >= FAIR, `${shares.join(" and ")} connections`);
  });
}

/**
 * @param {string} server
 * @returns {Promise<number>} WebSockets that it has served
 */
async function totalOf(server) {
  const response = await fetch(`http://${server}:8080/stats`, { headers: { connection: "close" } });
  return /** @type {any} */ (await response.json()).connectionsTotal;
}

/** @param {number} count of WebSockets, one after the other */
async function connect(count) {
  for (let i = 0; i < count; i++) {
    const socket = new WebSocket("ws://proxy:8080/");
    await new Promise((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => socket.close());
      socket.on("close", resolve);
    });
  }
}
