/**
 * Relays of which is known what they add, under connections that arrive at a set rate: what a
 * battle says of them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../../../src/analyse/index.ts";
import { ofRole } from "../../../src/analyse/readings.ts";
import { addBusyRelay, addLateRelay } from "../../relays.ts";
import { isQuiet, lastAttempts, testbed } from "../../testbed.ts";
import type { CellRecord } from "../../../src/model/cell.ts";
import type { Role } from "../../../src/model/container.ts";

const DELAY_MS = 5;
/** Several times what the relay itself takes, also where others keep the machine busy. */
const BURN_US = 1200;

/**
 * The reference proxy gets 140 connections of each cell, enough to know from them how fast the
 * machine was.
 */
const BATTLE = `title: Relays
proxies: [relay, relay-late, relay-busy]
rounds: 1
seed: 1
tests:
  - scenario: arrivals
    schemes: [ws]
    parameters: { CONNECTIONS_PER_SECOND: 200, ARRIVE_SECONDS: 5, MESSAGE_BYTES: 64 }
    warmUp: { CONNECTIONS_PER_SECOND: 300, ARRIVE_SECONDS: 2 }
`;

test("what relays are known to add is what is reported of them", async (t) => {
  const bed = testbed(t, BATTLE);
  addBusyRelay(bed.directory, "relay", 0);
  addBusyRelay(bed.directory, "relay-busy", BURN_US);
  addLateRelay(bed.directory, "relay-late", DELAY_MS);
  const { code, output } = await bed.bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  await bed.assertNothingLeft();
  const run = bed.results();
  const cells = lastAttempts(run.cells);
  const areQuiet = isQuiet(run);
  if (!areQuiet) t.diagnostic("other load took much of the machine: figures still count");
  // Whatever else ran: what is asserted holds then, too.
  const { comparisons } = analyse(
    { ...run, cells: cells.map((cell) => ({ ...cell, machine: null })) },
    { policy: null },
  ).comparisons;

  await t.test("a delay of 5 ms each way is 10 ms more than the control's", (t) => {
    const delays = comparisons.filter(
      ({ question, measure }) => question.endsWith("-at-rate") && measure.key.endsWith("_median"),
    );
    for (const { question, figures } of delays) {
      const late = figures.find(({ proxy }) => proxy === "relay-late");
      const added = late?.extra.added?.value;
      // Where the generator itself was late there is none.
      if (added === undefined && !areQuiet) continue;
      t.diagnostic(`${question}: ${added?.toFixed(2)} ms`);
      // Nothing comes early, so it is less only by what the control's own median waited for. Ends
      // that a busy machine does not reach, and that tell it from a delay that was counted once, or
      // twice, or not at all as in a closed loop.
      assert.ok(Number(added) > 1.8 * DELAY_MS && Number(added) < 3 * DELAY_MS, `${added} ms`);
    }
    if (areQuiet) assert.equal(delays.length, 2);
  });

  await t.test(`${BURN_US} µs of CPU time a connection are ${BURN_US} µs more`, (t) => {
    const [plain, busy] = ["relay", "relay-busy"].map((name) => {
      const cell = cells.find(({ proxy }) => proxy === name);
      assert.ok(cell?.connections && cell.reference);
      return {
        us: cpuUs(cell, "proxy") / cell.connections.opened,
        referenceUs: cpuUs(cell, "reference") / cell.reference.connections,
      };
    });
    // CPU time is a counter, which other programs do not add to, and 1,200 µs of it are as many on a
    // fast machine and on a slow one. What the relay itself took varies with the machine's speed, and
    // is relative to the reference in the same cell: about 200 µs, or 800 µs where others keep
    // evicting what it has in the caches, which steal and foreign CPU time do not show. So a fifth of
    // its own time is uncertain, and little else: 100 µs in all on a fast machine, and never more
    // than a quarter of what is burned.
    const own = (plain.us * busy.referenceUs) / plain.referenceUs;
    const tolerance = Math.min(0.05 * BURN_US + 0.2 * own, 0.25 * BURN_US);
    const burned = busy.us - own;
    t.diagnostic(
      `relay ${plain.us.toFixed(0)} µs; busy ${busy.us.toFixed(0)} µs, ${burned.toFixed(0)} of them burned`,
    );
    assert.ok(Math.abs(burned - BURN_US) < tolerance, `${burned} µs, ${tolerance} off at most`);

    if (!areQuiet) return;
    const cost = comparisons.find(({ question }) => question === "cpu_us_per_connection");
    const told = (name: string) =>
      Number(cost?.figures.find(({ proxy }) => proxy === name)?.estimate?.value);
    // A report has all at the machine's usual speed, what was burned too: a cell that is further
    // from that is repeated, and marked.
    const reported = told("relay-busy") - told("relay");
    t.diagnostic(`reported: ${reported.toFixed(0)} µs more`);
    assert.ok(Math.abs(reported - BURN_US) < 0.3 * BURN_US, `${reported} µs`);
  });
});

/** @returns CPU time of its containers, in µs */
function cpuUs(cell: CellRecord, role: Role): number {
  return 1e6 * ofRole(cell, role).reduce((sum, { cpu }) => sum + cpu.totalSeconds, 0);
}
