/**
 * What a picture shows, in one line below it: so that it can be read away from the page that it was on.
 *
 * @import { Meaning, Parameters, ScenarioDescription, Scheme } from "../model/plan.ts"
 * @import { Panel } from "./dashboards.js"
 * @import { Run } from "./runs.js"
 * @import { Choice } from "./variables.js"
 */
import { number } from "../numbers.js";
import { schemeName } from "../plan/workload.js";
import { time } from "../render/model.js";
import { inReadingOrder, list, meaningOf, parameterText } from "../render/words.js";
import { PART } from "./picture.js";
import { uses } from "./variables.js";

/**
 * @typedef {object} Load what a proxy was put under
 * @property {string} proxy
 * @property {string} scenario
 * @property {Scheme} scheme
 * @property {Parameters | null} parameters null: they are not known
 * @property {ScenarioDescription | null} description of the scenario; null: it is not known
 * @property {string} [setting] as the variable of that name has it
 */

/** Of how a load is watched; all else that a parameter may mean says what it does. @type {(Meaning | undefined)[]} */
const ASIDE = [undefined, "timeoutSeconds", "settleSeconds"];
/** Variables that a caption says in its own way. */
const TOLD = ["run", "setting"];

/**
 * @param {Run} run
 * @param {object} [shown] none: all of the run
 * @param {Panel} shown.panel
 * @param {Choice} shown.choice
 * @returns {string} run, proxies, schemes, load and date
 */
export function captionOf({ name, startedMs, loads }, shown) {
  const setting = shown && uses(shown.panel, "setting") ? valueOf(shown.choice, "setting") : "";
  const own = loads.filter((load) => !setting || load.setting === setting);
  const others = Object.keys(shown?.choice.variables ?? {})
    .filter((key) => !TOLD.includes(key) && shown && uses(shown.panel, key))
    .flatMap((key) => {
      const value = shown && valueOf(shown.choice, key);
      return value ? [`${key} ${value}`] : [];
    });
  return [
    `run ${name}`,
    ...others,
    // The plan's order is drawn by lot.
    distinct(own.map(({ proxy }) => proxy))
      .sort()
      .join(", "),
    distinct(own.map(schemeOf)).sort().join(", "),
    [...Map.groupBy(own, ({ scenario }) => scenario)]
      .map(([scenario, alike]) => [`${scenario}:`, loadText(alike)].join(" "))
      .join("; ")
      // Nothing is known but its name.
      .replace(/: (?=;|$)/g, ""),
    time(new Date(startedMs).toISOString()),
  ]
    .filter(Boolean)
    .join(PART);
}

/**
 * @param {Choice} choice
 * @param {string} name of a variable
 * @returns {string} empty: it has no value, or all
 */
function valueOf({ variables }, name) {
  const { values, all } = variables[name] ?? { values: [] };
  return all ? "" : values.filter(Boolean).join(", ");
}

/** @param {Load} load */
function schemeOf({ scheme, description }) {
  return description ? schemeName({ scheme, workload: description }) : scheme;
}

/**
 * @param {Load[]} loads of one scenario
 * @returns {string} its main parameters, with every value that one of the loads has
 */
function loadText(loads) {
  const known = loads.map(({ parameters }) => parameters ?? {});
  const [{ description }] = loads;
  const all = distinct(known.flatMap(Object.keys));
  const names = description
    ? inReadingOrder(description, all).filter(
        (name) => !ASIDE.includes(meaningOf(description, name)),
      )
    : all;
  return names
    .map((name) => {
      const values = distinct(known.flatMap((parameters) => parameters[name] ?? []));
      return valuesText(
        (value) => parameterText(description, name, value),
        values.sort((a, b) => a - b),
      );
    })
    .join(", ");
}

/**
 * @param {(value: number) => string} textOf a parameter
 * @param {number[]} values at least one
 * @returns {string} `100 at a time`, `1,000 and 5,000 connections`, `full handshakes and resumed handshakes`
 */
function valuesText(textOf, values) {
  const texts = values.map(textOf);
  const last = values[values.length - 1];
  const text = texts[texts.length - 1];
  const figure = number(last);
  const isFigured = values.every((value, i) => texts[i].replace(number(value), figure) === text);
  return isFigured && text.includes(figure)
    ? text.replace(figure, list(values.map(number)))
    : list(texts);
}

/**
 * @template T
 * @param {T[]} values
 * @returns {T[]} each once, in their order
 */
function distinct(values) {
  return [...new Set(values)];
}
