/**
 * The runs in published/: every figure can be computed from the files beside it, the reports are
 * those of this version, and no change of the analysis changes a comparison.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite, test } from "node:test";
import { deflateSync } from "node:zlib";
import { csvParse } from "d3-dsv";
import { ARCHIVE_FILE } from "../record/archive.ts";
import { Store } from "../record/store.ts";
import { summarise } from "../statistics/index.ts";
import { readBattles } from "../report/published.ts";
import { terminalOf } from "../report/terminal.ts";
import { makeReport } from "./report.ts";
import type { DSVRowString } from "d3-dsv";
import type { CellRecord } from "../model/cell.ts";
import type { Comparison } from "../model/comparison.ts";
import type { LatencySummary } from "../model/load.ts";

const PROJECT = join(import.meta.dirname, "../../../..");
const PUBLISHED = join(PROJECT, "published");
/** Latencies are kept to three digits: half a unit of the third in 100 to 999. */
const ROUNDING_SHARE = 0.005;
/** And to the µs. */
const ROUNDING_MS = 0.0011;
/** Of a report that anyone opens on a phone. */
const MOST_PAGE_BYTES = 600e3;
/**
 * The first and last sample are taken right after the edge at which the table's counters were read.
 */
const EDGE_SHARE = 0.05;

/** Numbers are written with eight digits, and another V8 may round the last ones otherwise. */
const TOLERANCE = 1e-6;

/** That a clone without history may have to fetch. */
const CLONE_BYTES = 40e6;
/** Of that, what is not published, 2.0 MB when it was measured last, and names and trees of all. */
const OTHER_BYTES = 2.5e6;
/** With Node's own 6 records are 7 % smaller than in a pack that Git has made. */
const GIT_LEVEL = 5;
/** Whose archives, of 3 MB each, a clone below that has no room for. */
const MOVED = ["soak", "capacity"];

const runs = globSync("*/*/results.json", { cwd: PUBLISHED }).map(dirname).sort();

test("there are published runs, a dozen files each at most", () => {
  assert.ok(runs.length > 0);
  for (const name of runs) assert.ok(readdirSync(join(PUBLISHED, name)).length <= 12, name);
});

test("published runs leave what a clone without history fetches below 40 MB", () => {
  const files = readdirSync(PUBLISHED, { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((entry) => entry.isFile())
    // As Git sends them.
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .map((bytes) => deflateSync(bytes, { level: GIT_LEVEL }).length);
  const sum = sizes.reduce((a, b) => a + b, 0);
  assert.ok(sum < CLONE_BYTES - OTHER_BYTES, `${Math.round(sum / 1e6)} MB compressed`);
});

test("of each battle that answers or findings rest on, a run has its archive beside it: the newest, where none are pooled", () => {
  const page = (name: string) => readFileSync(join(PUBLISHED, name), "utf8");
  const [answers] = page("README.md").split("## Other battles");
  const links = `${answers}${page("FINDINGS.md")}`;
  for (const { name, runs: own } of readBattles(PUBLISHED)) {
    if (!links.includes(`](${name}/`) || MOVED.includes(name)) continue;
    assert.ok(
      own.some(({ folder }) => existsSync(join(PUBLISHED, folder, ARCHIVE_FILE))),
      name,
    );
  }
});

for (const name of runs) {
  suite(`published/${name}`, () => {
    const store = Store.open(join(PUBLISHED, name));
    const { cells } = store.results;
    const counted = cells.filter(({ status }) => status === "ok");
    const needsRaw = { skip: !store.hasRaw() && "its archive is in an earlier commit" };

    test("latencies come out of the raw samples", needsRaw, () => {
      for (const cell of counted) {
        const text = store.readRaw(cell, "latencies.csv");
        // Programs such as wrk tell percentiles alone.
        if (text === null) continue;
        const rows = csvParse(text);
        for (const [metric, summary] of [
          ["handshake", cell.handshakeMs],
          ["echo", cell.echoLatencyMs],
        ] as [string, LatencySummary | null][]) {
          if (!summary) continue;
          const again = summarise(latenciesOf(rows, metric));
          assert.ok(again);
          assert.equal(again.count, summary.count, `${cell.id} ${metric}`);
          for (const key of ["mean", "median", "p99", "max"] as const)
            assert.ok(
              Math.abs(again[key] - summary[key]) <= ROUNDING_MS + ROUNDING_SHARE * summary[key],
              `${cell.id} ${key}`,
            );
        }
      }
    });

    test("CPU time comes out of the raw samples", needsRaw, () => {
      for (const cell of counted) {
        const rows = csvParse(store.readRaw(cell, "samples.csv") ?? "");
        for (const [service, container] of Object.entries(cell.containers))
          assertCpu(cell, service, container.cpu.totalSeconds, rows);
      }
    });

    const { files, reported } = makeReport(PROJECT, store);

    test("the comparisons are those that it gave when it was published", () => {
      const file = join(store.directory, "comparisons.json");
      const expected = JSON.parse(readFileSync(file, "utf8"));
      assertAlike(JSON.parse(JSON.stringify(reported.comparisons)), expected, name);
      for (const one of reported.comparisons.comparisons) assertRanksFit(one);
    });

    test("the report is what this version makes of the record", () => {
      assert.ok(
        readFileSync(join(store.directory, "report.md"), "utf8") === files["report.md"],
        `published/${name}/report.md is of another version: ./bench report published/${name}`,
      );
    });

    test("the page has every table and flag of the report, and nothing that is not known", () => {
      const page = files["report.html"];
      const report = files["report.md"];
      const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
      assert.ok(count(page, /<table>/g) >= count(report, /^\| -{3}/gm));
      assert.ok(count(page, /<b class="weak">/g) >= count(report, /^- weak: /gm));
      const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      assert.deepEqual(
        ids.filter((id, i) => ids.indexOf(id) !== i),
        [],
      );
      const text = page.replace(/<style>.*?<\/style>|<[^>]+>/gs, " ");
      assert.doesNotMatch(text, /\b(undefined|NaN|null)\b/);
      // It leads to documentation, and loads nothing.
      assert.doesNotMatch(page, /<script|\bsrc="https?:|<link\b[^>]*"https?:/);
      const lines = terminalOf(reported).split("\n");
      assert.ok(lines.length < 30, `${lines.length} lines at the end of the run`);
      for (const line of lines) assert.ok(line.length <= 80, line);
      assert.ok(page.length < MOST_PAGE_BYTES, `${page.length} bytes`);
    });
  });
}

/** @returns in ms */
function latenciesOf(all: DSVRowString[], metric: string): Float64Array {
  const rows = all.filter((row) => row.metric === metric);
  const values = rows.flatMap(({ us }) => {
    let sum = 0;
    return us.split(" ").map((difference) => (sum += Number(difference)) / 1000);
  });
  return Float64Array.from(values);
}

function assertCpu({ id }: CellRecord, service: string, seconds: number, all: DSVRowString[]) {
  const rows = all.filter((row) => row.service === service);
  // What an event starts was not there in the first second: all that it has used is of this phase.
  const isNew = Number(rows[0]?.ms) - Math.min(...all.map(({ ms }) => Number(ms))) > 1000;
  const before = isNew ? 0 : Number(rows[0]?.cpu_seconds);
  const sampled = Number(rows.at(-1)?.cpu_seconds) - before;
  // Under 10 ms the moment between edge and sample weighs more than the share.
  const tolerance = Math.max(0.01, EDGE_SHARE * seconds);
  assert.ok(Math.abs(sampled - seconds) <= tolerance, `${id} ${service}: ${sampled}, ${seconds}`);
}

/**
 * The best is 1, a tie's interval holds 1, and that of whoever is behind leaves 1 out at the worse
 * side: no rank contradicts the ratio beside it.
 */
function assertRanksFit({ id, measure, figures }: Comparison) {
  const ranked = figures.filter(({ rank, toBest }) => rank !== null && toBest);
  if (ranked.length === 0) return;
  const best = ranked.filter(({ toBest }) => toBest?.value === 1 && toBest.low === null);
  assert.deepEqual([best.length, best[0]?.rank], [1, 1], id);
  for (const { proxy, rank, toBest } of ranked) {
    const { low, high, basis } = toBest ?? {};
    // The range of a few rounds is no interval.
    if (basis !== "ci95" || typeof low !== "number" || typeof high !== "number") continue;
    const isBehind = measure.better === "lower" ? low > 1 : high < 1;
    const isTied = low <= 1 && high >= 1;
    assert.ok(rank === 1 ? isTied : isBehind, `${id} ${proxy}: rank ${rank}, ${low} to ${high}`);
  }
}

function assertAlike(actual: unknown, expected: unknown, at: string) {
  if (typeof actual === "number" && typeof expected === "number") {
    const apart = Math.abs(actual - expected);
    assert.ok(
      apart <= TOLERANCE * Math.max(1, Math.abs(expected)),
      `${at}: ${actual}, ${expected}`,
    );
  } else if (actual && expected && typeof actual === "object" && typeof expected === "object") {
    assert.deepEqual(Object.keys(actual), Object.keys(expected), at);
    for (const [key, value] of Object.entries(actual)) {
      const other = (expected as Record<string, unknown>)[key];
      assertAlike(value, other, `${at} ${idOf(value) ?? key}`);
    }
  } else assert.equal(actual, expected, at);
}

function idOf(value: unknown) {
  return (value as { id?: string; proxy?: string } | null)?.id;
}
