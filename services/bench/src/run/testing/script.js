/**
 * A script of loadgen/ that Node runs, as a program of its own.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificate } from "../../conformance/testing/certificate.js";
import { POLICY } from "../../conformance/testing/server.js";

/** @import { TestContext } from "node:test" */
/** @import { Algorithm } from "../../conformance/testing/certificate.js" */

const LOADGEN = join(import.meta.dirname, "../../../../../loadgen");

/**
 * @param {string} scenario
 * @param {Record<string, string>} env
 * @returns {Promise<{code: number, stdout: string, stderr: string}>}
 */
export function script(scenario, env) {
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH, TARGET_HOST: "localhost", ...env } };
    execFile(
      process.execPath,
      [join(LOADGEN, `${scenario}.mjs`)],
      options,
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

/** @param {TestContext} t */
export function folder(t) {
  const directory = mkdtempSync(join(tmpdir(), "loads-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

/**
 * @param {string} directory where its files are written
 * @param {Algorithm} [algorithm] of the certificate
 * @returns {Record<string, string>} what a script needs to meet `startServer` over TLS
 */
export function tlsEnvironment(directory, algorithm = "ecdsa") {
  const file = (/** @type {string} */ name, /** @type {string} */ text) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  return {
    SCHEME: "wss",
    NODE_EXTRA_CA_CERTS: file("ca.pem", certificate(algorithm)),
    TLS_POLICY: file("policy.json", JSON.stringify(POLICY)),
  };
}

/**
 * Stands in for the runner at the edges of the measured phase.
 *
 * @param {TestContext} t
 * @param {Partial<Record<"start" | "end", () => void>>} at what happens when a load has come there
 * @returns {Promise<{EDGE_URL: string}>} environment of the load
 */
export async function edges(t, at) {
  const server = createServer((request, response) => {
    at[/** @type {"start" | "end"} */ (request.url?.slice(1))]?.();
    response.writeHead(204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { EDGE_URL: `http://127.0.0.1:${port}` };
}
