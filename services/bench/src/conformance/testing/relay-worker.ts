import net from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import type { RelayOptions } from "./relay.ts";

const { upstreamPort, noDelayToServer, noDelayToClient }: RelayOptions = workerData;

/**
 * Reads of the server's data are short, as they are in a proxy that keeps up with it: on a busy
 * machine this thread would otherwise find all of a burst at once, and pass it on in one write.
 */
const READ_BYTES = 64;

const server = net.createServer({ noDelay: noDelayToClient }, (client) => {
  const upstream = net.connect({
    host: "127.0.0.1",
    port: upstreamPort,
    noDelay: noDelayToServer,
    onread: {
      buffer: Buffer.alloc(READ_BYTES),
      callback(length, buffer) {
        client.write(Buffer.from(buffer.subarray(0, length)));
        return true;
      },
    },
  });
  client.pipe(upstream);
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ]) {
    from.on("error", () => to.destroy());
    from.on("end", () => to.end());
    from.on("close", () => to.destroy());
  }
});
server.listen(0, "127.0.0.1", () => {
  parentPort?.postMessage((server.address() as net.AddressInfo).port);
});
