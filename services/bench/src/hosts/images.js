/**
 * The images that each machine of hosts.yaml needs by its roles, and how they come there.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.js";
import { OWN_ENGINE, run as dockerRun, sharedNetwork, shortName } from "../platform/docker.js";
import { BENCH_IMAGE } from "../machine/engine.js";
import { withoutImage } from "../machine/local-images.js";
import { isReached } from "./engines.js";

/**
 * @import { ComposeConfig, run as Run } from "../platform/docker.js"
 * @import { Proxy } from "../plan/proxies.js"
 * @import { Machine, Role } from "./file.js"
 * @import { HostEngine, ReachedEngine } from "./engines.js"
 *
 * @typedef {object} ImageState
 * @property {string[]} missing on the machine, and here to be copied
 * @property {string[]} nowhere neither on the machine nor here
 */

/** Where the shared services of compose.yaml run. What is not here is a proxy's, by its profile, or on all machines. */
const ROLE_OF_SERVICE = /** @type {Record<string, Role>} */ ({
  echo: "servers",
  // The machine's speed is told where the proxy is.
  reference: "proxy",
  load: "load",
  "load-http": "load",
  influxdb: "observe",
  grafana: "observe",
});
const ON_ALL = ["cadvisor"];

/** What a copy may take at the most: some GB on a slow line. */
const COPY_LIMIT_MS = 3_600_000;
/** Meanwhile the machine is asked so often whether it is still there. */
const ASK_INTERVAL_MS = 10_000;

/**
 * @param {ComposeConfig} config with all profiles
 * @param {Pick<Machine, "roles">} machine
 * @param {string[]} proxies names of those that are to be measured
 * @returns {string[]} images of what may run on the machine, that of this program first: it reads and measures everywhere
 */
export function imagesFor({ services }, { roles }, proxies) {
  const needed = Object.entries(services).flatMap(([name, service]) => {
    const { image, profiles = [] } = service;
    // A part that stands beside the server is of the proxy, and where the server is.
    const role = profiles.some((profile) => proxies.includes(profile))
      ? (ROLE_OF_SERVICE[sharedNetwork(service) ?? ""] ?? "proxy")
      : ROLE_OF_SERVICE[name];
    const isHere = ON_ALL.includes(name) || (role !== undefined && roles.includes(role));
    return image && isHere && !profiles.includes("no-local-image") ? [image] : [];
  });
  return [...new Set([BENCH_IMAGE, ...needed])];
}

/**
 * @param {ReachedEngine} engine
 * @param {string[]} images that it needs
 * @param {Map<string, string>} here `imageContents` of the engine that ./bench itself uses
 * @returns {Promise<ImageState>}
 */
export async function imagesOn(engine, images, here) {
  const there = await engine.imageContents(images);
  return {
    missing: images.filter((image) => here.has(image) && here.get(image) !== there.get(image)),
    nowhere: images.filter((image) => !here.has(image) && !there.has(image)),
  };
}

/**
 * Copies images from the engine that ./bench itself uses. docker save knows nothing of what the other has: every layer travels.
 *
 * @param {string[]} images
 * @param {Pick<HostEngine, "machine" | "client" | "run">} engine where they go
 * @param {typeof Run} [run]
 * @param {{limitMs?: number, intervalMs?: number}} [patience] limitMs: for all of it; intervalMs: between two questions whether the machine is
 *   still there
 * @throws {UserError} when it fails, or the machine has fallen silent
 */
export async function copyImages(
  images,
  engine,
  run = dockerRun,
  { limitMs = COPY_LIMIT_MS, intervalMs = ASK_INTERVAL_MS } = {},
) {
  const { machine, client } = engine;
  const script = 'count=$1; shift; docker save "${@:1:count}" | "${@:count+1}" load --quiet';
  // Without a tag, docker save takes all that there are.
  const words = [String(images.length), ...images.map(shortName), ...client];
  const copied = new AbortController();
  const lost = new AbortController();
  const watched = watch(engine, intervalMs, copied.signal).catch((error) => lost.abort(error));
  const limit = AbortSignal.any([lost.signal, AbortSignal.timeout(limitMs)]);
  const command = ["bash", "-o", "pipefail", "-c", script, "bash", ...words];
  const { code, output } = await run(command, { limit }).finally(() => copied.abort());
  await watched;
  if (code !== 0) {
    if (lost.signal.aborted) throw lost.signal.reason;
    throw new UserError(
      `${images.length} images could not be copied to ${machine.name}`,
      `${output.trim()}\nMend what it says and run this again: what has arrived stays.`,
    );
  }
}

/**
 * Nothing in a copy tells how far it is: one that lasts is told from one that hangs by asking the machine beside it.
 *
 * @param {Pick<HostEngine, "run">} engine
 * @param {number} intervalMs
 * @param {AbortSignal} ended
 * @throws {UserError} when it does not answer
 */
async function watch({ run }, intervalMs, ended) {
  for (;;) {
    const isOver = await sleep(intervalMs, false, { signal: ended }).catch(() => true);
    if (isOver) return;
    await run(["docker", "version", "--format", "{{.Server.Version}}"]);
  }
}

/**
 * @param {ComposeConfig} config with every profile
 * @param {HostEngine[]} engines
 * @param {Proxy[]} proxies that may be measured; one whose image is not here cannot be, and is left out
 * @returns {Promise<Map<HostEngine, ImageState>>} of those engines that were reached
 */
export async function imagesOfAll(config, engines, proxies) {
  const all = Object.values(config.services).flatMap(({ image }) => image ?? []);
  const here = await OWN_ENGINE.imageContents([...new Set(all)]);
  const unavailable = withoutImage(config, proxies, here);
  const names = proxies.flatMap(({ name }) => (unavailable.has(name) ? [] : [name]));
  /** @type {Map<HostEngine, ImageState>} */
  const states = new Map();
  for (const engine of engines.filter(isReached))
    states.set(engine, await imagesOn(engine, imagesFor(config, engine.machine, names), here));
  return states;
}
