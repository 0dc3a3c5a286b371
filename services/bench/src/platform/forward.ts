/**
 * A port that leads elsewhere.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { pipeline } from "node:stream";
import type { Server } from "node:net";

/**
 * Passes connections on, byte for byte. The other side is looked up for each of them: it may come
 * later, and change.
 *
 * @param port here; 0: a free one; a text: the path of a Unix socket
 * @param address at which it listens; left out: all
 * @returns that listens
 */
export async function forward(
  port: number | string,
  target: { host: string; port: number } | { path: string },
  address?: string,
): Promise<Server> {
  // Either side may end what it sends before the other does; and no small packet waits for a larger
  // one.
  const options = { allowHalfOpen: true, noDelay: true };
  const server = createServer(options, (client) => {
    const proxy = connect({ ...target, ...options });
    // Where one side breaks off, or cannot be reached, both are closed, the only signal to the
    // other.
    pipeline(client, proxy, client, () => {});
  });
  if (typeof port === "string") server.listen(port);
  else server.listen(port, address);
  await once(server, "listening");
  return server;
}
