import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const verify: Define = (program, call) =>
  command(program, "verify", "Check protocol, headers, TLS and reload of proxies")
    .argument("[PROXY...]", "folders of proxies/, or groups such as common (default: all)")
    .option("--behaviour", "Print what each does by itself, and check nothing")
    .action((proxies, { behaviour = false }) =>
      call("verify", { proxies, behaviour }, async ({ directory, say, print }) =>
        behaviour
          ? (await import("../behaviour.ts")).behaviour(directory, proxies, say, print)
          : (await import("../verify.ts")).verify(directory, proxies, say, print),
      ),
    );
