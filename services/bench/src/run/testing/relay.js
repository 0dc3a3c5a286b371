/**
 * A TCP relay, with all that may happen to connections through a proxy.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";

/** @import { Socket, AddressInfo } from "node:net" */
/** @import { TestContext } from "node:test" */

export class Relay {
  /** Port of the server behind it; connections that come later go where it says then. */
  target;
  /** Whether what one side does not take holds the other side back. */
  isBounded = true;
  /** Both sides of each connection that is open, in the order in which they came. @type {Set<{client: Socket, server: Socket}>} */
  pairs = new Set();
  #server = createServer((client) => this.#carry(client));

  /** @param {number} target */
  constructor(target) {
    this.target = target;
  }

  /** @returns {number} its own */
  get port() {
    return /** @type {AddressInfo} */ (this.#server.address()).port;
  }

  /** @param {number} [port] left out: a free one */
  async listen(port = 0) {
    await once(this.#server.listen(port, "127.0.0.1"), "listening");
  }

  /** New connections are refused from here on. */
  refuse() {
    this.#server.close();
  }

  /**
   * @param {(client: Socket, server: Socket) => void} action on both sides of a connection
   * @param {number} [count] left out: of all that are open
   */
  each(action, count = Infinity) {
    for (const { client, server } of [...this.pairs].slice(0, count)) action(client, server);
  }

  close() {
    this.#server.close();
    this.each(cut);
  }

  /** @param {Socket} client */
  #carry(client) {
    const server = connect(this.target, "127.0.0.1");
    const pair = { client, server };
    this.pairs.add(pair);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ]) {
      one.setNoDelay(true);
      if (this.isBounded) one.pipe(other);
      else one.on("data", (data) => other.write(data)).on("end", () => other.end());
      one.on("error", () => {});
      one.on("close", () => {
        this.pairs.delete(pair);
        other.destroy();
      });
    }
  }
}

/**
 * @param {TestContext} t
 * @param {number} target port of the server behind it
 * @returns {Promise<Relay>} that listens until the end of the test
 */
export async function startRelay(t, target) {
  const relay = new Relay(target);
  await relay.listen();
  t.after(() => relay.close());
  return relay;
}

/** @param {Socket} client @param {Socket} server */
export function cut(client, server) {
  client.resetAndDestroy();
  server.destroy();
}

/** @param {Socket} client @param {Socket} server */
export function finish(client, server) {
  server.unpipe(client);
  client.end();
}

/** @param {Socket} client @param {Socket} server */
export function stall(client, server) {
  for (const one of [client, server]) one.unpipe().pause();
}
