import { command } from "./command.ts";

import type { Define } from "./command.ts";

export type PublishArguments = { directory: string; remark?: string };

export const publish: Define = (program, call) =>
  command(
    program,
    "publish",
    "Copy a run to published/, which git keeps",
    "Copy a run's record, report and one archive of its raw files to published/<battle>/ (of several machines: published/<battle>-machines/), and rebuild the pages over all published runs. No published run is replaced: further runs of a battle get a folder in it.",
  )
    .argument("<DIR>", "a folder of results/")
    .option(
      "--remark <TEXT>",
      "Add this sentence to the report: what no counter shows about the machine",
    )
    .action((directory, { remark }) => {
      const wanted = { directory, ...(remark && { remark }) };
      return call("publish", wanted, async (tools) => {
        await (await import("../publish.ts")).publish(tools.directory, wanted, tools.say);
        return 0;
      });
    });
