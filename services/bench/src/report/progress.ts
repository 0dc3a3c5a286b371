/**
 * What a person sees while a battle runs: on a terminal one block that is rewritten in place, with
 * a lasting line above it for every finished cell; elsewhere the lasting lines alone.
 */
import { stripVTControlCharacters, styleText } from "node:util";
import { schemeName, workloadOf } from "../plan/workload.ts";
import { TerminalBlock } from "./terminal-block.ts";
import type { CellRecord, Probe } from "../model/cell.ts";
import type { LatencySummary } from "../model/load.ts";
import type { Plan, PlannedCell } from "../model/plan.ts";
import type { Listener, RunEvent } from "../model/run-event.ts";

/**
 * Four times a second: what changes faster nobody can read, and the terminal's CPU is the measured
 * machine's.
 */
const REFRESH_MS = 250;
const BAR_CELLS = 16;

/** @returns close: the block goes, the lasting lines stay; later events are written as lines */
export function liveView(
  stream: { write(text: string): unknown; columns?: number },
  {
    isTerminal,
    columns = () => stream.columns,
    now = Date.now,
    env = process.env,
  }: {
    /** whether the stream is one */
    isTerminal: boolean;
    /** width of the terminal now */
    columns?: () => number | undefined;
    /** ms */
    now?: () => number;
    /** CI and TERM=dumb: as if it were no terminal; NO_COLOR: no colours */
    env?: Record<string, string | undefined>;
  },
): Listener & { close: () => void } {
  const redraws = isTerminal && !env.CI && env.TERM !== "dumb";
  const view = new RunView({ now, redraws, colours: redraws && !env.NO_COLOR });
  let block = redraws ? new TerminalBlock(stream, columns) : null;
  const draw = () => block?.draw(view.block());
  const timer = redraws ? setInterval(draw, REFRESH_MS).unref() : undefined;
  const listen = (event: RunEvent) => {
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

type CellBegun = Extract<RunEvent, { type: "cell" }>;

/** What is known of a run from its events, as lines. */
class RunView {
  #now: () => number;
  #redraws: boolean;
  #colours: boolean;
  /** Those that run, by the cell's id; the one that began last is the last. */
  #running: Map<string, CellBegun> = new Map();
  #phase = "start";
  #progress: Extract<RunEvent, { type: "progress" }> | undefined;
  #rounds: number | undefined;
  #scenarios: Plan["scenarios"] = {};
  #startedMs: number | undefined;
  #endMs = 0;

  /** @param options redraws: the block is seen */
  constructor({
    now,
    redraws,
    colours,
  }: {
    now: () => number;
    redraws: boolean;
    colours: boolean;
  }) {
    this.#now = now;
    this.#redraws = redraws;
    this.#colours = colours;
  }

  /** @returns of those that run at once, the one that began last */
  get #current(): CellBegun | undefined {
    return [...this.#running.values()].at(-1);
  }

  /** @returns a line that lasts; null: it leaves none */
  take(event: RunEvent): string | null {
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

  #begin(event: Extract<RunEvent, { type: "plan" }>) {
    this.#startedMs = this.#now();
    this.#endMs = this.#startedMs + event.estimatedSeconds * 1000;
    this.#rounds = event.rounds;
    this.#scenarios = event.scenarios;
    return describePlan(event);
  }

  #end(event: Extract<RunEvent, { type: "cell-end" }>) {
    this.#endMs = this.#now() + event.remainingSeconds * 1000;
    const line = this.#describeEnd(event);
    this.#running.delete(event.record.id);
    this.#progress = undefined;
    return line;
  }

  #describeProbe(probe: Probe) {
    const colour = { holds: "green", fails: "red", limited: "yellow" } as const;
    const current = this.#current;
    const place = current ? `${titleOf(current.cell, this.#scenarios)} · ` : "";
    return `${this.#paint(colour[probe.verdict], probe.verdict)}  ${place}${probeText(probe)}`;
  }

  #describeEnd({ record, repeat }: Extract<RunEvent, { type: "cell-end" }>) {
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

  #paint(colour: "green" | "yellow" | "red", text: string): string {
    return this.#colours ? styleText(colour, text, { validateStream: false }) : text;
  }

  /** @returns what goes on now; []: nothing yet */
  block(): string[] {
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
 * @returns `400/s: p99 114.0 ms, 12 failed, 20 of 2,400 not sent; broken: p99, failures; at its
 *   limit: generator`
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
}: Probe): string {
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
    ...(limits.length > 0 ? [`limited by: ${limits.join(", ")}`] : []),
  ].join("; ");
}

function repeatText({
  why,
  isAtOnce,
}: NonNullable<Extract<RunEvent, { type: "cell-end" }>["repeat"]>) {
  const cause =
    why === "disturbed"
      ? "others took too much of the machine"
      : "the machine was not as fast as before";
  return `${cause}; it is tried again${isAtOnce ? "" : " at the end"}`;
}

function describePlan({
  directory,
  cells,
  done,
  skipped,
  estimatedSeconds,
}: Extract<RunEvent, { type: "plan" }>) {
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

/** @param events of cells that run at once */
function describeBeside(events: Extract<RunEvent, { type: "cell" }>[], rounds?: number) {
  const [{ cell, of }] = events;
  return [
    `${events.length} of ${of} cells at once`,
    roundText(cell, rounds),
    events.map((event) => event.cell.proxy).join(", "),
  ].join(" · ");
}

function roundText({ round }: PlannedCell, rounds?: number) {
  return `round ${round}${rounds ? ` of ${rounds}` : ""}`;
}

function describeCell(
  { cell, number, of, attempt }: Extract<RunEvent, { type: "cell" }>,
  phase: string,
  { rounds, scenarios }: { rounds?: number; scenarios: Plan["scenarios"] },
) {
  return [
    `cell ${number} of ${of}`,
    roundText(cell, rounds),
    titleOf(cell, scenarios),
    ...(attempt > 1 ? [`try ${attempt}`] : []),
    phase,
  ].join(" · ");
}

function describeProgress({
  opened,
  asked,
  failed,
  perSecond,
  proxyCores,
}: Extract<RunEvent, { type: "progress" }>) {
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
 * @param scenarios of the plan; where there is one alone, it goes without saying
 * @returns `nginx wss, 5,000 connections`; with its event at the end, where it has one
 */
function titleOf(
  cell: (PlannedCell | CellRecord) & { event?: string },
  scenarios: Plan["scenarios"],
): string {
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

/** @returns those that it has */
function figures(record: CellRecord): string[] {
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
 * @returns `900 requests/s`, of held connections `1,500 messages/s`, of others `1,250/s`:
 *   connections; none: nothing is counted
 */
function rateOf(
  { connections, connectionsHeld, messagesEchoed, requests }: CellRecord,
  seconds: number,
): string[] {
  const each = (count: number, what: string) => [`${counted(count / seconds)}${what}/s`];
  if (requests) return each(requests.completed, " requests");
  if (connectionsHeld) return each(messagesEchoed ?? 0, " messages");
  return connections ? each(connections.opened, "") : [];
}

function median({ median: ms }: Pick<LatencySummary, "median">) {
  return `median ${ms.toFixed(1)} ms`;
}

const NUMBER = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

function counted(value: number) {
  return NUMBER.format(value);
}

/**
 * @param ms less than nothing counts as nothing
 * @returns `8:40`, or `1:02:03` from an hour on
 */
function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

/**
 * The first line that says something: the rest, often a log, is in the record. Without what would
 * move the cursor.
 */
function oneLine(text: string) {
  const lines = stripVTControlCharacters(text).split(/[\r\n]+/);
  return (lines.find((line) => line.trim()) ?? "").replace(/\p{Cc}+/gu, " ").trim();
}
