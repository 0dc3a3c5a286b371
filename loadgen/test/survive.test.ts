/**
 * loadgen/survive.mjs as a program of its own, before relays to which something happens between the
 * edges.
 */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, test } from "node:test";
import { csvParse } from "d3-dsv";
import { certificate } from "../../services/bench/src/conformance/testing/certificate.ts";
import { startServer } from "../../services/bench/src/conformance/testing/server.ts";
import { readLatencies, readSummary } from "../../services/bench/src/run/k6.ts";
import { cut, finish, stall, startRelay } from "./relay.ts";
import { edges, folder, script, tlsEnvironment } from "./script.ts";
import type { TestContext } from "node:test";
import type { AddressInfo } from "node:net";
import type { WebSocket } from "ws";
import type { SurvivalOfLoad } from "../../services/bench/src/model/load.ts";
import type { Relay } from "./relay.ts";

/** Of connections. */
const COUNT = 20;
/** From the first edge to what happens. */
const QUIET_MS = 1000;

/**
 * A server that answers /.generation, a relay before it, and the load through both.
 *
 * @param happens after the quiet part; served: connections of the server
 */
async function survive(
  t: TestContext,
  happens: (each: {
    relay: Relay;
    served: WebSocket[];
    answer: (generation: string) => void;
  }) => void | Promise<void>,
  env: Record<string, string> = {},
) {
  const served: WebSocket[] = [];
  let generation = "1";
  const server = await startServer({
    connection: (ws) => served.push(ws),
    respond: ({ url }, response) =>
      void response.end(url === "/.generation" ? `${generation}\n` : "ok\n"),
  });
  t.after(() => server.close());
  const directory = folder(t);
  const isTls = env.SCHEME === "wss";
  const relay = await startRelay(t, isTls ? server.tlsPort : server.plainPort);
  const moments = { startMs: 0, happenedMs: 0 };
  const runner = await edges(t, {
    start: () => {
      moments.startMs = Date.now();
      const answer = (text: string) => void (generation = text);
      setTimeout(async () => {
        moments.happenedMs = Date.now();
        await happens({ relay, served, answer });
      }, QUIET_MS);
    },
  });
  const { code, stdout, stderr } = await script("survive", {
    ...runner,
    ...(isTls && tlsEnvironment(directory)),
    TARGET_PORT: String(relay.port),
    SAMPLES_CSV: join(directory, "load-1.csv"),
    CONNECTIONS: String(COUNT),
    CONNECTIONS_PER_SECOND: "200",
    INTERVAL_SECONDS: "0.2",
    QUIET_SECONDS: String(QUIET_MS / 1000),
    WATCH_SECONDS: "2",
    TIMEOUT_SECONDS: "5",
    ...env,
  });
  assert.equal(code, 0, stderr);
  assert.equal(stderr, "");
  const summary = readSummary(stdout);
  const survival = summary?.survival as SurvivalOfLoad;
  const timeline = csvParse(readFileSync(join(directory, "survival.csv"), "utf8"));
  for (const [kind, expected] of [
    ["sent", survival.sent],
    ["echoed", survival.echoed],
    ["lost", survival.lost],
    ["end", COUNT - openAtEnd(survival)],
    ["probe", sumOf(survival.probes, "asked")],
  ] as const)
    assert.equal(
      timeline
        .filter((row) => row.kind === kind)
        .reduce((sum, { count }) => sum + Number(count), 0),
      expected,
      kind,
    );
  assert.equal(survival.echoed + survival.lost, survival.sent);
  // Who comes in the place of another comes at no even intervals.
  if (env.LIFETIME_SECONDS === undefined) assertRuns(survival);
  return {
    summary,
    survival,
    stdout,
    timeline,
    samples: join(directory, "load-1.csv"),
    ...moments,
  };
}

/** Runs of probes say the same as their counts per second, and when each was due. */
function assertRuns({ probes, probeRuns = [] }: SurvivalOfLoad) {
  const single = probeRuns.flatMap(({ ms, lastMs, count, what }) =>
    Array.from({ length: count }, (_, i) => ({
      what,
      ms: ms + (i * (lastMs - ms)) / Math.max(1, count - 1),
    })),
  );
  for (const [i, { ms: _, asked, ...counts }] of probes.entries()) {
    // The first of a second is due at it sharp, but for what fractions lose.
    const own = single.filter(({ ms }) => Math.floor((ms - probes[0].ms + 0.01) / 1000) === i);
    const of = (kind: string) => own.filter(({ what }) => what === kind).length;
    assert.deepEqual(
      { asked: own.length, failed: of("failed"), slow: of("slow") },
      { asked, ...counts },
      `second ${i}`,
    );
  }
  assert.ok(probeRuns.every(({ what }, i) => what !== probeRuns[i - 1]?.what));
}

function openAtEnd({ open }: SurvivalOfLoad) {
  return (open.at(-1) as { count: number }).count;
}

function sumOf(probes: SurvivalOfLoad["probes"], key: "asked" | "failed" | "slow") {
  return probes.reduce((sum, probe) => sum + probe[key], 0);
}

/** @returns connections by how they ended */
function byHow({ ends }: SurvivalOfLoad): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { how, count } of ends) counts[how] = (counts[how] ?? 0) + count;
  return counts;
}

describe("survive", { concurrency: 3 }, () => {
  for (const scheme of ["ws", "wss"])
    test(`${scheme}: nothing happens to connections, and a new generation answers`, async (t) => {
      const { summary, survival, samples, startMs, happenedMs, stdout } = await survive(
        t,
        ({ answer }) => answer("2"),
        { SCHEME: scheme },
      );
      assert.deepEqual(summary?.connections, { opened: COUNT, failed: 0, failedByCause: {} });
      assert.deepEqual(survival.ends, []);
      assert.equal(survival.lost, 0);
      assert.equal(summary?.sends?.due, COUNT * 15);
      assert.equal(survival.sent, COUNT * 15 - Number(summary?.sends?.dropped));
      assert.deepEqual(
        survival.probes.map(({ asked }) => asked),
        [20, 20, 20],
      );
      assert.deepEqual(survival.probesFailedByCause, {});
      assert.ok(survival.open.length >= 4);
      assert.ok(survival.open.every(({ count }) => count === COUNT));
      assert.ok(Math.abs(survival.open[0].ms - startMs) < QUIET_MS);
      const [first, second, ...others] = survival.generations;
      assert.deepEqual([first.value, second.value, others], ["1", "2", []]);
      const serials = survival.certificates?.map(({ value }) => value);
      const { serialNumber } = new X509Certificate(certificate("ecdsa"));
      assert.deepEqual(serials, scheme === "wss" ? [`${BigInt(`0x${serialNumber}`)}`] : undefined);
      assert.ok(second.ms >= happenedMs);
      const { before, after } = survival.echoP99Ms;
      assert.ok(Number(before) > 0 && Number(after) > 0 && Number(survival.silenceMs) > 0);
      const { handshakeMs, echoLatencyMs, totalMs } = await readLatencies(samples);
      assert.equal(handshakeMs.length, 60);
      // 15 messages on each, at most 10 of them.
      assert.ok(echoLatencyMs.length > COUNT * 6 && echoLatencyMs.length <= COUNT * 8);
      assert.ok(totalMs[0] >= 3000);
      assert.match(stdout, /survived: 20\n/);
    });

  test("clients come and go: another connection in the place of each, and nothing is lost", async (t) => {
    let all: WebSocket[] = [];
    const { survival } = await survive(t, ({ served }) => void (all = served), {
      LIFETIME_SECONDS: "0.5",
    });
    assert.deepEqual([survival.ends, survival.lost, openAtEnd(survival)], [[], 0, COUNT]);
    // 60 probes and, on a quick machine, 120 others in 3 s: nobody leaves a connection that is not open yet.
    const asked = sumOf(survival.probes, "asked");
    assert.deepEqual([all.length, sumOf(survival.probes, "failed")], [COUNT + asked, 0]);
    assert.ok(asked > 60 + COUNT / 2, `${asked} came`);
    const inRuns = survival.probeRuns?.reduce((sum, { count }) => sum + count, 0);
    assert.equal(inRuns, asked);
  });

  test("a relay that resets a tenth of its connections", async (t) => {
    const { survival, happenedMs, stdout } = await survive(t, ({ relay }) =>
      relay.each(cut, COUNT / 10),
    );
    assert.deepEqual(byHow(survival), { reset: COUNT / 10 });
    assert.ok(survival.ends.every(({ ms }) => ms > happenedMs - 100));
    assert.equal(openAtEnd(survival), COUNT - COUNT / 10);
    assert.match(stdout, /survived: 18; ended: 2 reset\n/);
  });

  test("half of them busy: the others send every minute, and how they end is known, too", async (t) => {
    const { summary, survival, stdout } = await survive(
      t,
      // The first is not busy.
      ({ relay }) => relay.each(cut, 1),
      { BUSY_PERCENT: "50" },
    );
    // Half of them 15 times in 3 s; each of the others once, or not yet.
    const due = Number(summary?.sends?.due) - (COUNT / 2) * 15;
    assert.ok(due >= 0 && due <= COUNT / 2, `${due} due on those that are not busy`);
    assert.deepEqual(byHow(survival), { reset: 1 });
    assert.match(stdout, /64 bytes on 50 % of them every 0\.2 s/);
  });

  test("new connections that stay are open until the load ends", async (t) => {
    const open: number[] = [];
    const { survival } = await survive(
      t,
      ({ relay }) => void setTimeout(() => open.push(relay.pairs.size), 1500),
      { KEPT_PERCENT: "50" },
    );
    // Half of the 50 that were due by then, but for the last of them; and the held ones.
    assert.ok(open[0] >= COUNT + 15, `${open} open`);
    assert.deepEqual([survival.ends, survival.probesFailedByCause], [[], {}]);
  });

  test("a server that closes with a code and a reason", async (t) => {
    const { survival } = await survive(t, ({ served }) => {
      for (const ws of served.slice(0, COUNT)) ws.close(1001, "server stops");
    });
    assert.deepEqual(byHow(survival), { "close 1001 server stops": COUNT });
    assert.deepEqual([openAtEnd(survival), survival.silenceMs], [0, null]);
  });

  test("a relay that ends connections without a close frame, over TLS", async (t) => {
    const { survival } = await survive(t, ({ relay }) => relay.each(finish, 7), { SCHEME: "wss" });
    assert.deepEqual(byHow(survival), { end: 7 });
  });

  test("a relay that stalls: those it carried time out, what they sent is lost; new ones are carried", async (t) => {
    const { survival, happenedMs } = await survive(t, ({ relay }) => relay.each(stall, 10), {
      WATCH_SECONDS: "5",
      TIMEOUT_SECONDS: "4",
    });
    assert.deepEqual(byHow(survival), { timeout: 10 });
    assert.ok(survival.ends.every(({ ms }) => ms > happenedMs + 3500));
    // 5 per second each, until it is known.
    assert.ok(survival.lost >= 100 && survival.lost <= 300, `${survival.lost} lost`);
    assert.deepEqual(survival.probesFailedByCause, {});
    assert.ok(Number(survival.silenceMs) < 4000);
  });

  test("a relay that refuses new connections, and keeps those it has", async (t) => {
    const { survival } = await survive(t, ({ relay }) => relay.refuse());
    assert.deepEqual(survival.ends, []);
    const [, second, third] = survival.probes;
    assert.ok(second.failed > 0 && third.failed === 20, JSON.stringify(survival.probes));
    const { refused, reset = 0 } = survival.probesFailedByCause;
    // Those that the kernel had taken, and the relay not yet, are reset.
    assert.equal(refused + reset, sumOf(survival.probes, "failed"));
    assert.ok(refused >= 20);
  });

  test("a gateway with nothing behind it, and then again", async (t) => {
    const bad = createServer((_, response) => response.writeHead(502).end("bad gateway"));
    await once(bad.listen(0, "127.0.0.1"), "listening");
    t.after(() => bad.close());
    const { survival, timeline } = await survive(t, async ({ relay }) => {
      const good = relay.target;
      relay.target = (bad.address() as AddressInfo).port;
      setTimeout(() => (relay.target = good), 500);
    });
    const failed = sumOf(survival.probes, "failed");
    assert.ok(failed >= 3 && failed <= 30, `${failed} failed`);
    assert.deepEqual(survival.probesFailedByCause, { "status 502": failed });
    assert.deepEqual(
      survival.generations.map(({ value }) => value),
      ["1"],
    );
    const answers = timeline.filter(({ kind }) => kind === "generation").map(({ what }) => what);
    assert.deepEqual([...new Set(answers)], ["1", "failed status 502"]);
  });

  test("a relay that holds new connections up: slow is no failure", async (t) => {
    const { survival } = await survive(
      t,
      ({ relay }) => {
        const held = new Set(relay.pairs);
        const timer = setInterval(() => {
          for (const pair of relay.pairs) {
            if (held.has(pair)) continue;
            held.add(pair);
            const { client, server } = pair;
            client.unpipe(server).pause();
            setTimeout(() => client.pipe(server), 400);
          }
        }, 1);
        t.after(() => clearInterval(timer));
      },
      { SLOW_MS: "200", TIMEOUT_SECONDS: "2" },
    );
    assert.deepEqual([survival.ends, survival.probesFailedByCause], [[], {}]);
    assert.ok(survival.probes[2].slow >= 15, JSON.stringify(survival.probes));
  });

  test("connections that cannot all be held: it ends before the measured phase, and says why", async (t) => {
    let count = 0;
    // What waits for the target asks over HTTP.
    const server = await startServer({ handshake: () => ++count <= 15 });
    t.after(() => server.close());
    let hasStarted = false;
    const runner = await edges(t, { start: () => (hasStarted = true) });
    const { code, stderr } = await script("survive", {
      ...runner,
      TARGET_PORT: String(server.plainPort),
      CONNECTIONS: String(COUNT),
      TIMEOUT_SECONDS: "1",
    });
    assert.deepEqual([code, hasStarted], [1, false]);
    assert.match(stderr, /^5 of 20 connections did not open, .*: 5 timeout$/m);
  });
});
