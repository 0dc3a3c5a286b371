/**
 * A relay of TCP that resets one in ONE_IN connections on SIGHUP.
 */
import { connect, createServer } from "node:net";

const oneIn = Number(process.env.ONE_IN);
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
  for (const [i, client] of [...clients].entries())
    if (i % oneIn === oneIn - 1) client.resetAndDestroy();
});
process.on("SIGTERM", () => process.exit(0));
server.listen(8080);
