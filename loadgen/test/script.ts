/**
 * A script of loadgen/ that Node runs, as a program of its own.
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { certificate } from "../../services/bench/src/conformance/testing/certificate.ts";
import { POLICY } from "../../services/bench/src/conformance/testing/server.ts";
import type { TestContext } from "node:test";
import type { Algorithm } from "../../services/bench/src/conformance/testing/certificate.ts";
import type { AddressInfo } from "node:net";

const LOADGEN = join(import.meta.dirname, "..");

export function script(
  scenario: string,
  env: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
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

export function folder(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "loads-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

/**
 * @param directory where its files are written
 * @param algorithm of the certificate
 * @returns what a script needs to meet `startServer` over TLS
 */
export function tlsEnvironment(
  directory: string,
  algorithm: Algorithm = "ecdsa",
): Record<string, string> {
  const file = (name: string, text: string) => {
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
 * @param at what happens when a load has come there
 * @returns environment of the load
 */
export async function edges(
  t: TestContext,
  at: Partial<Record<"start" | "end", () => void>>,
): Promise<{ EDGE_URL: string }> {
  const server = createServer((request, response) => {
    at[request.url?.slice(1) as "start" | "end"]?.();
    response.writeHead(204).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { EDGE_URL: `http://127.0.0.1:${port}` };
}
