/**
 * The test certificates of a Compose project, which lie in a volume for each type of key.
 */

import type { Project } from "./docker.ts";

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
