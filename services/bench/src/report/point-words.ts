/** What points for InfluxDB say in words: as in the report. */
import type { Flag } from "../model/flag.ts";
import { comparedWords } from "./compare-text.ts";
import { figureWords } from "./table.ts";
import { flagText } from "./text.ts";

export const POINT_WORDS = {
  flag: (flag: Flag) => flagText(flag, (proxy) => proxy),
  figures: figureWords,
  compared: comparedWords,
};
