/**
 * Everyone comes back, and clients that do not read, small: through nginx, the control, and a relay
 * that keeps whatever is not taken.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { addHoardingRelay } from "../relays.ts";
import { lastAttempts, testbed } from "../testbed.ts";

const CONNECTIONS = 40;
const STALLED = 2;
/** More than the kernel keeps between a client and a server that do not read. */
const LIMIT_BYTES = 64 * 1024 ** 2;

const BATTLE = `title: Small storm, few stalls
proxies: [none, nginx, hoarder]
rounds: 1
seed: 1
tests:
  - scenario: storm
    schemes: [ws]
    parameters: { CONNECTIONS: ${CONNECTIONS}, BACKOFF: 2, BACKOFF_SECONDS: 0.2, TIMEOUT_SECONDS: 10 }
  - scenario: slow-readers
    schemes: [ws]
    parameters:
      CONNECTIONS: 10
      STALLED: ${STALLED}
      INTERVAL_SECONDS: 0.2
      MESSAGE_BYTES: 65536
      QUIET_SECONDS: 2
      STALL_SECONDS: 2
      LIMIT_BYTES: ${LIMIT_BYTES}
      TIMEOUT_SECONDS: 10
`;

test("storms and stalls: what becomes of them is in record and report", async (t) => {
  const { bench, directory, results, quieten, runFolder, assertNothingLeft } = testbed(t, BATTLE);
  addHoardingRelay(directory, "hoarder");
  const { code, output } = await bench(["run", "one"]).ended;
  assert.equal(code, 0, output);
  await assertNothingLeft();
  const run = results();
  const cellOf = (proxy: string, scenario: string) => {
    const cell = lastAttempts(run.cells).find(
      (one) => one.proxy === proxy && one.scenario === scenario,
    );
    assert.equal(cell?.status, "ok", cell?.cause?.message);
    return cell;
  };

  for (const proxy of ["none", "nginx", "hoarder"]) {
    await t.test(`${proxy}: all come back after a storm`, () => {
      const { storm } = cellOf(proxy, "storm");
      assert.ok(storm);
      assert.equal(
        storm.back.reduce((sum, { count }) => sum + count, 0),
        CONNECTIONS,
      );
      assert.ok(storm.attempts >= CONNECTIONS);
      const { p50, p99, p100 } = storm.backMs;
      assert.ok(p50 !== null && p99 !== null && p100 !== null);
      assert.ok(p50 <= p99 && p99 <= p100);
    });

    await t.test(`${proxy}: what stalled clients are sent comes whole, and in order`, () => {
      const { slowReaders } = cellOf(proxy, "slow-readers");
      assert.ok(slowReaders);
      assert.equal(slowReaders.deliveredInOrder, true);
      assert.equal(slowReaders.lostBytes, 0);
      assert.deepEqual(slowReaders.ends, {});
      assert.ok(slowReaders.echoMs.quiet && slowReaders.echoMs.stalled);
    });
  }

  for (const proxy of ["none", "nginx"]) {
    await t.test(`${proxy} holds a sender back`, () => {
      const { slowReaders } = cellOf(proxy, "slow-readers");
      assert.equal(slowReaders?.heldBack, true);
      assert.ok(Number(slowReaders?.sentBytes.max) < LIMIT_BYTES);
    });
  }

  await t.test("the relay that keeps all is found: memory and words", () => {
    const { slowReaders } = cellOf("hoarder", "slow-readers");
    assert.equal(slowReaders?.heldBack, false);
    const { memory, sentBytes } = slowReaders as NonNullable<typeof slowReaders>;
    assert.ok(sentBytes.min >= LIMIT_BYTES, `${sentBytes.min} bytes`);
    assert.ok(memory);
    const grown = memory.stalled.usageBytes - memory.quiet.usageBytes;
    assert.ok(grown > (STALLED * LIMIT_BYTES) / 2, `${grown} bytes`);
  });

  await t.test("the report names it", () => {
    quieten();
    const page = readFileSync(join(directory, runFolder(), "report.html"), "utf8");
    assert.match(page, /hoarder<\/th>\s*<td class="words">no: the proxy buffers</);
    assert.match(page, /nginx<\/th>\s*<td class="words">yes</);
  });
});
