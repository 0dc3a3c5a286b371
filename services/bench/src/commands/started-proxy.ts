/**
 * A proxy and its echo server, started for a look at them in a project of their own.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkConfig } from "../conformance/config-check.ts";
import { drainOf, FIRST_GENERATION, reloadOf } from "../conformance/index.ts";
import { UserError } from "../errors.ts";
import { healthUrl } from "../plan/proxies.ts";
import { ensureCertificates } from "../platform/certificates.ts";
import { Project } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { GenerationFolder } from "../platform/generation.ts";
import { statusOf, until } from "../platform/wait.ts";
import type { TlsPolicy } from "../model/environment.ts";
import type { Scheme } from "../model/plan.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { TargetReload } from "../conformance/reload-checks.ts";

/** How long a proxy and its echo server may take to answer, in ms. */
const START_LIMIT_MS = 20_000;

interface StartedProxy {
  /** PEM of the authority that signed its certificate */
  ca: string;
  policy: TlsPolicy;
  keyType: "ecdsa" | "rsa";
  reload: TargetReload | null;
  drain: (() => Promise<void>) | null;
  /** of the container that clients reach: where several run, the name `proxy` is each one's */
  address: () => Promise<string>;
  /** @throws {UserError} with the project's log, when it does not answer 200 in time */
  waitFor: (scheme: Scheme, address: string) => Promise<void>;
}

/**
 * @param use is given it once its containers run; they are removed when it ends
 * @throws {UserError} when its config is wrong
 */
export async function withProxy<T>(
  directory: string,
  proxy: Proxy,
  use: (started: StartedProxy) => Promise<T>,
): Promise<T> {
  const name = projectNameFor(proxy);
  const generation = new GenerationFolder(directory, name);
  const project = new Project(directory, { name, profile: proxy.name, env: generation.env });
  const config = await project.readOnce();
  const network = config.networks.default.name;
  try {
    const ca = await ensureCertificates(project);
    await checkConfig(project, proxy);
    const services = Object.entries(config.services).filter(([, service]) =>
      service.profiles?.includes(proxy.name),
    );
    const names = services.map(([service]) => service);
    generation.write(proxy.generation, FIRST_GENERATION);
    await project.check(["up", "--detach", "--no-deps", "echo", ...names]);
    await OWN_ENGINE.joinNetwork(network);
    return await use({
      ca,
      policy: JSON.parse(readFileSync(join(directory, "certs/policy.json"), "utf8")),
      keyType: config.services.certs.environment?.TLS_KEY_TYPE === "rsa" ? "rsa" : "ecdsa",
      reload: reloadOf(project, name, proxy, generation),
      drain: drainOf(project, proxy),
      address: async () => {
        const containers = await OWN_ENGINE.containersOf(name);
        return containers.find(({ service }) => service === proxy.name)?.address ?? "";
      },
      waitFor: (scheme, address) => waitFor(project, healthUrl(scheme), address),
    });
  } finally {
    await OWN_ENGINE.leaveNetwork(network);
    await project.down();
    generation.remove();
  }
}

/**
 * @returns of a Compose project of its own each time, so that neither a running benchmark nor
 *   another check is disturbed: in containers, processes have the same number
 */
export function projectNameFor({ name }: Pick<Proxy, "name">): string {
  // A version has points.
  const service = name.replaceAll(".", "-");
  const each = randomBytes(4).toString("hex");
  return `${process.env.COMPOSE_PROJECT_NAME || "ws-proxy-bench"}-verify-${each}-${service}`;
}

/** What a check has to know of it. */
export function targetOf({ ca, policy, keyType, reload }: StartedProxy, proxy: Proxy) {
  return {
    ...{ ca, policy, keyType, reload },
    servername: "proxy",
    forwarded: proxy.addsForwardedHeaders,
    choosesTls13Cipher: proxy.choosesTls13Cipher,
    proxyProtocol: proxy.sendsProxyProtocol,
    websocketsOverHttp2: proxy.websocketsOverHttp2,
  };
}

async function waitFor(project: Project, url: string, address: string) {
  const last = await until(
    Date.now() + START_LIMIT_MS,
    () => statusOf(url, address),
    (status) => status === "200",
  );
  if (last === "200") return;
  const { output } = await project.run(["logs", "--no-color", "--tail", "20"]);
  throw new UserError(
    `waited ${START_LIMIT_MS / 1000} s for ${url} to answer 200; last: ${last}`,
    `Its log:\n${output.trim()}`,
  );
}
