/**
 * What integration tests share: Compose projects of their own that are gone when the test is.
 */
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { unavailableProxies } from "../src/commands/setup.ts";
import { imagesOf, withoutImage } from "../src/machine/local-images.ts";
import { Project } from "../src/platform/compose.ts";
import { OWN_ENGINE } from "../src/platform/engine.ts";
import { check } from "../src/platform/subprocess.ts";
import { Influx } from "../src/platform/influx.ts";
import { readProxies } from "../src/plan/proxies.ts";
import type { TestContext } from "node:test";
import type { ComposeConfig } from "../src/platform/compose.ts";
import type { Proxy } from "../src/plan/proxies.ts";

/** The project as the host's engine sees it; tests read it and never write it. */
export const projectDirectory = process.env.BENCH_PROJECT ?? process.cwd();

/** Where the host's /proc is: ./bench mounts it; outside of a container it is at its place. */
export const PROC = existsSync("/host/proc/stat") ? "/host/proc" : "/proc";

/** Ports that the engine chooses, so that tests disturb nobody. */
export const FREE_PORTS = {
  GRAFANA_PORT: "0",
  INFLUXDB_PORT: "0",
  CADVISOR_PORT: "0",
  PROXY_PORT: "0",
  PROXY_TLS_PORT: "0",
};

/**
 * @returns every folder of proxies/, why some are not available here, and Compose's
 *   configuration of all
 */
export async function readAvailableProxies(): Promise<{
  proxies: Proxy[];
  unavailable: Map<string, string>;
  config: ComposeConfig;
}> {
  const proxies = readProxies(join(projectDirectory, "proxies"));
  const config = await new Project(projectDirectory, { profile: "*" }).config();
  const unavailable = await unavailableProxies(projectDirectory, config, proxies);
  // A setup has not built them, if nobody has named them.
  const named = proxies.filter(({ onlyByName }) => onlyByName);
  const images = named.flatMap(({ name }) => imagesOf(config, name));
  const absent = withoutImage(config, named, await OWN_ENGINE.localImages([...new Set(images)]));
  return { proxies, unavailable: new Map([...unavailable, ...absent]), config };
}

/**
 * @returns it is another with a file more, or another file: what that one was tested for holds for
 *   it, too
 */
export function differsInFilesAlone(
  { name, variantOf }: Pick<Proxy, "name" | "variantOf">,
  { services }: ComposeConfig,
): boolean {
  if (!variantOf) return false;
  const whatRuns = (service: string) => {
    const { image, command, entrypoint } = services[service];
    return { image, command, entrypoint };
  };
  return isDeepStrictEqual(whatRuns(name), whatRuns(variantOf.proxy));
}

/**
 * @returns a Compose project name that no other test has, and that says of which run of tests it is
 *   (run-tests)
 */
export function uniqueName(): string {
  return `wpb-test-${process.env.BENCH_TEST_RUN ?? ""}${randomBytes(4).toString("hex")}`;
}

const cleanUps: WeakMap<TestContext, (() => unknown)[]> = new WeakMap();

/**
 * Runs an action when the test has ended, passed or failed; the one registered last comes first.
 */
export function atEnd(t: TestContext, action: () => unknown) {
  const actions = cleanUps.get(t) ?? [];
  if (actions.length === 0) {
    cleanUps.set(t, actions);
    t.after(async () => {
      for (const next of actions.reverse()) await next();
    });
  }
  actions.push(action);
}

/**
 * A project whose files are read once for each environment that it is given: Compose takes ten
 * times as long when it reads all of them each time.
 */
export class LabProject extends Project {
  async run(...about: Parameters<Project["run"]>) {
    await this.readOnce();
    return super.run(...about);
  }

  config() {
    return this.readOnce();
  }
}

/**
 * A Compose project under a name of its own; whatever it started is removed when the test ends,
 * passed or failed.
 */
export function lab(
  t: TestContext,
  {
    profile,
    env = {},
    directory = projectDirectory,
    services,
    isPlain = false,
  }: {
    profile?: string;
    env?: Record<string, string>;
    directory?: string;
    /** what the test changes of them, merged as a further Compose file is */
    services?: Record<string, object>;
    /** Compose reads the files each time, as it does for users */
    isPlain?: boolean;
  } = {},
): Project & { name: string } {
  const name = uniqueName();
  const files = services ? [...projectFiles(directory), changesFile(t, services)] : [];
  // The shortest load, as what `up` plays by default takes minutes; and a busy machine has its time.
  const shared = { ...FREE_PORTS, SCENARIO: "short-lived", WAIT_SECONDS: "120" };
  const options = { name, files, env: { ...shared, ...env } };
  const all = new LabProject(directory, options);
  atEnd(t, () => all.down());
  const Kind = isPlain ? Project : LabProject;
  return Object.assign(new Kind(directory, { ...options, profile }), { name });
}

/**
 * @param directory of a project
 * @returns the files that Compose reads there when none is named
 */
function projectFiles(directory: string): string[] {
  return ["compose.yaml", "compose.override.yaml"].filter((file) =>
    existsSync(join(directory, file)),
  );
}

/** @returns a Compose file with nothing else, gone when the test is */
function changesFile(t: TestContext, services: Record<string, object>): string {
  const folder = mkdtempSync(join(tmpdir(), "changes-"));
  atEnd(t, () => rmSync(folder, { recursive: true }));
  const file = join(folder, "compose.json");
  writeFileSync(file, JSON.stringify({ services }));
  return file;
}

/**
 * Runs the service `load` to its end, without anything that it depends on and without InfluxDB.
 *
 * @param project whose proxy is up
 * @param env of the load
 * @returns summary: null when it wrote none
 */
export async function runLoad(
  project: Project,
  env: Record<string, string>,
): Promise<{ code: number; output: string; summary: any }> {
  const { code, output } = await project.run([
    ...["run", "--rm", "--no-deps", "--no-TTY"],
    ...Object.entries({ K6_OUT: "", ...env }).flatMap(([key, value]) => [
      "--env",
      `${key}=${value}`,
    ]),
    "load",
  ]);
  return { code, output, summary: JSON.parse(output.match(/SUMMARY (\{.*\})/)?.[1] ?? "null") };
}

/**
 * Until the test ends, commands that are called in this process have a Compose project of their own,
 * and record their runs in this folder.
 *
 * @param directory a copy of the project
 */
export function actIn(t: TestContext, directory: string) {
  const name = uniqueName();
  const own: Record<string, string> = {
    ...FREE_PORTS,
    COMPOSE_PROJECT_NAME: name,
    BENCH_RESULTS: join(directory, "results"),
  };
  const before = Object.keys(own).map((key) => [key, process.env[key]] as const);
  Object.assign(process.env, own);
  atEnd(t, async () => {
    await new Project(directory, { name, profile: "*" }).down();
    for (const [key, value] of before) {
      if (value === undefined) delete process.env[key];
      else process.env[key] = value;
    }
  });
}

/**
 * Lets this container reach the services of a Compose project by name, until the test ends.
 *
 * @param project name
 */
export async function joinProject(t: TestContext, project: string) {
  const network = `${project}_default`;
  await OWN_ENGINE.joinNetwork(network);
  atEnd(t, () => OWN_ENGINE.leaveNetwork(network));
}

/**
 * A copy of the project that the host's engine can mount, gone when the test is.
 *
 * @returns its folder
 */
export function copyOfProject(t: TestContext): string {
  const directory = join(projectDirectory, ".bench", uniqueName());
  mkdirSync(directory, { recursive: true });
  atEnd(t, () => rmSync(directory, { recursive: true, force: true }));
  for (const entry of [
    // What is built already is not built again.
    ".bench/builds.json",
    "bench",
    ".env",
    "compose.yaml",
    "compose.override.yaml",
    "battles",
    "certs",
    "dashboards",
    "loadgen",
    "offline",
    "proxies",
    "services",
  ]) {
    if (!existsSync(join(projectDirectory, entry))) continue;
    cpSync(join(projectDirectory, entry), join(directory, entry), {
      recursive: true,
      filter: (source) => !source.endsWith("/node_modules"),
    });
  }
  return directory;
}

/**
 * Asks the InfluxDB of the Compose project whose network was joined.
 *
 * @param query InfluxQL
 * @param database where the query names none
 */
export function influx(query: string, database?: string) {
  return new Influx("http://influxdb:8086").query(query, { database });
}

/**
 * @param project with a load that was started
 * @returns exit status of k6
 */
export async function waitForLoad(project: Project, service = "load"): Promise<number> {
  const id = (await project.check(["ps", "--all", "--quiet", service])).trim();
  return Number(await check(["docker", "wait", id]));
}

/**
 * @param project with a load that has ended
 * @returns what its line SUMMARY holds
 */
export async function loadSummary(project: Project): Promise<any> {
  const log = await project.check(["logs", "--no-log-prefix", "load"]);
  return JSON.parse(log.match(/SUMMARY (\{.*\})/)?.[1] ?? "null");
}
