import { command } from "./command.ts";
import type { Define } from "./command.ts";

export const list: Define = (program, call) =>
  command(
    program,
    "list",
    "List battles, proxies and events",
    "List battles with their proxies and duration, proxies with their groups, and events.",
  ).action(() =>
    call("list", {}, async ({ directory, print }) => {
      print((await import("../list.ts")).listText(directory));
      return 0;
    }),
  );
