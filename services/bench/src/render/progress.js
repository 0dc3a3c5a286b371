/**
 * What a person sees while a battle runs: on a terminal one block that is rewritten in place, with a lasting line above it for
 * every finished cell; elsewhere the lasting lines alone.
 */
import { stripVTControlCharacters, styleText } from "node:util";
import { schemeName, workloadOf } from "../plan/workload.js";

/** @import { CellRecord, Probe } from "../model/cell.ts" */
/** @import { LatencySummary } from "../model/load.ts" */
/** @import { Plan, PlannedCell } from "../model/plan.ts" */
/** @import { Listener, RunEvent } from "../model/run-event.ts" */

/** Four times a second: what changes faster nobody can read, and the terminal's CPU is the measured machine's. */
const REFRESH_MS = 250;
const BAR_CELLS = 16;
/** Where a terminal does not tell its width, as one has none before a container's first resize. */
const USUAL_COLUMNS = 80;

const ERASE_REST_OF_LINE = "\x1b[K";
const ERASE_BELOW = "\x1b[J";
const up = (/** @type {number} */ lines) => `\x1b[${lines}A`;

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
  const colours = redraws && !env.NO_COLOR;
  /** @type {string[]} lasting lines that wait for the next refresh */
  const waiting = [];
  /** What the block shows now, and for which width; empty: it is not there. */
  let shown = "";
  let shownWidth = 0;
  let closed = false;
  /** Of those that run at once, the one that began last. @type {Extract<RunEvent, {type: "cell"}> | undefined} */
  let current;
  /** @type {Map<string, Extract<RunEvent, {type: "cell"}>>} by the cell's id */
  const running = new Map();
  let phase = "start";
  /** @type {Extract<RunEvent, {type: "progress"}> | undefined} */
  let progress;
  /** @type {number | undefined} */
  let rounds;
  /** @type {Plan["scenarios"]} */
  let scenarios = {};
  /** @type {number | undefined} */
  let startedMs;
  let endMs = 0;

  /** @param {RunEvent} event */
  const listen = (event) => {
    switch (event.type) {
      case "plan":
        startedMs = now();
        endMs = startedMs + event.estimatedSeconds * 1000;
        rounds = event.rounds;
        scenarios = event.scenarios;
        return say(describePlan(event));
      case "cell":
        current = event;
        running.set(event.cell.id, event);
        phase = "start";
        return;
      case "phase":
        phase = event.phase;
        return;
      case "progress":
        progress = event;
        return;
      case "probe":
        return say(describeProbe(event.probe));
      case "cell-end":
        endMs = now() + event.remainingSeconds * 1000;
        say(describeEnd(event));
        running.delete(event.record.id);
        current = [...running.values()].at(-1);
        progress = undefined;
        return;
      case "note":
        return say(oneLine(event.text));
    }
  };

  /** @param {string} line */
  const say = (line) => {
    if (redraws && !closed) waiting.push(line);
    else stream.write(`${line}\n`);
  };

  /** @param {Probe} probe */
  const describeProbe = (probe) => {
    const colour = /** @type {const} */ ({ holds: "green", fails: "red", limited: "yellow" });
    const place = current ? `${titleOf(current.cell, scenarios)} · ` : "";
    return `${paint(colour[probe.verdict], probe.verdict)}  ${place}${probeText(probe)}`;
  };

  /** @param {Extract<RunEvent, {type: "cell-end"}>} event */
  const describeEnd = ({ record, repeat }) => {
    const own = running.get(record.id);
    const place = own ? `${own.number}/${own.of} ` : "";
    const title = `${place}${titleOf({ ...record, event: own?.cell.event }, scenarios)}${record.attempt > 1 ? ` (try ${record.attempt})` : ""}`;
    const left = redraws ? "" : ` · ${duration(endMs - now())} left`;
    if (record.status === "ok") {
      const again = repeat ? [repeatText(repeat)] : [];
      return `${paint("green", "ok")}  ${[title, ...figures(record), ...again].join(" · ")}${left}`;
    }
    const { kind, message } = record.cause ?? { kind: "skipped", message: "" };
    if (record.status === "skipped") {
      return `${paint("yellow", "skipped")}  ${title}: ${oneLine(message)}`;
    }
    const cause = `${kind}: ${oneLine(message)}${repeat ? "; it is tried again" : ""}`;
    return `${paint("red", "FAILED")}  ${title}: ${cause}${left}`;
  };

  /** @type {(colour: "green" | "yellow" | "red", text: string) => string} */
  const paint = (colour, text) =>
    colours ? styleText(colour, text, { validateStream: false }) : text;

  /** @returns {string[]} */
  const block = () => {
    if (startedMs === undefined) return [];
    const lines = [
      `elapsed ${duration(now() - startedMs)} · about ${duration(endMs - now())} left`,
    ];
    if (progress) lines.unshift(describeProgress(progress));
    if (running.size > 1) lines.unshift(describeBeside([...running.values()], rounds));
    else if (current) lines.unshift(describeCell(current, phase, { rounds, scenarios }));
    return lines;
  };

  // The cursor rests on an empty line above the block: it stays there when a resize wraps the block's lines anew, and what
  // another program writes is not written over. The width is one column less than there is: a terminal whose last column is
  // full treats "erase the rest of the line" in its own way.
  const draw = () => {
    const width = Math.max(1, (columns() || USUAL_COLUMNS) - 1);
    const lines = block().map((line) => clip(line, width));
    const next = lines.join("\n");
    // The old block may take more lines than it was written in, wrapped anew; or be gone over by a long lasting line. It gets
    // shorter only when a cell has ended, which leaves such a line.
    const anew = waiting.length > 0 || width !== shownWidth;
    if (lines.length === 0 || (!anew && next === shown)) return;
    const lasting = waiting.splice(0).map((line) => `${line}\n`);
    stream.write(
      [
        "\r",
        anew ? ERASE_BELOW : "",
        ...lasting,
        ERASE_REST_OF_LINE,
        ...lines.map((line) => `\n${line}${ERASE_REST_OF_LINE}`),
        up(lines.length),
        "\r",
      ].join(""),
    );
    shown = next;
    shownWidth = width;
  };

  const timer = redraws ? setInterval(draw, REFRESH_MS).unref() : undefined;

  return Object.assign(listen, {
    close() {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      if (shown) stream.write(`\r${ERASE_BELOW}`);
      for (const line of waiting.splice(0)) stream.write(`${line}\n`);
    },
  });
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

/**
 * @param {string} text of characters that are one column wide
 * @param {number} width at least 1
 */
function clip(text, width) {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}
