import { Argument } from "commander";
import { HOSTS_FILE, OPTIONS } from "../../plan/arguments.ts";
import { command, withOptions } from "./command.ts";
import type { Define } from "./command.ts";

export type HostsArguments = { action: (typeof ACTIONS)[number]; file: string; proxies?: string[] };

const ACTIONS = ["check", "join", "leave"] as const;

export const hosts: Define = (program, call) =>
  withOptions(
    command(
      program,
      "hosts",
      "Check, join or leave the machines of hosts.yaml",
      "Use several machines for load, proxy and servers, as hosts.yaml names them (hosts.example.yaml is an example). check: print what each lacks, and measure clocks, round trip and bandwidth. join: connect them with Docker Swarm, make one network, and copy missing images. leave: undo that.",
    ).addArgument(new Argument("<ACTION>", "what to do with them").choices(ACTIONS)),
    [OPTIONS.hosts, OPTIONS.proxies],
  ).action((action, { hosts: file = HOSTS_FILE, proxies }) => {
    const wanted = { action, file, proxies };
    return call("hosts", wanted, async ({ directory, say, print }) =>
      (await import("../hosts.ts")).hosts(directory, wanted, say, print),
    );
  });
