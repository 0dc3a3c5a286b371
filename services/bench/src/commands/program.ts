/**
 * The one list of commands. ./bench shows the help from services/bench/help/, which is generated
 * from here (npm run generate), and knows a command by its file there.
 */
import { readFileSync } from "node:fs";
import { aa } from "./definitions/aa.ts";
import { bisect } from "./definitions/bisect.ts";
import { calibrate } from "./definitions/calibrate.ts";
import { capacity } from "./definitions/capacity.ts";
import { CheckedCommand } from "./definitions/command.ts";
import { compare } from "./definitions/compare.ts";
import { cost } from "./definitions/cost.ts";
import { doctor } from "./definitions/doctor.ts";
import { down } from "./definitions/down.ts";
import { exportPanels } from "./definitions/export.ts";
import { hosts } from "./definitions/hosts.ts";
import { inside } from "./definitions/inside.ts";
import { list } from "./definitions/list.ts";
import { publish } from "./definitions/publish.ts";
import { report } from "./definitions/report.ts";
import { run } from "./definitions/run.ts";
import { selfbench } from "./definitions/selfbench.ts";
import { setup } from "./definitions/setup.ts";
import { site } from "./definitions/site.ts";
import { test } from "./definitions/test.ts";
import { tryConfig } from "./definitions/try.ts";
import { up } from "./definitions/up.ts";
import { verify } from "./definitions/verify.ts";
import type { Argument } from "commander";
import type { Call } from "./definitions/command.ts";

/** In the order of the help text; `help` is the last of them. */
const COMMANDS = {
  Measure: [run, tryConfig, bisect, list, capacity, aa, calibrate, verify, up, down],
  Results: [report, compare, cost, exportPanels, publish, site],
  Setup: [setup, doctor, hosts],
  Project: [test, selfbench, inside],
};

/** Its version is this program's, and ./bench shows it from there (../../host/help.sh). */
const PACKAGE = new URL("../../package.json", import.meta.url);

/** Columns of the help texts: the files look the same wherever they are made. */
const HELP_WIDTH = 80;

const EXAMPLES = `
Examples:
  ./bench run                                   Compare proxies in 3 minutes
  ./bench run messages --proxies nginx,haproxy  Compare two in another battle
  SCHEME=wss ./bench up haproxy                 Watch one in Grafana, over TLS

Settings are in .env; environment variables override them.`;

/**
 * @returns to be given the words after `./bench`; it throws a UserError with exit code 2 for what
 *   it does not know
 */
export function makeProgram(call: Call): CheckedCommand {
  const program = new CheckedCommand("./bench");
  program
    .description("Measure what a reverse proxy costs your WebSockets")
    .usage("COMMAND [ARGUMENT…] [OPTION…]")
    .configureHelp({
      helpWidth: HELP_WIDTH,
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(termOf)].join(" "),
    })
    .version(versionOf(PACKAGE), "--version", "Print the version")
    .helpOption("-h, --help", "Print this help")
    .addHelpText("after", EXAMPLES);
  for (const [group, definitions] of Object.entries(COMMANDS)) {
    program.commandsGroup(`${group}:`);
    for (const define of definitions) define(program, call);
  }
  return program.helpCommand("help [COMMAND]", "Print the help of a command");
}

function versionOf(file: URL): string {
  return JSON.parse(readFileSync(file, "utf8")).version;
}

function termOf(argument: Argument) {
  const name = argument.variadic ? `${argument.name()}…` : argument.name();
  return argument.required ? name : `[${name}]`;
}
