import { command } from "./command.js";

/** @import { Define } from "./command.js" */

/** @type {Define} */
export const doctor = (program, call) =>
  command(
    program,
    "doctor",
    "checks settings of this machine that distort figures",
    "checks settings of this machine that distort figures, and shows the command that corrects each",
  ).action(() =>
    call("doctor", {}, async ({ directory, print }) =>
      (await import("../doctor.js")).doctor(directory, print),
    ),
  );
