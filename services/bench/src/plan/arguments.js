/**
 * The command lines of run, report, aa, compare and export.
 */
import { parseArgs } from "node:util";
import { UserError } from "../errors.js";
import schema from "./battle.schema.json" with { type: "json" };
import { didYouMean, expectation } from "./document.js";

/**
 * @import { Scheme } from "../record/types.js"
 * @import { Overrides } from "./plan.js"
 * @import { Schema } from "./document.js"
 *
 * @typedef {object} Option
 * @property {string} help what it does
 * @property {string} [value] how the usage text calls its value; none: it takes no value
 * @property {string} [expected] what a value must be
 * @property {(text: string) => unknown} [read] undefined: the text is no such value
 *
 * @typedef {object} Command
 * @property {string} about what it does
 * @property {string} [operand] how the usage text calls the word after it
 * @property {string} [optionalOperand] the same, when it may be left out
 * @property {string} [operandHelp]
 * @property {{name: string, help: string}} [second] the word after that
 * @property {(keyof typeof OPTIONS)[]} options
 */

const { rounds, seed, proxyCpus, tests } = schema.properties;
const schemes = /** @type {Scheme[]} */ (tests.items.properties.schemes.items.enum);

/** What a panel can be exported as. */
const FORMATS = /** @type {const} */ (["svg", "png", "csv", "json"]);
/** Where a snapshot goes; any other word after --snapshot is the next argument. */
const SNAPSHOT_TARGET = /^https?:\/\/|\.json$/;

const OPTIONS = {
  proxies: {
    value: "a,b",
    expected: "all, or names of folders of proxies/ with commas between them",
    help: "only these proxies, and the control",
    read: (/** @type {string} */ text) => (text === "all" ? text : readList(text, (name) => name)),
  },
  scheme: {
    value: "ws|wss|ws,wss",
    expected: "ws, wss or ws,wss",
    help: "plain, over TLS, or both",
    read: (/** @type {string} */ text) =>
      readList(text, (name) => schemes.find((scheme) => scheme === name)),
  },
  connections: {
    value: "N,N",
    expected: "whole numbers from 1, each once, with commas between them",
    help: "connections of every test, a cell of each; CONCURRENCY is lowered where it is above",
    read: (/** @type {string} */ text) =>
      readList(text, (item) => readNumber(item, { type: "integer", minimum: 1 })),
  },
  rounds: numberOption(rounds, "N", "how often every cell is run"),
  seed: numberOption(seed, "N", "order of the cells within each round"),
  "proxy-cpus": numberOption(
    proxyCpus,
    "X",
    "CPU budget of each proxy container in cores; 0: none",
  ),
  name: {
    value: "NAME",
    expected: "letters, digits, - _ . (64 at most, the first a letter or digit)",
    help: "what the folder in results/ is called instead of the battle's name",
    read: (/** @type {string} */ text) =>
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text) ? text : undefined,
  },
  "dry-run": { help: "prints every cell, the order and the time, and runs nothing" },
  resume: {
    value: "DIR",
    expected: "a folder of results/",
    help: "goes on with the run in that folder, as it was planned",
    read: (/** @type {string} */ text) => text || undefined,
  },
  "keep-going": { help: "goes on after a cell has failed twice; without it the run stops there" },
  json: { help: "prints JSON instead of text" },
  replace: { help: "replaces the run of that battle which is published now" },
  dashboard: {
    value: "UID",
    expected: "a file of dashboards/generated, without its ending",
    help: "only this dashboard",
    read: (/** @type {string} */ text) => text || undefined,
  },
  panel: {
    value: "ID",
    expected: "a panel's id, a whole number from 1",
    help: "only this panel",
    read: (/** @type {string} */ text) => readNumber(text, { type: "integer", minimum: 1 }),
  },
  format: {
    value: "svg,png,csv,json",
    expected: "svg, png, csv or json, each once, with commas between them",
    help: "only these files of each panel",
    read: (/** @type {string} */ text) =>
      readList(text, (name) => FORMATS.find((format) => format === name)),
  },
  snapshot: {
    value: "[URL|FILE.json]",
    expected: "the address of a Grafana, a name that ends in .json, or nothing",
    help: "makes a Grafana snapshot too, and posts it there or writes that file; alone: beside the panels",
    read: (/** @type {string} */ text) =>
      text === "" || SNAPSHOT_TARGET.test(text) ? text : undefined,
  },
  grafana: {
    value: "URL",
    expected: "the address of a Grafana, such as http://127.0.0.1:3000",
    help: "asks this Grafana for its own pictures too; the project's own one is asked where it has a renderer",
    read: (/** @type {string} */ text) => (/^https?:\/\//.test(text) ? text : undefined),
  },
};

/** @type {Record<"run" | "report" | "publish" | "aa" | "compare" | "export", Command>} */
const COMMANDS = {
  run: {
    about: "fights a battle and writes its report",
    optionalOperand: "BATTLE",
    operandHelp: "a file of battles/, without its ending; default: quick",
    options: [
      "proxies",
      "scheme",
      "connections",
      "rounds",
      "seed",
      "proxy-cpus",
      "name",
      "dry-run",
      "resume",
      "keep-going",
    ],
  },
  report: {
    about: "makes the report of a run again, from its raw data",
    operand: "DIR",
    operandHelp: "a folder of results/",
    options: [],
  },
  publish: {
    about: "copies a run's record, report and packed raw files to published/<battle>/, which git keeps",
    operand: "DIR",
    operandHelp: "a folder of results/",
    options: ["replace"],
  },
  aa: {
    about: "runs a proxy against a copy of itself: the difference is noise",
    operand: "PROXY",
    operandHelp: "a folder of proxies/",
    options: ["scheme", "connections", "rounds"],
  },
  compare: {
    about: "says how one run differs from another, figure by figure",
    operand: "RUN",
    operandHelp: "a folder of results/, by its name or path",
    second: { name: "BASELINE", help: "the run that it is held against" },
    options: ["json"],
  },
  export: {
    about: "writes every panel of the dashboards as a picture and as data",
    optionalOperand: "RUN",
    operandHelp: "a folder of results/, by its name or path; default: the newest run",
    options: ["dashboard", "panel", "format", "snapshot", "grafana"],
  },
};

/** Options that do not change the plan, and so go with --resume. */
const WITH_RESUME = ["resume", "dry-run", "keep-going"];

const DEFAULT_BATTLE = "quick";

/**
 * @typedef {object} RunArguments
 * @property {string} battle without meaning when a run is resumed
 * @property {Overrides} overrides
 * @property {string} [name] of the folder in results/, instead of the battle's
 * @property {string} [resume] folder of the run, as it was typed
 * @property {boolean} dryRun
 * @property {boolean} keepGoing
 */

/**
 * `./bench run`
 *
 * @param {string[]} args after the command's name
 * @returns {RunArguments}
 * @throws {UserError} that names the option, what was expected and the nearest; exit code 2
 */
export function parseRun(args) {
  const { operand, values } = parse("run", args);
  const { name, resume } = values;
  if (resume) {
    const [other] = Object.keys(values).filter((option) => !WITH_RESUME.includes(option));
    if (operand || other) {
      throw new UserError(
        `--resume does not go with ${operand ? `a battle, ${operand}` : `--${other}`}`,
        "Expected it alone, or with --dry-run or --keep-going: the plan is in the folder of the run.",
        2,
      );
    }
  }
  return {
    battle: operand ?? DEFAULT_BATTLE,
    overrides: overridesOf(values),
    name,
    resume,
    dryRun: values["dry-run"] ?? false,
    keepGoing: values["keep-going"] ?? false,
  };
}

/**
 * `./bench report`
 *
 * @param {string[]} args after the command's name
 * @returns {{directory: string}} folder of the run, as it was typed
 * @throws {UserError} exit code 2
 */
export function parseReport(args) {
  return { directory: /** @type {string} */ (parse("report", args).operand) };
}

/**
 * `./bench publish`
 *
 * @param {string[]} args after the command's name
 * @returns {{directory: string, replace: boolean}} directory: folder of the run, as it was typed
 * @throws {UserError} exit code 2
 */
export function parsePublish(args) {
  const { operand, values } = parse("publish", args);
  return { directory: /** @type {string} */ (operand), replace: values.replace ?? false };
}

/**
 * `./bench aa`
 *
 * @param {string[]} args after the command's name
 * @returns {{proxy: string, overrides: Overrides}} proxy: not yet looked up
 * @throws {UserError} exit code 2
 */
export function parseAa(args) {
  const { operand, values } = parse("aa", args);
  return { proxy: /** @type {string} */ (operand), overrides: overridesOf(values) };
}

/**
 * `./bench compare`
 *
 * @param {string[]} args after the command's name
 * @returns {{run: string, baseline: string, json: boolean}} as they were typed, not yet looked up
 * @throws {UserError} exit code 2
 */
export function parseCompare(args) {
  const { operand, second, values } = parse("compare", args);
  return {
    run: /** @type {string} */ (operand),
    baseline: /** @type {string} */ (second),
    json: values.json ?? false,
  };
}

/**
 * @typedef {object} ExportArguments
 * @property {string} [run] as it was typed; none: the newest
 * @property {string} [dashboard] not yet looked up
 * @property {number} [panel]
 * @property {(typeof FORMATS)[number][]} formats
 * @property {string} [snapshot] address of a Grafana, or a file; empty: beside the panels; none: it is not wanted
 * @property {string} [grafana] address
 */

/**
 * `./bench export`
 *
 * @param {string[]} args after the command's name
 * @returns {ExportArguments}
 * @throws {UserError} exit code 2
 */
export function parseExport(args) {
  // The value of --snapshot may be left out, which node:util knows nothing of.
  const joined = args.flatMap((arg, i) => {
    if (i > 0 && args[i - 1] === "--snapshot" && SNAPSHOT_TARGET.test(arg)) return [];
    if (arg !== "--snapshot") return [arg];
    const next = args[i + 1] ?? "";
    return [`--snapshot=${SNAPSHOT_TARGET.test(next) ? next : ""}`];
  });
  const { operand, values } = parse("export", joined);
  const { dashboard, panel, format, snapshot, grafana } = values;
  return { run: operand, dashboard, panel, formats: format ?? [...FORMATS], snapshot, grafana };
}

/**
 * @param {string} name of a command
 * @returns {name is keyof typeof COMMANDS} whether `usage` has a text for it
 */
export function isDocumented(name) {
  return name in COMMANDS;
}

/**
 * @param {keyof typeof COMMANDS} name
 * @returns {string} lines for a terminal
 */
export function usage(name) {
  const { about, operand, optionalOperand, operandHelp, second, options } = COMMANDS[name];
  const word = [operand ?? `[${optionalOperand}]`, ...(second ? [second.name] : [])].join(" ");
  const rows = options.map((key) => {
    const { value, help } = /** @type {Option} */ (OPTIONS[key]);
    return [`--${key}${value ? ` ${value}` : ""}`, help];
  });
  const table = [
    [operand ?? optionalOperand ?? "", operandHelp ?? ""],
    ...(second ? [[second.name, second.help]] : []),
    ...rows,
  ];
  const width = Math.max(...table.map(([left]) => left.length));
  return [
    `./bench ${name} ${word}${options.length > 0 ? " [OPTION…]" : ""}: ${about}`,
    "",
    ...table.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
  ].join("\n");
}

/**
 * @param {Record<string, any>} values
 * @returns {Overrides} with those keys only that were given
 */
function overridesOf(values) {
  const given = {
    proxies: values.proxies,
    schemes: values.scheme,
    connections: values.connections,
    rounds: values.rounds,
    seed: values.seed,
    proxyCpus: values["proxy-cpus"],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/**
 * @param {keyof typeof COMMANDS} name
 * @param {string[]} args
 * @returns {{operand: string | undefined, second: string | undefined, values: Record<string, any>}} values: by the name of the
 *   option, read
 */
function parse(name, args) {
  const command = COMMANDS[name];
  const takesValue = Object.fromEntries(
    command.options.map((option) => {
      const { value } = /** @type {Option} */ (OPTIONS[option]);
      return [option, { type: /** @type {"string" | "boolean"} */ (value ? "string" : "boolean") }];
    }),
  );
  // Not strict: the messages of node:util name neither what was expected nor the nearest option.
  const { tokens } = parseArgs({
    args,
    options: takesValue,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  /** @type {string[]} */
  const operands = [];
  /** @type {Record<string, unknown>} */
  const values = {};
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    if (Object.hasOwn(values, token.name))
      throw new UserError(`${token.rawName} is given twice`, "Expected it once.", 2);
    values[token.name] = readOption(name, token);
  }
  refuseOperands(name, operands);
  return { operand: operands[0], second: operands[1], values };
}

/**
 * @param {keyof typeof COMMANDS} name
 * @param {string[]} operands
 * @throws {UserError} when there are too few or too many
 */
function refuseOperands(name, operands) {
  const { operand, optionalOperand, operandHelp, second } = COMMANDS[name];
  const known = [operand ?? optionalOperand, ...(second ? [second.name] : [])];
  const needed = operand ? known : [];
  if (operands.length >= needed.length && operands.length <= known.length) return;
  const expected = second
    ? `Expected ${known.join(" ")}: ${known[0]} is ${operandHelp}, ${second.name} ${second.help}.`
    : `Expected ${operand ? "one" : "at most one"} ${known[0]}: ${operandHelp}.`;
  throw new UserError(
    operands.length < needed.length
      ? `${name} needs ${needed[operands.length]}`
      : `unexpected argument: ${operands[known.length]}`,
    expected,
    2,
  );
}

/**
 * @param {keyof typeof COMMANDS} command
 * @param {{name: string, rawName: string, value?: string | undefined, inlineValue?: boolean | undefined}} token
 * @returns {unknown}
 */
function readOption(command, { name, rawName, value, inlineValue }) {
  const known = COMMANDS[command].options;
  if (!(/** @type {string[]} */ (known).includes(name))) {
    const all = known.map((option) => `--${option}`);
    throw new UserError(
      `unknown option: ${rawName}`,
      `${didYouMean(rawName, all)}${all.length > 0 ? `./bench ${command} takes: ${all.join(", ")}.` : `./bench ${command} takes none.`}`,
      2,
    );
  }
  const { expected, read } = /** @type {Option} */ (
    OPTIONS[/** @type {keyof typeof OPTIONS} */ (name)]
  );
  if (!read) {
    if (value === undefined) return true;
    throw new UserError(`--${name} is ${value}`, "Expected it without a value.", 2);
  }
  // `--rounds --seed 1`: the value was forgotten.
  const isForgotten = value === undefined || (!inlineValue && value.startsWith("--"));
  const found = isForgotten ? undefined : read(value);
  if (found !== undefined) return found;
  throw new UserError(
    isForgotten ? `--${name} has no value` : `--${name} is "${value}"`,
    `Expected ${expected}.`,
    2,
  );
}

/**
 * @template T
 * @param {string} text with commas
 * @param {(item: string) => T | undefined} read
 * @returns {T[] | undefined} undefined: an entry is empty, given twice, or no such value
 */
function readList(text, read) {
  const items = text.split(",").map((item) => item.trim());
  const values = items.map((item) => (item === "" ? undefined : read(item)));
  if (new Set(values).size < values.length) return undefined;
  return values.includes(undefined) ? undefined : /** @type {T[]} */ (values);
}

/**
 * @param {Schema} range
 * @param {string} value
 * @param {string} help
 * @returns {Option}
 */
function numberOption(range, value, help) {
  return {
    value,
    expected: expectation(range),
    help,
    read: (/** @type {string} */ text) => readNumber(text, range),
  };
}

/**
 * @param {string} text
 * @param {Schema} range
 * @returns {number | undefined}
 */
function readNumber(text, { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER }) {
  if (!(type === "integer" ? /^\d+$/ : /^\d+(\.\d+)?$/).test(text)) return undefined;
  const value = Number(text);
  return value >= minimum && value <= maximum ? value : undefined;
}
