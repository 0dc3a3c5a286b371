/**
 * The engines of the machines in hosts.yaml.
 */
import { UserError } from "../errors.js";
import { isOwn } from "../plan/hosts-file.js";
import { Engine, run as dockerRun } from "../platform/docker.js";
import { engineInfo } from "./engine.js";

/**
 * @import { run as Run } from "../platform/docker.js"
 * @import { Machine, Role } from "../plan/hosts-file.js"
 * @import { EngineInfo } from "./engine.js"
 *
 * @typedef {object} About
 * @property {Machine} machine
 * @property {EngineInfo | null} info null: it does not answer
 * @property {string} error why it does not; else empty
 *
 * @typedef {Engine & About} HostEngine
 *
 * @typedef {HostEngine & {info: EngineInfo}} ReachedEngine
 */

/** Options of every container that looks at a machine. */
export const HARDENED = [
  "--cap-drop",
  "ALL",
  "--read-only",
  "--security-opt",
  "no-new-privileges:true",
];

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
 * @returns {Promise<HostEngine[]>} in the same order, each asked once
 */
export function reachEngines(machines, run = dockerRun) {
  return Promise.all(
    machines.map(async (machine) => {
      /** @type {About} */
      const about = { machine, info: null, error: "" };
      const engine = Object.assign(new Engine(clientOf(machine), run), about);
      try {
        engine.info = await engineInfo(engine.run);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        engine.error = error.message;
      }
      return engine;
    }),
  );
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
