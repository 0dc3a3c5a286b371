/**
 * The second phase of a cell: does the proxy do what it should, over the scheme that is measured?
 */
import { request as plainRequest } from "node:http";
import { connectTls, negotiated, openWebSocket, preferredCiphers } from "../conformance/index.js";
import { healthUrl } from "../plan/proxies.js";
import { statusOf, until } from "../platform/wait.js";
import { CellFailure } from "./cell-failure.js";

/** @import { ConnectionOptions, SecureVersion } from "node:tls" */
/** @import { Target } from "../conformance/connect.js" */
/** @import { Workload } from "../model/plan.ts" */
/** @import { CellRecord } from "../model/cell.ts" */
/** @import { PlannedCell } from "../model/plan.ts" */
/** @import { RunContext } from "./run-context.js" */

/** Of the proxy, in its certificate too. */
const NAME = "proxy";
/** The page /hello: `Hello world` and a line break. */
const HELLO_BYTES = 12;

/**
 * Waits until the proxy answers, and the server behind it through the proxy; or a server by itself.
 *
 * @param {Pick<PlannedCell, "scheme">} cell
 * @param {{host?: string, limitMs: number, signal: AbortSignal, assertAlive: () => Promise<void>}} options host: where it is found;
 *   assertAlive: rejects when a container died
 */
export async function waitForAnswer({ scheme }, { host, limitMs, signal, assertAlive }) {
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
 * @param {PlannedCell} cell
 * @param {Workload} workload
 * @param {Pick<RunContext, "authorities" | "policy"> & {host?: string, keyType: "ecdsa" | "rsa", limitMs: number}} options host: where the
 *   proxy is found
 * @returns {Promise<CellRecord["tls"]>} what was negotiated; null over ws
 * @throws {CellFailure} when what comes back is not what should
 */
export async function verify(cell, workload, options) {
  const { host = NAME, authorities, policy, keyType, limitMs } = options;
  const { scheme } = cell;
  const isEchoed = workload.protocol === "websocket";
  const end = new AbortController();
  /** @type {Target} */
  const target = {
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
    // Offers more than the policy allows, and prefers the policy's ciphers, as the loads do: the answer is what they get.
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

/**
 * @param {Workload} workload
 * @param {RunContext["policy"]} policy
 * @returns {ConnectionOptions} with the version that the load offers, where it offers one alone
 */
function offerOf({ tlsVersion }, policy) {
  const ciphers = preferredCiphers(policy);
  if (tlsVersion === undefined) return { ciphers };
  const version = /** @type {SecureVersion} */ (`TLSv${tlsVersion}`);
  return { ciphers, minVersion: version, maxVersion: version };
}

/**
 * @param {Target} target
 * @param {PlannedCell} cell
 */
async function verifyEcho(target, { id }) {
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

/**
 * Over TLS with the certificate verified, which neither wrk nor ab does.
 *
 * @param {Target} target
 * @param {Workload} workload
 */
async function verifyPage(target, { fileBytes }) {
  const expected = fileBytes ?? HELLO_BYTES;
  const path = fileBytes === undefined ? "/hello" : `/files/${fileBytes}`;
  const { status, bytes } = await fetchPage(target, path);
  if (status === 200 && bytes === expected) return;
  throw new CellFailure(
    "verify",
    `${path} was answered with status ${status} and ${bytes} bytes, expected 200 and ${expected}`,
  );
}

/**
 * @param {Target} target
 * @param {string} path
 * @returns {Promise<{status: number, bytes: number}>}
 */
async function fetchPage(target, path) {
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
