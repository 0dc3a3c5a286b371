/**
 * Scenarios: the scripts of loadgen/, `<name>.js` for k6 and `<name>.mjs` for Node. What each does,
 * and its parameters, is in the JSON file beside it, which the script reads too, so that names,
 * ranges and defaults are written down once.
 */
import { existsSync, readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { UserError } from "../errors.ts";
import { Document, expectation } from "./document.ts";
import schema from "./scenario.schema.json" with { type: "json" };
import type { Proxy } from "./proxies.ts";
import type { Schema, Path } from "./document.ts";
import type {
  Meaning,
  ParameterNames,
  Parameters,
  ScenarioDescription,
  Scheme,
  Workload,
} from "../model/plan.ts";

interface Parameter {
  description: string;
  /** what runner and report take it for */
  means?: Meaning;
  /** integer where it is left out: a whole number */
  type?: "integer" | "number";
  default: number;
  min?: number;
  /** both ends are allowed */
  max?: number;
  /** the only ones that it may have: instead of min and max */
  values?: number[];
  /** another parameter that it may not exceed */
  atMost?: string;
}

interface Table {
  /** of the script, without its ending */
  name: string;
  schemes: Scheme[];
  parameters: Record<string, Parameter>;
}

export type Scenario = Table & ScenarioDescription;

type ScenarioInFile = Pick<Scenario, "description" | "protocol" | "loop" | "parameters"> &
  Partial<typeof DEFAULTS>;

/** What need not be said. */
const DEFAULTS = {
  holdsConnections: false,
  dropsConnections: false,
  usesReference: false,
  referenceTurns: false,
  compares: "proxies" as Scenario["compares"],
  generatorThreads: "all" as Scenario["generatorThreads"],
  backend: "echo",
  schemes: ["ws", "wss"] as Scheme[],
};

/** What only one protocol has. */
const MEANINGS_OF: Record<Scenario["protocol"], Meaning[]> = {
  websocket: [
    "messages",
    "intervalSeconds",
    "messagesPerSecond",
    "arrivalsPerSecond",
    "messageBytes",
  ],
  http: ["requests", "fileBytes"],
};

/** Endings of scripts, and who runs those. */
const RUNNERS = { ".js": "k6", ".mjs": "node" } as const;

/**
 * @param directory the project's
 * @returns sorted
 */
export function scenarioNames(directory: string): string[] {
  return readdirSync(join(directory, "loadgen"))
    .filter((file) => extname(file) in RUNNERS)
    .map((file) => basename(file, extname(file)))
    .sort();
}

/**
 * @param directory the project's
 * @param name one of `scenarioNames`
 * @throws {UserError} when its description is missing or wrong, or two scripts have that name
 */
export function readScenario(directory: string, name: string): Scenario {
  const label = `loadgen/${name}.json`;
  const scripts = Object.entries(RUNNERS)
    .map(([ending, runner]) => ({ file: `loadgen/${name}${ending}`, runner }))
    .filter(({ file }) => existsSync(join(directory, file)));
  const [{ file, runner }] = scripts;
  if (scripts.length > 1) {
    throw new UserError(
      `two scripts are called ${name}: ${scripts.map((script) => script.file).join(" and ")}`,
      "Rename one of them.",
      2,
    );
  }
  if (!existsSync(join(directory, label))) {
    throw new UserError(
      `${file} has no description`,
      `Expected ${label}, in the form of loadgen/short-lived.json.`,
      2,
    );
  }
  const document = new Document(join(directory, label), label);
  document.check(schema);
  const content = document.value as ScenarioInFile;
  for (const [parameter, table] of Object.entries(content.parameters)) {
    const { default: fallback, atMost } = table;
    const path = ["parameters", parameter];
    if (!isAllowed(table, fallback)) {
      throw document.mistake(
        [...path, "default"],
        `the default of ${parameter} is ${fallback}`,
        `Expected ${expectation(valueSchema(table))}.`,
      );
    }
    if (atMost !== undefined && !Object.hasOwn(content.parameters, atMost)) {
      throw document.mistake(
        [...path, "atMost"],
        `unknown parameter "${atMost}"`,
        `Expected one of: ${Object.keys(content.parameters).join(", ")}.`,
      );
    }
  }
  const scenario = { ...DEFAULTS, name, runner, ...content };
  return { ...scenario, parameterNames: parameterNames(document, scenario) };
}

/**
 * @param scenario as its file says
 * @throws {UserError} when what the parameters mean does not fit together, or to the rest
 */
function parameterNames(
  document: Document,
  { protocol, holdsConnections, dropsConnections, parameters }: Omit<Scenario, "parameterNames">,
): ParameterNames {
  const names: ParameterNames = {};
  for (const [name, { means }] of Object.entries(parameters)) {
    if (means === undefined) continue;
    const path: Path = ["parameters", name, "means"];
    const [other] = Object.entries(MEANINGS_OF).filter(([, own]) => own.includes(means));
    if (other && other[0] !== protocol)
      throw document.mistake(
        path,
        `${name} means ${means}, and "protocol" is ${protocol}`,
        `Only ${other[0]} has ${other[1].join(", ")}.`,
      );
    if (names[means])
      throw document.mistake(
        path,
        `${name} and ${names[means]} both mean ${means}`,
        "Expected each meaning at most once.",
      );
    names[means] = name;
  }
  const { connections, requests, connectionsPerSecond, phaseSeconds } = names;
  if (!connections && !requests && !(connectionsPerSecond && phaseSeconds))
    throw document.mistake(
      ["parameters"],
      "no parameter sets the number of connections",
      "Expected a parameter that means connections, or requests, or two that mean connectionsPerSecond and phaseSeconds.",
    );
  for (const key of ["holdsConnections", "dropsConnections"] as const) {
    if (protocol === "http" && { holdsConnections, dropsConnections }[key])
      throw document.mistake(
        [key],
        `"${key}" is true, and "protocol" is http`,
        "Expected it only for websocket.",
      );
  }
  if (holdsConnections && !(connections && connectionsPerSecond))
    throw document.mistake(
      ["holdsConnections"],
      "connections are held, and no parameters set their number and rate",
      "Expected a parameter that means connections, and one that means connectionsPerSecond.",
    );
  return names;
}

/**
 * @param directory the project's
 * @returns of every scenario, by name
 * @throws {UserError} as of `readScenario`
 */
export function describedScenarios(directory: string): Record<string, ScenarioDescription> {
  return Object.fromEntries(
    scenarioNames(directory).map((name) => [name, descriptionOf(readScenario(directory, name))]),
  );
}

/** @returns what plan and record keep of it */
export function descriptionOf(scenario: Scenario): ScenarioDescription {
  const { description, runner, protocol, loop, holdsConnections, dropsConnections } = scenario;
  const { usesReference, referenceTurns, compares, generatorThreads, backend, parameterNames } =
    scenario;
  return {
    description,
    runner,
    protocol,
    loop,
    holdsConnections,
    dropsConnections,
    usesReference,
    referenceTurns,
    compares,
    generatorThreads,
    backend,
    parameterNames,
  };
}

function isAllowed({ type, min = -Infinity, max = Infinity, values }: Parameter, value: number) {
  if (values) return values.includes(value);
  return value >= min && value <= max && (type === "number" || Number.isInteger(value));
}

/** @returns of one value */
function valueSchema({ type = "integer", min, max, values, description }: Parameter): Schema {
  return {
    type,
    ...(values ? { enum: values } : { minimum: min, maximum: max }),
    description,
  };
}

/**
 * What a scenario asks for, against what a proxy's folder says that it serves.
 *
 * @param scenario its name
 * @returns why it cannot; null: it can
 */
export function unableToServe(
  proxy: Pick<Proxy, "name" | "serves" | "websocketsOverHttp2">,
  scenario: string,
  { protocol, fileBytes, streams = 0 }: Pick<Workload, "protocol" | "fileBytes" | "streams">,
): string | null {
  if (streams > 0 && !proxy.websocketsOverHttp2)
    return `${proxy.name} carries no WebSockets over HTTP/2`;
  // A proxy carries whatever the server behind it serves.
  if (proxy.serves === "websockets") return null;
  if (fileBytes === undefined)
    return `${proxy.name} has no server behind it and serves only files, but ${scenario} needs ${protocol === "http" ? "another page" : "WebSockets"}`;
  if (proxy.serves === "hello" && fileBytes !== HELLO_BYTES)
    return `${proxy.name} answers everything with ${HELLO_BYTES} bytes`;
  return null;
}

/** The page /hello, and the smallest file: `Hello world` and a line break. */
const HELLO_BYTES = 12;

export function defaults({ parameters }: Scenario): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [name, parameter.default]),
  );
}

/**
 * @param options lists: a parameter may be a list of values
 * @returns JSON Schema of the parameters in a battle
 */
export function parametersSchema({ parameters }: Scenario, { lists }: { lists: boolean }): object {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([parameter, table]) => {
      const items = valueSchema(table);
      return [parameter, lists ? listSchema(items, table) : items];
    }),
  );
  return {
    type: "object",
    additionalProperties: false,
    properties,
  };
}

/** @returns JSON Schema of such a value, or of a list of them */
function listSchema({ enum: values, ...value }: Schema, table: Parameter): object {
  const list = { type: [table.type ?? "integer", "array"], minItems: 1, uniqueItems: true };
  if (!values) return { ...value, ...list, items: value };
  const title = `${values.join(" or ")}, or a list of them`;
  const items = { ...value, enum: values };
  // An enum beside `items` would hold for the list too.
  return { ...value, title, ...list, items, if: { type: value.type }, then: { ...items, title } };
}

/**
 * @param parameters all of them
 * @returns parameters above the one that limits them
 */
export function excesses(
  scenario: Scenario,
  parameters: Parameters,
): { name: string; limit: string }[] {
  return Object.entries(scenario.parameters).flatMap(([name, { atMost }]) =>
    atMost !== undefined && parameters[name] > parameters[atMost] ? [{ name, limit: atMost }] : [],
  );
}

/** @returns every combination; the last list varies fastest */
export function combinations(lists: Record<string, number[]>): Parameters[] {
  return Object.entries(lists).reduce(
    (found, [name, values]) =>
      found.flatMap((parameters) => values.map((value) => ({ ...parameters, [name]: value }))),
    [{}] as Parameters[],
  );
}
