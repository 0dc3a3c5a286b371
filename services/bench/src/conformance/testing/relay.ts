import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface RelayOptions {
  /** on 127.0.0.1 */
  upstreamPort: number;
  /** false: Nagle's algorithm on writes to the server */
  noDelayToServer: boolean;
  /** false: Nagle's algorithm on writes to the client */
  noDelayToClient: boolean;
}

/**
 * Starts a TCP relay. It has a thread of its own, as a proxy has: in the thread of client and
 * server it would only ever see all that one of them wrote at once.
 */
export async function startRelay(
  options: RelayOptions,
): Promise<{ port: number; close(): Promise<number> }> {
  const worker = new Worker(new URL("./relay-worker.ts", import.meta.url), { workerData: options });
  const [port] = await once(worker, "message");
  return { port, close: () => worker.terminate() };
}
