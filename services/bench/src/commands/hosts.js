/**
 * `hosts`: the machines of hosts.yaml, checked, joined into one network, and left again.
 */
import { join, relative, resolve } from "node:path";
import { UserError } from "../errors.js";
import { examineHosts, judgeEngines } from "../machine/hosts-check.js";
import { isReached, reachEngines } from "../machine/hosts-engines.js";
import { imagesFor, imagesOn } from "../machine/hosts-images.js";
import { joinHosts, leaveHosts } from "../machine/hosts-swarm.js";
import { readHosts } from "../plan/hosts-file.js";
import { pickProxies, readProxies } from "../plan/proxies.js";
import { OWN_ENGINE, Project } from "../platform/docker.js";
import { formatFindings } from "./doctor.js";
import { setup, withoutImage } from "./setup.js";

/**
 * @import { HostEngine } from "../machine/hosts-engines.js"
 * @import { ImageState } from "../machine/hosts-images.js"
 * @import { Proxy } from "../plan/proxies.js"
 * @import { Wanted } from "./program.js"
 */

/**
 * @param {string} directory the project's
 * @param {Wanted["hosts"]} wanted
 * @param {(line: string) => void} say progress
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit status: 1 when `check` found what stops a run
 * @throws {UserError} for a mistake in the file; when a machine cannot be joined or left
 */
export async function hosts(directory, { action, file, proxies }, say, print) {
  const path = resolve(directory, file);
  const machines = readHosts(path, relative(directory, path));
  const known = readProxies(join(directory, "proxies"));
  const chosen = proxies ? pickProxies(known, proxies) : known;
  const engines = await reachEngines(machines);
  if (action === "leave") {
    await leaveHosts(engines, say);
    return 0;
  }
  if (action === "check") {
    const images = await imagesOfAll(directory, engines, chosen);
    const findings = await examineHosts(engines, images);
    for (const line of formatFindings(findings)) print(line);
    return findings.some(({ severity }) => severity === "stop") ? 1 : 0;
  }
  const stop = judgeEngines(engines).find(({ severity }) => severity === "stop");
  if (stop) throw new UserError(`${stop.setting}: ${stop.found}. ${stop.why}`, stop.fix);
  await setup(directory, say);
  const images = await imagesOfAll(directory, engines, chosen);
  const missing = new Map([...images].map(([engine, state]) => [engine, state.missing]));
  await joinHosts(engines.filter(isReached), missing, say);
  say(`joined: ${machines.map(({ name, roles }) => `${name} (${roles.join(", ")})`).join(", ")}`);
  return 0;
}

/**
 * @param {string} directory
 * @param {HostEngine[]} engines
 * @param {Proxy[]} proxies that may be measured; one whose image is not here cannot be, and is left out
 * @returns {Promise<Map<HostEngine, ImageState>>} of those engines that were reached
 */
export async function imagesOfAll(directory, engines, proxies) {
  const config = await new Project(directory, { profile: "*" }).config();
  const all = Object.values(config.services).flatMap(({ image }) => image ?? []);
  const here = await OWN_ENGINE.imageContents([...new Set(all)]);
  const unavailable = withoutImage(config, proxies, here);
  const names = proxies.flatMap(({ name }) => (unavailable.has(name) ? [] : [name]));
  /** @type {Map<HostEngine, ImageState>} */
  const states = new Map();
  for (const engine of engines.filter(isReached))
    states.set(engine, await imagesOn(engine, imagesFor(config, engine.machine, names), here));
  return states;
}
