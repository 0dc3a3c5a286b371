import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const doctor: Define = (program, call) =>
  command(
    program,
    "doctor",
    "Check this machine for what distorts figures",
    "Check this machine for settings that distort figures, and print the command that corrects each.",
  ).action(() =>
    call("doctor", {}, async ({ directory, print }) =>
      (await import("../doctor.ts")).doctor(directory, print),
    ),
  );
