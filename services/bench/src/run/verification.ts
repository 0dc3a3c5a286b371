/**
 * The second phase of a cell: does the proxy do what it should, over the scheme that is measured?
 */
import { request as plainRequest } from "node:http";
import { connectTls, negotiated, openWebSocket, preferredCiphers } from "../conformance/index.ts";
import { healthUrl } from "../plan/proxies.ts";
import { statusOf, until } from "../platform/wait.ts";
import { CellFailure } from "./cell-failure.ts";
import type { ConnectionOptions, SecureVersion } from "node:tls";
import type { Target } from "../conformance/connect.ts";
import type { Workload, PlannedCell } from "../model/plan.ts";
import type { CellRecord } from "../model/cell.ts";
import type { RunContext } from "./run-context.ts";

/** Of the proxy, in its certificate too. */
const NAME = "proxy";
/** The page /hello: `Hello world` and a line break. */
const HELLO_BYTES = 12;

/**
 * Waits until the proxy answers, and the server behind it through the proxy; or a server by itself.
 *
 * @param options host: where it is found; assertAlive: rejects when a container died
 */
export async function waitForAnswer(
  { scheme }: Pick<PlannedCell, "scheme">,
  {
    host,
    limitMs,
    signal,
    assertAlive,
  }: { host?: string; limitMs: number; signal: AbortSignal; assertAlive: () => Promise<void> },
) {
  const url = healthUrl(scheme, host);
  const last = await until(
    Date.now() + limitMs,
    async () => {
      signal.throwIfAborted();
      const answer = await statusOf(url);
      if (answer !== "200") await assertAlive();
      return answer;
    },
    (answer) => answer === "200",
  );
  if (last === "200") return;
  throw new CellFailure(
    "start",
    `${url} did not answer 200 within ${limitMs / 1000} s; last: ${last}`,
  );
}

/**
 * @param options host: where the proxy is found
 * @returns what was negotiated; null over ws
 * @throws {CellFailure} when what comes back is not what should
 */
export async function verify(
  cell: PlannedCell,
  workload: Workload,
  options: Pick<RunContext, "authorities" | "policy"> & {
    host?: string;
    keyType: "ecdsa" | "rsa";
    limitMs: number;
  },
): Promise<CellRecord["tls"]> {
  const { host = NAME, authorities, policy, keyType, limitMs } = options;
  const { scheme } = cell;
  const isEchoed = workload.protocol === "websocket";
  const end = new AbortController();
  const target: Target = {
    scheme,
    host,
    servername: NAME,
    port: scheme === "wss" ? 8443 : 8080,
    ca: authorities[keyType],
    policy,
    keyType,
    choosesTls13Cipher: true,
    forwarded: false,
    proxyProtocol: false,
    websocketsOverHttp2: false,
    reload: null,
    idleMs: 0,
    timeoutMs: limitMs,
    signal: AbortSignal.any([end.signal, AbortSignal.timeout(limitMs)]),
  };
  try {
    // Offers more than the policy allows, and prefers the policy's ciphers, as the loads do: the
    // answer is what they get.
    const tls =
      scheme === "wss" ? negotiated(await connectTls(target, offerOf(workload, policy))) : null;
    if (isEchoed) await verifyEcho(target, cell);
    else await verifyPage(target, workload);
    return tls;
  } catch (error) {
    if (error instanceof CellFailure) throw error;
    const what = isEchoed ? "echo" : "page";
    throw new CellFailure(
      "verify",
      `no ${what} over ${scheme}: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    end.abort();
  }
}

/** @returns with the version that the load offers, where it offers one alone */
function offerOf({ tlsVersion }: Workload, policy: RunContext["policy"]): ConnectionOptions {
  const ciphers = preferredCiphers(policy);
  if (tlsVersion === undefined) return { ciphers };
  const version = `TLSv${tlsVersion}` as SecureVersion;
  return { ciphers, minVersion: version, maxVersion: version };
}

async function verifyEcho(target: Target, { id }: PlannedCell) {
  const client = await openWebSocket(target);
  const sent = `verify ${id}`;
  client.ws.send(sent);
  const { data } = await client.nextMessage();
  if (data.toString() === sent) return;
  throw new CellFailure(
    "verify",
    `an echo came back changed: ${JSON.stringify(data.toString())} for ${sent}`,
  );
}

/** Over TLS with the certificate verified, which neither wrk nor ab does. */
async function verifyPage(target: Target, { fileBytes }: Workload) {
  const expected = fileBytes ?? HELLO_BYTES;
  const path = fileBytes === undefined ? "/hello" : `/files/${fileBytes}`;
  const { status, bytes } = await fetchPage(target, path);
  if (status === 200 && bytes === expected) return;
  throw new CellFailure(
    "verify",
    `${path} got status ${status} and ${bytes} bytes, expected 200 and ${expected}`,
  );
}

async function fetchPage(target: Target, path: string): Promise<{ status: number; bytes: number }> {
  const { scheme, host, port, signal } = target;
  const socket = scheme === "wss" ? await connectTls(target) : undefined;
  return new Promise((resolve, reject) => {
    const connection = socket ? { createConnection: () => socket } : { agent: false };
    plainRequest({ host, port, path, signal, ...connection }, async (response) => {
      try {
        let bytes = 0;
        for await (const chunk of response) bytes += chunk.length;
        resolve({ status: response.statusCode ?? 0, bytes });
      } catch (error) {
        reject(error);
      }
    })
      .on("error", reject)
      .end();
  });
}
