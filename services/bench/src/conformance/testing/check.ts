/**
 * All checks against the server of these tests, with something done wrong or nothing.
 */
import { runConformance } from "../conform.ts";
import { certificate } from "./certificate.ts";
import { startRelay } from "./relay.ts";
import { POLICY, startServer } from "./server.ts";
import type { TestContext } from "node:test";
import type { CheckResult, ConformanceOptions } from "../conform.ts";
import type { Faults, Started } from "./server.ts";

export const NO_DELAY = { noDelayToServer: true, noDelayToClient: true };

/** Runs all checks against a server with the given faults. */
export async function check(
  t: TestContext,
  {
    server: faults = {},
    relay,
    options,
    onStart = () => {},
  }: {
    server?: Faults;
    relay?: typeof NO_DELAY;
    options?: Partial<ConformanceOptions>;
    onStart?: (server: Started) => void;
  } = {},
) {
  const server = await startServer(faults);
  onStart(server);
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

export function failuresOf(results: CheckResult[]) {
  return results.filter(({ ok }) => !ok).map(({ scheme, id }) => `${scheme} ${id}`);
}
