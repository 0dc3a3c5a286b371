/**
 * Every latency of a published run, in a tenth of the room: sorted within each second they differ
 * by little, and three digits are what reports tell and HdrHistogram keeps by default. All six
 * would take three times as much.
 */

const HEADER = "metric,ms,value";
const PACKED_HEADER = "metric,second,us";
/** At most half a unit of the third is lost: 0.5 % of 1.00. */
const SIGNIFICANT_DIGITS = 3;

/**
 * @param csv `latencies.csv` of a cell: columns `metric`, `ms` since the first sample, and `value`
 *   in ms with three decimals
 * @returns columns `metric`, `second` since the first sample, and `us`: all of that second in
 *   ascending order, the first in µs, each further one as what it is more than the one before. Each
 *   is rounded to three significant digits; when in its second it was, is left out
 * @throws {Error} when it has other columns
 */
export function packedLatencies(csv: string): string {
  const [header, ...rows] = csv.trimEnd().split("\n");
  if (header !== HEADER) throw new Error(`latencies.csv has the columns ${header}, not ${HEADER}`);
  /** µs by metric and second */
  const seconds: Map<string, number[]> = new Map();
  for (const row of rows) {
    const [metric, ms, value] = row.split(",", 3);
    const key = `${metric},${Math.floor(Number(ms) / 1000)}`;
    const own = seconds.get(key);
    const us = Math.round(Number((Number(value) * 1000).toPrecision(SIGNIFICANT_DIGITS)));
    if (own) own.push(us);
    else seconds.set(key, [us]);
  }
  const packed = [...seconds].map(([key, values]) => `${key},${differences(values).join(" ")}`);
  return `${[PACKED_HEADER, ...packed].join("\n")}\n`;
}

function differences(values: number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.map((value, i) => (i === 0 ? value : value - sorted[i - 1]));
}
