import { command } from "./command.js";

/** @import { Define } from "./command.js" */

/** @type {Define} */
export const setup = (program, call) =>
  command(program, "setup", "installs what is missing: engine, Compose, images").action(() =>
    call("setup", {}, async ({ directory, say }) => {
      await (await import("../setup.js")).setup(directory, say);
      say("ready");
      return 0;
    }),
  );
