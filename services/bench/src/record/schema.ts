/**
 * Whether a results.json holds what model/record.ts says, and whether this version reads it.
 */
import { Compile } from "typebox/compile";
import { UserError } from "../errors.ts";
import { Results } from "../model/record.ts";
import type { TSchema } from "typebox";
import type { Validator } from "typebox/compile";

const SCHEMA = Results.properties.schema.const;

/** The last commit that reads each earlier schema. */
const LAST_READ_BY: Record<number, string> = { 1: "178da92" };

/** Compiled when first asked for: few commands read a record. */
const validators: Map<TSchema, Validator> = new Map();

function validatorOf(shape: TSchema) {
  const validator = validators.get(shape) ?? Compile(shape);
  validators.set(shape, validator);
  return validator;
}

/** @param shape of model/ */
export function fits(shape: TSchema, value: unknown) {
  return validatorOf(shape).Check(value);
}

/**
 * @param results as they were read
 * @param file for the message
 * @throws {UserError} that says what reads another schema, or the first place that is wrong
 */
export function validateResults(results: any, file: string): Results {
  if (Number.isInteger(results?.schema) && results.schema !== SCHEMA)
    throw ofAnotherSchema(results.schema, file);
  if (fits(Results, results)) return results;
  // A key too many is also told as `schema is false` of its own.
  const { instancePath, message, params } =
    validatorOf(Results)
      .Errors(results)
      .find(({ keyword }) => keyword !== "boolean") ?? {};
  throw new UserError(
    `${file} is not a results file: ${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
    "Expected the format of services/bench/src/model/record.ts, written by this version of ./bench run.",
  );
}

function ofAnotherSchema(schema: number, file: string) {
  const commit = LAST_READ_BY[schema];
  return new UserError(
    `${file} is of schema ${schema}; this version reads only schema ${SCHEMA}`,
    commit
      ? `Commit ${commit} reads it: git worktree add ../reads-schema-${schema} ${commit}, and run ./bench there. Or run the battle again.`
      : "Use the version of ./bench that wrote it, or a newer one; or run the battle again.",
  );
}
