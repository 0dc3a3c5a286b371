/**
 * Parameters come from the environment, one name each, checked before any load starts.
 */

/**
 * Collected while a script reads its parameters, so that one start names every mistake.
 *
 * @type {string[]}
 */
const mistakes = [];

/**
 * @param {string} name
 * @param {number} fallback used when the variable is unset or empty
 * @param {{min?: number, max?: number}} [range] both ends are allowed values
 * @returns {number} a whole number
 */
export function integer(name, fallback, range) {
  return numeric(name, fallback, { pattern: /^\d+$/, kind: "a whole number", ...range });
}

/**
 * @param {string} name
 * @param {number} fallback used when the variable is unset or empty
 * @param {{min?: number, max?: number}} [range] both ends are allowed values
 * @returns {number} may have a fraction
 */
export function decimal(name, fallback, range) {
  return numeric(name, fallback, { pattern: /^\d+(\.\d+)?$/, kind: "a number", ...range });
}

/**
 * @param {string} name
 * @param {number} fallback
 * @param {{pattern: RegExp, kind: string, min?: number, max?: number}} expected
 */
function numeric(name, fallback, { pattern, kind, min = 1, max = 1e9 }) {
  const text = __ENV[name];
  if (!text) return fallback;
  const value = Number(text);
  if (pattern.test(text) && value >= min && value <= max) return value;
  mistakes.push(`${name}=${text}: expected ${kind} from ${min} to ${max}`);
  return fallback;
}

/**
 * @param {string} name
 * @param {number} fallback used when the variable is unset or empty
 * @param {number[]} values that it may have
 * @returns {number}
 */
function oneOf(name, fallback, values) {
  const text = __ENV[name];
  if (!text) return fallback;
  const value = values.find((allowed) => String(allowed) === text);
  if (value !== undefined) return value;
  mistakes.push(`${name}=${text}: expected ${values.join(" or ")}`);
  return fallback;
}

/**
 * Parameters of a scenario, as the JSON file beside its script lists them. The runner of battles reads the same file.
 *
 * @param {string} json content of the file
 * @returns {Record<string, number>}
 */
export function parametersOf(json) {
  /** @type {Record<string, {type?: "integer" | "number", default: number, min?: number, max?: number, values?: number[], atMost?: string}>} */
  const table = JSON.parse(json).parameters;
  const values = Object.fromEntries(
    Object.entries(table).map(([name, { type, default: fallback, min, max, values }]) => {
      if (values) return [name, oneOf(name, fallback, values)];
      const read = type === "number" ? decimal : integer;
      return [name, read(name, fallback, { min, max })];
    }),
  );
  for (const [name, { atMost }] of Object.entries(table)) {
    if (atMost && values[name] > values[atMost])
      mistakes.push(
        `${name}=${values[name]}: expected at most ${atMost}, which is ${values[atMost]}`,
      );
  }
  return values;
}

/**
 * @param {string} name
 * @param {string[]} allowed the first is the default
 * @returns {string}
 */
export function choice(name, allowed) {
  const text = __ENV[name] || allowed[0];
  if (allowed.includes(text)) return text;
  mistakes.push(`${name}=${text}: expected ${allowed.join(" or ")}`);
  return allowed[0];
}

/** Ends the script, before any load, when a parameter was wrong. */
export function refuseMistakes() {
  if (mistakes.length === 0) return;
  throw new Error(
    `no load was started: ${mistakes.join("; ")}. Set them in the environment or in .env`,
  );
}
