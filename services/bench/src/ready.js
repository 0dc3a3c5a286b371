/**
 * The gate before the load: ends well once exactly one proxy answers to the name `proxy`, and notes its name and the run's.
 */
import { lookup, reverse } from "node:dns/promises";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "./errors.js";
import { readProxies } from "./proxies.js";

/**
 * @param {object} options
 * @param {string} options.project Compose's project name
 * @param {string} options.proxiesDirectory
 * @param {number} options.waitSeconds
 * @param {string} options.run label of the run; empty: the time now
 * @param {string} options.file where the load generator reads the labels
 * @param {(host: string) => Promise<string[]>} [options.resolve] names of the containers behind a host name
 * @throws {UserError} when there is no proxy in time, or more than one
 */
export async function ready({
  project,
  proxiesDirectory,
  waitSeconds,
  run,
  file,
  resolve = containersBehind,
}) {
  const known = readProxies(proxiesDirectory).map((proxy) => proxy.name);
  const deadline = Date.now() + waitSeconds * 1000;
  let containers = await resolve("proxy");
  while (containers.length === 0 && Date.now() < deadline) {
    await sleep(200);
    containers = await resolve("proxy");
  }
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
      `no proxy is up after ${waitSeconds} s (WAIT_SECONDS), so there is nothing to measure`,
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
  const labels = {
    run: run || new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    proxy: proxies[0],
  };
  writeFileSync(file, JSON.stringify(labels));
  return labels;
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
