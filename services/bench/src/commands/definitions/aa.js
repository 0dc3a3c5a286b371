import { OPTIONS } from "../../plan/arguments.js";
import { command, overridesOf, withOptions } from "./command.js";

/** @import { Define } from "./command.js" */
/** @import { Overrides } from "../../plan/plan.js" */

/** @typedef {{proxy: string, overrides: Overrides}} AaArguments */

/** @type {Define} */
export const aa = (program, call) =>
  withOptions(
    command(
      program,
      "aa",
      "runs an A/A test: a proxy against a copy of itself",
      "runs an A/A test: a proxy against a copy of itself; their difference is the noise floor, which later reports show",
    ).argument("<PROXY>", "a folder of proxies/"),
    [OPTIONS.scheme, OPTIONS.connections, OPTIONS.rounds],
  ).action((proxy, options) => {
    const wanted = { proxy, overrides: overridesOf(options) };
    return call("aa", wanted, async ({ directory, say, words }) =>
      (await import("../aa.js")).aa(directory, wanted, say, words),
    );
  });
