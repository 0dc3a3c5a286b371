/**
 * The command line of ./bench, inside its container: reads it, and calls one command.
 */
import { makeProgram } from "./commands/program.ts";
import { UserError } from "./errors.ts";

const directory = process.cwd();
const words = process.argv.slice(2);
const say = (line: string) => console.error(`bench: ${line}`);
const print = (line: string) => console.log(line);

try {
  const program = makeProgram(async (_name, _wanted, run) => {
    process.exitCode = await run({ directory, words, say, print });
  });
  await program.parseAsync(words, { from: "user" });
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  say(error.message);
  if (error.next) console.error(error.next.replace(/^/gm, "       "));
  process.exitCode = error.exitCode;
}
