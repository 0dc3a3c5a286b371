/** @returns what one worker counts from its start */
export function createCounters() {
  return {
    connectionsOpen: 0,
    connectionsTotal: 0,
    messages: 0,
    /** Upgrade requests that did not become a WebSocket. */
    upgradesRefused: 0,
    /** WebSockets ended for what the client sent: a broken frame, a message too long. */
    protocolErrors: 0,
    tlsHandshakesFailed: 0,
  };
}

/** @typedef {ReturnType<typeof createCounters>} Counters */

/**
 * @param {Counters[]} workers
 * @returns {Counters} each counter summed over the workers
 */
export function sumCounters(workers) {
  const sums = createCounters();
  for (const name of /** @type {(keyof Counters)[]} */ (Object.keys(sums))) {
    for (const counters of workers) sums[name] += counters[name];
  }
  return sums;
}
