/**
 * A relay of TCP that resets every tenth connection on SIGHUP.
 */
import { connect, createServer } from "node:net";

const clients = new Set();
const server = createServer((client) => {
  const upstream = connect(8080, "echo");
  clients.add(client);
  client.on("close", () => clients.delete(client));
  client.pipe(upstream).pipe(client);
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ])
    one.on("error", () => other.destroy()).on("close", () => other.destroy());
});
process.on("SIGHUP", () => {
  for (const [i, client] of [...clients].entries()) if (i % 10 === 9) client.resetAndDestroy();
});
process.on("SIGTERM", () => process.exit(0));
server.listen(8080);
