import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const report: Define = (program, call) =>
  command(program, "report", "Rebuild a report from its record")
    .argument("<DIR>", "a folder of results/")
    .action((directory) =>
      call("report", { directory }, async (tools) =>
        (await import("../report.ts")).report(tools.directory, directory, tools.say),
      ),
    );
