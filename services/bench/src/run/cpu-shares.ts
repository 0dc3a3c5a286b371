/**
 * Which cores each part of a run has.
 */
import { NO_QUOTA, quotaEnv, quotaOf } from "../plan/cpu-budget.ts";

export interface CpuShares {
  /** knobs for Compose */
  env: Record<string, string>;
  loadCores: number;
  /** the proxy's CPU time has a limit */
  cpuLimited: boolean;
}

/**
 * Gives load, proxy and echo server cores of their own where there are enough; a proxy budget of
 * whole cores becomes a set of this many, which holds for all its containers together.
 *
 * @param cores of the machine
 * @param proxyCpus budget; 0: none
 */
export function cpuShares(cores: number, proxyCpus: number): CpuShares {
  const set = (from: number, count: number) =>
    count === 1 ? String(from) : `${from}-${from + count - 1}`;
  const whole = Number.isInteger(proxyCpus) ? proxyCpus : 0;
  const cpuLimited = proxyCpus > 0 && whole === 0;
  const limit = { PROXY_CPUS: "0", ...quotaEnv(cpuLimited ? quotaOf(proxyCpus) : NO_QUOTA) };
  if (cores < 4) {
    return {
      env: {
        ...limit,
        PROXY_CPUSET: whole ? set(cores - whole, whole) : "",
        REFERENCE_CPUSET: "",
        ECHO_CPUSET: "",
        LOAD_CPUSET: "",
      },
      loadCores: cores,
      cpuLimited,
    };
  }
  // Load needs the most: k6 costs more CPU a connection than nginx and HAProxy do.
  const proxy = whole || Math.floor(cores / 4);
  const echo = Math.min(Math.floor(cores / 4), cores - proxy - 1);
  const load = cores - proxy - echo;
  return {
    env: {
      ...limit,
      PROXY_CPUSET: set(0, proxy),
      // The reference shows how fast the proxy's cores are, so it runs on them, unless it would use
      // a budget.
      REFERENCE_CPUSET: whole ? set(proxy, echo) : set(0, proxy),
      ECHO_CPUSET: set(proxy, echo),
      LOAD_CPUSET: set(proxy + echo, load),
    },
    loadCores: load,
    cpuLimited,
  };
}
