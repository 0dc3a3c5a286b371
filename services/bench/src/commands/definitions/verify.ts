import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const verify: Define = (program, call) =>
  command(program, "verify", "runs the conformance checks against proxies")
    .argument("[PROXY...]", "folders of proxies/, or groups such as common (default: all)")
    .option("--behaviour", "checks nothing, and prints a table of what each does by itself")
    .action((proxies, { behaviour = false }) =>
      call("verify", { proxies, behaviour }, async ({ directory, say, print }) =>
        behaviour
          ? (await import("../behaviour.ts")).behaviour(directory, proxies, say, print)
          : (await import("../verify.ts")).verify(directory, proxies, say, print),
      ),
    );
