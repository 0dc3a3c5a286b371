/**
 * What tests of whole runs share: a copy of the project to run in, and a look at what is left.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeReport } from "../src/commands/report.ts";
import { OWN_ENGINE } from "../src/platform/engine.ts";
import { isDisturbed } from "../src/record/disturbance.ts";
import { validateResults } from "../src/record/schema.ts";
import { Store } from "../src/record/store.ts";
import { until } from "../src/platform/wait.ts";
import { atEnd, copyOfProject, lab } from "./lab.ts";
import type { TestContext } from "node:test";
import type { Results } from "../src/model/record.ts";

const CLI = join(import.meta.dirname, "../src/cli.ts");
/** How long a run may take to reach what a test waits for, in ms. */
export const LIMIT_MS = 180_000;

/**
 * One cell of the control, whose measured phase lasts on any machine for long enough to kill
 * something in it.
 */
const BATTLE = `title: one cell
proxies: [none]
rounds: 1
seed: 1
proxyCpus: 0
tests:
  - scenario: idle
    schemes: [ws]
    parameters: { CONNECTIONS: 20, CONNECTIONS_PER_SECOND: 200, HOLD_SECONDS: 3, INTERVAL_SECONDS: 0.1, MESSAGE_BYTES: 100, TIMEOUT_SECONDS: 5 }
`;

const TINY_BATTLE = `title: Tiny battle
proxies: [none, nginx, haproxy-hitch]
rounds: 1
seed: 3
tests:
  - scenario: short-lived
    schemes: [ws, wss]
    parameters: { CONNECTIONS: 600, CONCURRENCY: 50, MESSAGES: 20, MESSAGE_BYTES: 500 }
    warmUp: { CONNECTIONS: 50 }
`;
/** The results of that battle. Each file of tests has a temporary folder of its own. */
const TINY_RESULTS = join(tmpdir(), "finished");

/** A testbed with the finished run of a tiny battle, which is run once for all tests of a file. */
export async function finishedTestbed(t: TestContext) {
  const bed = testbed(t, TINY_BATTLE);
  const results = join(bed.directory, "results");
  if (existsSync(TINY_RESULTS)) {
    cpSync(TINY_RESULTS, results, { recursive: true });
  } else {
    const { code, output } = await bed.bench(["run", "one"]).ended;
    assert.equal(code, 0, output);
    await bed.assertNothingLeft();
    cpSync(results, TINY_RESULTS, { recursive: true });
  }
  return bed;
}

/**
 * A cell is tried again when it failed, or when something else took too much of the machine: on a
 * busy one any may be.
 *
 * @param cells attempts, in the order in which they ended
 * @returns the last of each cell
 */
export function lastAttempts<T extends { id: string }>(cells: T[]): T[] {
  return [...new Map(cells.map((cell) => [cell.id, cell])).values()];
}

/**
 * @returns nothing else took so much of the machine that a cell counts for nothing: only then are
 *   there comparisons and verdicts
 */
export function isQuiet({ cells }: Results): boolean {
  return !lastAttempts(cells).some(isDisturbed);
}

/** @returns as if nothing else had used the machine: no cell is void for that */
export function undisturbed(run: Results): Results {
  const alone = <T extends { busySeconds: number; foreignSeconds: number }>(usage: T): T => ({
    ...usage,
    busySeconds: usage.busySeconds - usage.foreignSeconds,
    foreignSeconds: 0,
    stealSeconds: 0,
  });
  const cells = run.cells.map(({ machine, machines, ...cell }) => ({
    ...cell,
    machine: machine && alone(machine),
    ...(machines && {
      machines: Object.fromEntries(
        Object.entries(machines).map(([name, usage]) => [name, alone(usage)]),
      ),
    }),
  }));
  return { ...run, cells };
}

/**
 * Makes record and reports of a run those of a machine that nothing else has used: what is void for
 * that would miss.
 */
export function quieten(project: string, run: string) {
  const { directory, results } = Store.open(run);
  const quiet = new Store(directory, undisturbed(results));
  quiet.write("results.json", JSON.stringify(quiet.results));
  writeReport(project, quiet);
}

/**
 * A copy of the project with the battle `one`, and everything that its runs start removed at the
 * end.
 *
 * @param battle what `one` is
 */
export function testbed(t: TestContext, battle: string = BATTLE) {
  const directory = copyOfProject(t);
  writeFileSync(join(directory, "battles/one.yaml"), battle);
  const project = lab(t, { directory });
  /** What the latest command has written so far: why a wait was in vain stands there. */
  let latest = { output: "" };
  const bench = (args: string[], env: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: directory,
      env: {
        ...process.env,
        ...project.env,
        COMPOSE_PROJECT_NAME: project.name,
        CI: "true",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { output: "" };
    latest = said;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (said.output += text));
    atEnd(t, () => child.kill("SIGKILL"));
    const ended: Promise<{ code: number | null; output: string }> = new Promise((resolve) =>
      child.on("close", (code) => resolve({ code, output: said.output })),
    );
    return { child, ended };
  };
  const folders = () =>
    existsSync(join(directory, "results")) ? readdirSync(join(directory, "results")) : [];
  return {
    directory,
    project,
    bench,
    /** @returns of the only run, in the documented schema */
    results(): Results {
      assert.equal(folders().length, 1, `runs: ${folders()}`);
      const file = join(directory, "results", folders()[0], "results.json");
      return validateResults(JSON.parse(readFileSync(file, "utf8")), file);
    },
    /** Waits until this many attempts are recorded. */
    async recorded(count: number) {
      const attempts = () => {
        const file = join(directory, "results", folders()[0] ?? "", "results.json");
        return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).cells.length : 0;
      };
      const isEnough = (seen: number) => seen >= count;
      const seen = await until(Date.now() + LIMIT_MS, async () => attempts(), isEnough);
      assert.ok(isEnough(seen), `${seen} of ${count} attempts are recorded\n${latest.output}`);
    },
    runFolder: () => join("results", folders()[0]),
    /** Of the only run. */
    quieten: () => quieten(directory, join(directory, "results", folders()[0])),
    /**
     * Waits for a moment in the measured phase of a cell that has no warm-up, in which everything
     * is up.
     */
    async measured() {
      const samples = join(directory, ".bench", "samples");
      const isUp = await until(
        Date.now() + LIMIT_MS,
        // The container is there before; its program writes as soon as it runs.
        async () => globSync("*/load-1.csv", { cwd: samples }).length > 0,
        Boolean,
      );
      assert.ok(isUp, `the load did not start\n${latest.output}`);
      await sleep(1200);
    },
    async assertNothingLeft() {
      assert.deepEqual(
        (await OWN_ENGINE.containersOf(project.name)).map(({ name }) => name),
        [],
      );
    },
  };
}
