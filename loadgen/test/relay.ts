/**
 * A TCP relay, with all that may happen to connections through a proxy.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Socket, AddressInfo } from "node:net";
import type { TestContext } from "node:test";

export class Relay {
  /** Port of the server behind it; connections that come later go where it says then. */
  target: number;
  /** Whether what one side does not take holds the other side back. */
  isBounded = true;
  /** Both sides of each connection that is open, in the order in which they came. */
  pairs: Set<{ client: Socket; server: Socket }> = new Set();
  #server = createServer((client) => this.#carry(client));

  constructor(target: number) {
    this.target = target;
  }

  /** @returns its own */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** @param port left out: a free one */
  async listen(port = 0) {
    await once(this.#server.listen(port, "127.0.0.1"), "listening");
  }

  /** New connections are refused from here on. */
  refuse() {
    this.#server.close();
  }

  /**
   * @param action on both sides of a connection
   * @param count left out: of all that are open
   */
  each(action: (client: Socket, server: Socket) => void, count: number = Infinity) {
    for (const { client, server } of [...this.pairs].slice(0, count)) action(client, server);
  }

  close() {
    this.#server.close();
    this.each(cut);
  }

  #carry(client: Socket) {
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
 * @param target port of the server behind it
 * @returns that listens until the end of the test
 */
export async function startRelay(t: TestContext, target: number): Promise<Relay> {
  const relay = new Relay(target);
  await relay.listen();
  t.after(() => relay.close());
  return relay;
}

export function cut(client: Socket, server: Socket) {
  client.resetAndDestroy();
  server.destroy();
}

export function finish(client: Socket, server: Socket) {
  server.unpipe(client);
  client.end();
}

export function stall(client: Socket, server: Socket) {
  for (const one of [client, server]) one.unpipe().pause();
}
