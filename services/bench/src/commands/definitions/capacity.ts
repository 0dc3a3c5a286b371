import { OPTIONS, roundsOption } from "../../plan/arguments.ts";
import { command, overridesOf, switchesOf, withOptions, withRunOptions } from "./command.ts";
import type { Define, RunSwitches } from "./command.ts";
import type { Overrides } from "../../plan/plan.ts";

export type CapacityArguments = RunSwitches & { overrides: Overrides };

export const capacity: Define = (program, call) =>
  withRunOptions(
    withOptions(
      command(
        program,
        "capacity",
        "Find the highest rate within a latency limit (an hour)",
        "Find the highest rate at which each proxy, on a CPU budget, keeps its promise: p99 of connect time or echo at most --slo-ms, 0.1 % failed at most, 99 % sent at least. Three fresh cells just below that rate must keep it and three just above must break it; otherwise the result is a range and ranks nobody.",
      ).argument(
        "[PROXY...]",
        "folders of proxies/, or groups such as common (default: as in battles/capacity.yaml)",
      ),
      [
        OPTIONS.sloMs,
        OPTIONS.proxyCpus,
        OPTIONS.scheme,
        roundsOption("3"),
        OPTIONS.seed,
        OPTIONS.name,
      ],
    ),
  ).action((proxies, options) => {
    const overrides = overridesOf({ ...options, ...(proxies.length > 0 && { proxies }) });
    const wanted = { overrides, ...switchesOf(options) };
    return call("capacity", wanted, async ({ directory, say, words }) =>
      (await import("../capacity.ts")).capacity(directory, wanted, say, words),
    );
  });
