/**
 * Grafana's transformations, those that the dashboards use: they stand between the answer to the queries and the panel.
 * https://grafana.com/docs/grafana/latest/panels-visualizations/query-transform-data/transform-data/
 *
 * @import { Field, Frame } from "./frames.js"
 * @import { Panel } from "./dashboards.js"
 */
import { expression } from "./frames.js";

/** @type {Record<string, (frames: Frame[], options: any) => Frame[]>} */
const TRANSFORMATIONS = {
  renameByRegex: (frames, { regex, renamePattern }) =>
    frames.map((frame) => ({
      ...frame,
      fields: frame.fields.map((field) => {
        if (field.type === "time") return field;
        const displayName = nameOf(field).replace(expression(regex), renamePattern);
        return displayName === nameOf(field)
          ? field
          : { ...field, config: { ...field.config, displayName } };
      }),
    })),

  organize: (frames, { excludeByName = {}, renameByName = {}, indexByName = {}, ...unknown }) => {
    const others = [renameByName, indexByName, unknown].flatMap(Object.keys);
    if (others.length > 0)
      throw new Error(`./bench export knows of the transformation organize excludeByName alone`);
    return frames.map((frame) => ({
      ...frame,
      fields: frame.fields.filter((field) => !excludeByName[nameOf(field)]),
    }));
  },
};

/**
 * @param {Frame[]} frames
 * @param {Panel} panel
 * @returns {Frame[]}
 * @throws {Error} when one of its transformations is not known here
 */
export function transformed(frames, { transformations = [] }) {
  return transformations.reduce((before, { id, options = {} }) => {
    const transform = TRANSFORMATIONS[id];
    if (!transform) throw new Error(`./bench export does not know the transformation ${id}`);
    return transform(before, options);
  }, frames);
}

/**
 * @param {Field} field
 * @returns {string} as people see it
 */
function nameOf({ name, config }) {
  return config?.displayName ?? config?.displayNameFromDS ?? name;
}
