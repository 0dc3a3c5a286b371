/**
 * What a results.json must hold: results.schema.json, which documents it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { UserError } from "../errors.js";
import { upgradeResults } from "./upgrade.js";

/** @import { ValidateFunction } from "ajv/dist/2020.js" */
/** @import { Results } from "./types.js" */

const schema = JSON.parse(readFileSync(join(import.meta.dirname, "results.schema.json"), "utf8"));
const ajv = new Ajv2020({ allowUnionTypes: true }).addSchema(schema, "results");
const validate = /** @type {ValidateFunction} */ (ajv.getSchema("results"));

/**
 * @param {"survivalOfLoad" | "storm" | "slowReadersOfLoad"} name of a definition in results.schema.json
 * @param {unknown} value
 * @returns {boolean}
 */
export function isDefinedAs(name, value) {
  const isValid = /** @type {ValidateFunction} */ (ajv.getSchema(`results#/$defs/${name}`));
  return isValid(value) === true;
}

/**
 * @param {unknown} read of this version or of an earlier one
 * @param {string} file for the message
 * @returns {Results} a new one, as this version writes it: keys that it has added are null where they are missing
 * @throws {UserError} that names the first place which is not as it should be
 */
export function validateResults(read, file) {
  const results = upgradeResults(read, file);
  if (validate(results)) return withNewKeys(/** @type {Results} */ (results));
  const [{ instancePath, message, params }] = validate.errors ?? [];
  throw new UserError(
    `${file} is not a results file: ${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
    "Expected what services/bench/src/record/results.schema.json describes: made by this version of ./bench run.",
  );
}

/**
 * @param {Results} results
 * @returns {Results} with null for what a run of an earlier version could not have
 */
function withNewKeys(results) {
  // A key that is there keeps its place: a report made again from the record is the same to the byte.
  const cells = results.cells.map((cell) => ({
    ...cell,
    requests: cell.requests ?? null,
    requestMs: cell.requestMs ?? null,
  }));
  return { ...results, cells };
}
