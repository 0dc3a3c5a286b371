/**
 * The gate before the load: ends well once InfluxDB has its databases and exactly one proxy answers to the name `proxy`,
 * whose name and the run's it notes. It asks from outside, once: a health check would start a process in each container
 * again and again while the load is on (65 ms CPU each, measured on Docker 20.10).
 */
import { lookup, reverse } from "node:dns/promises";
import { writeFileSync } from "node:fs";
import { UserError } from "../errors.js";
import { Influx } from "../platform/influx.js";
import { healthUrl, readProxies } from "../plan/proxies.js";
import { statusOf, until } from "../platform/wait.js";

/** @import { Scheme } from "../record/types.js" */

/** What cAdvisor and k6 write to (services/influxdb/databases.iql). */
const DATABASES = ["cadvisor", "k6"];

/** Compose starts the proxy beside this container: what is not there after so long will not come. */
const START_SECONDS = 10;

/**
 * @param {NodeJS.ProcessEnv} env as compose.yaml sets it
 * @param {(line: string) => void} print
 * @returns {Promise<number>} exit status
 */
export async function ready({ PROJECT = "", WAIT_SECONDS, SCHEME, RUN = "" }, print) {
  const { run, proxy } = await waitForProxy({
    project: PROJECT,
    proxiesDirectory: "/proxies",
    scheme: SCHEME === "wss" ? "wss" : "ws",
    waitSeconds: Number(WAIT_SECONDS),
    run: RUN,
    file: "/run/bench/run.json",
  });
  print(`one proxy is up: ${proxy}; run ${run}, ${SCHEME}`);
  return 0;
}

/**
 * @param {object} options
 * @param {string} options.project Compose's project name
 * @param {string} options.proxiesDirectory
 * @param {Scheme} options.scheme that the load will use
 * @param {number} options.waitSeconds
 * @param {string} options.run label of the run; empty: the time now
 * @param {string} options.file where the load generator reads the labels
 * @param {(host: string) => Promise<string[]>} [options.resolve] names of the containers behind a host name
 * @param {() => Promise<string[]>} [options.databases] names of the databases that InfluxDB has
 * @param {(url: string) => Promise<string>} [options.answer] what a request through the proxy comes to
 * @throws {UserError} when there is no database or no proxy in time, more than one proxy, or one that carries no WebSockets, does
 *   not serve the scheme or does not forward
 */
export async function waitForProxy({
  project,
  proxiesDirectory,
  scheme,
  waitSeconds,
  run,
  file,
  resolve = containersBehind,
  databases = influxDatabases,
  answer = statusOf,
}) {
  const described = readProxies(proxiesDirectory);
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
      "See its log: docker compose logs influxdb. They are made when its volume is empty: docker compose down --volumes removes it.",
    );
  }
  const startSeconds = Math.min(waitSeconds, START_SECONDS);
  const containers = await until(
    Date.now() + startSeconds * 1000,
    () => resolve("proxy"),
    (names) => names.length > 0,
  );
  // `<project>-<service>-<number>`, then the network's name.
  const proxies = containers
    .map((name) =>
      name
        .split(".")[0]
        .slice(project.length + 1)
        .replace(/-\d+$/, ""),
    )
    .sort();
  if (proxies.length === 0) {
    throw new UserError(
      `no proxy is up after ${startSeconds} s, so there is nothing to measure`,
      `Name exactly one profile: docker compose --profile ${known[0]} up. Profiles: ${known.join(", ")}.\n` +
        "If you did, the proxy has ended: its own message is in the log above.",
    );
  }
  if (proxies.length > 1) {
    throw new UserError(
      `${proxies.length} proxies are up at once: ${proxies.join(", ")}; their figures would mix`,
      `Remove all but one: ${proxies
        .slice(1)
        .map((name) => `docker compose --profile ${name} down ${name}`)
        .join("; ")}.\n` + "Then start it again with exactly one profile.",
    );
  }
  const proxy = described.find(({ name }) => name === proxies[0]);
  if (proxy && proxy.serves !== "websockets") {
    throw new UserError(
      `${proxy.name} carries no WebSockets: it answers HTTP itself, and this load speaks WebSocket`,
      `Expected one of: ${known.join(", ")}. ${proxy.name} is measured by battles of the scenario files: ./bench run --help.`,
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
  const labels = {
    run: run || new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    proxy: proxies[0],
  };
  writeFileSync(file, JSON.stringify(labels));
  return labels;
}

/** @returns {Promise<string[]>} empty while InfluxDB does not answer */
async function influxDatabases() {
  try {
    return await new Influx("http://influxdb:8086", { timeoutMs: 1000 }).databases();
  } catch {
    return [];
  }
}

/**
 * @param {string} host
 * @returns {Promise<string[]>} `<container>.<network>` of each, by the engine's name server
 */
async function containersBehind(host) {
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
