import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const down: Define = (program, call) =>
  command(program, "down", "Remove what `up` started, data included").action(() =>
    call("down", {}, async ({ directory }) => (await import("../down.ts")).down(directory)),
  );
