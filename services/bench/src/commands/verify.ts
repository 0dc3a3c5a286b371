/**
 * `verify`: every proxy passes the same conformance checks before anything is measured.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkConfig } from "../conformance/config-check.ts";
import {
  FIRST_GENERATION,
  formatMatrix,
  formatResult,
  reloadOf,
  runConformance,
} from "../conformance/index.ts";
import { ensureCertificates } from "../platform/certificates.ts";
import { OWN_ENGINE, Project } from "../platform/docker.ts";
import { GenerationFolder } from "../platform/generation.ts";
import { UserError } from "../errors.ts";
import { healthUrl, pickProxies, readProxies } from "../plan/proxies.ts";
import { statusOf, until } from "../platform/wait.ts";
import { setup, unavailableProxies } from "./setup.ts";
import type { CheckResult } from "../conformance/index.ts";
import type { Proxy } from "../plan/proxies.ts";

/** How long a proxy and its echo server may take to answer, in ms. */
const START_LIMIT_MS = 20_000;

/**
 * @param directory the project's
 * @param names of proxies and groups; none: all
 * @param say progress of the setup
 * @returns exit status: 1 when a check failed
 */
export async function verify(
  directory: string,
  names: string[],
  say: (line: string) => void,
  print: (line: string) => void,
): Promise<number> {
  // A wrong name is better known before images are built.
  pickProxies(readProxies(join(directory, "proxies")), names);
  await setup(directory, say);
  return verifyProxies(directory, names, print);
}

/**
 * @param directory the project's, which is set up
 * @param names of proxies and groups; none: all
 * @returns exit status: 1 when a check failed
 */
export async function verifyProxies(
  directory: string,
  names: string[],
  print: (line: string) => void,
): Promise<number> {
  const proxies = readProxies(join(directory, "proxies"));
  const chosen = names.length > 0 ? pickProxies(proxies, names) : proxies;
  const config = await new Project(directory, { profile: "*" }).config();
  const unavailable = await unavailableProxies(directory, config, chosen);
  const available = chosen.filter(({ name }) => !unavailable.has(name));
  const broken: string[] = [];
  const checked: { name: string; results: CheckResult[] }[] = [];
  for (const [name, reason] of unavailable) print(`${name}\n  skip ${reason}`);
  for (const proxy of available) {
    print(`${proxy.name}`);
    try {
      const results = await verifyOne(directory, proxy, print);
      checked.push({ name: proxy.name, results });
      const failures = results.filter(({ ok }) => !ok).length;
      if (failures > 0) broken.push(`${proxy.name} (${failures} failed)`);
    } catch (error) {
      // The other proxies are still worth a look.
      if (!(error instanceof UserError)) throw error;
      print(`  FAIL ${error.message}\n${error.next}`.replace(/\n/g, "\n       "));
      broken.push(`${proxy.name} (could not be checked)`);
    }
  }
  for (const line of formatMatrix(checked)) print(line);
  if (unavailable.size > 0) print(`not checked: ${[...unavailable.keys()].join(", ")}`);
  if (broken.length > 0) print(`not passed: ${broken.join(", ")}`);
  else if (available.length > 0)
    print(`all checks passed: ${available.map(({ name }) => name).join(", ")}`);
  return broken.length === 0 ? 0 : 1;
}

async function verifyOne(
  directory: string,
  proxy: Proxy,
  print: (line: string) => void,
): Promise<CheckResult[]> {
  // A project of its own, so that a running benchmark is not disturbed.
  const name = `${process.env.COMPOSE_PROJECT_NAME || "ws-proxy-bench"}-verify-${process.pid}-${proxy.name}`;
  const generation = new GenerationFolder(directory, name);
  const project = new Project(directory, { name, profile: proxy.name, env: generation.env });
  const config = await project.config();
  const network = config.networks.default.name;
  try {
    const ca = await ensureCertificates(project);
    await checkConfig(project, proxy);
    const services = Object.entries(config.services).filter(([, service]) =>
      service.profiles?.includes(proxy.name),
    );
    const names = services.map(([name]) => name);
    generation.write(proxy.generation, FIRST_GENERATION);
    await project.check(["up", "--detach", "--no-deps", "echo", ...names]);
    await OWN_ENGINE.joinNetwork(network);
    for (const scheme of proxy.schemes) await waitFor(project, healthUrl(scheme));
    return await runConformance({
      host: "proxy",
      ca,
      servername: "proxy",
      policy: JSON.parse(readFileSync(join(directory, "certs/policy.json"), "utf8")),
      keyType: config.services.certs.environment?.TLS_KEY_TYPE === "rsa" ? "rsa" : "ecdsa",
      schemes: proxy.schemes,
      serves: proxy.serves,
      forwarded: proxy.addsForwardedHeaders,
      choosesTls13Cipher: proxy.choosesTls13Cipher,
      proxyProtocol: proxy.sendsProxyProtocol,
      websocketsOverHttp2: proxy.websocketsOverHttp2,
      reload: reloadOf(project, name, proxy, generation),
      onResult: (result) => print(`  ${formatResult(result)}`),
    });
  } finally {
    await OWN_ENGINE.leaveNetwork(network);
    await project.down();
    generation.remove();
  }
}

/** @throws {UserError} with the project's log, when it does not answer 200 in time */
async function waitFor(project: Project, url: string) {
  const last = await until(
    Date.now() + START_LIMIT_MS,
    () => statusOf(url),
    (status) => status === "200",
  );
  if (last === "200") return;
  const { output } = await project.run(["logs", "--no-color", "--tail", "20"]);
  throw new UserError(
    `waited ${START_LIMIT_MS / 1000} s for ${url} to answer 200; last: ${last}`,
    `Its log:\n${output.trim()}`,
  );
}
