/**
 * Made-up runs in which something happens to connections: every figure is consistent with every
 * other.
 */
import { SCENARIOS } from "../../plan/testing/scenarios.ts";
import { containerRecord, idleRecord, latencies, memoryReading, runOf } from "./results.ts";
import type { CellRecord, Survival } from "../../model/cell.ts";
import type { ScenarioDescription, Scheme } from "../../model/plan.ts";
import type { Results } from "../../model/record.ts";

/** First edge of every measured phase, in ms since 1970; the event comes after the quiet part. */
const FROM_MS = 1e12;
const QUIET_SECONDS = 10;
const WATCH_SECONDS = 60;
const SECONDS = QUIET_SECONDS + WATCH_SECONDS;
const EVENT_MS = FROM_MS + 1000 * QUIET_SECONDS;

const PARAMETERS = {
  ...{ CONNECTIONS: 2000, CONNECTIONS_PER_SECOND: 500, INTERVAL_SECONDS: 1, MESSAGE_BYTES: 64 },
  ...{ TIMEOUT_SECONDS: 10, WATCH_SECONDS },
};

const DESCRIPTION: ScenarioDescription = {
  ...{ description: "Connections that are held.", runner: "node", protocol: "websocket" },
  ...{ loop: "open", holdsConnections: true, dropsConnections: false, compares: "survival" },
  ...{ generatorThreads: "one", backend: "echo" },
  parameterNames: {
    connections: "CONNECTIONS",
    connectionsPerSecond: "CONNECTIONS_PER_SECOND",
    intervalSeconds: "INTERVAL_SECONDS",
    messageBytes: "MESSAGE_BYTES",
    timeoutSeconds: "TIMEOUT_SECONDS",
    watchSeconds: "WATCH_SECONDS",
    stalled: "STALLED",
  },
};

/** What each event does, in the battle's order. */
const EVENTS: Record<string, string> = {
  none: "nothing",
  reload: "a reload after a change of the configuration",
  "reload-10": "ten of them",
  "kill-worker": "SIGKILL to a worker",
};

/** of one proxy in one event, in each repetition; what is left out: nothing happened */
interface Outcome {
  ends?: { afterMs: number; how: string; count: number }[];
  /** new handshakes, seconds after the event */
  failed?: { second: number; count: number; cause: string }[];
  /** new handshakes in the second of the event */
  slow?: number;
  /** what became of each new handshake, if that is in the record: from the event on, one a 50 ms */
  fared?: ("ok" | "slow" | "failed")[];
  /** ms after the quiet part */
  lateMs?: number;
  /** the engine started the proxy again */
  secondLife?: boolean;
  /** messages */
  lost?: number;
  processes?: [before: number, peak: number, end: number];
  megabytes?: [before: number, peak: number, end: number];
  /** behind the proxy: what each holds, seconds after the event; a new one is read from then on */
  servers?: { newFrom?: number; open: (second: number) => number }[];
  /** processes; leaked null: not read when the load had gone */
  old?: { goneMs: number | null; atEnd: number; leaked: number | null };
}

/** a text: why it is skipped; null: it is not planned */
type Planned = Outcome | string | null;

export function survivalResults({
  proxies,
  rounds = 5,
  scheme = "ws",
}: {
  /** by name, and by event; none is among them as any other */
  proxies: Record<string, Record<string, Planned>>;
  rounds?: number;
  scheme?: Scheme;
}): Results {
  const events = new Set(Object.values(proxies).flatMap((own) => Object.keys(own)));
  const run = experiment(
    "survival",
    [...events],
    { proxies, rounds, scheme },
    (record, outcome) => {
      const event = record.id.slice(record.id.indexOf("holding-") + `holding-${scheme}-`.length);
      const survival = survivalOf(outcome, record, event);
      const to = survival.open.at(-1)?.count ?? 0;
      const { proxy, containers } = record;
      return {
        ...(outcome.secondLife && {
          containers: { ...containers, [`${proxy}-2`]: containers[proxy] },
        }),
        ...{ survival, connectionsHeld: { from: PARAMETERS.CONNECTIONS, to } },
      };
    },
  );
  run.plan.events = Object.fromEntries(Object.entries(EVENTS).filter(([name]) => events.has(name)));
  return run;
}

/** of all that were cut; missing: those that never came back */
type Return = {
  seconds: [p50: number, p99: number, p100: number | null];
  attempts?: number;
  missing?: number;
  failedByCause?: Record<string, number>;
};

/** @param proxies by name, one a round */
export function stormResults(proxies: Record<string, Return[]>): Results {
  return experiment("storm", [""], byRound(proxies), (record, all) => {
    const { seconds, attempts = 2000, missing = 0, failedByCause = {} } = all[record.round - 1];
    const [p50, p99, p100] = seconds.map((each) => each && 1000 * each);
    const bucket = (ms: number | null) => Math.floor((ms ?? 0) / 100) * 100;
    const back = [
      { ms: bucket(p50), count: 1000 },
      { ms: bucket(p99), count: 980 },
      { ms: bucket(p100 ?? p99), count: 20 - missing },
    ];
    return {
      storm: { cutMs: EVENT_MS, back, attempts, failedByCause, backMs: { p50, p99, p100 } },
    };
  });
}

interface Stall {
  /** bytes on a stalled connection */
  sent: number;
  heldBack: boolean;
  /** bytes of the proxy for each stalled connection */
  grown: number;
  /** of the others */
  p99Ms: [quiet: number, stalled: number];
  lostBytes?: number;
  inOrder?: boolean;
  /** stalled connections that ended, by how */
  ends?: Record<string, number>;
}

/** @returns of two rounds */
export function stallResults(proxies: Record<string, Stall>): Results {
  const all = Object.entries(proxies).map(([name, stall]) => [name, [stall, stall]]);
  const parameters = { CONNECTIONS: 100, STALLED: 10 };
  const about = { ...byRound(Object.fromEntries(all)), parameters };
  return experiment("stalls", [""], about, (_, outcomes) => {
    const stall = outcomes[0] as Stall;
    const { sent, heldBack, grown, p99Ms, inOrder = true, lostBytes = 0, ends = {} } = stall;
    const [quiet, beside] = p99Ms.map((p99) => latencies(p99 / 3));
    return {
      slowReaders: {
        ...{ ends, heldBack, deliveredInOrder: inOrder, lostBytes },
        stalledMs: { from: EVENT_MS, held: EVENT_MS + 2000, to: EVENT_MS + 20_000 },
        sentBytes: { min: sent, median: sent, max: sent },
        echoMs: { quiet, stalled: beside },
        memory: { quiet: memoryReading(30e6), stalled: memoryReading(30e6 + 10 * grown) },
      },
    };
  });
}

/**
 * @param proxies one a round
 * @returns as the only event
 */
function byRound<T>(proxies: Record<string, T[]>): {
  proxies: Record<string, Record<string, T[]>>;
  rounds: number;
} {
  const all = Object.entries(proxies);
  return {
    proxies: Object.fromEntries(all.map(([name, own]) => [name, { "": own }])),
    rounds: Math.max(...all.map(([, { length }]) => length)),
  };
}

function experiment<T>(
  compares: ScenarioDescription["compares"],
  events: string[],
  {
    proxies,
    rounds,
    scheme = "ws",
    parameters,
  }: {
    proxies: Record<string, Record<string, T | string | null>>;
    rounds: number;
    scheme?: Scheme;
    parameters?: Record<string, number>;
  },
  change: (record: CellRecord, outcome: T) => Partial<CellRecord>,
): Results {
  const outcomeOf = ({ proxy, event = "" }: { proxy: string; event?: string }) =>
    proxies[proxy][event] ?? null;
  const run = runOf({
    ...{ rounds, proxies: Object.keys(proxies) },
    settings: events.map((event) => ({
      ...{ scenario: "holding", scheme, parameters: { ...PARAMETERS, ...parameters } },
      ...{ label: event, ...(event && { event }) },
    })),
    plan: { scenarios: { ...SCENARIOS, holding: { ...DESCRIPTION, compares } } },
    records: (cell) => {
      const outcome = outcomeOf(cell);
      if (typeof outcome === "string") cell.skip = outcome;
      if (outcome === null || typeof outcome === "string") return [];
      if (Array.isArray(outcome) && cell.round > outcome.length) return [];
      const record = idleRecord(cell, { totalSeconds: SECONDS });
      record.measured = { fromMs: FROM_MS, toMs: FROM_MS + 1000 * SECONDS };
      record.containers["load-1"] = containerRecord({ role: "load", cpuSeconds: 0.3 * SECONDS });
      return [{ ...record, parameters: cell.parameters, ...change(record, outcome) }];
    },
  });
  run.plan.cells = run.plan.cells.filter((cell) => outcomeOf(cell) !== null);
  return run;
}

function survivalOf(outcome: Outcome, { connections }: CellRecord, event: string): Survival {
  const { ends = [], failed = [], slow = 0, lost = 0, old, fared, lateMs = 0 } = outcome;
  const { processes = [3, 3, 3], megabytes = [40, 40, 40], servers } = outcome;
  const all = connections?.opened ?? 0;
  const seconds = Array.from({ length: SECONDS }, (_, i) => i);
  const openAt = (ms: number) =>
    ends.reduce((left, { afterMs, count }) => (EVENT_MS + afterMs < ms ? left - count : left), all);
  const sent = all * SECONDS;
  const course: (values: number[], second: number) => number = ([before, peak, end], second) =>
    second < QUIET_SECONDS + 1 ? before : second < SECONDS - 1 ? peak : end;
  const reading = (second: number) => ({
    ms: FROM_MS + 1000 * second,
    processes: course(processes, second),
    oldProcesses: !old || second < QUIET_SECONDS ? 0 : second < SECONDS - 1 ? 2 : old.atEnd,
    memoryBytes: 1e6 * course(megabytes, second),
    cpuSeconds: 0.02 * second,
  });
  const sum = (some: { count: number }[]) => some.reduce((n, { count }) => n + count, 0);
  const causes = Map.groupBy(failed, ({ cause }) => cause);
  return {
    event,
    eventMs: EVENT_MS + lateMs,
    steps: [{ ms: EVENT_MS, what: "HUP to the proxy" }],
    newGenerationMs: null,
    around: seconds.map(reading),
    ...(old && { oldProcessesGoneMs: old.goneMs }),
    afterwards:
      old && old.leaked !== null ? { ...reading(SECONDS), oldProcesses: old.leaked } : null,
    ends: ends.map(({ afterMs, how, count }) => ({ ms: EVENT_MS + afterMs, how, count })),
    probes: seconds.map((second) => ({
      ms: FROM_MS + 1000 * second,
      asked: 20,
      failed: sum(failed.filter((one) => one.second === second - QUIET_SECONDS)),
      slow: second === QUIET_SECONDS ? slow : 0,
    })),
    ...(fared && {
      probeRuns: [
        {
          ...{ ms: FROM_MS, lastMs: EVENT_MS - 50, count: 20 * QUIET_SECONDS },
          ...{ what: "ok", echoedMs: FROM_MS + 2 },
        },
        ...fared.map((what, i) => {
          const ms = EVENT_MS + lateMs + 50 * i;
          return { ms, lastMs: ms, count: 1, what, echoedMs: what === "failed" ? null : ms + 2 };
        }),
      ],
    }),
    probesFailedByCause: Object.fromEntries([...causes].map(([cause, own]) => [cause, sum(own)])),
    generations: [],
    ...(servers && {
      echoShare: servers.map(({ newFrom = -QUIET_SECONDS, open }, i) => ({
        ...{ address: `10.0.0.${i}`, connections: 20, isNew: newFrom > 0 },
        open: seconds
          .filter((second) => second >= QUIET_SECONDS + newFrom)
          .map((second) => ({ ms: FROM_MS + 1000 * second, count: open(second - QUIET_SECONDS) })),
      })),
    }),
    open: [...seconds, SECONDS].map((second) => {
      const ms = FROM_MS + 1000 * second;
      return { ms, count: openAt(ms) };
    }),
    ...{ sent, echoed: sent - lost, lost },
    silenceMs: openAt(Infinity) > 0 ? 12 : null,
    echoP99Ms: { before: 2, after: 2 },
  };
}
