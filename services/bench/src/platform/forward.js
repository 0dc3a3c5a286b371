/**
 * A port that leads elsewhere.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { pipeline } from "node:stream";

/**
 * Passes connections on, byte for byte. The other side is looked up for each of them: it may come later, and change.
 *
 * @param {number | string} port here; 0: a free one; a text: the path of a Unix socket
 * @param {{host: string, port: number} | {path: string}} target
 * @param {string} [address] at which it listens; left out: all
 * @returns {Promise<import("node:net").Server>} that listens
 */
export async function forward(port, target, address) {
  // Either side may end what it sends before the other does; and no small packet waits for a larger one.
  const options = { allowHalfOpen: true, noDelay: true };
  const server = createServer(options, (client) => {
    const proxy = connect({ ...target, ...options });
    // Where one side breaks off, or cannot be reached, both are closed: all that the other can be told.
    pipeline(client, proxy, client, () => {});
  });
  if (typeof port === "string") server.listen(port);
  else server.listen(port, address);
  await once(server, "listening");
  return server;
}
