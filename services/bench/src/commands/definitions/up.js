import { command } from "./command.js";

/** @import { Define } from "./command.js" */

/** @type {Define} */
export const up = (program, call) =>
  command(program, "up", "starts one proxy under load, with Grafana; Ctrl-C stops it")
    .argument("<PROXY>", "a folder of proxies/")
    .action((proxy) =>
      call("up", { proxy }, async ({ directory, say }) =>
        (await import("../up.js")).up(directory, proxy, say),
      ),
    );
