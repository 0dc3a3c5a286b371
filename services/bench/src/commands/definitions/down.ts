import { command } from "./command.ts";
import type { Define } from "./command.ts";

export interface DownArguments {
  /** those in InfluxDB are removed too */
  data: boolean;
}

export const down: Define = (program, call) =>
  command(program, "down", "Remove what `up` started; its data stays in InfluxDB")
    .option("--data", "Remove the data of all battles and loads too")
    .action(({ data = false }) =>
      call("down", { data }, async ({ directory, say }) =>
        (await import("../down.ts")).down(directory, { data }, say),
      ),
    );
