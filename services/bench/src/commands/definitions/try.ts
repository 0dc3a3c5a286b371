import { Option } from "commander";
import { UserError } from "../../errors.ts";
import { idleOption, OPTIONS, percentOption, roundsOption } from "../../plan/arguments.ts";
import { command, withOptions } from "./command.ts";
import type { Define } from "./command.ts";

/** What may be measured, the default first. */
export const MEASURES = ["cpu", "latency", "memory", "reload"] as const;

/** 60 s is the default of nginx, Apache httpd and most load balancers. */
const IDLE_SECONDS = 62;

export interface TryArguments {
  proxy: string;
  /** file or folder, as it was typed */
  config: string;
  against?: string;
  image?: string;
  path?: string;
  host?: string;
  set: Record<string, string>;
  measures: (typeof MEASURES)[number][];
  rounds?: number;
  connections?: number[];
  /** seconds for which an idle connection must stay open */
  idle: number;
  /** share: 0.1 */
  tolerance: number;
  json: boolean;
  markdown: boolean;
}

export const tryConfig: Define = (program, call) =>
  withOptions(
    command(
      program,
      "try",
      "Measure your configuration beside the suite's own",
      "Measure your configuration beside the suite's own, or another, in the same rounds. Runs a copy with other ports, servers and certificates, and prints each change with its line. Exit status: 0 no worse, 1 worse by more than --tolerance, 2 wrong use, 3 could not tell.",
    )
      .argument(
        "<PROXY>",
        "whose configuration it is: nginx, haproxy, envoy, caddy, traefik, apache, hitch or haproxy-hitch",
      )
      .argument("<FILE|FOLDER>", "its main file, or the folder with that and what it includes"),
    [
      new Option(
        "--against <FILE|IMAGE|PROXY|REF>",
        "Baseline: another file or image, a folder of proxies/, or the same path at a git revision (default: the suite's PROXY)",
      ),
      new Option("--image <IMAGE>", "Image to run your configuration"),
      new Option("--path <PATH>", "Path of the WebSockets (default: found in the file)"),
      new Option("--host <NAME>", "Host name of the WebSockets (default: found in the file)"),
      new Option("--set <NAME=VALUE>", "Fill a placeholder of the file; may be repeated").argParser(
        (text, before: Record<string, string> = {}) => ({ ...before, ...readSet(text) }),
      ),
      new Option("--measure <a,b>", `Any of ${MEASURES.join(", ")} (default: cpu)`).argParser(
        readMeasures,
      ),
      roundsOption("4 for cpu, 6 for latency, 3 for reload, 2 for memory"),
      OPTIONS.connections,
      idleOption(IDLE_SECONDS),
      percentOption("--tolerance <PERCENT>", "How much worse is accepted (default: 10%)", 0, "10%"),
      new Option("--json", "Print JSON"),
      new Option("--markdown", "Print Markdown, at the end").conflicts("json"),
    ],
  ).action((proxy, config, options) => {
    const { measure: measures = [MEASURES[0]], tolerance = 0.1, set = {}, json = false } = options;
    const { against, image, path, host, rounds, connections } = options;
    const { idle = IDLE_SECONDS, markdown = false } = options;
    const wanted = { proxy, config, against, image, path, host, set, measures, rounds };
    const all = { ...wanted, connections, idle, tolerance, json, markdown };
    return call("try", all, async ({ directory, say, print, words }) =>
      (await import("../try.ts")).tryConfig(directory, all, { say, print }, words),
    );
  });

function readSet(text: string): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined)
    throw new UserError(`--set is "${text}"`, "Expected NAME=VALUE, such as PORT=3000.", 2);
  return { [name]: value };
}

function readMeasures(text: string): TryArguments["measures"] {
  const names = text.split(",").map((name) => name.trim());
  const measures = names.flatMap((name) => MEASURES.find((one) => one === name) ?? []);
  if (measures.length === names.length && new Set(names).size === names.length) return measures;
  throw new UserError(
    `--measure is "${text}"`,
    `Expected ${MEASURES.join(", ")}, each once, with commas between them.`,
    2,
  );
}
