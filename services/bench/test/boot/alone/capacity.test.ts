/**
 * Searches for the most that a proxy carries under a promise, coarse ones: a relay, and the same
 * that burns CPU time. Each is two containers that share a fraction of a core.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { analyse } from "../../../src/analyse/index.ts";
import { panelsOf, readDashboards } from "../../../src/panels/dashboards.ts";
import { addBusyRelay } from "../../relays.ts";
import { isQuiet, lastAttempts, testbed } from "../../testbed.ts";

const CORES = 0.15;

const BATTLE = `title: A small search
proxies: [relay, relay-busy]
rounds: 1
seed: 1
proxyCpus: ${CORES}
promise: { sloMs: 50, resolutionPercent: 100 }
tests:
  - scenario: arrivals
    schemes: [ws]
    parameters: { CONNECTIONS_PER_SECOND: 200, ARRIVE_SECONDS: 1, MESSAGE_BYTES: 64, TIMEOUT_SECONDS: 1 }
`;

test("a search on real containers", async (t) => {
  const bed = testbed(t, BATTLE);
  addBusyRelay(bed.directory, "relay", 0);
  addBusyRelay(bed.directory, "relay-busy", 400);
  const { code, output } = await bed.bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  await bed.assertNothingLeft();
  const run = bed.results();
  const { cells } = run;
  const attempts = cells.filter(({ probes }) => probes);
  // Those that a busy machine spoiled are repeated.
  const searches = lastAttempts(attempts);
  const { comparisons } = analyse(run, { policy: null }).comparisons;
  const figures = comparisons.find(({ question }) => question === "capacity")?.figures ?? [];

  await t.test(
    "each rate is in the record with its verdict, and two containers have one budget",
    () => {
      assert.equal(searches.length, 3);
      for (const { proxy, probes = [] } of attempts)
        for (const { rate, verdict, broken, limits, measured, containers } of probes) {
          assert.equal(verdict === "holds", broken.length === 0);
          assert.equal(verdict === "limited", limits.length > 0);
          assert.ok(measured);
          const proxies = Object.values(containers).filter(({ role }) => role === "proxy");
          assert.equal(proxies.length, proxy === "none" ? 1 : 2);
          const used = proxies.map(({ cpu }) => cpu.totalSeconds);
          assert.ok(used.every((seconds) => seconds > 0));
          // What a quota allows, it allows in slices: a period may end a little above it.
          const cores = (1000 * sum(used)) / (measured.toMs - measured.fromMs);
          assert.ok(cores < 1.2 * CORES, `${cores} cores at ${rate}/s`);
        }
    },
  );

  await t.test("fresh cells are judged, and the report has the curve", () => {
    // Where the machine was at its limit the cells above the rate have nothing to show.
    const fresh = lastAttempts(cells).filter(({ round }) => round > 1);
    assert.ok(fresh.length > 0);
    assert.ok(fresh.every(({ status, judgement }) => (status === "ok") === Boolean(judgement)));
    const report = readFileSync(join(bed.directory, bed.runFolder(), "report.html"), "utf8");
    assert.match(report, /p99 over the offered rate, ws/);
  });

  await t.test("export draws the rates that were tried", async () => {
    const [panel] = readDashboards(bed.directory)
      .flatMap(panelsOf)
      .filter(({ title }) => title === "Rates that were tried");
    const args = ["--dashboard", "battle", "--panel", String(panel.id)];
    const { code, output } = await bed.bench(["export", ...args]).ended;
    assert.equal(code, 0, output);
    await bed.assertNothingLeft();
    const panels = join(bed.directory, bed.runFolder(), "panels");
    const read = (ending: string) =>
      readdirSync(panels)
        .filter((name) => name.endsWith(ending))
        .map((name) => readFileSync(join(panels, name), "utf8"));
    const [[csv, ...others], [svg]] = [read(".csv"), read(".svg")];
    assert.deepEqual(others, []);
    const [header, ...rows] = csv.trim().split("\n");
    const tried = figures.flatMap(({ extra }) => extra.search?.points ?? []);
    assert.equal(rows.length, tried.length, header);
    for (const { proxy, probes = [] } of searches)
      for (const { rate, verdict } of probes) {
        const shown = [verdict, proxy, String(rate)];
        assert.ok(
          rows.some((row) => shown.every((value) => row.split(",").includes(value))),
          `${shown}\n${csv}`,
        );
        const title = proxy === "none" ? "no proxy (control)" : proxy;
        assert.ok(svg.includes(`>${title}<`), proxy);
      }
  });

  await t.test(
    "what a relay carries is what the budget is worth at its CPU time a connection",
    (t) => {
      for (const { proxy, estimate, extra } of figures) {
        if (proxy === "none" || !estimate) continue;
        const { value: low, high } = estimate;
        const held = searches
          .find((search) => search.proxy === proxy)
          ?.probes?.filter(({ rate, verdict }) => rate <= low && verdict === "holds")
          .reduce((most, probe) => (probe.rate > most.rate ? probe : most));
        assert.ok(held?.connections);
        const seconds = Object.values(held.containers)
          .filter(({ role }) => role === "proxy")
          .map(({ cpu }) => cpu.totalSeconds);
        const cost = sum(seconds) / held.connections.opened;
        t.diagnostic(
          `${proxy}: ${low} to ${high} per second, ${(1e6 * cost).toFixed(0)} µs at ${held.rate}; the budget is worth ${(CORES / cost).toFixed(0)}`,
        );
        if (proxy === "relay-busy") assert.ok(cost > 400e-6, `${cost} s`);
        // No time is measured but CPU time, and the quota holds on any machine: more than it is
        // worth cannot be carried. A connection costs less at a higher rate, so only where it was
        // measured at that rate.
        assert.ok(held.rate < (1.2 * CORES) / cost, `${held.rate}/s at ${cost} s`);
        // A rate that broke with budget to spare was broken by something else, which a quiet
        // machine does not do.
        if (isQuiet(run) && high !== null)
          assert.ok(
            high > (0.5 * CORES) / cost,
            `${high}/s at ${cost} s, ${extra.search?.budgetPercent} % used`,
          );
      }
      const [plain, busy] = ["relay", "relay-busy"].map(
        (name) => figures.find(({ proxy }) => proxy === name)?.estimate?.value,
      );
      // 400 µs alone are 0.16 cores at 400 per second: there may be none that it carries.
      assert.ok((busy ?? 0) < 400, `${busy}`);
      if (isQuiet(run)) assert.ok(Number(plain) >= (busy ?? 0));
    },
  );
});

function sum(values: number[]) {
  return values.reduce((total, value) => total + value, 0);
}
