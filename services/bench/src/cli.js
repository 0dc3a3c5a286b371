/**
 * The command line of ./bench, inside its container.
 */
import { ready } from "./ready.js";
import { UserError } from "./errors.js";
import { setup } from "./setup.js";
import { down, up } from "./up.js";
import { verify } from "./verify.js";

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

  /** Not for people: the service `ready` of compose.yaml. */
  async ready() {
    const { PROJECT = "", WAIT_SECONDS, SCHEME, RUN = "" } = process.env;
    const { run, proxy } = await ready({
      project: PROJECT,
      proxiesDirectory: "/proxies",
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
  process.exitCode = await commands[name](args);
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`bench: ${error.message}`);
  if (error.next) console.error(error.next.replace(/^/gm, "       "));
  process.exitCode = error.exitCode;
}
