/**
 * Which cores of which machine each part of a run has.
 */
import { cpuShares } from "../run/cpu-shares.ts";
import type { CpuShares } from "../run/cpu-shares.ts";
import type { Site } from "../run/placement.ts";

type Carriers = { proxy: Site; servers: Site; loads: Site[] };

/** A part that is alone on its machine has all of it, unless a budget says less. */
export function machineShares(carriers: Carriers, proxyCpus: number): CpuShares {
  const { proxy, servers, loads } = carriers;
  if (loads.length > 1) return sharesOfSeveral(carriers, proxyCpus);
  const [load] = loads;
  const whole = Number.isInteger(proxyCpus) ? proxyCpus : 0;
  const shared = cpuShares(proxy.cores, proxyCpus);
  const env = {
    ...shared.env,
    ...(proxy !== servers && proxy !== load && aloneEnv(proxy.cores, whole)),
    ...(servers !== proxy && { ECHO_CPUSET: "" }),
    ...(load !== proxy && { LOAD_CPUSET: "" }),
  };
  if (load === proxy) return { env, loadCores: shared.loadCores, cpuLimited: shared.cpuLimited };
  if (servers !== load || load.cores < 3)
    return { env, loadCores: load.cores, cpuLimited: shared.cpuLimited };
  const echo = Math.floor(load.cores / 3);
  return {
    env: { ...env, ECHO_CPUSET: set(0, echo), LOAD_CPUSET: set(echo, load.cores - echo) },
    loadCores: load.cores - echo,
    cpuLimited: shared.cpuLimited,
  };
}

/**
 * Nothing has a set of cores but a proxy with a budget of whole ones, and what stands beside it:
 * the sets are the same on all load machines, which may be of different sizes.
 */
function sharesOfSeveral({ proxy: { cores }, loads }: Carriers, proxyCpus: number): CpuShares {
  const { env, cpuLimited } = cpuShares(cores, proxyCpus);
  const whole = Number.isInteger(proxyCpus) ? proxyCpus : 0;
  return {
    env: { ...env, ...aloneEnv(cores, whole), ECHO_CPUSET: "", LOAD_CPUSET: "" },
    // Their parts are equal: the smallest is the first at its limit.
    loadCores: loads.length * Math.min(...loads.map((load) => load.cores)),
    cpuLimited,
  };
}

/**
 * @param cores of the proxy's machine
 * @param whole budget of whole cores; 0: none
 */
function aloneEnv(cores: number, whole: number) {
  return {
    PROXY_CPUSET: whole > 0 ? set(0, Math.min(whole, cores)) : "",
    REFERENCE_CPUSET: whole > 0 && cores > whole ? set(whole, cores - whole) : "",
  };
}

function set(from: number, count: number) {
  return count === 1 ? String(from) : `${from}-${from + count - 1}`;
}
