import { Option } from "commander";
import { UserError } from "../../errors.ts";
import { OPTIONS, percentOption, roundsOption } from "../../plan/arguments.ts";
import { command, withOptions } from "./command.ts";
import type { Define } from "./command.ts";

/** What may be measured, the default first. */
const BISECTED = ["cpu-per-connection", "cpu-per-message"] as const;

/** Of each version, at most: four minutes. */
const ROUNDS = 24;

export interface BisectArguments {
  proxy: string;
  /** a version, or a series with all of its releases */
  from: string;
  to: string;
  measure: (typeof BISECTED)[number];
  wss: boolean;
  /** share: 0.05 */
  threshold: number;
  versions?: string[];
  rounds: number;
  json: boolean;
}

export const bisect: Define = (program, call) =>
  withOptions(
    command(
      program,
      "bisect",
      "Find the release that made a proxy more expensive",
      "Find the first release that costs more than --from, by halves, with as many rounds as --threshold needs. Connections go to a release and to --from in turns. Exit status: 0 none costs more, 1 one does, 2 wrong use, 3 could not tell.",
    ).argument("<PROXY>", "a folder of proxies/, such as traefik"),
    [
      new Option(
        "--from <VERSION>",
        "The first, such as 3.3, with all of its releases, or 3.3.5",
      ).makeOptionMandatory(),
      new Option("--to <VERSION>", "The last").makeOptionMandatory(),
      new Option(
        "--measure <NAME>",
        `${BISECTED.join(" or ")}, which has 50 messages on each connection (default: ${BISECTED[0]})`,
      ),
      new Option("--wss", "Over TLS"),
      percentOption("--threshold <PERCENT>", "How much more counts (default: 5%)", 0.5, "5%"),
      OPTIONS.versions,
      roundsOption(`${ROUNDS}`, "Rounds of each version, at most"),
      new Option("--json", "Print JSON"),
    ],
  ).action((proxy, options) => {
    const { from, to, wss = false, threshold = 0.05, versions, rounds = ROUNDS } = options;
    const { json = false } = options;
    const measure = readMeasure(options.measure);
    const all = { proxy, from, to, measure, wss, threshold, versions, rounds, json };
    return call("bisect", all, async ({ directory, say, print, words }) =>
      (await import("../bisect.ts")).bisect(directory, all, { say, print }, words),
    );
  });

function readMeasure(text: string = BISECTED[0]): BisectArguments["measure"] {
  const measure = BISECTED.find((name) => name === text);
  if (measure) return measure;
  throw new UserError(`--measure is "${text}"`, `Expected ${BISECTED.join(" or ")}.`, 2);
}
