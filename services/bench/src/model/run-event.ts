/** What the runner tells while it runs, for the live view. */
import type { CellRecord, Probe } from "./cell.ts";
import type { Plan, PlannedCell } from "./plan.ts";

/** It failed; others took too much of the machine; or that was far from as fast as before. */
export type RepeatReason = "failed" | "disturbed" | "off index";

/**
 * One second of the measured phase, a line of `live.csv`. A key that is absent: it is not known.
 */
export interface LiveSample {
  /** Its end, since 1970. */
  ms: number;
  /** Connections so far. */
  opened: number;
  failed: number;
  /** Held now. */
  open?: number;
  connections_per_second?: number;
  messages_per_second?: number;
  /** Percentiles of what was looked at. */
  handshake_p50_ms?: number;
  handshake_p95_ms?: number;
  handshake_p99_ms?: number;
  echo_p50_ms?: number;
  echo_p95_ms?: number;
  echo_p99_ms?: number;
  /** CPU s per s. */
  proxy_cores?: number;
  /** Since the cell's start. */
  proxy_throttled_seconds: number;
}

export type Phase = "start" | "verify" | "warm up" | "measure" | "stop";

export type RunEvent =
  | {
      type: "plan";
      directory: string;
      plan: Plan;
      /** Cells. */
      done: number;
      estimatedSeconds: number;
    }
  /** number, of: among those that are run. */
  | { type: "cell"; cell: PlannedCell; number: number; of: number; attempt: number }
  | { type: "phase"; phase: Phase }
  /** About once a second in the measured phase. */
  | {
      type: "progress";
      opened: number;
      asked: number;
      failed: number;
      perSecond: number;
      proxyCores: number;
    }
  /** The same second in full, as live.csv keeps it. */
  | { type: "live"; sample: LiveSample }
  /** A rate of a search has been tried. */
  | { type: "probe"; probe: Probe }
  /** A step of the event of a cell begins; ms since 1970. */
  | { type: "event"; event: string; what: string; ms: number }
  /** isAtOnce: or when all other cells have been run. */
  | {
      type: "cell-end";
      record: CellRecord;
      repeat: { why: RepeatReason; isAtOnce: boolean } | null;
      remainingSeconds: number;
    }
  | { type: "note"; text: string };

export type Listener = (event: RunEvent) => void;
