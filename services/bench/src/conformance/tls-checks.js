import tls from "node:tls";
import { connectTls, get } from "./connect.js";
import { alertOf, ensure, isRefusedByServer } from "./mismatch.js";

/** @import { ConnectionOptions, SecureVersion, TLSSocket } from "node:tls" */
/** @import { Target } from "./connect.js" */
/** @import { TlsPolicy } from "../model/environment.ts" */
/** @import { Check } from "./checks.js" */

/** OpenSSL's names of groups that have another in policies and standards. */
/** @type {Record<string, string>} */
const GROUP_NAMES = {
  prime256v1: "P-256",
  secp256r1: "P-256",
  secp384r1: "P-384",
  secp521r1: "P-521",
};

/** P-256 first, so that an ECDSA certificate on that curve does not by itself make a TLS 1.2 server refuse. */
const NIST_GROUPS = ["P-256", "P-384", "P-521"];

const CERTIFICATE_KEYS = { ecdsa: "ecdsa P-256", rsa: "rsa 2048" };

/** Workers may each keep sessions of their own: one offer could reach another worker by chance. */
const RESUMPTION_OFFERS = 4;

/** @type {Check[]} */
export const TLS_CHECKS = [
  {
    id: "tls-version",
    title: "TLS version of the policy negotiated",
    expected: ({ policy }) => policy.maxVersion,
    async run(target) {
      const version = (await connectTls(target)).getProtocol() ?? "none";
      ensure(version === target.policy.maxVersion, version);
      return version;
    },
  },
  {
    id: "tls-certificate",
    title: "certificate with the key type under test",
    expected: ({ keyType }) => CERTIFICATE_KEYS[keyType],
    async run(target) {
      const key = certificateKey(await connectTls(target));
      ensure(key === CERTIFICATE_KEYS[target.keyType], key);
      return key;
    },
  },
  cipherCheck("tls13-cipher", "TLSv1.3", ({ policy }) => policy.cipherSuitesTls13),
  groupCheck("tls13-group", "TLSv1.3"),
  cipherCheck("tls12-cipher", "TLSv1.2", ({ policy, keyType }) =>
    policy.ciphersTls12.filter((cipher) => cipher.includes(`-${keyType.toUpperCase()}-`)),
  ),
  groupCheck("tls12-group", "TLSv1.2"),
  foreignGroupCheck("tls13-foreign-group", "TLSv1.3"),
  foreignGroupCheck("tls12-foreign-group", "TLSv1.2"),
  oldVersionCheck("tls11-refused", "TLSv1.1"),
  oldVersionCheck("tls10-refused", "TLSv1"),
  resumptionCheck("tls13-resumption", "TLSv1.3"),
  resumptionCheck("tls12-resumption", "TLSv1.2"),
];

/**
 * @param {string} id
 * @param {SecureVersion} version
 * @param {(target: Target) => string[]} allowed
 * @returns {Check}
 */
function cipherCheck(id, version, allowed) {
  const isLeftToClient = (/** @type {Target} */ { choosesTls13Cipher }) =>
    version === "TLSv1.3" && !choosesTls13Cipher;
  return {
    id,
    title: `${spoken(version)} cipher of the policy negotiated`,
    expected: (target) =>
      `${allowed(target).join(" or ")}${isLeftToClient(target) ? ", with a client that prefers it" : ""}`,
    skip: skipUnlessAllowed(version),
    async run(target) {
      // OpenSSL's own order prefers 256-bit keys: a server without the policy would choose another cipher.
      const ciphers = isLeftToClient(target) ? preferredCiphers(target.policy) : "DEFAULT";
      const { name } = (await connectTls(target, { ...only(version), ciphers })).getCipher();
      ensure(allowed(target).includes(name), name);
      return name;
    },
  };
}

/**
 * All ciphers that Node offers, those of the policy first. So do the loads that offer more than the policy's: k6, as Go orders them.
 *
 * @param {TlsPolicy} policy
 * @returns {string} as Node takes them
 */
export function preferredCiphers({ cipherSuitesTls13: first }) {
  const others = tls.DEFAULT_CIPHERS.split(":").filter((cipher) => !first.includes(cipher));
  return [...first, ...others].join(":");
}

/**
 * @param {string} id
 * @param {SecureVersion} version
 * @returns {Check}
 */
function groupCheck(id, version) {
  return {
    id,
    title: `${spoken(version)} key-exchange group of the policy negotiated`,
    expected: ({ policy }) => policy.groups.join(" or "),
    skip: skipUnlessAllowed(version),
    async run(target) {
      const group = groupOf(await connectTls(target, only(version)));
      ensure(target.policy.groups.map(groupName).includes(group), group);
      return group;
    },
  };
}

/**
 * @param {string} id
 * @param {SecureVersion} version
 * @returns {Check}
 */
function foreignGroupCheck(id, version) {
  return {
    id,
    title: `${spoken(version)} client without a group of the policy refused`,
    expected: "no TLS connection",
    skip: skipUnlessAllowed(version),
    run: (target) => refused(target, { ...only(version), ecdhCurve: foreignGroups(target.policy) }),
  };
}

/**
 * @param {string} id
 * @param {SecureVersion} version
 * @returns {Check}
 */
function oldVersionCheck(id, version) {
  return {
    id,
    title: `${spoken(version)} client refused`,
    expected: "no TLS connection",
    skip: ({ policy }) =>
      isAllowed(policy, version) ? `the policy allows ${spoken(version)}` : undefined,
    // OpenSSL itself refuses these versions above security level 0: the server must be the one that does.
    run: (target) => refused(target, { ...only(version), ciphers: "DEFAULT@SECLEVEL=0" }),
  };
}

/**
 * @param {string} id
 * @param {SecureVersion} version
 * @returns {Check}
 */
function resumptionCheck(id, version) {
  return {
    id,
    title: `${spoken(version)} session resumed or not, as in the policy`,
    expected: ({ policy }) =>
      `${policy.sessionResumption ? "an abbreviated" : "a full"} handshake where a connection offers an earlier session`,
    skip: skipUnlessAllowed(version),
    async run(target) {
      const { sessionResumption: expected } = target.policy;
      const session = await sessionOf(target, version);
      for (let offer = 1; offer <= RESUMPTION_OFFERS; offer++) {
        const socket = await connectTls(target, { ...only(version), session });
        const resumed = socket.isSessionReused();
        ensure(
          resumed === expected,
          `${resumed ? "an abbreviated" : "a full"} handshake at offer ${offer} of ${RESUMPTION_OFFERS}`,
        );
      }
      return `so at ${RESUMPTION_OFFERS} offers`;
    },
  };
}

/**
 * @param {Target} target
 * @param {SecureVersion} version
 * @returns {Promise<Buffer | undefined>} the newest session the server gave
 */
async function sessionOf(target, version) {
  const socket = await connectTls(target, only(version));
  let session = socket.getSession();
  socket.on("session", (newest) => {
    session = newest;
  });
  // TLS 1.3 gives sessions after the handshake; they come before the answer to a request.
  await get(target, "/healthz", socket);
  return session;
}

/**
 * @param {Target} target
 * @param {ConnectionOptions} options
 */
async function refused(target, options) {
  // Who refuses this client too does not refuse the other for what it offers.
  await connectTls(target);
  let socket;
  try {
    socket = await connectTls(target, options);
  } catch (error) {
    if (isRefusedByServer(error)) {
      return `refused: ${alertOf(error)}`;
    }
    throw error;
  }
  const [cipher, group] = [socket.getCipher().name, groupOf(socket)];
  ensure(false, `a connection with ${socket.getProtocol()}, ${cipher}, ${group}`);
  return "";
}

/**
 * What was agreed on, in the words of the policy.
 *
 * @param {TLSSocket} socket after its handshake
 */
export function negotiated(socket) {
  return {
    version: String(socket.getProtocol()),
    cipher: socket.getCipher().name,
    group: groupOf(socket),
    keyType: certificateKey(socket),
    resumed: socket.isSessionReused(),
  };
}

/** @param {TLSSocket} socket */
function certificateKey(socket) {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } =
    socket.getPeerX509Certificate()?.publicKey ?? {};
  return type === "ec"
    ? `ecdsa ${groupName(details?.namedCurve ?? "of unknown curve")}`
    : `${type} ${details?.modulusLength ?? ""}`.trim();
}

/** @param {TLSSocket} socket */
function groupOf(socket) {
  const { name } = /** @type {{name?: string}} */ (socket.getEphemeralKeyInfo() ?? {});
  return name ? groupName(name) : "a key exchange without a group";
}

/** @param {TlsPolicy} policy */
function foreignGroups({ groups }) {
  const allowed = groups.map(groupName);
  return NIST_GROUPS.filter((group) => !allowed.includes(group)).join(":");
}

/** @param {string} name */
function groupName(name) {
  return GROUP_NAMES[name] ?? name;
}

/**
 * @param {SecureVersion} version
 * @returns {ConnectionOptions}
 */
function only(version) {
  return { minVersion: version, maxVersion: version };
}

/** @param {SecureVersion} version */
function spoken(version) {
  return version === "TLSv1" ? "TLS 1.0" : version.replace("v", " ");
}

/**
 * @param {TlsPolicy} policy
 * @param {SecureVersion} version
 */
function isAllowed({ minVersion, maxVersion }, version) {
  return minVersion <= version && version <= maxVersion;
}

/**
 * @param {SecureVersion} version
 * @returns {(target: Pick<Target, "policy">) => string | undefined}
 */
function skipUnlessAllowed(version) {
  return ({ policy }) =>
    isAllowed(policy, version) ? undefined : `the policy does not allow ${spoken(version)}`;
}
