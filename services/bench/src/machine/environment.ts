/**
 * What a run's figures were made on.
 */
import { join, relative } from "node:path";
import { OWN_ENGINE } from "../platform/engine.ts";
import { run } from "../platform/subprocess.ts";
import { readKnobs, workersEnv } from "../plan/knobs.ts";
import { fingerprint } from "./fingerprint.ts";
import { advise } from "./advice.ts";
import { BENCH_IMAGE, engineInfo } from "./engine.ts";
import { readGit } from "./git.ts";
import { openHost, readCpu, readMemory } from "./host.ts";
import { describeDescriptors, readLimits } from "./limits.ts";
import { readVersions } from "./versions.ts";
import type { Version } from "./versions.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { Proxy } from "../plan/proxies.ts";
import type { Environment, MachineOfRun } from "../model/environment.ts";
import type { Plan, ScenarioDescription } from "../model/plan.ts";
import type { EngineInfo } from "./engine.ts";
import type { GitState } from "./git.ts";
import type { Cpu, Host, Memory } from "./host.ts";

/** Services that a run does not start, or that change no figure. */
const NOT_STARTED = ["certs", "ready", "host-ports", "grafana"];

/**
 * Files that take part in what is measured, beside the folder of each proxy. What they make of
 * images, images' ids tell.
 */
const CONFIGURATION = [
  "compose.yaml",
  "compose.override.yaml",
  "certs/policy.json",
  "loadgen",
  "proxies/proxy.yaml",
  "proxies/raise-limits.sh",
  "proxies/run-nginx.sh",
  "proxies/supervise.sh",
  "proxies/write-files.sh",
  "proxies/node-server.js",
  "services/echo/src",
  "services/cadvisor",
  "services/influxdb",
  "services/reference",
];

/**
 * Variables of .env that change no figure: where images come from (their ids count), ports,
 * waiting, labels, and what the plan says.
 */
const OTHER_KNOBS =
  /_IMAGE$|^IMAGE_REGISTRY$|_PORT$|^(RUN|TRIAL|WAIT_SECONDS|DOCKER_ROOT|DOCKER_SOCKET|SCENARIO|SCHEME|SLO_MS|PROXY_CPUS|TLS_KEY_TYPE|NETWORK)$/;

/**
 * Takes 2 to 3 s: containers are asked for their versions. Once a run, before the first cell.
 *
 * @throws {UserError} when the engine does not answer
 */
export async function readEnvironment(options: {
  /** the project's */
  directory: string;
  /** with every profile */
  config: ComposeConfig;
  /** those of proxies/; the plan's are used */
  proxies: Proxy[];
  plan: Plan;
  /** those of hosts.yaml; identity: equal where they are; null: this one alone */
  hosts?: { machines: MachineOfRun[]; identity: string } | null;
  /** has the host's `proc` */
  root?: string;
  sys?: string;
}): Promise<Environment> {
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
      "Build options": told(versions, "build"),
      Packages: told(versions, "origin"),
      Settings: knobs,
      Git: gitDetails(git),
    },
    advice,
  };
}

/**
 * @param chosen profiles
 * @returns image of each service that a run of these profiles starts
 */
export function imagesOf(
  { name: project, services }: ComposeConfig,
  chosen: string[],
): Record<string, string> {
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
 * @param directory the project's
 * @param chosen profiles
 * @returns folders of proxies/ whose files they use: their own, and of a variant that of what it
 *   varies; sorted
 */
export function foldersOf(
  { services }: Pick<ComposeConfig, "services">,
  directory: string,
  chosen: string[],
): string[] {
  const mounted = Object.values(services)
    .filter(({ profiles = [] }) => profiles.some((profile) => chosen.includes(profile)))
    .flatMap(({ volumes = [] }) => volumes.map(({ source }) => relative(directory, source)))
    .flatMap((path) => path.match(/^(proxies\/[^/]+)\//)?.[1] ?? []);
  return [...new Set([...chosen.map((name) => `proxies/${name}`), ...mounted])].sort();
}

/**
 * @param scenarios of the plan
 * @returns image of each service that a run starts for these scenarios beside those of `imagesOf`;
 *   of a server that stands in the echo server's place, by its own name
 */
export function scenarioImages(
  { services }: ComposeConfig,
  scenarios: Pick<ScenarioDescription, "backend" | "runner">[],
): Record<string, string> {
  const servers = scenarios.map(({ backend }) => backend).filter((backend) => backend !== "echo");
  const loads = scenarios.some(({ runner }) => runner === "node") ? ["load-http"] : [];
  return Object.fromEntries([
    ...servers.map((backend) => [backend, `ws-proxy-bench/${backend}`]),
    ...loads.map((service) => [service, services[service].image ?? ""]),
  ]);
}

/** @returns image of the reference proxy; {}: it has no part in this run */
function referenceImage(
  { services }: ComposeConfig,
  { referenceShare = 0, scenarios }: Pick<Plan, "referenceShare" | "scenarios">,
): Record<string, string> {
  const isUsed = Object.values(scenarios).some(({ usesReference }) => usesReference);
  return referenceShare > 0 && isUsed ? { reference: services.reference.image ?? "" } : {};
}

interface Image {
  name: string;
  /** null: not here */
  id: string | null;
  origin: string;
}

/** @param images by service */
async function describeImages(images: Record<string, string>): Promise<Record<string, Image>> {
  const names = [...new Set(Object.values(images))];
  const ids = await OWN_ENGINE.localImages(names);
  const format = "{{.Id}} {{json .RepoDigests}}";
  const { stdout } = await run(["docker", "image", "inspect", "--format", format, ...ids.values()]);
  /** by id */
  const digests: Map<string, string> = new Map();
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

/** @returns by service, of those that tell it */
function told(versions: Record<string, Version>, what: "build" | "origin"): Record<string, string> {
  return Object.fromEntries(
    Object.entries(versions).flatMap(([service, { [what]: text }]) =>
      text === null ? [] : [[service, text]],
    ),
  );
}

function imageDetails({ name, id, origin }: Image): string {
  return [name, ...(id ? [id.replace("sha256:", "").slice(0, 12)] : []), origin].join(", ");
}

function identityOf({
  hosts,
  directory,
  folders,
  images,
  found,
  engine,
  cpu,
  memory,
  knobs,
}: {
  hosts: string | null;
  directory: string;
  /** of proxies */
  folders: string[];
  /** by service */
  images: Record<string, string>;
  found: Record<string, Image>;
  engine: EngineInfo;
  cpu: Cpu;
  memory: Memory;
  knobs: Record<string, string>;
}): Environment["identity"] {
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

function machineDetails(host: Host, cpu: Cpu, memory: Memory, engine: EngineInfo) {
  const gibibytes = (bytes: number | null) =>
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
    "AVX-512 IFMA (faster RSA)": cpu.avx512Ifma,
    "transparent huge pages": chosenOf(host.sys("kernel/mm/transparent_hugepage/enabled")),
    kernel: engine.KernelVersion,
    "operating system": engine.OperatingSystem,
  };
}

/** @param choices such as `always [madvise] never` */
function chosenOf(choices: string | null) {
  return choices?.match(/\[(.+)\]/)?.[1] ?? null;
}

function round(value: number) {
  return Math.round(value * 10) / 10;
}

function gitDetails({ commit, changed }: GitState): Record<string, string | boolean | null> {
  return { commit, "uncommitted changes": changed };
}

/**
 * The variables of .env that count, with the values that Compose gives them: environment variables
 * override it, empty ones too.
 */
export function knobsInEffect(
  directory: string,
  plan: Plan,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
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

/** @returns of each, for the report */
export function machineTexts(machines: MachineOfRun[]): Record<string, string> {
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
