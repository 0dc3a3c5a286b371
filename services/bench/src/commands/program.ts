/**
 * The one list of commands. ./bench shows the help from services/bench/help/, which is generated
 * from here (npm run generate), and knows a command by its file there.
 */
import { aa } from "./definitions/aa.ts";
import { capacity } from "./definitions/capacity.ts";
import { CheckedCommand } from "./definitions/command.ts";
import { compare } from "./definitions/compare.ts";
import { doctor } from "./definitions/doctor.ts";
import { down } from "./definitions/down.ts";
import { exportPanels } from "./definitions/export.ts";
import { hosts } from "./definitions/hosts.ts";
import { inside } from "./definitions/inside.ts";
import { publish } from "./definitions/publish.ts";
import { report } from "./definitions/report.ts";
import { run } from "./definitions/run.ts";
import { selfbench } from "./definitions/selfbench.ts";
import { setup } from "./definitions/setup.ts";
import { test } from "./definitions/test.ts";
import { tryConfig } from "./definitions/try.ts";
import { up } from "./definitions/up.ts";
import { verify } from "./definitions/verify.ts";
import type { Argument } from "commander";
import type { Call } from "./definitions/command.ts";

/** In the order of the help text. */
const COMMANDS = [
  ...[setup, run, capacity, report, publish, compare, exportPanels, aa, selfbench, doctor],
  ...[hosts, up, down, verify, tryConfig, test, inside],
];

/** Columns of the help texts: the files look the same wherever they are made. */
const HELP_WIDTH = 100;

/**
 * @returns to be given the words after `./bench`; it throws a UserError with exit code 2 for what
 *   it does not know
 */
export function makeProgram(call: Call): CheckedCommand {
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

function termOf(argument: Argument) {
  const name = argument.variadic ? `${argument.name()}…` : argument.name();
  return argument.required ? name : `[${name}]`;
}
