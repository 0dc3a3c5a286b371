/**
 * Compose projects: their files as Compose understands them, and its commands.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.ts";
import { OWN_ENGINE } from "./engine.ts";
import { GIVEN_UP, limitOf, run } from "./subprocess.ts";
import type { Engine } from "./engine.ts";
import type { Result } from "./subprocess.ts";

/** Until a container that removes itself when it ends is no longer in its network. */
const LETTING_GO_MS = 2_000;

/** the part of a service that is used here */
export interface ComposeService {
  image?: string;
  pull_policy?: string;
  profiles?: string[];
  /** dockerfile: from the context */
  build?: { context: string; dockerfile?: string; args?: Record<string, string> };
  labels?: Record<string, string>;
  network_mode?: string;
  networks?: object;
  /** `name:address` */
  extra_hosts?: string[];
  sysctls?: object;
  volumes?: { type?: string; source: string; target: string; read_only?: boolean; bind?: object }[];
  ports?: { target: number; published: string; host_ip: string }[];
  environment?: Record<string, string>;
  entrypoint?: string[] | null;
  command?: string[] | null;
  ulimits?: Record<string, unknown>;
}

export interface ComposeConfig {
  name: string;
  services: Record<string, ComposeService>;
  networks: Record<string, { name: string; external?: boolean }>;
  volumes?: Record<string, { name: string }>;
}

/** Of a command of Compose. */
interface RunOptions {
  cwd?: string;
  inherit?: boolean;
  signal?: AbortSignal;
  limit?: AbortSignal;
}

/** A project as it was read once, and files with parts of it. */
class ReadProject {
  #config: ComposeConfig;
  #folder = mkdtempSync(join(tmpdir(), "compose-"));
  /** by the names of the services that they hold */
  #files: Map<string, string> = new Map();

  /** @param config with every profile */
  constructor(config: ComposeConfig) {
    this.#config = config;
  }

  /**
   * @param profile "*": all
   * @param named services that are there whatever their profile
   */
  with(profile: string | undefined, named: string[] = []): ComposeConfig {
    const services = Object.entries(this.#config.services).filter(
      ([name, { profiles = [] }]) =>
        profile === "*" ||
        profiles.length === 0 ||
        profiles.includes(profile ?? "") ||
        named.includes(name),
    );
    return structuredClone({ ...this.#config, services: Object.fromEntries(services) });
  }

  /** @returns path of a Compose file with that */
  fileWith(...about: Parameters<ReadProject["with"]>): string {
    const config = this.with(...about);
    const key = Object.keys(config.services).join(" ");
    const file = this.#files.get(key) ?? join(this.#folder, `${this.#files.size}.yaml`);
    // JSON is YAML.
    if (!this.#files.has(key)) writeFileSync(file, JSON.stringify(config));
    this.#files.set(key, file);
    return file;
  }
}

/** By directory, files, name and environment. */
const readProjects: Map<string, ReadProject> = new Map();

/**
 * One Compose project of this folder's compose.yaml.
 */
export class Project {
  #name: string | undefined;
  #files: string[];
  #profile: string | undefined;
  #engine: Engine;
  #limitMs: number | undefined;
  #read: ReadProject | undefined;
  directory: string;
  env: Record<string, string>;
  /** of each command, while Compose reads the files itself */
  prefix: string[];

  /**
   * @param directory where compose.yaml is
   * @param options name: other than compose.yaml's; profile: "*" is all of them; files: instead of
   *   compose.yaml and its override; engine: default: that of ./bench itself; limitMs: a command
   *   that takes longer is given up; left out: none is
   */
  constructor(
    directory: string,
    {
      name,
      profile,
      files = [],
      env = {},
      engine = OWN_ENGINE,
      limitMs,
    }: {
      name?: string;
      profile?: string;
      files?: string[];
      env?: Record<string, string>;
      engine?: Engine;
      limitMs?: number;
    } = {},
  ) {
    this.directory = directory;
    this.env = env;
    this.#name = name;
    this.#files = files;
    this.#profile = profile;
    this.#engine = engine;
    this.#limitMs = limitMs;
    this.prefix = this.#prefixWith(files.flatMap((file) => ["--file", file]));
  }

  /** @param files options that name them */
  #prefixWith(files: string[]) {
    return [
      ...[...this.#engine.client, "compose", "--env-file", ".env"],
      ...files,
      ...(this.#name ? ["--project-name", this.#name] : []),
      ...(this.#profile ? ["--profile", this.#profile] : []),
    ];
  }

  /**
   * Reads compose.yaml and all that it includes now, once for all projects of this name and
   * environment; later changes of these files are not seen. Each further call costs Compose 0.13 s
   * CPU instead of 1.3 (Compose 2.26, 69 services, 12 of them with the profile).
   *
   * @param adapted to another machine; key: changes of the same key are the same
   * @returns with the services of its profile
   * @throws {UserError} when Compose cannot read it
   */
  async readOnce(adapted?: {
    key: string;
    change: (config: ComposeConfig) => ComposeConfig;
  }): Promise<ComposeConfig> {
    const keyOf = (name?: string) =>
      JSON.stringify([this.directory, this.#files, name, this.env, adapted?.key]);
    let read = readProjects.get(keyOf(this.#name));
    if (!read) {
      const args = ["--profile", "*", "config", "--format", "json"];
      const config = JSON.parse(this.#stdoutOf(args, await this.#runWith(this.prefix, args)));
      read = new ReadProject(adapted ? adapted.change(config) : config);
      for (const name of [this.#name, config.name]) readProjects.set(keyOf(name), read);
    }
    this.#read = read;
    return read.with(this.#profile);
  }

  run(args: string[], options?: RunOptions) {
    const file = this.#read?.fileWith(this.#profile, args);
    return this.#runWith(
      file
        ? this.#prefixWith(["--project-directory", this.directory, "--file", file])
        : this.prefix,
      args,
      options,
    );
  }

  #runWith(prefix: string[], args: string[], options?: RunOptions) {
    return run([...prefix, ...args], {
      ...{ env: this.env, cwd: this.directory, limit: limitOf(this.#limitMs) },
      ...options,
    });
  }

  /**
   * @returns stdout
   * @throws {UserError} when it fails; a port that is taken is named with its variable
   */
  async check(args: string[], options?: { signal?: AbortSignal }): Promise<string> {
    return this.#stdoutOf(args, await this.run(args, options));
  }

  #stdoutOf(args: string[], { code, stdout, output }: Result): string {
    if (code === 0) return stdout;
    const taken = output.match(
      /([\d.]+):(\d+) failed: port is already allocated|listen tcp4? ([\d.]+):(\d+): bind: address already in use/,
    );
    const twice = output.match(/services\.(\S+) conflicts with imported resource/);
    if (twice) {
      throw new UserError(
        `two files that compose.yaml includes define the service ${twice[1]}`,
        "Expected a service named as its folder: change the name in the copy's compose.yaml.",
      );
    }
    if (!taken)
      throw new UserError(
        `docker compose ${args.join(" ")} ended with status ${code}`,
        output.trim(),
      );
    const port = taken[2] ?? taken[4];
    throw new UserError(
      `port ${port} of ${taken[1] ?? taken[3]} is already taken by another program or by a proxy that still runs`,
      `Stop it (./bench down stops the proxies), or set ${this.#variableOfPort(port)} in .env or in the environment to a free port (0: any).`,
    );
  }

  #variableOfPort(port: string) {
    const variables = readFileSync(join(this.directory, ".env"), "utf8").matchAll(
      /^(\w+_PORT)=(\d+)$/gm,
    );
    const match = [...variables].find(([, name, value]) => (process.env[name] || value) === port);
    return match?.[1] ?? "its *_PORT";
  }

  /** The project as Compose understands it: files merged, variables filled in. */
  async config(): Promise<ComposeConfig> {
    return JSON.parse(await this.check(["config", "--format", "json"]));
  }

  /**
   * Runs a command in a new container of a service, to its end; the container is removed.
   *
   * @param limitMs then it is killed, and the status is GIVEN_UP
   */
  async runOnce(service: string, command: string[], limitMs: number): Promise<Result> {
    const name = `${service}-once-${randomUUID()}`;
    const result = await this.run(
      ["run", "--rm", "--no-deps", "--no-TTY", "--name", name, service, ...command],
      { limit: AbortSignal.timeout(limitMs) },
    );
    // The client is killed, not what it has started.
    if (result.code === GIVEN_UP) await this.#engine.remove([name]);
    return result;
  }

  /**
   * Sends a signal to the first process of every container of a service that runs; the image needs
   * no `kill` for it.
   *
   * @param name of the signal, without SIG
   * @throws {UserError} when none runs
   */
  async signal(service: string, name: string) {
    await this.check(["kill", "--signal", `SIG${name}`, service]);
  }

  /**
   * Removes its containers, networks and volumes. As its data goes too, nothing has to end in
   * order.
   */
  async down() {
    const args = ["down", "--volumes", "--remove-orphans", "--timeout", "0"];
    // By what the engine has under this name: nothing is read where there are no files.
    const prefix = [...this.#engine.client, "compose", "--project-name", this.#name ?? ""];
    const down = () => (this.#name ? this.#runWith(prefix, args, { cwd: "/" }) : this.run(args));
    const first = await down();
    if (!first.output.includes("has active endpoints")) return this.#stdoutOf(args, first);
    await sleep(LETTING_GO_MS);
    return this.#stdoutOf(args, await down());
  }
}

/**
 * @returns the service whose network it shares, on whose machine it has to be; undefined: it has
 *   one of its own
 */
export function sharedNetwork({
  network_mode: mode,
}: Pick<ComposeService, "network_mode">): string | undefined {
  return mode?.match(/^service:(.+)$/)?.[1];
}
