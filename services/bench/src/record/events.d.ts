/** What the runner tells while it runs, for the live view. */
import type { LiveSample } from "./live.js";
import type { RepeatReason } from "./repeats.js";
import type { CellRecord, Plan, PlannedCell, Probe } from "./types.js";

export type Phase = "start" | "verify" | "warm up" | "measure" | "stop";

export type RunEvent =
  | {
      type: "plan";
      directory: string;
      cells: number;
      rounds: number;
      scenarios: Plan["scenarios"];
      done: number;
      skipped: number;
      estimatedSeconds: number;
    }
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
