/**
 * The one list of commands: their arguments, options and help texts. ./bench shows the help from services/bench/help/, which is
 * generated from here (npm run generate), and knows a command by its file there.
 */
import { Argument, Command } from "commander";
import { UserError } from "../errors.js";
import { FORMATS, OPTIONS } from "../plan/arguments.js";
import { HOSTS_FILE } from "../plan/hosts-file.js";

/**
 * @import { Option } from "commander"
 * @import { Overrides } from "../plan/plan.js"
 *
 * @typedef {object} RunArguments
 * @property {string} battle without meaning when a run is resumed
 * @property {Overrides} overrides
 * @property {string} [name] of the folder in results/, instead of the battle's
 * @property {string} [resume] folder of the run, as it was typed
 * @property {boolean} dryRun
 * @property {boolean} keepGoing
 * @property {string} [hosts] file of the machines; none: this one alone
 *
 * @typedef {object} ExportArguments
 * @property {string} [run] as it was typed; none: the newest
 * @property {string} [dashboard] not yet looked up
 * @property {number} [panel]
 * @property {(typeof FORMATS)[number][]} formats
 * @property {string} [snapshot] address of a Grafana, or a file; empty: beside the panels; none: it is not wanted
 * @property {string} [grafana] address
 *
 * @typedef {(typeof HOSTS_ACTIONS)[number]} HostsAction
 *
 * @typedef {object} Wanted what each command is called with; names and folders as they were typed, not yet looked up
 * @property {{}} setup
 * @property {RunArguments} run
 * @property {{overrides: Overrides, name?: string, dryRun: boolean, keepGoing: boolean}} capacity
 * @property {{directory: string}} report
 * @property {{directory: string, replace: boolean, remark?: string}} publish
 * @property {{run: string, baseline: string, json: boolean}} compare
 * @property {ExportArguments} export
 * @property {{proxy: string, overrides: Overrides}} aa
 * @property {{}} selfbench
 * @property {{}} doctor
 * @property {{action: HostsAction, file: string, proxies?: string[]}} hosts
 * @property {{proxy: string}} up
 * @property {{}} down
 * @property {{proxies: string[]}} verify proxies: none: all
 * @property {{words: string[]}} test
 * @property {{}} ready
 * @property {{}} host-ports
 * @property {{}} clock
 * @property {{}} counters
 * @property {{ports: string[]}} taken-ports []: those of Swarm
 */

const HOSTS_ACTIONS = /** @type {const} */ (["check", "join", "leave"]);

/** Columns of the help texts: the files look the same wherever they are made. */
const HELP_WIDTH = 100;

/** A command whose errors look as all others of this program. */
class CheckedCommand extends Command {
  /** @param {string} name */
  createCommand(name) {
    return new CheckedCommand(name);
  }

  /**
   * @param {string} message of commander: `error: `, the fact, and perhaps a line with the nearest name in parentheses
   * @returns {never}
   */
  error(message) {
    const [fact, suggestion = ""] = message.replace(/^error: /, "").split("\n");
    const nearest = suggestion.replace(/^\((.*)\)$/, "$1 ");
    if (!this.parent) throw new UserError(fact, `${nearest}./bench help lists the commands.`, 2);
    const words = this.registeredArguments.map((each) => ` ${each.name()}: ${each.description}.`);
    const line = `${this.parent.name()} ${this.name()}`;
    throw new UserError(
      fact,
      `${nearest}Expected ${line} ${this.usage()}.${words.join("")} See ${line} --help.`,
      2,
    );
  }
}

/**
 * @param {<Name extends keyof Wanted>(name: Name, wanted: Wanted[Name]) => void | Promise<void>} call runs a command
 * @returns {Command} to be given the words after `./bench`; it throws a UserError with exit code 2 for what it does not know
 */
export function makeProgram(call) {
  const program = new CheckedCommand("./bench")
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
  /**
   * @param {string} name
   * @param {string} summary for the list of commands
   * @param {string} [description] of its own help
   */
  const command = (name, summary, description = summary) =>
    program
      .command(name)
      .summary(summary)
      .description(description)
      .helpOption("-h, --help", "shows this text");

  command("setup", "installs what is missing: engine, Compose, images").action(() =>
    call("setup", {}),
  );

  withOptions(
    command("run", "runs a battle and writes its report to results/").argument(
      "[BATTLE]",
      "a file of battles/, without its ending",
      "quick",
    ),
    [
      OPTIONS.proxies,
      OPTIONS.scheme,
      OPTIONS.event,
      OPTIONS.connections,
      OPTIONS.rounds,
      OPTIONS.seed,
      OPTIONS.proxyCpus,
      OPTIONS.name,
      OPTIONS.onHosts,
      OPTIONS.resume,
    ],
  )
    .option("--dry-run", "shows cells, their order and the estimated time, and runs nothing")
    .option("--keep-going", "continues after a cell has failed twice (default: the run stops)")
    .action((battle, options, { args }) => {
      const { name, hosts, resume, dryRun = false, keepGoing = false } = options;
      if (resume && args.length > 0) {
        throw new UserError(
          `--resume does not go with a battle, ${battle}`,
          "Expected it alone, or with --hosts, --dry-run or --keep-going: the plan is in the folder of the run.",
          2,
        );
      }
      const overrides = overridesOf(options);
      return call("run", { battle, overrides, name, resume, dryRun, keepGoing, hosts });
    });

  withOptions(
    command(
      "capacity",
      "searches the most that proxies carry under a promise (an hour)",
      "searches the highest rate at which a proxy with a CPU budget keeps a promise: p99 of handshake or echo at or under --slo-ms, 0.1 % failures at most, 99 % of what was due sent; three fresh runs at that rate must keep it, three at 10 % above must not. It is the battle capacity",
    ).argument(
      "[PROXY...]",
      "folders of proxies/, or groups such as common (default: those of battles/capacity.yaml)",
    ),
    [OPTIONS.sloMs, OPTIONS.proxyCpus, OPTIONS.scheme, OPTIONS.rounds, OPTIONS.seed, OPTIONS.name],
  )
    .option("--dry-run", "shows cells, their order and the estimated time, and runs nothing")
    .option("--keep-going", "continues after a cell has failed twice (default: the run stops)")
    .action((proxies, options) => {
      const { name, dryRun = false, keepGoing = false } = options;
      const overrides = overridesOf({
        ...options,
        ...(proxies.length > 0 && { proxies }),
      });
      return call("capacity", { overrides, name, dryRun, keepGoing });
    });

  command("report", "rebuilds the report of a run from its recorded data")
    .argument("<DIR>", "a folder of results/")
    .action((directory) => call("report", { directory }));

  command(
    "publish",
    "copies a run to published/, which git keeps",
    "copies a run's record, its report and one archive of its raw files to published/<battle>/, of several machines to published/<battle>-machines/, which git keeps, and makes the pages over all published runs anew",
  )
    .argument("<DIR>", "a folder of results/")
    .option("--replace", "replaces the run which is published there now")
    .option(
      "--remark <TEXT>",
      "a sentence that its report shows: what you know of the machine and no counter tells",
    )
    .action((directory, { replace = false, remark }) =>
      call("publish", { directory, replace, ...(remark && { remark }) }),
    );

  command("compare", "compares a run with a baseline, figure by figure")
    .argument("<RUN>", "a folder of results/, by its name or path")
    .argument("<BASELINE>", "the run that it is compared with")
    .option("--json", "prints JSON instead of text")
    .action((run, baseline, { json = false }) => call("compare", { run, baseline, json }));

  withOptions(
    command("export", "exports dashboard panels as SVG, PNG, CSV and JSON").argument(
      "[RUN]",
      "a folder of results/, by its name or path (default: the newest run)",
    ),
    [OPTIONS.dashboard, OPTIONS.panel, OPTIONS.format, OPTIONS.snapshot, OPTIONS.grafana],
  ).action((run, { dashboard, panel, format = [...FORMATS], snapshot, grafana }) =>
    call("export", {
      run,
      dashboard,
      panel,
      formats: format,
      snapshot: snapshot === true ? "" : snapshot,
      grafana,
    }),
  );

  withOptions(
    command(
      "aa",
      "runs an A/A test: a proxy against a copy of itself",
      "runs an A/A test: a proxy against a copy of itself; their difference is the noise floor, which later reports show",
    ).argument("<PROXY>", "a folder of proxies/"),
    [OPTIONS.scheme, OPTIONS.connections, OPTIONS.rounds],
  ).action((proxy, options) => call("aa", { proxy, overrides: overridesOf(options) }));

  command(
    "selfbench",
    "measures the benchmark itself (half an hour)",
    "measures the benchmark itself: overhead of a cell, run-to-run spread, false positives; takes half an hour",
  ).action(() => call("selfbench", {}));

  command(
    "doctor",
    "checks settings of this machine that distort figures",
    "checks settings of this machine that distort figures, and shows the command that corrects each",
  ).action(() => call("doctor", {}));

  withOptions(
    command(
      "hosts",
      "checks the machines of hosts.yaml, joins them into one network, leaves it",
      "several machines, one each for load, proxy and servers, as hosts.yaml says (hosts.example.yaml is an example). check: what is missing on each, and what to do; measures clocks, round trip and bandwidth. join: Docker's Swarm over them, one network, and the images that they lack. leave: undoes that, with the same file",
    ).addArgument(new Argument("<ACTION>", "what is done with them").choices(HOSTS_ACTIONS)),
    [OPTIONS.hosts, OPTIONS.proxies],
  ).action((action, { hosts: file = HOSTS_FILE, proxies }) =>
    call("hosts", { action, file, proxies }),
  );

  command("up", "starts one proxy under load, with Grafana; Ctrl-C stops it")
    .argument("<PROXY>", "a folder of proxies/")
    .action((proxy) => call("up", { proxy }));

  command("down", "removes what `up` started, its data included").action(() => call("down", {}));

  command("verify", "runs the conformance checks against proxies")
    .argument("[PROXY...]", "folders of proxies/, or groups such as common (default: all)")
    .action((proxies) => call("verify", { proxies }));

  command("test", "runs the tests of this project")
    .argument(
      "[TIER|WORD...]",
      "only these tiers (lint, unit, boot, faults), and test files whose path contains one of the other words",
    )
    .action((words) => call("test", { words }));

  // Not for people: services of compose.yaml, and what `hosts` and a run over machines start on each.
  const hidden = /** @type {const} */ (["ready", "host-ports", "clock", "counters"]);
  for (const name of hidden) program.command(name, { hidden: true }).action(() => call(name, {}));
  program
    .command("taken-ports", { hidden: true })
    .argument("[PORT...]")
    .action((ports) => call("taken-ports", { ports }));

  return program;
}

/** @param {Argument} argument */
function termOf(argument) {
  const name = argument.variadic ? `${argument.name()}…` : argument.name();
  return argument.required ? name : `[${name}]`;
}

/**
 * @param {Command} command
 * @param {Option[]} options
 */
function withOptions(command, options) {
  return options.reduce((target, option) => target.addOption(option), command);
}

/**
 * @param {Record<string, any>} options of commander
 * @returns {Overrides} with those keys only that were given
 */
function overridesOf({ scheme: schemes, event: events, ...options }) {
  const { proxies, connections, rounds, seed, proxyCpus, sloMs } = options;
  const given = { proxies, schemes, events, connections, rounds, seed, proxyCpus, sloMs };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
