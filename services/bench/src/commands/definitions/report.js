import { command } from "./command.js";

/** @import { Define } from "./command.js" */

/** @type {Define} */
export const report = (program, call) =>
  command(program, "report", "rebuilds the report of a run from its recorded data")
    .argument("<DIR>", "a folder of results/")
    .action((directory) =>
      call("report", { directory }, async (tools) =>
        (await import("../report.js")).report(tools.directory, directory, tools.say),
      ),
    );
