/**
 * WebSockets over HTTP/2 (RFC 8441): CONNECTIONS of them, STREAMS on one HTTP/2 connection each, or with STREAMS=0 the same over HTTP/1.1, each on
 * a connection of its own. They are opened one after the other and held for HOLD_SECONDS, with a message of MESSAGE_BYTES on each every
 * INTERVAL_SECONDS: an open loop, whose latencies count from when a message was due. A handshake counts from when it was due, and that of the
 * first on a connection has TCP, TLS and HTTP/2's settings in it. The measured phase is the hold.
 *
 * What goes to the reference proxy (REFERENCE_SHARE) has connections of its own in any case: it is the same load in every cell.
 *
 * Why Node: k6 knows no WebSockets over HTTP/2.
 */
import { Client, targetOf } from "./lib/client.mjs";
import { Echoes } from "./lib/echoes.mjs";
import { closeAll, openEach, settle } from "./lib/held.mjs";
import { keepTo } from "./lib/keep-to.js";
import { messagesOf } from "./lib/message.js";
import { edge, main, scenarioOf, waitForTarget } from "./lib/node.mjs";
import { isReference, withReference } from "./lib/reference.js";
import { Samples } from "./lib/samples.mjs";
import { Schedule } from "./lib/schedule.js";
import { clientsOf } from "./lib/streams.mjs";
import { summarise } from "./lib/summary.js";

/** What a load ends with when connections have failed. */
const FAILED = 99;

await main(async () => {
  const scenario = scenarioOf("multiplexed");
  const { parameters, scheme, tags } = scenario;
  const { CONNECTIONS, STREAMS, CONNECTIONS_PER_SECOND } = parameters;
  const { HOLD_SECONDS, INTERVAL_SECONDS, MESSAGE_BYTES } = parameters;
  const timeoutMs = 1000 * parameters.TIMEOUT_SECONDS;
  const target = targetOf(scenario);
  const reference = targetOf({ ...scenario, host: scenario.referenceHost });
  const message = messagesOf(MESSAGE_BYTES);
  const samples = new Samples(process.env.SAMPLES_CSV);
  const all = withReference(CONNECTIONS);

  await waitForTarget(scenario);
  const beginOwn = clientsOf(target, { count: CONNECTIONS, streams: STREAMS, timeoutMs });
  let own = 0;
  const clients = await openEach(
    { count: all, perSecond: (CONNECTIONS_PER_SECOND * all) / CONNECTIONS },
    (number, dueMs) => {
      if (isReference(number))
        return Object.assign(new Client(reference, { timeoutMs }), { isReference: true });
      const client = beginOwn(own++);
      client.opened.then((how) => {
        if (how === null) samples.add("handshake_ms", performance.now() - dueMs);
      });
      return client;
    },
  );

  const counts = { echoed: 0, referenceEchoed: 0 };
  /** How those ended that did. @type {Record<string, number>} */
  const ends = {};
  let referenceFailed = 0;
  const held = clients.map((client, number) => {
    client.onEnd = (how) => {
      if (isReference(number)) referenceFailed += 1;
      else ends[how] = (ends[how] ?? 0) + 1;
    };
    const onEcho = (/** @type {number} */ ms) => {
      if (isReference(number)) return void (counts.referenceEchoed += 1);
      counts.echoed += 1;
      samples.add("echo_latency_ms", ms);
    };
    return { client, echoes: new Echoes(client, { number, message, onEcho }) };
  });

  await edge("start");
  const startMs = performance.now();
  const endMs = 1000 * HOLD_SECONDS;
  const intervalMs = 1000 * INTERVAL_SECONDS;
  const sends = await keepTo(new Schedule({ count: all, intervalMs, endMs }), {
    now: () => performance.now(),
    startMs,
    endMs,
    begin: (which, dueMs) => {
      const { client, echoes } = held[which];
      if (client.isOpen) echoes.send(dueMs);
      return client.isOpen;
    },
    isCounted: (which) => !isReference(which),
  });
  await settle(held, timeoutMs);
  samples.add("total_ms", performance.now() - startMs);
  await edge("end");

  for (const { client } of held) if (client.isOpen) client.onEnd = () => {};
  await closeAll(clients, timeoutMs);
  samples.end();
  const causes = Object.keys(ends);
  const failed = Object.values(ends).reduce((sum, count) => sum + count, 0);
  const { stdout } = summarise(
    samples.data({
      connections_opened: CONNECTIONS,
      messages_echoed: counts.echoed,
      connections_failed: failed,
      ...Object.fromEntries(causes.map((how) => [`connections_failed{cause:${how}}`, ends[how]])),
      reference_opened: all - CONNECTIONS,
      reference_echoed: counts.referenceEchoed,
      reference_failed: referenceFailed,
    }),
    {
      title: `${CONNECTIONS} WebSockets held for ${HOLD_SECONDS} s, ${STREAMS ? `${STREAMS} on an HTTP/2 connection` : "a connection each"}`,
      tags,
      parameters: { ...parameters, SCHEME: scheme },
      causes,
      sendsOf: () => sends,
    },
  );
  console.log(stdout.trimEnd());
  return failed + referenceFailed > 0 ? FAILED : 0;
});
