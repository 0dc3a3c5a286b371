import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { rateResults } from "../analyse/testing/rates.ts";
import { root } from "../plan/testing/project.ts";
import { Store } from "../record/store.ts";
import { SeveralMachines } from "../hosts/several.ts";
import { THIS_MACHINE } from "../run/machines.ts";
import { failureText, nextStep, refuseGone, shownPath } from "./run.ts";
import type { TestContext } from "node:test";
import type { Results } from "../model/record.ts";

const COMMAND = "./bench run latency --rounds 6";

/** @returns of a run that has them */
function storeOf(t: TestContext, { plan, environment, proxies, cells }: Results): Store {
  const parent = mkdtempSync(join(tmpdir(), "run-"));
  t.after(() => rmSync(parent, { recursive: true }));
  const store = Store.create(parent, "a-run", {
    plan,
    environment,
    proxies,
    command: COMMAND,
  });
  for (const record of cells) {
    store.cellFolder(record.id, record.attempt);
    store.add(record);
  }
  return store;
}

const RESULTS = rateResults({ scenarios: ["arrivals"], rounds: 1 });

test("a run that was broken off is resumed", (t) => {
  assert.match(nextStep({ directory: root }, storeOf(t, RESULTS)), /^resume: .*--resume .*a-run$/);
});

test("a run that stops at a failed cell says so, and names --keep-going", () => {
  for (const [about, text] of [
    [{ failed: 2, untried: 0, keepGoing: true }, "2 cells failed; the report says why"],
    [{ failed: 1, untried: 0, keepGoing: false }, "1 cell failed; the report says why"],
    [
      { failed: 1, untried: 31, keepGoing: false },
      "stopped at the first failed cell, 31 cells not measured; --keep-going goes on after a failure",
    ],
    // The engine was lost.
    [{ failed: 1, untried: 31, keepGoing: true }, "1 cell failed; the report says why"],
  ] as const)
    assert.equal(failureText(about), text);
});

test("a run over machines is resumed with them, and one on this machine alone without; the record knows", () => {
  const several = new SeveralMachines(root, "hosts.example.yaml");
  const over = {
    environment: {
      ...RESULTS.environment,
      machines: ["one", "own"].map((name) => ({
        ...{ name, roles: [], engine: "28", cores: 2, memoryBytes: 1, kernel: "6", clock: null },
      })),
    },
  };
  several.refuseResume(over, "results/a-run");
  THIS_MACHINE.refuseResume(RESULTS, "results/a-run");
  assert.throws(() => several.refuseResume(RESULTS, "results/a-run"), {
    message: /was started on this machine only/,
  });
});

test("paths of a run that once borrowed a project are those of the user's", () => {
  const borrowed = join(root, ".bench/try-x");
  const path = join(root, "results/r");
  assert.equal(shownPath({ directory: borrowed, home: root }, path), "results/r");
  assert.equal(shownPath({ directory: root }, path), "results/r");
});

test("a run of a proxy that has gone is not resumed, and one that runs once starts again", (t) => {
  const store = storeOf(t, RESULTS);
  const [{ profile }] = store.results.plan.cells;
  const all = [...new Set(store.results.plan.cells.map((cell) => cell.profile))];
  const named = (names: string[]) => names.map((name) => ({ name }));
  refuseGone(named(all), store);
  assert.throws(() => refuseGone(named(all.filter((name) => name !== profile)), store), {
    message: `a-run measured ${profile}, and there is no proxies/${profile}`,
    next: `Start again: ${COMMAND}`,
  });
  assert.equal(nextStep({ directory: root, isOnce: true }, store), `start again: ${COMMAND}`);
});
