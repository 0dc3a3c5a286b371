/**
 * A relay of TCP that answers GET /.generation itself: with what /generation/number was when it started, or STALE_MS after a SIGHUP.
 */
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";

const read = () => readFileSync("/generation/number", "utf8").trim();
let generation = read();
process.on("SIGHUP", () => {
  const next = read();
  setTimeout(() => (generation = next), Number(process.env.STALE_MS));
});
process.on("SIGTERM", () => process.exit(0));

createServer((client) => {
  client.on("error", () => client.destroy());
  client.once("data", (first) => {
    if (first.toString("latin1").startsWith("GET /.generation ")) {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${generation.length}\r\nConnection: close`;
      client.end(`${head}\r\n\r\n${generation}`);
      return;
    }
    const upstream = connect(8080, "echo");
    upstream.write(first);
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ])
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
}).listen(8080);
