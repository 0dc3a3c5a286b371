/**
 * What a run is called: it is a folder of results/, a tag in InfluxDB and a value of the
 * dashboards' variables, everywhere the same.
 */
import { UserError } from "../errors.ts";

/** Of a run, or of what stands behind its time. */
export const RUN_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const RUN_NAME_EXPECTED = "letters, digits, - _ . (64 at most, the first a letter or digit)";

/**
 * @param at its start
 * @returns `2026-11-21T00-00-09Z`, UTC; no colon, which a folder must not have on every system
 */
export function runNameAt(at: Date = new Date()): string {
  return at
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(":", "-");
}

/**
 * @param name that a person chose, as RUN
 * @throws {UserError} when it cannot be the name of a folder everywhere
 */
export function refuseRunName(name: string) {
  if (RUN_NAME.test(name)) return;
  throw new UserError(
    `RUN=${name} cannot be the name of a run: it is also the name of a folder`,
    `Expected ${RUN_NAME_EXPECTED}, such as ${folderOf(name).slice(0, 64) || runNameAt()}; or no RUN for the time of the start.`,
  );
}

/**
 * @param name of a run; those of `docker compose up` had colons in them until 2026-11
 * @returns the folder of results/ for it: the name itself, but for what a folder cannot have
 */
export function folderOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "");
}
