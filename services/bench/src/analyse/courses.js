/**
 * What grows while a proxy carries a steady load: memory, sockets and descriptors over time.
 */
import { median } from "simple-statistics";
import { theilSen } from "../statistics/index.js";
import { ALPHA } from "./ranking.js";
import { CONFIDENCE, reasonsOf } from "./settings.js";
import { countsForMemory, lastAttempts } from "./slopes.js";

/** @import { CourseReading } from "../model/cell.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, Course, CoursePart, CourseRow, Setting } from "./types.js" */

const SECONDS_AN_HOUR = 3600;

/**
 * Neighbouring readings are alike, and as so many values of their own they would make an interval too narrow: what counts is the median of
 * each of so many parts of the phase, of which the first are left out, in which buffers and heaps reach their size.
 */
const BLOCKS = 12;
const WARM_UP_BLOCKS = 2;

/** @type {CoursePart["what"][]} */
const PARTS = ["usageBytes", "rssBytes", "tcpInUse", "descriptors"];

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {Course[]} of settings in which a course was recorded
 */
export function coursesOf({ plan }, settings, cells) {
  return settings.flatMap((setting) => {
    const own = cells.filter((cell) => cell.setting === setting.key);
    if (!own.some(({ record }) => record.course)) return [];
    const drawn = plan.proxies.length * PARTS.length;
    const rows = plan.proxies.map((proxy) =>
      rowOf(
        proxy,
        own.filter(({ record }) => record.proxy === proxy),
        // Of all that are told, one false growth at most in twenty runs (Bonferroni).
        1 - ALPHA / drawn,
      ),
    );
    return [{ setting, rows }];
  });
}

/**
 * @param {string} proxy
 * @param {AnalysedCell[]} cells of it
 * @param {number} confidence at which growth is told
 * @returns {CourseRow}
 */
function rowOf(proxy, cells, confidence) {
  const counted = lastAttempts(cells).filter(countsForMemory);
  const courses = counted.flatMap(({ record }) => (record.course ? [record.course] : []));
  const missing = courses.length > 0 ? [] : cells.flatMap(reasonsOf);
  return {
    proxy,
    missing,
    hours: courses.reduce((sum, course) => sum + lastOf(course) / SECONDS_AN_HOUR, 0),
    parts: PARTS.map((what) => partOf(what, courses, confidence)),
  };
}

/** @param {CourseReading[]} course */
function lastOf(course) {
  return course[course.length - 1]?.seconds ?? 0;
}

/**
 * @param {CoursePart["what"]} what
 * @param {CourseReading[][]} courses one a round
 * @param {number} confidence
 * @returns {CoursePart}
 */
function partOf(what, courses, confidence) {
  const perCourse = courses.map((course) => blocksOf(course, what));
  // Each round has a level of its own.
  const points = perCourse.flatMap((blocks) => {
    const level = blocks.length > 0 ? median(blocks.map(({ y }) => y)) : 0;
    return blocks.map(({ x, y }) => ({ x, y: y - level }));
  });
  const strict = theilSen(points, confidence)?.interval ?? null;
  const values = perCourse
    .map((blocks) => blocks.map(({ y }) => y))
    .filter((all) => all.length > 0);
  return {
    what,
    perHour: theilSen(points, CONFIDENCE),
    from: values.length > 0 ? median(values.map((all) => all[0])) : null,
    to: values.length > 0 ? median(values.map((all) => all[all.length - 1])) : null,
    grows: strict && strict[0] > 0,
  };
}

/**
 * @param {CourseReading[]} course
 * @param {CoursePart["what"]} what
 * @returns {{x: number, y: number}[]} x: hours since the first edge; empty where it could not be read
 */
function blocksOf(course, what) {
  const blocks = Map.groupBy(course, ({ seconds }) =>
    Math.min(BLOCKS - 1, Math.floor((BLOCKS * seconds) / lastOf(course))),
  );
  return [...blocks]
    .filter(([block]) => block >= WARM_UP_BLOCKS)
    .flatMap(([, own]) => {
      const values = own.flatMap((reading) => reading[what] ?? []);
      if (values.length === 0) return [];
      return [
        { x: median(own.map(({ seconds }) => seconds)) / SECONDS_AN_HOUR, y: median(values) },
      ];
    });
}
