/**
 * The measurement `glance`: what `Proxies live` says of a load at a glance. One point a load, at
 * its start; it is written again with each second, and for good at its end.
 */
import { settingLabel } from "../plan/describe.ts";
import { readLive } from "../record/live.ts";
import { endOf, tagsOf } from "./points.ts";
import type { JudgedCell } from "../model/comparison.ts";
import type { PlannedCell } from "../model/plan.ts";
import type { LiveSample } from "../model/run-event.ts";
import type { Point } from "../platform/influx.ts";

/** What a whole load came to; a key without a value: it is not known, or not yet. */
export interface Totals {
  opened?: number;
  failed?: number;
  connect_p50_ms?: number;
  connect_p99_ms?: number;
  /** CPU time of the proxy, in µs */
  cpu_us_per_connection?: number;
  memory_bytes_per_connection?: number;
}

const COUNTS: (keyof Totals)[] = ["opened", "failed"];

type Most = "open" | "connections_per_second" | "messages_per_second" | "proxy_cores";

export class Glance {
  #tags: Record<string, string>;
  #fromMs: number;
  #said: { load: string; version: string };
  #state = "running";
  #toMs: number;
  #most: Partial<Record<Most, number>> = {};
  #totals: Totals = {};

  /**
   * @param tags run, proxy, scenario, scheme, setting
   * @param fromMs since 1970: its start
   * @param said load and the proxy's version, in words
   */
  constructor(
    tags: Record<string, string>,
    fromMs: number,
    said: { load: string; version: string },
  ) {
    this.#tags = tags;
    this.#fromMs = this.#toMs = fromMs;
    this.#said = said;
  }

  /** @param totals so far, as far as they are known */
  add(sample: Partial<LiveSample> & { ms: number }, totals: Totals = {}) {
    this.#toMs = sample.ms;
    for (const key of [
      "open",
      "connections_per_second",
      "messages_per_second",
      "proxy_cores",
    ] as const) {
      const value = sample[key];
      if (value !== undefined) this.#most[key] = Math.max(this.#most[key] ?? 0, value);
    }
    const { opened, failed } = sample;
    Object.assign(this.#totals, known({ opened, failed, ...totals }));
  }

  /** @param state in a word, such as `ended` */
  end(ms: number, state: string, totals: Totals) {
    this.#toMs = ms;
    this.#state = state;
    Object.assign(this.#totals, known(totals));
  }

  get point(): Point {
    const most = Object.entries(this.#most).map(([key, value]) => [`${key}_most`, value]);
    const totals = Object.entries(this.#totals).map(([key, value]) => [
      key,
      COUNTS.includes(key as keyof Totals) ? BigInt(value) : value,
    ]);
    return {
      measurement: "glance",
      tags: this.#tags,
      fields: {
        ...{ ...this.#said, state: this.#state },
        ...{ from_ms: BigInt(Math.round(this.#fromMs)), to_ms: BigInt(Math.round(this.#toMs)) },
        ...Object.fromEntries(most),
        ...Object.fromEntries(totals),
      },
      ms: this.#fromMs,
    };
  }
}

/** @param version of its proxy; empty: not told */
export function glanceOf(
  run: string,
  cell: Pick<PlannedCell, "id" | "proxy" | "scenario" | "scheme">,
  fromMs: number,
  version: string,
): Glance {
  return new Glance(tagsOf(run, cell), fromMs, { load: settingLabel(cell), version });
}

/**
 * @param csv its live.csv; undefined: it has none
 * @returns of a cell that has ended; empty: its load never began
 */
export function glancePoints(
  run: string,
  cell: JudgedCell,
  { csv = "", version }: { csv?: string; version: string },
): Point[] {
  const { measured } = cell.record;
  if (!measured) return [];
  const glance = glanceOf(run, cell.record, measured.fromMs, version);
  for (const sample of csv ? readLive(csv) : []) glance.add(sample);
  endGlance(glance, cell);
  return [glance.point];
}

/** With the report's own figures. */
export function endGlance(glance: Glance, { record, measures }: JudgedCell) {
  // Of connections that an event ends, and of those beside them, its seconds tell more than the record.
  const counted = record.survival || record.storm ? {} : countsOf(measures);
  glance.end(endOf(record), record.status === "ok" ? "ended" : record.status, {
    ...counted,
    connect_p50_ms: measures.handshake_ms_median,
    connect_p99_ms: measures.handshake_ms_p99,
    cpu_us_per_connection: measures.cpu_us_per_connection,
    memory_bytes_per_connection: measures.proxy_memory_per_connection_bytes,
  });
}

function countsOf({ connections_opened, connections_failed }: JudgedCell["measures"]): Totals {
  return { opened: connections_opened, failed: connections_failed };
}

function known<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}
