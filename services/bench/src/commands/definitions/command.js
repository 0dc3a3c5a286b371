/**
 * What the definitions of commands share.
 */
import { Command } from "commander";
import { UserError } from "../../errors.js";

/**
 * @import { Option } from "commander"
 * @import { Overrides } from "../../plan/plan.js"
 *
 * @typedef {object} Tools
 * @property {string} directory the project's
 * @property {string[]} words of the command line
 * @property {(line: string) => void} say progress
 * @property {(line: string) => void} print
 *
 * @typedef {(name: string, wanted: object, run: (tools: Tools) => Promise<number>) => void | Promise<void>} Call of a command; wanted: names
 *   and folders as they were typed, not yet looked up; run: loads what carries it out, and gives the exit status
 *
 * @typedef {(program: Command, call: Call) => void} Define adds a command
 */

/** A command whose errors look as all others of this program. */
export class CheckedCommand extends Command {
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
 * @param {Command} program
 * @param {string} name
 * @param {string} summary for the list of commands
 * @param {string} [description] of its own help
 */
export function command(program, name, summary, description = summary) {
  return program
    .command(name)
    .summary(summary)
    .description(description)
    .helpOption("-h, --help", "shows this text");
}

/**
 * @param {Command} target
 * @param {Option[]} options
 */
export function withOptions(target, options) {
  return options.reduce((all, option) => all.addOption(option), target);
}

/**
 * The options of a command that runs cells.
 *
 * @param {Command} target
 */
export function withRunOptions(target) {
  return target
    .option("--dry-run", "shows cells, their order and the estimated time, and runs nothing")
    .option("--keep-going", "continues after a cell has failed twice (default: the run stops)");
}

/**
 * @param {Record<string, any>} options of commander
 * @returns {Overrides} with those keys only that were given
 */
export function overridesOf({ scheme: schemes, event: events, ...options }) {
  const { proxies, connections, rounds, seed, proxyCpus, sloMs } = options;
  const given = { proxies, schemes, events, connections, rounds, seed, proxyCpus, sloMs };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
