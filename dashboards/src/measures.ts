/**
 * What the report says of a measure, in Grafana's terms: the same title, unit and description in
 * both.
 */
import {
  BytesIEC,
  Microseconds,
  Milliseconds,
  Percent,
  Seconds,
  Short,
} from "@grafana/grafana-foundation-sdk/units";
import { descriptionOf, measure, MEASURES } from "../../services/bench/src/analyse/measures.ts";

/** Cores in use: CPU seconds per second. */
export const CORES = "suffix:cores";

/** Grafana's unit by the report's */
const UNITS: Record<string, string> = {
  "": Short,
  "%": Percent,
  bytes: BytesIEC,
  cores: CORES,
  ms: Milliseconds,
  s: Seconds,
  µs: Microseconds,
};

/** @throws {Error} when there is no such measure, or its unit is none that is known here */
export function panelOf(key: string): { title: string; unit: string; description: string } {
  const { title, unit, better } = measure(key);
  const known = UNITS[unit];
  if (known === undefined) throw new Error(`measure ${key} has the unit ${unit}, unknown here`);
  return { title, unit: known, description: `${descriptionOf(key)} ${BETTER[better]}` };
}

const BETTER = { higher: "More is better.", lower: "Less is better." };

/** Turns a measure's key in a table into its title. */
export const MEASURE_TITLES = {
  type: "value",
  options: Object.fromEntries(
    MEASURES.map(({ key, title }, index) => [key, { text: title, index }]),
  ),
};
