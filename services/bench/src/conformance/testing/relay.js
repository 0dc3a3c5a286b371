import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * @typedef {object} RelayOptions
 * @property {number} upstreamPort on 127.0.0.1
 * @property {boolean} noDelayToServer false: Nagle's algorithm on writes to the server
 * @property {boolean} noDelayToClient false: Nagle's algorithm on writes to the client
 */

/**
 * Starts a TCP relay. It has a thread of its own, as a proxy has: in the thread of client and server it would only
 * ever see all that one of them wrote at once.
 *
 * @param {RelayOptions} options
 * @returns {Promise<{port: number, close(): Promise<number>}>}
 */
export async function startRelay(options) {
  const worker = new Worker(new URL("./relay-worker.js", import.meta.url), { workerData: options });
  const [port] = await once(worker, "message");
  return { port, close: () => worker.terminate() };
}
