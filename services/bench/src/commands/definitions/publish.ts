import { command } from "./command.ts";

import type { Define } from "./command.ts";

export type PublishArguments = { directory: string; replace: boolean; remark?: string };

export const publish: Define = (program, call) =>
  command(
    program,
    "publish",
    "copies a run to published/, which git keeps",
    "copies a run's record, its report and one archive of its raw files to published/<battle>/, of several machines to published/<battle>-machines/, which git keeps, and makes the pages over all published runs anew",
  )
    .argument("<DIR>", "a folder of results/")
    .option("--replace", "replaces the run which is published there now")
    .option(
      "--remark <TEXT>",
      "a sentence that its report shows: what you know of the machine and no counter tells",
    )
    .action((directory, { replace = false, remark }) => {
      const wanted = { directory, replace, ...(remark && { remark }) };
      return call("publish", wanted, async (tools) => {
        (await import("../publish.ts")).publish(tools.directory, wanted, tools.say);
        return 0;
      });
    });
