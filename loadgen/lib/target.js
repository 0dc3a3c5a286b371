/**
 * What the load is aimed at, and the labels that every sample carries.
 */
import exec from "k6/execution";
import http from "k6/http";
import { sleep } from "k6";
import { choice, integer } from "./parameters.js";
import { RUN_FILE, tagsOf } from "./tags.js";

export const scheme = choice("SCHEME", ["ws", "wss"]);

/** Elsewhere than the Compose project's proxy: for a proxy of your own, and for tests. */
const host = __ENV.TARGET_HOST || "proxy";
const path = __ENV.TARGET_PATH || "/";
const port = integer("TARGET_PORT", scheme === "wss" ? 8443 : 8080, { max: 65535 });
const waitSeconds = integer("WAIT_SECONDS", 30, { max: 3600 });

export const url = `${scheme}://${host}:${port}${path}`;

const referencePort = integer("REFERENCE_PORT", port, { max: 65535 });

const referenceHost = __ENV.REFERENCE_HOST || "reference";
/** The reference proxy, on the same port but where both share the machine's own network. */
export const referenceUrl = `${scheme}://${referenceHost}:${referencePort}${path}`;
const hasReference = Number(__ENV.REFERENCE_SHARE || 0) > 0;

/**
 * @param {string} scenario
 * @returns {Record<string, string>} k6's `options.tags`
 */
export function runTags(scenario) {
  return tagsOf({ scenario, scheme }, readRunFile);
}

function readRunFile() {
  try {
    return JSON.parse(open(RUN_FILE));
  } catch {
    return {};
  }
}

/** Of this VU: k6 makes a new object each time that it is asked for, and it stays right. @type {typeof exec.instance} */
let instance;

/**
 * @returns {number} ms since the start of the test run, the same in all VUs, in steps far below 1 ms (Date.now() has 1 ms steps).
 *   k6 does not know it in teardown.
 */
export function now() {
  instance ??= exec.instance;
  return instance.currentTestRunDuration;
}

/**
 * Waits until the proxy, and the reference where it has a share, forward a plain request to the echo server. Needs k6's `options.throw`.
 *
 * @throws {Error} after WAIT_SECONDS, with what was asked and what came back last
 */
export function waitForTarget() {
  waitFor(host, port);
  if (hasReference) waitFor(referenceHost, referencePort);
}

/**
 * @param {string} name
 * @param {number} at port
 */
function waitFor(name, at) {
  const address = `${scheme === "wss" ? "https" : "http"}://${name}:${at}/healthz`;
  const deadline = Date.now() + waitSeconds * 1000;
  let last = "";
  while (Date.now() < deadline) {
    try {
      const { status } = http.get(address, { timeout: "1s" });
      if (status === 200) return;
      last = `HTTP status ${status}`;
    } catch (error) {
      last = String(error);
    }
    sleep(0.2);
  }
  throw new Error(
    `waited ${waitSeconds} s (WAIT_SECONDS) for ${address} to answer 200; last: ${last}. ` +
      "No load was started. See the log of the proxy and of echo.",
  );
}

/**
 * Tells the runner of a battle that the measured phase begins or ends, and waits until it has read its counters. Without
 * EDGE_URL, as under `docker compose up`, it does nothing. Needs k6's `options.throw`.
 *
 * @param {"start" | "end"} name
 * @throws {Error} when the runner does not let it go on
 */
export function edge(name) {
  if (!__ENV.EDGE_URL) return;
  const { status } = http.post(`${__ENV.EDGE_URL}/${name}`, null, { timeout: "60s" });
  if (status !== 204) throw new Error(`the runner answered ${status} at the edge "${name}"`);
}
