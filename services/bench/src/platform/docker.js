/**
 * The one module that talks to Docker and Compose.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { UserError } from "../errors.js";

/**
 * @typedef {object} Result
 * @property {number} code exit status; 128 + n when ended by signal n
 * @property {string} stdout
 * @property {string} stderr
 * @property {string} output both, in the order in which they came
 */

/** Status of a program that was given up, as timeout(1) has it. */
export const GIVEN_UP = 124;

/**
 * Runs a program to its end.
 *
 * @param {string[]} command
 * @param {{env?: Record<string, string>, inherit?: boolean, cwd?: string, firstOutputWithinMs?: number, signal?: AbortSignal,
 *   limit?: AbortSignal}} [options] inherit: shares this process' terminal; firstOutputWithinMs: it is ended when it has said nothing by
 *   then; limit: when it is aborted, the program is killed and has ended with status 124
 * @returns {Promise<Result>} rejects when `signal` is aborted
 */
export function run(
  [program, ...args],
  { env = {}, inherit = false, cwd, firstOutputWithinMs, signal, limit } = {},
) {
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
    child.stdout?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      result.stdout += text;
      result.output += text;
    });
    child.stderr?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
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
      // What it has started itself, as docker its plugin for Compose, may go on, and would hold them.
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
 * Programs that run now. A signal to the container reaches this process alone; they must end too. But Ctrl-C on a shared
 * terminal reaches both, and a second one would make Compose kill what it is about to stop.
 */
const children = {
  /** @type {Map<import("node:child_process").ChildProcess, boolean>} whether it shares the terminal */
  running: new Map(),

  /** @param {{child: import("node:child_process").ChildProcess, sharesTerminal: boolean}} started */
  add({ child, sharesTerminal }) {
    if (this.running.size === 0) process.on("SIGINT", forward).on("SIGTERM", forward);
    this.running.set(child, sharesTerminal);
  },

  /** @param {import("node:child_process").ChildProcess} child */
  delete(child) {
    this.running.delete(child);
    // Without a listener the signal ends this process again, as it should while nothing runs.
    if (this.running.size === 0) process.off("SIGINT", forward).off("SIGTERM", forward);
  },
};

/** @param {NodeJS.Signals} signal */
function forward(signal) {
  for (const [child, sharesTerminal] of children.running)
    if (!(sharesTerminal && signal === "SIGINT")) child.kill(signal);
}

/**
 * As `run`, but a status other than 0 is an error.
 *
 * @param {string[]} command
 * @param {Parameters<typeof run>[1]} [options]
 * @returns {Promise<string>} what it wrote to stdout
 * @throws {UserError} with the program's own words
 */
export async function check(command, options) {
  return stdoutOf(command, await run(command, options));
}

/**
 * @param {string[]} command
 * @param {Result} result
 * @returns {string}
 * @throws {UserError} with the program's own words, when it failed
 */
function stdoutOf(command, { code, stdout, output }) {
  if (code !== 0)
    throw new UserError(`${command.join(" ")} ended with status ${code}`, output.trim());
  return stdout;
}

/**
 * Starts a program that answers each line with a line.
 *
 * @param {string[]} command
 * @returns {{ask: (line: string) => Promise<string>, end: () => Promise<void>, kill: () => void, hasEnded: () => boolean}} ask: rejects
 *   with a UserError and the program's own words when it ends without an answer; end: ends its input, and waits until it has ended
 */
export function converse([program, ...args]) {
  const child = spawn(program, args, { stdio: "pipe" });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (said += text));
  // A program that has ended reads no more: the missing answer tells it.
  child.stdin.on("error", () => {});
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  children.add({ child, sharesTerminal: false });
  const ended = once(child, "close").finally(() => children.delete(child));
  // Whether it is waited for or not: what is wrong with it is told by the answer that is missing.
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

/**
 * @param {number | undefined} ms from now; undefined: none
 * @returns {AbortSignal | undefined}
 */
function limitOf(ms) {
  return ms === undefined ? undefined : AbortSignal.timeout(ms);
}

/**
 * Projects that were read once, by directory, name and environment: the file that holds each.
 *
 * @type {Map<string, string>}
 */
const readProjects = new Map();

/**
 * One Compose project of this folder's compose.yaml.
 */
export class Project {
  #name;
  #profile;
  #engine;
  #limitMs;

  /**
   * @param {string} directory where compose.yaml is
   * @param {{name?: string, profile?: string, files?: string[], env?: Record<string, string>, engine?: Engine, limitMs?: number}} [options]
   *   name: other than compose.yaml's; profile: "*" is all of them; files: instead of compose.yaml and its override; engine: default: that
   *   of ./bench itself; limitMs: a command that takes longer is given up; left out: none is
   */
  constructor(
    directory,
    { name, profile, files = [], env = {}, engine = OWN_ENGINE, limitMs } = {},
  ) {
    this.directory = directory;
    this.env = env;
    this.#name = name;
    this.#profile = profile;
    this.#engine = engine;
    this.#limitMs = limitMs;
    this.prefix = this.#prefixWith(files.flatMap((file) => ["--file", file]));
  }

  /** @param {string[]} files options that name them */
  #prefixWith(files) {
    return [
      ...[...this.#engine.client, "compose", "--env-file", ".env"],
      ...files,
      ...(this.#name ? ["--project-name", this.#name] : []),
      ...(this.#profile ? ["--profile", this.#profile] : []),
    ];
  }

  /**
   * Reads compose.yaml and all that it includes now, once for all projects of this name and environment; later changes of these files are
   * not seen. Each further call costs Compose 0.13 s CPU instead of 0.41 (Compose 2.26, 25 services with a profile).
   *
   * @param {{key: string, change: (config: ComposeConfig) => ComposeConfig}} [adapted] to another machine; key: changes of the same key
   *   are the same
   * @throws {UserError} when Compose cannot read it
   */
  async readOnce(adapted) {
    const key = JSON.stringify([this.directory, this.#name, this.env, adapted?.key]);
    let file = readProjects.get(key);
    if (!file) {
      const format = adapted ? ["--format", "json"] : [];
      const text = await this.check(["--profile", "*", "config", ...format]);
      file = join(mkdtempSync(join(tmpdir(), "compose-")), "compose.yaml");
      // JSON is YAML.
      writeFileSync(file, adapted ? JSON.stringify(adapted.change(JSON.parse(text))) : text);
      readProjects.set(key, file);
    }
    this.prefix = this.#prefixWith(["--project-directory", this.directory, "--file", file]);
  }

  /**
   * @param {string[]} args
   * @param {{inherit?: boolean, signal?: AbortSignal}} [options]
   */
  run(args, options) {
    const limit = limitOf(this.#limitMs);
    return run([...this.prefix, ...args], {
      ...{ env: this.env, cwd: this.directory, limit },
      ...options,
    });
  }

  /**
   * @param {string[]} args
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<string>} stdout
   * @throws {UserError} when it fails; a port that is taken is named with its variable
   */
  async check(args, options) {
    const { code, stdout, output } = await this.run(args, options);
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
      `port ${port} of ${taken[1] ?? taken[3]} is already taken, by another program or by a proxy that still runs`,
      `End that (./bench down ends the proxies), or set ${this.#variableOfPort(port)} in .env or in the environment to a free port (0: any).`,
    );
  }

  /** @param {string} port */
  #variableOfPort(port) {
    const variables = readFileSync(join(this.directory, ".env"), "utf8").matchAll(
      /^(\w+_PORT)=(\d+)$/gm,
    );
    const match = [...variables].find(([, name, value]) => (process.env[name] || value) === port);
    return match?.[1] ?? "its *_PORT";
  }

  /**
   * The project as Compose understands it: files merged, variables filled in.
   *
   * @returns {Promise<ComposeConfig>}
   */
  async config() {
    return JSON.parse(await this.check(["config", "--format", "json"]));
  }

  /**
   * Sends a signal to the first process of every container of a service that runs; the image needs no `kill` for it.
   *
   * @param {string} service
   * @param {string} name of the signal, without SIG
   * @throws {UserError} when none runs
   */
  async signal(service, name) {
    await this.check(["kill", "--signal", `SIG${name}`, service]);
  }

  /** Removes its containers, networks and volumes. As its data goes too, nothing has to end in order. */
  down() {
    return this.check(["down", "--volumes", "--remove-orphans", "--timeout", "0"]);
  }
}

/**
 * @typedef {object} ContainerState
 * @property {string} id
 * @property {string} name
 * @property {string} service of its Compose project
 * @property {string} image as in the configuration
 * @property {number} pid on the host; 0: it does not run
 * @property {boolean} running
 * @property {number} exitCode
 * @property {boolean} outOfMemory
 * @property {number} restarts by the engine
 * @property {string} startedAt
 * @property {boolean} sharesNetwork it has none of its own, but another container's or the machine's
 * @property {boolean} [onHostNetwork] it is the machine's
 * @property {string} address in the first of its networks; "": it does not run, or has none of its own
 */

/** What tells that a program in a container has ended, with its status. */
const ENDED = "program ended with status";

/**
 * A Docker engine, wherever it is. Commands are whole, with `docker` as their first word: it becomes what leads to this engine.
 */
export class Engine {
  #runHere;

  /**
   * @param {string[]} [client] `docker`, with the options that lead to the engine; default: that of ./bench itself
   * @param {typeof run} [runHere]
   * @param {number} [limitMs] a command that takes longer is given up, unless it has a limit of its own; left out: none is
   */
  constructor(client = ["docker"], runHere = run, limitMs) {
    this.client = client;
    this.#runHere = runHere;
    /** As `run` of this module. @type {typeof run} */
    this.run = ([program, ...args], options) =>
      runHere(
        program === "docker" ? [...client, ...args] : [program, ...args],
        limitMs === undefined ? options : { limit: limitOf(limitMs), ...options },
      );
  }

  /**
   * @param {number} limitMs
   * @returns {Engine} the same, each command of which is given up then
   */
  within(limitMs) {
    return new Engine(this.client, this.#runHere, limitMs);
  }

  /**
   * @param {string[]} command
   * @param {Parameters<typeof run>[1]} [options]
   * @returns {Promise<string>} what it wrote to stdout
   * @throws {UserError} as `check` of this module
   */
  async check(command, options) {
    return stdoutOf(command, await this.run(command, options));
  }

  /**
   * @param {string} project name
   * @returns {Promise<ContainerState[]>} every container of it, ended ones too
   * @throws {UserError} when the engine does not answer
   */
  async containersOf(project) {
    // An image that Compose built passes its project on to every container of it; only Compose's own have a number.
    const ids = await this.check([
      ...["docker", "ps", "--all", "--quiet"],
      ...["--filter", `label=com.docker.compose.project=${project}`],
      ...["--filter", "label=com.docker.compose.container-number"],
    ]);
    return this.inspect(ids.split("\n").filter(Boolean));
  }

  /**
   * @param {string[]} containers names or ids
   * @returns {Promise<ContainerState[]>} those that exist
   * @throws {UserError} when the engine does not answer
   */
  async inspect(containers) {
    if (containers.length === 0) return [];
    const { stdout, stderr } = await this.run(["docker", "container", "inspect", ...containers]);
    // One that does not exist is an error to the client, which reports the others all the same.
    const faults = stderr.split("\n").filter((line) => line && !/No such container/i.test(line));
    if (faults.length > 0)
      throw new UserError("the Docker engine does not answer", faults.join("\n"));
    return JSON.parse(stdout).map(
      (
        /** @type {any} */ { Id, Name, Config, HostConfig, State, RestartCount, NetworkSettings },
      ) => ({
        id: Id,
        name: Name.slice(1),
        service: Config.Labels["com.docker.compose.service"] ?? "",
        image: Config.Image,
        pid: State.Pid,
        running: State.Running,
        exitCode: State.ExitCode,
        outOfMemory: State.OOMKilled,
        restarts: RestartCount,
        startedAt: State.StartedAt,
        sharesNetwork: /^(container:|host$)/.test(HostConfig.NetworkMode),
        ...(HostConfig.NetworkMode === "host" && { onHostNetwork: true }),
        address: /** @type {{IPAddress: string}[]} */ (
          Object.values(NetworkSettings.Networks ?? {})
        ).reduce((first, { IPAddress }) => first || IPAddress, ""),
      }),
    );
  }

  /**
   * Removes containers at once, without giving them time to stop.
   *
   * @param {string[]} containers names or ids; one that does not exist is no error
   */
  async remove(containers) {
    if (containers.length > 0)
      await this.run(["docker", "rm", "--force", "--volumes", ...containers]);
  }

  /**
   * Sends a signal to the first process of each.
   *
   * @param {string[]} containers names or ids
   * @param {string} name of the signal, without SIG
   * @throws {UserError} when one does not run
   */
  async signal(containers, name) {
    await this.check(["docker", "kill", "--signal", `SIG${name}`, ...containers]);
  }

  /**
   * Runs a program in a container that is up, to its end. It is none of the container's own: nothing that the engine keeps of it, neither
   * its status nor its log, outlasts it. Where the connection to the engine breaks, docker says status 0 of a program that still runs: so
   * it has to say by itself that it has ended.
   *
   * @param {string} container that has a shell
   * @param {string[]} command as it is: no entrypoint comes before it
   * @param {{env: Record<string, string>, signal: AbortSignal, limit?: AbortSignal}} options env: beside the container's own; signal, limit: as
   *   for `run` of this module; no limit: none, however long other commands may take
   * @returns {Promise<Pick<Result, "code" | "output"> & {isLost: boolean}>} isLost: what became of it is not known
   */
  async runInside(container, command, { env, signal, limit }) {
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
   * Sends a signal to any process of a container. Its own shell does: who runs there has a right over it, whatever was dropped of the rest.
   *
   * @param {string} container
   * @param {number} pid as the container numbers it
   * @param {string} name of the signal, without SIG
   * @throws {UserError} when there is no such process
   */
  async signalInside(container, pid, name) {
    await this.check(["docker", "exec", container, "sh", "-c", `kill -${name} ${pid}`]);
  }

  /**
   * With the signal and the grace period that Compose has given them.
   *
   * @param {string[]} containers all at once
   * @throws {UserError}
   */
  async stop(containers) {
    await this.check(["docker", "stop", ...containers]);
  }

  /**
   * @param {string[]} containers that have ended, in the order in which they start
   * @throws {UserError}
   */
  async start(containers) {
    for (const container of containers) await this.check(["docker", "start", container]);
  }

  /**
   * @param {string} container
   * @param {number} limitMs
   * @returns {Promise<boolean>} whether it has ended by then
   */
  async hasEnded(container, limitMs) {
    const limit = AbortSignal.timeout(limitMs);
    try {
      return (await this.run(["docker", "wait", container], { signal: limit })).code === 0;
    } catch (error) {
      if (limit.aborted) return false;
      throw error;
    }
  }

  /**
   * @param {string} container
   * @param {number} [fromMs] ms since 1970; default: all of it
   * @returns {Promise<string>} what it has written; where it cannot be read, why
   */
  async logOf(container, fromMs) {
    const since = fromMs === undefined ? [] : ["--since", new Date(fromMs).toISOString()];
    return (await this.run(["docker", "logs", ...since, container])).output;
  }

  /**
   * Lets this container reach, and be reached by, the services of a network.
   *
   * @param {string} network
   * @param {string} [alias] its name there
   */
  async joinNetwork(network, alias) {
    // A run that was broken off in this container may have left it there.
    await this.leaveNetwork(network);
    const name = alias ? ["--alias", alias] : [];
    await this.check(["docker", "network", "connect", ...name, network, hostname()]);
  }

  /**
   * @param {string} label of volumes, `key=value`
   * @throws {UserError} when the engine does not answer, or one is in use
   */
  async removeVolumes(label) {
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
   * @param {string} network
   * @returns {Promise<string>} IPv4 address that the machine itself has in it
   * @throws {UserError} when there is none
   */
  async gatewayOf(network) {
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
   * @returns {Promise<string>} address at which the machine finds this container
   * @throws {UserError} when it has none
   */
  async ownAddress() {
    const [own] = await this.inspect([hostname()]);
    if (own?.address) return own.address;
    throw new UserError(`this program's container, ${hostname()}, has no address`);
  }

  /** @param {string} network that this container has joined, or not */
  async leaveNetwork(network) {
    await this.run(["docker", "network", "disconnect", "--force", network, hostname()]);
  }

  /**
   * @param {string[]} images
   * @returns {Promise<Map<string, string>>} id of each image that this engine has
   */
  localImages(images) {
    return this.#imagesWith("{{.Id}}", images);
  }

  /**
   * What tells whether two engines have the same image. Their ids do not: an engine with containerd's image store has others than one with
   * its own.
   *
   * @param {string[]} images
   * @returns {Promise<Map<string, string>>} a text of each image that it has, equal where the image is
   */
  imageContents(images) {
    const told = [".Created", ".Architecture", ".RootFS.Layers"];
    const config = ["Entrypoint", "Cmd", "Env"].map((key) => `.Config.${key}`);
    const format = [...told, ...config].map((field) => `{{json ${field}}}`).join(" ");
    return this.#imagesWith(format, images);
  }

  /**
   * @param {string} format template of `docker image inspect`
   * @param {string[]} images
   * @returns {Promise<Map<string, string>>} what the template tells of each image that the engine has
   */
  async #imagesWith(format, images) {
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

/**
 * @typedef {object} ComposeService the part of a service that is used here
 * @property {string} [image]
 * @property {string} [pull_policy]
 * @property {string[]} [profiles]
 * @property {{context: string, args?: Record<string, string>}} [build]
 * @property {Record<string, string>} [labels]
 * @property {string} [network_mode]
 * @property {object} [networks]
 * @property {string[]} [extra_hosts] `name:address`
 * @property {object} [sysctls]
 * @property {{type?: string, source: string, target: string, read_only?: boolean, bind?: object}[]} [volumes]
 * @property {{target: number, published: string, host_ip: string}[]} [ports]
 * @property {Record<string, string>} [environment]
 * @property {string[] | null} [entrypoint]
 * @property {string[] | null} [command]
 * @property {Record<string, unknown>} [ulimits]
 *
 * @typedef {object} ComposeConfig
 * @property {string} name
 * @property {Record<string, ComposeService>} services
 * @property {Record<string, {name: string, external?: boolean}>} networks
 * @property {Record<string, {name: string}>} [volumes]
 */

/**
 * @param {Pick<ComposeService, "network_mode">} service
 * @returns {string | undefined} the service whose network it shares, on whose machine it has to be; undefined: it has one of its own
 */
export function sharedNetwork({ network_mode: mode }) {
  return mode?.match(/^service:(.+)$/)?.[1];
}

/**
 * @param {string} image
 * @returns {string} as the engine calls it: without the default registry, and with a tag
 */
export function shortName(image) {
  const name = image.replace(/^docker\.io\/(library\/)?/, "");
  return /:[^/]*$/.test(name) ? name : `${name}:latest`;
}
