/**
 * Runs as they were recorded: what they once led a report to say, tests hold it against what may be said.
 *
 * `recorded/` has extracts of runs that are published no more: a setting each, the settings over connections (`idle-memory`), or all
 * (`balancerbattle`, `tls`), without the counters of what only observes. `reference` was made for these
 * tests: 5,000 short connections over 8 rounds, with the reference proxy, on a machine with other work.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readPublished } from "../claims.js";
import { analyse } from "../index.js";
import { validateResults } from "../../record/schema.js";

/** @import { PlannedCell } from "../../model/plan.ts" */
/** @import { Results } from "../../model/record.ts" */
/** @import { Analysis } from "../types.js" */

const PROJECT = join(import.meta.dirname, "../../../../..");
const { parse } = JSON;

/**
 * @param {string} name of a run in published/, or of an extract
 * @param {(cell: PlannedCell) => boolean} [isWanted]
 * @param {(results: Results) => void} [change] what to change before
 * @returns {Analysis} of those cells
 */
export function recorded(name, isWanted = () => true, change = () => {}) {
  const results = readResults(name);
  change(results);
  const cells = results.plan.cells.filter(isWanted);
  const ids = new Set(cells.map(({ id }) => id));
  const { published } = results.plan;
  return analyse(
    {
      ...results,
      plan: { ...results.plan, cells },
      cells: results.cells.filter(({ id }) => ids.has(id)),
    },
    {
      policy: parse(readFileSync(join(PROJECT, "certs/policy.json"), "utf8")),
      published: published
        ? readPublished(join(PROJECT, `battles/published/${published}.yaml`))
        : null,
    },
  );
}

/**
 * @param {string} name of a run in published/, or of an extract
 * @param {number} rounds
 * @param {(cell: PlannedCell) => boolean} [isWanted]
 * @returns {Analysis} as it would be, had it had the first so many rounds alone
 */
export function recordedRounds(name, rounds, isWanted = () => true) {
  return recorded(
    name,
    (cell) => cell.round <= rounds && isWanted(cell),
    ({ plan }) => {
      plan.rounds = rounds;
    },
  );
}

/**
 * @param {string} name
 * @returns {Results}
 */
function readResults(name) {
  const file = EXTRACTS.includes(name)
    ? join(import.meta.dirname, `recorded/${name}.json`)
    : join(PROJECT, `published/${name}/results.json`);
  return validateResults(parse(readFileSync(file, "utf8")), file);
}

const EXTRACTS = [
  ...["reference", "nginx-idle", "idle-memory", "balancerbattle", "balancerbattle-large"],
  ...["churn", "tls"],
];
