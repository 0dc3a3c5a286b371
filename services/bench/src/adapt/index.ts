/**
 * Fits a user's configuration into a folder of proxies/: a copy that listens, forwards and finds its
 * certificate as all others here. It names each change with its line.
 */
import { UserError } from "../errors.ts";
import { Apache } from "./apache.ts";
import { Caddy } from "./caddy.ts";
import { adaptEnvoy } from "./envoy.ts";
import { Haproxy } from "./haproxy.ts";
import { Hitch } from "./hitch.ts";
import { Nginx } from "./nginx.ts";
import { adaptTraefik } from "./traefik.ts";
import { Templates } from "./source.ts";
import type { Adapted, Asked, Copy, Source } from "./source.ts";

export { writeCompose, writeFolder, writeVersion } from "./folder.ts";
export { inProject, isOneContainer, makeProject, removeProject } from "./project.ts";
export { openSource, refuseUnplaced } from "./source.ts";
export type { Tried } from "./folder.ts";
export type { Made } from "./project.ts";
export type { Adapted, Change } from "./source.ts";

type Adapt<Result, More extends unknown[] = []> = (
  source: Source,
  asked: Asked,
  ...more: More
) => Result;

/** How a kind of proxy is run with a configuration that is not the suite's own. */
export interface Kind {
  /** of the file that it begins to read, the usual first */
  names: string[];
  /** of its containers the one that reads it: see proxy.json; left out: the one that clients reach */
  part?: string;
  /** where that file is in the container, under the first of these names */
  root: string;
  /** @throws {UserError} with the line, where it cannot be adapted; exit code 2 */
  adapt: Adapt<Adapted>;
  /** needs no shell: images may have none */
  command: (file: string, text: string) => string[];
  /** ends with a status other than 0 when the file is wrong; null: it has none */
  check: ((file: string) => string[]) | null;
}

/** Of Compose, which fills it. */
const WORKERS = "${PROXY_WORKERS}";

type Known = Omit<Kind, "adapt"> & { adapt: Adapt<Copy, [Templates]> };

const HITCH: Known = {
  names: ["hitch.conf"],
  root: "/etc/hitch",
  adapt: (...about) => new Hitch(...about).adapt(true),
  command: (file, text) => {
    const workers = /^\s*workers\s*=/m.test(text) ? [] : [`--workers=${WORKERS}`];
    return ["hitch", `--config=${file}`, ...workers];
  },
  check: (file) => ["hitch", "--test", `--config=${file}`],
};

const KINDS: Record<string, Known> = {
  nginx: {
    names: ["nginx.conf"],
    root: "/etc/nginx",
    adapt: (...about) => new Nginx(...about).adapt(),
    // As ../../../../proxies/run-nginx.sh: what the file says by itself holds.
    command: (file, text) => {
      const isSet = /^\s*worker_processes\s/m.test(text);
      const directives = isSet ? "daemon off;" : `daemon off; worker_processes ${WORKERS};`;
      return ["nginx", "-c", file, "-g", directives];
    },
    check: (file) => ["nginx", "-t", "-c", file],
  },
  haproxy: {
    names: ["haproxy.cfg"],
    root: "/usr/local/etc/haproxy",
    adapt: (...about) => new Haproxy(...about).adapt(),
    command: (file) => ["haproxy", "-W", "-db", "-f", file],
    check: (file) => ["haproxy", "-c", "-f", file],
  },
  envoy: {
    names: ["envoy.yaml", "envoy.yml", "envoy.json"],
    root: "/etc/envoy",
    adapt: adaptEnvoy,
    command: (file) => ["envoy", "-c", file, "--concurrency", WORKERS, "--log-level", "warn"],
    check: (file) => ["envoy", "--mode", "validate", "-c", file],
  },
  caddy: {
    names: ["Caddyfile"],
    root: "/etc/caddy",
    adapt: (...about) => new Caddy(...about).adapt(),
    command: (file) => ["caddy", "run", "--config", file, "--adapter", "caddyfile"],
    check: (file) => ["caddy", "validate", "--config", file, "--adapter", "caddyfile"],
  },
  traefik: {
    names: ["traefik.yaml", "traefik.yml", "docker-compose.yml", "compose.yaml"],
    root: "/etc/traefik",
    adapt: adaptTraefik,
    command: (file) => ["traefik", `--configFile=${file}`],
    check: null,
  },
  apache: {
    names: ["httpd.conf", "apache2.conf"],
    root: "/usr/local/apache2/conf",
    adapt: (...about) => new Apache(...about).adapt(),
    command: (file) => ["httpd", "-D", "FOREGROUND", "-f", file],
    check: (file) => ["httpd", "-t", "-f", file],
  },
  hitch: HITCH,
  "haproxy-hitch": { ...HITCH, part: "tls", adapt: (...about) => new Hitch(...about).adapt(false) },
};

/**
 * @param proxy folder of proxies/
 * @throws {UserError} when its configurations cannot be adapted; exit code 2
 */
export function kindOf(proxy: string): Kind {
  const kind = KINDS[proxy];
  if (kind)
    return {
      ...kind,
      adapt: (source, asked) => {
        const templates = new Templates(asked.set);
        return templates.finish(kind.adapt(source, asked, templates));
      },
    };
  throw new UserError(
    `a configuration of ${proxy} cannot be tried`,
    `Expected one of ${Object.keys(KINDS).join(", ")}. For another proxy: docs/own-config.md.`,
    2,
  );
}
