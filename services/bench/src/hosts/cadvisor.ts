/**
 * cAdvisor on machines that are not this one: as services/cadvisor/compose.yaml has it, but on the
 * network over all machines, where it finds the one InfluxDB, and with its machine's name as the
 * tag `machine`, which is the host name of its container.
 */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.ts";
import { Project } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { allEnded } from "../platform/wait.ts";
import { CellFailure } from "../run/cell-failure.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { Engine } from "../platform/engine.ts";
import type { Site } from "../run/placement.ts";
import type { CountersAgent } from "./agent.ts";

const CADVISOR = "cadvisor";
const INFLUXDB = "influxdb";
/** Where an engine listens by default, and where cAdvisor looks for it. */
const SOCKET = "/var/run/docker.sock";
const START_LIMIT_MS = 120_000;
/** One that may not read what it has to has ended by then. */
const SETTLE_MS = 1500;
/** The kernel's limit of a host name, and what Docker accepts in one. */
const HOST_NAME = { characters: 63, others: /[^A-Za-z0-9.-]/g };

/**
 * Starts it on every machine that is not this one. Where it cannot run, the curves of that machine
 * are missing, and nothing else is.
 *
 * @param about config: with every profile; directory: the project's; say: what is missing and why;
 *   own: engine on which InfluxDB runs
 */
export async function startFurtherCadvisors(
  further: { site: Site; agent: Pick<CountersAgent, "ready"> }[],
  {
    config,
    directory,
    network,
    say,
    own,
  }: {
    config: ComposeConfig;
    directory: string;
    network: string;
    say: (text: string) => void;
    own: Engine;
  },
) {
  if (further.length === 0) return;
  const missing = (whose: string) => (error: unknown) => {
    const isKnown = error instanceof UserError || error instanceof CellFailure;
    if (!isKnown) throw error;
    const next = error instanceof UserError ? error.next.trim() : "";
    const why = [error.message, next].filter(Boolean).join(": ");
    say(`no curves of cAdvisor of ${whose}: ${why}`);
    return false;
  };
  const database = `${config.name}-${INFLUXDB}-1`;
  const isFound = await own
    .check(["docker", "network", "connect", "--alias", INFLUXDB, network, database])
    .then(() => true, missing("the other machines"));
  if (!isFound) return;
  await allEnded(
    further.map(async ({ site, agent }) => {
      try {
        // An engine knows the network when a container there is on it; Compose looks for it before
        // it makes one.
        await agent.ready();
        await start(site, { config, directory, network });
      } catch (error) {
        missing(`the machine ${site.name}`)(error);
      }
    }),
  );
}

/** @throws {UserError} when it does not run there; then nothing of it is left */
async function start(
  { name, engine }: Site,
  { config, directory, network }: { config: ComposeConfig; directory: string; network: string },
) {
  const socket = await socketOf(engine);
  const root = await engine.check(["docker", "info", "--format", "{{.DockerRootDir}}"]);
  const there = { name, network, socket, root: root.trim() };
  const file = join(mkdtempSync(join(tmpdir(), "cadvisor-")), "compose.yaml");
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(cadvisorThere(config, there)));
  const about = { name: config.name, files: [file], engine, limitMs: START_LIMIT_MS };
  const container = `${config.name}-${CADVISOR}-1`;
  try {
    await new Project(directory, about).check(["up", "--detach", "--no-deps", CADVISOR]);
    await sleep(SETTLE_MS);
    const [state] = await engine.inspect([container]);
    if (state?.running && state.restarts === 0) return;
    const log = await engine.logOf(container);
    throw new UserError("it does not stay up", log.trim().split("\n").at(-1));
  } catch (error) {
    await engine.remove([container]);
    throw error;
  }
}

/**
 * @param config as Compose has read it for this machine
 * @param there name: of the other machine; socket, root: of its engine
 * @returns a Compose file with it alone
 */
export function cadvisorThere(
  config: ComposeConfig,
  { name, network, socket, root }: { name: string; network: string; socket: string; root: string },
): { name: string; services: Record<string, any>; networks: object } {
  const service = config.services[CADVISOR];
  const volumes = service.volumes?.map((mount) => {
    // Where there is none, Docker would make a folder of that name.
    if (mount.target === SOCKET)
      return { ...mount, source: socket, bind: { create_host_path: false } };
    const isImages = mount.source.endsWith("/image") && mount.target === `/rootfs${mount.source}`;
    return isImages ? { ...mount, source: `${root}/image`, target: `/rootfs${root}/image` } : mount;
  });
  const hostname = name.replace(HOST_NAME.others, "-").slice(0, HOST_NAME.characters);
  return {
    name: config.name,
    services: { [CADVISOR]: { ...service, hostname, volumes, ports: [], depends_on: {} } },
    networks: { default: { name: network, external: true } },
  };
}

/**
 * An engine does not tell where it listens. Where this program reaches it by a socket, that is it.
 *
 * @returns its socket on its machine
 */
async function socketOf({ client: [, option, value = ""] }: Engine): Promise<string> {
  const format = ["--format", "{{.Endpoints.docker.Host}}"];
  const host =
    option === "--context"
      ? (await OWN_ENGINE.check(["docker", "context", "inspect", ...format, value])).trim()
      : value;
  return host.match(/^(?:unix:\/\/|ssh:\/\/[^/]+)(\/.+)$/)?.[1] ?? SOCKET;
}
