/**
 * The Docker engine, by its command line.
 */
import { isIPv4 } from "node:net";
import { hostname, uptime } from "node:os";
import { UserError } from "../errors.ts";
import { limitOf, run, stdoutOf } from "./subprocess.ts";
import type { Result } from "./subprocess.ts";

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

/** @returns as the engine calls it: without the default registry, and with a tag */
export function shortName(image: string): string {
  const name = image.replace(/^docker\.io\/(library\/)?/, "");
  return /:[^/]*$/.test(name) ? name : `${name}:latest`;
}
