/**
 * Reloads a proxy, or stops it, for the checks that look what it does: as its proxy.json says, and
 * with another configuration each time.
 */
import { serviceOf } from "../plan/proxies.ts";
import { locate } from "../platform/counters.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { until } from "../platform/wait.ts";
import { Failure } from "./mismatch.ts";
import { RELOAD_LIMIT_MS } from "./reload-checks.ts";
import type { Project } from "../platform/compose.ts";
import type { GenerationFolder } from "../platform/generation.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { TargetReload } from "./reload-checks.ts";

/** The number of the configuration that a proxy starts with. */
export const FIRST_GENERATION = 1;

/**
 * @param project whose proxy was started with FIRST_GENERATION in `folder`
 * @param name of the project
 * @returns null: it has none
 */
export function reloadOf(
  project: Project,
  name: string,
  proxy: Proxy,
  folder: GenerationFolder,
): TargetReload | null {
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
          `no new process in ${old.map(({ service }) => service).join(", ")} ${RELOAD_LIMIT_MS / 1_000} s after ${signals.map(({ signal }) => `SIG${signal}`).join(", ")}; where the running processes take the new configuration, declare "inPlace": true under "reload" in proxy.json`,
        );
      return number;
    },
  };
}

/** @returns stops it gracefully; null: it cannot */
export function drainOf(project: Project, proxy: Proxy): (() => Promise<void>) | null {
  const { drain } = proxy;
  if (drain === null) return null;
  return async () => {
    for (const one of drain.signals) await project.signal(serviceOf(proxy, one), one.signal);
  };
}
