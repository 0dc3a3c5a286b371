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
      "checks the machines of hosts.yaml, joins them into one network, leaves it",
      "several machines, one each for load, proxy and servers, as hosts.yaml says (hosts.example.yaml is an example). check: what is missing on each, and what to do; measures clocks, round trip and bandwidth. join: Docker's Swarm over them, one network, and the images that they lack. leave: undoes that, with the same file",
    ).addArgument(new Argument("<ACTION>", "what is done with them").choices(ACTIONS)),
    [OPTIONS.hosts, OPTIONS.proxies],
  ).action((action, { hosts: file = HOSTS_FILE, proxies }) => {
    const wanted = { action, file, proxies };
    return call("hosts", wanted, async ({ directory, say, print }) =>
      (await import("../hosts.ts")).hosts(directory, wanted, say, print),
    );
  });
