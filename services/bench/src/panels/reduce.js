/**
 * Grafana's calculations: one value of all that a field has.
 *
 * @import { Panel } from "./dashboards.js"
 * @import { Shown } from "./frames.js"
 */
import { colourOf } from "./colours.js";

/** @type {Record<string, (values: any[]) => any>} of the values that there are, at least one */
const CALCULATIONS = {
  lastNotNull: (values) => values.at(-1),
  firstNotNull: (values) => values[0],
  sum: (values) => values.reduce((sum, value) => sum + value, 0),
  mean: (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  min: (values) => values.reduce((least, value) => Math.min(least, value)),
  max: (values) => values.reduce((most, value) => Math.max(most, value)),
  count: (values) => values.length,
};

/**
 * @param {any[]} values
 * @param {string} [calculation]
 * @returns {any} null: there are none
 * @throws {Error} when the calculation is not known here
 */
export function reduced(values, calculation = "lastNotNull") {
  const calculate = CALCULATIONS[calculation];
  if (!calculate) throw new Error(`./bench export does not know the calculation ${calculation}`);
  const present = values.filter((value) => value !== null);
  return present.length > 0 ? calculate(present) : null;
}

/**
 * @param {Panel} panel
 * @param {Shown[]} fields
 * @returns {{name: string, value: any, config: Record<string, any>, colour: string}[]} one for each series
 */
export function figuresOf(panel, fields) {
  const [calculation] = panel.options?.reduceOptions?.calcs ?? [];
  return fields
    .filter(({ field }) => field.type !== "time")
    .map(({ field, name, config }, index) => {
      const value = reduced(field.values, calculation);
      return { name, value, config, colour: colourOf(config, { index, value }) };
    });
}
