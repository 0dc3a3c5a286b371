import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const doctor: Define = (program, call) =>
  command(
    program,
    "doctor",
    "checks settings of this machine that distort figures",
    "checks settings of this machine that distort figures, and shows the command that corrects each",
  ).action(() =>
    call("doctor", {}, async ({ directory, print }) =>
      (await import("../doctor.ts")).doctor(directory, print),
    ),
  );
