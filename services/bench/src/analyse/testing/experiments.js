/**
 * Made-up runs in which something happens to connections, for tests: every figure is consistent with every other.
 */
import { SCENARIOS } from "../../plan/testing/scenarios.js";
import { containerRecord, idleRecord, plannedCell, results } from "./results.js";

/** @import { CellRecord, SlowReaders, Survival } from "../../model/cell.ts" */
/** @import { MemoryReading } from "../../model/container.ts" */
/** @import { LatencySummary, Storm } from "../../model/load.ts" */
/** @import { PlannedCell, ScenarioDescription, Scheme } from "../../model/plan.ts" */
/** @import { Results } from "../../model/record.ts" */

/** First edge of every measured phase, in ms since 1970; the event comes after the quiet part. */
const FROM_MS = 1e12;
const QUIET_SECONDS = 10;
const WATCH_SECONDS = 60;
const SECONDS = QUIET_SECONDS + WATCH_SECONDS;
const EVENT_MS = FROM_MS + 1000 * QUIET_SECONDS;
const PROBES_PER_SECOND = 20;

/** @type {ScenarioDescription} */
const DESCRIPTION = {
  description: "Connections that are held.",
  runner: "node",
  protocol: "websocket",
  loop: "open",
  holdsConnections: true,
  dropsConnections: false,
  compares: "survival",
  generatorThreads: "one",
  backend: "echo",
  parameterNames: {
    connections: "CONNECTIONS",
    connectionsPerSecond: "CONNECTIONS_PER_SECOND",
    intervalSeconds: "INTERVAL_SECONDS",
    messageBytes: "MESSAGE_BYTES",
    timeoutSeconds: "TIMEOUT_SECONDS",
    watchSeconds: "WATCH_SECONDS",
    stalled: "STALLED",
    backoff: "BACKOFF",
  },
};

const PARAMETERS = {
  CONNECTIONS: 2000,
  CONNECTIONS_PER_SECOND: 500,
  INTERVAL_SECONDS: 1,
  MESSAGE_BYTES: 64,
  TIMEOUT_SECONDS: 10,
  WATCH_SECONDS,
};

/** What each event does, in the battle's order. @type {Record<string, string>} */
const EVENTS = {
  none: "nothing",
  reload: "a reload after a change of the configuration",
  stop: "SIGTERM as Compose sends it, started again at once",
  "backend-scale": "a third server appears behind the proxy",
};

/**
 * @typedef {object} Outcome of one proxy in one event, in each repetition; what is left out: nothing happened
 * @property {{afterMs: number, how: string, count: number}[]} [ends]
 * @property {{second: number, count: number, cause: string}[]} [failed] new handshakes, seconds after the event
 * @property {number} [slow] new handshakes in the second of the event
 * @property {number} [lost] messages
 * @property {number} [silenceMs]
 * @property {number | null} [newGenerationMs]
 * @property {string[]} [generations] of the configuration that answered, in their order
 * @property {[before: number, peak: number, end: number]} [processes]
 * @property {[before: number, peak: number, end: number]} [megabytes]
 * @property {{goneMs: number | null, atEnd: number, leaked: number | null}} [old] processes; leaked null: not read when the load had gone
 * @property {Survival["echoShare"]} [echoShare]
 *
 * @typedef {Outcome | string | null} Planned a text: why it is skipped; null: it is not planned
 */

/**
 * @param {object} options
 * @param {Record<string, Record<string, Planned>>} options.proxies by name, and by event; none is among them as any other
 * @param {number} [options.rounds]
 * @param {number} [options.connections]
 * @param {Scheme} [options.scheme]
 * @returns {Results}
 */
export function survivalResults({ proxies, rounds = 5, connections = 2000, scheme = "ws" }) {
  const parameters = { ...PARAMETERS, CONNECTIONS: connections };
  const run = experiment(
    "survival",
    { proxies, rounds, scheme, parameters },
    (record, outcome, event) => {
      const survival = survivalOf(outcome, record, event);
      const to = survival.open.at(-1)?.count ?? 0;
      return { ...record, survival, connectionsHeld: { from: connections, to } };
    },
  );
  const events = new Set(Object.values(proxies).flatMap((own) => Object.keys(own)));
  run.plan.events = Object.fromEntries(
    Object.entries(EVENTS).filter(([event]) => events.has(event)),
  );
  return run;
}

/**
 * @typedef {{seconds: [p50: number, p99: number, p100: number | null], attempts?: number, missing?: number, failedByCause?: Record<string, number>}} Return
 *   of all that were cut; missing: those that never came back
 *
 * @param {Record<string, Return[]>} proxies by name, one a round
 * @param {{BACKOFF?: number}} [parameters]
 * @returns {Results}
 */
export function stormResults(proxies, { BACKOFF = 0 } = {}) {
  const parameters = { ...PARAMETERS, BACKOFF };
  return experiment("storm", { proxies: byRound(proxies), parameters }, (record, outcome) => {
    const { seconds, attempts = 2000, missing = 0, failedByCause = {} } = outcome[record.round - 1];
    const [p50, p99, p100] = seconds.map((each) => each && 1000 * each);
    const last = p100 ?? p99 ?? 0;
    /** @type {Storm} */
    const storm = {
      cutMs: EVENT_MS,
      back: [
        { ms: bucketOf(p50), count: 1000 },
        { ms: bucketOf(p99), count: 980 },
        { ms: bucketOf(last), count: 20 - missing },
      ],
      attempts,
      failedByCause,
      backMs: { p50, p99, p100 },
    };
    return { ...record, storm };
  });
}

/**
 * @typedef {object} Stall
 * @property {number} sent bytes on a stalled connection
 * @property {boolean} heldBack
 * @property {number} grown bytes of the proxy for each stalled connection
 * @property {[quiet: number, stalled: number]} p99Ms of the others
 * @property {boolean} [inOrder]
 * @property {number} [lostBytes]
 * @property {Record<string, number>} [ends] stalled connections that ended, by how
 *
 * @param {Record<string, Stall>} proxies
 * @param {{rounds?: number, stalled?: number}} [options]
 * @returns {Results}
 */
export function stallResults(proxies, { rounds = 2, stalled = 10 } = {}) {
  const parameters = { ...PARAMETERS, CONNECTIONS: 100, STALLED: stalled };
  const all = Object.fromEntries(
    Object.entries(proxies).map(([name, stall]) => [name, Array(rounds).fill(stall)]),
  );
  return experiment("stalls", { proxies: byRound(all), parameters }, (record, outcome) => {
    const stall = /** @type {Stall} */ (outcome[0]);
    const { sent, heldBack, grown, p99Ms, inOrder = true, lostBytes = 0, ends = {} } = stall;
    /** @type {SlowReaders} */
    const slowReaders = {
      stalledMs: { from: EVENT_MS, held: EVENT_MS + 2000, to: EVENT_MS + 20_000 },
      ends,
      sentBytes: { min: sent, median: sent, max: sent },
      heldBack,
      deliveredInOrder: inOrder,
      lostBytes,
      echoMs: { quiet: latencies(p99Ms[0]), stalled: latencies(p99Ms[1]) },
      memory: { quiet: memory(30e6), stalled: memory(30e6 + stalled * grown) },
    };
    return { ...record, slowReaders };
  });
}

/**
 * @template T
 * @param {Record<string, T[]>} proxies one a round
 * @returns {Record<string, Record<string, T[]>>} as the only event
 */
function byRound(proxies) {
  return Object.fromEntries(Object.entries(proxies).map(([name, all]) => [name, { "": all }]));
}

/**
 * @template T
 * @param {ScenarioDescription["compares"]} compares
 * @param {{proxies: Record<string, Record<string, T | string | null>>, rounds?: number, scheme?: Scheme, parameters: Record<string, number>}} about
 * @param {(record: CellRecord, outcome: T, event: string) => CellRecord} change
 * @returns {Results}
 */
function experiment(compares, { proxies, rounds, scheme = "ws", parameters }, change) {
  const base = results({ proxies: Object.fromEntries(Object.keys(proxies).map((n) => [n, {}])) });
  /** @type {PlannedCell[]} */
  const cells = [];
  /** @type {CellRecord[]} */
  const records = [];
  for (const [proxy, events] of Object.entries(proxies)) {
    for (const [event, outcome] of Object.entries(events)) {
      if (outcome === null) continue;
      const all = rounds ?? (Array.isArray(outcome) ? outcome.length : 1);
      for (let round = 1; round <= all; round++) {
        const skip = typeof outcome === "string" ? outcome : null;
        const cell = plannedCell({
          ...{ id: `r${round}-${proxy}-holding-${scheme}-${event}`, round, proxy, scheme, skip },
          ...{ scenario: "holding", parameters, ...(event && { event }) },
        });
        cells.push(cell);
        if (typeof outcome !== "string") records.push(change(recordOf(cell), outcome, event));
      }
    }
  }
  return {
    ...base,
    plan: {
      ...base.plan,
      rounds: Math.max(...cells.map(({ round }) => round)),
      scenarios: { ...SCENARIOS, holding: { ...DESCRIPTION, compares } },
      cells,
    },
    cells: records,
  };
}

/** @param {PlannedCell} cell */
function recordOf(cell) {
  const record = idleRecord(cell, { totalSeconds: SECONDS });
  return {
    ...record,
    parameters: cell.parameters,
    measured: { fromMs: FROM_MS, toMs: FROM_MS + 1000 * SECONDS },
    containers: {
      ...record.containers,
      "load-1": containerRecord({ role: "load", cpuSeconds: 0.3 * SECONDS }),
    },
  };
}

/**
 * @param {Outcome} outcome
 * @param {CellRecord} record
 * @param {string} event
 * @returns {Survival}
 */
function survivalOf(outcome, { connections }, event) {
  const { ends = [], failed = [], slow = 0, lost = 0, silenceMs = 12, old, echoShare } = outcome;
  const { processes = [3, 3, 3], megabytes = [40, 40, 40], newGenerationMs = null } = outcome;
  const { generations = [] } = outcome;
  const all = connections?.opened ?? 0;
  const seconds = Array.from({ length: SECONDS }, (_, i) => i);
  const openAt = (/** @type {number} */ ms) =>
    ends.reduce((left, { afterMs, count }) => (EVENT_MS + afterMs < ms ? left - count : left), all);
  const sent = all * SECONDS;
  /** @type {(values: number[], second: number) => number} */
  const course = ([before, peak, end], second) =>
    second < QUIET_SECONDS + 1 ? before : second < SECONDS - 1 ? peak : end;
  const reading = (/** @type {number} */ second) => ({
    ms: FROM_MS + 1000 * second,
    processes: course(processes, second),
    oldProcesses: !old || second < QUIET_SECONDS ? 0 : second < SECONDS - 1 ? 2 : old.atEnd,
    memoryBytes: 1e6 * course(megabytes, second),
    cpuSeconds: 0.02 * second,
  });
  const causes = Map.groupBy(failed, ({ cause }) => cause);
  return {
    event,
    eventMs: EVENT_MS,
    steps: [{ ms: EVENT_MS, what: "HUP to the proxy" }],
    newGenerationMs,
    around: seconds.map(reading),
    ...(old && { oldProcessesGoneMs: old.goneMs }),
    afterwards:
      old && old.leaked !== null ? { ...reading(SECONDS), oldProcesses: old.leaked } : null,
    ...(echoShare && { echoShare }),
    ends: ends.map(({ afterMs, how, count }) => ({ ms: EVENT_MS + afterMs, how, count })),
    probes: seconds.map((second) => {
      const own = failed.filter((one) => one.second === second - QUIET_SECONDS);
      return {
        ms: FROM_MS + 1000 * second,
        asked: PROBES_PER_SECOND,
        failed: own.reduce((sum, { count }) => sum + count, 0),
        slow: second === QUIET_SECONDS ? slow : 0,
      };
    }),
    probesFailedByCause: Object.fromEntries(
      [...causes].map(([cause, own]) => [cause, own.reduce((sum, { count }) => sum + count, 0)]),
    ),
    generations: generations.map((value, i) => ({ ms: FROM_MS + 1000 * i, value })),
    open: [...seconds, SECONDS].map((second) => {
      const ms = FROM_MS + 1000 * second;
      return { ms, count: openAt(ms) };
    }),
    sent,
    echoed: sent - lost,
    lost,
    silenceMs: openAt(Infinity) > 0 ? silenceMs : null,
    echoP99Ms: { before: 2, after: 2 },
  };
}

/** @param {number | null} ms */
function bucketOf(ms) {
  return Math.floor((ms ?? 0) / 100) * 100;
}

/**
 * @param {number} p99
 * @returns {LatencySummary}
 */
function latencies(p99) {
  const mean = p99 / 3;
  return {
    ...{ count: 1000, mean, sd: mean / 2, min: mean / 10, median: mean, p90: 2 * mean },
    ...{ p95: 2.5 * mean, p99, p999: 1.2 * p99, max: 2 * p99 },
  };
}

/**
 * @param {number} usageBytes
 * @returns {MemoryReading} a third of it is the kernel's
 */
function memory(usageBytes) {
  const kernelBytes = usageBytes / 3;
  const rssBytes = usageBytes - kernelBytes;
  return { usageBytes, workingSetBytes: usageBytes, rssBytes, kernelBytes, socketBytes: null };
}
