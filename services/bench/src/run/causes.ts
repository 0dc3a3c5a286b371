/**
 * What logs say about requests that went wrong.
 */

import type { Requests } from "../model/load.ts";

/** This many lines are kept: the first of them tells. */
const KEPT = 5;
const LINE_CHARACTERS = 300;

export type Log = { service: string; text: string };

/**
 * @param logs of the measured phase; where there were more than the engine keeps, the counts are of
 *   its end
 * @returns lines that differ in more than numbers and addresses, the most frequent first
 */
export function causesIn(logs: readonly Log[]): Requests["causes"] {
  const found: Map<string, Requests["causes"][number]> = new Map();
  for (const { service, text } of logs) {
    for (const raw of text.split("\n")) {
      const line = normalised(raw);
      if (!line) continue;
      const key = `${service}\n${line}`;
      const known = found.get(key);
      if (known) known.count += 1;
      else found.set(key, { service, line, count: 1 });
    }
  }
  return [...found.values()].sort((a, b) => b.count - a.count).slice(0, KEPT);
}

const MOMENT = /\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?/g;
const IPV6 = /\b[0-9a-f]+:(?:[0-9a-f]*:)+[0-9a-f]*/gi;
const NUMBER = /\b(?:0x[0-9a-f]+|\d+(?:[.:/]\d+)*)\b/gi;

/**
 * @returns with an N for each number and each address, so that lines about the same thing are the
 *   same
 */
function normalised(line: string): string {
  return line
    .replace(MOMENT, "N")
    .replace(IPV6, "N")
    .replace(NUMBER, "N")
    .trim()
    .slice(0, LINE_CHARACTERS);
}
