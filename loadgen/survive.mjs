/**
 * What happens to open connections when something changes or breaks. CONNECTIONS WebSockets are
 * held, each with a message of MESSAGE_BYTES every INTERVAL_SECONDS, or where it is not one of the
 * BUSY_PERCENT, every minute. Beside them PROBES_PER_SECOND new ones open, of which KEPT_PERCENT
 * stay: for QUIET_SECONDS, after which the runner makes its event happen, and for WATCH_SECONDS.
 * For a held connection that ends the record says how; it is not opened again. It is an open loop:
 * messages and probes are due whatever the proxy does, and messages do not wait for earlier echoes.
 *
 * With LIFETIME_SECONDS clients come and go: at the moments of a Poisson process one of them, any,
 * closes its connection, and another opens one in its place. So lifetimes are exponential. Those that
 * come are new connections as probes are, without a message.
 *
 * GETs of /.generation show which configuration answers, where a proxy has such a page.
 *
 * Why Node: k6 does not distinguish a reset from other ends. It costs this client about 0.7 ms of
 * CPU to open and close a connection, 80 µs per message and 1.1 ms per probe (loopback, without
 * TLS, Node 24, on a busy machine of 2 cores): with the defaults a fifth of a core.
 */
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { addressing, Client, howOf, targetOf } from "./lib/client.mjs";
import { Echoes } from "./lib/echoes.mjs";
import { closeAll, countsText, failSilent, openAll, settle } from "./lib/held.mjs";
import { keepTo } from "./lib/keep-to.js";
import { messagesOf } from "./lib/message.js";
import { edge, get, main, scenarioOf, waitForTarget } from "./lib/node.mjs";
import { atRate } from "./lib/rate.mjs";
import { quantile, Samples } from "./lib/samples.mjs";
import { Rate, Schedule } from "./lib/schedule.js";
import { samplingNote, summarise } from "./lib/summary.js";
import { BUCKET_MS, Timeline } from "./lib/timeline.mjs";

/** @import { SurvivalOfLoad } from "../services/bench/src/model/load.ts" */
/** @import { Target } from "./lib/client.mjs" */
/** @import { Sends } from "./lib/summary.js" */

/** @typedef {{ms: number, what: "ok" | "slow" | "failed", echoedMs: number | null}} Fared a probe, and when it was due and its echo came */

/** From one message to the next on a connection that is not busy. */
const IDLE_MS = 60_000;
/** A client that did not get in tries again after this. */
const AGAIN_MS = 1000;
/** Of /.generation. */
const GETS_PER_SECOND = 5;
/** Other pages are no generation: a proxy that has none may forward the request. */
const GENERATION = /^\S{1,40}$/;

await main(async () => {
  const scenario = scenarioOf("survive");
  const { parameters, scheme, tags, origin } = scenario;
  const { CONNECTIONS, CONNECTIONS_PER_SECOND, INTERVAL_SECONDS, MESSAGE_BYTES } = parameters;
  const { BUSY_PERCENT, KEPT_PERCENT, LIFETIME_SECONDS, PROBES_PER_SECOND } = parameters;
  const { QUIET_SECONDS, WATCH_SECONDS, SLOW_MS, LATENCY_SAMPLES } = parameters;
  const timeoutMs = 1000 * parameters.TIMEOUT_SECONDS;
  const seconds = QUIET_SECONDS + WATCH_SECONDS;
  const sampleEvery = Math.max(1, Math.ceil(seconds / INTERVAL_SECONDS / LATENCY_SAMPLES));
  const target = targetOf(scenario);
  const message = messagesOf(MESSAGE_BYTES);
  const samples = new Samples(process.env.SAMPLES_CSV);
  const timeline = new Timeline();

  await waitForTarget(scenario);
  const clients = await openAll(target, {
    count: CONNECTIONS,
    perSecond: CONNECTIONS_PER_SECOND,
    each: { timeoutMs },
  });
  await edge("start");
  const startMs = performance.now();
  const startedMs = Date.now();
  const quietMs = startMs + 1000 * QUIET_SECONDS;
  const endMs = 1000 * seconds;

  /** Latencies of messages by when they were due: in the quiet part, and after it. */
  const latencies = { before: /** @type {number[]} */ ([]), after: /** @type {number[]} */ ([]) };
  const hold = (/** @type {Client} */ client, /** @type {number} */ number) => {
    const onEcho = (
      /** @type {number} */ ms,
      /** @type {number} */ dueMs,
      /** @type {number} */ nth,
    ) => {
      timeline.add("echoed");
      latencies[dueMs < quietMs ? "before" : "after"].push(ms);
      // Each connection begins elsewhere, or all of their samples would be of the same moment.
      if ((number + nth) % sampleEvery === 0) samples.add("echo_latency_ms", ms);
    };
    const echoes = new Echoes(client, { number, message, onEcho });
    const lose = () => {
      if (echoes.missing > 0) timeline.add("lost", "", echoes.missing);
    };
    client.onEnd = (how) => {
      timeline.add("end", how);
      lose();
    };
    return { client, echoes, lose };
  };
  const held = clients.map(hold);
  const open = [{ ms: startedMs, count: CONNECTIONS }];
  const look = (isEnd = false) => {
    failSilent(held, timeoutMs);
    const count = held.filter(({ client }) => client.isOpen).length;
    const ms = Date.now();
    timeline.set("open", count);
    // The last one is of the end, when those that were on their way are in.
    const isDue = open.length < seconds && ms >= startedMs + 1000 * open.length;
    if (isEnd || isDue) open.push({ ms, count });
  };
  const looking = setInterval(() => look(), BUCKET_MS);

  const probes = Array.from({ length: seconds }, (_, i) => ({
    ms: startedMs + 1000 * i,
    asked: 0,
    failed: 0,
    slow: 0,
  }));
  /** @type {Fared[]} */
  const fared = [];
  /** @type {Record<string, number>} */
  const probesFailedByCause = {};
  /** @type {(second: (typeof probes)[number], one: Fared, failedBy: string | null) => void} */
  const tell = (second, one, failedBy) => {
    fared.push(one);
    timeline.add("probe", failedBy ?? one.what, 1, one.ms);
    second.asked += 1;
    if (one.what === "slow") second.slow += 1;
    if (failedBy === null) return;
    second.failed += 1;
    probesFailedByCause[failedBy] = (probesFailedByCause[failedBy] ?? 0) + 1;
  };
  /** @type {SurvivalOfLoad["generations"]} */
  const generations = [];
  /** @type {NonNullable<SurvivalOfLoad["certificates"]>} */
  const certificates = [];

  const now = () => performance.now();
  const isBusy = isAmong(BUSY_PERCENT);
  const isKept = isAmong(KEPT_PERCENT);
  /** Of new connections. @type {Client[]} */
  const kept = [];
  const leaving = new Rate({
    perSecond: CONNECTIONS / LIFETIME_SECONDS,
    endMs,
    isPoisson: true,
    count: LIFETIME_SECONDS > 0 ? Infinity : 0,
  });
  /** @type {Promise<void>[]} */
  const replaced = [];
  /** One client leaves, and another comes, which tries until it is in. */
  const replace = async (/** @type {number} */ number) => {
    const { client, lose } = held[number];
    const left = client.close(timeoutMs).then(lose);
    for (;;) {
      const ms = Date.now();
      const next = new Client(target, { timeoutMs });
      held[number] = hold(next, number);
      const how = await next.opened;
      const second = Math.min(probes.length - 1, Math.floor((ms - startedMs) / 1000));
      tell(probes[second], { ms, what: how === null ? "ok" : "failed", echoedMs: null }, how);
      if (how === null || now() >= startMs + endMs) break;
      await sleep(AGAIN_MS);
    }
    await left;
  };
  /** @type {(numbers: number[], intervalMs: number) => Promise<Sends>} */
  const send = (numbers, intervalMs) =>
    keepTo(new Schedule({ count: numbers.length, intervalMs, endMs }), {
      now,
      startMs,
      endMs,
      begin: (which, dueMs) => {
        const { client, echoes } = held[numbers[which]];
        if (!client.isOpen) return false;
        echoes.send(dueMs);
        timeline.add("sent");
        return true;
      },
      // On one that has ended, nothing is due.
      isCounted: (which) => held[numbers[which]].client.isOpen,
    });
  /** @type {(perSecond: number, begin: (number: number, dueMs: number) => Promise<void>) => Promise<unknown>} */
  const besides = (perSecond, begin) =>
    atRate({ count: Math.ceil(perSecond * seconds), perSecond, atMost: Infinity, startMs }, begin);
  const numbers = [...held.keys()];
  const [busy, idle] = await Promise.all([
    send(numbers.filter(isBusy), 1000 * INTERVAL_SECONDS),
    send(
      numbers.filter((number) => !isBusy(number)),
      IDLE_MS,
    ),
    keepTo(leaving, {
      now,
      startMs,
      endMs,
      begin: () => {
        const number = Math.floor(Math.random() * CONNECTIONS);
        // Nobody comes in the place of one that was lost.
        if (!held[number].client.isOpen) return false;
        replaced.push(replace(number));
        return true;
      },
      isCounted: () => false,
    }),
    besides(PROBES_PER_SECOND, async (number, dueMs) => {
      const second = probes[Math.floor(number / PROBES_PER_SECOND)];
      const text = message(CONNECTIONS + number, 0);
      const done = (/** @type {Client} */ client) =>
        isKept(number) ? void kept.push(client) : void client.close(timeoutMs);
      const about = { text, dueMs, timeoutMs, done };
      const { failedBy, handshakeMs, echoMs } = await probe(target, about);
      if (handshakeMs !== null) samples.add("handshake_ms", handshakeMs);
      const isSlow = echoMs !== null && echoMs > SLOW_MS;
      const ms = startedMs + dueMs - startMs;
      const what = failedBy ? "failed" : isSlow ? "slow" : "ok";
      tell(second, { ms, what, echoedMs: echoMs === null ? null : ms + echoMs }, failedBy);
    }),
    besides(GETS_PER_SECOND, async () => {
      const { value, failedBy, serial } = await generation(
        `${origin}/.generation`,
        target,
        timeoutMs,
      );
      timeline.add("generation", value ?? `failed ${failedBy}`);
      addNew(generations, value);
      addNew(certificates, serial);
    }),
  ]);
  await Promise.all(replaced);
  await settle(held, timeoutMs);
  clearInterval(looking);
  look(true);
  samples.add("total_ms", performance.now() - startMs);
  await edge("end");

  const survivors = held.filter(({ client }) => client.isOpen);
  for (const { client } of survivors) client.onEnd = () => {};
  await closeAll([...held.map(({ client }) => client), ...kept], timeoutMs);
  const sum = (/** @type {string} */ kind) =>
    timeline.of(kind).reduce((total, { count }) => total + count, 0);
  /** @type {SurvivalOfLoad} */
  const survival = {
    ends: timeline.of("end").map(({ ms, what, count }) => ({ ms, how: what, count })),
    probes,
    probeRuns: runsOf(fared.sort((a, b) => a.ms - b.ms)),
    probesFailedByCause,
    generations,
    ...(scheme === "wss" && { certificates }),
    open,
    sent: sum("sent"),
    echoed: sum("echoed"),
    lost: sum("lost"),
    silenceMs: survivors.length > 0 ? Math.max(...survivors.map(longestMs)) : null,
    echoP99Ms: { before: p99(latencies.before), after: p99(latencies.after) },
  };
  samples.end();
  if (process.env.SAMPLES_CSV)
    timeline.write(join(dirname(process.env.SAMPLES_CSV), "survival.csv"));
  const { stdout } = summarise(
    samples.data({ connections_opened: CONNECTIONS, messages_echoed: survival.echoed }),
    {
      title: `${CONNECTIONS} connections held for ${seconds} s, ${MESSAGE_BYTES} bytes on ${BUSY_PERCENT < 100 ? `${BUSY_PERCENT} % of them` : "each"} every ${INTERVAL_SECONDS} s`,
      tags,
      parameters: { ...parameters, SCHEME: scheme },
      causes: [],
      sendsOf: () => ({
        due: busy.due + idle.due,
        late: busy.late + idle.late,
        dropped: busy.dropped + idle.dropped,
      }),
      notes: [...samplingNote(sampleEvery), ...notesOn(survival, survivors.length)],
      own: { survival },
    },
  );
  console.log(stdout.trimEnd());
});

/**
 * @param {Target} target
 * @param {object} options
 * @param {string} options.text of its message
 * @param {number} options.dueMs when it should have started, by performance.now()
 * @param {number} options.timeoutMs it has failed when it is not through by then
 * @param {(client: Client) => void} options.done called with it after its echo
 * @returns {Promise<{failedBy: string | null, handshakeMs: number | null, echoMs: number | null}>} from when it was due to the answer to
 *   the upgrade, and to the echo; null: it did not get so far
 */
async function probe(target, { text, dueMs, timeoutMs, done }) {
  const client = new Client(target, { timeoutMs });
  const failedBy = await client.opened;
  if (failedBy !== null) return { failedBy, handshakeMs: null, echoMs: null };
  const handshakeMs = performance.now() - dueMs;
  client.limit(timeoutMs);
  return new Promise((resolve) => {
    client.onEnd = (how) => resolve({ failedBy: how, handshakeMs, echoMs: null });
    const onEcho = (/** @type {number} */ echoMs) => {
      client.onEnd = () => {};
      client.limit();
      // How it ends from here on is no matter of new connections.
      done(client);
      resolve({ failedBy: null, handshakeMs, echoMs });
    };
    new Echoes(client, { number: 0, message: () => text, onEcho }).send(dueMs);
  });
}

/**
 * @param {Fared[]} fared one after the other
 * @returns {NonNullable<SurvivalOfLoad["probeRuns"]>}
 */
function runsOf(fared) {
  /** @type {NonNullable<SurvivalOfLoad["probeRuns"]>} */
  const runs = [];
  for (const one of fared) {
    const last = runs.at(-1);
    if (last?.what === one.what) Object.assign(last, { lastMs: one.ms, count: last.count + 1 });
    else runs.push({ ...one, lastMs: one.ms, count: 1 });
  }
  return runs;
}

/**
 * @param {string} url
 * @param {Target} target
 * @param {number} timeoutMs
 * @returns {Promise<{value: string | null, failedBy: string | null, serial: string | null}>} one of value and failedBy is null
 */
async function generation(url, target, timeoutMs) {
  try {
    const { status, body, serial } = await get(url, timeoutMs, addressing(target));
    const value = body.toString().trim();
    if (status !== 200) return { value: null, failedBy: `status ${status}`, serial };
    return GENERATION.test(value)
      ? { value, failedBy: null, serial }
      : { value: null, failedBy: "by another page", serial };
  } catch (error) {
    const isLate = /** @type {Error} */ (error).name === "TimeoutError";
    return { value: null, failedBy: isLate ? "timeout" : howOf(error), serial: null };
  }
}

/**
 * @param {number} percent
 * @returns {(number: number) => boolean} whether that one, counted from 0, is among so many percent, evenly spread
 */
function isAmong(percent) {
  const upTo = (/** @type {number} */ count) => Math.floor((count * percent) / 100);
  return (number) => upTo(number + 1) > upTo(number);
}

/**
 * @param {SurvivalOfLoad["generations"]} seen the first answer with each value
 * @param {string | null} value
 */
function addNew(seen, value) {
  if (value === null || seen.some((one) => one.value === value)) return;
  seen.push({ ms: Date.now(), value });
}

/** @param {{echoes: Echoes}} held */
function longestMs({ echoes }) {
  return echoes.longestMs;
}

/**
 * @param {number[]} values
 * @returns {number | null} null: there are none
 */
function p99(values) {
  return values.length > 0
    ? quantile(
        values.sort((a, b) => a - b),
        0.99,
      )
    : null;
}

/**
 * @param {SurvivalOfLoad} survival
 * @param {number} survivors
 * @returns {string[]} for the table
 */
function notesOn({ ends, probes, probesFailedByCause, sent, lost, silenceMs }, survivors) {
  /** @type {Record<string, number>} */
  const byHow = {};
  for (const { how, count } of ends) byHow[how] = (byHow[how] ?? 0) + count;
  const sum = (/** @type {"asked" | "failed" | "slow"} */ key) =>
    probes.reduce((total, second) => total + second[key], 0);
  return [
    `survived: ${survivors}${ends.length > 0 ? `; ended: ${countsText(byHow)}` : ""}`,
    `lost: ${lost} of ${sent} messages; longest silence of a survivor: ${silenceMs === null ? "–" : `${Math.round(silenceMs)} ms`}`,
    `probes: ${sum("asked")}, ${sum("slow")} slow, ${sum("failed")} failed${sum("failed") > 0 ? ` (${countsText(probesFailedByCause)})` : ""}`,
  ];
}
