import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { refuseTakenPorts, takenPorts } from "./host-network-ports.ts";
import type { AddressInfo } from "node:net";

function engineWith(taken: object[]) {
  const commands: string[][] = [];
  const check = async (command: string[]) => {
    commands.push(command);
    return `${JSON.stringify(taken)}\n`;
  };
  return { commands, check };
}

test("free ports of the machine's own network, asked there", async () => {
  const engine = engineWith([]);
  await refuseTakenPorts([8080, 18080], { name: "", engine });
  assert.match(engine.commands[0].join(" "), /--network host .* taken-ports 8080 18080$/);
});

test("ports that something has are refused, with all that are needed", async () => {
  const engine = engineWith([{ protocol: "tcp", port: 8080 }]);
  await assert.rejects(refuseTakenPorts([8080, 18080], { name: "", engine }), {
    message:
      /^on this machine's own network \(NETWORK=host\) something already listens on port 8080/,
    next: /^Expected 8080, 18080 to be free/,
  });
  await assert.rejects(refuseTakenPorts([8080, 18080], { name: "one", engine }), {
    message: /^on the own network of the machine one \(NETWORK=host\)/,
  });
});

test("a port that something listens on is taken, for its protocol alone", async (t) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const socket = createSocket("udp4").bind(0);
  await once(socket, "listening");
  t.after(() => socket.close());
  const tcp = (server.address() as AddressInfo).port;
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
