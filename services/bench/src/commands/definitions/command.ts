/**
 * What the definitions of commands share.
 */
import { Command } from "commander";
import { UserError } from "../../errors.ts";
import type { Option } from "commander";
import type { Overrides } from "../../plan/plan.ts";

export interface Tools {
  /** the project's */
  directory: string;
  /** of the command line */
  words: string[];
  /** progress */
  say: (line: string) => void;
  print: (line: string) => void;
}

/**
 * of a command; wanted: names and folders as they were typed, not yet looked up; run: loads what
 * carries it out, and gives the exit status
 */
export type Call = (
  name: string,
  wanted: object,
  run: (tools: Tools) => Promise<number>,
) => void | Promise<void>;

/** adds a command */
export type Define = (program: Command, call: Call) => void;

/** A command whose errors look as all others of this program. */
export class CheckedCommand extends Command {
  createCommand(name: string) {
    return new CheckedCommand(name);
  }

  /**
   * @param message of commander: `error: `, the fact, and perhaps a line with the nearest name in
   *   parentheses
   */
  error(message: string): never {
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
 * @param summary for the list of commands
 * @param description of its own help
 */
export function command(
  program: Command,
  name: string,
  summary: string,
  description: string = summary,
) {
  return program
    .command(name)
    .summary(summary)
    .description(description)
    .helpOption("-h, --help", "Print this help");
}

export function withOptions(target: Command, options: Option[]) {
  return options.reduce((all, option) => all.addOption(option), target);
}

/** The options of a command that runs cells. */
export function withRunOptions(target: Command) {
  return target
    .option("--dry-run", "Print what would be measured, and how long it takes")
    .option("--verbose", "With --dry-run: list every cell in its order")
    .option("--keep-going", "Go on after a cell has failed twice (default: stop)");
}

/** What `withRunOptions` adds, and the name of the run's folder. */
export interface RunSwitches {
  /** of the folder in results/, instead of the battle's */
  name?: string;
  dryRun: boolean;
  /** of --dry-run: with every cell */
  verbose: boolean;
  keepGoing: boolean;
}

/** @param options of commander */
export function switchesOf({
  name,
  dryRun = false,
  verbose = false,
  keepGoing = false,
}: Record<string, any>): RunSwitches {
  if (verbose && !dryRun)
    throw new UserError("--verbose goes with --dry-run", "Expected both, or neither.", 2);
  return { name, dryRun, verbose, keepGoing };
}

/**
 * @param options of commander
 * @returns with those keys only that were given
 */
export function overridesOf({
  scheme: schemes,
  event: events,
  ...options
}: Record<string, any>): Overrides {
  const { proxies, connections, rounds, seed, proxyCpus, sloMs } = options;
  const given = { proxies, schemes, events, connections, rounds, seed, proxyCpus, sloMs };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
