import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const selfbench: Define = (program, call) =>
  command(
    program,
    "selfbench",
    "measures the benchmark itself (half an hour)",
    "measures the benchmark itself: overhead of a cell, run-to-run spread, false positives; takes half an hour",
  ).action(() =>
    call("selfbench", {}, async ({ directory, say }) =>
      (await import("../selfbench.ts")).selfbench(directory, say),
    ),
  );
