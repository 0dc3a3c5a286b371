/** What points for InfluxDB say in words: as in the report. */
import type { Comparison, Figure } from "../model/comparison.ts";
import type { Flag } from "../model/flag.ts";
import { NONE } from "../numbers.ts";
import { comparedWords } from "./compare-text.ts";
import { flagText, isSkipped, missingText, MISSING_SHORT, scaleOf } from "./text.ts";

const asItIs = (proxy: string) => proxy;

export const POINT_WORDS = {
  flag: (flag: Flag) => flagText(flag, asItIs),

  figures({ measure, figures }: Comparison) {
    const values = figures.flatMap(({ estimate }) => estimate?.value ?? []);
    const { unit, of, ends } = scaleOf(measure, values);
    return ({ estimate, missing }: Pick<Figure, "estimate" | "missing">) => {
      if (estimate) {
        const interval = ends(estimate);
        return {
          figure: unit === "" ? of(estimate) : `${of(estimate)} ${unit}`,
          ...(interval && { interval }),
        };
      }
      const [first] = missing;
      const isTold = first && !isSkipped(first);
      const why = missing.map((each) => missingText(each, asItIs)).join("; ");
      return { figure: isTold ? MISSING_SHORT[first.kind] : NONE, ...(why && { why }) };
    };
  },

  compared: comparedWords,
};
