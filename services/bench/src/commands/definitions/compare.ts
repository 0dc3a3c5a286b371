import { command } from "./command.ts";

import type { Define } from "./command.ts";

export type CompareArguments = { run: string; baseline: string; json: boolean; all: boolean };

export const compare: Define = (program, call) =>
  command(program, "compare", "Show what differs between two runs")
    .argument("<RUN>", "a folder of results/, by its name or path")
    .argument("<BASELINE>", "the run to compare it with")
    .option("--all", "Print figures without a difference, too")
    .option("--json", "Print JSON")
    .action((run, baseline, { json = false, all = false }) => {
      const wanted = { run, baseline, json, all };
      return call("compare", wanted, async ({ directory, say }) =>
        (await import("../compare.ts")).compare(directory, wanted, say),
      );
    });
