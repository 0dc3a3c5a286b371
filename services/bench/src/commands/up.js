/**
 * `up` and `down`: one proxy under load, for a person to watch.
 */
import { join } from "node:path";
import { checkConfig } from "../conformance/config-check.js";
import { Project } from "../platform/docker.js";
import { UserError } from "../errors.js";
import { pickProxies, readProxies } from "../plan/proxies.js";

/**
 * @param {string} directory the project's
 * @param {string[]} args one proxy's name
 * @param {(line: string) => void} say
 * @returns {Promise<number>} exit status of `docker compose up`
 */
export async function up(directory, args, say) {
  const proxies = readProxies(join(directory, "proxies"));
  if (args.length !== 1) {
    throw new UserError(
      args.length === 0
        ? "no proxy named"
        : `${args.length} proxies named: their figures would mix`,
      `Expected exactly one of: ${proxies.map((proxy) => proxy.name).join(", ")}.`,
      2,
    );
  }
  const [proxy] = pickProxies(proxies, args);
  const project = new Project(directory, { profile: proxy.name });
  const { services } = await project.config();
  const published = Object.entries(services).filter(([, { ports }]) => ports?.length);
  await checkConfig(project, proxy);
  // First what opens a port on the host, so that one that is taken is named before anything else happens.
  await project.check(["up", "--detach", ...published.map(([name]) => name)]);
  if (services.grafana) {
    const port = services.grafana.ports?.[0].published;
    say(`Grafana: http://127.0.0.1:${port}/d/proxies-live`);
  }
  say("Ctrl-C stops; ./bench down removes everything");
  const { code } = await project.run(["up"], { inherit: true });
  return code;
}

/** @param {string} directory the project's */
export async function down(directory) {
  const { code } = await new Project(directory, { profile: "*" }).run(
    ["down", "--volumes", "--remove-orphans", "--timeout", "2"],
    { inherit: true },
  );
  if (code !== 0)
    throw new UserError(`docker compose down ended with status ${code}`, "See its message above.");
}
