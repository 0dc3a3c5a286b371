/**
 * `watch`: the service of that name in compose.yaml. It follows the load of `docker compose up`
 * from second to second, for Grafana, and says at its end what it cost and how to go on.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "../errors.ts";
import { number } from "../numbers.ts";
import { Influx, INFLUXDB_URL } from "../platform/influx.ts";
import { until } from "../platform/wait.ts";
import { descriptionOf, readScenario } from "../plan/scenarios.ts";
import { loadText } from "../report/load-text.ts";
import { FollowedLoad } from "../series/followed-load.ts";
import { CADVISOR_URL, imageOf } from "../platform/cadvisor.ts";
import { containersBehind, parametersOf, RUN_FILE } from "./ready.ts";
import type { Part } from "../series/followed-load.ts";

/** The load starts beside this container: what is not there after so long has ended already. */
const START_MS = 20_000;
/** So much later all samples of a second are in InfluxDB: k6 and cAdvisor write once a second. */
const LAG_MS = 3000;
/** Before the load, in the range that a link shows. */
const BEFORE_MS = 5000;

/**
 * @param env as compose.yaml sets it
 * @returns exit status, when the load has ended
 */
export async function watch(
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
  directory = "/",
): Promise<number> {
  const { PROJECT = "", SCENARIO = "", SCHEME = "", GRAFANA_PORT = "" } = env;
  const { run, proxy } = JSON.parse(readFileSync(RUN_FILE, "utf8"));
  // The load may have begun by now.
  const fromMs = Math.floor(statSync(RUN_FILE).mtimeMs / 1000) * 1000;
  const link = (to: string | number) =>
    GRAFANA_PORT === "0"
      ? "docker compose port grafana 3000 says where"
      : `http://127.0.0.1:${GRAFANA_PORT}/d/proxies-live?from=${fromMs - BEFORE_MS}&to=${to}`;
  print(`Grafana shows it: ${link("now")}`);

  const scenario = readScenario(directory, SCENARIO);
  const load = loadText([
    { parameters: parametersOf(scenario, env), description: descriptionOf(scenario) },
  ]);
  const containers = [proxy, ...partsOf(join(directory, "proxies"), proxy)].map(
    (service) => `${PROJECT}-${service}-1`,
  );
  const followed = new FollowedLoad(new Influx(INFLUXDB_URL), {
    tags: { run, proxy, scenario: SCENARIO, scheme: SCHEME },
    containers,
    load: [SCENARIO, load].filter(Boolean).join(": "),
    version: await versionOf(directory, { proxy, container: containers[0] }),
    fromMs,
  });
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort());
  const lacks = (error: UserError) => print(`Grafana lacks some seconds of it: ${error.message}`);
  const toMs = await follow(followed, { fromMs, lacks, signal: stop.signal });
  if (toMs === null) {
    print("no load is up to be watched: its own message is in the log above");
    return 0;
  }
  await followed.end(toMs, stop.signal.aborted ? "stopped" : "ended");
  for (const part of followed.parts) print(costsOf(proxy, part));
  print(`Grafana keeps it: ${link(toMs + BEFORE_MS)}`);
  print(`Another load: SCENARIO=steady docker compose --profile ${proxy} up`);
  print(`Other proxies side by side: ./bench run`);
  return 0;
}

/**
 * @returns ms since 1970: when the load had ended; null: there was none
 */
async function follow(
  load: FollowedLoad,
  {
    fromMs,
    lacks,
    signal,
  }: { fromMs: number; lacks: (error: UserError) => void; signal: AbortSignal },
): Promise<number | null> {
  const isUp = async () => (await containersBehind("load")).length > 0;
  if (!(await until(Date.now() + START_MS, isUp, Boolean))) return null;
  let endMs = Infinity;
  let secondMs = fromMs;
  let hasLacked = false;
  for (; secondMs < endMs && !signal.aborted; secondMs += 1000) {
    const waitMs = secondMs + 1000 + LAG_MS - Date.now();
    await sleep(Math.max(0, waitMs), undefined, { signal }).catch(() => {});
    if (endMs === Infinity && !(await isUp())) endMs = Date.now();
    if (signal.aborted) break;
    try {
      await load.second(secondMs);
    } catch (error) {
      // InfluxDB does not answer: it may at the next.
      if (!(error instanceof UserError)) throw error;
      if (!hasLacked) lacks(error);
      hasLacked = true;
    }
  }
  return Math.min(secondMs, endMs);
}

/** @returns a line on what the proxy has spent in it */
function costsOf(proxy: string, part: Part): string {
  const { name, cores, usPerConnection, bytesPerConnection } = part;
  const texts = [
    ...(cores === null ? [] : [`${cores.toFixed(2)} cores`]),
    ...(bytesPerConnection === null && usPerConnection !== null
      ? [`${number(Math.round(usPerConnection))} µs of CPU per connection`]
      : []),
    ...(bytesPerConnection === null
      ? []
      : [`${(bytesPerConnection / 1000).toFixed(1)} kB of memory per held connection`]),
  ];
  return `${proxy}${name && `, ${name}`}: ${texts.join(", ") || "cAdvisor has told nothing"}`;
}

/** @returns further services of a proxy, without its name: `tls` for `haproxy-hitch-tls` */
function partsOf(proxies: string, proxy: string): string[] {
  const file = join(proxies, proxy, "compose.yaml");
  const services = existsSync(file) ? readFileSync(file, "utf8").matchAll(/^ {2}([\w-]+):$/gm) : [];
  return [...services].map(([, name]) => name).filter((name) => name.startsWith(`${proxy}-`));
}

/** @returns of the package that a proxy in Node is, or of its image; empty: not told */
async function versionOf(
  directory: string,
  { proxy, container }: { proxy: string; container: string },
): Promise<string> {
  const file = join(directory, "proxies", proxy, "package.json");
  if (!existsSync(file)) return (await imageOf(CADVISOR_URL, container)).split("/").at(-1) ?? "";
  const { dependencies = {} } = JSON.parse(readFileSync(file, "utf8"));
  return Object.entries(dependencies)
    .map((entry) => entry.join(" "))
    .join(", ");
}
