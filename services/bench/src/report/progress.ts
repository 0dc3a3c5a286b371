/**
 * What a person sees while a battle runs: on a terminal one block that is rewritten in place, with
 * a lasting line above it for every finished cell; elsewhere the lasting lines alone.
 */
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { flagsOf } from "../analyse/flags.ts";
import { count, counted } from "../numbers.ts";
import { formatDuration } from "../plan/estimate.ts";
import { skipKindOf } from "../plan/skips.ts";
import { workloadOf } from "../plan/workload.ts";
import { CellColumns, figuresOf, statusText } from "./cell-line.ts";
import { standings } from "./standings.ts";
import { TerminalBlock, widthOf } from "./terminal-block.ts";
import { flagText } from "./text.ts";
import type { CellRecord, Probe } from "../model/cell.ts";
import type { Plan, PlannedCell } from "../model/plan.ts";
import type { Listener, Phase, RepeatReason, RunEvent } from "../model/run-event.ts";

/**
 * Four times a second: what changes faster nobody can read, and the terminal's CPU is the measured
 * machine's.
 */
const REFRESH_MS = 250;

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
  const view = new RunView({
    ...{ now, redraws, colours: redraws && !env.NO_COLOR },
    width: () => (redraws ? widthOf(columns()) : Infinity),
  });
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
type CellEnd = Extract<RunEvent, { type: "cell-end" }>;

/** What is known of a run from its events, as lines. */
class RunView {
  #now: () => number;
  #redraws: boolean;
  #colours: boolean;
  #width: () => number;
  #plan: Plan | undefined;
  #columns: CellColumns | undefined;
  /** Those that run, by the cell's id; the one that began last is the last. */
  #running: Map<string, CellBegun> = new Map();
  /** The last of each cell that ended well. */
  #ended: Map<string, CellRecord> = new Map();
  #phase: Phase = "start";
  #progress: Extract<RunEvent, { type: "progress" }> | undefined;
  #standings: string | null = null;
  #endMs = 0;

  /** @param options redraws: the block is shown; width: of the terminal now */
  constructor({
    now,
    redraws,
    colours,
    width,
  }: {
    now: () => number;
    redraws: boolean;
    colours: boolean;
    width: () => number;
  }) {
    this.#now = now;
    this.#redraws = redraws;
    this.#colours = colours;
    this.#width = width;
  }

  /** @returns a line that lasts; null: it leaves none */
  take(event: RunEvent): string | null {
    switch (event.type) {
      case "plan":
        return this.#begin(event);
      case "cell":
        return this.#beginCell(event);
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
    this.#endMs = this.#now() + event.estimatedSeconds * 1000;
    this.#plan = event.plan;
    this.#columns = new CellColumns(event.plan);
    return describePlan(event);
  }

  #beginCell(event: CellBegun): null {
    this.#running.delete(event.cell.id);
    this.#running.set(event.cell.id, event);
    this.#phase = "start";
    if (this.#plan && this.#redraws)
      this.#standings = standings(this.#plan, [...this.#ended.values()], event.cell);
    return null;
  }

  #end(event: CellEnd) {
    this.#endMs = this.#now() + event.remainingSeconds * 1000;
    const line = this.#describeEnd(event);
    this.#running.delete(event.record.id);
    if (event.record.status === "ok") this.#ended.set(event.record.id, event.record);
    this.#progress = undefined;
    return line;
  }

  #describeProbe(probe: Probe) {
    const cell = [...this.#running.values()].at(-1)?.cell;
    const place = cell ? `${this.#columns?.title(cell)}  ` : "";
    return `${statusText(STATUS_OF[probe.verdict], this.#colours, probe.verdict)}  ${place}${probeText(probe)}`;
  }

  #describeEnd({ record, repeat }: CellEnd) {
    const begun = this.#running.get(record.id);
    const status = record.status === "failed" ? "FAILED" : record.status;
    const where = [
      statusText(status, this.#colours),
      ...(begun ? [numberText(begun)] : []),
      this.#columns?.line({ ...record, event: begun?.cell.event }) ?? record.proxy,
      ...(record.attempt > 1 ? [`attempt ${record.attempt}`] : []),
    ];
    const left = this.#redraws ? [] : [`${duration(this.#endMs - this.#now())} left`];
    const again = repeat ? REPEATS[repeat.why] : this.#faultOf(record, begun?.cell);
    if (record.status !== "ok") {
      const { kind, message } = record.cause ?? { kind: "skipped", message: "" };
      const cause = `${kind}: ${oneLine(message)}`;
      return [...where, [cause, again].filter(Boolean).join("; "), ...left].join("  ");
    }
    return fitting(where, figuresOf(record), [again, ...left].filter(Boolean), this.#width());
  }

  /** @returns why it will count for nothing, in the report's words; empty: it counts */
  #faultOf(record: CellRecord, cell: PlannedCell | undefined): string {
    if (!this.#plan) return "";
    const flags = flagsOf(record, {
      workload: workloadOf(this.#plan, record),
      policy: null,
      plan: this.#plan,
      profile: cell?.profile,
    });
    const fault = flags.find(({ severity }) => severity === "invalid");
    return fault ? `does not count: ${flagText(fault, String)}` : "";
  }

  /** @returns what goes on now; []: nothing yet */
  block(): string[] {
    if (!this.#plan) return [];
    const running = [...this.#running.values()];
    const current = running.at(-1);
    const left = `${duration(this.#endMs - this.#now())} left`;
    if (!current) return [left];
    const { cell, number, of, attempt } = current;
    const columns = this.#columns ?? new CellColumns(this.#plan);
    const title =
      running.length === 1
        ? columns.title(cell)
        : running.map((event) => event.cell.proxy).join(", ");
    const place = `${numberText(current)}  round ${cell.round}/${this.#plan.rounds}`;
    // The bar stays as wide as it is beside the longest title.
    const room = this.#width() - `${place}  ${LONGEST_END}`.length - columns.titleWidth;
    const details = [
      columns.detail(cell),
      attempt > 1 && `attempt ${attempt}`,
      this.#progress && progressText(this.#progress),
    ].filter(Boolean);
    return [
      [`${bar((number - 1) / of, room)}${place}`, title, PHASES[this.#phase], left].join("  "),
      `  ${details.join("  ")}`.trimEnd(),
      ...(this.#standings ? [`  ${this.#standings}`] : []),
    ];
  }
}

const STATUS_OF = { holds: "ok", fails: "FAILED", limited: "skipped" } as const;

const PHASES: Record<Phase, string> = {
  start: "starting",
  verify: "verifying",
  "warm up": "warming up",
  measure: "measuring",
  stop: "stopping",
};

const LONGEST_END = "  warming up  0:00:00 left";
const WIDEST_BAR = 30;
const NARROWEST_BAR = 4;

/** @returns `[=====>    ] `, as wide as there is room; empty: there is none */
function bar(share: number, room: number): string {
  const width = Math.min(WIDEST_BAR, room - "[] ".length);
  if (width < NARROWEST_BAR) return "";
  const full = Math.floor(share * width);
  return `[${"=".repeat(full)}>${" ".repeat(width - full - 1)}] `;
}

/** @returns ` 7/36` */
function numberText({ number, of }: CellBegun): string {
  return `${String(number).padStart(String(of).length)}/${of}`;
}

/** @returns what comes first and last, and between them as many figures as the line has room for */
function fitting(first: string[], figures: string[], last: string[], width: number): string {
  const lines = Array.from({ length: figures.length + 1 }, (_, left) =>
    [...first, ...figures.slice(0, figures.length - left), ...last].join("  ").trimEnd(),
  );
  return (
    lines.find((line) => stripVTControlCharacters(line).length <= width) ?? lines[lines.length - 1]
  );
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
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(sends?.dropped ? [`${count(sends.dropped)} of ${count(sends.due)} not sent`] : []),
  ].join(", ");
  return [
    `${rate.toLocaleString("en-US")}/s: ${figures}`,
    ...(broken.length > 0 ? [`broken: ${broken.join(", ")}`] : []),
    ...(limits.length > 0 ? [`limited by: ${limits.join(", ")}`] : []),
  ].join("; ");
}

const REPEATS: Record<RepeatReason, string> = {
  failed: "will retry",
  disturbed: "disturbed by other load; will retry",
  "off index": "the machine's speed has changed; will retry",
};

function describePlan({
  directory,
  plan,
  done,
  estimatedSeconds,
}: Extract<RunEvent, { type: "plan" }>): string {
  const kinds = plan.cells.map(skipKindOf);
  const measured = kinds.filter((kind) => kind === null).length;
  const skipped = kinds.filter((kind) => kind !== null && kind !== "left-out").length;
  return [
    `${counted(measured, "measurement")} into ${shownPath(directory)}`,
    ...(done > 0 ? [`${count(done)} already done`] : []),
    ...(skipped > 0 ? [`${count(skipped)} skipped`] : []),
    `~${formatDuration(estimatedSeconds)}`,
  ].join(", ");
}

/** @returns from the folder in which the program runs, unless it lies elsewhere */
function shownPath(directory: string): string {
  const path = relative("", directory);
  return path.startsWith("..") ? directory : path;
}

function progressText({
  opened,
  asked,
  failed,
  perSecond,
  proxyCores,
}: Extract<RunEvent, { type: "progress" }>): string {
  return [
    `${count(opened)}/${count(asked)} opened`,
    `${count(perSecond)}/s`,
    `${count(failed)} failed`,
    `proxy ${proxyCores.toFixed(2)} cores`,
  ].join("  ");
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
