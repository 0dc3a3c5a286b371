/**
 * Commands that are not for people: services of compose.yaml, and what `hosts` and a run over
 * machines start on each.
 */

import type { Define, Tools } from "./command.ts";

const WITHOUT_ARGUMENTS: Record<string, (tools: Tools) => Promise<number>> = {
  ready: async ({ print }) => (await import("../ready.ts")).ready(process.env, print),
  watch: async ({ print }) => (await import("../watch.ts")).watch(process.env, print),
  // Open connections would keep it alive.
  "host-ports": async () => process.exit(await (await import("../host-ports.ts")).hostPorts()),
  clock: async ({ print }) =>
    (await import("../../hosts/answer-clock.ts")).clock(process.stdin, print),
  counters: async ({ print }) =>
    (await import("../../hosts/answer-counters.ts")).counters(process.stdin, print),
};

export const inside: Define = (program, call) => {
  for (const [name, run] of Object.entries(WITHOUT_ARGUMENTS))
    program.command(name, { hidden: true }).action(() => call(name, {}, run));
  program
    .command("taken-ports", { hidden: true })
    .argument("[PORT...]", "of TCP; none: those of Swarm")
    .action((ports) =>
      call("taken-ports", { ports }, async ({ print }) =>
        (await import("../taken-ports.ts")).printTakenPorts(ports, print),
      ),
    );
};
