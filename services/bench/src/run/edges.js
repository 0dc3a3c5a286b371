/**
 * The edges of the measured phase: every load container asks over HTTP to begin and to end, once or once a virtual user, and is
 * answered when all have asked and the counters have been read. So the counters hold the load, and neither k6's start nor its report.
 * Before them k6 asks at "ready", where it waits for its turn.
 */
import { once } from "node:events";
import { createServer } from "node:http";

/** Name of this program in the network of the benchmark. */
export const EDGE_HOST = "bench";
const PORT = 7000;

/**
 * @typedef {"ready" | "start" | "end"} EdgeName
 *
 * @typedef {object} Expected
 * @property {number} loads
 * @property {number} arrived
 * @property {import("node:http").ServerResponse[]} waiting
 * @property {() => Promise<void>} reached called when all are there
 */

export class Edges {
  /** By its name. @type {Map<string, Expected>} */
  #expected = new Map();
  #server = createServer((request, response) => {
    // The next edge may come just when a connection that was kept open is closed (after 5 s): that request would be lost.
    response.setHeader("Connection", "close");
    this.#arrive(request.url ?? "", response);
  });

  /** @param {number} [port] 0: a free one */
  constructor(port = PORT) {
    this.port = port;
  }

  /** What load containers get as EDGE_URL. */
  get url() {
    return `http://${EDGE_HOST}:${this.port}`;
  }

  async listen() {
    await once(this.#server.listen(this.port), "listening");
    this.port = /** @type {import("node:net").AddressInfo} */ (this.#server.address()).port;
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /**
   * Forgets what was expected; load that waits is sent away, and fails.
   */
  reset() {
    for (const { waiting } of this.#expected.values())
      for (const response of waiting) response.writeHead(409).end();
    this.#expected.clear();
  }

  /**
   * @param {EdgeName} name several may be expected at once, each once
   * @param {number} loads how many containers have to arrive, each with all requests that it says it sends (`?of=N`; one where it
   *   says nothing)
   * @template T
   * @param {() => Promise<T>} read called when all are there; the load goes on when it has ended
   * @returns {Promise<T>} what was read, when the load goes on; rejects when `read` does
   */
  expect(name, loads, read) {
    return new Promise((resolve, reject) => {
      /** @type {import("node:http").ServerResponse[]} */
      const waiting = [];
      this.#expected.set(name, {
        loads,
        arrived: 0,
        waiting,
        reached: async () => {
          try {
            const found = await read();
            for (const response of waiting) response.writeHead(204).end();
            resolve(found);
          } catch (error) {
            for (const response of waiting) response.writeHead(500).end();
            reject(error);
          }
        },
      });
    });
  }

  /**
   * @param {string} path
   * @param {import("node:http").ServerResponse} response
   */
  #arrive(path, response) {
    const { pathname, searchParams } = new URL(path, this.url);
    const name = pathname.slice(1);
    const expected = this.#expected.get(name);
    if (!expected) {
      response.writeHead(409).end(`not expected: ${path}\n`);
      return;
    }
    expected.waiting.push(response);
    expected.arrived += 1 / Number(searchParams.get("of") ?? 1);
    // Thirds do not add up to one.
    if (expected.arrived < expected.loads - 1e-6) return;
    this.#expected.delete(name);
    expected.reached();
  }
}
