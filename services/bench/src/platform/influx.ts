/**
 * The one module that knows InfluxDB 1.x: its queries and its line protocol.
 */
import { UserError } from "../errors.ts";

/** one series of an answer */
export interface Series {
  /** the measurement's */
  name: string;
  /** those that the query groups by */
  tags: Record<string, string>;
  columns: string[];
  /** a row each; times in ms since 1970 */
  values: any[][];
}

export interface Point {
  measurement: string;
  /** one without a value is left out, as InfluxDB knows no empty tag */
  tags?: Record<string, string>;
  /**
   * a number is written as a float, a bigint as an integer: a field keeps the type of its first
   * value, so 1 must not become an integer where 1.5 may follow
   */
  fields: Record<string, number | bigint | string | boolean>;
  /** since 1970; a fraction is rounded */
  ms: number;
}

/** Its address for containers in the project's network. */
export const INFLUXDB_URL = "http://influxdb:8086";

export class Influx {
  #url: string;
  #timeoutMs: number;

  /**
   * @param url such as INFLUXDB_URL
   * @param options of each request
   */
  constructor(url: string, { timeoutMs = 10_000 }: { timeoutMs?: number } = {}) {
    this.#url = url;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param query InfluxQL, one statement or several
   * @param options where the query names none
   * @returns of all statements, in their order
   * @throws {UserError} when InfluxDB does not answer
   * @throws {Error} when it refuses the query
   */
  async query(query: string, { database = "" }: { database?: string } = {}): Promise<Series[]> {
    const form = new URLSearchParams({ q: query, db: database, epoch: "ms" });
    // POST may do all that GET may, and CREATE or DROP too.
    const { status, text } = await this.#post("/query", form, query);
    const { results = [], error } = parse(text) ?? { error: `status ${status}: ${text}` };
    const refusal = error ?? results.find((result: any) => result.error)?.error;
    if (refusal) throw new Error(`InfluxDB refuses a query: ${refusal}; the query: ${query}`);
    return results.flatMap((result: any) =>
      (result.series ?? []).map(({ name = "", tags = {}, columns, values = [] }: any) => ({
        name,
        tags,
        columns,
        values,
      })),
    );
  }

  /**
   * @throws {UserError} when InfluxDB does not answer
   * @throws {Error} when it refuses a point, or one cannot be written
   */
  async write(database: string, points: Point[]) {
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
   * Does nothing when it is there. Points are kept for ever: a run is small, and one of last year
   * may be looked at again.
   */
  async createDatabase(name: string) {
    await this.query(`CREATE DATABASE ${identifier(name)}`);
  }

  /**
   * Does nothing when there are none.
   *
   * @param tags at least one; points that have all of them are removed
   */
  async remove(database: string, measurement: string, tags: Record<string, string>) {
    const conditions = Object.entries(tags).map(
      ([name, value]) => `${identifier(name)} = '${value.replace(/['\\]/g, "\\$&")}'`,
    );
    await this.query(`DELETE FROM ${identifier(measurement)} WHERE ${conditions.join(" AND ")}`, {
      database,
    });
  }

  /** @returns ms for which its default retention policy keeps a point; older ones are refused */
  async keptMs(database: string): Promise<number> {
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
   * @returns names
   * @throws {UserError} when InfluxDB does not answer
   */
  async databases(): Promise<string[]> {
    return (await this.query("SHOW DATABASES")).flatMap(({ values }) => values.flat());
  }

  /** @param about what to name in an error */
  async #post(path: string, body: string | URLSearchParams, about: string) {
    try {
      const response = await fetch(new URL(path, this.#url), {
        method: "POST",
        body,
        // A connection kept alive would lead to a container that is gone when the next of its name
        // has come.
        headers: { connection: "close" },
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      const { name, message, cause } = error as Error;
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
 * A point as a line, without its line break. Escapes as the reference of InfluxDB 1.x says: comma,
 * space and (but in a measurement) equals sign; in a string, quote and backslash. What has no
 * escape is refused: InfluxDB would store something else, or nothing, without a word.
 * https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/
 *
 * @returns its time in ms
 * @throws {Error} when it cannot be written
 */
export function lineOf({ measurement, tags = {}, fields, ms }: Point): string {
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

/** @param name of a database, measurement or tag, in a query */
function identifier(name: string) {
  return `"${name.replace(/["\\]/g, "\\$&")}"`;
}

// What InfluxDB 1.6 cannot be given, by experiment: nothing at all, a line break, a backslash
// before a delimiter (in a tag, only at its end), and a measurement that looks like a comment.
const NO_TAG = /^$|[\n\r]|\\$/;
const NO_FIELD = /^$|[\n\r]|\\(?=[,= ]|$)/;
const NO_MEASUREMENT = new RegExp(`^#|${NO_FIELD.source}`);

function escaped(text: string, impossible: RegExp, special: RegExp = /[,= ]/g) {
  if (impossible.test(text)) {
    throw new Error(`InfluxDB cannot hold the name or tag ${JSON.stringify(text)}`);
  }
  return text.replace(special, "\\$&");
}

function literal(value: Point["fields"][string]) {
  if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
  if (typeof value === "bigint") return `${value}i`;
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new Error(`InfluxDB cannot hold the number ${value}`);
  }
  return String(value);
}

/** @returns undefined: it is not JSON */
function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
