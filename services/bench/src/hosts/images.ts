/**
 * The images that each machine of hosts.yaml needs by its roles, and how they come there.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.ts";
import { sharedNetwork } from "../platform/compose.ts";
import { OWN_ENGINE, shortName } from "../platform/engine.ts";
import { run as dockerRun } from "../platform/subprocess.ts";
import { BENCH_IMAGE } from "../machine/engine.ts";
import { withoutImage } from "../machine/local-images.ts";
import { isReached } from "./engines.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { run as Run } from "../platform/subprocess.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Machine, Role } from "./file.ts";
import type { HostEngine, ReachedEngine } from "./engines.ts";

export interface ImageState {
  /** on the machine, and here to be copied */
  missing: string[];
  /** neither on the machine nor here */
  nowhere: string[];
}

/**
 * Where the shared services of compose.yaml run. What is not here is a proxy's, by its profile, or
 * on all machines.
 */
const ROLE_OF_SERVICE = {
  echo: "servers",
  // The machine's speed counts where the proxy is.
  reference: "proxy",
  load: "load",
  "load-http": "load",
  influxdb: "observe",
  grafana: "observe",
} as Record<string, Role>;
const ON_ALL = ["cadvisor"];

/** What a copy may take at most: several GB on a slow line. */
const COPY_LIMIT_MS = 3_600_000;
/** Meanwhile the machine is asked so often whether it is still there. */
const ASK_INTERVAL_MS = 10_000;

/**
 * @param config with all profiles
 * @param proxies names of those that are to be measured
 * @returns images of what may run on the machine, that of this program first: it reads and measures
 *   everywhere
 */
export function imagesFor(
  { services }: ComposeConfig,
  { roles }: Pick<Machine, "roles">,
  proxies: string[],
): string[] {
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
 * @param images that it needs
 * @param here `imageContents` of the engine that ./bench itself uses
 */
export async function imagesOn(
  engine: ReachedEngine,
  images: string[],
  here: Map<string, string>,
): Promise<ImageState> {
  const there = await engine.imageContents(images);
  return {
    missing: images.filter((image) => here.has(image) && here.get(image) !== there.get(image)),
    nowhere: images.filter((image) => !here.has(image) && !there.has(image)),
  };
}

/**
 * Copies images from the engine that ./bench itself uses. docker save knows nothing of what the
 * other has: every layer travels.
 *
 * @param engine where they go
 * @param patience limitMs: for all of it; intervalMs: between two questions whether the machine is
 *   still there
 * @throws {UserError} when it fails, or the machine has fallen silent
 */
export async function copyImages(
  images: string[],
  engine: Pick<HostEngine, "machine" | "client" | "run">,
  run: typeof Run = dockerRun,
  {
    limitMs = COPY_LIMIT_MS,
    intervalMs = ASK_INTERVAL_MS,
  }: { limitMs?: number; intervalMs?: number } = {},
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
      `${output.trim()}\nFix that and run this again: copied images stay.`,
    );
  }
}

/**
 * A copy does not report its progress. Asking the machine meanwhile distinguishes a slow one from
 * one that hangs.
 *
 * @throws {UserError} when it does not answer
 */
async function watch({ run }: Pick<HostEngine, "run">, intervalMs: number, ended: AbortSignal) {
  for (;;) {
    const isOver = await sleep(intervalMs, false, { signal: ended }).catch(() => true);
    if (isOver) return;
    await run(["docker", "version", "--format", "{{.Server.Version}}"]);
  }
}

/**
 * @param config with every profile
 * @param proxies that may be measured; one whose image is not here cannot be, and is left out
 * @returns of those engines that were reached
 */
export async function imagesOfAll(
  config: ComposeConfig,
  engines: HostEngine[],
  proxies: Proxy[],
): Promise<Map<HostEngine, ImageState>> {
  const all = Object.values(config.services).flatMap(({ image }) => image ?? []);
  const here = await OWN_ENGINE.imageContents([...new Set(all)]);
  const unavailable = withoutImage(config, proxies, here);
  const names = proxies.flatMap(({ name }) => (unavailable.has(name) ? [] : [name]));
  const states: Map<HostEngine, ImageState> = new Map();
  for (const engine of engines.filter(isReached))
    states.set(engine, await imagesOn(engine, imagesFor(config, engine.machine, names), here));
  return states;
}
