/**
 * From InfluxDB's answer to what a panel shows: frames as Grafana's data source makes them, then the panel's transformations,
 * then the look of each field.
 *
 * @import { Series } from "../platform/influx.js"
 * @import { Panel, Target } from "./dashboards.js"
 *
 * @typedef {object} Field a column
 * @property {string} name
 * @property {"time" | "number" | "string" | "boolean"} type
 * @property {any[]} values times in ms since 1970; null: there is none
 * @property {Record<string, string>} [labels] tags of its series
 * @property {Record<string, any>} [config] its name as `displayNameFromDS`
 *
 * @typedef {{refId?: string, name?: string, fields: Field[]}} Frame fields of equal length
 *
 * @typedef {object} Shown a field as the panel shows it
 * @property {Field} field
 * @property {Frame} frame
 * @property {string} name
 * @property {Record<string, any>} config unit, colour …: the panel's defaults, and its overrides for this field
 */

/**
 * @param {Target} target
 * @param {Series[]} series its answer
 * @returns {Frame[]} a series each; of a table, one
 */
export function framesOf({ refId, alias = "", resultFormat = "time_series" }, series) {
  if (resultFormat === "table") return series.length > 0 ? [tableOf(refId, series)] : [];
  return series.flatMap((one) =>
    one.columns.slice(1).map((column, i) => {
      const name = alias ? aliased(alias, one, column) : usualName(one, column);
      const values = one.values.map((row) => row[i + 1]);
      /** @type {Field[]} */
      const fields = [
        { name: "Time", type: "time", values: one.values.map(([time]) => time) },
        {
          name: "Value",
          type: typeOf(values),
          values,
          labels: one.tags,
          config: { displayNameFromDS: name },
        },
      ];
      return { refId, name, fields };
    }),
  );
}

/**
 * @param {string} refId
 * @param {Series[]} series
 * @returns {Frame} time, tags, columns
 */
function tableOf(refId, series) {
  const [first] = series;
  const tags = Object.keys(first.tags);
  const rows = series.flatMap((one) =>
    one.values.map(([time, ...values]) => [time, ...tags.map((tag) => one.tags[tag]), ...values]),
  );
  const names = [first.columns[0], ...tags, ...first.columns.slice(1)];
  const fields = names.map((name, i) => {
    const values = rows.map((row) => row[i] ?? null);
    /** @type {Field} */
    const field =
      name === "time"
        ? { name: "Time", type: "time", values }
        : { name, type: typeOf(values), values };
    return field;
  });
  return { refId, fields };
}

/** @param {any[]} values */
function typeOf(values) {
  const found = typeof values.find((value) => value !== null);
  return found === "string" || found === "boolean" ? found : "number";
}

/**
 * @param {string} alias
 * @param {Series} series
 * @param {string} column
 */
function aliased(alias, { name, tags }, column) {
  return alias.replace(/\$(\w+)|\[\[(\w+)\]\]/g, (match, bare, bracketed) => {
    const group = bare ?? bracketed;
    if (group === "m" || group === "measurement") return name;
    if (group === "col") return column;
    return group.startsWith("tag_") ? (tags[group.slice(4)] ?? match) : match;
  });
}

/**
 * @param {Series} series
 * @param {string} column
 */
function usualName({ name, tags }, column) {
  const texts = Object.entries(tags).map(([key, value]) => `${key}: ${value}`);
  return `${name}.${column}${texts.length > 0 ? ` {${texts.join(", ")}}` : ""}`;
}

/**
 * @param {Frame[]} frames
 * @param {Panel} panel
 * @returns {Shown[]} every field of every frame, in their order
 */
export function shownFields(frames, { fieldConfig }) {
  const { defaults = {}, overrides = [] } = fieldConfig ?? {};
  return frames.flatMap((frame) =>
    frame.fields.map((field) => {
      const config = { ...structuredClone(defaults), ...field.config };
      const name = displayName(field, frame, config);
      for (const { matcher, properties } of overrides) {
        if (!matches(matcher, field, frame, name)) continue;
        for (const { id, value } of properties) setPath(config, id, value);
      }
      return { field, frame, name: displayName(field, frame, config), config };
    }),
  );
}

/**
 * @param {Field} field
 * @param {Frame} frame
 * @param {Record<string, any>} config
 * @returns {string}
 */
function displayName(field, frame, { displayName, displayNameFromDS }) {
  if (field.type === "time") return field.name;
  if (displayName) return displayName;
  return displayNameFromDS ?? field.name ?? frame.name ?? "";
}

/**
 * @param {{id: string, options: any}} matcher
 * @param {Field} field
 * @param {Frame} frame
 * @param {string} name
 * @throws {Error} when the matcher is not known
 */
function matches({ id, options }, field, frame, name) {
  switch (id) {
    case "byName":
      return name === options;
    case "byRegexp":
      return expression(options).test(name);
    case "byType":
      return field.type === options;
    case "byFrameRefID":
      return frame.refId === options;
    default:
      throw new Error(`./bench export does not know the matcher ${id} of a field override`);
  }
}

/**
 * @param {string} text `/pattern/flags`, or a pattern
 * @returns {RegExp}
 */
export function expression(text) {
  const [, pattern, flags] = /^\/(.*)\/([gimsuy]*)$/s.exec(text) ?? [];
  return new RegExp(pattern ?? text, flags?.replace("g", ""));
}

/**
 * @param {Record<string, any>} config
 * @param {string} path such as `custom.lineWidth`
 * @param {unknown} value
 */
function setPath(config, path, value) {
  const keys = path.split(".");
  const last = /** @type {string} */ (keys.pop());
  let place = config;
  for (const key of keys) place = place[key] = { ...place[key] };
  place[last] = value;
}
