/**
 * The knobs of .env: what a plan sets for Compose, and what it takes from there.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.js";
import schema from "./battle.schema.json" with { type: "json" };
import { expectation } from "./document.js";
import { NETWORKS } from "./network.js";

/** @import { Network } from "./network.js" */

/** The largest share of a load that goes to the reference proxy. */
const MOST_REFERENCE_SHARE = 0.5;

/**
 * @param {string} directory the project's
 * @param {NodeJS.ProcessEnv} environment whose variables win over .env, an empty one too, as in Compose
 * @returns {Map<string, string>} every variable of .env, with the value that is in effect
 */
export function readKnobs(directory, environment) {
  const lines = readFileSync(join(directory, ".env"), "utf8").matchAll(
    /^([A-Z][A-Z0-9_]*)=(.*)$/gm,
  );
  return new Map([...lines].map(([, name, value]) => [name, environment[name] ?? value]));
}

/**
 * @param {string} directory the project's
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {number} REFERENCE_SHARE: of the load that goes to the reference proxy; 0: there is none
 * @throws {UserError} when it is no such share; exit code 2
 */
export function readReferenceShare(directory, environment = process.env) {
  const text = readKnobs(directory, environment).get("REFERENCE_SHARE") || "0";
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (share <= MOST_REFERENCE_SHARE) return share;
  throw new UserError(
    `REFERENCE_SHARE is ${text}`,
    `Expected a share of the load from 0, which means no reference proxy, to ${MOST_REFERENCE_SHARE}, such as 0.125. Set it in the environment or in .env.`,
    2,
  );
}

/**
 * @param {string} directory the project's
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Network} NETWORK: that of tests which do not say it themselves
 * @throws {UserError} when there is none of that name; exit code 2
 */
export function readNetwork(directory, environment = process.env) {
  const text = readKnobs(directory, environment).get("NETWORK") || NETWORKS[0];
  const network = NETWORKS.find((name) => name === text);
  if (network) return network;
  throw new UserError(
    `NETWORK is ${text}`,
    `Expected ${NETWORKS.join(" or ")}. Set it in the environment or in .env.`,
    2,
  );
}

/**
 * @param {string} directory the project's
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {{sloMs?: number, proxyCpus?: number}} SLO_MS and PROXY_CPUS, where they are set: what `./bench capacity` takes in place of what
 *   its battle says
 * @throws {UserError} when one is no such number; exit code 2
 */
export function readCapacityKnobs(directory, environment = process.env) {
  const knobs = readKnobs(directory, environment);
  const { promise, proxyCpus } = schema.properties;
  const read = (
    /** @type {string} */ name,
    /** @type {{minimum: number, maximum: number}} */ range,
  ) => {
    const text = knobs.get(name) || "0";
    const value = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
    if (value === 0 || (value >= range.minimum && value <= range.maximum)) return value;
    throw new UserError(
      `${name} is ${text}`,
      `Expected ${expectation(range)}, or nothing for what battles/capacity.yaml says. Set it in the environment or in .env.`,
      2,
    );
  };
  const [slo, cpus] = [read("SLO_MS", promise.properties.sloMs), read("PROXY_CPUS", proxyCpus)];
  return { ...(slo > 0 && { sloMs: slo }), ...(cpus > 0 && { proxyCpus: cpus }) };
}

/**
 * @param {number | null} workers of a plan
 * @returns {Record<string, string>} knobs for Compose; none: those of .env hold
 */
export function workersEnv(workers) {
  if (workers === null) return {};
  return { PROXY_WORKERS: String(workers), ECHO_WORKERS: String(workers) };
}
