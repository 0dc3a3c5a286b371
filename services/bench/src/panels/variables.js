/**
 * What the variables of a dashboard stand for in an export, where nobody is there to choose.
 *
 * `run` is the run that is exported. Of the others, one that may be All is All. One that has a single value at a time, as the
 * setting has, takes each of its values in turn: a panel that uses it is exported once for each.
 *
 * @import { Chosen, Context } from "./interpolate.js"
 * @import { Dashboard, Panel, Variable } from "./dashboards.js"
 * @import { Series } from "../platform/influx.js"
 *
 * @typedef {object} Choice
 * @property {Record<string, Chosen>} variables
 * @property {string[]} varying names of those that have another value in another choice
 * @property {Variable[]} missing those that have no value for this run
 */
import { expression } from "./frames.js";
import { interpolate } from "./interpolate.js";

/**
 * @param {Dashboard} dashboard
 * @param {object} options
 * @param {Record<string, string>} options.given values by variable
 * @param {Omit<Context, "variables">} options.range
 * @param {(query: string) => Promise<Series[]>} options.ask
 * @returns {Promise<Choice[]>} at least one
 * @throws {Error} when a variable's query fails
 */
export async function choicesOf({ templating }, { given, range, ask }) {
  /** @type {Choice[]} */
  let choices = [{ variables: {}, varying: [], missing: [] }];
  for (const variable of templating?.list ?? []) {
    const next = await Promise.all(
      // A query may use the variables that stand before it.
      choices.map(async ({ variables, varying, missing }) => {
        const options = await optionsOf(variable, given, { ...range, variables }, ask);
        const isVarying = options.length > 1 ? [variable.name] : [];
        return (options.length > 0 ? options : [NO_VALUE]).map((chosen) => ({
          variables: { ...variables, [variable.name]: chosen },
          varying: [...varying, ...isVarying],
          missing: options.length > 0 ? missing : [...missing, variable],
        }));
      }),
    );
    choices = next.flat();
  }
  return choices;
}

/** Without a value it is the empty text, as in Grafana. */
const NO_VALUE = { values: [""], several: false };

/**
 * @param {Variable} variable
 * @param {Record<string, string>} given
 * @param {Context} context
 * @param {(query: string) => Promise<Series[]>} ask
 * @returns {Promise<Chosen[]>} what it stands for, one after the other; []: nothing
 */
async function optionsOf(variable, given, context, ask) {
  const { name, multi = false, includeAll = false, allValue } = variable;
  const several = multi || includeAll;
  if (name in given) return [{ values: [given[name]], several }];
  if (includeAll && allValue) return [{ values: [], all: allValue, several }];
  const values = await valuesOf(variable, context, ask);
  if (includeAll) return values.length > 0 ? [{ values, several }] : [];
  return values.map((value) => ({ values: [value], several }));
}

/**
 * @param {Variable} variable
 * @param {Context} context
 * @param {(query: string) => Promise<Series[]>} ask
 * @returns {Promise<string[]>}
 */
async function valuesOf({ type, query, current, regex, sort = 0 }, context, ask) {
  if (type !== "query") return [current?.value ?? query ?? ""].flat().map(String);
  const series = await ask(interpolate(typeof query === "string" ? query : query.query, context));
  // SHOW TAG VALUES answers with a key and beside it a value.
  const found = series.flatMap(({ columns, values }) =>
    values.map((row) => String(row[columns.indexOf("value")])),
  );
  const values = [...new Set(regex ? found.flatMap((value) => taken(value, regex)) : found)];
  if (sort > 0) values.sort((a, b) => a.localeCompare(b));
  return sort === DESCENDING ? values.reverse() : values;
}

/** How Grafana calls the reverse of the alphabetical order. */
const DESCENDING = 2;

/**
 * @param {string} value
 * @param {string} regex
 * @returns {string[]} its first group, where it matches
 */
function taken(value, regex) {
  const match = expression(regex).exec(value);
  return match ? [match[1] ?? match[0]] : [];
}

/**
 * @param {Panel} panel
 * @param {Choice} choice
 * @returns {string[]} values of what varies and matters to this panel
 */
export function partOf(panel, { variables, varying }) {
  return varying.filter((name) => uses(panel, name)).map((name) => variables[name].values[0]);
}

/**
 * @param {Panel} panel
 * @param {string} name of a variable
 * @returns {boolean} whether it matters to this panel
 */
export function uses({ title, targets = [] }, name) {
  const text = [title, ...targets.map(({ query }) => query)].join(" ");
  return new RegExp(`\\$\\{?${name}\\b|\\[\\[${name}\\b`).test(text);
}
