import { command } from "./command.js";

/** @import { Define } from "./command.js" */

/** @type {Define} */
export const selfbench = (program, call) =>
  command(
    program,
    "selfbench",
    "measures the benchmark itself (half an hour)",
    "measures the benchmark itself: overhead of a cell, run-to-run spread, false positives; takes half an hour",
  ).action(() =>
    call("selfbench", {}, async ({ directory, say }) =>
      (await import("../selfbench.js")).selfbench(directory, say),
    ),
  );
