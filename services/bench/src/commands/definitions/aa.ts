import { OPTIONS, roundsOption } from "../../plan/arguments.ts";
import { command, overridesOf, withOptions } from "./command.ts";
import type { Define } from "./command.ts";
import type { Overrides } from "../../plan/plan.ts";

export type AaArguments = { proxy: string; overrides: Overrides };

export const aa: Define = (program, call) =>
  withOptions(
    command(
      program,
      "aa",
      "Measure a proxy against its copy: the noise floor",
      "Measure a proxy against a copy of itself. Their difference is noise; later reports of this machine show it.",
    ).argument("<PROXY>", "a folder of proxies/"),
    [OPTIONS.scheme, OPTIONS.connections, roundsOption("6")],
  ).action((proxy, options) => {
    const wanted = { proxy, overrides: overridesOf(options) };
    return call("aa", wanted, async ({ directory, say, words }) =>
      (await import("../aa.ts")).aa(directory, wanted, say, words),
    );
  });
