/**
 * Runs a proxy's own checker over its config, in the proxy's own container.
 */
import { UserError } from "../errors.ts";
import { GIVEN_UP } from "../platform/subprocess.ts";
import type { Project } from "../platform/compose.ts";
import type { Proxy } from "../plan/proxies.ts";

/** The slowest checker takes 2 s, most of it for its container. */
const LIMIT_MS = 60_000;

/**
 * @param project with the proxy's profile, and with certificates: many a checker reads them
 * @throws {UserError} with the checker's own message, which names file and line; or when the
 *   checker does not end
 */
export async function checkConfig(
  project: Pick<Project, "check" | "runOnce">,
  { name, configChecks }: Pick<Proxy, "name" | "configChecks">,
  limitMs = LIMIT_MS,
) {
  if (configChecks.length === 0) return;
  // nginx and HAProxy look up the name of their upstream as they read it.
  await project.check(["up", "--detach", "--no-deps", "echo"]);
  for (const { part, command } of configChecks) {
    const service = part ? `${name}-${part}` : name;
    // A part lives in the network of the main container, whose config has just been found good.
    if (part) await project.check(["up", "--detach", "--no-deps", name]);
    const { code, output } = await project.runOnce(service, command, limitMs);
    if (code === GIVEN_UP) {
      throw new UserError(
        `the config check of ${service}, ${command.join(" ")}, still runs after ${limitMs / 1000} s:\n${output.trim()}`,
        `Expected a command that ends. An entrypoint of ${service} must run the command that it gets, as that of proxies/proxy.yaml does. Correct it, or configChecks, in proxies/${name}/.`,
      );
    }
    if (code !== 0) {
      throw new UserError(
        `the config of ${service} is refused by its own checker, ${command.join(" ")} (status ${code}):\n${output.trim()}`,
        `Correct it in proxies/${name}/.`,
      );
    }
  }
}
