/**
 * Commands that are not for people: services of compose.yaml, and what `hosts` and a run over machines start on each.
 */

/** @import { Define, Tools } from "./command.js" */

/** @type {Record<string, (tools: Tools) => Promise<number>>} */
const WITHOUT_ARGUMENTS = {
  ready: async ({ print }) => (await import("../ready.js")).ready(process.env, print),
  // Open connections would keep it alive.
  "host-ports": async () => process.exit(await (await import("../host-ports.js")).hostPorts()),
  clock: async ({ print }) =>
    (await import("../../hosts/answer-clock.js")).clock(process.stdin, print),
  counters: async ({ print }) =>
    (await import("../../hosts/answer-counters.js")).counters(process.stdin, print),
};

/** @type {Define} */
export const inside = (program, call) => {
  for (const [name, run] of Object.entries(WITHOUT_ARGUMENTS))
    program.command(name, { hidden: true }).action(() => call(name, {}, run));
  program
    .command("taken-ports", { hidden: true })
    .argument("[PORT...]", "of TCP; none: those of Swarm")
    .action((ports) =>
      call("taken-ports", { ports }, async ({ print }) =>
        (await import("../taken-ports.js")).printTakenPorts(ports, print),
      ),
    );
};
