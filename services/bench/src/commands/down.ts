/**
 * `down`: removes what `up` started.
 */
import { UserError } from "../errors.ts";
import { Project } from "../platform/docker.ts";
import { removeBeside } from "../run/cell-projects.ts";

/**
 * @param directory the project's
 * @returns exit status
 * @throws {UserError} when Compose does not manage it
 */
export async function down(directory: string): Promise<number> {
  const project = new Project(directory, { profile: "*" });
  // Of a run that was broken off.
  await removeBeside(directory, (await project.config()).name);
  const { code } = await project.run(["down", "--volumes", "--remove-orphans", "--timeout", "2"], {
    inherit: true,
  });
  if (code !== 0)
    throw new UserError(`docker compose down ended with status ${code}`, "See its message above.");
  return 0;
}
