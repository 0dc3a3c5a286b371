/**
 * What the programs that take part say about themselves.
 */

import type { run as Run } from "../platform/subprocess.ts";
import type { Proxy } from "../plan/proxies.ts";

/** How the services that every run shares are asked; a proxy says it in proxy.json. */
const SHARED = {
  reference: ["nginx", "-V"],
  echo: ["node", "-p", "`node ${process.version}\\nOpenSSL ${process.versions.openssl}`"],
  load: ["k6", "version"],
  "load-http": ["sh", "-c", "wrk -v 2>&1 | head -n 1; ab -V | head -n 1; node --version"],
  "node-web": ["node", "--version"],
  spring: ["java", "--version"],
  influxdb: ["influxd", "version"],
  cadvisor: ["cadvisor", "--version"],
};

/**
 * HAProxy's list of what it was built with ends about here; the tables that follow say what it
 * could do.
 */
const MOST_LINES = 32;

/** Containers. */
const AT_A_TIME = 4;

/** Where a local build says what package it has: offline/install.sh writes it. */
const PACKAGE = "/usr/local/share/ws-proxy-bench/package";
/** Asks the program that its arguments are, after a line about the package, which may be empty. */
const ASK = `cat ${PACKAGE} 2>/dev/null || echo; exec "$@" 2>&1`;

export interface Version {
  /** its first line */
  version: string;
  /** the lines after it: build options, libraries; null: none */
  build: string | null;
  /** of a local build: suite, and how it is not the official one; null: none, or not told */
  origin: string | null;
}

/**
 * Runs each program once in a container of its image (1 s in all on two cores). Not with `docker
 * compose run`, as the config checks are: a version needs neither mounts nor networks, and several
 * of those at once would each create the project's network.
 *
 * @param images by service; only those services are asked
 * @returns by service
 */
export async function readVersions(
  images: Record<string, string>,
  proxies: Proxy[],
  run: typeof Run,
): Promise<Record<string, Version>> {
  const commands = {
    ...SHARED,
    ...Object.fromEntries(
      proxies.flatMap(({ name, versions }) =>
        versions.map(({ part, command }) => [part ? `${name}-${part}` : name, command]),
      ),
    ),
  };
  const services = Object.entries(commands).filter(([service]) => images[service]);
  /** Services that share image and command share the answer. */
  const questions = new Map(
    services.map(([service, command]) => {
      const question = { image: images[service], command };
      return [JSON.stringify(question), question];
    }),
  );
  const answers: Map<string, Version> = new Map();
  const left = [...questions];
  const askNext = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [key, { image, command }] = next;
      answers.set(key, await ask(image, command, run));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, askNext));
  return Object.fromEntries(
    services.map(([service, command]) => [
      service,
      answers.get(JSON.stringify({ image: images[service], command })) as Version,
    ]),
  );
}

async function ask(image: string, command: string[], run: typeof Run): Promise<Version> {
  const { code, output } = await run([
    ...["docker", "run", "--rm", "--pull", "never", "--network", "none"],
    ...["--entrypoint", "sh", image, "-c", ASK, "sh", ...command],
  ]);
  const [origin, ...lines] = output.split("\n");
  if (code !== 0) {
    const version = `not told: \`${command.join(" ")}\` ended with status ${code}`;
    return { version, build: null, origin: null };
  }
  const [version, ...build] = lines.filter((line) => line.trim());
  const left = build.length - MOST_LINES;
  if (left > 0) build.splice(MOST_LINES, left, `(${left} more lines)`);
  return {
    version: version ?? "not told",
    build: build.length > 0 ? build.join("\n") : null,
    origin: origin || null,
  };
}
