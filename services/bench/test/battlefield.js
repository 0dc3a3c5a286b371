/**
 * What tests of whole runs share: a copy of the project in which to fight, and a look at what is left.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { containersOf } from "../src/docker.js";
import { validateResults } from "../src/record/schema.js";
import { until } from "../src/wait.js";
import { atEnd, copyOfProject, lab } from "./lab.js";

/** @import { TestContext } from "node:test" */
/** @import { Results } from "../src/record/types.js" */

const CLI = join(import.meta.dirname, "../src/cli.js");
/** How long a run may take to reach what a test waits for, in ms. */
export const LIMIT_MS = 60_000;

/** One cell of the control, with a measured phase long enough to kill something in it. */
const BATTLE = `title: one cell
proxies: [none]
rounds: 1
seed: 1
proxyCpus: 0
tests:
  - scenario: short-lived
    schemes: [ws]
    parameters: { CONNECTIONS: 500, CONCURRENCY: 50, MESSAGES: 200, MESSAGE_BYTES: 100, TIMEOUT_SECONDS: 5 }
    warmUp: { CONNECTIONS: 50, MESSAGES: 1 }
`;

/**
 * A copy of the project with the battle `one`, and everything that its runs start removed at the end.
 *
 * @param {TestContext} t
 * @param {string} [battle] what `one` is
 */
export function battlefield(t, battle = BATTLE) {
  const directory = copyOfProject(t);
  writeFileSync(join(directory, "battles/one.yaml"), battle);
  const project = lab(t, { directory });
  /**
   * @param {string[]} args
   * @param {Record<string, string>} [env]
   */
  const bench = (args, env = {}) => {
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
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    atEnd(t, () => child.kill("SIGKILL"));
    /** @type {Promise<{code: number | null, output: string}>} */
    const ended = new Promise((resolve) => child.on("close", (code) => resolve({ code, output })));
    return { child, ended };
  };
  const folders = () =>
    existsSync(join(directory, "results")) ? readdirSync(join(directory, "results")) : [];
  return {
    directory,
    project,
    bench,
    /** @returns {Results} of the only run, in the documented schema */
    results() {
      assert.equal(folders().length, 1, `runs: ${folders()}`);
      const file = join(directory, "results", folders()[0], "results.json");
      return validateResults(JSON.parse(readFileSync(file, "utf8")), file);
    },
    /** How many attempts are recorded so far. */
    recorded() {
      const file = join(directory, "results", folders()[0] ?? "", "results.json");
      return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).cells.length : 0;
    },
    runFolder: () => join("results", folders()[0]),
    /** Waits for a moment in the measured phase, in which everything is up. */
    async measured() {
      const isUp = await until(
        Date.now() + LIMIT_MS,
        async () =>
          (await containersOf(project.name)).some(
            ({ name, running }) => running && name === `${project.name}-load-1`,
          ),
        Boolean,
      );
      assert.ok(isUp, "the load did not start");
      await sleep(1200);
    },
    async assertNothingLeft() {
      assert.deepEqual(
        (await containersOf(project.name)).map(({ name }) => name),
        [],
      );
    },
  };
}
