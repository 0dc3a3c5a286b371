/**
 * What a person sees while a battle runs: on a terminal one block that is rewritten in place, with a lasting line above it for
 * every finished cell; elsewhere the lasting lines alone.
 */
import { stripVTControlCharacters, styleText } from "node:util";
import { schemeName, workloadOf } from "../plan/workload.js";
import { TerminalBlock } from "./terminal-block.js";

/** @import { CellRecord, Probe } from "../model/cell.ts" */
/** @import { LatencySummary } from "../model/load.ts" */
/** @import { Plan, PlannedCell } from "../model/plan.ts" */
/** @import { Listener, RunEvent } from "../model/run-event.ts" */

/** Four times a second: what changes faster nobody can read, and the terminal's CPU is the measured machine's. */
const REFRESH_MS = 250;
const BAR_CELLS = 16;

/**
 * @param {{write(text: string): unknown, columns?: number}} stream
 * @param {object} options
 * @param {boolean} options.isTerminal whether the stream is one
 * @param {() => number | undefined} [options.columns] width of the terminal now
 * @param {() => number} [options.now] ms
 * @param {Record<string, string | undefined>} [options.env] CI and TERM=dumb: as if it were no terminal; NO_COLOR: no colours
 * @returns {Listener & {close: () => void}} close: the block goes, the lasting lines stay; later events are written as lines
 */
export function liveView(
  stream,
  { isTerminal, columns = () => stream.columns, now = Date.now, env = process.env },
) {
  const redraws = isTerminal && !env.CI && env.TERM !== "dumb";
  const view = new RunView({ now, redraws, colours: redraws && !env.NO_COLOR });
  let block = redraws ? new TerminalBlock(stream, columns) : null;
  const draw = () => block?.draw(view.block());
  const timer = redraws ? setInterval(draw, REFRESH_MS).unref() : undefined;
  const listen = (/** @type {RunEvent} */ event) => {
    const line = view.take(event);
    if (line === null) return;
    if (block) block.say(line);
    else stream.write(`${line}\n`);
  };
  return Object.assign(listen, {
    close() {
      clearInterval(timer);
      block?.close();
      block = null;
    },
  });
}

/** @typedef {Extract<RunEvent, {type: "cell"}>} CellBegun */

/** What is known of a run from its events, as lines. */
class RunView {
  #now;
  #redraws;
  #colours;
  /** Those that run, by the cell's id; the one that began last is the last. @type {Map<string, CellBegun>} */
  #running = new Map();
  #phase = "start";
  /** @type {Extract<RunEvent, {type: "progress"}> | undefined} */
  #progress;
  /** @type {number | undefined} */
  #rounds;
  /** @type {Plan["scenarios"]} */
  #scenarios = {};
  /** @type {number | undefined} */
  #startedMs;
  #endMs = 0;

  /** @param {{now: () => number, redraws: boolean, colours: boolean}} options redraws: the block is seen */
  constructor({ now, redraws, colours }) {
    this.#now = now;
    this.#redraws = redraws;
    this.#colours = colours;
  }

  /** @returns {CellBegun | undefined} of those that run at once, the one that began last */
  get #current() {
    return [...this.#running.values()].at(-1);
  }

  /**
   * @param {RunEvent} event
   * @returns {string | null} a line that lasts; null: it leaves none
   */
  take(event) {
    switch (event.type) {
      case "plan":
        return this.#begin(event);
      case "cell":
        this.#running.delete(event.cell.id);
        this.#running.set(event.cell.id, event);
        this.#phase = "start";
        return null;
      case "phase":
        this.#phase = event.phase;
        return null;
      case "progress":
        this.#progress = event;
        return null;
      case "probe":
        return this.#describeProbe(event.probe);
      case "cell-end":
        return this.#end(event);
      case "note":
        return oneLine(event.text);
      default:
        return null;
    }
  }

  /** @param {Extract<RunEvent, {type: "plan"}>} event */
  #begin(event) {
    this.#startedMs = this.#now();
    this.#endMs = this.#startedMs + event.estimatedSeconds * 1000;
    this.#rounds = event.rounds;
    this.#scenarios = event.scenarios;
    return describePlan(event);
  }

  /** @param {Extract<RunEvent, {type: "cell-end"}>} event */
  #end(event) {
    this.#endMs = this.#now() + event.remainingSeconds * 1000;
    const line = this.#describeEnd(event);
    this.#running.delete(event.record.id);
    this.#progress = undefined;
    return line;
  }

  /** @param {Probe} probe */
  #describeProbe(probe) {
    const colour = /** @type {const} */ ({ holds: "green", fails: "red", limited: "yellow" });
    const current = this.#current;
    const place = current ? `${titleOf(current.cell, this.#scenarios)} · ` : "";
    return `${this.#paint(colour[probe.verdict], probe.verdict)}  ${place}${probeText(probe)}`;
  }

  /** @param {Extract<RunEvent, {type: "cell-end"}>} event */
  #describeEnd({ record, repeat }) {
    const own = this.#running.get(record.id);
    const place = own ? `${own.number}/${own.of} ` : "";
    const title = `${place}${titleOf({ ...record, event: own?.cell.event }, this.#scenarios)}${record.attempt > 1 ? ` (try ${record.attempt})` : ""}`;
    const left = this.#redraws ? "" : ` · ${duration(this.#endMs - this.#now())} left`;
    if (record.status === "ok") {
      const again = repeat ? [repeatText(repeat)] : [];
      return `${this.#paint("green", "ok")}  ${[title, ...figures(record), ...again].join(" · ")}${left}`;
    }
    const { kind, message } = record.cause ?? { kind: "skipped", message: "" };
    if (record.status === "skipped")
      return `${this.#paint("yellow", "skipped")}  ${title}: ${oneLine(message)}`;
    const cause = `${kind}: ${oneLine(message)}${repeat ? "; it is tried again" : ""}`;
    return `${this.#paint("red", "FAILED")}  ${title}: ${cause}${left}`;
  }

  /** @type {(colour: "green" | "yellow" | "red", text: string) => string} */
  #paint(colour, text) {
    return this.#colours ? styleText(colour, text, { validateStream: false }) : text;
  }

  /** @returns {string[]} what goes on now; []: nothing yet */
  block() {
    if (this.#startedMs === undefined) return [];
    const now = this.#now();
    const about = { rounds: this.#rounds, scenarios: this.#scenarios };
    const current = this.#current;
    const isAlone = current && this.#running.size === 1;
    return [
      ...(isAlone ? [describeCell(current, this.#phase, about)] : []),
      ...(current && !isAlone ? [describeBeside([...this.#running.values()], this.#rounds)] : []),
      ...(this.#progress ? [describeProgress(this.#progress)] : []),
      `elapsed ${duration(now - this.#startedMs)} · about ${duration(this.#endMs - now)} left`,
    ];
  }
}

/**
 * @param {Probe} probe
 * @returns {string} `400/s: p99 114.0 ms, 12 failed, 20 of 2,400 not sent; broken: p99, failures; at its limit: generator`
 */
function probeText({
  rate,
  handshakeMs,
  echoLatencyMs,
  connections,
  connectionsHeld,
  sends,
  broken,
  limits,
}) {
  const latency = connectionsHeld ? echoLatencyMs : handshakeMs;
  const failed = connections?.failed ?? 0;
  const figures = [
    latency ? `p99 ${latency.p99.toFixed(1)} ms` : "nothing came back",
    ...(failed > 0 ? [`${counted(failed)} failed`] : []),
    ...(sends?.dropped ? [`${counted(sends.dropped)} of ${counted(sends.due)} not sent`] : []),
  ].join(", ");
  return [
    `${rate.toLocaleString("en-US")}/s: ${figures}`,
    ...(broken.length > 0 ? [`broken: ${broken.join(", ")}`] : []),
    ...(limits.length > 0 ? [`at its limit: ${limits.join(", ")}`] : []),
  ].join("; ");
}

/** @param {NonNullable<Extract<RunEvent, {type: "cell-end"}>["repeat"]>} repeat */
function repeatText({ why, isAtOnce }) {
  const cause =
    why === "disturbed"
      ? "others took too much of the machine"
      : "the machine was not as fast as before";
  return `${cause}; it is tried again${isAtOnce ? "" : " at the end"}`;
}

/** @param {Extract<RunEvent, {type: "plan"}>} event */
function describePlan({ directory, cells, done, skipped, estimatedSeconds }) {
  return [
    `${counted(cells)} cells, into ${directory}`,
    ...(done > 0 ? [`${counted(done)} already done`] : []),
    ...(skipped > 0
      ? [
          `${counted(skipped)} skipped: left out by the battle, or their proxy or this machine cannot run them`,
        ]
      : []),
    `about ${duration(estimatedSeconds * 1000)}`,
  ].join(" · ");
}

/**
 * @param {Extract<RunEvent, {type: "cell"}>[]} events of cells that run at once
 * @param {number} [rounds]
 */
function describeBeside(events, rounds) {
  const [{ cell, of }] = events;
  return [
    `${events.length} of ${of} cells at once`,
    roundText(cell, rounds),
    events.map((event) => event.cell.proxy).join(", "),
  ].join(" · ");
}

/**
 * @param {PlannedCell} cell
 * @param {number} [rounds]
 */
function roundText({ round }, rounds) {
  return `round ${round}${rounds ? ` of ${rounds}` : ""}`;
}

/**
 * @param {Extract<RunEvent, {type: "cell"}>} event
 * @param {string} phase
 * @param {{rounds?: number, scenarios: Plan["scenarios"]}} plan
 */
function describeCell({ cell, number, of, attempt }, phase, { rounds, scenarios }) {
  return [
    `cell ${number} of ${of}`,
    roundText(cell, rounds),
    titleOf(cell, scenarios),
    ...(attempt > 1 ? [`try ${attempt}`] : []),
    phase,
  ].join(" · ");
}

/** @param {Extract<RunEvent, {type: "progress"}>} event */
function describeProgress({ opened, asked, failed, perSecond, proxyCores }) {
  const full = asked > 0 ? Math.min(BAR_CELLS, Math.floor((opened / asked) * BAR_CELLS)) : 0;
  return [
    `${counted(opened)} of ${counted(asked)} opened`,
    `${counted(perSecond)}/s`,
    `${counted(failed)} failed`,
    `proxy ${proxyCores.toFixed(2)} cores`,
    // Last: what a narrow terminal cuts off first.
    "█".repeat(full) + "░".repeat(BAR_CELLS - full),
  ].join(" · ");
}

/**
 * @param {(PlannedCell | CellRecord) & {event?: string}} cell
 * @param {Plan["scenarios"]} scenarios of the plan; where there is one alone, it goes without saying
 * @returns {string} `nginx wss, 5,000 connections`; with its event at the end, where it has one
 */
function titleOf(cell, scenarios) {
  const workload = workloadOf({ scenarios }, cell);
  const { connections, messages = 1 } = workload;
  return [
    `${cell.proxy} ${schemeName({ ...cell, workload })}`,
    ...(Object.keys(scenarios).length > 1 ? [cell.scenario] : []),
    ...(connections === undefined ? [] : [`${counted(connections)} connections`]),
    ...(messages > 1 ? [`${counted(messages)} messages each`] : []),
    ...(cell.event ? [cell.event] : []),
  ].join(", ");
}

/**
 * @param {CellRecord} record
 * @returns {string[]} those that it has
 */
function figures(record) {
  const { requests, totalSeconds, containers } = record;
  const { handshakeMs, echoLatencyMs, requestMs } = record;
  const proxies = Object.values(containers).filter(({ role }) => role === "proxy");
  const cpuSeconds = proxies.reduce((sum, { cpu }) => sum + cpu.totalSeconds, 0);
  return [
    ...(totalSeconds ? rateOf(record, totalSeconds) : []),
    ...(requests?.non2xx ? [`${counted(requests.non2xx)} neither 2xx nor 3xx`] : []),
    ...(handshakeMs ? [`handshake ${median(handshakeMs)}`] : []),
    ...(echoLatencyMs ? [`echo latency ${median(echoLatencyMs)}`] : []),
    ...(requestMs ? [`request ${median(requestMs)}`] : []),
    ...(proxies.length > 0 ? [`proxy ${cpuSeconds.toFixed(2)} CPU s`] : []),
  ];
}

/**
 * @param {CellRecord} record
 * @param {number} seconds
 * @returns {string[]} `900 requests/s`, of held connections `1,500 messages/s`, of others `1,250/s`: connections; none: nothing is counted
 */
function rateOf({ connections, connectionsHeld, messagesEchoed, requests }, seconds) {
  const each = (/** @type {number} */ count, /** @type {string} */ what) => [
    `${counted(count / seconds)}${what}/s`,
  ];
  if (requests) return each(requests.completed, " requests");
  if (connectionsHeld) return each(messagesEchoed ?? 0, " messages");
  return connections ? each(connections.opened, "") : [];
}

/** @param {Pick<LatencySummary, "median">} latency */
function median({ median: ms }) {
  return `median ${ms.toFixed(1)} ms`;
}

const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** @param {number} value */
function counted(value) {
  return NUMBER.format(value);
}

/**
 * @param {number} ms less than nothing counts as nothing
 * @returns {string} `8:40`, or `1:02:03` from an hour on
 */
function duration(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/**
 * The first line that says something: the rest, often a log, is in the record. Without what would move the cursor.
 *
 * @param {string} text
 */
function oneLine(text) {
  const lines = stripVTControlCharacters(text).split(/[\r\n]+/);
  return (lines.find((line) => line.trim()) ?? "").replace(/\p{Cc}+/gu, " ").trim();
}
