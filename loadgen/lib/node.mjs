/**
 * What the scripts share that Node runs (*.mjs, in the service load-http): target, labels, edges, and how they end. What k6's
 * scripts have of that is in target.js.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { get as getPlain } from "node:http";
import { get as getTls } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { serveCounts } from "./counts.mjs";
import { choice, integer, parametersOf, refuseMistakes } from "./parameters.js";
import { RUN_FILE, tagsOf } from "./tags.js";

// Where parameters.js and tags.js look for it, as k6 runs them too.
globalThis.__ENV = process.env;

/** The TLS policy that every server has: the client offers no more than it, so that all do the same work. */
const POLICY_FILE = process.env.TLS_POLICY || "/tls-policy.json";

/** What a program may print: ApacheBench prints a line an answer where it counts statuses. */
const MOST_OUTPUT_BYTES = 64 * 2 ** 20;

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {Record<string, number>} parameters
 * @property {"ws" | "wss"} scheme
 * @property {string} host
 * @property {string} referenceHost of the reference proxy, which has the same port
 * @property {number} port
 * @property {string} origin of HTTP, such as https://proxy:8443
 * @property {string} referenceOrigin
 * @property {Record<string, string>} tags
 *
 * @typedef {object} TlsPolicy certs/policy.json
 * @property {import("node:tls").SecureVersion} minVersion
 * @property {import("node:tls").SecureVersion} maxVersion
 * @property {string[]} cipherSuitesTls13
 * @property {string[]} ciphersTls12
 * @property {string[]} groups
 */

/**
 * @param {string} name of the scenario
 * @returns {Scenario}
 * @throws {Error} that names every mistake in the environment
 */
export function scenarioOf(name) {
  const json = readFileSync(new URL(`../${name}.json`, import.meta.url), "utf8");
  const parameters = parametersOf(json);
  const { schemes = ["ws", "wss"] } = JSON.parse(json);
  const scheme = /** @type {"ws" | "wss"} */ (choice("SCHEME", schemes));
  // Elsewhere than the Compose project's proxy: for a proxy of your own, and for tests.
  const host = process.env.TARGET_HOST || "proxy";
  const port = integer("TARGET_PORT", scheme === "wss" ? 8443 : 8080, { max: 65535 });
  refuseMistakes();
  const referenceHost = process.env.REFERENCE_HOST || "reference";
  const originOf = (/** @type {string} */ name) =>
    `${scheme === "wss" ? "https" : "http"}://${name}:${port}`;
  return {
    name,
    parameters,
    scheme,
    host,
    referenceHost,
    port,
    origin: originOf(host),
    referenceOrigin: originOf(referenceHost),
    tags: tagsOf({ scenario: name, scheme }, readRunFile),
  };
}

function readRunFile() {
  try {
    return JSON.parse(readFileSync(RUN_FILE, "utf8"));
  } catch {
    return {};
  }
}

/** @returns {TlsPolicy} */
export function readPolicy() {
  return JSON.parse(readFileSync(POLICY_FILE, "utf8"));
}

/**
 * @param {string} url
 * @param {number} [timeoutMs]
 * @param {import("node:https").RequestOptions} [more] of the connection
 * @returns {Promise<{status: number, body: Buffer, serial: string | null}>} over a connection of its own; the certificate is verified
 *   (NODE_EXTRA_CA_CERTS), and this is its serial number; null: plain
 */
export function get(url, timeoutMs = 30_000, more = {}) {
  const request = url.startsWith("https:") ? getTls : getPlain;
  return new Promise((resolve, reject) => {
    const options = { agent: false, signal: AbortSignal.timeout(timeoutMs), ...more };
    request(url, options, async (response) => {
      try {
        const { socket } = response;
        const serial =
          socket instanceof TLSSocket
            ? `${BigInt(`0x${socket.getPeerCertificate().serialNumber}`)}`
            : null;
        const body = Buffer.concat(await response.toArray());
        resolve({ status: response.statusCode ?? 0, body, serial });
      } catch (error) {
        reject(error);
      }
    }).on("error", reject);
  });
}

/**
 * Waits until the server answers, through the proxy if there is one.
 *
 * @param {Scenario} scenario
 * @throws {Error} after WAIT_SECONDS, with what was asked and what came back last
 */
export async function waitForTarget({ origin }) {
  const seconds = integer("WAIT_SECONDS", 30, { max: 3600 });
  refuseMistakes();
  const address = `${origin}/healthz`;
  const deadline = Date.now() + seconds * 1000;
  let last = "";
  while (Date.now() < deadline) {
    try {
      const { status } = await get(address, 1000);
      if (status === 200) return;
      last = `HTTP status ${status}`;
    } catch (error) {
      last = messageOf(error);
    }
    await sleep(200);
  }
  throw new Error(
    `waited ${seconds} s (WAIT_SECONDS) for ${address} to answer 200; last: ${last}. ` +
      "No load was started. See the log of the proxy and of the server behind it.",
  );
}

/**
 * Tells the runner of a battle that the measured phase begins or ends, and waits until it has read its counters. Without EDGE_URL
 * nobody waits.
 *
 * @param {"start" | "end"} name
 */
export async function edge(name) {
  const { EDGE_URL } = process.env;
  if (!EDGE_URL) return;
  const { ok, status } = await fetch(`${EDGE_URL}/${name}`, { method: "POST" });
  if (!ok) throw new Error(`the runner answered ${status} at the edge "${name}"`);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} [env] on top of this process' own
 * @returns {Promise<string>} what it printed on stdout
 * @throws {Error} when it did not end with status 0, with what it said last
 */
export function output(program, args, env = {}) {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: MOST_OUTPUT_BYTES };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const said = `${stdout}\n${stderr}`.trim().split("\n").slice(-3).join("; ");
      const status = error.code ?? error.signal;
      reject(new Error(`${program} ended with ${status}${said ? `: ${said}` : ""}`));
    });
  });
}

/**
 * The whole of a script: an error is a line on stderr and status 1, not a stack.
 *
 * @param {() => Promise<number | void>} script its exit status; none: 0
 */
export async function main(script) {
  // Where the runner of a battle asks.
  const { COUNTS_PORT } = process.env;
  /** @type {Awaited<ReturnType<typeof serveCounts>> | undefined} */
  let served;
  try {
    if (COUNTS_PORT) served = await serveCounts(Number(COUNTS_PORT));
    process.exitCode = (await script()) ?? 0;
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 1;
  } finally {
    served?.end();
  }
}

/** @param {unknown} error */
function messageOf(error) {
  if (!(error instanceof Error)) return String(error);
  // One of several addresses that all failed says nothing by itself.
  return error.message || ("code" in error ? String(error.code) : error.name);
}
