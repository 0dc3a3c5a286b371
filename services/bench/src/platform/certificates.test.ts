import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { CertificateFolder } from "./certificates.ts";
import type { TestContext } from "node:test";

/** What the service `certs` runs. */
const SCRIPT = join(import.meta.dirname, "../../../../certs/generate");
const FILES = ["ca.pem", "cert.pem", "combined.pem", "key.pem", "renewals.pem"];

function emptyFolder(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "certificates-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

function generate(
  directory: string,
  { keyType = "ecdsa", then = "" }: { keyType?: string; then?: "show" | "renew" | "" } = {},
) {
  const { status, stdout, stderr } = spawnSync("sh", [SCRIPT, directory, then], {
    env: { ...process.env, TLS_KEY_TYPE: keyType },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

function contents(directory: string) {
  return Object.fromEntries(
    readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), "utf8")]),
  );
}

for (const [keyType, size] of [
  ["ecdsa", "prime256v1"],
  ["rsa", 2048],
] as const) {
  test(`makes an ${keyType} certificate for the names proxy and reference, which every user can read`, (t) => {
    const directory = emptyFolder(t);
    const { status, stderr } = generate(directory, { keyType });
    assert.deepEqual([status, stderr], [0, `made a certificate (${keyType})\n`]);
    const made = contents(directory);
    assert.deepEqual(Object.keys(made).sort(), FILES);
    for (const file of FILES)
      assert.equal(statSync(join(directory, file)).mode & 0o777, 0o644, file);
    assert.equal(made["combined.pem"], made["cert.pem"] + made["key.pem"]);

    const certificate = new X509Certificate(made["cert.pem"]);
    const authority = new X509Certificate(made["ca.pem"]);
    assert.ok(authority.ca && certificate.verify(authority.publicKey));
    for (const name of ["proxy", "reference"]) assert.equal(certificate.checkHost(name), name);
    const { namedCurve, modulusLength } = certificate.publicKey.asymmetricKeyDetails ?? {};
    assert.equal(namedCurve ?? modulusLength, size);
  });
}

test("certificates that are valid stay; show writes the authority's", (t) => {
  const directory = emptyFolder(t);
  generate(directory);
  const made = contents(directory);
  assert.deepEqual(generate(directory, { then: "show" }), {
    status: 0,
    stdout: made["ca.pem"],
    stderr: "",
  });
  assert.deepEqual(contents(directory), made);
});

test("a folder for a proxy's certificate: each has its number as serial, and the same key and authority", (t) => {
  const directory = emptyFolder(t);
  generate(directory);
  const { "ca.pem": ca, "key.pem": key } = contents(directory);
  const folder = new CertificateFolder(directory, "mine");
  assert.deepEqual(folder.env, { CERTS_FOLDER: folder.path });
  folder.fill(generate(directory, { then: "renew" }).stdout);
  const authority = new X509Certificate(ca);
  for (const number of [1, 2, 11]) {
    folder.write(number);
    const made = contents(folder.path);
    assert.deepEqual(Object.keys(made).sort(), ["cert.pem", "combined.pem", "key.pem"]);
    const certificate = new X509Certificate(made["cert.pem"]);
    assert.equal(Number(`0x${certificate.serialNumber}`), number);
    assert.ok(certificate.verify(authority.publicKey));
    assert.ok(certificate.checkPrivateKey(createPrivateKey(key)));
    assert.equal(made["combined.pem"], made["cert.pem"] + key);
  }
  assert.throws(() => folder.write(12), /no certificate 12/);
  folder.remove();
  assert.ok(!existsSync(folder.path));
});

test("a certificate that ends within a month, lacks a name, or whose making was broken off, is made again", (t) => {
  const directory = emptyFolder(t);
  generate(directory);
  const replace = (days: string, names: string) => () =>
    execFileSync("openssl", [
      ...["req", "-x509", "-new", "-subj", "/CN=proxy", "-days", days],
      ...["-addext", `subjectAltName=${names}`],
      ...["-key", join(directory, "key.pem"), "-out", join(directory, "cert.pem")],
    ]);
  for (const spoil of [
    replace("29", "DNS:proxy,DNS:reference"),
    // As they were before there was a reference proxy.
    replace("365", "DNS:proxy,DNS:echo,DNS:localhost"),
    () => rmSync(join(directory, "cert.pem")),
    // As they were before certificates were renewed.
    () => rmSync(join(directory, "renewals.pem")),
  ]) {
    spoil();
    const before = contents(directory);
    assert.match(generate(directory).stderr, /^made a certificate/);
    const after = contents(directory);
    for (const file of FILES) assert.notEqual(after[file], before[file], file);
  }
});
