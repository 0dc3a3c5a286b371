/**
 * A relay of TCP in a process of its own, of which SIGHUP makes another. The old one takes no more connections. One in ONE_IN never
 * ends, the others end with their last connection.
 */
import { fork } from "node:child_process";
import { connect, createServer } from "node:net";

if (process.argv[2] === "worker") {
  const server = createServer((client) => {
    const upstream = connect(8080, "echo");
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ])
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  server.listen({ port: 8080, reusePort: true }, () => process.send?.("listens"));
  process.on("message", (leaks) => server.close(() => leaks || process.exit(0)));
  process.on("disconnect", () => process.exit(0));
} else {
  let worker = fork(import.meta.filename, ["worker"]);
  let reloads = 0;
  process.on("SIGHUP", () => {
    const old = worker;
    worker = fork(import.meta.filename, ["worker"]);
    reloads += 1;
    const leaks = reloads % Number(process.env.ONE_IN) === 0;
    worker.once("message", () => old.send(leaks));
  });
  process.on("SIGTERM", () => process.exit(0));
}
