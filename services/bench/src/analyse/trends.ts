/** What grows with each hour of a steady load: memory, sockets and descriptors. */
import { median } from "simple-statistics";
import type { CourseReading } from "../model/cell.ts";
import type { Comparison, Figure, JudgedCell, Measure } from "../model/comparison.ts";
import { theilSen } from "../statistics/index.ts";
import { comparison, estimateOf, figure, ownMeasure } from "./figures.ts";
import { countsForMemory } from "./flags.ts";
import { ALPHA } from "./ranking.ts";
import { CONFIDENCE, lastAttempts, reasonsOf } from "./settings.ts";
import type { Run } from "./settings.ts";

const SECONDS_PER_HOUR = 3600;

/**
 * Neighbouring readings are alike, and as separate values they would make an interval
 * too narrow: what counts is the median of each of this many parts of the phase. The first are left
 * out, in which buffers and heaps reach their size.
 */
const BLOCKS = 12;
const WARM_UP_BLOCKS = 2;

const TRENDS: [Exclude<keyof CourseReading, "seconds">, Measure][] = [
  ["usageBytes", ownMeasure("memory_per_hour", "Memory growth per hour", "bytes", "memory")],
  [
    "rssBytes",
    ownMeasure("anonymous_memory_per_hour", "Anonymous memory growth per hour", "bytes", "memory"),
  ],
  ["tcpInUse", ownMeasure("sockets_per_hour", "Socket growth per hour", "", "count")],
  ["descriptors", ownMeasure("descriptors_per_hour", "Descriptor growth per hour", "", "count")],
];

/** What grows over time under a steady load, in settings in which that was recorded. */
export function trends({ results: { plan }, settings, cells }: Run): Comparison[] {
  // Of all trends, at most one false growth in twenty runs (Bonferroni).
  const strict = 1 - ALPHA / (plan.proxies.length * TRENDS.length);
  return settings.flatMap((setting) => {
    const own = cells.filter((cell) => cell.setting === setting.key);
    if (!own.some(({ record }) => record.course)) return [];
    return TRENDS.map(([what, measure]) =>
      comparison({
        question: "trend",
        measure,
        settings: [setting],
        figures: plan.proxies.map((proxy) =>
          trendOf(
            proxy,
            own.filter(({ record }) => record.proxy === proxy),
            what,
            strict,
          ),
        ),
      }),
    );
  });
}

function trendOf(
  proxy: string,
  cells: JudgedCell[],
  what: Exclude<keyof CourseReading, "seconds">,
  strict: number,
): Figure {
  const counted = lastAttempts(cells).filter(countsForMemory);
  const courses = counted.flatMap(({ record }) => (record.course ? [record.course] : []));
  const perCourse = courses.map((course) => blocksOf(course, what));
  // Each round has a level of its own.
  const points = perCourse.flatMap((blocks) => {
    const level = blocks.length > 0 ? median(blocks.map(({ y }) => y)) : 0;
    return blocks.map(({ x, y }) => ({ x, y: y - level }));
  });
  const grows = theilSen(points, strict)?.interval ?? null;
  const known = perCourse.filter((blocks) => blocks.length > 0);
  const seconds = courses.map((course) => course.at(-1)?.seconds ?? 0);
  return {
    ...figure(proxy),
    estimate: estimateOf(theilSen(points, CONFIDENCE)),
    missing: courses.length > 0 ? [] : cells.flatMap(reasonsOf),
    extra: {
      from: known.length > 0 ? median(known.map((blocks) => blocks[0].y)) : null,
      to: known.length > 0 ? median(known.map((blocks) => blocks[blocks.length - 1].y)) : null,
      grows: grows && grows[0] > 0,
      hours: seconds.reduce((sum, one) => sum + one, 0) / SECONDS_PER_HOUR,
    },
  };
}

/** x: hours since the first edge; empty where it could not be read. */
function blocksOf(
  course: CourseReading[],
  what: Exclude<keyof CourseReading, "seconds">,
): { x: number; y: number }[] {
  const last = course.at(-1)?.seconds ?? 0;
  const blocks = Map.groupBy(course, ({ seconds }) =>
    Math.min(BLOCKS - 1, Math.floor((BLOCKS * seconds) / last)),
  );
  return [...blocks]
    .filter(([block]) => block >= WARM_UP_BLOCKS)
    .flatMap(([, own]) => {
      const values = own.flatMap((reading) => reading[what] ?? []);
      if (values.length === 0) return [];
      return [
        { x: median(own.map(({ seconds }) => seconds)) / SECONDS_PER_HOUR, y: median(values) },
      ];
    });
}
