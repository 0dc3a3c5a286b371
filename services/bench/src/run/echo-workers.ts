/**
 * What each worker of the echo server counts.
 */
import { CellFailure } from "./cell-failure.ts";
import type { CellRecord } from "../model/cell.ts";

export type EchoWorker = {
  id: number;
  connectionsOpen: number;
  connectionsTotal: number;
  messages: number;
  upgradesRefused: number;
};

const LIMIT_MS = 5000;

/** Of ids of workers: those of several servers are told apart. */
const IDS_A_SERVER = 1000;

/**
 * @param address of the echo server, such as http://echo:8080
 * @throws {CellFailure} when it does not tell them in time
 */
export async function readEchoWorkers(address: string): Promise<EchoWorker[]> {
  try {
    const response = await fetch(new URL("/stats", address), {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    return ((await response.json()) as any).workers;
  } catch (error) {
    const { message, cause } = error as Error;
    throw new CellFailure(
      "timeout",
      `the echo server at ${address} did not report its counts within ${LIMIT_MS / 1000} s: ${cause ?? message}`,
    );
  }
}

/**
 * @param servers containers
 * @returns of all of them, with ids of their own
 */
export async function readWorkersOfAll(
  servers: readonly { address: string }[],
  workersOf: (server: { address: string }) => Promise<EchoWorker[]> = workersOfServer,
): Promise<EchoWorker[]> {
  const workers = await Promise.all(servers.map(workersOf));
  return workers.flatMap((ofOne, i) =>
    ofOne.map((worker) => ({ ...worker, id: IDS_A_SERVER * i + worker.id })),
  );
}

/** @param server container */
export function workersOfServer({ address }: { address: string }): Promise<EchoWorker[]> {
  return readEchoWorkers(`http://${address}:8080`);
}

/**
 * @returns null: a worker was replaced in between, or its server restarted, and its counts are
 *   lost
 */
export function workersBetween(
  before: readonly EchoWorker[],
  after: readonly EchoWorker[],
): CellRecord["echoWorkers"] {
  const counts = after.map((worker) => {
    const earlier = before.find(({ id }) => id === worker.id);
    if (!earlier || worker.connectionsTotal < earlier.connectionsTotal) return undefined;
    return {
      connections: worker.connectionsTotal - earlier.connectionsTotal,
      messages: worker.messages - earlier.messages,
      refused: worker.upgradesRefused - earlier.upgradesRefused,
    };
  });
  return counts.includes(undefined) ? null : (counts as CellRecord["echoWorkers"]);
}

/** @returns connections open in all of them */
export function openIn(workers: readonly EchoWorker[]): number {
  return workers.reduce((sum, { connectionsOpen }) => sum + connectionsOpen, 0);
}
