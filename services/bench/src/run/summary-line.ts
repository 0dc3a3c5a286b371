/**
 * The line `SUMMARY {…}` that every load ends with.
 */
import { UserError } from "../errors.ts";

/** what a summary must hold */
export type Shape = [path: string, expected: string, isValid: (value: any) => boolean][];

/**
 * @param stdout of a load, with or without Compose's prefixes
 * @param from by: whose line it is, in the message; writer: what should have written it
 * @returns of the last such line; null: the load ended without one
 * @throws {UserError} when that line is not of that shape
 */
export function readSummaryLine(
  stdout: string,
  shape: Shape,
  { by, writer }: { by: string; writer: string },
): any | null {
  const refuse = (why: string) =>
    new UserError(
      `${by} SUMMARY line cannot be read: ${why}`,
      `Expected the line that ${writer} writes: end the scenario's script with it.`,
    );
  const json = [...stdout.matchAll(/\bSUMMARY (\{.*)$/gm)].at(-1)?.[1];
  if (json === undefined) return null;
  let summary;
  try {
    summary = JSON.parse(json);
  } catch (error) {
    throw refuse(`${(error as Error).message}: ${json.slice(0, 200)}`);
  }
  for (const [path, expected, isValid] of shape) {
    const value = path.split(".").reduce((object, key) => object?.[key], summary);
    if (!isValid(value))
      throw refuse(`"${path}" is ${JSON.stringify(value) ?? "missing"}, expected ${expected}`);
  }
  return summary;
}

export function isObject(value: unknown) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isCount(value: unknown) {
  return Number.isInteger(value) && Number(value) >= 0;
}

export function isCounts(value: any) {
  return isObject(value) && Object.values(value).every(isCount);
}

export function isNumbers(value: any) {
  return isObject(value) && Object.values(value).every(Number.isFinite);
}
