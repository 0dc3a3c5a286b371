/**
 * `report`: makes the report of a run again, from its record alone.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { analyse, comparisonsJson, noiseFloorOf } from "../analyse/index.ts";
import { readPublished } from "../analyse/claims.ts";
import { readProxies } from "../plan/proxies.ts";
import { readRows } from "../record/csv.ts";
import { Store } from "../record/store.ts";
import { htmlOf } from "../report/html.ts";
import { looksOf } from "../report/look.ts";
import { markdownOf } from "../report/markdown.ts";
import { reportOf } from "../report/report.ts";
import { studyTable } from "../report/claims.ts";
import { resultsCsv } from "../report/results-csv.ts";
import type { PublishedRules } from "../analyse/claims.ts";
import type { CellRecord } from "../model/cell.ts";
import type { Plan } from "../model/plan.ts";
import type { Results } from "../model/record.ts";
import type { Reported } from "../model/comparison.ts";

const SAME_SAMPLE_MS = 50;

const PAGE = "report.html";

/** What the repository keeps of a published run's report: what is read there, and what all published pages are made from. */
export const PUBLISHED_FILES = ["report.md", "comparisons.json"];

/**
 * @param directory the project's
 * @param folder of the run
 * @returns exit status
 */
export async function report(
  directory: string,
  folder: string,
  say: (line: string) => void,
): Promise<number> {
  const store = Store.open(resolve(folder));
  writeReport(directory, store);
  for (const name of [PAGE, "report.md"]) say(relative(directory, join(store.directory, name)));
  return 0;
}

/**
 * @param directory the project's
 * @param store of the run
 * @returns files: text by name
 */
export function makeReport(
  directory: string,
  store: Store,
): { reported: Reported; files: Record<string, string> } {
  const reported = analysisOf(directory, store);
  const { comparisons, results, run } = reported;
  const study = publishedOf(directory, results.plan);
  const analysed = { run, comparisons: comparisons.comparisons };
  const blocks = reportOf(reported, {
    curves: curvesOf(store),
    claims: study && studyTable(study, analysed),
  });
  return {
    reported,
    files: {
      [PAGE]: htmlOf(blocks, {
        title: comparisons.title,
        looks: looksOf(comparisons),
        footer: `Run ${results.run.name}, made by ws-proxy-bench from the record of that run alone.`,
      }),
      "report.md": markdownOf(blocks),
      "results.csv": resultsCsv(results),
      "comparisons.json": comparisonsJson(comparisons),
    },
  };
}

/**
 * @param directory the project's
 * @param store of the run
 */
function analysisOf(directory: string, store: Store) {
  return analyse(withShapes(directory, store.results), {
    policy: JSON.parse(readFileSync(join(directory, "certs/policy.json"), "utf8")),
    noiseFloor: findNoiseFloor(store),
  });
}

/** Records of before 26 November 2026 have no shapes: their proxies are drawn with those of today. */
function withShapes(directory: string, results: Results): Results {
  if (results.proxies.every(({ shape }) => shape)) return results;
  const known = readProxies(join(directory, "proxies"));
  const shapes = new Map(known.map(({ name, shape }) => [name, shape]));
  const proxies = results.proxies.map((proxy) => ({ shape: shapes.get(proxy.name), ...proxy }));
  return { ...results, proxies };
}

/**
 * @param directory the project's
 * @param store of the run
 * @param names of the files to write; without them all
 */
export function writeReport(directory: string, store: Store, names?: string[]): Reported {
  const { reported, files } = makeReport(directory, store);
  for (const name of names ?? Object.keys(files)) store.write(name, files[name]);
  return reported;
}

/**
 * @param directory the project's
 * @returns of the study that the battle repeats; null: it repeats none
 * @throws {UserError} when the study's file is not as it should be
 */
export function publishedOf(directory: string, { published }: Plan): PublishedRules | null {
  return published
    ? readPublished(join(directory, "battles/published", `${published}.yaml`))
    : null;
}

/** The latest run beside this one that held a proxy against itself on the same machine. */
function findNoiseFloor(store: Store) {
  const parent = dirname(resolve(store.directory));
  const runs = readdirSync(parent).filter((name) => existsSync(join(parent, name, "results.json")));
  for (const name of runs.sort().reverse()) {
    const text = readFileSync(join(parent, name, "results.json"), "utf8");
    const floor = text.includes('"battle": "aa"')
      ? noiseFloorOf(JSON.parse(text), store.results)
      : null;
    if (floor) return floor;
  }
  return null;
}

/** CPU and memory of the proxy over each cell's measured phase; none where the samples are not here. */
function curvesOf(store: Store) {
  const curves: Record<string, { seconds: number[]; usageBytes: number[]; cpuCores: number[] }> =
    {};
  if (!store.hasRaw()) return curves;
  for (const record of store.results.cells) {
    const samples = record.status === "ok" && store.readRaw(record, "samples.csv");
    if (samples) curves[record.id] = curveOf(record, samples);
  }
  return curves;
}

/** @param csv of the sampler */
function curveOf({ containers }: CellRecord, csv: string) {
  const parts = Object.values(containers).filter(({ role }) => role === "proxy").length;
  /** summed over the proxy's containers */
  const sums: Map<number, { cpu: number; usage: number; parts: number }> = new Map();
  for (const { service, ms, cpu_seconds: cpu, usage_bytes: usage } of readRows(csv)) {
    if (containers[service]?.role !== "proxy") continue;
    // The containers are read one after the other, well within this time.
    const at = Math.round(Number(ms) / SAME_SAMPLE_MS) * SAME_SAMPLE_MS;
    const sum = sums.get(at) ?? { cpu: 0, usage: 0, parts: 0 };
    sums.set(at, {
      cpu: sum.cpu + Number(cpu),
      usage: sum.usage + Number(usage),
      parts: sum.parts + 1,
    });
  }
  const points = [...sums].filter(([, sum]) => sum.parts === parts).sort(([a], [b]) => a - b);
  return {
    seconds: points.map(([at]) => at / 1000),
    usageBytes: points.map(([, sum]) => sum.usage),
    cpuCores: points.map(([at, sum], i) => {
      const [before, previous] = points[Math.max(0, i - 1)];
      return at > before ? (sum.cpu - previous.cpu) / ((at - before) / 1000) : 0;
    }),
  };
}
