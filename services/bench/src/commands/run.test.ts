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
import { failureText, nextStep, pilotRates, refuseGone, run, shownPath } from "./run.ts";
import type { TestContext } from "node:test";
import type { Results } from "../model/record.ts";

const COMMAND = "./bench run latency --rounds 6";

/** @returns of a run that has them */
function storeOf(
  t: TestContext,
  { plan, environment, proxies, cells }: Results,
  about: { isPilot?: true },
): Store {
  const parent = mkdtempSync(join(tmpdir(), "run-"));
  t.after(() => rmSync(parent, { recursive: true }));
  const store = Store.create(parent, "a-run", {
    ...{ plan: { ...plan, ...about }, environment, proxies, command: COMMAND },
  });
  for (const record of cells) {
    store.cellFolder(record.id, record.attempt);
    store.add(record);
  }
  return store;
}

function pilotOf() {
  const results = rateResults({ scenarios: ["arrivals"], rounds: 1 });
  const said: string[] = [];
  const context = {
    ...{ directory: root, proxies: [], keepGoing: false },
    say: (line: string) => void said.push(line),
  };
  return { results, context, said, busy: { busyPercent: 60 } };
}

test("a pilot goes on after a proxy that failed; cells that others disturbed tell no rate", async (t) => {
  const { results, context, said, busy } = pilotOf();
  const disturbed = results.cells.find(({ proxy }) => proxy === "haproxy");
  assert.ok(disturbed?.machine);
  disturbed.machine.foreignSeconds = 0.5 * disturbed.machine.busySeconds;
  disturbed.machine.busySeconds *= 2;
  const piloted = await pilotRates(context, results.plan, busy, async (plan, about) => {
    assert.equal(plan, results.plan);
    assert.ok(about.keepGoing && about.isPilot);
    return { code: 1, store: storeOf(t, results, { isPilot: true }) };
  });
  assert.equal(piloted?.run, "a-run");
  const [{ name, rate, proxies }] = piloted.rates;
  assert.equal(name, "CONNECTIONS_PER_SECOND");
  assert.ok(rate > 0);
  assert.deepEqual(
    proxies.map(({ proxy }) => proxy),
    ["none", "nginx"],
  );
  assert.deepEqual(said, ["a pilot computes the rates for this machine"]);
});

test("a pilot that was interrupted tells no rates, and one without any says what to do", async (t) => {
  const { results, context, busy } = pilotOf();
  const store = storeOf(t, { ...results, cells: [] }, { isPilot: true });
  const ended = (code: number) => async () => ({ code, store });
  assert.equal(await pilotRates(context, results.plan, busy, ended(130)), null);
  await assert.rejects(pilotRates(context, results.plan, busy, ended(1)), {
    message: /found no CONNECTIONS_PER_SECOND for arrivals, ws: no proxy finished undisturbed/,
    next: /^Set the rate in the battle's file/,
  });
});

test("a run that was broken off is resumed, a pilot starts again with its battle", async (t) => {
  const { results } = pilotOf();
  const [whole, pilot] = [storeOf(t, results, {}), storeOf(t, results, { isPilot: true })];
  assert.match(nextStep({ directory: root }, whole), /^resume: .*--resume .*a-run$/);
  assert.equal(
    nextStep({ directory: root, isPilot: true }, pilot),
    `a pilot cannot be resumed; start again: ${COMMAND}`,
  );
  const wanted = {
    ...{ resume: pilot.directory, overrides: {} },
  } as Parameters<typeof run>[1];
  await assert.rejects(
    run(root, wanted, () => {}, []),
    {
      message: /a-run is the pilot of .*, and a pilot cannot be resumed$/,
      next: `Start again: ${COMMAND}. If the battle after it has begun, resume that one.`,
      exitCode: 2,
    },
  );
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
  const { results } = pilotOf();
  const several = new SeveralMachines(root, "hosts.example.yaml");
  const over = {
    environment: {
      ...results.environment,
      machines: ["one", "own"].map((name) => ({
        ...{ name, roles: [], engine: "28", cores: 2, memoryBytes: 1, kernel: "6", clock: null },
      })),
    },
  };
  several.refuseResume(over, "results/a-run");
  THIS_MACHINE.refuseResume(results, "results/a-run");
  assert.throws(() => several.refuseResume(results, "results/a-run"), {
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
  const store = storeOf(t, rateResults({ scenarios: ["arrivals"], rounds: 1 }), {});
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
