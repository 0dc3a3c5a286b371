/**
 * The command line of ./bench, inside its container.
 */
import { join, relative, resolve } from "node:path";
import { compare } from "./commands/compare.js";
import { publish } from "./commands/publish.js";
import { ready } from "./commands/ready.js";
import { doctor } from "./commands/doctor.js";
import { UserError } from "./errors.js";
import { exportPanels } from "./commands/export.js";
import { isDocumented, parsePublish, parseReport, usage } from "./plan/arguments.js";
import { Store } from "./record/store.js";
import { writeReport } from "./commands/report.js";
import { aa, run } from "./commands/run.js";
import { selfbench } from "./commands/selfbench.js";
import { setup } from "./commands/setup.js";
import { down, up } from "./commands/up.js";
import { verify } from "./commands/verify.js";

const directory = process.cwd();
const say = (/** @type {string} */ line) => console.error(`bench: ${line}`);

/** @type {Record<string, (args: string[]) => Promise<number>>} each returns the exit status */
const commands = {
  async setup(args) {
    refuseArguments(args);
    await setup(directory, say);
    say("ready");
    return 0;
  },

  async up(args) {
    await setup(directory, say);
    return up(directory, args, say);
  },

  async down(args) {
    refuseArguments(args);
    await down(directory);
    return 0;
  },

  async verify(args) {
    await setup(directory, say);
    return verify(directory, args, (line) => console.log(line));
  },

  run: (args) => run(directory, args, say),

  aa: (args) => aa(directory, args, say),

  selfbench: (args) => selfbench(directory, args, say),

  async report(args) {
    const store = Store.open(resolve(parseReport(args).directory));
    writeReport(directory, store);
    for (const name of ["report.html", "report.md"])
      say(relative(directory, join(store.directory, name)));
    return 0;
  },

  async publish(args) {
    publish(directory, parsePublish(args), say);
    return 0;
  },

  compare: (args) => compare(directory, args, say),

  export: (args) => exportPanels(directory, args, say),

  async doctor(args) {
    refuseArguments(args);
    return doctor(directory, (line) => console.log(line));
  },

  /** Not for people: the service `ready` of compose.yaml. */
  async ready() {
    const { PROJECT = "", WAIT_SECONDS, SCHEME, RUN = "" } = process.env;
    const { run, proxy } = await ready({
      project: PROJECT,
      proxiesDirectory: "/proxies",
      scheme: SCHEME === "wss" ? "wss" : "ws",
      waitSeconds: Number(WAIT_SECONDS),
      run: RUN,
      file: "/run/bench/run.json",
    });
    console.log(`one proxy is up: ${proxy}; run ${run}, ${SCHEME}`);
    return 0;
  },
};

/** @param {string[]} args */
function refuseArguments(args) {
  if (args.length > 0)
    throw new UserError(`unexpected argument: ${args[0]}`, "This command takes none.", 2);
}

const [name, ...args] = process.argv.slice(2);
try {
  const asksForHelp = args.includes("--help") || args.includes("-h");
  if (asksForHelp && isDocumented(name)) console.log(usage(name));
  else process.exitCode = await commands[name](args);
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`bench: ${error.message}`);
  if (error.next) console.error(error.next.replace(/^/gm, "       "));
  process.exitCode = error.exitCode;
}
