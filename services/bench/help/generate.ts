/**
 * Writes what ./bench shows on a host without Node: the help text of each command to a file of its
 * own beside this, and the list of names to host/list.txt.
 *
 *     npm run generate
 */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listText } from "../src/commands/list.ts";
import { makeProgram } from "../src/commands/program.ts";
import type { Command } from "commander";

/** @returns help text by file name; help.txt is that of ./bench itself */
export function helpTexts(): Map<string, string> {
  const program = makeProgram(() => {});
  const shown = program.createHelp().visibleCommands(program);
  return new Map(
    shown.map((command) => [
      `${command.name()}.txt`,
      textOf(command.name() === "help" ? program : command),
    ]),
  );
}

function textOf(command: Command) {
  let text = "";
  // helpInformation() leaves out what addHelpText() adds.
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

/** What `./bench list` shows without an image of the command line. */
export const LIST = join(import.meta.dirname, "../host/list.txt");

export const listOfNames = () => `${listText(join(import.meta.dirname, "../../.."))}\n`;

if (import.meta.main) {
  writeFileSync(LIST, listOfNames());
  const directory = import.meta.dirname;
  const texts = helpTexts();
  for (const name of readdirSync(directory))
    if (name.endsWith(".txt") && !texts.has(name)) rmSync(join(directory, name));
  for (const [name, text] of texts) writeFileSync(join(directory, name), text);
}
