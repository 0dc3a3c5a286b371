/**
 * What may happen to a proxy, or to what stands behind it, while connections are held: the table events.json, which `run` carries out.
 */
import { CONTROL } from "./proxies.js";
import table from "./events.json" with { type: "json" };

/**
 * @import { Proxy } from "./proxies.js"
 *
 * @typedef {{do: "renew"}} Renew writes the next generation of the proxy's configuration, which it reads when it starts or reloads
 * @typedef {{do: "reload"}} Reload its own signals
 * @typedef {{do: "start-beside"}} StartBeside a new container beside the old one
 * @typedef {{do: "drain", seconds: number}} Drain its own signals to the old container, which is killed when it has not ended by then
 * @typedef {{do: "stop" | "kill" | "start", of: "proxy" | "server"}} Change of all containers of the proxy, or of one server behind it
 * @typedef {{do: "kill-worker"}} KillWorker of its worker processes the one with the most open files
 * @typedef {{do: "wait", seconds: number}} Wait
 * @typedef {{do: "scale", servers: number}} Scale so many servers behind it
 *
 * @typedef {Renew | Reload | StartBeside | Drain | Change | KillWorker | Wait | Scale} Step
 *
 * @typedef {object} ProxyEvent
 * @property {string} what is done, in a few words
 * @property {"reload" | "drain" | "worker" | "servers"} [needs] what not every proxy has
 * @property {number} [servers] behind the proxy from the start; left out: one
 * @property {Step[]} before what is made ready just before it
 * @property {Step[]} steps the event is when the first of them begins
 * @property {{times: number, everySeconds: number}} [repeat] of the steps; everySeconds: from one beginning to the next
 */

export const EVENTS = /** @type {Record<string, ProxyEvent>} */ (table);

/** The event of a test that says none, and the control of the experiment: nothing is done. */
export const NOTHING = "none";

/** @type {Record<NonNullable<ProxyEvent["needs"]>, (proxy: Proxy) => string | null>} null: it has that */
const LACKS = {
  reload: ({ reload }) => (reload ? null : "it cannot reload"),
  drain: ({ drain }) => (drain ? null : "it cannot stop gracefully"),
  worker: ({ worker }) => (worker ? null : "it has no worker processes"),
  servers: ({ name, balances }) => {
    if (name === CONTROL) return "nothing stands behind it";
    return balances ? null : "it uses one server alone";
  },
};

/**
 * @param {string} event
 * @returns {boolean} a new configuration is to answer after it
 */
export function renews(event) {
  const { before, steps } = EVENTS[event];
  return [...before, ...steps].some((step) => step.do === "renew");
}

/**
 * @param {Proxy} proxy
 * @param {string} event
 * @returns {string | null} what it lacks to be put through that event; null: nothing
 */
export function lackFor(proxy, event) {
  const { needs } = EVENTS[event];
  return needs === undefined ? null : LACKS[needs](proxy);
}

/**
 * @param {string} event
 * @returns {number} seconds that its steps take by themselves, at most
 */
export function secondsOf(event) {
  const { steps, repeat } = EVENTS[event];
  const once = steps.reduce((sum, step) => sum + ("seconds" in step ? step.seconds : 0), 0);
  return once + (repeat ? (repeat.times - 1) * repeat.everySeconds : 0);
}
