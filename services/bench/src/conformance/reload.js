/**
 * Reloads a proxy for the check that looks what it does: as its proxy.json says, and with another configuration each time.
 */
import { serviceOf } from "../plan/proxies.js";
import { locate } from "../platform/counters.js";
import { OWN_ENGINE } from "../platform/docker.js";
import { until } from "../platform/wait.js";
import { Failure } from "./mismatch.js";
import { RELOAD_LIMIT_MS } from "./reload-checks.js";

/** @import { Project } from "../platform/docker.js" */
/** @import { GenerationFolder } from "../platform/generation.js" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { TargetReload } from "./reload-checks.js" */

/** The number of the configuration that a proxy starts with. */
export const FIRST_GENERATION = 1;

/**
 * @param {Project} project whose proxy was started with FIRST_GENERATION in `folder`
 * @param {string} name of the project
 * @param {Proxy} proxy
 * @param {GenerationFolder} folder
 * @returns {TargetReload | null} null: it has none
 */
export function reloadOf(project, name, proxy, folder) {
  const { reload, generation } = proxy;
  if (reload === null) return null;
  let number = FIRST_GENERATION;
  return {
    tells: generation !== null,
    closesAfterSeconds: reload.closesAfterSeconds ?? null,
    async run() {
      number += 1;
      folder.write(generation, number);
      const signals = reload.signals.map((one) => ({ ...one, service: serviceOf(proxy, one) }));
      const told = (await OWN_ENGINE.containersOf(name))
        .filter(({ service }) => signals.some((signal) => signal.service === service))
        .map(({ service, pid }) => ({ service, counters: locate({ pid }) }))
        .map((container) => ({ ...container, before: container.counters.processes() }));
      for (const { service, signal } of signals) await project.signal(service, signal);
      if (reload.inPlace) return number;
      const old = await until(
        Date.now() + RELOAD_LIMIT_MS,
        async () =>
          told.filter(({ counters, before }) =>
            counters.processes().every((pid) => before.includes(pid)),
          ),
        (none) => none.length === 0,
      );
      if (old.length > 0)
        throw new Failure(
          `no new process in ${old.map(({ service }) => service).join(", ")} ${RELOAD_LIMIT_MS / 1_000} s after ${signals.map(({ signal }) => `SIG${signal}`).join(", ")}`,
        );
      return number;
    },
  };
}
