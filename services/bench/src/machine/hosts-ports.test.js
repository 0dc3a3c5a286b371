import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { takenPorts } from "./hosts-ports.js";

test("a port that something listens on is taken, for its protocol alone", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const socket = createSocket("udp4").bind(0);
  await once(socket, "listening");
  t.after(() => socket.close());
  const tcp = /** @type {import("node:net").AddressInfo} */ (server.address()).port;
  const udp = socket.address().port;
  assert.deepEqual(
    await takenPorts([
      { protocol: "tcp", port: tcp },
      { protocol: "udp", port: tcp },
      { protocol: "udp", port: udp },
    ]),
    [
      { protocol: "tcp", port: tcp },
      { protocol: "udp", port: udp },
    ],
  );
});
