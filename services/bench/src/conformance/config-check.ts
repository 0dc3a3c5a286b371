/**
 * Runs a proxy's own checker over its config, in the proxy's own container.
 */
import { UserError } from "../errors.ts";
import type { Project } from "../platform/docker.ts";
import type { Proxy } from "../plan/proxies.ts";

/**
 * @param project with the proxy's profile, and with certificates: many a checker reads them
 * @throws {UserError} with the checker's own message, which names file and line
 */
export async function checkConfig(project: Project, { name, configChecks }: Proxy) {
  if (configChecks.length === 0) return;
  // nginx and HAProxy look up the name of their upstream as they read it.
  await project.check(["up", "--detach", "--no-deps", "echo"]);
  for (const { part, command } of configChecks) {
    const service = part ? `${name}-${part}` : name;
    // A part lives in the network of the main container, whose config has just been found good.
    if (part) await project.check(["up", "--detach", "--no-deps", name]);
    const { code, output } = await project.run([
      "run",
      "--rm",
      "--no-deps",
      "--no-TTY",
      service,
      ...command,
    ]);
    if (code !== 0) {
      throw new UserError(
        `the config of ${service} is refused by its own checker, ${command.join(" ")} (status ${code}):\n${output.trim()}`,
        `Correct it in proxies/${name}/.`,
      );
    }
  }
}
