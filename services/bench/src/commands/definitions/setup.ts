import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const setup: Define = (program, call) =>
  command(program, "setup", "Install what is missing: engine, Compose, images").action(() =>
    call("setup", {}, async ({ directory, say }) => {
      await (await import("../setup.ts")).setup(directory, say);
      say("ready");
      return 0;
    }),
  );
