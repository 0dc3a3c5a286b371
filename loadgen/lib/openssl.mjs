/**
 * What a load generator on OpenSSL offers: no more than the policy. Such programs have options for
 * the ciphers of TLS 1.2 at most; the rest of the policy is in OpenSSL's configuration.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The one place that can be written where the file system is read-only: every container has it. */
const SCRATCH = "/dev/shm";

/**
 * @template T
 * @param {(folder: string) => Promise<T>} use is given a folder that is gone afterwards
 * @returns {Promise<T>}
 */
export async function inScratch(use) {
  const folder = mkdtempSync(join(SCRATCH, "load-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {import("./node.mjs").TlsPolicy} policy
 * @param {string} file to be written
 * @returns {Record<string, string>} environment
 */
export function opensslConfig(policy, file) {
  const lines = [
    "openssl_conf = main",
    "[main]",
    "ssl_conf = ssl",
    "[ssl]",
    "system_default = policy",
    "[policy]",
    `MinProtocol = ${policy.minVersion}`,
    `MaxProtocol = ${policy.maxVersion}`,
    `Ciphersuites = ${policy.cipherSuitesTls13.join(":")}`,
    `CipherString = ${policy.ciphersTls12.join(":")}`,
    `Groups = ${policy.groups.join(":")}`,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return { OPENSSL_CONF: file };
}
