/**
 * The knobs of .env: what a plan sets for Compose, and what it takes from there.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import schema from "./battle.schema.json" with { type: "json" };
import { expectation } from "./document.ts";
import { NETWORKS } from "./network.ts";
import type { Network } from "./network.ts";

/** The largest share of a load that goes to the reference proxy. */
const MOST_REFERENCE_SHARE = 0.5;

/**
 * @param directory the project's
 * @param environment whose variables win over .env, an empty one too, as in Compose
 * @returns every variable of .env, with the value that is in effect
 */
export function readKnobs(directory: string, environment: NodeJS.ProcessEnv): Map<string, string> {
  const lines = readFileSync(join(directory, ".env"), "utf8").matchAll(
    /^([A-Z][A-Z0-9_]*)=(.*)$/gm,
  );
  return new Map([...lines].map(([, name, value]) => [name, environment[name] ?? value]));
}

/**
 * @param directory the project's
 * @returns REFERENCE_SHARE: of the load that goes to the reference proxy; 0: there is none
 * @throws {UserError} when it is no such share; exit code 2
 */
export function readReferenceShare(
  directory: string,
  environment: NodeJS.ProcessEnv = process.env,
): number {
  const text = readKnobs(directory, environment).get("REFERENCE_SHARE") || "0";
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN;
  if (share <= MOST_REFERENCE_SHARE) return share;
  throw new UserError(
    `REFERENCE_SHARE is ${text}`,
    `Expected a share of the load from 0, which means no reference, to ${MOST_REFERENCE_SHARE}, such as 0.125. Set it in the environment or in .env.`,
    2,
  );
}

/**
 * @param directory the project's
 * @returns NETWORK: that of tests which do not say it themselves
 * @throws {UserError} when there is none of that name; exit code 2
 */
export function readNetwork(
  directory: string,
  environment: NodeJS.ProcessEnv = process.env,
): Network {
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
 * @param directory the project's
 * @returns SLO_MS and PROXY_CPUS, where they are set: what `./bench capacity` takes instead of
 *   what its battle says
 * @throws {UserError} when one is no such number; exit code 2
 */
export function readCapacityKnobs(
  directory: string,
  environment: NodeJS.ProcessEnv = process.env,
): { sloMs?: number; proxyCpus?: number } {
  const knobs = readKnobs(directory, environment);
  const { promise, proxyCpus } = schema.properties;
  const read = (name: string, range: { minimum: number; maximum: number }) => {
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
 * @param workers of a plan
 * @returns knobs for Compose; none: those of .env hold
 */
export function workersEnv(workers: number | null): Record<string, string> {
  if (workers === null) return {};
  return { PROXY_WORKERS: String(workers), ECHO_WORKERS: String(workers) };
}
