/**
 * The test certificates of a Compose project, which lie in a volume for each type of key.
 */

/** @import { Project } from "./docker.js" */

/**
 * What `up` does by itself: to be called before a proxy is started without what it depends on.
 *
 * @param {Project} project whose TLS_KEY_TYPE says the type; where it has no certificate of that type that is still valid, one is made
 * @param {{signal?: AbortSignal}} [options]
 * @returns {Promise<string>} the certificate of the authority behind it, PEM
 * @throws {import("../errors.js").UserError} when none can be made
 */
export function ensureCertificates(project, options) {
  return project.check(["run", "--rm", "--no-deps", "--no-TTY", "certs", "show"], options);
}
