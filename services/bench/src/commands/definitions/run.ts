import { UserError } from "../../errors.ts";
import { OPTIONS } from "../../plan/arguments.ts";
import { command, overridesOf, withOptions, withRunOptions } from "./command.ts";
import type { Define } from "./command.ts";
import type { Overrides } from "../../plan/plan.ts";

export interface RunArguments {
  /** without meaning when a run is resumed */
  battle: string;
  overrides: Overrides;
  /** of the folder in results/, instead of the battle's */
  name?: string;
  /** folder of the run, as it was typed */
  resume?: string;
  dryRun: boolean;
  keepGoing: boolean;
  /** file of the machines; none: this one alone */
  hosts?: string;
}

export const run: Define = (program, call) =>
  withRunOptions(
    withOptions(
      command(program, "run", "runs a battle and writes its report to results/").argument(
        "[BATTLE]",
        "a file of battles/, without its ending",
        "quick",
      ),
      [
        OPTIONS.proxies,
        OPTIONS.scheme,
        OPTIONS.event,
        OPTIONS.connections,
        OPTIONS.rounds,
        OPTIONS.seed,
        OPTIONS.proxyCpus,
        OPTIONS.name,
        OPTIONS.onHosts,
        OPTIONS.resume,
      ],
    ),
  ).action((battle, options, { args }) => {
    const { name, hosts, resume, dryRun = false, keepGoing = false } = options;
    if (resume && args.length > 0) {
      throw new UserError(
        `--resume does not go with a battle, ${battle}`,
        "Expected it alone, or with --hosts, --dry-run or --keep-going: the plan is in the folder of the run.",
        2,
      );
    }
    const overrides = overridesOf(options);
    const wanted = { battle, overrides, name, resume, dryRun, keepGoing, hosts };
    return call("run", wanted, async ({ directory, say, words }) =>
      (await import("../run.ts")).run(directory, wanted, say, words),
    );
  });
