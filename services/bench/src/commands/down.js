/**
 * `down`: removes what `up` started.
 */
import { UserError } from "../errors.js";
import { Project } from "../platform/docker.js";

/**
 * @param {string} directory the project's
 * @returns {Promise<number>} exit status
 * @throws {UserError} when Compose does not manage it
 */
export async function down(directory) {
  const { code } = await new Project(directory, { profile: "*" }).run(
    ["down", "--volumes", "--remove-orphans", "--timeout", "2"],
    { inherit: true },
  );
  if (code !== 0)
    throw new UserError(`docker compose down ended with status ${code}`, "See its message above.");
  return 0;
}
