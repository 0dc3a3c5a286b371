import { UserError } from "../../errors.ts";
import { OPTIONS, roundsOption } from "../../plan/arguments.ts";
import { command, overridesOf, switchesOf, withOptions, withRunOptions } from "./command.ts";
import type { Define, RunSwitches } from "./command.ts";
import type { Overrides } from "../../plan/plan.ts";

export interface RunArguments extends RunSwitches {
  /** without meaning when a run is resumed */
  battle: string;
  overrides: Overrides;
  /** folder of the run, as it was typed */
  resume?: string;
  /** file of the machines; none: this one alone */
  hosts?: string;
}

export const run: Define = (program, call) =>
  withRunOptions(
    withOptions(
      command(
        program,
        "run",
        "Run a battle and write its report to results/",
        "Run a battle and write its report to results/. Installs what is missing first.",
      ).argument("[BATTLE]", "a file of battles/, without its ending", "quick"),
      [
        OPTIONS.proxies,
        OPTIONS.scheme,
        OPTIONS.event,
        OPTIONS.connections,
        roundsOption("the battle's: 4 for quick, usually 6"),
        OPTIONS.seed,
        OPTIONS.proxyCpus,
        OPTIONS.name,
        OPTIONS.onHosts,
        OPTIONS.resume,
      ],
    ),
  ).action((battle, options, { args }) => {
    const { hosts, resume } = options;
    if (resume && args.length > 0) {
      throw new UserError(
        `--resume does not go with a battle, ${battle}`,
        "Expected it alone, or with --hosts, --dry-run or --keep-going: the plan is in the folder of the run.",
        2,
      );
    }
    const overrides = overridesOf(options);
    const wanted = { battle, overrides, ...switchesOf(options), resume, hosts };
    return call("run", wanted, async ({ directory, say, words }) =>
      (await import("../run.ts")).run(directory, wanted, say, words),
    );
  });
