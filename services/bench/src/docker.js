/**
 * The one module that talks to Docker and Compose.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "./errors.js";

/**
 * @typedef {object} Result
 * @property {number} code exit status; 128 + n when ended by signal n
 * @property {string} stdout
 * @property {string} stderr
 * @property {string} output both, in the order in which they came
 */

/**
 * Runs a program to its end.
 *
 * @param {string[]} command
 * @param {{env?: Record<string, string>, inherit?: boolean, cwd?: string, firstOutputWithinMs?: number}} [options]
 *   inherit: shares this process' terminal; firstOutputWithinMs: it is ended when it has said nothing by then
 * @returns {Promise<Result>}
 */
export function run(
  [program, ...args],
  { env = {}, inherit = false, cwd, firstOutputWithinMs } = {},
) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: inherit ? "inherit" : ["ignore", "pipe", "pipe"],
      cwd,
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
    // A signal to the container reaches this process alone; the child must end too. But Ctrl-C on a shared terminal reaches
    // both, and a second one would make Compose kill what it is about to stop.
    const forward = (/** @type {NodeJS.Signals} */ signal) => {
      if (!(inherit && process.stdin.isTTY && signal === "SIGINT")) child.kill(signal);
    };
    process.on("SIGINT", forward).on("SIGTERM", forward);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(silence);
      process.off("SIGINT", forward).off("SIGTERM", forward);
      result.code = code ?? (signal === "SIGINT" ? 130 : 143);
      resolve(result);
    });
  });
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
  const { code, stdout, output } = await run(command, options);
  if (code !== 0)
    throw new UserError(`${command.join(" ")} ended with status ${code}`, output.trim());
  return stdout;
}

/**
 * One Compose project of this folder's compose.yaml.
 */
export class Project {
  /**
   * @param {string} directory where compose.yaml is
   * @param {{name?: string, profile?: string, files?: string[], env?: Record<string, string>}} [options]
   *   name: other than compose.yaml's; profile: "*" is all of them; files: instead of compose.yaml and its override
   */
  constructor(directory, { name, profile, files = [], env = {} } = {}) {
    this.directory = directory;
    this.env = env;
    this.prefix = [
      "docker",
      "compose",
      "--env-file",
      ".env",
      ...files.flatMap((file) => ["--file", file]),
      ...(name ? ["--project-name", name] : []),
      ...(profile ? ["--profile", profile] : []),
    ];
  }

  /**
   * @param {string[]} args
   * @param {{inherit?: boolean}} [options]
   */
  run(args, options) {
    return run([...this.prefix, ...args], { env: this.env, cwd: this.directory, ...options });
  }

  /**
   * @param {string[]} args
   * @returns {Promise<string>} stdout
   * @throws {UserError} when it fails; a port that is taken is named with its variable
   */
  async check(args) {
    const { code, stdout, output } = await this.run(args);
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

  /** Removes its containers, networks and volumes. */
  down() {
    return this.check(["down", "--volumes", "--remove-orphans", "--timeout", "2"]);
  }
}

/**
 * @typedef {object} ComposeService the part of a service that is used here
 * @property {string} [image]
 * @property {string[]} [profiles]
 * @property {{context: string, args?: Record<string, string>}} [build]
 * @property {Record<string, string>} [labels]
 * @property {string} [network_mode]
 * @property {{source: string, target: string}[]} [volumes]
 * @property {{target: number, published: string, host_ip: string}[]} [ports]
 *
 * @typedef {object} ComposeConfig
 * @property {string} name
 * @property {Record<string, ComposeService>} services
 * @property {Record<string, {name: string}>} networks
 */

/**
 * @param {string[]} images
 * @returns {Promise<Map<string, string>>} id of each image that this engine has
 */
export async function localImages(images) {
  const { stdout } = await run([
    "docker",
    "image",
    "inspect",
    "--format",
    "{{.Id}} {{json .RepoTags}}",
    ...images,
  ]);
  const ids = new Map();
  for (const line of stdout.trim().split("\n").filter(Boolean)) {
    const [id, tags] = line.split(" ");
    for (const tag of JSON.parse(tags)) ids.set(tag, id);
  }
  return new Map(
    images.flatMap((image) =>
      ids.has(shortName(image)) ? [[image, ids.get(shortName(image))]] : [],
    ),
  );
}

/**
 * The engine leaves out the default registry and the default tag of a name.
 *
 * @param {string} image
 */
function shortName(image) {
  const name = image.replace(/^docker\.io\/(library\/)?/, "");
  return /:[^/]*$/.test(name) ? name : `${name}:latest`;
}
