/**
 * The gate before the load: ends well once InfluxDB has its databases and exactly one proxy answers
 * to the name `proxy`, whose name and the run's it notes. It asks from outside, once: a health
 * check would start a process in each container again and again while the load is on (65 ms CPU
 * each, measured on Docker 20.10).
 */
import { lookup, reverse } from "node:dns/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { Influx, INFLUXDB_URL } from "../platform/influx.ts";
import { statusOf, until } from "../platform/wait.ts";
import { healthUrl, readProxies } from "../plan/proxies.ts";
import { refuseRunName, runNameAt } from "../plan/run-name.ts";
import { readScenario, scenarioNames } from "../plan/scenarios.ts";
import { K6_DATABASE, loadPoints } from "../series/single-load.ts";
import type { Scenario } from "../plan/scenarios.ts";
import type { Parameters, Scheme } from "../model/plan.ts";
import type { Load } from "../series/single-load.ts";

/** What cAdvisor and k6 write to (services/influxdb/databases.iql). */
const DATABASES = ["cadvisor", K6_DATABASE];

/** Where it leaves the labels of the run for those that it lets go on. */
export const RUN_FILE = "/run/bench/run.json";

/**
 * Compose starts the proxy beside this container: what is not there after so long will not come.
 */
const START_SECONDS = 10;

/**
 * @param env as compose.yaml sets it
 * @returns exit status
 */
export async function ready(
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<number> {
  const { PROJECT = "", WAIT_SECONDS, SCENARIO = "", SCHEME, RUN = "" } = env;
  const { run, proxy } = await waitForProxy({
    project: PROJECT,
    directory: "/",
    scenario: SCENARIO,
    scheme: SCHEME === "wss" ? "wss" : "ws",
    environment: env,
    waitSeconds: Number(WAIT_SECONDS),
    run: RUN,
    file: RUN_FILE,
  });
  print(`one proxy is up: ${proxy}; run ${run}, ${SCHEME}`);
  return 0;
}

/**
 * @throws {UserError} when the run's name or the scenario cannot be, there is no database or no
 *   proxy in time, more than one proxy, or one that carries no WebSockets, does not serve the
 *   scheme or does not forward
 */
export async function waitForProxy({
  project,
  directory,
  scenario: scenarioName,
  scheme,
  environment,
  waitSeconds,
  run,
  file,
  resolve = containersBehind,
  databases = influxDatabases,
  answer = statusOf,
  note = noteInInflux,
}: {
  /** Compose's project name */
  project: string;
  /** where the project's folders proxies and loadgen are */
  directory: string;
  /** that the load will run */
  scenario: string;
  /** that it will use */
  scheme: Scheme;
  /** its parameters, as the load gets them; it refuses wrong ones itself */
  environment: Record<string, string | undefined>;
  waitSeconds: number;
  /** label of the run; empty: the time now */
  run: string;
  /** where the load generator reads the labels */
  file: string;
  /** names of the containers behind a host name */
  resolve?: (host: string) => Promise<string[]>;
  /** names of the databases that InfluxDB has */
  databases?: () => Promise<string[]>;
  /** what a request through the proxy comes to */
  answer?: (url: string) => Promise<string>;
  /** writes to InfluxDB what the load is */
  note?: (run: string, load: Load) => Promise<void>;
}) {
  if (run) refuseRunName(run);
  const scenario = findScenario(directory, scenarioName);
  const described = readProxies(join(directory, "proxies"));
  const known = described
    .filter(({ serves }) => serves === "websockets")
    .map((proxy) => proxy.name);
  const deadline = Date.now() + waitSeconds * 1000;
  const found = await until(deadline, databases, (names) =>
    DATABASES.every((name) => names.includes(name)),
  );
  if (!DATABASES.every((name) => found.includes(name))) {
    throw new UserError(
      `InfluxDB has no databases ${DATABASES.join(" and ")} after ${waitSeconds} s (WAIT_SECONDS); it has: ${found.join(", ") || "none"}`,
      "See its log: docker compose logs influxdb. They are made when its volume is empty: ./bench down --data removes it.",
    );
  }
  const startSeconds = Math.min(waitSeconds, START_SECONDS);
  const proxiesNow = async () => (await resolve("proxy")).map(serviceOf(project)).sort();
  const proxies = await until(
    Date.now() + startSeconds * 1000,
    proxiesNow,
    (names) => names.length > 0,
  );
  if (proxies.length === 0) {
    throw new UserError(
      `no proxy is up after ${startSeconds} s, so there is nothing to measure`,
      `Name exactly one profile: docker compose --profile ${known[0]} up. Profiles: ${known.join(", ")}.\n` +
        "If you did, the proxy has ended: its own message is in the log above.",
    );
  }
  assertOne(proxies);
  const proxy = described.find(({ name }) => name === proxies[0]);
  if (proxy && proxy.serves !== "websockets") {
    throw new UserError(
      `${proxy.name} carries no WebSockets: it answers HTTP itself, and this load speaks WebSocket`,
      `Expected one of: ${known.join(", ")}. ${proxy.name} is measured by battles of HTTP requests: ./bench run --help.`,
    );
  }
  if (proxy && !proxy.schemes.includes(scheme)) {
    const [served] = proxy.schemes;
    throw new UserError(
      `${proxy.name} does not serve ${scheme}`,
      `Expected SCHEME to be ${proxy.schemes.join(" or ")}: SCHEME=${served} docker compose --profile ${proxy.name} up.`,
    );
  }
  const url = healthUrl(scheme);
  const last = await until(
    deadline,
    () => answer(url),
    (status) => status === "200",
  );
  if (last !== "200") {
    throw new UserError(
      `${proxies[0]} did not answer ${url} with 200 within ${waitSeconds} s (WAIT_SECONDS); last: ${last}`,
      "Its own message, and that of echo, are in the log above.",
    );
  }
  // A second one may have come up a moment after the first.
  assertOne(await proxiesNow());
  const labels = { run: run || runNameAt(), proxy: proxies[0] };
  const parameters = parametersOf(scenario, environment);
  await note(labels.run, { proxy: labels.proxy, scenario: scenario.name, scheme, parameters });
  writeFileSync(file, JSON.stringify(labels));
  return labels;
}

function findScenario(directory: string, name: string): Scenario {
  const scenarios = scenarioNames(directory).map((one) => readScenario(directory, one));
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found?.runner === "k6") return found;
  const known = scenarios.filter(({ runner }) => runner === "k6").map((scenario) => scenario.name);
  throw new UserError(
    found ? `SCENARIO=${name} is run in battles alone` : `unknown scenario: SCENARIO=${name}`,
    `Expected one of: ${known.join(", ")}.${found ? " For battles: ./bench run --help." : ""}`,
  );
}

/** @returns as the script will read them, but for those that it will refuse */
export function parametersOf(
  { parameters }: Scenario,
  environment: Record<string, string | undefined>,
): Parameters {
  return Object.fromEntries(
    Object.entries(parameters)
      .map(([name, table]) => [name, Number(environment[name] || table.default)] as const)
      .filter(([, value]) => Number.isFinite(value)),
  );
}

async function noteInInflux(run: string, load: Load) {
  await new Influx(INFLUXDB_URL).write(K6_DATABASE, loadPoints(run, load, Date.now()));
}

/** @returns service of `<project>-<service>-<number>.<network>` */
function serviceOf(project: string): (container: string) => string {
  return (container) =>
    container
      .split(".")[0]
      .slice(project.length + 1)
      .replace(/-\d+$/, "");
}

/**
 * @param proxies that are up
 * @throws {UserError} when they are several
 */
function assertOne(proxies: string[]) {
  if (proxies.length <= 1) return;
  const others = proxies
    .slice(1)
    .map((name) => `docker compose --profile ${name} down ${name}`)
    .join("; ");
  throw new UserError(
    `${proxies.length} proxies are up at once: ${proxies.join(", ")}; their figures would mix`,
    `Remove all but one: ${others}.\nThen start it again with exactly one profile.`,
  );
}

/** @returns empty while InfluxDB does not answer */
async function influxDatabases(): Promise<string[]> {
  try {
    return await new Influx(INFLUXDB_URL, { timeoutMs: 1000 }).databases();
  } catch {
    return [];
  }
}

/** @returns `<container>.<network>` of each, by the engine's name server */
export async function containersBehind(host: string): Promise<string[]> {
  try {
    const addresses = await lookup(host, { all: true, family: 4 });
    return (await Promise.all(addresses.map(({ address }) => reverse(address)))).map(
      ([name]) => name,
    );
  } catch (error) {
    // Not known yet, or gone between the two questions.
    if (
      error instanceof Error &&
      "code" in error &&
      /^(ENOTFOUND|EAI_AGAIN|ENODATA)$/.test(String(error.code))
    )
      return [];
    throw error;
  }
}
