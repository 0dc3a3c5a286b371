/**
 * The options of the command line whose values are checked, for commander.
 */
import { Option } from "commander";
import { UserError } from "../errors.ts";
import schema from "./battle.schema.json" with { type: "json" };
import { expectation } from "./document.ts";
import { RUN_NAME, RUN_NAME_EXPECTED } from "./run-name.ts";
import { VERSION } from "./versions.ts";
import type { Scheme } from "../model/plan.ts";
import type { Schema } from "./document.ts";

const { rounds, seed, proxyCpus, promise, tests } = schema.properties;
const schemes = tests.items.properties.schemes.items.enum as Scheme[];

/** The machines of a benchmark over several, where no other file is named. */
export const HOSTS_FILE = "hosts.yaml";

/** What a panel can be exported as. */
export const FORMATS = ["svg", "png", "csv", "json"] as const;

export const OPTIONS = {
  proxies: checked("--proxies <a,b>", "Only these proxies and groups, and the control", {
    expected: "names of folders of proxies/, or of groups such as all, with commas between them",
    read: (text) => readList(text, (name) => name),
  }),
  scheme: checked("--scheme <ws|wss|ws,wss>", "Plain, over TLS, or both", {
    expected: "ws, wss or ws,wss",
    read: (text) => readList(text, (name) => schemes.find((scheme) => scheme === name)),
  }),
  event: checked("--event <a,b>", "Only these events, of a battle that has some", {
    expected: "names of events with commas between them, such as none,reload",
    read: (text) => readList(text, (name) => name),
  }),
  connections: checked(
    "--connections <N,N>",
    "Connections of every test, a cell each; lowers CONCURRENCY to fit",
    {
      expected: "whole numbers from 1, each once, with commas between them",
      read: (text) => readList(text, (item) => readNumber(item, { type: "integer", minimum: 1 })),
    },
  ),
  seed: checkedNumber("--seed <N>", "Seed of the order of cells within each round", seed),
  proxyCpus: checkedNumber(
    "--proxy-cpus <X>",
    "CPU budget of each proxy in cores, over all its containers; 0: none",
    proxyCpus,
  ),
  sloMs: checkedNumber(
    "--slo-ms <MS>",
    "Limit for p99 of connect time or echo (default: SLO_MS, 50)",
    promise.properties.sloMs,
  ),
  name: checked("--name <NAME>", "Name of the run's folder (default: the battle's)", {
    expected: RUN_NAME_EXPECTED,
    read: (text) => (RUN_NAME.test(text) ? text : undefined),
  }),
  resume: checkedText(
    "--resume <DIR>",
    "Resume the interrupted run in this folder",
    "a folder of results/",
  ).conflicts(["proxies", "scheme", "event", "connections", "rounds", "seed", "proxyCpus", "name"]),
  hosts: checkedText(
    "--hosts <FILE>",
    `File of the machines, in the project's folder (default: ${HOSTS_FILE})`,
    "a file such as hosts.example.yaml",
  ),
  onHosts: checkedText(
    "--hosts <FILE>",
    "Run on the machines of this file, after `hosts join`",
    "a file such as hosts.example.yaml",
  ),
  versions: checked(
    "--versions <a,b>",
    "Only these versions: tags of the proxy's image (default: all that its recipe in offline/ finds)",
    {
      expected: "numbers with points between them, with commas between versions: 3.0,3.2.26",
      read: (text) => readList(text, (version) => (VERSION.test(version) ? version : undefined)),
    },
  ),
  dashboard: checkedText(
    "--dashboard <UID>",
    "Only this dashboard (default: each with data for the run)",
    "a file of dashboards/generated, without its ending",
  ),
  panel: checked("--panel <ID>", "Only this panel", {
    expected: "a panel's id, a whole number from 1",
    read: (text) => readNumber(text, { type: "integer", minimum: 1 }),
  }),
  format: checked("--format <svg,png,csv,json>", "Only these files of each panel", {
    expected: "svg, png, csv or json, each once, with commas between them",
    read: (text) => readList(text, (name) => FORMATS.find((format) => format === name)),
  }),
  snapshot: checked(
    "--snapshot [URL|FILE.json]",
    "Also make a Grafana snapshot: post it to URL, or write it to FILE.json (default: beside the panels)",
    {
      expected:
        "the address of a Grafana, a name that ends in .json, or nothing; a run goes before it",
      read: (text) => (text === "" || /^https?:\/\/|\.json$/.test(text) ? text : undefined),
    },
  ),
  grafana: checked(
    "--grafana <URL>",
    "Also fetch this Grafana's own pictures (default: the project's, where it has a renderer)",
    {
      expected: "the address of a Grafana, such as http://127.0.0.1:3000",
      read: (text) => (/^https?:\/\//.test(text) ? text : undefined),
    },
  ),
};

/** @param least percent */
export function percentOption(flags: string, help: string, least: number, example: string) {
  return checked(flags, help, {
    expected: `percent${least > 0 ? ` from ${least}` : ""}, such as ${example}`,
    read: (text) => {
      const percent = readNumber(text.replace(/%$/, ""), { minimum: least });
      return percent === undefined ? undefined : percent / 100;
    },
  });
}

const amount = { type: "number", minimum: 0, maximum: 1e9 };

/** Of ./bench cost. */
export const COST_OPTIONS = {
  connections: checkedNumber("--connections <N>", "Connections held (default: 0)", {
    ...amount,
    type: "integer",
  }),
  messagesPerSecond: checkedNumber(
    "--messages-per-second <X>",
    "Messages per second on all of them together, each echoed (default: 0)",
    amount,
  ),
  bytes: checkedNumber("--bytes <N>", "Size of a message (default: 512)", {
    ...amount,
    type: "integer",
  }),
  newPerSecond: checkedNumber(
    "--new-per-second <X>",
    "Connections per second that come, send one message and go (default: 0)",
    amount,
  ),
  from: checkedText(
    "--from <RUN>",
    "A run of the battle cost (default: the newest)",
    "a folder of results/ or published/, by its name or path",
  ),
  predict: checkedText(
    "--predict <BATTLE>",
    "Write down the costs of the mixed loads of a battle, before it is run",
    "a file of battles/, without its ending",
  ).conflicts("check"),
  check: checkedText(
    "--check <RUN>",
    "Compare a run of that battle with what was written down",
    "a folder of results/ or published/, by its name or path",
  ),
};

/** @param byDefault seconds */
export function idleOption(byDefault: number) {
  return checkedNumber(
    "--idle <SECONDS>",
    `How long an idle connection must stay open (default: ${byDefault})`,
    { type: "integer", minimum: 1, maximum: 86_400 },
  );
}

/** @param usual how many there are without it */
export function roundsOption(usual: string, what = "Measure each cell so often"): Option {
  return checkedNumber("--rounds <N>", `${what} (default: ${usual})`, rounds);
}

/** @returns whose value is any text but none, as it stands; as `checked` */
function checkedText(flags: string, help: string, expected: string): Option {
  return checked(flags, help, { expected, read: (text) => text || undefined });
}

/**
 * An option whose value is read once.
 *
 * @param flags as commander takes them
 * @param help what it does
 * @param value expected: what it must be; read gives undefined where it is not
 * @returns throws a UserError with exit code 2 for any other value
 */
function checked(
  flags: string,
  help: string,
  { expected, read }: { expected: string; read: (text: string) => unknown },
): Option {
  const option = new Option(flags, help);
  const flag = option.long as string;
  return option.argParser((text, before) => {
    if (before !== undefined) throw new UserError(`${flag} is given twice`, "Expected it once.", 2);
    // `--rounds --seed 1`: the value was forgotten, and commander takes the next word.
    const isForgotten = text.startsWith("--");
    const value = isForgotten ? undefined : read(text);
    if (value !== undefined) return value;
    throw new UserError(
      isForgotten ? `${flag} has no value` : `${flag} is "${text}"`,
      `Expected ${expected}.`,
      2,
    );
  });
}

function checkedNumber(flags: string, help: string, range: Schema) {
  return checked(flags, help, {
    expected: expectation(range),
    read: (text) => readNumber(text, range),
  });
}

/**
 * @param text with commas
 * @returns undefined: an entry is empty, given twice, or no such value
 */
function readList<T>(text: string, read: (item: string) => T | undefined): T[] | undefined {
  const items = text.split(",").map((item) => item.trim());
  const values = items.map((item) => (item === "" ? undefined : read(item)));
  if (new Set(values).size < values.length) return undefined;
  return values.includes(undefined) ? undefined : (values as T[]);
}

function readNumber(
  text: string,
  { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema,
): number | undefined {
  if (!(type === "integer" ? /^\d+$/ : /^\d+(\.\d+)?$/).test(text)) return undefined;
  const value = Number(text);
  return value >= minimum && value <= maximum ? value : undefined;
}
