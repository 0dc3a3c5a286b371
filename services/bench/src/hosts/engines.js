/**
 * The engines of the machines in hosts.yaml.
 */
import { UserError } from "../errors.js";
import { isOwn } from "./file.js";
import { Engine, GIVEN_UP, run as dockerRun } from "../platform/docker.js";
import { BENCH_IMAGE, engineInfo } from "../machine/engine.js";

/**
 * @import { run as Run } from "../platform/docker.js"
 * @import { Machine, Role } from "./file.js"
 * @import { EngineInfo } from "../machine/engine.js"
 *
 * @typedef {object} About
 * @property {Machine} machine
 * @property {EngineInfo | null} info null: it does not answer
 * @property {string} error why it does not; else empty
 *
 * @typedef {Engine & About} HostEngine
 *
 * @typedef {HostEngine & {info: EngineInfo}} ReachedEngine
 *
 * @typedef {object} Patience how long a machine may say nothing, in ms
 * @property {number} reach to the first question
 * @property {number} step to any other: the slowest of them are a Swarm's, and a container that starts
 * @property {number} again once it has been silent: nobody waits as long for it twice
 */

/** @type {Patience} */
const PATIENCE = { reach: 20_000, step: 60_000, again: 5_000 };

/**
 * @param {Machine} machine
 * @returns {string[]} `docker`, with the options that lead to its engine
 */
export function clientOf(machine) {
  const { context, host } = machine;
  if (isOwn(machine)) return ["docker"];
  return context === undefined
    ? ["docker", "--host", String(host)]
    : ["docker", "--context", context];
}

/**
 * @param {Machine[]} machines
 * @param {typeof Run} [run]
 * @param {Patience} [patience]
 * @returns {Promise<HostEngine[]>} in the same order, each asked once; a command that is not answered in time is an error that names the
 *   machine
 */
export function reachEngines(machines, run = dockerRun, patience = PATIENCE) {
  return Promise.all(
    machines.map(async (machine) => {
      /** @type {About} */
      const about = { machine, info: null, error: "" };
      const engine = Object.assign(new Engine(clientOf(machine), run), about);
      engine.run = untilSilent(engine, patience);
      const limit = AbortSignal.timeout(patience.reach);
      try {
        engine.info = await engineInfo((command) => engine.run(command, { limit }));
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        engine.error = error instanceof Silence ? error.fact : error.message;
      }
      return engine;
    }),
  );
}

/**
 * A machine without power, one whose packets are dropped, and an engine that was stopped say nothing, not even that they do not answer.
 *
 * @param {HostEngine} engine
 * @param {Patience} patience
 * @returns {typeof Run} as the engine's, but what is not answered in time is a `UserError`
 */
function untilSilent({ machine, client, run }, { step, again }) {
  let isSilent = false;
  return async (command, options) => {
    const startedMs = performance.now();
    const limit = options?.limit ?? AbortSignal.timeout(isSilent ? again : step);
    const result = await run(command, { ...options, limit });
    isSilent = limit.aborted && result.code === GIVEN_UP;
    if (!isSilent) return result;
    throw new Silence({ machine, client }, stepOf(command), performance.now() - startedMs);
  };
}

/** A machine has said nothing for as long as it may. */
export class Silence extends UserError {
  /**
   * @param {Pick<HostEngine, "machine" | "client">} engine
   * @param {string} step that it did not answer
   * @param {number} ms that it had
   */
  constructor({ machine, client }, step, ms) {
    const seconds = (ms / 1000).toFixed(ms < 1000 ? 1 : 0);
    const fact = `no answer within ${seconds} s to: ${step}`;
    super(
      `${machine.name}: ${fact}`,
      `Its engine, or the way to it, is silent: ${client.join(" ")} version, on the machine where ./bench runs, must end well. Then run this again: it goes on from there.`,
    );
    /** Without the name of the machine. */
    this.fact = fact;
  }
}

/**
 * @param {string[]} command of docker
 * @returns {string} without options, as some are secret; of a container what is to run in it: `docker run, ping`
 */
function stepOf(command) {
  const option = command.findIndex((word) => word.startsWith("-"));
  const verb = command.slice(0, option < 0 ? undefined : option).join(" ");
  const [, inside] = command.slice(
    command.indexOf(command.includes("--entrypoint") ? "--entrypoint" : BENCH_IMAGE),
  );
  return verb === "docker run" ? `${verb}, ${inside}` : verb;
}

/**
 * @param {HostEngine} engine
 * @returns {engine is ReachedEngine}
 */
export function isReached(engine) {
  return engine.info !== null;
}

/**
 * @template {HostEngine} T
 * @param {T[]} engines
 * @param {Role} role
 * @returns {T[]} those of the machines that have it
 */
export function withRole(engines, role) {
  return engines.filter(({ machine }) => machine.roles.includes(role));
}

/**
 * @param {HostEngine} engine
 * @param {string[]} args of docker
 * @returns {Promise<string>} what it wrote to stdout
 * @throws {UserError} when it fails, with the machine and docker's own words
 */
export async function askEngine({ machine, run }, args) {
  const { code, stdout, output } = await run(["docker", ...args]);
  if (code !== 0) {
    throw new UserError(
      `${machine.name}: docker ${args.join(" ")} ended with status ${code}`,
      output.trim(),
    );
  }
  return stdout;
}
