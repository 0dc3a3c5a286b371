/**
 * Puts into a query what Grafana would put there: macros, the time range, variables.
 *
 * A variable of several values, or with "All", stands in a query as a regular expression, the others as their value, as Grafana's
 * data source for InfluxQL has it. https://grafana.com/docs/grafana/latest/dashboards/variables/variable-syntax/
 */

/**
 * @typedef {object} Chosen what a variable has
 * @property {string[]} values
 * @property {string} [all] the expression that stands for all values; without it they are listed
 * @property {boolean} several whether it may have more than one
 *
 * @typedef {object} Context
 * @property {number} fromMs since 1970
 * @property {number} toMs
 * @property {number} intervalMs length of a step
 * @property {Record<string, Chosen>} variables by name
 */

/**
 * @param {string} text a query, or a title
 * @param {Context} context
 * @returns {string}
 * @throws {Error} that names a variable or format which nothing is known about
 */
export function interpolate(text, context) {
  const macros = macrosOf(context);
  const pattern = /\$\{(\w+)(?::([\w:]+))?\}|\[\[(\w+)(?::(\w+))?\]\]|\$(\w+)/g;
  return text.replace(pattern, (match, braced, format, bracketed, oldFormat, bare) => {
    const name = braced ?? bracketed ?? bare;
    const macro = macros[format ? `${name}:${format}` : name];
    if (macro !== undefined) return macro;
    const chosen = context.variables[name];
    if (chosen) return valueOf(chosen, format ?? oldFormat, match);
    // An alias has its own: $tag_proxy, $col.
    throw new Error(
      `nothing is known about ${match}; variables: ${Object.keys(context.variables).join(", ") || "none"}`,
    );
  });
}

/**
 * @param {Context} context
 * @returns {Record<string, string>}
 */
function macrosOf({ fromMs, toMs, intervalMs }) {
  const filter = `time >= ${fromMs}ms and time <= ${toMs}ms`;
  const seconds = (/** @type {number} */ ms) => String(Math.floor(ms / 1000));
  return {
    timeFilter: filter,
    __timeFilter: filter,
    interval: durationText(intervalMs),
    __interval: durationText(intervalMs),
    __interval_ms: String(intervalMs),
    __range: `${seconds(toMs - fromMs)}s`,
    __range_s: seconds(toMs - fromMs),
    __range_ms: String(toMs - fromMs),
    __from: String(fromMs),
    __to: String(toMs),
    "__from:date:seconds": seconds(fromMs),
    "__to:date:seconds": seconds(toMs),
    "__from:date": new Date(fromMs).toISOString(),
    "__to:date": new Date(toMs).toISOString(),
    "__from:date:iso": new Date(fromMs).toISOString(),
    "__to:date:iso": new Date(toMs).toISOString(),
  };
}

/**
 * @param {Chosen} chosen
 * @param {string | undefined} format
 * @param {string} match for an error
 */
function valueOf({ values, all, several }, format, match) {
  switch (format) {
    case undefined:
      return several ? (all ?? expressionOf(values)) : (values[0] ?? "");
    case "regex":
      return all ?? expressionOf(values);
    case "pipe":
      return all ?? values.join("|");
    case "raw":
    case "csv":
      return all ?? values.join(",");
    case "text":
      return all ? "All" : values.join(" + ");
    case "singlequote":
      return values.map((value) => `'${value.replaceAll("'", "\\'")}'`).join(",");
    default:
      throw new Error(`the format of ${match} is not one that ./bench export knows`);
  }
}

/**
 * @param {string[]} values
 * @returns {string} a regular expression that is each of them, and nothing else when there is none
 */
function expressionOf(values) {
  const escaped = values.map((value) => value.replace(/[\\^$*+?.()|[\]{}/]/g, "\\$&"));
  return escaped.length === 1 ? escaped[0] : `(${escaped.join("|")})`;
}

/** Steps that Grafana rounds to, in ms. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800].map((s) => s * 1000),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * 3_600_000),
];

/**
 * @param {number} rangeMs
 * @param {{points?: number, finest?: string}} [options] points: how many steps are wanted at most; finest: such as 1s or >1s
 * @returns {number} ms, rounded to a step that people read easily
 */
export function stepOf(rangeMs, { points = 1000, finest = "1ms" } = {}) {
  const wanted = Math.max(rangeMs / points, durationMs(finest));
  return STEPS_MS.find((step) => step >= wanted) ?? STEPS_MS[STEPS_MS.length - 1];
}

/** @type {Record<string, number>} */
const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** @param {string} text */
function durationMs(text) {
  const [, value, unit] = /^>?(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (!unit) throw new Error(`${text} is no length of time`);
  return Number(value) * UNITS_MS[unit];
}

/** @param {number} ms */
function durationText(ms) {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
