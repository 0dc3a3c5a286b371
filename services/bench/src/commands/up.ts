/**
 * `up`: one proxy under load, for a person to watch.
 */
import { join } from "node:path";
import { checkConfig } from "../conformance/config-check.ts";
import { ensureCertificates } from "../platform/certificates.ts";
import { Project } from "../platform/compose.ts";
import { pickProxy, readProxies } from "../plan/proxies.ts";
import { setup, unavailableProxies } from "./setup.ts";

/**
 * @param directory the project's
 * @param name of the proxy
 * @returns exit status of `docker compose up`; 0 for a proxy that is not available here
 */
export async function up(
  directory: string,
  name: string,
  say: (line: string) => void,
): Promise<number> {
  const proxy = pickProxy(readProxies(join(directory, "proxies")), name);
  await setup(directory, say, { proxies: [name] });
  const project = new Project(directory, { profile: proxy.name });
  const config = await project.readOnce();
  const reason = (await unavailableProxies(directory, config, [proxy])).get(name);
  if (reason) {
    say(`${name} is skipped: ${reason}`);
    return 0;
  }
  const { services } = config;
  const published = Object.entries(services).filter(([, { ports }]) => ports?.length);
  await ensureCertificates(project);
  await checkConfig(project, proxy);
  // First what opens a port on the host, so that one that is taken is named before anything else
  // happens.
  await project.check(["up", "--detach", ...published.map(([name]) => name)]);
  if (services.grafana) {
    const port = services.grafana.ports?.[0].published;
    say(`Grafana: http://127.0.0.1:${port}/d/proxies-live`);
  }
  say("Ctrl-C stops; ./bench down removes the containers and keeps the data");
  const { code } = await project.run(["up"], { inherit: true });
  return code;
}
