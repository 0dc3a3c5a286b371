import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { POLICY } from "./testing/results.js";
import { rateResults } from "./testing/rates.js";

/** @import { CourseReading } from "../model/cell.ts" */

const policy = /** @type {any} */ (POLICY);

/**
 * @param {(hours: number, i: number) => Partial<CourseReading>} at
 * @returns {CourseReading[]} of an hour
 */
function courseOf(at) {
  return Array.from({ length: 239 }, (_, i) => {
    const seconds = 15 * (i + 1);
    const steady = { usageBytes: 30e6, rssBytes: 20e6, tcpInUse: 2010, descriptors: 2050 };
    return { seconds, ...steady, ...at(seconds / 3600, i) };
  });
}

/** @param {Record<string, CourseReading[]>} courses by proxy */
function rowsOf(courses) {
  const made = rateResults({
    scenarios: ["steady"],
    rounds: 1,
    change: (record) => {
      if (courses[record.proxy]) record.course = courses[record.proxy];
    },
  });
  const [course] = analyse(made, { policy }).courses;
  return Object.fromEntries(
    course.rows.map(({ proxy, hours, parts }) => [
      proxy,
      { hours, parts: Object.fromEntries(parts.map((part) => [part.what, part])) },
    ]),
  );
}

/** Up and down by a fifth, with a period of 12 minutes: what a heap that is collected looks like. @param {number} i */
const sawtooth = (i) => 1 + 0.2 * ((i % 48) / 48);

test("what grows has its slope an hour, and what stays has one around 0", () => {
  const { nginx, haproxy } = rowsOf({
    nginx: courseOf((hours, i) => ({
      usageBytes: 30e6 + 12e6 * hours + 1e5 * (i % 7),
      tcpInUse: 2010 + Math.round(60 * hours),
    })),
    haproxy: courseOf((_, i) => ({ usageBytes: 30e6 * sawtooth(i) })),
  });
  const { usageBytes, tcpInUse, descriptors } = nginx.parts;
  assert.ok(usageBytes.perHour && Math.abs(usageBytes.perHour.value - 12e6) < 0.5e6);
  assert.equal(usageBytes.grows, true);
  assert.equal(tcpInUse.grows, true);
  assert.deepEqual(descriptors.perHour, { value: 0, interval: [0, 0] });
  assert.equal(descriptors.grows, false);
  assert.ok(Math.abs(nginx.hours - 1) < 0.01);
  assert.equal(haproxy.parts.usageBytes.grows, false);
  const [low, high] = haproxy.parts.usageBytes.perHour?.interval ?? [NaN, NaN];
  assert.ok(low < 0 && high > 0, `${low} to ${high}`);
});

test("growth of the first minutes alone, as of a heap that reaches its size, is none", () => {
  const { nginx } = rowsOf({
    nginx: courseOf((hours, i) => ({ rssBytes: Math.min(20e6, 10e6 + 100e6 * hours) + (i % 5) })),
  });
  assert.equal(nginx.parts.rssBytes.grows, false);
});

test("what could not be read has no slope, and a phase without a course none at all", () => {
  const { nginx } = rowsOf({ nginx: courseOf(() => ({ descriptors: null })) });
  assert.deepEqual(nginx.parts.descriptors, {
    ...{ what: "descriptors", perHour: null, from: null, to: null, grows: null },
  });
  assert.deepEqual(analyse(rateResults({ rounds: 1 }), { policy }).courses, []);
});

test("what takes CPU time from a machine leaves what grows there as it is", () => {
  const made = rateResults({
    scenarios: ["steady"],
    rounds: 1,
    change: (record) => {
      record.course = courseOf(() => ({}));
      if (record.machine) record.machine.stealSeconds = 5;
      if (record.proxy === "haproxy") record.status = "failed";
    },
  });
  const { cells, courses } = analyse(made, { policy });
  assert.ok(cells.every(({ counted }) => !counted));
  assert.deepEqual(
    courses[0].rows.map(({ proxy, hours }) => [proxy, hours > 0]),
    [
      ["none", true],
      ["nginx", true],
      ["haproxy", false],
    ],
  );
});

test("of proxies side by side only what grows is told", () => {
  const made = rateResults({
    scenarios: ["steady"],
    change: (record) => {
      record.course = courseOf(() => ({}));
    },
  });
  const alone = analyse(made, { policy });
  assert.ok(alone.verdicts.length > 0 && alone.overview);
  const beside = analyse({ ...made, plan: { ...made.plan, sideBySide: true } }, { policy });
  assert.deepEqual([beside.verdicts, beside.overview], [[], null]);
  assert.equal(beside.courses.length, alone.courses.length);
});
