import { command } from "./command.js";

/** @import { Define } from "./command.js" */

/** @type {Define} */
export const verify = (program, call) =>
  command(program, "verify", "runs the conformance checks against proxies")
    .argument("[PROXY...]", "folders of proxies/, or groups such as common (default: all)")
    .action((proxies) =>
      call("verify", { proxies }, async ({ directory, say, print }) =>
        (await import("../verify.js")).verify(directory, proxies, say, print),
      ),
    );
