/**
 * The command line of ./bench, inside its container: reads it, and calls one command.
 */
import { makeProgram } from "./commands/program.js";
import { UserError } from "./errors.js";

/** @import { Wanted } from "./commands/program.js" */

const directory = process.cwd();
const words = process.argv.slice(2);
const say = (/** @type {string} */ line) => console.error(`bench: ${line}`);
const print = (/** @type {string} */ line) => console.log(line);

/**
 * Each returns the exit status. Only the one that is called is loaded: all of them together take a second.
 *
 * @type {{[Name in keyof Wanted]: (wanted: Wanted[Name]) => Promise<number>}}
 */
const commands = {
  setup: async () => {
    await (await import("./commands/setup.js")).setup(directory, say);
    say("ready");
    return 0;
  },
  run: async (wanted) => (await import("./commands/run.js")).run(directory, wanted, say, words),
  capacity: async (wanted) =>
    (await import("./commands/capacity.js")).capacity(directory, wanted, say, words),
  report: async (wanted) =>
    (await import("./commands/report.js")).report(directory, wanted.directory, say),
  publish: async (wanted) => {
    (await import("./commands/publish.js")).publish(directory, wanted, say);
    return 0;
  },
  compare: async (wanted) =>
    (await import("./commands/compare.js")).compare(directory, wanted, say),
  export: async (wanted) =>
    (await import("./commands/export.js")).exportPanels(directory, wanted, say),
  aa: async (wanted) => (await import("./commands/aa.js")).aa(directory, wanted, say, words),
  selfbench: async () => (await import("./commands/selfbench.js")).selfbench(directory, say),
  doctor: async () => (await import("./commands/doctor.js")).doctor(directory, print),
  hosts: async (wanted) =>
    (await import("./commands/hosts.js")).hosts(directory, wanted, say, print),
  up: async (wanted) => (await import("./commands/up.js")).up(directory, wanted.proxy, say),
  down: async () => (await import("./commands/down.js")).down(directory),
  verify: async (wanted) =>
    (await import("./commands/verify.js")).verify(directory, wanted.proxies, say, print),
  test: async () => {
    throw new UserError(
      "the tests have an image of their own, which this is not",
      "Run ./bench test on the host.",
    );
  },
  // Open connections would keep it alive.
  "host-ports": async () =>
    process.exit(await (await import("./commands/host-ports.js")).hostPorts()),
  ready: async () => (await import("./commands/ready.js")).ready(process.env, print),
  clock: async () => (await import("./commands/clock.js")).clock(process.stdin, print),
  counters: async () =>
    (await import("./commands/answer-counters.js")).counters(process.stdin, print),
  "taken-ports": async (wanted) =>
    (await import("./commands/taken-ports.js")).printTakenPorts(wanted.ports, print),
};

try {
  const program = makeProgram(async (name, wanted) => {
    process.exitCode = await commands[name](wanted);
  });
  await program.parseAsync(words, { from: "user" });
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  say(error.message);
  if (error.next) console.error(error.next.replace(/^/gm, "       "));
  process.exitCode = error.exitCode;
}
