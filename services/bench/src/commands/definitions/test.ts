import { UserError } from "../../errors.ts";
import { command } from "./command.ts";
import type { Define } from "./command.ts";

export const test: Define = (program, call) =>
  command(program, "test", "Run the tests of this project")
    .argument(
      "[TIER|WORD...]",
      "only these tiers (lint, unit, boot, faults), and test files whose path contains one of the other words",
    )
    .action((words) =>
      call("test", { words }, async () => {
        throw new UserError(
          "the tests have an image of their own, which this is not",
          "Run ./bench test on the host.",
        );
      }),
    );
