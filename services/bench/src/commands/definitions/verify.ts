import { Option } from "commander";
import { idleOption } from "../../plan/arguments.ts";
import { command } from "./command.ts";
import type { Define } from "./command.ts";

export const verify: Define = (program, call) =>
  command(program, "verify", "Check protocol, headers, TLS and reload of proxies")
    .argument("[PROXY...]", "folders of proxies/, or groups such as common (default: all)")
    .option("--behaviour", "Print what each does by itself, and check nothing")
    .addOption(idleOption(3))
    .addOption(
      new Option(
        "--markdown",
        "Print the capability matrix as Markdown, and the checks to stderr",
      ).conflicts("behaviour"),
    )
    .action((proxies, { behaviour = false, idle, markdown = false }) =>
      call("verify", { proxies, behaviour, idle, markdown }, async ({ directory, say, print }) =>
        behaviour
          ? (await import("../behaviour.ts")).behaviour(directory, proxies, say, print)
          : (await import("../verify.ts")).verify(
              directory,
              proxies,
              { idle, markdown },
              say,
              print,
            ),
      ),
    );
