/**
 * A search for the most that a proxy carries under a promise, small: a proxy of two containers, which share a fraction of a core.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { lastAttempts, testbed } from "../testbed.js";

const CORES = 0.15;

const BATTLE = `title: A small search
proxies: [haproxy-hitch]
rounds: 1
seed: 1
proxyCpus: ${CORES}
promise: { sloMs: 50 }
tests:
  - scenario: arrivals
    schemes: [ws]
    parameters: { CONNECTIONS_PER_SECOND: 150, ARRIVE_SECONDS: 2, MESSAGE_BYTES: 64, TIMEOUT_SECONDS: 2 }
    warmUp: {}
`;

test("each rate is in the record with its verdict, and two containers have one budget", async (t) => {
  const bed = testbed(t, BATTLE);
  const { code, output } = await bed.bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  await bed.assertNothingLeft();
  const { cells } = bed.results();
  const search = cells.find(({ proxy, probes }) => proxy === "haproxy-hitch" && probes);
  assert.ok(search?.probes?.length, output);
  for (const { rate, verdict, broken, limits, measured, containers } of search.probes) {
    assert.equal(verdict === "holds", broken.length === 0);
    assert.equal(verdict === "limited", limits.length > 0);
    assert.ok(measured);
    const proxies = Object.values(containers).filter(({ role }) => role === "proxy");
    assert.equal(proxies.length, 2);
    const used = proxies.reduce((sum, { cpu }) => sum + cpu.totalSeconds, 0);
    // What a quota allows, it allows in slices: a period may end a little above it.
    const cores = (1000 * used) / (measured.toMs - measured.fromMs);
    assert.ok(cores < 1.2 * CORES, `${cores} cores at ${rate}/s`);
  }
  // Where the machine was at its limit the cells above the rate have nothing to show.
  const fresh = lastAttempts(cells).filter(({ round }) => round > 1);
  assert.ok(fresh.every(({ status, judgement }) => (status === "ok") === Boolean(judgement)));
  const report = readFileSync(join(bed.directory, bed.runFolder(), "report.html"), "utf8");
  assert.match(report, /p99 over the offered rate, handshakes, ws/);
});
