/**
 * This folder's files on another machine: configurations, scripts and certificates that Compose
 * mounts, in a volume there.
 */
import { relative } from "node:path";
import { UserError } from "../errors.ts";
import { BENCH_IMAGE } from "../machine/engine.ts";
import { RUN_LABEL } from "./swarm.ts";
import { run as runHere } from "../platform/subprocess.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { run as Run } from "../platform/subprocess.ts";
import type { Site } from "../run/placement.ts";

/** Folders in the volume. */
const FILES = "files";
const SAMPLES = "samples";

/** What the files may take to be brought to a machine. */
const SHIP_LIMIT_MS = 300_000;

/**
 * Volumes of certificates, by their names in compose.yaml. Other volumes are empty on every
 * machine.
 */
const CERTIFICATES = /^certs-/;

/**
 * @param files where the volume lies on its machine
 * @returns folder there for what the load writes
 */
export function samplesIn(files: string): string {
  return `${files}/${SAMPLES}`;
}

/**
 * The project as another machine starts it: on the network over all machines, and with the files
 * that are there.
 *
 * @param config as Compose wrote it, with absolute paths
 */
export function relocated(
  config: ComposeConfig,
  {
    directory,
    network,
    files,
  }: {
    /** the project's */
    directory: string;
    network: string;
    /** where the volume of files lies on that machine; null: it is this one, which has them */
    files: string | null;
  },
): ComposeConfig {
  const networks = { ...config.networks, default: { name: network, external: true } };
  if (files === null) return { ...config, networks };
  const services = Object.fromEntries(
    Object.entries(config.services).map(([name, service]) => [
      name,
      service.volumes
        ? { ...service, volumes: service.volumes.map((mount) => moved(mount, directory, files)) }
        : service,
    ]),
  );
  return { ...config, networks, services };
}

function moved(
  mount: NonNullable<ComposeConfig["services"][string]["volumes"]>[number],
  directory: string,
  files: string,
) {
  const bind = { create_host_path: false };
  if (mount.type === "volume" && CERTIFICATES.test(mount.source))
    return { ...asBind(mount), source: `${files}/${mount.source}`, bind };
  const path = pathOf(mount, directory);
  return path === null ? mount : { ...mount, source: `${files}/${FILES}/${path}`, bind };
}

function asBind({
  target,
  read_only,
}: NonNullable<ComposeConfig["services"][string]["volumes"]>[number]) {
  return { type: "bind", target, ...(read_only !== undefined && { read_only }) };
}

/** @returns from the project's folder; null: it is no file of it */
function pathOf(
  { type, source }: { type?: string; source: string },
  directory: string,
): string | null {
  if (type !== "bind") return null;
  const path = relative(directory, source);
  return path === "" || path.startsWith("..") ? null : path;
}

/** @returns files and folders of the project's that these mount, sorted */
export function filesOf(
  { services: all }: ComposeConfig,
  directory: string,
  services: string[],
): string[] {
  const paths = services.flatMap((name) =>
    (all[name]?.volumes ?? []).flatMap((mount) => pathOf(mount, directory) ?? []),
  );
  return [...new Set(paths)].sort();
}

/**
 * Makes and fills the volume of a machine.
 *
 * @returns where it lies there
 * @throws {UserError}
 */
export async function shipFiles(
  site: Site,
  {
    config,
    directory,
    services,
    keyTypes,
  }: {
    /** with every profile */
    config: ComposeConfig;
    directory: string;
    /** that may run there */
    services: string[];
    /** certificates that this machine's volumes have */
    keyTypes: ("ecdsa" | "rsa")[];
  },
  run: typeof Run = runHere,
): Promise<string> {
  const { engine } = site;
  const volume = `${config.name}-files`;
  await engine.check([
    ...["docker", "volume", "create", "--label", `${RUN_LABEL}=${config.name}`, volume],
  ]);
  const format = ["--format", "{{.Mountpoint}}"];
  const place = (await engine.check(["docker", "volume", "inspect", ...format, volume])).trim();
  const helper = ["run", "--rm", "--network", "none", "--user", "0:0"];
  const there = (folder: string) => [
    ...[...engine.client, ...helper, "--interactive", "--label", `${RUN_LABEL}=${config.name}`],
    ...["--volume", `${volume}:/to`, "--entrypoint", "sh", BENCH_IMAGE, "-c"],
    // Whoever the load runs as writes there.
    `mkdir -p "/to/$1" /to/${SAMPLES} && chmod 755 /to "/to/$1" && chmod 1777 /to/${SAMPLES} && tar -x -C "/to/$1"`,
    ...["sh", folder],
  ];
  await pipe(
    ["tar", "-c", "-C", directory, "--", ...filesOf(config, directory, services)],
    there(FILES),
    { site, run },
  );
  for (const type of keyTypes) {
    const key = `certs-${type}`;
    const from = config.volumes?.[key]?.name ?? `${config.name}_${key}`;
    await pipe(
      [
        ...["docker", ...helper, "--volume", `${from}:/from:ro`, "--entrypoint", "tar"],
        ...[BENCH_IMAGE, "-c", "-C", "/from", "--exclude=./ca.key", "."],
      ],
      there(key),
      { site, run },
    );
  }
  return place;
}

/**
 * @param from its output
 * @param to is this one's input
 * @throws {UserError} when one of them fails
 */
async function pipe(from: string[], to: string[], { site, run }: { site: Site; run: typeof Run }) {
  const script = 'count=$1; shift; "${@:1:count}" | "${@:count+1}"';
  const words = [String(from.length), ...from, ...to];
  const { code, output } = await run(["bash", "-o", "pipefail", "-c", script, "bash", ...words], {
    limit: AbortSignal.timeout(SHIP_LIMIT_MS),
  });
  if (code !== 0)
    throw new UserError(
      `the files of the benchmark could not be copied to the machine ${site.name}`,
      output.trim(),
    );
}
