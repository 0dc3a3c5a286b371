/**
 * Connections that are opened one after the other before the measured phase, and held through it: some hundred in one event loop.
 */
import exec from "k6/execution";
import http from "k6/http";
import { Counter } from "k6/metrics";
import { Connection } from "./connection.js";
import { keepTo, shareOfRate } from "./open-loop.js";
import { withReference } from "./reference.js";
import { now } from "./target.js";

const CONNECTIONS_PER_VU = 250;
/** Beside them others may come and go, which the reference proxy has a share of, too. */
const ofReference = new Counter("reference_held");
/** For the other VUs and the other load containers, which all have to be there before the measured phase begins. */
const BARRIER_SECONDS = 3600;

/**
 * @typedef {object} Held
 * @property {number} CONNECTIONS
 * @property {number} CONNECTIONS_PER_SECOND
 * @property {number} TIMEOUT_SECONDS of each handshake
 */

/**
 * @param {Held} parameters
 * @param {number} phaseSeconds at most, from when all are open to when all are closed
 * @returns {import("k6/options").PerVUIterationsScenario} with an iteration a VU
 */
export function heldScenario(parameters, phaseSeconds) {
  return {
    executor: "per-vu-iterations",
    vus: vusOf(parameters),
    iterations: 1,
    maxDuration: `${Math.ceil(rampSeconds(parameters) + parameters.TIMEOUT_SECONDS + phaseSeconds + BARRIER_SECONDS)}s`,
    gracefulStop: "0s",
  };
}

/** @param {Held} parameters */
function rampSeconds({ CONNECTIONS, CONNECTIONS_PER_SECOND }) {
  return CONNECTIONS / CONNECTIONS_PER_SECOND;
}

/** @param {Held} parameters */
function vusOf({ CONNECTIONS }) {
  return Math.ceil(withReference(CONNECTIONS) / CONNECTIONS_PER_VU);
}

/**
 * Opens this VU's share. The VUs take turns, so that together they keep the rate.
 *
 * @param {Held} parameters
 * @param {Omit<ConstructorParameters<typeof Connection>[1], "seconds">} options of each connection
 * @returns {Promise<Connection[]>} those that are open, when every one has opened or failed; without a limit
 */
export function openShare(parameters, options) {
  const { CONNECTIONS, CONNECTIONS_PER_SECOND, TIMEOUT_SECONDS: seconds } = parameters;
  const vus = vusOf(parameters);
  const all = withReference(CONNECTIONS);
  const perSecond = (CONNECTIONS_PER_SECOND * all) / CONNECTIONS;
  const startedMs = now();
  /** @type {Connection[]} */
  const connections = [];
  let number = exec.scenario.iterationInTest;
  let settled = 0;

  return new Promise((resolve) => {
    const settle = () => {
      settled += 1;
      if (settled < connections.length || number < all) return;
      const open = connections.filter(({ isOpen }) => isOpen);
      for (const connection of connections) connection.onEnd = () => {};
      ofReference.add(open.filter(({ isReference }) => isReference).length);
      resolve(open);
    };
    const openDue = () => {
      const dueMs = () => startedMs + (1000 * number) / perSecond;
      while (number < all && dueMs() <= now()) {
        const connection = new Connection(number, { ...options, seconds });
        let isSettled = false;
        const once = () => {
          if (isSettled) return;
          isSettled = true;
          connection.limit();
          settle();
        };
        connection.onOpen = once;
        connection.onEnd = once;
        connections.push(connection);
        number += vus;
      }
      if (number < all) setTimeout(openDue, dueMs() - now());
    };
    openDue();
  });
}

/**
 * As `edge()` of target.js, for all VUs of all load containers together: each waits here until the last has come and the runner has
 * read its counters. Without EDGE_URL, as under `docker compose up`, nobody waits for anybody.
 *
 * @param {"start" | "end"} name
 * @param {Held} parameters
 * @param {number} [others] VUs that wait here as well, and hold nothing
 */
export async function edgeOfAll(name, parameters, others = 0) {
  if (!__ENV.EDGE_URL) return;
  const url = `${__ENV.EDGE_URL}/${name}?of=${vusOf(parameters) + others}`;
  await http.asyncRequest("POST", url, null, { timeout: `${BARRIER_SECONDS}s` });
}

/**
 * This VU's share of messages that all connections carry together, on one after the other.
 *
 * @param {Held} parameters
 * @param {{perSecond: number, seed: number, trial: string, isPoisson: boolean}} rate
 * @returns {(count: number, endMs: number) => import("./schedule.js").Due} for `holdAndSend`
 */
export function scheduleOfRate(parameters, { perSecond, ...rate }) {
  const { CONNECTIONS } = parameters;
  return (count, endMs) =>
    shareOfRate({
      ...rate,
      perSecond: (perSecond * withReference(CONNECTIONS)) / CONNECTIONS,
      vu: exec.scenario.iterationInTest,
      vus: vusOf(parameters),
      endMs,
      count,
    });
}

/**
 * Opens this VU's share, sends what is due of it through the measured phase, and closes. A message that is due while its connection
 * still waits for its last echo is dropped.
 *
 * @param {Held} parameters
 * @param {Omit<ConstructorParameters<typeof Connection>[1], "seconds">} options of each connection
 * @param {object} phase
 * @param {number} phase.seconds
 * @param {(count: number, endMs: number) => import("./schedule.js").Due} phase.scheduleOf this many connections, until then
 * @param {import("k6/metrics").Trend} phase.total
 * @param {typeof edgeOfAll} [phase.atEdge] what to do when all are open, and when the last echo is there
 */
export async function holdAndSend(
  parameters,
  options,
  { seconds, scheduleOf, total, atEdge = edgeOfAll },
) {
  const connections = await openShare(parameters, options);
  await atEdge("start", parameters);
  const startMs = now();
  const endMs = 1000 * seconds;
  await keepTo(scheduleOf(connections.length, endMs), {
    startMs,
    endMs,
    begin: (which, dueMs) => {
      const connection = connections[which];
      if (!connection.isOpen || connection.isWaiting) return false;
      connection.send(dueMs);
      return true;
    },
    isReference: (which) => connections[which].isReference,
  });
  await allEchoed(connections, parameters.TIMEOUT_SECONDS);
  total.add(now() - startMs);
  await atEdge("end", parameters);
  await closeAll(connections, parameters.TIMEOUT_SECONDS);
}

/**
 * @param {Connection[]} connections
 * @param {number} seconds a connection that waits for longer has failed
 * @returns {Promise<void>} when no echo is missing any more
 */
function allEchoed(connections, seconds) {
  const waiting = connections.filter(({ isWaiting }) => isWaiting);
  let left = waiting.length;
  return new Promise((resolve) => {
    if (left === 0) return resolve();
    for (const connection of waiting) {
      const done = () => {
        connection.limit();
        connection.onEcho = connection.onEnd = () => {};
        left -= 1;
        if (left === 0) resolve();
      };
      connection.onEcho = connection.onEnd = done;
      connection.limit(seconds);
    }
  });
}

/**
 * @param {Connection[]} connections
 * @param {number} seconds one that the server has not closed by then has failed
 * @returns {Promise<void>} when all have ended
 */
export function closeAll(connections, seconds) {
  const open = connections.filter(({ isOpen }) => isOpen);
  let left = open.length;
  return new Promise((resolve) => {
    if (left === 0) return resolve();
    for (const connection of open) {
      connection.onEnd = () => {
        left -= 1;
        if (left === 0) resolve();
      };
      connection.limit(seconds);
      connection.close();
    }
  });
}
