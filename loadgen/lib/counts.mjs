/**
 * What the clients of this process have counted so far, told over HTTP as k6's REST API does: so the runner of battles, which asks once a
 * second for its live view, need not know who runs a scenario.
 */
import { once } from "node:events";
import { createServer } from "node:http";

/** By k6's names, as connection.js has them: to the reference proxy nothing is opened and nothing fails. */
export const counts = {
  connections_opened: 0,
  connections_failed: 0,
  connections_open: 0,
  ws_msgs_received: 0,
};

/**
 * @param {number} wanted port, on all addresses; 0: a free one
 * @returns {Promise<{port: number, end: () => void}>}
 */
export async function serveCounts(wanted) {
  const server = createServer((request, response) => {
    const count = Object.entries(counts).find(
      ([name]) => request.url === `/v1/metrics/${name}`,
    )?.[1];
    response.setHeader("Connection", "close");
    if (count === undefined) return response.writeHead(404).end('{"errors":[]}');
    response.end(JSON.stringify({ data: { attributes: { sample: { count } } } }));
  });
  await once(server.listen(wanted), "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const end = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port, end };
}
