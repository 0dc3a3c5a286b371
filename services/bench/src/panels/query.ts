/**
 * What Grafana puts into a query: the time range, the step, variables. Macros and formats are those
 * that our dashboards use; any other is refused by its name.
 *
 * Nobody chooses a value in an export. `run` is the run that is exported; one that may be All is
 * All; one of a single value, as the setting, takes each in turn: a panel that uses it is exported
 * once for each.
 */
import type { Series } from "../platform/influx.ts";
import type { Dashboard, Panel, Variable } from "./dashboards.ts";

export type Ask = (query: string) => Promise<Series[]>;
/** ms since 1970 */
export type Range = { fromMs: number; toMs: number };
/** What a variable has: values, or the expression that stands for all; text: where it is another. */
export type Chosen = { values: string[]; all?: string; text?: string };
export type Choice = {
  variables: Record<string, Chosen>;
  /** Names of those that have another value in another choice. */
  varying: string[];
  /** Those that have no value for this run. */
  missing: Variable[];
};

/** @throws {Error} that names what nothing is known about */
export function interpolate(
  text: string,
  {
    fromMs,
    toMs,
    variables,
    stepMs = 1000,
  }: Range & { variables: Choice["variables"]; stepMs?: number },
): string {
  const macros: Record<string, string> = {
    timeFilter: `time >= ${fromMs}ms and time <= ${toMs}ms`,
    __interval: `${stepMs / 1000}s`,
    "__to:date:seconds": String(Math.floor(toMs / 1000)),
  };
  return text.replace(/\$\{([\w:]+)\}|\$(\w+)/g, (match, braced, bare) => {
    const [, variable] = /^(\w+):regex$/.exec(braced ?? "") ?? [];
    const chosen = variables[variable];
    const found = chosen ? (chosen.all ?? expressionOf(chosen.values)) : macros[braced ?? bare];
    if (found !== undefined) return found;
    const known = Object.keys(variables).join(", ") || "none";
    throw new Error(`nothing is known about ${match}; variables: ${known}`);
  });
}

function expressionOf(values: string[]): string {
  const escaped = values.map((value) => value.replace(/[\\^$*+?.()|[\]{}/]/g, "\\$&"));
  return escaped.length === 1 ? escaped[0] : `(${escaped.join("|")})`;
}

const STEPS_SECONDS = [
  ...[1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800],
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * 3600),
];
/** As many as a picture has pixels. */
const MOST_STEPS = 900;

/** @returns ms, rounded to a step that people read easily, and no finer than the panel's */
export function stepOf({ fromMs, toMs }: Range, finest = "1s"): number {
  const wanted = Math.max((toMs - fromMs) / MOST_STEPS / 1000, parseInt(finest));
  return 1000 * (STEPS_SECONDS.find((step) => step >= wanted) ?? 86_400);
}

/**
 * @param given values by variable
 * @returns at least one
 * @throws {Error} when a variable's query fails
 */
export async function choicesOf(
  { templating }: Dashboard,
  given: Record<string, string>,
  range: Range,
  ask: Ask,
): Promise<Choice[]> {
  let choices: Choice[] = [{ variables: {}, varying: [], missing: [] }];
  const answers = new Map<string, Promise<Chosen[]>>();
  const valuesOnce = (variable: Variable, query: string) => {
    const known = answers.get(query) ?? valuesOf(variable, query, ask);
    answers.set(query, known);
    return known;
  };
  for (const variable of templating?.list ?? []) {
    const { name } = variable;
    const next = choices.map(async ({ variables, varying, missing }) => {
      const options: Chosen[] =
        name in given
          ? [{ values: [given[name]] }]
          : variable.allValue
            ? [{ values: [], all: variable.allValue }]
            : // A query may use the variables that stand before it.
              await valuesOnce(variable, interpolate(variable.query, { ...range, variables }));
      // Without a value it is the empty text, as in Grafana.
      return (options.length > 0 ? options : [{ values: [""] }]).map((chosen) => ({
        variables: { ...variables, [name]: chosen },
        varying: options.length > 1 ? [...varying, name] : varying,
        missing: options.length > 0 ? missing : [...missing, variable],
      }));
    });
    choices = (await Promise.all(next)).flat();
  }
  return choices;
}

async function valuesOf(
  { sort = 0, regex = "" }: Variable,
  query: string,
  ask: Ask,
): Promise<Chosen[]> {
  // SHOW TAG VALUES answers with a key and beside it a value.
  const found = (await ask(query)).flatMap(({ columns, values }) =>
    values.map((row) => String(row[columns.indexOf("value")])),
  );
  const named = new RegExp(regex.replace(/^\/|\/$/g, ""));
  const values = [...new Set(found)].filter((value) => named.test(value));
  if (sort > 0) values.sort((a, b) => a.localeCompare(b));
  if (sort === 2) values.reverse();
  return values.map((value) => {
    const text = regex && named.exec(value)?.groups?.text;
    return { values: [value], ...(text && { text }) };
  });
}

/** @param title with variables: `${question:text}` */
export function titled(title: string, { variables }: Choice): string {
  return title.replace(/\$\{(\w+):text\}/g, (match, name) => {
    const { text, values } = variables[name] ?? {};
    return text ?? values?.[0] ?? match;
  });
}

/**
 * @param isWanted of variables; left out: all
 * @returns values of what varies and matters to this panel
 */
export function partOf(
  panel: Panel,
  { variables, varying }: Choice,
  isWanted: (name: string) => boolean = () => true,
): string[] {
  return varying
    .filter((name) => uses(panel, name) && isWanted(name))
    .map((name) => variables[name].values[0]);
}

/** @returns whether the variable matters to this panel */
export function uses({ targets = [] }: Panel, name: string): boolean {
  return targets.some(({ query }) => query.includes(`\${${name}:`));
}

/**
 * A snapshot for each of these: what varies in one panel alone is shown by copies of that panel.
 */
export function snapshotChoices(choices: Choice[], panels: Panel[]): Choice[] {
  const isShared = (name: string) => panels.filter((panel) => uses(panel, name)).length > 1;
  const own = choices.map((choice) => ({ ...choice, varying: choice.varying.filter(isShared) }));
  const key = ({ variables, varying }: Choice) =>
    JSON.stringify(varying.map((name) => variables[name].values));
  return [...Map.groupBy(own, key).values()].map(([first]) => first);
}
