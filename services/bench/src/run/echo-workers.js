/**
 * What each worker of the echo server counts.
 */
import { CellFailure } from "./cell-failure.js";

/** @import { CellRecord } from "../model/cell.ts" */

/**
 * @typedef {{id: number, connectionsOpen: number, connectionsTotal: number, messages: number, upgradesRefused: number}} EchoWorker
 */

const LIMIT_MS = 5000;

/** Of ids of workers: those of several servers are told apart. */
const IDS_A_SERVER = 1000;

/**
 * @param {string} address of the echo server, such as http://echo:8080
 * @returns {Promise<EchoWorker[]>}
 * @throws {CellFailure} when it does not tell them in time
 */
export async function readEchoWorkers(address) {
  try {
    const response = await fetch(new URL("/stats", address), {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    return /** @type {any} */ (await response.json()).workers;
  } catch (error) {
    const { message, cause } = /** @type {Error} */ (error);
    throw new CellFailure(
      "timeout",
      `the echo server at ${address} did not tell its counts within ${LIMIT_MS / 1000} s: ${cause ?? message}`,
    );
  }
}

/**
 * @param {readonly {address: string}[]} servers containers
 * @param {(server: {address: string}) => Promise<EchoWorker[]>} [workersOf]
 * @returns {Promise<EchoWorker[]>} of all of them, with ids of their own
 */
export async function readWorkersOfAll(servers, workersOf = workersOfServer) {
  const workers = await Promise.all(servers.map(workersOf));
  return workers.flatMap((ofOne, i) =>
    ofOne.map((worker) => ({ ...worker, id: IDS_A_SERVER * i + worker.id })),
  );
}

/**
 * @param {{address: string}} server container
 * @returns {Promise<EchoWorker[]>}
 */
export function workersOfServer({ address }) {
  return readEchoWorkers(`http://${address}:8080`);
}

/**
 * @param {readonly EchoWorker[]} before
 * @param {readonly EchoWorker[]} after
 * @returns {CellRecord["echoWorkers"]} null: a worker was replaced in between, or its server started anew, and its counts are lost
 */
export function workersBetween(before, after) {
  const counts = after.map((worker) => {
    const earlier = before.find(({ id }) => id === worker.id);
    if (!earlier || worker.connectionsTotal < earlier.connectionsTotal) return undefined;
    return {
      connections: worker.connectionsTotal - earlier.connectionsTotal,
      messages: worker.messages - earlier.messages,
      refused: worker.upgradesRefused - earlier.upgradesRefused,
    };
  });
  return counts.includes(undefined) ? null : /** @type {CellRecord["echoWorkers"]} */ (counts);
}

/**
 * @param {readonly EchoWorker[]} workers
 * @returns {number} connections open in all of them
 */
export function openIn(workers) {
  return workers.reduce((sum, { connectionsOpen }) => sum + connectionsOpen, 0);
}
