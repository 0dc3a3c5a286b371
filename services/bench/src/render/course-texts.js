/**
 * What grows over time under a steady load, in words and as a table.
 *
 * @import { Analysis, Course, CoursePart, CourseRow } from "../analyse/types.js"
 */
import { counted, figure, NONE, range } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { missingText } from "./findings.js";
import { amount, amountRange, list, settingTitle, titleOfProxy } from "./words.js";

/** What grows, its unit, and its column. @type {Record<CoursePart["what"], {title: string, noun: string, unit: string}>} */
const WORDS = {
  usageBytes: { title: "Memory", noun: "memory", unit: "bytes" },
  rssBytes: { title: "Anonymous memory", noun: "anonymous memory", unit: "bytes" },
  tcpInUse: { title: "Sockets", noun: "sockets", unit: "" },
  descriptors: { title: "Descriptors", noun: "descriptors", unit: "" },
};

/** The columns after the proxy's name. */
export const COURSE_COLUMNS = Object.values(WORDS).map(({ title }) => `${title}, more in an hour`);

/** How to read it. */
export const COURSE_NOTE =
  "Slopes over time (Theil–Sen) through the medians of ten parts of the phase, without its first sixth, in which heaps and buffers reach their size; in brackets the 95 % interval, and then the first and the last of those parts. It grows where the interval, widened for all figures of the table together, lies above 0.";

/**
 * @param {Pick<Analysis, "settings">} analysis
 * @param {Course} course
 */
export function courseTitle({ settings }, { setting }) {
  return settingTitle(setting, settings);
}

/**
 * @param {Pick<Analysis, "results">} analysis
 * @param {Course} course
 * @returns {string} what grows, of which proxy
 */
export function courseText({ results }, { rows }) {
  const told = rows.filter(({ proxy, missing }) => proxy !== CONTROL && missing.length === 0);
  const growing = told.flatMap((row) => {
    const parts = row.parts.filter(({ grows }) => grows);
    return parts.length > 0
      ? [`${titleOfProxy(results, row.proxy)}: ${list(parts.map(nounOf))}`]
      : [];
  });
  const hours = Math.max(0, ...told.map((row) => row.hours));
  const over = `over ${hours >= 1 ? counted(hours, "hour") : counted(60 * hours, "minute")}`;
  return growing.length > 0
    ? `Grows ${over}: ${growing.join("; ")}.`
    : `Nothing is seen to grow ${over}.`;
}

/** @param {CoursePart} part */
function nounOf({ what }) {
  return WORDS[what].noun;
}

/**
 * @param {Pick<Analysis, "results">} analysis
 * @param {Course} course
 * @returns {{proxy: string, title: string, isControl: boolean, cells: string[]}[]} cells: as COURSE_COLUMNS
 */
export function courseRows({ results }, { rows }) {
  return rows.map((row) => ({
    proxy: row.proxy,
    title: titleOfProxy(results, row.proxy),
    isControl: row.proxy === CONTROL,
    cells: row.parts.map((part, i) => cellText(row, part, i === 0)),
  }));
}

/**
 * @param {CourseRow} row
 * @param {CoursePart} part
 * @param {boolean} isFirst of the row, where it says what is missing
 */
function cellText({ missing }, { what, perHour, from, to, grows }, isFirst) {
  if (missing.length > 0) return isFirst ? missingText(missing) : NONE;
  if (!perHour || from === null || to === null) return NONE;
  const measure = WORDS[what];
  const { value, interval } = perHour;
  const ends = interval
    ? ` (${measure.unit ? amountRange(interval, value, measure) : range(interval, value, " to ")})`
    : "";
  const shown = (/** @type {number} */ one) => (measure.unit ? amount(one, measure) : figure(one));
  return `${shown(value)}${ends}, from ${shown(from)} to ${shown(to)}${grows ? ", grows" : ""}`;
}
