/**
 * The test certificates of a Compose project, which lie in a volume for each type of key.
 */

import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "./compose.ts";

/**
 * What `up` does by itself: to be called before a proxy is started without what it depends on.
 *
 * @param project whose TLS_KEY_TYPE says the type; where it has no certificate of that type that is
 *   still valid, one is made
 * @returns the certificate of the authority behind it, PEM
 * @throws {UserError} when none can be made
 */
export function ensureCertificates(
  project: Project,
  options?: { signal?: AbortSignal },
): Promise<string> {
  return project.check(["run", "--rm", "--no-deps", "--no-TTY", "certs", "show"], options);
}

/**
 * The folder that a proxy has instead of that volume, where an event renews its certificate: a file
 * is replaced by a rename, as tools do that renew certificates.
 */
export class CertificateFolder {
  path: string;
  #key = "";
  #certificates: string[] = [];

  /**
   * Makes it, empty.
   *
   * @param directory the project's, which the engine can mount
   * @param project name of the Compose project
   */
  constructor(directory: string, project: string) {
    this.path = join(directory, ".bench", "certificates", project);
    mkdirSync(this.path, { recursive: true });
    // Whatever mask the caller has: proxies run as users of their own.
    chmodSync(this.path, 0o755);
  }

  /** For Compose. */
  get env() {
    return { CERTS_FOLDER: this.path };
  }

  /** @param pem a key, and a certificate for each number from 1 on, of which it gets the first */
  fill(pem: string) {
    const [key = "", ...certificates] = pem.match(/-----BEGIN [^]*?-----END .*-----\n/g) ?? [];
    this.#key = key;
    this.#certificates = certificates;
    this.write(1);
  }

  /** @param number which is the certificate's serial number */
  write(number: number) {
    const certificate = this.#certificates[number - 1];
    if (!certificate) throw new Error(`there is no certificate ${number}`);
    const files = { key: this.#key, cert: certificate, combined: certificate + this.#key };
    for (const [name, text] of Object.entries(files)) {
      const next = join(this.path, "next");
      writeFileSync(next, text);
      chmodSync(next, 0o644);
      renameSync(next, join(this.path, `${name}.pem`));
    }
  }

  remove() {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** @returns for `CertificateFolder.fill` */
export function renewalsOf(project: Project): Promise<string> {
  return project.check(["run", "--rm", "--no-deps", "--no-TTY", "certs", "renew"]);
}
