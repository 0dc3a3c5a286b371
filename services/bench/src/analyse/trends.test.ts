import assert from "node:assert/strict";
import { test } from "node:test";
import type { CourseReading } from "../model/cell.ts";
import { codes, figureOf, holds, look, near, told } from "./testing/look.ts";
import { rateResults } from "./testing/rates.ts";

/** Of an hour. */
function courseOf(at: (hours: number, i: number) => Partial<CourseReading>): CourseReading[] {
  const steady = { usageBytes: 30e6, rssBytes: 20e6, tcpInUse: 2010, descriptors: 2050 };
  return Array.from({ length: 239 }, (_, i) => {
    const seconds = 15 * (i + 1);
    return { seconds, ...steady, ...at(seconds / 3600, i) };
  });
}

const TRENDS = ["usageBytes", "rssBytes", "tcpInUse", "descriptors"];

/** By proxy and measure. */
function trendsOf(courses: Record<string, CourseReading[]>) {
  const { all } = look(
    rateResults({
      scenarios: ["steady"],
      rounds: 1,
      change: (record) => {
        if (courses[record.proxy]) record.course = courses[record.proxy];
      },
    }),
  );
  const trends = all.filter(({ question }) => question === "trend");
  return (proxy: string, what: string) => figureOf(trends[TRENDS.indexOf(what)], proxy);
}

test("what grows has its slope per hour, and what stays has one around 0", () => {
  // A heap that is collected: up and down by a fifth, with a period of 12 minutes.
  const sawtooth = (i: number) => 1 + 0.2 * ((i % 48) / 48);
  const of = trendsOf({
    nginx: courseOf((hours, i) => ({
      usageBytes: 30e6 + 12e6 * hours + 1e5 * (i % 7),
      // Growth of the first minutes alone, as of a heap that reaches its size.
      rssBytes: Math.min(20e6, 10e6 + 100e6 * hours) + (i % 5),
      tcpInUse: 2010 + Math.round(60 * hours),
    })),
    haproxy: courseOf((_, i) => ({ usageBytes: 30e6 * sawtooth(i) })),
  });
  assert.deepEqual(
    TRENDS.map((what) => of("nginx", what).extra.grows),
    [true, false, true, false],
  );
  const growing = of("nginx", "usageBytes");
  near(growing.estimate?.value, 12e6, 0.5e6);
  near(growing.extra.hours, 1, 0.01);
  const still = { value: 0, low: 0, high: 0, basis: "ci95" };
  assert.deepEqual(of("nginx", "descriptors").estimate, still);
  const { estimate, extra } = of("haproxy", "usageBytes");
  assert.ok(extra.grows === false && Number(estimate?.low) < 0);
  holds(estimate, 0);
});

test("what could not be read has no trend, and a phase without readings none at all", () => {
  const { estimate, extra } = trendsOf({ nginx: courseOf(() => ({ descriptors: null })) })(
    "nginx",
    "descriptors",
  );
  assert.deepEqual([estimate, extra.from, extra.to, extra.grows], [null, null, null, null]);
  const { all } = look(rateResults({ rounds: 1 }));
  assert.ok(all.every(({ question }) => question !== "trend"));
});

test("what takes CPU time from a machine leaves what grows there as it is", () => {
  const { cells, find } = look(
    rateResults({
      scenarios: ["steady"],
      rounds: 1,
      change: (record) => {
        record.course = courseOf(() => ({}));
        if (record.machine) record.machine.stealSeconds = 5;
        if (record.proxy === "haproxy") record.status = "failed";
      },
    }),
  );
  assert.ok(cells.every(({ counted }) => !counted));
  const hours = told(find("trend"), ({ extra }) => Number(extra.hours) > 0);
  assert.deepEqual(hours, { none: true, nginx: true, haproxy: false });
});

test("of proxies side by side only memory, and what grows, has figures", () => {
  const made = rateResults({
    scenarios: ["steady"],
    change: (record) => {
      record.course = courseOf(() => ({}));
    },
  });
  const alone = look(made).all;
  const beside = look({ ...made, plan: { ...made.plan, sideBySide: true } });
  const isOf = ({ measure: { kind } }: (typeof alone)[0]) => ["memory", "count"].includes(kind);
  const ids = (all: typeof alone) => all.filter(isOf).map(({ id }) => id);
  assert.ok(alone.length > ids(alone).length && beside.all.every(isOf));
  assert.deepEqual(ids(beside.all), ids(alone));
  assert.ok(codes(beside.flags).includes("side-by-side"));
});
