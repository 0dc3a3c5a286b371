/**
 * A relay that passes on what it gets, each way DELAY_MS later. It knows nothing of what it carries.
 */
import { lookup } from "node:dns/promises";
import { connect, createServer } from "node:net";

const DELAY_MS = Number(process.env.DELAY_MS);

/** @type {string | undefined} address of the server; asked for once, as a name server's answer takes its own time */
let address;

const relay = createServer({ noDelay: true }, async (client) => {
  client.on("error", () => client.destroy());
  try {
    address ??= (await lookup("echo")).address;
  } catch {
    client.destroy();
    return;
  }
  const server = connect({ host: address, port: 8080, noDelay: true });
  pass(client, server);
  pass(server, client);
});
relay.listen({ port: 8080, backlog: 65535 });

/**
 * @param {import("node:net").Socket} from
 * @param {import("node:net").Socket} to
 */
function pass(from, to) {
  const later = delayed();
  from.on("data", (chunk) => later(() => to.write(chunk)));
  from.on("end", () => later(() => to.end()));
  from.on("error", () => to.destroy());
  from.on("close", () => later(() => to.destroySoon()));
}

/** @returns {(action: () => void) => void} does each DELAY_MS later, in their order and never earlier */
function delayed() {
  /** @type {{dueMs: number, action: () => void}[]} */
  const waiting = [];
  const next = () => {
    const leftMs = waiting[0].dueMs - performance.now();
    // A timer may come up to 1 ms early, as it counts in whole ones.
    if (leftMs >= 1) setTimeout(next, leftMs);
    else if (leftMs > 0) setImmediate(next);
    else {
      waiting.shift()?.action();
      if (waiting.length > 0) next();
    }
  };
  return (action) => {
    waiting.push({ dueMs: performance.now() + DELAY_MS, action });
    if (waiting.length === 1) next();
  };
}
