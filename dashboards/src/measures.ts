/** Measures in Grafana's terms: the same titles as in the report. */
import { MEASURES } from "../../services/bench/src/analyse/measures.ts";
import { measureTitle } from "../../services/bench/src/analyse/questions.ts";

/** Cores in use: CPU seconds per second. */
export const CORES = "suffix:cores";

/** Turns a measure's key in a table into its title. */
export const MEASURE_TITLES = {
  type: "value",
  options: Object.fromEntries(
    MEASURES.map((measure, index) => [measure.key, { text: measureTitle(measure), index }]),
  ),
};
