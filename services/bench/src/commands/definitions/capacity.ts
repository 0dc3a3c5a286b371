import { OPTIONS } from "../../plan/arguments.ts";
import { command, overridesOf, withOptions, withRunOptions } from "./command.ts";
import type { Define } from "./command.ts";
import type { RunArguments } from "./run.ts";

export type CapacityArguments = Pick<RunArguments, "overrides" | "name" | "dryRun" | "keepGoing">;

export const capacity: Define = (program, call) =>
  withRunOptions(
    withOptions(
      command(
        program,
        "capacity",
        "searches the most that proxies carry under a promise (an hour and more)",
        "searches the highest rate at which a proxy with a CPU budget keeps a promise: p99 of handshake or echo at or under --slo-ms, 0.1 % failures at most, 99 % of what was due sent. Five longer probes around the limit give it an interval; three fresh runs just below that must keep the promise, and three just above must break it. Else the figure is a bracket and ranks nobody. It is the battle capacity",
      ).argument(
        "[PROXY...]",
        "folders of proxies/, or groups such as common (default: those of battles/capacity.yaml)",
      ),
      [
        OPTIONS.sloMs,
        OPTIONS.proxyCpus,
        OPTIONS.scheme,
        OPTIONS.rounds,
        OPTIONS.seed,
        OPTIONS.name,
      ],
    ),
  ).action((proxies, options) => {
    const { name, dryRun = false, keepGoing = false } = options;
    const overrides = overridesOf({ ...options, ...(proxies.length > 0 && { proxies }) });
    const wanted = { overrides, name, dryRun, keepGoing };
    return call("capacity", wanted, async ({ directory, say, words }) =>
      (await import("../capacity.ts")).capacity(directory, wanted, say, words),
    );
  });
