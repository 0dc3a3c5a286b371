import { command } from "./command.js";

/** @import { Define } from "./command.js" */

/** @type {Define} */
export const down = (program, call) =>
  command(program, "down", "removes what `up` started, its data included").action(() =>
    call("down", {}, async ({ directory }) => (await import("../down.js")).down(directory)),
  );
