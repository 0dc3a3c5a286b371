import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseTakenPorts } from "./host-network-ports.js";

/** @param {object[]} taken */
function engineWith(taken) {
  /** @type {string[][]} */
  const commands = [];
  const check = async (/** @type {string[]} */ command) => {
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
      /^on this machine's own network \(NETWORK=host\) something listens on port 8080 already/,
    next: /^Expected 8080, 18080 to be free/,
  });
  await assert.rejects(refuseTakenPorts([8080, 18080], { name: "one", engine }), {
    message: /^on the own network of the machine one \(NETWORK=host\)/,
  });
});
