import { UserError } from "../../errors.ts";
import { COST_OPTIONS } from "../../plan/arguments.ts";
import { command, withOptions } from "./command.ts";
import type { Define } from "./command.ts";

export interface CostArguments {
  load: {
    connections: number;
    messagesPerSecond: number;
    messageBytes: number;
    newPerSecond: number;
    tls: boolean;
  };
  /** as it was typed; none: the newest run of the battle cost */
  from?: string;
  /** a battle whose mixes are predicted, or a run that its predictions are compared with */
  predict?: string;
  check?: string;
  markdown: boolean;
}

export const cost: Define = (program, call) =>
  withOptions(
    command(
      program,
      "cost",
      "Compute what a load would cost each proxy",
      "Compute the cores and the memory that each proxy needs for a load, from a run of the battle cost. `./bench calibrate` scales CPU to this machine.",
    ),
    Object.values(COST_OPTIONS),
  )
    .option("--tls", "The load comes over TLS")
    .option("--markdown", "With --check: print Markdown")
    .action(({ tls = false, from, predict, check, markdown = false, ...given }) => {
      const { connections = 0, messagesPerSecond = 0, bytes = 512, newPerSecond = 0 } = given;
      if (connections + messagesPerSecond + newPerSecond === 0 && !predict && !check)
        throw new UserError(
          "no load is given",
          "Expected at least one of --connections, --messages-per-second and --new-per-second.",
          2,
        );
      const load = { connections, messagesPerSecond, messageBytes: bytes, newPerSecond, tls };
      const wanted = { load, from, predict, check, markdown };
      return call("cost", wanted, async ({ directory, say, print }) =>
        (await import("../cost.ts")).cost(directory, wanted, { say, print }),
      );
    });
