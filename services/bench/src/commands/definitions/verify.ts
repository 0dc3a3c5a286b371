import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const verify: Define = (program, call) =>
  command(program, "verify", "runs the conformance checks against proxies")
    .argument("[PROXY...]", "folders of proxies/, or groups such as common (default: all)")
    .action((proxies) =>
      call("verify", { proxies }, async ({ directory, say, print }) =>
        (await import("../verify.ts")).verify(directory, proxies, say, print),
      ),
    );
