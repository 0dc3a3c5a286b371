/**
 * The proxy's CPU budget: whole cores are a set of this many, a fraction is CPU time in each of short
 * periods.
 */

/**
 * In the engine's own period of 100 ms a proxy that has used its part stands still for up to as
 * long, which alone breaks a promise about p99 that is shorter. Of nginx with 0.15 of a core, 6 s
 * at 300 handshakes per second: p99 58 ms with 15 ms in 100, 29 ms with 1.5 in 10.
 */
export const PERIOD_MICROSECONDS = 10_000;
/**
 * The kernel grants no less (min_cfs_quota_period in kernel/sched/core.c), nor does the engine take
 * it.
 */
const LEAST_QUOTA_MICROSECONDS = 1000;
/** The smallest fraction of a core that can be granted. */
export const LEAST_CPUS = LEAST_QUOTA_MICROSECONDS / PERIOD_MICROSECONDS;

/** CPU time in each period */
type Quota = { periodMicroseconds: number; quotaMicroseconds: number };

export const NO_QUOTA: Quota = { periodMicroseconds: 0, quotaMicroseconds: 0 };

/**
 * @param cores budget of a plan
 * @returns it is granted as CPU time, not as a set of cores
 */
export function isFraction(cores: number): boolean {
  return !Number.isInteger(cores);
}

/** @param cores a fraction */
export function quotaOf(cores: number): Quota {
  return {
    periodMicroseconds: PERIOD_MICROSECONDS,
    quotaMicroseconds: Math.round(cores * PERIOD_MICROSECONDS),
  };
}

/** @returns knobs for Compose, which takes 0 as none */
export function quotaEnv({ periodMicroseconds, quotaMicroseconds }: Quota): Record<string, string> {
  return {
    PROXY_CPU_PERIOD: String(periodMicroseconds),
    PROXY_CPU_QUOTA: String(quotaMicroseconds),
  };
}

/**
 * @param services containers of each profile
 * @returns several containers have to share a fraction of a core
 */
export function needsOneBudget(
  services: Record<string, string[]>,
  { proxyCpus, cells }: { proxyCpus: number; cells: { profile: string; skip: string | null }[] },
): boolean {
  return (
    isFraction(proxyCpus) &&
    cells.some(({ profile, skip }) => skip === null && (services[profile]?.length ?? 0) > 1)
  );
}
