/**
 * Everyone reconnects: CONNECTIONS WebSockets are held, then this client resets all at once and
 * opens them again: at once, after a fixed back-off, or after one with full jitter (BACKOFF,
 * BACKOFF_SECONDS). One is back when a message of MESSAGE_BYTES has come back on it. A failed one
 * is tried again after its back-off, until all are back or TIMEOUT_SECONDS are over. Over wss
 * handshakes are full, or resume an earlier session (RESUMED).
 *
 * The control, without a proxy, shows how fast this client can open as many at all. It costs 0.5
 * ms of CPU per connection, over TLS 1.2 ms with a full handshake and 1.0 with a resumed one
 * (loopback, Node 24, on a busy machine of 2 cores). When all come at once, it opens them in one
 * go, then reads all answers to handshakes, then all echoes: none is back until most are.
 */
import { BACKOFFS, backoff } from "./lib/backoff.mjs";
import { Client, targetOf } from "./lib/client.mjs";
import { Echoes } from "./lib/echoes.mjs";
import { closeAll, countsText, openAll } from "./lib/held.mjs";
import { messagesOf } from "./lib/message.js";
import { edge, main, scenarioOf, waitForTarget } from "./lib/node.mjs";
import { sleepUntil } from "./lib/rate.mjs";
import { Samples } from "./lib/samples.mjs";
import { Sessions } from "./lib/sessions.mjs";
import { summarise } from "./lib/summary.js";
import { BUCKET_MS } from "./lib/timeline.mjs";

/** @import { Storm } from "../services/bench/src/model/load.ts" */

await main(async () => {
  const scenario = scenarioOf("storm");
  const { parameters, scheme, tags } = scenario;
  const { CONNECTIONS, CONNECTIONS_PER_SECOND, MESSAGE_BYTES, RESUMED } = parameters;
  const { BACKOFF, BACKOFF_SECONDS, SEED, ATTEMPT_SECONDS, TIMEOUT_SECONDS } = parameters;
  const resumes = RESUMED === 1;
  if (resumes && scheme === "ws")
    throw new Error(
      "no load was started: RESUMED=1: expected 0 where SCHEME is ws, which has no sessions. Set them in the environment or in .env",
    );
  const attemptMs = 1000 * ATTEMPT_SECONDS;
  const target = targetOf(scenario);
  const sessions = new Sessions();
  const samples = new Samples(process.env.SAMPLES_CSV);
  const message = messagesOf(MESSAGE_BYTES);
  const waitMs = backoff({
    kind: BACKOFF,
    baseMs: 1000 * BACKOFF_SECONDS,
    seed: `${SEED} ${tags.trial}`,
  });
  /** @type {NonNullable<ConstructorParameters<typeof Client>[1]["onSession"]>} */
  const onSession = (session) => resumes && sessions.put(session);

  await waitForTarget(scenario);
  const held = await openAll(target, {
    count: CONNECTIONS,
    perSecond: CONNECTIONS_PER_SECOND,
    each: { timeoutMs: attemptMs, onSession },
  });
  if (resumes && sessions.count === 0)
    throw new Error("the proxy gave no session: nothing can be resumed");
  await edge("start");

  /** When each came back, by performance.now(); null: it is not back. */
  const backAtMs = held.map(() => /** @type {number | null} */ (null));
  /** @type {Record<string, number>} */
  const failedByCause = {};
  /** What is under way, each by its number. @type {Map<number, Client>} */
  const clients = new Map();
  let attempts = 0;
  let missing = CONNECTIONS;
  let isOver = false;
  const { promise: allBack, resolve: tellAllBack } = Promise.withResolvers();

  /**
   * @param {number} number of the connection
   * @param {number} dueMs by performance.now()
   * @param {(how: string) => void} onFailure once, before or after it was back
   */
  const attempt = async (number, dueMs, onFailure) => {
    const session = resumes ? sessions.take() : undefined;
    const client = new Client(target, {
      timeoutMs: attemptMs,
      session,
      onSession,
      mistakeOf: (socket) => (socket.isSessionReused() === resumes ? null : "tls"),
    });
    clients.set(number, client);
    client.onEnd = onFailure;
    const how = await client.opened;
    if (how !== null) return onFailure(how);
    const openMs = performance.now();
    samples.add("handshake_ms", openMs - dueMs);
    client.limit(attemptMs);
    const onEcho = (/** @type {number} */ ms) => {
      client.limit();
      samples.add("echo_latency_ms", ms);
      backAtMs[number] = performance.now();
      missing -= 1;
      if (missing === 0) tellAllBack(undefined);
    };
    new Echoes(client, { number, message, onEcho }).send(openMs);
  };

  /**
   * @param {number} number
   * @param {number} nth attempt, from 0
   * @param {number} fromMs from when its back-off counts, by performance.now()
   */
  const comeBack = async (number, nth, fromMs) => {
    const dueMs = fromMs + waitMs(number, nth);
    await sleepUntil(dueMs, { ref: false });
    if (isOver) return;
    attempts += 1;
    attempt(number, dueMs, (how) => {
      if (isOver) return;
      failedByCause[how] = (failedByCause[how] ?? 0) + 1;
      const wasBack = backAtMs[number] !== null;
      if (wasBack) missing += 1;
      backAtMs[number] = null;
      comeBack(number, wasBack ? 0 : nth + 1, performance.now());
    });
  };

  for (const client of held) client.reset();
  const cutMs = Date.now();
  const startMs = performance.now();
  for (const number of held.keys()) comeBack(number, 0, startMs);
  const timeout = setTimeout(tellAllBack, 1000 * TIMEOUT_SECONDS);
  await allBack;
  clearTimeout(timeout);
  isOver = true;
  samples.add("total_ms", performance.now() - startMs);
  await edge("end");

  for (const client of clients.values()) if (!client.isOpen) client.fail("the storm is over");
  await closeAll([...clients.values()], attemptMs);
  const times = backAtMs.flatMap((ms) => (ms === null ? [] : [ms - startMs])).sort((a, b) => a - b);
  /** How long it took until this many % of all were back. */
  const backBy = (/** @type {number} */ percent) =>
    times[Math.ceil((percent / 100) * CONNECTIONS) - 1] ?? null;
  /** @type {Storm} */
  const storm = {
    cutMs,
    back: inBuckets(times),
    attempts,
    failedByCause,
    backMs: { p50: backBy(50), p99: backBy(99), p100: backBy(100) },
  };
  samples.end();
  const { stdout } = summarise(
    samples.data({
      connections_opened: CONNECTIONS,
      messages_echoed: samples.trend("echo_latency_ms").count ?? 0,
    }),
    {
      title: `${CONNECTIONS} connections cut at once, back ${BACKOFFS[BACKOFF]}`,
      tags,
      parameters: { ...parameters, SCHEME: scheme },
      causes: [],
      notes: notesOn(storm, CONNECTIONS - times.length),
      own: { storm },
    },
  );
  console.log(stdout.trimEnd());
});

/**
 * @param {number[]} times in ms, sorted
 * @returns {Storm["back"]}
 */
function inBuckets(times) {
  const bucketOf = (/** @type {number} */ ms) => Math.floor(ms / BUCKET_MS) * BUCKET_MS;
  return [...Map.groupBy(times, bucketOf)].map(([ms, { length }]) => ({ ms, count: length }));
}

/**
 * @param {Storm} storm
 * @param {number} missing
 * @returns {string[]} for the table
 */
function notesOn({ attempts, failedByCause, backMs }, missing) {
  const text = (/** @type {number | null} */ ms) =>
    ms === null ? "never" : `${Math.round(ms)} ms`;
  const failed = countsText(failedByCause);
  return [
    `back: 50 % after ${text(backMs.p50)}, 99 % after ${text(backMs.p99)}, all after ${text(backMs.p100)}${missing > 0 ? `; ${missing} are not` : ""}`,
    `attempts: ${attempts}${failed ? `; failed: ${failed}` : ""}`,
  ];
}
