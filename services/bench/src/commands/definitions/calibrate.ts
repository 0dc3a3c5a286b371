import { command, switchesOf } from "./command.ts";
import type { Define } from "./command.ts";

export const calibrate: Define = (program, call) =>
  command(
    program,
    "calibrate",
    "Measure how fast this machine is (a minute)",
    "Measure how fast this machine is, in a minute: the battle calibrate. `./bench cost` scales CPU by it.",
  ).action(() => {
    const wanted = { battle: "calibrate", overrides: {}, ...switchesOf({}) };
    return call("calibrate", wanted, async ({ directory, say, words }) =>
      (await import("../run.ts")).run(directory, wanted, say, words),
    );
  });
