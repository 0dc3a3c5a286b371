/**
 * What a load has seen. SurvivalOfLoad, Storm and SlowReadersOfLoad are in the summary
 * of a script in loadgen/ just as they are here.
 */
import Type, { type Static } from "typebox";
import * as shape from "./shapes.ts";

export const ms = shape.amount("since 1970");
const msOrNull = (description?: string) => shape.nullable(shape.amount(), description);

const upToP99 = {
  count: shape.count(),
  mean: shape.number(),
  sd: shape.number(),
  min: shape.number(),
  median: shape.number(),
  p90: shape.number(),
  p95: shape.number(),
  p99: shape.number(),
};

export const LatencySummary = shape.object(
  { ...upToP99, p999: shape.number(), max: shape.number() },
  "of all recorded samples of the cell, in ms",
);
export interface LatencySummary extends Static<typeof LatencySummary> {}

export const RequestLatency = shape.object(
  { ...upToP99, max: shape.number() },
  "of HTTP requests, in ms",
);

export const Requests = shape.object({
  completed: shape.count("answered, whatever the status"),
  non2xx: shape.count("of those, neither 2xx nor 3xx"),
  // wrk itself counts no statuses, and a script that did would cost CPU.
  statuses: shape.counts("what those were: of a short second pass of the same load"),
  socketErrors: shape.counts("by kind, as wrk or ab calls it"),
  causes: shape.list(
    shape.object({
      service: shape.text(),
      line: shape.text("numbers and addresses are N"),
      count: shape.count(undefined, 1),
    }),
    "lines of the logs in the measured phase, the most frequent first; counted in the last 10 MB of a container's log",
  ),
});
export interface Requests extends Static<typeof Requests> {}

export const ReferenceLoad = shape.object({
  connections: shape.count(),
  held: shape.optional(
    shape.count(
      "of the connections; absent: none, or all of those beside connections that are held",
    ),
  ),
  messages: shape.count(),
  requests: shape.count(),
});
export interface ReferenceLoad extends Static<typeof ReferenceLoad> {}

/** Of a scenario that holds connections through an event: loadgen/survive.mjs. */
export const SurvivalOfLoad = shape.object(
  {
    ends: shape.list(
      shape.object({ ms, how: shape.text(), count: shape.count() }),
      "of connections that were held, within 100 ms from ms on",
    ),
    probes: shape.list(
      shape.object({ ms, asked: shape.count(), failed: shape.count(), slow: shape.count() }),
      "new connections with one message each, by the second in which they were due; slow: the echo came after SLOW_MS, which is no failure",
    ),
    probeRuns: shape.optional(
      shape.list(
        shape.object({
          ms,
          lastMs: ms,
          count: shape.count(undefined, 1),
          what: shape.oneOf(["ok", "slow", "failed"]),
          echoedMs: shape.nullable(ms, "of the first"),
        }),
        "the same ones, as they were due, those in a row that fared alike together: when the first and the last was due, and when the echo of the first came; absent: the record is older",
      ),
    ),
    probesFailedByCause: shape.counts(),
    generations: shape.list(
      shape.object({ ms, value: shape.text() }),
      "the first answer with each value of /.generation, which says what configuration of the proxy answers; empty: it has no such page",
    ),
    certificates: shape.optional(
      shape.list(
        shape.object({ ms, value: shape.text("its serial number") }),
        "the first TLS handshake of such a request with each certificate; absent: plain, or an earlier record",
      ),
    ),
    open: shape.list(
      shape.object({ ms, count: shape.count() }),
      "connections that are held, at the edges of the phase and once per second",
    ),
    sent: shape.count("messages on connections that are held"),
    echoed: shape.count(),
    lost: shape.count(
      "sent, and not echoed in TIMEOUT_SECONDS or before the end of the connection",
    ),
    silenceMs: msOrNull(
      "the longest that a message on a connection that stayed open waited for its echo; null: none stayed",
    ),
    echoP99Ms: shape.object(
      { before: msOrNull(), after: msOrNull() },
      "of messages that were due in the quiet part, and from its end on; null: none was echoed",
    ),
  },
  "what a load that watches connections has seen. How one ended, or failed to open: close CODE REASON (a close frame came), reset, end (a FIN without a close frame), timeout, error NAME; of those that did not open also refused and status CODE",
);
export interface SurvivalOfLoad extends Static<typeof SurvivalOfLoad> {}

/** Everyone comes back: loadgen/storm.mjs. */
export const Storm = shape.object(
  {
    cutMs: ms,
    back: shape.list(
      shape.object({ ms: shape.amount("after the cut"), count: shape.count() }),
      "connections that are open again and have had a message echoed, within 100 ms from ms on",
    ),
    attempts: shape.count("to open one again, those that failed among them"),
    failedByCause: shape.counts(
      "as of survivalOfLoad, and tls: the session was not resumed, or was where it should not be",
    ),
    backMs: shape.object(
      { p50: msOrNull(), p99: msOrNull(), p100: msOrNull() },
      "from the cut until this many % were back; null: they were not",
    ),
  },
  "all connections of a load are cut at once by its own reset, and come back",
);
export interface Storm extends Static<typeof Storm> {}

/** Clients that stop reading among healthy ones: loadgen/slow-readers.mjs. */
export const SlowReadersOfLoad = shape.object(
  {
    stalledMs: shape.object(
      { from: ms, held: ms, to: ms },
      "from when they read nothing; when each was held back, or had sent LIMIT_BYTES, and sent no more; to when they read again. Before `from` the load is its own control",
    ),
    sentBytes: shape.object(
      { min: shape.count(), median: shape.amount(), max: shape.count() },
      "what the kernel took of each of them, in whole messages",
    ),
    heldBack: shape.flag(
      "all were held back before they had sent LIMIT_BYTES: what was between is bounded",
    ),
    deliveredInOrder: shape.flag(
      "all that came back after they read again was as it was sent, and in order",
    ),
    lostBytes: shape.count("of what they sent, never echoed"),
    ends: shape.counts("those of them that ended, by how, as of survivalOfLoad"),
    echoMs: shape.object(
      { quiet: shape.nullable(LatencySummary), stalled: shape.nullable(LatencySummary) },
      "of connections that always read, before stalledMs.from, and between held and to; null: no echo",
    ),
  },
  "some of a load's connections ask and do not read the answer",
);
export interface SlowReadersOfLoad extends Static<typeof SlowReadersOfLoad> {}

export const Distribution = shape.nullable(
  Type.String({ pattern: "^\\d+(x\\d+)?( \\d+(x\\d+)?)*$" }),
  "buckets that have a value, from the lowest: the step of the bucket's number from the one before, and after an x its count where that is not 1. HdrHistogram's buckets: those up to 2,047 are 1 µs each; number n above is of power k = floor(n / 1,024) - 1, and holds 2^k values from (n - 1,024 k) x 2^k µs on",
);
