/**
 * The one module that talks to Docker and Compose.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { hostname, tmpdir, uptime } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.ts";
import type { ChildProcess } from "node:child_process";

export interface Result {
  /** exit status; 128 + n when ended by signal n */
  code: number;
  stdout: string;
  stderr: string;
  /** both, in the order in which they came */
  output: string;
}

/** Until a container that removes itself when it ends is no longer in its network. */
const LETTING_GO_MS = 2_000;

/** Status of a program that was given up, as timeout(1) has it. */
export const GIVEN_UP = 124;

/**
 * Runs a program to its end.
 *
 * @param options inherit: shares this process' terminal; firstOutputWithinMs: it is ended when it
 *   has said nothing by then; limit: when it is aborted, the program is killed and has ended with
 *   status 124
 * @returns rejects when `signal` is aborted
 */
export function run(
  [program, ...args]: string[],
  {
    env = {},
    inherit = false,
    cwd,
    firstOutputWithinMs,
    signal,
    limit,
  }: {
    env?: Record<string, string>;
    inherit?: boolean;
    cwd?: string;
    firstOutputWithinMs?: number;
    signal?: AbortSignal;
    limit?: AbortSignal;
  } = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    let isGivenUp = false;
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: inherit ? "inherit" : ["ignore", "pipe", "pipe"],
      cwd,
      signal,
    });
    const result = { code: 0, stdout: "", stderr: "", output: "" };
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      result.stdout += text;
      result.output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      result.stderr += text;
      result.output += text;
    });
    const silence =
      firstOutputWithinMs && setTimeout(() => !result.output && child.kill(), firstOutputWithinMs);
    const giveUp = () => {
      isGivenUp = true;
      const text = `given up after ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`;
      result.stderr += text;
      result.output += text;
      child.kill("SIGKILL");
      // What it has started itself, as docker its plugin for Compose, may go on, and would hold
      // them.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    children.add({ child, sharesTerminal: inherit && Boolean(process.stdin.isTTY) });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(silence);
      limit?.removeEventListener("abort", giveUp);
      children.delete(child);
      result.code = isGivenUp ? GIVEN_UP : (code ?? (signal === "SIGINT" ? 130 : 143));
      resolve(result);
    });
    limit?.addEventListener("abort", giveUp);
    if (limit?.aborted) giveUp();
  });
}

/**
 * Programs that run now. A signal to the container reaches this process alone; they must end too.
 * But Ctrl-C on a shared terminal reaches both, and a second one would make Compose kill what it is
 * about to stop.
 */
const children = {
  /** whether it shares the terminal */
  running: new Map() as Map<ChildProcess, boolean>,

  add({ child, sharesTerminal }: { child: ChildProcess; sharesTerminal: boolean }) {
    if (this.running.size === 0) process.on("SIGINT", forward).on("SIGTERM", forward);
    this.running.set(child, sharesTerminal);
  },

  delete(child: ChildProcess) {
    this.running.delete(child);
    // Without a listener the signal ends this process again, as it should while nothing runs.
    if (this.running.size === 0) process.off("SIGINT", forward).off("SIGTERM", forward);
  },
};

function forward(signal: NodeJS.Signals) {
  for (const [child, sharesTerminal] of children.running)
    if (!(sharesTerminal && signal === "SIGINT")) child.kill(signal);
}

/**
 * As `run`, but a status other than 0 is an error.
 *
 * @returns what it wrote to stdout
 * @throws {UserError} with the program's own words
 */
export async function check(
  command: string[],
  options?: Parameters<typeof run>[1],
): Promise<string> {
  return stdoutOf(command, await run(command, options));
}

/** @throws {UserError} with the program's own words, when it failed */
function stdoutOf(command: string[], { code, stdout, output }: Result): string {
  if (code !== 0)
    throw new UserError(`${command.join(" ")} ended with status ${code}`, output.trim());
  return stdout;
}

/**
 * Starts a program that answers each line with a line.
 *
 * @returns ask: rejects with a UserError and the program's own words when it ends without an
 *   answer; end: ends its input, and waits until it has ended
 */
export function converse([program, ...args]: string[]): {
  ask: (line: string) => Promise<string>;
  end: () => Promise<void>;
  kill: () => void;
  hasEnded: () => boolean;
} {
  const child = spawn(program, args, { stdio: "pipe" });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  // A program that has ended reads no more: the missing answer tells it.
  child.stdin.on("error", () => {});
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  children.add({ child, sharesTerminal: false });
  const ended = once(child, "close").finally(() => children.delete(child));
  // Whether anything waits for it or not: the missing answer shows what is wrong with it.
  ended.catch(() => {});
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`);
      const { value, done } = await answers.next();
      if (!done) return value;
      await ended;
      throw new UserError(`${program} ended without an answer`, said.trim());
    },
    async end() {
      child.stdin.end();
      await ended;
    },
    kill: () => void child.kill("SIGKILL"),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
  };
}

/** Of a command of Compose. */
interface RunOptions {
  cwd?: string;
  inherit?: boolean;
  signal?: AbortSignal;
  limit?: AbortSignal;
}

/** @param ms from now; undefined: none */
function limitOf(ms: number | undefined): AbortSignal | undefined {
  return ms === undefined ? undefined : AbortSignal.timeout(ms);
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

export interface ContainerState {
  id: string;
  name: string;
  /** of its Compose project */
  service: string;
  /** from which Compose started it */
  directory?: string;
  /** as in the configuration */
  image: string;
  /** on the host; 0: it does not run */
  pid: number;
  running: boolean;
  exitCode: number;
  outOfMemory: boolean;
  /** by the engine */
  restarts: number;
  startedAt: string;
  /** it has none of its own, but another container's or the machine's */
  sharesNetwork: boolean;
  /** it is the machine's */
  onHostNetwork?: boolean;
  /** in the first of its networks; "": it does not run, or has none of its own */
  address: string;
}

/** The line that says that a program in a container has ended, with its status. */
const ENDED = "program ended with status";

/**
 * A Docker engine, wherever it is. Commands are whole, with `docker` as their first word: it
 * becomes what leads to this engine.
 */
export class Engine {
  #runHere: typeof run;
  client: string[];
  /** As `run` of this module. */
  run: typeof run;

  /**
   * @param client `docker`, with the options that lead to the engine; default: that of ./bench
   *   itself
   * @param limitMs a command that takes longer is given up, unless it has a limit of its own; left
   *   out: none is
   */
  constructor(client: string[] = ["docker"], runHere: typeof run = run, limitMs?: number) {
    this.client = client;
    this.#runHere = runHere;
    this.run = ([program, ...args], options) =>
      runHere(
        program === "docker" ? [...client, ...args] : [program, ...args],
        limitMs === undefined ? options : { limit: limitOf(limitMs), ...options },
      );
  }

  /** @returns the same, each command of which is given up then */
  within(limitMs: number): Engine {
    return new Engine(this.client, this.#runHere, limitMs);
  }

  /**
   * @returns what it wrote to stdout
   * @throws {UserError} as `check` of this module
   */
  async check(command: string[], options?: Parameters<typeof run>[1]): Promise<string> {
    return stdoutOf(command, await this.run(command, options));
  }

  /**
   * @param project name
   * @returns every container of it, ended ones too
   * @throws {UserError} when the engine does not answer
   */
  async containersOf(project: string): Promise<ContainerState[]> {
    // An image that Compose built passes its project on to every container of it; only Compose's
    // own have a number.
    const ids = await this.check([
      ...["docker", "ps", "--all", "--quiet"],
      ...["--filter", `label=com.docker.compose.project=${project}`],
      ...["--filter", "label=com.docker.compose.container-number"],
    ]);
    return this.inspect(ids.split("\n").filter(Boolean));
  }

  /**
   * @param containers names or ids
   * @returns those that exist
   * @throws {UserError} when the engine does not answer
   */
  async inspect(containers: string[]): Promise<ContainerState[]> {
    if (containers.length === 0) return [];
    const { stdout, stderr } = await this.run(["docker", "container", "inspect", ...containers]);
    // One that does not exist is an error to the client, which still reports the others.
    const faults = stderr.split("\n").filter((line) => line && !/No such container/i.test(line));
    if (faults.length > 0)
      throw new UserError("the Docker engine does not answer", faults.join("\n"));
    return JSON.parse(stdout).map(
      ({ Id, Name, Config, HostConfig, State, RestartCount, NetworkSettings }: any) => ({
        id: Id,
        name: Name.slice(1),
        service: Config.Labels["com.docker.compose.service"] ?? "",
        directory: Config.Labels["com.docker.compose.project.working_dir"],
        image: Config.Image,
        pid: State.Pid,
        running: State.Running,
        exitCode: State.ExitCode,
        outOfMemory: State.OOMKilled,
        restarts: RestartCount,
        startedAt: State.StartedAt,
        sharesNetwork: /^(container:|host$)/.test(HostConfig.NetworkMode),
        ...(HostConfig.NetworkMode === "host" && { onHostNetwork: true }),
        address: (Object.values(NetworkSettings.Networks ?? {}) as { IPAddress: string }[]).reduce(
          (first, { IPAddress }) => first || IPAddress,
          "",
        ),
      }),
    );
  }

  /**
   * Removes containers at once, without giving them time to stop.
   *
   * @param containers names or ids; one that does not exist is no error
   */
  async remove(containers: string[]) {
    if (containers.length > 0)
      await this.run(["docker", "rm", "--force", "--volumes", ...containers]);
  }

  /**
   * Sends a signal to the first process of each.
   *
   * @param containers names or ids
   * @param name of the signal, without SIG
   * @throws {UserError} when one does not run
   */
  async signal(containers: string[], name: string) {
    await this.check(["docker", "kill", "--signal", `SIG${name}`, ...containers]);
  }

  /**
   * Runs a program in a container that is up, to its end. It is none of the container's own:
   * nothing that the engine keeps of it, neither its status nor its log, outlasts it. Where the
   * connection to the engine breaks, docker says status 0 of a program that still runs: so it has
   * to say by itself that it has ended.
   *
   * @param container that has a shell
   * @param command as it is: no entrypoint comes before it
   * @param options env: beside the container's own; signal, limit: as for `run` of this module; no
   *   limit: none, however long other commands may take
   * @returns isLost: what became of it is not known
   */
  async runInside(
    container: string,
    command: string[],
    {
      env,
      signal,
      limit,
    }: { env: Record<string, string>; signal: AbortSignal; limit?: AbortSignal },
  ): Promise<Pick<Result, "code" | "output"> & { isLost: boolean }> {
    const set = Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
    const script = `"$@"; status=$?; echo "${ENDED} $status"; exit "$status"`;
    const { code, output } = await this.run(
      ["docker", "exec", ...set, container, "sh", "-c", script, "sh", ...command],
      { signal, limit },
    );
    const own = output.replace(new RegExp(`${ENDED} \\d+\n`), "");
    return { code, output: own, isLost: code === 0 && own === output };
  }

  /**
   * Sends a signal to any process of a container. Its own shell does: who runs there has a right
   * over it, whatever was dropped of the rest.
   *
   * @param pid as the container numbers it
   * @param name of the signal, without SIG
   * @returns when it was sent, ms since 1970, to 10 ms
   * @throws {UserError} when there is no such process
   */
  async signalInside(container: string, pid: number, name: string): Promise<number> {
    // A supervisor kills this shell too, once it has sent it: then its status says nothing.
    const send = `kill -0 ${pid} && read -r up idle </proc/uptime && echo $up && kill -${name} ${pid}`;
    const command = ["docker", "exec", container, "sh", "-c", send];
    const result = await this.run(command);
    const sent = result.stdout || stdoutOf(command, result);
    return Date.now() - 1000 * (uptime() - Number(sent));
  }

  /**
   * With the signal and the grace period that Compose has given them.
   *
   * @param containers all at once
   * @throws {UserError}
   */
  async stop(containers: string[]) {
    await this.check(["docker", "stop", ...containers]);
  }

  /**
   * @param containers that have ended, in the order in which they start
   * @throws {UserError}
   */
  async start(containers: string[]) {
    for (const container of containers) await this.check(["docker", "start", container]);
  }

  /** @returns whether it has ended by then */
  async hasEnded(container: string, limitMs: number): Promise<boolean> {
    const limit = AbortSignal.timeout(limitMs);
    try {
      return (await this.run(["docker", "wait", container], { signal: limit })).code === 0;
    } catch (error) {
      if (limit.aborted) return false;
      throw error;
    }
  }

  /**
   * @param fromMs ms since 1970; default: all of it
   * @returns what it has written; where it cannot be read, why
   */
  async logOf(container: string, fromMs?: number): Promise<string> {
    const since = fromMs === undefined ? [] : ["--since", new Date(fromMs).toISOString()];
    return (await this.run(["docker", "logs", ...since, container])).output;
  }

  /**
   * Lets this container reach, and be reached by, the services of a network.
   *
   * @param alias its name there
   */
  async joinNetwork(network: string, alias?: string) {
    // A run that was broken off in this container may have left it there.
    await this.leaveNetwork(network);
    const name = alias ? ["--alias", alias] : [];
    await this.check(["docker", "network", "connect", ...name, network, hostname()]);
  }

  async hasVolume(name: string): Promise<boolean> {
    return (await this.run(["docker", "volume", "inspect", name])).code === 0;
  }

  /**
   * @param label of volumes, `key=value`
   * @throws {UserError} when the engine does not answer, or one is in use
   */
  async removeVolumes(label: string) {
    const list = await this.check([
      "docker",
      "volume",
      "ls",
      "--quiet",
      "--filter",
      `label=${label}`,
    ]);
    const volumes = list.split("\n").filter(Boolean);
    if (volumes.length > 0) await this.check(["docker", "volume", "rm", ...volumes]);
  }

  /**
   * @returns IPv4 address that the machine itself has in it
   * @throws {UserError} when there is none
   */
  async gatewayOf(network: string): Promise<string> {
    const format = "{{range .IPAM.Config}}{{println .Gateway}}{{end}}";
    const told = await this.check(["docker", "network", "inspect", "--format", format, network]);
    const address = told.split("\n").find((line) => isIPv4(line.replace(/\/\d+$/, "")));
    if (address) return address.replace(/\/\d+$/, "");
    throw new UserError(
      `the machine has no IPv4 address in the network ${network}`,
      "Expected a bridge, as Docker makes it by default.",
    );
  }

  /**
   * @returns address at which the machine finds this container
   * @throws {UserError} when it has none
   */
  async ownAddress(): Promise<string> {
    const [own] = await this.inspect([hostname()]);
    if (own?.address) return own.address;
    throw new UserError(`this program's container, ${hostname()}, has no address`);
  }

  /** @param network that this container has joined, or not */
  async leaveNetwork(network: string) {
    await this.run(["docker", "network", "disconnect", "--force", network, hostname()]);
  }

  /** @returns id of each image that this engine has */
  localImages(images: string[]): Promise<Map<string, string>> {
    return this.#imagesWith("{{.Id}}", images);
  }

  /**
   * Shows whether two engines have the same image. Their ids do not: an engine with
   * containerd's image store has others than one with its own.
   *
   * @returns a text of each image that it has, equal where the image is
   */
  imageContents(images: string[]): Promise<Map<string, string>> {
    const told = [".Created", ".Architecture", ".RootFS.Layers"];
    const config = ["Entrypoint", "Cmd", "Env"].map((key) => `.Config.${key}`);
    const format = [...told, ...config].map((field) => `{{json ${field}}}`).join(" ");
    return this.#imagesWith(format, images);
  }

  /**
   * @param format template of `docker image inspect`
   * @returns what the template prints of each image that the engine has
   */
  async #imagesWith(format: string, images: string[]): Promise<Map<string, string>> {
    const { stdout } = await this.run([
      ...["docker", "image", "inspect", "--format", `{{json .RepoTags}} ${format}`, ...images],
    ]);
    const told = new Map();
    for (const line of stdout.trim().split("\n").filter(Boolean)) {
      const end = line.indexOf(" ");
      for (const tag of JSON.parse(line.slice(0, end))) told.set(tag, line.slice(end + 1));
    }
    return new Map(
      images.flatMap((image) =>
        told.has(shortName(image)) ? [[image, told.get(shortName(image))]] : [],
      ),
    );
  }
}

/** The one that ./bench itself uses. */
export const OWN_ENGINE = new Engine();

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

/**
 * @returns the service whose network it shares, on whose machine it has to be; undefined: it has
 *   one of its own
 */
export function sharedNetwork({
  network_mode: mode,
}: Pick<ComposeService, "network_mode">): string | undefined {
  return mode?.match(/^service:(.+)$/)?.[1];
}

/** @returns as the engine calls it: without the default registry, and with a tag */
export function shortName(image: string): string {
  const name = image.replace(/^docker\.io\/(library\/)?/, "");
  return /:[^/]*$/.test(name) ? name : `${name}:latest`;
}
