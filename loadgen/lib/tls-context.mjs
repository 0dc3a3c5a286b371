/**
 * What a client in Node offers over TLS.
 */
import { createSecureContext } from "node:tls";

/** @import { SecureVersion } from "node:tls" */
/** @import { TlsPolicy } from "./node.mjs" */

/**
 * One for all connections: making it is expensive.
 *
 * @param {TlsPolicy} policy
 * @param {SecureVersion} [only] the only version that is offered; left out: all of the policy
 */
export function secureContextOf(policy, only) {
  const { minVersion, maxVersion, cipherSuitesTls13, ciphersTls12, groups } = policy;
  return createSecureContext({
    minVersion: only ?? minVersion,
    maxVersion: only ?? maxVersion,
    ciphers: [...cipherSuitesTls13, ...ciphersTls12].join(":"),
    // P-256 for the certificate: a TLS 1.2 server may use none on a curve that the client does not name.
    ecdhCurve: [...groups, "P-256"].join(":"),
  });
}
