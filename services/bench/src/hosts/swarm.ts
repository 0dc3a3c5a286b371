/**
 * One network over the engines of hosts.yaml: Docker's Swarm and an attachable overlay. Nothing is
 * scheduled by it: containers are started on each engine by Compose, as on one machine, since a
 * service of Swarm has neither a CPU set nor another container's network.
 *
 * Before an engine is changed it gets a mark: a named volume with labels. So it is known there,
 * whoever asks and however a join was broken off, that the Swarm is ours and what else is to be
 * undone.
 */
import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { UserError } from "../errors.ts";
import { until } from "../platform/wait.ts";
import { engineInfo } from "../machine/engine.ts";
import { askEngine, isReached, withRole } from "./engines.ts";
import { copyImages } from "./images.ts";
import type { run as Run } from "../platform/subprocess.ts";
import type { HostEngine, ReachedEngine } from "./engines.ts";

interface Mark {
  volume: string;
  /** that were copied to the machine */
  images: string[];
  /** the engine had no bridge of Swarm's before */
  madeBridge: boolean;
}

/** of an engine */
export interface Standing {
  /** foreign: in a Swarm that is not ours; stray: in one of ours that it cannot stay in */
  state: "out" | "joined" | "foreign" | "stray";
  marks: Mark[];
}

/** The overlay that containers on all machines meet on. */
export const NETWORK = "ws-proxy-bench-hosts";
/** Label of what is made on an engine. */
export const MARK = "ws-proxy-bench.hosts";
/**
 * Label of what a run makes on another engine than that of ./bench itself, with the name of its
 * Compose project.
 */
export const RUN_LABEL = "ws-proxy-bench.run";
const IMAGES = "ws-proxy-bench.images";
const BRIDGE = "ws-proxy-bench.bridge";

/**
 * The network by which Swarm's containers reach beyond it: made by the engine, and never removed by
 * it.
 */
const SWARM_BRIDGE = "docker_gwbridge";
const BRIDGE_LIMIT_MS = 10_000;

/**
 * Swarm's control, its nodes' gossip, and VXLAN: Docker manual, "Manage swarm service networks".
 */
export const SWARM_PORTS = [
  { protocol: "tcp", port: 2377 },
  { protocol: "tcp", port: 7946 },
  { protocol: "udp", port: 7946 },
  { protocol: "udp", port: 4789 },
] as { protocol: "tcp" | "udp"; port: number }[];

/**
 * Addresses of the overlay: those set aside for benchmarks of networks (RFC 2544, RFC 6890), which
 * no machine has. Docker's own choice, 10.0.0.0/8, is that of many a private network. 4,094 to a
 * network.
 */
const POOL = [
  ...["--default-addr-pool", "198.18.0.0/15"],
  ...["--default-addr-pool-mask-length", "20"],
];

/** @returns the machine that observes, and manages the Swarm: no measured one has that work */
export function managerOf<T extends HostEngine>(engines: T[]): T {
  return withRole(engines, "observe")[0];
}

/**
 * @param engines where the manager is not among them, nobody knows who else belongs to its Swarm,
 *   and all are believed
 */
export async function standingsOf(engines: ReachedEngine[]): Promise<Map<ReachedEngine, Standing>> {
  const manager: ReachedEngine | undefined = managerOf(engines);
  const nodes = manager && (await nodesOf(manager));
  const standings: Map<ReachedEngine, Standing> = new Map();
  for (const engine of engines) {
    const marks = await marksOn(engine);
    const { LocalNodeState, NodeID } = engine.info.Swarm;
    const state =
      LocalNodeState === "inactive"
        ? "out"
        : marks.length === 0
          ? "foreign"
          : LocalNodeState === "active" && (nodes?.includes(NodeID) ?? true)
            ? "joined"
            : "stray";
    standings.set(engine, { state, marks });
  }
  return standings;
}

/** @returns ids of the Swarm's nodes; none: it manages none */
async function nodesOf(manager: ReachedEngine): Promise<string[]> {
  const { LocalNodeState, ControlAvailable } = manager.info.Swarm;
  const manages = LocalNodeState === "active" && ControlAvailable;
  return manages ? lines(manager, ["node", "ls", "--format", "{{.ID}}"]) : [];
}

/** @returns one for each join that changed something */
async function marksOn(engine: HostEngine): Promise<Mark[]> {
  const volumes = await lines(engine, ["volume", "ls", "--quiet", "--filter", `label=${MARK}`]);
  if (volumes.length === 0) return [];
  const told = JSON.parse(await askEngine(engine, ["volume", "inspect", ...volumes]));
  return told.map((volume: { Name: string; Labels: Record<string, string> }) => ({
    volume: volume.Name,
    images: (volume.Labels[IMAGES] ?? "").split(",").filter(Boolean),
    madeBridge: volume.Labels[BRIDGE] === "made",
  }));
}

/** @returns why it cannot join, and what to do; null: it can, or has */
export function hindrance(
  { machine: { name }, client, info }: ReachedEngine,
  state: Standing["state"],
): { fact: string; next: string } | null {
  if (state === "foreign") {
    return {
      fact: `${name} is in a Swarm that ./bench did not make`,
      next: `Expected an engine that is in none. If nothing needs that Swarm, leave it with ${client.join(" ")} swarm leave (--force for a manager; its services end).`,
    };
  }
  if (state === "stray") {
    const { LocalNodeState, Error: error } = info.Swarm;
    return {
      fact: `${name} is in a Swarm of another join (${LocalNodeState}${error ? `: ${error}` : ""})`,
      next: "./bench hosts leave, then ./bench hosts join.",
    };
  }
  return null;
}

export function hasNetwork(manager: HostEngine): Promise<boolean> {
  return isNetwork(manager, NETWORK);
}

/**
 * Makes what is not there yet: Swarm, network, labels, images.
 *
 * @param missing images that each lacks
 * @param run on the engine that has the images
 * @throws {UserError} when one cannot; what was done until then stays, and is gone on with, or
 *   undone by `leave`
 */
export async function joinHosts(
  engines: ReachedEngine[],
  missing: Map<HostEngine, string[]>,
  say: (line: string) => void,
  run?: typeof Run,
) {
  const standings = await standingsOf(engines);
  for (const [engine, { state }] of standings) {
    const found = hindrance(engine, state);
    if (found) throw new UserError(found.fact, found.next);
  }
  const manager = managerOf(engines);
  const isOut = (engine: ReachedEngine) => standings.get(engine)?.state === "out";
  const images = (engine: ReachedEngine) => missing.get(engine) ?? [];
  for (const engine of engines)
    if (isOut(engine) || images(engine).length > 0) await mark(engine, images(engine));

  if (isOut(manager)) {
    await startSwarm(manager);
    say(`${manager.machine.name}: manages a new Swarm, at ${manager.info.Swarm.NodeAddr}`);
  }
  for (const engine of engines) {
    if (engine === manager || !isOut(engine)) continue;
    await joinSwarm(engine, manager);
    say(`${engine.machine.name}: joined, at ${engine.info.Swarm.NodeAddr}`);
  }
  for (const engine of engines) await label(engine, manager);
  if (!(await hasNetwork(manager))) {
    const options = ["--driver", "overlay", "--attachable", "--label", `${MARK}=${NETWORK}`];
    await askEngine(manager, ["network", "create", ...options, NETWORK]);
    say(`network ${NETWORK} made`);
  }
  for (const engine of engines) {
    if (images(engine).length === 0) continue;
    say(`${engine.machine.name}: copying ${images(engine).join(", ")}`);
    await copyImages(images(engine), engine, run);
  }
}

/** @param images that will be copied there */
async function mark(engine: HostEngine, images: string[]) {
  const hasBridge = await isNetwork(engine, SWARM_BRIDGE);
  const labels = {
    [MARK]: engine.machine.name,
    [IMAGES]: images.join(","),
    [BRIDGE]: hasBridge ? "found" : "made",
  };
  await askEngine(engine, [
    ...["volume", "create"],
    ...Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
    // One without a name of its own goes with `docker volume prune`.
    `${NETWORK}-${randomBytes(4).toString("hex")}`,
  ]);
}

/** @param manager which then knows its address */
async function startSwarm(manager: ReachedEngine) {
  const command = ["docker", "swarm", "init", ...advertised(manager), ...POOL];
  refuse(manager, "could not start a Swarm", await manager.run(command));
  manager.info = await engineInfo(manager.run);
}

/** @param engine which then knows its address */
async function joinSwarm(engine: ReachedEngine, manager: ReachedEngine) {
  const token = (await askEngine(manager, ["swarm", "join-token", "--quiet", "worker"])).trim();
  const { NodeAddr } = manager.info.Swarm;
  const remote = `${isIPv6(NodeAddr) ? `[${NodeAddr}]` : NodeAddr}:2377`;
  const command = ["docker", "swarm", "join", ...advertised(engine), "--token", token, remote];
  refuse(engine, `could not join the Swarm at ${remote}`, await engine.run(command));
  engine.info = await engineInfo(engine.run);
}

function advertised({ machine: { address } }: HostEngine) {
  return address === undefined ? [] : ["--advertise-addr", address];
}

/** @throws {UserError} when it failed */
function refuse(
  { machine: { name } }: HostEngine,
  fact: string,
  { code, output }: { code: number; output: string },
) {
  if (code === 0) return;
  // The engine takes no guess among several addresses.
  const next = /address to advertise|multiple addresses/.test(output)
    ? `Give ${name} an address in the file: the IP by which the other machines reach it.`
    : "Expected TCP 2377 and TCP and UDP 7946 to be open between the machines, and clocks that agree (./bench hosts check). Then join again, or leave.";
  throw new UserError(`${name} ${fact}: ${output.trim()}`, next);
}

/** Says on the node what it is for, to who looks at the Swarm. */
async function label({ machine: { name, roles }, info }: ReachedEngine, manager: HostEngine) {
  const labels = { machine: name, roles: roles.join(".") };
  const options = Object.entries(labels).flatMap(([key, value]) => [
    ...["--label-add", `ws-proxy-bench.${key}=${value}`],
  ]);
  await askEngine(manager, ["node", "update", ...options, info.Swarm.NodeID]);
}

/**
 * Undoes what `joinHosts` did, also half of it. A Swarm that is not ours stays.
 *
 * @throws {UserError} when a machine does not answer, or cannot leave; the others are done then
 */
export async function leaveHosts(engines: HostEngine[], say: (line: string) => void) {
  const manager = managerOf(engines);
  const order = [...engines.filter((engine) => engine !== manager), manager];
  /** why not, by the names of machines */
  const notLeft: Map<string, string> = new Map();
  for (const engine of order) {
    const { name } = engine.machine;
    if (!isReached(engine)) {
      notLeft.set(name, `${name}: ${engine.error}`);
      continue;
    }
    try {
      await leaveOne(engine, say);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      notLeft.set(name, [error.message, error.next].filter(Boolean).join("\n"));
    }
  }
  if (notLeft.size === 0) return;
  throw new UserError(
    `not left: ${[...notLeft.keys()].join(", ")}`,
    `${[...notLeft.values()].join("\n")}\nThe others have left. Fix this and run it again.`,
  );
}

async function leaveOne(engine: ReachedEngine, say: (line: string) => void) {
  const { name } = engine.machine;
  const isOut = engine.info.Swarm.LocalNodeState === "inactive";
  const marks = await marksOn(engine);
  if (marks.length === 0) {
    say(
      isOut
        ? `${name}: nothing to undo`
        : `${name}: in a Swarm that ./bench did not make; not changed`,
    );
    return;
  }
  const containers = new Set([
    ...(await lines(engine, ["ps", "--all", "--quiet", "--filter", `network=${NETWORK}`])),
    ...(await lines(engine, ["ps", "--all", "--quiet", "--filter", `label=${MARK}`])),
  ]);
  if (containers.size > 0) await askEngine(engine, ["rm", "--force", "--volumes", ...containers]);
  // Those of a run that was broken off.
  const files = await lines(engine, ["volume", "ls", "--quiet", "--filter", `label=${RUN_LABEL}`]);
  if (files.length > 0) await askEngine(engine, ["volume", "rm", ...files]);
  if (!isOut) await askEngine(engine, ["swarm", "leave", "--force"]);
  if (marks.some(({ madeBridge }) => madeBridge)) await removeBridge(engine);
  const images = marks.flatMap((mark) => mark.images);
  for (const image of images) {
    const { code, output } = await engine.run(["docker", "image", "rm", image]);
    if (code !== 0 && !/No such image/i.test(output)) say(`${name}: ${output.trim()}`);
  }
  // The last: what is broken off before can be gone on with.
  await askEngine(engine, ["volume", "rm", ...marks.map(({ volume }) => volume)]);
  say(`${name}: left${images.length > 0 ? `, ${images.length} images removed` : ""}`);
}

/**
 * The engine lets go of it a moment after it has left the Swarm.
 *
 * @throws {UserError} when something still uses it
 */
async function removeBridge(engine: HostEngine) {
  if (!(await isNetwork(engine, SWARM_BRIDGE))) return;
  const command = ["docker", "network", "rm", SWARM_BRIDGE];
  const { code, output } = await until(
    Date.now() + BRIDGE_LIMIT_MS,
    () => engine.run(command),
    (result) => result.code === 0,
  );
  if (code !== 0) {
    throw new UserError(
      `${engine.machine.name}: the network ${SWARM_BRIDGE} cannot be removed: ${output.trim()}`,
      "Remove the containers that use it, then ./bench hosts leave again.",
    );
  }
}

/** @returns the engine's own filter knows no patterns for the networks of a Swarm */
async function isNetwork(engine: HostEngine, name: string): Promise<boolean> {
  return (await lines(engine, ["network", "ls", "--format", "{{.Name}}"])).includes(name);
}

/** @param args of docker */
async function lines(engine: HostEngine, args: string[]) {
  return (await askEngine(engine, args)).split("\n").filter(Boolean);
}
