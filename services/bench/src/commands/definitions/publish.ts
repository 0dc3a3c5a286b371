import { command } from "./command.ts";

import type { Define } from "./command.ts";

export type PublishArguments = { directory: string; remark?: string };

export const publish: Define = (program, call) =>
  command(
    program,
    "publish",
    "copies a run to published/, which git keeps",
    "copies a run's record, its report and one archive of its raw files to published/<battle>/, of several machines to published/<battle>-machines/, which git keeps, and makes the pages over all published runs anew; where a run of that battle is published, it replaces none and goes to a folder in it",
  )
    .argument("<DIR>", "a folder of results/")
    .option(
      "--remark <TEXT>",
      "a sentence that its report shows: what you know of the machine and no counter tells",
    )
    .action((directory, { remark }) => {
      const wanted = { directory, ...(remark && { remark }) };
      return call("publish", wanted, async (tools) => {
        await (await import("../publish.ts")).publish(tools.directory, wanted, tools.say);
        return 0;
      });
    });
