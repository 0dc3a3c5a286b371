import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const selfbench: Define = (program, call) =>
  command(
    program,
    "selfbench",
    "Measure the benchmark itself (half an hour)",
    "Measure the benchmark itself: overhead of a cell, run-to-run spread, false positives. Takes half an hour.",
  ).action(() =>
    call("selfbench", {}, async ({ directory, say }) =>
      (await import("../selfbench.ts")).selfbench(directory, say),
    ),
  );
