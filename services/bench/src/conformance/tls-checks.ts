import tls from "node:tls";
import { connectTls, get } from "./connect.ts";
import { alertOf, ensure, isRefusedByServer } from "./mismatch.ts";
import type { ConnectionOptions, SecureVersion, TLSSocket } from "node:tls";
import type { Target } from "./connect.ts";
import type { TlsPolicy } from "../model/environment.ts";
import type { Check } from "./checks.ts";

/** OpenSSL's names of groups that have another in policies and standards. */
const GROUP_NAMES: Record<string, string> = {
  prime256v1: "P-256",
  secp256r1: "P-256",
  secp384r1: "P-384",
  secp521r1: "P-521",
};

/**
 * P-256 first, so that an ECDSA certificate on that curve does not by itself make a TLS 1.2 server
 * refuse.
 */
const NIST_GROUPS = ["P-256", "P-384", "P-521"];

const CERTIFICATE_KEYS = { ecdsa: "ecdsa P-256", rsa: "rsa 2048" };

/** Workers may each keep sessions of their own: one offer could reach another worker by chance. */
const RESUMPTION_OFFERS = 4;

export const TLS_CHECKS: Check[] = [
  versionCheck("tls13-version", "TLSv1.3"),
  versionCheck("tls12-version", "TLSv1.2"),
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

function versionCheck(id: string, version: SecureVersion): Check {
  return {
    id,
    title: `${spoken(version)} client served`,
    expected: `a connection with ${version}`,
    skip: skipUnlessAllowed(version),
    async run(target) {
      await connectTls(target, only(version));
      return version;
    },
  };
}

function cipherCheck(
  id: string,
  version: SecureVersion,
  allowed: (target: Target) => string[],
): Check {
  const isLeftToClient = ({ choosesTls13Cipher }: Target) =>
    version === "TLSv1.3" && !choosesTls13Cipher;
  return {
    id,
    title: `${spoken(version)} cipher of the policy negotiated`,
    tuning: true,
    expected: (target) =>
      `${allowed(target).join(" or ")}${isLeftToClient(target) ? ", with a client that prefers it" : ""}`,
    skip: skipUnlessAllowed(version),
    async run(target) {
      // OpenSSL's own order prefers 256-bit keys: a server without the policy would choose another
      // cipher.
      const ciphers = isLeftToClient(target) ? preferredCiphers(target.policy) : "DEFAULT";
      const { name } = (await connectTls(target, { ...only(version), ciphers })).getCipher();
      ensure(allowed(target).includes(name), name);
      return name;
    },
  };
}

/**
 * All ciphers that Node offers, those of the policy first. So do the loads that offer more than the
 * policy's: k6, as Go orders them.
 *
 * @returns as Node takes them
 */
export function preferredCiphers({ cipherSuitesTls13: first }: TlsPolicy): string {
  const others = tls.DEFAULT_CIPHERS.split(":").filter((cipher) => !first.includes(cipher));
  return [...first, ...others].join(":");
}

function groupCheck(id: string, version: SecureVersion): Check {
  return {
    id,
    title: `${spoken(version)} key-exchange group of the policy negotiated`,
    tuning: true,
    expected: ({ policy }) => policy.groups.join(" or "),
    skip: skipUnlessAllowed(version),
    async run(target) {
      const group = groupOf(await connectTls(target, only(version)));
      ensure(target.policy.groups.map(groupName).includes(group), group);
      return group;
    },
  };
}

function foreignGroupCheck(id: string, version: SecureVersion): Check {
  return {
    id,
    title: `${spoken(version)} client without a group of the policy refused`,
    tuning: true,
    expected: "no TLS connection",
    skip: skipUnlessAllowed(version),
    run: (target) => refused(target, { ...only(version), ecdhCurve: foreignGroups(target.policy) }),
  };
}

function oldVersionCheck(id: string, version: SecureVersion): Check {
  return {
    id,
    title: `${spoken(version)} client refused`,
    tuning: true,
    expected: "no TLS connection",
    skip: ({ policy }) =>
      isAllowed(policy, version) ? `the policy allows ${spoken(version)}` : undefined,
    // OpenSSL itself refuses these versions above security level 0: the server must be the one that
    // does.
    run: (target) => refused(target, { ...only(version), ciphers: "DEFAULT@SECLEVEL=0" }),
  };
}

function resumptionCheck(id: string, version: SecureVersion): Check {
  return {
    id,
    title: `${spoken(version)} session resumed or not, as in the policy`,
    tuning: true,
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

/** @returns the newest session the server gave */
async function sessionOf(target: Target, version: SecureVersion): Promise<Buffer | undefined> {
  const socket = await connectTls(target, only(version));
  let session = socket.getSession();
  socket.on("session", (newest) => {
    session = newest;
  });
  // TLS 1.3 gives sessions after the handshake; they come before the answer to a request.
  await get(target, "/healthz", socket);
  return session;
}

async function refused(target: Target, options: ConnectionOptions) {
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
 * @param socket after its handshake
 */
export function negotiated(socket: TLSSocket) {
  return {
    version: String(socket.getProtocol()),
    cipher: socket.getCipher().name,
    group: groupOf(socket),
    keyType: certificateKey(socket),
    resumed: socket.isSessionReused(),
  };
}

function certificateKey(socket: TLSSocket) {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } =
    socket.getPeerX509Certificate()?.publicKey ?? {};
  return type === "ec"
    ? `ecdsa ${groupName(details?.namedCurve ?? "of unknown curve")}`
    : `${type} ${details?.modulusLength ?? ""}`.trim();
}

function groupOf(socket: TLSSocket) {
  const { name } = (socket.getEphemeralKeyInfo() ?? {}) as { name?: string };
  return name ? groupName(name) : "a key exchange without a group";
}

function foreignGroups({ groups }: TlsPolicy) {
  const allowed = groups.map(groupName);
  return NIST_GROUPS.filter((group) => !allowed.includes(group)).join(":");
}

function groupName(name: string) {
  return GROUP_NAMES[name] ?? name;
}

function only(version: SecureVersion): ConnectionOptions {
  return { minVersion: version, maxVersion: version };
}

function spoken(version: SecureVersion) {
  return version === "TLSv1" ? "TLS 1.0" : version.replace("v", " ");
}

function isAllowed({ minVersion, maxVersion }: TlsPolicy, version: SecureVersion) {
  return minVersion <= version && version <= maxVersion;
}

function skipUnlessAllowed(
  version: SecureVersion,
): (target: Pick<Target, "policy">) => string | undefined {
  return ({ policy }) =>
    isAllowed(policy, version) ? undefined : `the policy does not allow ${spoken(version)}`;
}
