/**
 * A timer that never ends too early.
 *
 * k6 (1.8.1 and 2.2.0, internal/js/tc55/timers) has one Go timer for the first in its queue. A timeout of 0 that is set within
 * another's callback is let loose twice, and the second time runs whatever is first by then: a limit of 30 s has ended within 3 s,
 * and counted as a connection that failed. https://github.com/grafana/k6/pull/5200 fixed the same only for clearTimeout.
 *
 * @param {number} ms
 * @param {() => void} action
 * @param {() => number} now ms
 * @returns {() => void} calls it off
 */
export function after(ms, action, now) {
  const dueMs = now() + ms;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const wait = () => {
    timer = setTimeout(() => (now() < dueMs ? wait() : action()), Math.max(0, dueMs - now()));
  };
  wait();
  return () => clearTimeout(timer);
}
