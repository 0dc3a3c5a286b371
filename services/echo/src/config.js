import { constants, hkdfSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";

const TLS_VERSIONS = ["TLSv1.2", "TLSv1.3"];

/** A setting that cannot be used. Its message: name, value, what is allowed, what to do. */
export class ConfigError extends Error {}

/**
 * @typedef {object} Config
 * @property {number} workers processes that serve connections
 * @property {number} port port of the plain listener
 * @property {number} tlsPort port of the TLS listener, used when `tls` is set
 * @property {number | undefined} proxyProtocolPort port of the plain listener whose connections begin with the PROXY protocol;
 *   undefined: no such listener
 * @property {number} backlog length asked for each listen queue, in connections
 * @property {import("node:tls").TlsOptions | undefined} tls undefined: no TLS listener
 */

/**
 * Reads and checks all settings, files included. An empty variable counts as unset, since Compose
 * passes it so.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {Config}
 * @throws {ConfigError} at the first setting that cannot be used
 */
export function readConfig(env) {
  const config = {
    workers: readInteger(env, "ECHO_WORKERS", 2, 1, 128),
    port: readInteger(env, "ECHO_PORT", 8080, 1, 65535),
    tlsPort: readInteger(env, "ECHO_TLS_PORT", 8443, 1, 65535),
    proxyProtocolPort: readInteger(env, "ECHO_PROXY_PROTOCOL_PORT", undefined, 1, 65535),
    // The kernel caps it silently at net.core.somaxconn (4096 by default): raise that sysctl too.
    backlog: readInteger(env, "ECHO_BACKLOG", 65535, 1, 65535),
    tls: readTls(env),
  };
  const { port, tlsPort, proxyProtocolPort, tls } = config;
  // Workers share their ports, so a second listener on one would not fail, but take half of its connections.
  for (const [one, other, kind, same] of /** @type {const} */ ([
    ["ECHO_TLS_PORT", "ECHO_PORT", "plain", tls && tlsPort === port],
    ["ECHO_PROXY_PROTOCOL_PORT", "ECHO_PORT", "plain", proxyProtocolPort === port],
    ["ECHO_PROXY_PROTOCOL_PORT", "ECHO_TLS_PORT", "TLS", tls && proxyProtocolPort === tlsPort],
  ])) {
    if (!same) continue;
    const value = kind === "TLS" ? tlsPort : port;
    throw new ConfigError(
      `${one}=${value} is the ${kind} port too. Expected two different ports. Change ${other} or ${one}.`,
    );
  }
  return config;
}

/**
 * @template {number | undefined} T
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name
 * @param {T} fallback
 * @param {number} min
 * @param {number} max
 */
function readInteger(env, name, fallback, min, max) {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new ConfigError(
    `${name}=${text}: expected a whole number from ${min} to ${max}. Correct it, or unset it for the default, ${fallback ?? "none"}.`,
  );
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {import("node:tls").TlsOptions | undefined}
 */
function readTls(env) {
  if (!env.TLS_CERT && !env.TLS_KEY) return undefined;
  const cert = readFile(env, "TLS_CERT", "a PEM certificate chain");
  const key = readFile(env, "TLS_KEY", "the PEM key of the certificate");
  const policy = parsePolicy(
    readFile(env, "TLS_POLICY", "the JSON of the TLS policy"),
    `TLS_POLICY=${env.TLS_POLICY}`,
  );
  const options = {
    cert,
    key,
    minVersion: policy.minVersion,
    maxVersion: policy.maxVersion,
    ciphers: [...policy.cipherSuitesTls13, ...policy.ciphersTls12].join(":"),
    honorCipherOrder: true,
    ecdhCurve: policy.groups.join(":"),
    ...(policy.sessionResumption
      ? // Every worker, a replacement too, must accept the tickets of every other.
        { ticketKeys: Buffer.from(hkdfSync("sha256", key, "", "session tickets", 48)) }
      : // OpenSSL then still sends TLS 1.3 tickets, which name entries of a session cache. They
        // resume nothing: Node keeps no such cache unless a server listens for "newSession".
        { secureOptions: constants.SSL_OP_NO_TICKET }),
  };
  try {
    createSecureContext(options);
  } catch (error) {
    throw new ConfigError(
      `TLS_CERT=${env.TLS_CERT}, TLS_KEY=${env.TLS_KEY}, TLS_POLICY=${env.TLS_POLICY}: OpenSSL ` +
        `${process.versions.openssl} refuses them: ${reason(error)}. Expected a PEM certificate, ` +
        "its own key, and ciphers and groups that OpenSSL knows. Make the certificate and key " +
        "again, or correct the policy.",
    );
  }
  return options;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name variable that holds the path
 * @param {string} expected what the file should be
 */
function readFile(env, name, expected) {
  const path = env[name];
  if (!path) {
    throw new ConfigError(
      `${name} is not set: expected the path of ${expected}. Set TLS_CERT, TLS_KEY and TLS_POLICY together, or none of them for plain ws only.`,
    );
  }
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(
      `${name}=${path}: cannot read it (${reason(error)}). Expected ${expected}, readable by user ${process.getuid?.()}. Check the path, the mount and the file's permissions.`,
    );
  }
}

/**
 * @typedef {object} TlsPolicy
 * @property {import("node:tls").SecureVersion} minVersion
 * @property {import("node:tls").SecureVersion} maxVersion
 * @property {string[]} cipherSuitesTls13
 * @property {string[]} ciphersTls12
 * @property {string[]} groups key-exchange groups
 * @property {boolean} sessionResumption
 */

/**
 * @param {Buffer} json
 * @param {string} source what to call it in messages
 * @returns {TlsPolicy}
 */
function parsePolicy(json, source) {
  let policy;
  try {
    policy = Object(JSON.parse(json.toString()));
  } catch (error) {
    throw new ConfigError(`${source}: not JSON (${reason(error)}). Correct the file.`);
  }
  /** @type {(field: string, expected: string, valid: boolean) => void} */
  const check = (field, expected, valid) => {
    if (valid) return;
    const value = JSON.stringify(policy[field]);
    throw new ConfigError(
      `${source}: ${field} is ${value}. Expected ${expected}. Correct the file.`,
    );
  };
  const lowest = TLS_VERSIONS.indexOf(policy.minVersion);
  check("minVersion", `one of ${TLS_VERSIONS.join(", ")}`, lowest >= 0);
  const fromLowest = TLS_VERSIONS.slice(lowest);
  check("maxVersion", `one of ${fromLowest.join(", ")}`, fromLowest.includes(policy.maxVersion));
  for (const field of ["cipherSuitesTls13", "ciphersTls12", "groups"]) {
    const names = policy[field];
    const valid = Array.isArray(names) && names.every((name) => /^[\w-]+$/.test(name));
    check(field, "a list of OpenSSL names", valid && names.length > 0);
  }
  check("sessionResumption", "true or false", typeof policy.sessionResumption === "boolean");
  return policy;
}

/** @param {unknown} error */
function reason(error) {
  return error instanceof Error ? error.message : String(error);
}
