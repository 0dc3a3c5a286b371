/**
 * `down`: removes what `up`, or a run that was broken off, has left; data only where asked.
 */
import { UserError } from "../errors.ts";
import { Project } from "../platform/compose.ts";
import { OWN_ENGINE } from "../platform/engine.ts";
import { removeBeside } from "../run/cell-projects.ts";
import type { DownArguments } from "./definitions/down.ts";

/**
 * @param directory the project's
 * @returns exit status
 * @throws {UserError} when Compose does not manage it
 */
export async function down(
  directory: string,
  { data }: DownArguments,
  say: (line: string) => void,
): Promise<number> {
  const project = new Project(directory, { profile: "*" });
  const { name, volumes } = await project.readOnce();
  await removeBeside(directory, name);
  const { code } = await project.run(
    ["down", ...(data ? ["--volumes"] : []), "--remove-orphans", "--timeout", "2"],
    { inherit: true },
  );
  if (code !== 0)
    throw new UserError(`docker compose down ended with status ${code}`, "See its message above.");
  const kept = volumes?.influxdb?.name;
  if (!data && kept && (await OWN_ENGINE.hasVolume(kept)))
    say(
      `kept: the data of battles and loads (volume ${kept}). To look: docker compose up grafana. To remove: ./bench down --data`,
    );
  return 0;
}
