/**
 * Clients that ask and do not read. Of CONNECTIONS held WebSockets, STALLED stop reading after
 * QUIET_SECONDS. They continue to ask the echo server with messages of MESSAGE_BYTES until the
 * kernel takes nothing more of theirs for 2 s (held back), or they have sent LIMIT_BYTES. After
 * STALL_SECONDS they read again: everything must come, in order. The others echo a message every
 * INTERVAL_SECONDS, in both parts, but not while the first send as fast as they can, which would
 * be a load of its own.
 *
 * The bytes of one that is held back are in many places: on the way there in its own send buffer,
 * the proxy (the kernel's receive buffer, its own, the send buffer towards the server) and the
 * server's receive buffer; in the echo server, which stops reading a client that has left 1 MiB
 * unread, and so holds that and one message; on the way back in the server's send buffer, the
 * proxy as before, and this client's receive buffer. So they are more than the proxy holds, which
 * its memory shows. The control, without a proxy, shows what is not the proxy's.
 *
 * Kernels with large socket buffers hold many: with receive buffers of up to 32 MiB (Linux 6.18)
 * one connection took 10 to 27 MB without a proxy and 21 to 50 through one relay, so LIMIT_BYTES
 * must be well above that.
 *
 * With STREAMS of them on each HTTP/2 connection, over wss, those that do not read are spread
 * evenly: this shows whether one holds up its neighbours. Their own window (65,535 bytes here) is
 * then what holds the proxy back first.
 *
 * Why Node: k6 cannot pause a socket. A message of 1 KiB, sent and read, costs this client 18 µs
 * of CPU (loopback, Node 24).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { targetOf } from "./lib/client.mjs";
import { Echoes } from "./lib/echoes.mjs";
import { closeAll, countsText, openEach, settle } from "./lib/held.mjs";
import { keepTo } from "./lib/keep-to.js";
import { messagesOf } from "./lib/message.js";
import { edge, main, scenarioOf, waitForTarget } from "./lib/node.mjs";
import { latencySummary, quantile, Samples } from "./lib/samples.mjs";
import { Schedule } from "./lib/schedule.js";
import { clientsOf } from "./lib/streams.mjs";
import { summarise } from "./lib/summary.js";

/** @import { SlowReadersOfLoad } from "../services/bench/src/model/load.ts" */
/** @import { Held } from "./lib/held.mjs" */

/** Of messages of those that always read, at most. */
const HEALTHY_BYTES = 1024;
/** One of which the kernel has taken nothing for so long is held back. */
const HELD_BACK_MS = 2000;
/** Sent at a time, one whole message at least: all connections share a thread. */
const BATCH_BYTES = 65_536;
const LOOK_MS = 50;
/** What a load ends with when connections have failed. */
const FAILED = 99;
/** Ends that mean that what came back was not what is due. */
const WRONG = ["error wrong echo", "error unasked message"];

await main(async () => {
  const scenario = scenarioOf("slow-readers");
  const { parameters, scheme, tags } = scenario;
  const { CONNECTIONS, STREAMS, STALLED, CONNECTIONS_PER_SECOND, INTERVAL_SECONDS } = parameters;
  const { MESSAGE_BYTES, QUIET_SECONDS, STALL_SECONDS, LIMIT_BYTES } = parameters;
  const timeoutMs = 1000 * parameters.TIMEOUT_SECONDS;
  const samples = new Samples(process.env.SAMPLES_CSV);

  await waitForTarget(scenario);
  const clients = await openEach(
    { count: CONNECTIONS, perSecond: CONNECTIONS_PER_SECOND },
    clientsOf(targetOf(scenario), { count: CONNECTIONS, streams: STREAMS, timeoutMs }),
  );
  /** How those ended that did. @type {Record<"stalled" | "healthy", Record<string, number>>} */
  const ends = { stalled: {}, healthy: {} };
  /** @type {number[]} */
  let latencies = [];
  let echoed = 0;
  const held = clients.map((client, number) => {
    const isStalled = number < STALLED;
    const counts = ends[isStalled ? "stalled" : "healthy"];
    client.onEnd = (how) => (counts[how] = (counts[how] ?? 0) + 1);
    const message = messagesOf(isStalled ? MESSAGE_BYTES : Math.min(MESSAGE_BYTES, HEALTHY_BYTES));
    const onEcho = (/** @type {number} */ ms) => {
      echoed += 1;
      if (isStalled) return;
      latencies.push(ms);
      samples.add("echo_latency_ms", ms);
    };
    return { client, echoes: new Echoes(client, { number, message, onEcho }) };
  });
  const stalled = held.slice(0, STALLED);
  const healthy = held.slice(STALLED);
  const sends = { due: 0, late: 0, dropped: 0 };

  /**
   * Messages on those that always read, when they are due, and the last echo.
   *
   * @param {number} seconds
   * @returns {Promise<number[]>} latencies in ms
   */
  const talk = async (seconds) => {
    latencies = [];
    const endMs = 1000 * seconds;
    const intervalMs = 1000 * INTERVAL_SECONDS;
    const counts = await keepTo(new Schedule({ count: healthy.length, intervalMs, endMs }), {
      now: () => performance.now(),
      startMs: performance.now(),
      endMs,
      begin: (which, dueMs) => {
        const { client, echoes } = healthy[which];
        if (client.isOpen) echoes.send(dueMs);
        return client.isOpen;
      },
      isCounted: () => true,
    });
    for (const key of /** @type {const} */ (["due", "late", "dropped"])) sends[key] += counts[key];
    await settle(healthy, timeoutMs);
    return latencies;
  };

  await edge("start");
  const startMs = performance.now();
  const quiet = await talk(QUIET_SECONDS);
  const from = Date.now();
  const filled = await Promise.all(
    stalled.map((one) => fill(one, { bytes: MESSAGE_BYTES, limitBytes: LIMIT_BYTES, timeoutMs })),
  );
  const heldMs = Date.now();
  const whileStalled = await talk(STALL_SECONDS);
  const to = Date.now();
  await Promise.all(stalled.map((one) => drain(one, timeoutMs)));
  samples.add("total_ms", performance.now() - startMs);
  await edge("end");

  for (const { client } of held) if (client.isOpen) client.onEnd = () => {};
  await closeAll(clients, timeoutMs);
  const sent = filled.map(({ bytes }) => bytes).sort((a, b) => a - b);
  /** @type {SlowReadersOfLoad} */
  const slowReaders = {
    stalledMs: { from, held: heldMs, to },
    sentBytes: { min: sent[0], median: quantile(sent, 0.5), max: sent[sent.length - 1] },
    heldBack: filled.every(({ isHeldBack, hasEnded }) => isHeldBack || hasEnded),
    deliveredInOrder: !WRONG.some((how) => how in ends.stalled),
    lostBytes: MESSAGE_BYTES * stalled.reduce((sum, { echoes }) => sum + echoes.missing, 0),
    ends: ends.stalled,
    echoMs: { quiet: latencySummary(quiet), stalled: latencySummary(whileStalled) },
  };
  samples.end();
  const causes = Object.keys(ends.healthy);
  const failed = Object.values(ends.healthy).reduce((sum, count) => sum + count, 0);
  const { stdout } = summarise(
    samples.data({
      connections_opened: CONNECTIONS,
      messages_echoed: echoed,
      connections_failed: failed,
      ...Object.fromEntries(
        causes.map((how) => [`connections_failed{cause:${how}}`, ends.healthy[how]]),
      ),
    }),
    {
      title: `${CONNECTIONS} connections held, ${STALLED} of them stop reading, with messages of ${MESSAGE_BYTES} bytes`,
      tags,
      parameters: { ...parameters, SCHEME: scheme },
      causes,
      sendsOf: () => sends,
      notes: notesOn(slowReaders, LIMIT_BYTES),
      own: { slowReaders },
    },
  );
  console.log(stdout.trimEnd());
  return failed > 0 ? FAILED : 0;
});

/**
 * Sends and does not read.
 *
 * @param {Held} held
 * @param {object} options
 * @param {number} options.bytes of a message
 * @param {number} options.limitBytes
 * @param {number} options.timeoutMs at most
 * @returns {Promise<{bytes: number, isHeldBack: boolean, hasEnded: boolean}>} bytes: what the kernel has taken
 */
async function fill({ client, echoes }, { bytes, limitBytes, timeoutMs }) {
  const startMs = performance.now();
  const taken = { count: 0, lastMs: startMs };
  const count = Math.max(1, Math.floor(limitBytes / bytes));
  const batch = Math.max(1, Math.floor(BATCH_BYTES / bytes));
  let isOver = false;
  const send = () => {
    if (isOver || !client.isOpen) return;
    const until = Math.min(count, echoes.sent + batch);
    while (echoes.sent < until) {
      const isLast = echoes.sent === until - 1;
      echoes.send(performance.now(), (error) => {
        if (error) return;
        taken.count += 1;
        taken.lastMs = performance.now();
        // Else those that the kernel takes at once would leave no time for the others.
        if (isLast) setImmediate(send);
      });
    }
  };
  client.pause();
  send();
  const isHeldBack = () =>
    client.isOpen && taken.count < count && performance.now() - taken.lastMs > HELD_BACK_MS;
  const isLate = () => performance.now() - startMs > timeoutMs;
  const isDone = () => !client.isOpen || taken.count === count || isHeldBack() || isLate();
  while (!isDone()) await sleep(LOOK_MS);
  isOver = true;
  return { bytes: taken.count * bytes, isHeldBack: isHeldBack(), hasEnded: !client.isOpen };
}

/**
 * Reads again.
 *
 * @param {Held} held
 * @param {number} timeoutMs without an echo, at most
 * @returns {Promise<void>} when all echoes have come, or none comes any more
 */
async function drain({ client, echoes }, timeoutMs) {
  let received = echoes.received;
  let lastMs = performance.now();
  client.resume();
  while (client.isOpen ? echoes.missing > 0 : !client.hasEnded) {
    await sleep(LOOK_MS);
    if (echoes.received > received) {
      received = echoes.received;
      lastMs = performance.now();
    }
    if (performance.now() - lastMs > timeoutMs) client.fail("timeout");
  }
}

/**
 * @param {SlowReadersOfLoad} slowReaders
 * @param {number} limitBytes
 * @returns {string[]} for the table
 */
function notesOn({ sentBytes, heldBack, deliveredInOrder, lostBytes, ends, echoMs }, limitBytes) {
  const p99 = (/** @type {"quiet" | "stalled"} */ part) => echoMs[part]?.p99.toFixed(2) ?? "–";
  const ended = countsText(ends);
  return [
    `stalled: took ${sentBytes.min} to ${sentBytes.max} bytes each, ${heldBack ? "then held back" : `not held back below ${Math.min(limitBytes, sentBytes.max)}`}${ended ? `; ended: ${ended}` : ""}`,
    `read again: ${deliveredInOrder ? "in order" : "not in order"}, ${lostBytes} bytes lost`,
    `p99 of the others: ${p99("quiet")} ms before, ${p99("stalled")} ms meanwhile`,
  ];
}
