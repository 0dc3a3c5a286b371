import assert from "node:assert/strict";
import { test } from "node:test";
import type { CourseReading } from "../model/cell.ts";
import { codes, figureOf, figuresOf, holds, look, near, told } from "./testing/look.ts";
import { rateResults } from "./testing/rates.ts";
import { idleResults, results } from "./testing/results.ts";

type Idle = Parameters<typeof idleResults>[0];

/** All, user and kernel memory. */
function slopesIn(of: ReturnType<typeof results>) {
  return look(of).all.filter(({ question }) => question === "memory-per-connection");
}
const slopesOf = (options: Idle) => slopesIn(idleResults(options));
/** Of those that were opened hardly any were held. */
const drop: NonNullable<NonNullable<Idle>["change"]> = (record) => {
  record.connectionsHeld = { from: 10, to: 10 };
};

test("a proxy that ends early: where, and why; with fewer than four counts it has no slope", () => {
  const [all] = slopesOf({
    skip: ({ proxy, parameters }) =>
      proxy === "haproxy" && parameters.CONNECTIONS > 3000 ? "needs more descriptors" : null,
  });
  const { estimate, missing, extra } = figureOf(all, "haproxy");
  const why = { kind: "skipped", why: "needs more descriptors" };
  assert.deepEqual(extra.ended, { connections: 3000, next: 4000, why });
  assert.deepEqual([estimate, missing], [null, [why]]);
  assert.deepEqual(figuresOf(all.flags, "no-slope"), { proxies: ["haproxy"] });
  const few = slopesOf({
    change: (record) => {
      if (record.proxy === "haproxy" && record.parameters.CONNECTIONS < 3000) drop(record);
    },
  });
  const unended = figureOf(few[0], "haproxy");
  assert.deepEqual(
    [unended.extra.ended, unended.missing],
    [null, [{ kind: "few-counts", counts: 3, least: 4 }]],
  );
});

test("a cell that does not count is no point, and is the end where it is the last", () => {
  const [all] = slopesOf({
    change: (record) => {
      if (record.proxy === "nginx" && record.parameters.CONNECTIONS === 5000) drop(record);
    },
  });
  const { estimate, extra } = figureOf(all, "nginx");
  assert.deepEqual([extra.curve?.length, estimate?.low], [4, null]);
  const { next, why } = extra.ended ?? {};
  assert.ok(next === 5000 && why?.kind === "invalid" && why.flag.code === "not-held");
  // Of four points no interval is known, and so nobody is ranked.
  assert.deepEqual(figuresOf(all.flags, "few-points"), { proxies: 2, points: 4 });
  assert.ok(all.figures.every(({ rank, toBest }) => rank === null && toBest === null));
});

test("slopes are compared at the counts that all carry, and each says how far it was measured", () => {
  const counts = [1000, 2000, 3000, 4000, 5000, 6000];
  const [all] = slopesOf({
    counts: [...counts, 20_000],
    skip: ({ proxy, parameters }) =>
      proxy === "haproxy" && parameters.CONNECTIONS > 6000 ? "needs more descriptors" : null,
    change: ({ proxy, parameters, containers }) => {
      // Beyond what all carry a connection costs nginx three times as much.
      const { mean } = containers[proxy]?.memory ?? {};
      if (proxy === "nginx" && parameters.CONNECTIONS === 20_000 && mean?.usageBytes)
        mean.usageBytes *= 3;
    },
  });
  const [without] = slopesOf({ counts });
  assert.deepEqual(figuresOf(all.flags, "common-counts"), { least: 1000, most: 6000 });
  const upTo = told(all, ({ extra }) => extra.upTo);
  assert.deepEqual([upTo.nginx, upTo.haproxy], [20_000, 6000]);
  for (const name of ["nginx", "haproxy"]) {
    const [own, other] = [all, without].map((one) => figureOf(one, name));
    assert.deepEqual([own.estimate, own.rank], [other.estimate, other.rank]);
  }
  assert.equal(figureOf(all, "nginx").extra.curve?.length, 7);
  assert.equal(figuresOf(without.flags, "common-counts"), undefined);
});

test("steal and foreign load take CPU time and no memory; a slope keeps such cells", () => {
  const { cells, find } = look(
    idleResults({
      change: ({ machine, parameters }) => {
        const disturbed = { stealSeconds: 5, foreignSeconds: 5 };
        if (parameters.CONNECTIONS === 3000) Object.assign(machine ?? {}, disturbed);
      },
    }),
  );
  assert.equal(cells.filter(({ counted }) => !counted).length, 3);
  const counts = told(find("memory-per-connection"), ({ extra }) => extra.curve?.length);
  assert.deepEqual(counts, { none: 5, nginx: 5, haproxy: 5 });
});

test("a proxy whose cells are all void leaves no rank to the survivors", () => {
  const [all] = slopesOf({
    rounds: 2,
    change: (record) => {
      if (record.proxy === "nginx") drop(record);
    },
  });
  assert.deepEqual(figuresOf(all.flags, "survivors"), { proxies: ["nginx"] });
  assert.ok(all.figures.every(({ rank }) => rank === null));
});

test("memory that is not counted has no slope, short connections none; that which stays has 0", () => {
  const usage = (changes: object): Idle => ({
    change: ({ containers }) => {
      for (const { memory } of Object.values(containers))
        Object.assign(memory?.mean ?? {}, changes);
    },
  });
  const [, , kernel] = slopesOf(usage({ kernelBytes: null }));
  for (const { estimate, missing } of kernel.figures)
    assert.deepEqual([estimate, missing], [null, [{ kind: "uncounted" }]]);
  assert.deepEqual(slopesIn(results({ rounds: 1 })), []);
  assert.deepEqual(slopesOf({ counts: [1, 2, 3] }), []);
  const [flat] = slopesOf(usage({ usageBytes: 5e6 }));
  assert.ok(flat.figures.every(({ estimate }) => estimate?.value === 0));
});

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
