/**
 * Whether the machines of hosts.yaml are joined, as a run needs them, and what is recorded of them.
 */
import { UserError } from "../errors.ts";
import { isOwn } from "./file.ts";
import { judgeEngines } from "./check.ts";
import { clockOffset } from "./clock.ts";
import { isReached } from "./engines.ts";
import { hasNetwork, hindrance, managerOf, NETWORK, standingsOf } from "./swarm.ts";
import type { MachineOfRun } from "../model/environment.ts";
import type { HostEngine, ReachedEngine } from "./engines.ts";
import type { ImageState } from "./images.ts";

/**
 * @param file that names them, as it was typed
 * @returns the same
 * @throws {UserError} when one does not answer, or is not joined
 */
export async function requireJoined(engines: HostEngine[], file: string): Promise<ReachedEngine[]> {
  const join = `./bench hosts join --hosts ${file}`;
  const stop = judgeEngines(engines).find(({ severity }) => severity === "stop");
  if (stop) throw new UserError(`${stop.setting}: ${stop.found}. ${stop.why}`, stop.fix);
  const reached = engines.filter(isReached);
  for (const [engine, { state }] of await standingsOf(reached)) {
    if (state === "joined") continue;
    const found = hindrance(engine, state);
    throw new UserError(
      found?.fact ?? `${engine.machine.name} is not joined with the other machines`,
      found?.next ?? `Join them first: ${join}`,
    );
  }
  if (!(await hasNetwork(managerOf(reached))))
    throw new UserError(`there is no network ${NETWORK} over the machines`, `Make it: ${join}`);
  return reached;
}

/**
 * @param images of each machine
 * @throws {UserError} when a machine lacks one
 */
export function requireImages(images: Map<HostEngine, ImageState>, file: string) {
  // One that is nowhere is a proxy's that this machine cannot have either, or a service's that the
  // run does not start.
  for (const [{ machine }, { missing }] of images) {
    if (missing.length === 0) continue;
    throw new UserError(
      `${machine.name} lacks images, or has other versions than this machine: ${missing.join(", ")}`,
      `Copy them: ./bench hosts join --hosts ${file}`,
    );
  }
}

/** Takes about a second a machine: a container is asked for its clock. */
export function describeMachines(engines: ReachedEngine[]): Promise<MachineOfRun[]> {
  return Promise.all(
    engines.map(async (engine) => {
      const { machine, info } = engine;
      return {
        name: machine.name,
        roles: machine.roles,
        engine: info.ServerVersion,
        cores: info.NCPU,
        memoryBytes: info.MemTotal,
        kernel: info.KernelVersion,
        clock: isOwn(machine) ? null : await clockOffset(engine),
      };
    }),
  );
}
