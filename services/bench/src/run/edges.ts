/**
 * The edges of the measured phase: every load container asks over HTTP to begin and to end, once or
 * once a virtual user, and is answered when all have asked and the counters have been read. So the
 * counters hold the load, and neither k6's start nor its report.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Name of this program in the network of the benchmark. */
export const EDGE_HOST = "bench";
const PORT = 7000;

export class Edges {
  #waiting: ServerResponse[] = [];
  #expected: { name: string; loads: number; arrived: number; reached: () => Promise<void> } | null =
    null;
  #server = createServer((request, response) => {
    // The next edge may come just when a connection that was kept open is closed (after 5 s): that
    // request would be lost.
    response.setHeader("Connection", "close");
    this.#arrive(request.url ?? "", response);
  });
  port: number;

  /** @param port 0: a free one */
  constructor(port: number = PORT) {
    this.port = port;
  }

  /** What load containers get as EDGE_URL. */
  get url() {
    return `http://${EDGE_HOST}:${this.port}`;
  }

  async listen() {
    await once(this.#server.listen(this.port), "listening");
    this.port = (this.#server.address() as AddressInfo).port;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /**
   * Forgets what was expected; load that waits is sent away, and fails.
   */
  reset() {
    this.#expected = null;
    for (const response of this.#waiting.splice(0)) response.writeHead(409).end();
  }

  /**
   * @param loads how many containers have to arrive, each with all requests that it says it sends
   *   (`?of=N`; one where it says nothing)
   * @param read called when all are there; the load goes on when it has ended
   * @returns what was read, when the load goes on; rejects when `read` does
   */
  expect<T>(name: "start" | "end", loads: number, read: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#expected = {
        name,
        loads,
        arrived: 0,
        reached: async () => {
          const responses = this.#waiting.splice(0);
          try {
            const found = await read();
            for (const response of responses) response.writeHead(204).end();
            resolve(found);
          } catch (error) {
            for (const response of responses) response.writeHead(500).end();
            reject(error);
          }
        },
      };
    });
  }

  #arrive(path: string, response: ServerResponse) {
    const expected = this.#expected;
    const { pathname, searchParams } = new URL(path, this.url);
    if (!expected || pathname !== `/${expected.name}`) {
      response.writeHead(409).end(`not expected: ${path}\n`);
      return;
    }
    this.#waiting.push(response);
    expected.arrived += 1 / Number(searchParams.get("of") ?? 1);
    // Thirds do not add up to one.
    if (expected.arrived < expected.loads - 1e-6) return;
    this.#expected = null;
    expected.reached();
  }
}
