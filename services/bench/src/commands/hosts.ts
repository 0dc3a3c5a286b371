/**
 * `hosts`: the machines of hosts.yaml, checked, joined into one network, and left again.
 */
import { join, relative, resolve } from "node:path";
import { UserError } from "../errors.ts";
import { examineHosts, judgeEngines } from "../hosts/check.ts";
import { isReached, reachEngines } from "../hosts/engines.ts";
import { imagesOfAll } from "../hosts/images.ts";
import { joinHosts, leaveHosts } from "../hosts/swarm.ts";
import { readHosts } from "../hosts/file.ts";
import { chosenProxies, readProxies } from "../plan/proxies.ts";
import { Project } from "../platform/compose.ts";
import { formatFindings } from "./doctor.ts";
import { setup } from "./setup.ts";
import type { HostsArguments } from "./definitions/hosts.ts";

/**
 * @param directory the project's
 * @param say progress
 * @returns exit status: 1 when `check` found what stops a run
 * @throws {UserError} for a mistake in the file; when a machine cannot be joined or left
 */
export async function hosts(
  directory: string,
  { action, file, proxies }: HostsArguments,
  say: (line: string) => void,
  print: (line: string) => void,
): Promise<number> {
  const path = resolve(directory, file);
  const machines = readHosts(path, relative(directory, path));
  const chosen = chosenProxies(readProxies(join(directory, "proxies")), proxies);
  const engines = await reachEngines(machines);
  if (action === "leave") {
    await leaveHosts(engines, say);
    return 0;
  }
  if (action === "check") {
    const images = await imagesOfAll(await readConfig(directory), engines, chosen);
    const findings = await examineHosts(engines, images);
    for (const line of formatFindings(findings)) print(line);
    return findings.some(({ severity }) => severity === "stop") ? 1 : 0;
  }
  const stop = judgeEngines(engines).find(({ severity }) => severity === "stop");
  if (stop) throw new UserError(`${stop.setting}: ${stop.found}. ${stop.why}`, stop.fix);
  await setup(directory, say, { proxies: chosen.map(({ name }) => name) });
  const images = await imagesOfAll(await readConfig(directory), engines, chosen);
  const missing = new Map([...images].map(([engine, state]) => [engine, state.missing]));
  await joinHosts(engines.filter(isReached), missing, say);
  say(`joined: ${machines.map(({ name, roles }) => `${name} (${roles.join(", ")})`).join(", ")}`);
  return 0;
}

function readConfig(directory: string) {
  return new Project(directory, { profile: "*" }).config();
}
