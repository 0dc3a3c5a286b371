import { command } from "./command.ts";

import type { Define } from "./command.ts";

export const up: Define = (program, call) =>
  command(program, "up", "Watch one proxy under load in Grafana; Ctrl-C stops it")
    .argument("<PROXY>", "a folder of proxies/")
    .action((proxy) =>
      call("up", { proxy }, async ({ directory, say }) =>
        (await import("../up.ts")).up(directory, proxy, say),
      ),
    );
