import { UserError } from "../../errors.js";
import { command } from "./command.js";

/** @import { Define } from "./command.js" */

/** @type {Define} */
export const test = (program, call) =>
  command(program, "test", "runs the tests of this project")
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
