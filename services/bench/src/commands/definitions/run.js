import { UserError } from "../../errors.js";
import { OPTIONS } from "../../plan/arguments.js";
import { command, overridesOf, withOptions, withRunOptions } from "./command.js";

/** @import { Define } from "./command.js" */
/** @import { Overrides } from "../../plan/plan.js" */

/**
 * @typedef {object} RunArguments
 * @property {string} battle without meaning when a run is resumed
 * @property {Overrides} overrides
 * @property {string} [name] of the folder in results/, instead of the battle's
 * @property {string} [resume] folder of the run, as it was typed
 * @property {boolean} dryRun
 * @property {boolean} keepGoing
 * @property {string} [hosts] file of the machines; none: this one alone
 */

/** @type {Define} */
export const run = (program, call) =>
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
      (await import("../run.js")).run(directory, wanted, say, words),
    );
  });
