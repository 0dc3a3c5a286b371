/**
 * All checks against the server of these tests, with something done wrong or nothing.
 */
import { runConformance } from "../conform.js";
import { certificate } from "./certificate.js";
import { startRelay } from "./relay.js";
import { POLICY, startServer } from "./server.js";

/** @import { TestContext } from "node:test" */
/** @import { CheckResult, ConformanceOptions } from "../conform.js" */
/** @import { Faults } from "./server.js" */

export const NO_DELAY = { noDelayToServer: true, noDelayToClient: true };

/**
 * Runs all checks against a server with the given faults.
 *
 * @param {TestContext} t
 * @param {{
 *   server?: Faults,
 *   relay?: typeof NO_DELAY,
 *   options?: Partial<ConformanceOptions>,
 * }} [setup]
 */
export async function check(t, { server: faults = {}, relay, options } = {}) {
  const server = await startServer(faults);
  t.after(() => server.close());
  let { plainPort, tlsPort } = server;
  if (relay) {
    const relays = await Promise.all(
      [plainPort, tlsPort].map((upstreamPort) => startRelay({ upstreamPort, ...relay })),
    );
    t.after(() => Promise.all(relays.map((each) => each.close())));
    [plainPort, tlsPort] = relays.map(({ port }) => port);
  }
  return runConformance({
    host: "127.0.0.1",
    servername: "localhost",
    plainPort,
    tlsPort,
    ca: certificate(faults.algorithm ?? "ecdsa"),
    policy: POLICY,
    keyType: "ecdsa",
    proxyProtocol: true,
    idleMs: 100,
    timeoutMs: 3_000,
    ...options,
  });
}

/** @param {CheckResult[]} results */
export function failuresOf(results) {
  return results.filter(({ ok }) => !ok).map(({ scheme, id }) => `${scheme} ${id}`);
}
