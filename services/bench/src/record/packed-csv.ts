/**
 * CSV of counters in a third of the room: readings of one thing stand one after the other, a line a
 * column, each as what it is more than the one before.
 */

/** Before names of columns, and values of them, that tell apart what was read. */
const MARK = "=";

/**
 * @param csv with a header; columns in which a value is no number tell the things apart that were
 *   read
 * @returns the header, with `=` before those columns; then of each thing a line `=` with what it
 *   is, and a line for each other column: how many decimals its values have, a colon, the first
 *   value without its decimal point, and the differences; nothing between two commas: no value
 * @throws {Error} when a value has more digits than a number holds
 */
export function packedCsv(csv: string): string {
  const [header, ...lines] = csv.trimEnd().split("\n");
  const rows = lines.map((line) => line.split(","));
  const names = header.split(",");
  const isKey = names.map((_, column) => rows.some((row) => !Number.isFinite(Number(row[column]))));
  const keys = indicesOf(isKey, true);
  const numbers = indicesOf(isKey, false);
  const things = Map.groupBy(rows, (row) => keys.map((column) => row[column]).join(","));
  const packed = [...things].flatMap(([thing, own]) => [
    `${MARK}${thing}`,
    ...numbers.map((column) => packedColumn(own.map((row) => row[column]))),
  ]);
  const marked = names.map((name, column) => `${isKey[column] ? MARK : ""}${name}`);
  return `${[marked.join(","), ...packed].join("\n")}\n`;
}

/** @returns where it is */
function indicesOf(list: boolean[], wanted: boolean): number[] {
  return list.flatMap((value, i) => (value === wanted ? [i] : []));
}

function packedColumn(values: string[]) {
  const decimals = Math.max(...values.map(decimalsOf));
  let before = 0;
  const differences = values.map((value) => {
    if (value === "") return "";
    const scaled = Math.round(Number(value) * 10 ** decimals);
    if (!Number.isSafeInteger(scaled)) throw new Error(`${value} has too many digits to be packed`);
    const difference = scaled - before;
    before = scaled;
    return difference;
  });
  return `${decimals}:${differences.join(",")}`;
}

/** @param value as JavaScript writes numbers: `0.25`, `5e-7` */
function decimalsOf(value: string) {
  const [digits, power = "0"] = value.split("e");
  return Math.max(0, (digits.split(".")[1] ?? "").length - Number(power));
}

/**
 * @param packed by `packedCsv`
 * @returns the CSV, with the rows of each thing one after the other
 */
export function unpackedCsv(packed: string): string {
  const [header, ...lines] = packed.trimEnd().split("\n");
  const marked = header.split(",");
  const isKey = marked.map((name) => name.startsWith(MARK));
  const starts = lines.flatMap((line, i) => (line.startsWith(MARK) ? [i] : []));
  const rows = starts.flatMap((start, i) => {
    const keys = lines[start].slice(MARK.length).split(",");
    const columns = lines.slice(start + 1, starts[i + 1]).map(unpackedColumn);
    return columns[0].map((_, row) => {
      const [ofKeys, ofNumbers] = [keys.values(), columns.values()];
      return isKey
        .map((key) => (key ? ofKeys.next().value : ofNumbers.next().value?.[row]))
        .join(",");
    });
  });
  const names = marked.map((name, column) => (isKey[column] ? name.slice(MARK.length) : name));
  return `${[names.join(","), ...rows].join("\n")}\n`;
}

function unpackedColumn(line: string): string[] {
  const [decimals, differences] = line.split(":");
  let sum = 0;
  return differences.split(",").map((difference) => {
    if (difference === "") return "";
    sum += Number(difference);
    return String(sum / 10 ** Number(decimals));
  });
}
