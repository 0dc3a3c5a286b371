/**
 * The one list of commands. ./bench shows the help from services/bench/help/, which is generated from here (npm run generate), and knows a
 * command by its file there.
 */
import { aa } from "./definitions/aa.js";
import { capacity } from "./definitions/capacity.js";
import { CheckedCommand } from "./definitions/command.js";
import { compare } from "./definitions/compare.js";
import { doctor } from "./definitions/doctor.js";
import { down } from "./definitions/down.js";
import { exportPanels } from "./definitions/export.js";
import { hosts } from "./definitions/hosts.js";
import { inside } from "./definitions/inside.js";
import { publish } from "./definitions/publish.js";
import { report } from "./definitions/report.js";
import { run } from "./definitions/run.js";
import { selfbench } from "./definitions/selfbench.js";
import { setup } from "./definitions/setup.js";
import { test } from "./definitions/test.js";
import { up } from "./definitions/up.js";
import { verify } from "./definitions/verify.js";

/** @import { Argument } from "commander" */
/** @import { Call } from "./definitions/command.js" */

/** In the order of the help text. */
const COMMANDS = [
  ...[setup, run, capacity, report, publish, compare, exportPanels, aa, selfbench, doctor],
  ...[hosts, up, down, verify, test, inside],
];

/** Columns of the help texts: the files look the same wherever they are made. */
const HELP_WIDTH = 100;

/**
 * @param {Call} call
 * @returns {CheckedCommand} to be given the words after `./bench`; it throws a UserError with exit code 2 for what it does not know
 */
export function makeProgram(call) {
  const program = new CheckedCommand("./bench");
  program
    .description("Benchmarks of proxies that carry WebSockets")
    .usage("COMMAND [ARGUMENT…] [OPTION…]")
    .configureHelp({
      helpWidth: HELP_WIDTH,
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(termOf)].join(" "),
    })
    .helpOption("-h, --help", "shows this text")
    .helpCommand("help [COMMAND]", "shows the help of a command")
    .addHelpText(
      "after",
      "\nKnobs are in .env; the environment wins: SCHEME=wss CONNECTIONS=2000 ./bench up haproxy",
    );
  for (const define of COMMANDS) define(program, call);
  return program;
}

/** @param {Argument} argument */
function termOf(argument) {
  const name = argument.variadic ? `${argument.name()}…` : argument.name();
  return argument.required ? name : `[${name}]`;
}
