/**
 * The one module that knows InfluxDB 1.x: its queries and its line protocol.
 */
import { UserError } from "../errors.js";

/**
 * @typedef {object} Series one series of an answer
 * @property {string} name the measurement's
 * @property {Record<string, string>} tags those that the query groups by
 * @property {string[]} columns
 * @property {any[][]} values a row each; times in ms since 1970
 *
 * @typedef {object} Point
 * @property {string} measurement
 * @property {Record<string, string>} [tags] one without a value is left out, as InfluxDB knows no empty tag
 * @property {Record<string, number | bigint | string | boolean>} fields a number is written as a float, a bigint as an integer:
 *   a field keeps the type of its first value, so 1 must not become an integer where 1.5 may follow
 * @property {number} ms since 1970; a fraction is rounded
 */

/** Its address for containers in the project's network. */
export const INFLUXDB_URL = "http://influxdb:8086";

export class Influx {
  #url;
  #timeoutMs;

  /**
   * @param {string} url such as INFLUXDB_URL
   * @param {{timeoutMs?: number}} [options] of each request
   */
  constructor(url, { timeoutMs = 10_000 } = {}) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param {string} query InfluxQL, one statement or several
   * @param {{database?: string}} [options] where the query names none
   * @returns {Promise<Series[]>} of all statements, in their order
   * @throws {UserError} when InfluxDB does not answer
   * @throws {Error} when it refuses the query
   */
  async query(query, { database = "" } = {}) {
    const form = new URLSearchParams({ q: query, db: database, epoch: "ms" });
    // POST may do all that GET may, and CREATE or DROP too.
    const { status, text } = await this.#post("/query", form, query);
    const { results = [], error } = parse(text) ?? { error: `status ${status}: ${text}` };
    const refusal = error ?? results.find((/** @type {any} */ result) => result.error)?.error;
    if (refusal) throw new Error(`InfluxDB refuses a query: ${refusal}; the query: ${query}`);
    return results.flatMap((/** @type {any} */ result) =>
      (result.series ?? []).map(
        (/** @type {any} */ { name = "", tags = {}, columns, values = [] }) => ({
          name,
          tags,
          columns,
          values,
        }),
      ),
    );
  }

  /**
   * @param {string} database
   * @param {Point[]} points
   * @throws {UserError} when InfluxDB does not answer
   * @throws {Error} when it refuses a point, or one cannot be written
   */
  async write(database, points) {
    if (points.length === 0) return;
    const path = `/write?${new URLSearchParams({ db: database, precision: "ms" })}`;
    const lines = points.map(lineOf);
    const { status, text } = await this.#post(path, lines.join("\n"), lines[0]);
    if (status === 204) return;
    throw new Error(
      `InfluxDB refuses ${points.length} points for ${database}: ${parse(text)?.error ?? `status ${status}: ${text}`}; the first: ${lines[0]}`,
    );
  }

  /**
   * Does nothing when it is there. Points are kept for ever: a run is small, and one of last year may be looked at again.
   *
   * @param {string} name
   */
  async createDatabase(name) {
    await this.query(`CREATE DATABASE ${identifier(name)}`);
  }

  /**
   * Does nothing when there are none.
   *
   * @param {string} database
   * @param {string} measurement
   * @param {Record<string, string>} tags at least one; points that have all of them are removed
   */
  async remove(database, measurement, tags) {
    const conditions = Object.entries(tags).map(
      ([name, value]) => `${identifier(name)} = '${value.replace(/['\\]/g, "\\$&")}'`,
    );
    await this.query(`DELETE FROM ${identifier(measurement)} WHERE ${conditions.join(" AND ")}`, {
      database,
    });
  }

  /**
   * @param {string} database
   * @returns {Promise<number>} ms for which its default retention policy keeps a point; older ones are refused
   */
  async keptMs(database) {
    const series = await this.query(`SHOW RETENTION POLICIES ON ${identifier(database)}`);
    const policies = series.flatMap(({ columns, values }) =>
      values.map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]]))),
    );
    const duration = String(policies.find((policy) => policy.default)?.duration ?? "0s");
    const [, hours = 0, minutes = 0, seconds = 0] =
      duration.match(/^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/) ?? [];
    const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return ms > 0 ? ms : Infinity;
  }

  /**
   * @returns {Promise<string[]>} names
   * @throws {UserError} when InfluxDB does not answer
   */
  async databases() {
    return (await this.query("SHOW DATABASES")).flatMap(({ values }) => values.flat());
  }

  /**
   * @param {string} path
   * @param {string | URLSearchParams} body
   * @param {string} about what to name in an error
   */
  async #post(path, body, about) {
    try {
      const response = await fetch(new URL(path, this.#url), {
        method: "POST",
        body,
        // A connection kept alive would lead to a container that is gone when the next of its name has come.
        headers: { connection: "close" },
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const { name, message, cause } = /** @type {Error} */ (error);
      const why =
        name === "TimeoutError"
          ? `no answer within ${this.#timeoutMs / 1000} s`
          : String(cause ?? message);
      throw new UserError(
        `InfluxDB at ${this.#url}: ${why}; asked: ${about}`,
        "See its log: docker compose logs influxdb.",
      );
    }
  }
}

/**
 * A point as a line, without its line break. Escapes as the reference of InfluxDB 1.x says: comma, space and (but in a
 * measurement) equals sign; in a string, quote and backslash. What has no escape is refused: InfluxDB would store something
 * else, or nothing, without a word.
 * https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/
 *
 * @param {Point} point
 * @returns {string} its time in ms
 * @throws {Error} when it cannot be written
 */
export function lineOf({ measurement, tags = {}, fields, ms }) {
  // Sorted by key, as the reference advises.
  const tagSet = Object.entries(tags)
    .filter(([, value]) => value !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `,${escaped(key, NO_TAG)}=${escaped(value, NO_TAG)}`);
  const fieldSet = Object.entries(fields).map(
    ([key, value]) => `${escaped(key, NO_FIELD)}=${literal(value)}`,
  );
  if (fieldSet.length === 0) throw new Error(`a point of ${measurement} has no field`);
  if (!Number.isFinite(ms)) throw new Error(`a point of ${measurement} has the time ${ms}`);
  const name = escaped(measurement, NO_MEASUREMENT, /[, ]/g);
  return `${name}${tagSet.join("")} ${fieldSet.join(",")} ${Math.round(ms)}`;
}

/** @param {string} name of a database, measurement or tag, in a query */
function identifier(name) {
  return `"${name.replace(/["\\]/g, "\\$&")}"`;
}

// What InfluxDB 1.6 cannot be given, by experiment: nothing at all, a line break, a backslash before a delimiter (in a tag,
// only at its end), and a measurement that looks like a comment.
const NO_TAG = /^$|[\n\r]|\\$/;
const NO_FIELD = /^$|[\n\r]|\\(?=[,= ]|$)/;
const NO_MEASUREMENT = new RegExp(`^#|${NO_FIELD.source}`);

/**
 * @param {string} text
 * @param {RegExp} impossible
 * @param {RegExp} [special]
 */
function escaped(text, impossible, special = /[,= ]/g) {
  if (impossible.test(text)) {
    throw new Error(`InfluxDB cannot hold the name or tag ${JSON.stringify(text)}`);
  }
  return text.replace(special, "\\$&");
}

/** @param {Point["fields"][string]} value */
function literal(value) {
  if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
  if (typeof value === "bigint") return `${value}i`;
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new Error(`InfluxDB cannot hold the number ${value}`);
  }
  return String(value);
}

/**
 * @param {string} text
 * @returns {any} undefined: it is not JSON
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
