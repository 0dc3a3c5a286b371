/**
 * This folder's files on another machine: configurations, scripts and certificates that Compose mounts, in a volume there.
 */
import { relative } from "node:path";
import { UserError } from "../errors.js";
import { BENCH_IMAGE } from "../machine/engine.js";
import { RUN_LABEL } from "./swarm.js";
import { run as runHere } from "../platform/docker.js";

/** @import { ComposeConfig, run as Run } from "../platform/docker.js" */
/** @import { Site } from "../run/placement.js" */

/** Folders in the volume. */
const FILES = "files";
const SAMPLES = "samples";

/** What the files may take to be brought to a machine. */
const SHIP_LIMIT_MS = 300_000;

/** Volumes of certificates, by their names in compose.yaml. Other volumes are empty on every machine. */
const CERTIFICATES = /^certs-/;

/**
 * @param {string} files where the volume lies on its machine
 * @returns {string} folder there for what the load writes
 */
export function samplesIn(files) {
  return `${files}/${SAMPLES}`;
}

/**
 * The project as another machine starts it: on the network over all machines, and with the files that are there.
 *
 * @param {ComposeConfig} config as Compose wrote it, with absolute paths
 * @param {object} there
 * @param {string} there.directory the project's
 * @param {string} there.network
 * @param {string | null} there.files where the volume of files lies on that machine; null: it is this one, which has them
 * @returns {ComposeConfig}
 */
export function relocated(config, { directory, network, files }) {
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

/**
 * @param {NonNullable<ComposeConfig["services"][string]["volumes"]>[number]} mount
 * @param {string} directory
 * @param {string} files
 */
function moved(mount, directory, files) {
  const bind = { create_host_path: false };
  if (mount.type === "volume" && CERTIFICATES.test(mount.source))
    return { ...asBind(mount), source: `${files}/${mount.source}`, bind };
  const path = pathOf(mount, directory);
  return path === null ? mount : { ...mount, source: `${files}/${FILES}/${path}`, bind };
}

/** @param {NonNullable<ComposeConfig["services"][string]["volumes"]>[number]} mount */
function asBind({ target, read_only }) {
  return { type: "bind", target, ...(read_only !== undefined && { read_only }) };
}

/**
 * @param {{type?: string, source: string}} mount
 * @param {string} directory
 * @returns {string | null} from the project's folder; null: it is no file of it
 */
function pathOf({ type, source }, directory) {
  if (type !== "bind") return null;
  const path = relative(directory, source);
  return path === "" || path.startsWith("..") ? null : path;
}

/**
 * @param {ComposeConfig} config
 * @param {string} directory
 * @param {string[]} services
 * @returns {string[]} files and folders of the project's that these mount, sorted
 */
export function filesOf({ services: all }, directory, services) {
  const paths = services.flatMap((name) =>
    (all[name]?.volumes ?? []).flatMap((mount) => pathOf(mount, directory) ?? []),
  );
  return [...new Set(paths)].sort();
}

/**
 * Makes and fills the volume of a machine.
 *
 * @param {Site} site
 * @param {object} about
 * @param {ComposeConfig} about.config with every profile
 * @param {string} about.directory
 * @param {string[]} about.services that may run there
 * @param {("ecdsa" | "rsa")[]} about.keyTypes certificates that this machine's volumes have
 * @param {typeof Run} [run]
 * @returns {Promise<string>} where it lies there
 * @throws {UserError}
 */
export async function shipFiles(site, { config, directory, services, keyTypes }, run = runHere) {
  const { engine } = site;
  const volume = `${config.name}-files`;
  await engine.check([
    ...["docker", "volume", "create", "--label", `${RUN_LABEL}=${config.name}`, volume],
  ]);
  const format = ["--format", "{{.Mountpoint}}"];
  const place = (await engine.check(["docker", "volume", "inspect", ...format, volume])).trim();
  const helper = ["run", "--rm", "--network", "none", "--user", "0:0"];
  const there = (/** @type {string} */ folder) => [
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
 * @param {string[]} from its output
 * @param {string[]} to is this one's input
 * @param {{site: Site, run: typeof Run}} about
 * @throws {UserError} when one of them fails
 */
async function pipe(from, to, { site, run }) {
  const script = 'count=$1; shift; "${@:1:count}" | "${@:count+1}"';
  const words = [String(from.length), ...from, ...to];
  const { code, output } = await run(["bash", "-o", "pipefail", "-c", script, "bash", ...words], {
    limit: AbortSignal.timeout(SHIP_LIMIT_MS),
  });
  if (code !== 0)
    throw new UserError(
      `the files of the benchmark could not be brought to the machine ${site.name}`,
      output.trim(),
    );
}
