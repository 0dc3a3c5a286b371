/**
 * The proxy's CPU budget: whole cores are a set of so many, a fraction is CPU time in each of short periods.
 */

/**
 * In the engine's own period of 100 ms a proxy that has used its part stands still for up to as long, which alone breaks a promise about
 * p99 that is shorter. Of nginx with 0.15 of a core, 6 s at 300 handshakes a second: p99 58 ms with 15 ms in 100, 29 ms with 1.5 in 10.
 */
export const PERIOD_MICROSECONDS = 10_000;
/** The kernel grants no less (min_cfs_quota_period in kernel/sched/core.c), nor does the engine take it. */
const LEAST_QUOTA_MICROSECONDS = 1000;
/** The smallest fraction of a core that can be granted. */
export const LEAST_CPUS = LEAST_QUOTA_MICROSECONDS / PERIOD_MICROSECONDS;

/** @typedef {{periodMicroseconds: number, quotaMicroseconds: number}} Quota CPU time in each period */

/** @type {Quota} */
export const NO_QUOTA = { periodMicroseconds: 0, quotaMicroseconds: 0 };

/**
 * @param {number} cores budget of a plan
 * @returns {boolean} it is granted as CPU time, not as a set of cores
 */
export function isFraction(cores) {
  return !Number.isInteger(cores);
}

/**
 * @param {number} cores a fraction
 * @returns {Quota}
 */
export function quotaOf(cores) {
  return {
    periodMicroseconds: PERIOD_MICROSECONDS,
    quotaMicroseconds: Math.round(cores * PERIOD_MICROSECONDS),
  };
}

/**
 * @param {Quota} quota
 * @returns {Record<string, string>} knobs for Compose, which takes 0 as none
 */
export function quotaEnv({ periodMicroseconds, quotaMicroseconds }) {
  return {
    PROXY_CPU_PERIOD: String(periodMicroseconds),
    PROXY_CPU_QUOTA: String(quotaMicroseconds),
  };
}

/**
 * @param {Record<string, string[]>} services containers of each profile
 * @param {{proxyCpus: number, cells: {profile: string, skip: string | null}[]}} plan
 * @returns {boolean} several containers have to share a fraction of a core
 */
export function needsOneBudget(services, { proxyCpus, cells }) {
  return (
    isFraction(proxyCpus) &&
    cells.some(({ profile, skip }) => skip === null && (services[profile]?.length ?? 0) > 1)
  );
}
