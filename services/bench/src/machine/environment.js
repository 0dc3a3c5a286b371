/**
 * What a run's figures were made on.
 */
import { join, relative } from "node:path";
import { OWN_ENGINE, run } from "../platform/docker.js";
import { readKnobs, workersEnv } from "../plan/knobs.js";
import { fingerprint } from "./fingerprint.js";
import { advise } from "./advice.js";
import { BENCH_IMAGE, engineInfo } from "./engine.js";
import { readGit } from "./git.js";
import { openHost, readCpu, readMemory } from "./host.js";
import { describeDescriptors, readLimits } from "./limits.js";
import { readVersions } from "./versions.js";

/** @import { ComposeConfig } from "../platform/docker.js" */
/** @import { Proxy } from "../plan/proxies.js" */
/** @import { Environment, MachineOfRun } from "../model/environment.ts" */
/** @import { Plan, ScenarioDescription } from "../model/plan.ts" */
/** @import { EngineInfo } from "./engine.js" */
/** @import { GitState } from "./git.js" */
/** @import { Cpu, Host, Memory } from "./host.js" */
/** @import { Version } from "./versions.js" */

/** Services that a run does not start, or that change no figure. */
const NOT_STARTED = ["certs", "ready", "host-ports", "grafana"];

/** Files that take part in what is measured, beside the folder of each proxy. What they make of images, images' ids tell. */
const CONFIGURATION = [
  "compose.yaml",
  "compose.override.yaml",
  "certs/policy.json",
  "loadgen",
  "proxies/proxy.yaml",
  "proxies/raise-limits.sh",
  "proxies/run-nginx.sh",
  "proxies/write-files.sh",
  "proxies/node-server.js",
  "services/echo/src",
  "services/cadvisor",
  "services/influxdb",
  "services/reference",
];

/** Variables of .env that change no figure: where images come from (their ids count), ports, waiting, labels, and what the plan says. */
const OTHER_KNOBS =
  /_IMAGE$|^IMAGE_REGISTRY$|_PORT$|^(RUN|TRIAL|WAIT_SECONDS|DOCKER_ROOT|DOCKER_SOCKET|SCENARIO|SCHEME|SLO_MS|PROXY_CPUS|TLS_KEY_TYPE|NETWORK)$/;

/**
 * Takes 2 to 3 s: containers are asked for their versions. Once a run, before the first cell.
 *
 * @param {object} options
 * @param {string} options.directory the project's
 * @param {ComposeConfig} options.config with every profile
 * @param {Proxy[]} options.proxies those of proxies/; the plan's are used
 * @param {Plan} options.plan
 * @param {{machines: MachineOfRun[], identity: string} | null} [options.hosts] those of hosts.yaml; identity: equal where they are; null: this
 *   one alone
 * @param {string} [options.root] has the host's `proc`
 * @param {string} [options.sys]
 * @returns {Promise<Environment>}
 * @throws {import("../errors.js").UserError} when the engine does not answer
 */
export async function readEnvironment(options) {
  const { directory, config, proxies, plan, hosts = null, root, sys } = options;
  const host = openHost({ root, sys });
  // The plan of an A/A run has names of its own for the copies of a proxy.
  const profiles = [...new Set(plan.cells.map(({ profile }) => profile))].sort();
  const chosen = proxies.filter(({ name }) => profiles.includes(name));
  const images = {
    ...imagesOf(config, profiles),
    ...scenarioImages(config, Object.values(plan.scenarios)),
    ...referenceImage(config, plan),
  };
  const [engine, limits, found, versions, git, advice] = await Promise.all([
    engineInfo(),
    readLimits({ root, sys }),
    describeImages({ ...images, bench: BENCH_IMAGE }),
    readVersions(images, chosen, run),
    readGit(directory, run),
    advise({ root, sys, directory, run }),
  ]);
  const cpu = readCpu(host);
  const memory = readMemory(host);
  const knobs = knobsInEffect(directory, plan, process.env);
  return {
    schema: 1,
    ...(hosts && { machines: hosts.machines }),
    identity: identityOf({
      hosts: hosts && hosts.identity,
      directory,
      folders: foldersOf(config, directory, profiles),
      images,
      found,
      engine,
      cpu,
      memory,
      knobs,
    }),
    details: {
      Machine: machineDetails(host, cpu, memory, engine),
      ...(hosts && { Machines: machineTexts(hosts.machines) }),
      Engine: {
        version: engine.ServerVersion,
        "storage driver": engine.Driver,
        cgroup: `v${engine.CgroupVersion}, ${engine.CgroupDriver}`,
        security: (engine.SecurityOptions ?? []).join("; "),
        runtime: engine.DefaultRuntime,
        "descriptors per process": describeDescriptors(limits),
      },
      Images: Object.fromEntries(
        Object.entries(found).map(([service, image]) => [service, imageDetails(image)]),
      ),
      Versions: Object.fromEntries(
        Object.entries(versions).map(([service, { version }]) => [service, version]),
      ),
      "Build options": Object.fromEntries(
        Object.entries(versions).flatMap(([service, { build }]) =>
          build ? [[service, build]] : [],
        ),
      ),
      Settings: knobs,
      Git: gitDetails(git),
    },
    advice,
  };
}

/**
 * @param {ComposeConfig} config
 * @param {string[]} chosen profiles
 * @returns {Record<string, string>} image of each service that a run of these profiles starts
 */
export function imagesOf({ name: project, services }, chosen) {
  return Object.fromEntries(
    Object.entries(services)
      .filter(([name, { profiles = [] }]) =>
        profiles.length > 0
          ? profiles.some((profile) => chosen.includes(profile))
          : !NOT_STARTED.includes(name),
      )
      .map(([name, { image }]) => [name, image ?? `${project}-${name}`]),
  );
}

/**
 * @param {Pick<ComposeConfig, "services">} config
 * @param {string} directory the project's
 * @param {string[]} chosen profiles
 * @returns {string[]} folders of proxies/ whose files they use: their own, and of a variant that of what it varies; sorted
 */
export function foldersOf({ services }, directory, chosen) {
  const mounted = Object.values(services)
    .filter(({ profiles = [] }) => profiles.some((profile) => chosen.includes(profile)))
    .flatMap(({ volumes = [] }) => volumes.map(({ source }) => relative(directory, source)))
    .flatMap((path) => path.match(/^(proxies\/[^/]+)\//)?.[1] ?? []);
  return [...new Set([...chosen.map((name) => `proxies/${name}`), ...mounted])].sort();
}

/**
 * @param {ComposeConfig} config
 * @param {Pick<ScenarioDescription, "backend" | "runner">[]} scenarios of the plan
 * @returns {Record<string, string>} image of each service that a run starts for these scenarios beside those of `imagesOf`; of a server
 *   that stands in the echo server's place, by its own name
 */
export function scenarioImages({ services }, scenarios) {
  const servers = scenarios.map(({ backend }) => backend).filter((backend) => backend !== "echo");
  const loads = scenarios.some(({ runner }) => runner === "node") ? ["load-http"] : [];
  return Object.fromEntries([
    ...servers.map((backend) => [backend, `ws-proxy-bench/${backend}`]),
    ...loads.map((service) => [service, services[service].image ?? ""]),
  ]);
}

/**
 * @param {ComposeConfig} config
 * @param {Pick<Plan, "referenceShare" | "scenarios">} plan
 * @returns {Record<string, string>} image of the reference proxy; {}: it has no part in this run
 */
export function referenceImage({ services }, { referenceShare = 0, scenarios }) {
  const isUsed = Object.values(scenarios).some(({ usesReference }) => usesReference);
  return referenceShare > 0 && isUsed ? { reference: services.reference.image ?? "" } : {};
}

/**
 * @typedef {object} Image
 * @property {string} name
 * @property {string | null} id null: not here
 * @property {string} origin
 */

/**
 * @param {Record<string, string>} images by service
 * @returns {Promise<Record<string, Image>>}
 */
async function describeImages(images) {
  const names = [...new Set(Object.values(images))];
  const ids = await OWN_ENGINE.localImages(names);
  const format = "{{.Id}} {{json .RepoDigests}}";
  const { stdout } = await run(["docker", "image", "inspect", "--format", format, ...ids.values()]);
  /** @type {Map<string, string>} by id */
  const digests = new Map();
  for (const line of stdout.trim().split("\n").filter(Boolean)) {
    const [id, list] = line.split(" ");
    digests.set(id, JSON.parse(list)?.[0] ?? "local build");
  }
  return Object.fromEntries(
    Object.entries(images).map(([service, name]) => {
      const id = ids.get(name) ?? null;
      // The containerd image store gives local builds a digest too.
      const local = name.startsWith("ws-proxy-bench/");
      const origin = local ? "local build" : ((id && digests.get(id)) ?? "not on this machine");
      return [service, { name, id, origin }];
    }),
  );
}

/**
 * @param {Image} image
 * @returns {string}
 */
function imageDetails({ name, id, origin }) {
  return [name, ...(id ? [id.replace("sha256:", "").slice(0, 12)] : []), origin].join(", ");
}

/**
 * @param {object} facts
 * @param {string | null} facts.hosts
 * @param {string} facts.directory
 * @param {string[]} facts.folders of proxies
 * @param {Record<string, string>} facts.images by service
 * @param {Record<string, Image>} facts.found
 * @param {EngineInfo} facts.engine
 * @param {Cpu} facts.cpu
 * @param {Memory} facts.memory
 * @param {Record<string, string>} facts.knobs
 * @returns {Environment["identity"]}
 */
function identityOf({ hosts, directory, folders, images, found, engine, cpu, memory, knobs }) {
  const files = [...CONFIGURATION, ...folders];
  return {
    CPU: cpu.model ?? "unknown",
    cores: cpu.cores ?? "unknown",
    // To a tenth: the kernel keeps some MB more or less for itself from boot to boot.
    "memory GiB": memory.total === null ? "unknown" : round(memory.total / 2 ** 30),
    kernel: engine.KernelVersion,
    cgroup: `v${engine.CgroupVersion}`,
    engine: engine.ServerVersion,
    ...(hosts !== null && { "machines (--hosts)": hosts }),
    ...Object.fromEntries(
      Object.keys(images).map((service) => [`image of ${service}`, found[service].id ?? "absent"]),
    ),
    ...Object.fromEntries(files.map((file) => [file, fingerprint(join(directory, file))])),
    ...knobs,
  };
}

/**
 * @param {Host} host
 * @param {Cpu} cpu
 * @param {Memory} memory
 * @param {EngineInfo} engine
 */
function machineDetails(host, cpu, memory, engine) {
  const gibibytes = (/** @type {number | null} */ bytes) =>
    bytes === null ? null : `${round(bytes / 2 ** 30)} GiB`;
  return {
    CPU: cpu.model,
    cores: cpu.cores,
    memory: gibibytes(memory.total),
    swap: gibibytes(memory.swap),
    "virtual machine": cpu.virtual,
    "threads share cores (SMT)": cpu.smt,
    governor: cpu.governor,
    turbo: cpu.turbo,
    clocksource: cpu.clocksource,
    "transparent huge pages": chosenOf(host.sys("kernel/mm/transparent_hugepage/enabled")),
    kernel: engine.KernelVersion,
    "operating system": engine.OperatingSystem,
  };
}

/**
 * @param {string | null} choices such as `always [madvise] never`
 */
function chosenOf(choices) {
  return choices?.match(/\[(.+)\]/)?.[1] ?? null;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/**
 * @param {GitState} state
 * @returns {Record<string, string | boolean | null>}
 */
function gitDetails({ commit, changed }) {
  return { commit, "uncommitted changes": changed };
}

/**
 * The variables of .env that count, with the values that Compose gives them: the environment wins, an empty variable too.
 *
 * @param {string} directory
 * @param {Plan} plan
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Record<string, string>}
 */
export function knobsInEffect(directory, plan, environment) {
  const { cells, keyType, proxyCpus, referenceShare, workers } = plan;
  const planned = new Set(cells.flatMap(({ parameters }) => Object.keys(parameters)));
  const knobs = [...readKnobs(directory, environment)].filter(
    ([name]) => !planned.has(name) && !OTHER_KNOBS.test(name),
  );
  return {
    ...Object.fromEntries(knobs),
    PROXY_CPUS: String(proxyCpus),
    ...(referenceShare !== undefined && { REFERENCE_SHARE: String(referenceShare) }),
    TLS_KEY_TYPE: keyType,
    ...workersEnv(workers),
  };
}

/**
 * @param {MachineOfRun[]} machines
 * @returns {Record<string, string>} of each, for the report
 */
export function machineTexts(machines) {
  return Object.fromEntries(
    machines.map(({ name, roles, engine, cores, memoryBytes, kernel, clock }) => [
      name,
      [
        roles.join(", "),
        `${cores} cores`,
        `${(memoryBytes / 2 ** 30).toFixed(1)} GiB`,
        `engine ${engine}`,
        `kernel ${kernel}`,
        clock
          ? `clock ${clock.offsetMs.toFixed(2)} ms ± ${clock.uncertaintyMs.toFixed(2)} from the runner's`
          : "the runner's",
      ].join("; "),
    ]),
  );
}
