import { execFileSync } from "node:child_process";

const ALGORITHMS = {
  ecdsa: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
  "ecdsa-p384": ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"],
  rsa: ["-newkey", "rsa:2048"],
  "rsa-3072": ["-newkey", "rsa:3072"],
};

export type Algorithm = keyof typeof ALGORITHMS;

const made: Map<Algorithm, string> = new Map();

/** @returns PEM of a key and of its certificate for `localhost`, which is its own authority */
export function certificate(algorithm: Algorithm): string {
  const pem = made.get(algorithm) ?? make(algorithm);
  made.set(algorithm, pem);
  return pem;
}

function make(algorithm: Algorithm) {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const output = ["-nodes", "-keyout", "-"];
  return execFileSync(
    "openssl",
    ["req", "-x509", "-days", "2", ...ALGORITHMS[algorithm], ...subject, ...output],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
}
