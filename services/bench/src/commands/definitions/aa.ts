import { OPTIONS } from "../../plan/arguments.ts";
import { command, overridesOf, withOptions } from "./command.ts";
import type { Define } from "./command.ts";
import type { Overrides } from "../../plan/plan.ts";

export type AaArguments = { proxy: string; overrides: Overrides };

export const aa: Define = (program, call) =>
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
      (await import("../aa.ts")).aa(directory, wanted, say, words),
    );
  });
