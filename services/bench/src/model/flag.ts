/**
 * What weakens a cell, a comparison or a run: a code, and the figures that its sentence is made of.
 */
import type { MeasureKind } from "./comparison.ts";
import type { NetworkReading } from "./container.ts";

/** Shares are in %, and `limit` is of the figure beside it. */
export interface FlagFigures {
  // Of a cell.
  /** isBounded: its threads cannot use more than `cores`, and other cores are idle. */
  "generator-busy": { percent: number; limit: number; cores: number; isBounded: boolean };
  /** Two ticks are so much of the CPU time that is asked about. */
  "too-short": {
    cpuSeconds: number;
    tickSeconds: number;
    percent: number;
    limit: number;
    /** What would make the phase longer; null: its connections are held, and a proxy may idle. */
    repeats: "connections" | "requests" | null;
  };
  /** The whole machine was busy for so much of the time. atATime: connections, at most. */
  saturated: { percent: number; limit: number; loop: "closed" | "open"; atATime: number };
  steal: { percent: number; limit: number };
  "foreign-load": { percent: number; limit: number };
  /** The reference proxy's CPU time per operation was so far from the median of the setting. */
  "machine-index": { percent: number; limit: number; medianUs: number };
  tls: {
    what: "version" | "cipher" | "group" | "key" | "session";
    found: string;
    expected: string[];
    /** Whether the load asks for it, or certs/policy.json does. */
    isOfLoad: boolean;
  };
  "tls-unknown": {};
  bypassed: { what: keyof NetworkReading; found: number; least: number };
  "bypass-unknown": {};
  "echo-count": {
    what: "connections" | "messages";
    echo: number;
    generator: number;
    limit: number;
  };
  "echo-count-unknown": {};
  "request-count": { answers: number; unanswered: number; asked: number };
  "bad-answers": { bad: number; asked: number; percent: number; limit: number };
  "not-held": { from: number; to: number; asked: number };
  failed: { failed: number; asked: number; percent: number; limit: number };
  late: { percent: number; limit: number; due: number };
  dropped: { percent: number; limit: number; due: number };
  "memory-unknown": {};
  "machine-unknown": {};
  "side-by-side": {};

  // Of a comparison.
  /**
   * Below `least` nothing is ranked, below `enough` ranks are preliminary. onePairIn: of this many
   * pairs of equal proxies one comes out apart; null: they are tested, or not ranked.
   */
  "few-rounds": { rounds: number; least: number; enough: number; onePairIn: number | null };
  /** Of these no figure counts, and so the others are not ranked. */
  survivors: { proxies: string[] };
  "missing-rounds": { most: number; proxies: { proxy: string; rounds: number }[] };
  /** Of a pool: proxies without a figure in some of its settings, by number of connections. */
  "lacks-settings": { proxies: { proxy: string; connections: number[] }[] };
  /** Of a pool: settings, by number of connections, left out because these have void figures. */
  "left-out": { proxies: string[]; connections: number[] };
  /**
   * Of a pool: two that differ, the first being better with some numbers of connections, the
   * second with others.
   */
  opposite: {
    pairs: { proxies: [string, string]; better: [first: number[], second: number[]] }[];
  };
  "ranked-last": { limit: number; proxies: { proxy: string; badPercent: number }[] };
  spread: { limit: number; proxies: { proxy: string; percent: number }[] };
  "control-slower": {
    measure: string;
    control: number;
    proxies: { proxy: string; value: number }[];
  };
  "control-own": {};
  /** Over TLS. */
  "control-beside": {};
  /** Of slopes: some carry more connections than all do, and are compared where all are. */
  "common-counts": { least: number; most: number };
  /** Of slopes: these proxies have none. */
  "no-slope": { proxies: string[] };
  /**
   * Of slopes: for their number, too few connection counts and rounds to tell them apart. points:
   * of the proxy with the fewest.
   */
  "few-points": { proxies: number; points: number };
  /** Of times of a closed loop: the busiest of its cells. */
  queue: { percent: number; limit: number; atATime: number };

  /** Differences from the best no larger than that of a proxy from its own copy, in run `floor`. */
  "inside-noise": { proxies: string[]; ratio: number; floor: string };
  /** Of TLS beside none: every connection made a full handshake. */
  "full-handshakes": {};
  /** Of an event: the engine started the containers of these again, and their network. */
  "engine-restart": { proxies: string[] };
  /** Of an event: the record has new connections by the second. */
  "by-second": {};
  /** Of an event that ends one process: its connections end together. */
  "one-process": {};
  /** Of slow readers: without a proxy the sender was not held back either. */
  "control-took-all": {};
  /** Of slow readers: bytes came in another order than they were sent in. */
  "out-of-order": { proxies: string[] };
  /** Connections kept some seconds after the last client has gone, of this many. */
  leak: { proxies: { proxy: string; left: number }[]; connections: number; limit: number };

  // Of a run.
  incomplete: { open: number; planned: number };
  "shared-cores": { cores: number; busyPercent: number };
  /** Machines of hosts.yaml that are one. */
  "one-machine": { names: string[] };
  unobserved: { proxies: string[] };
  variants: { variants: { proxy: string; of: string; differs: string }[] };
  /** These let the client choose the cipher of TLS 1.3. */
  "client-chooses-cipher": { proxies: string[] };
}

export type FlagCode = keyof FlagFigures;

/** One kind of flag, with the figures that show it. */
export interface FlagOf<C extends FlagCode> {
  code: C;
  /** invalid: not counted; weak: counted, to be read with care; note: good to know. */
  severity: "invalid" | "weak" | "note";
  figures: FlagFigures[C];
  /** Kinds of measures that it voids in a cell which counts for all others. */
  voids?: MeasureKind[];
  /** Found in this many cells of all; the first of them. */
  cells?: { affected: number; all: number; first: string };
}

/** Something that weakens or voids a figure. */
export type Flag = { [C in FlagCode]: FlagOf<C> }[FlagCode];

export function flag<C extends FlagCode>(
  code: C,
  severity: Flag["severity"],
  figures: FlagFigures[C],
): Flag {
  return { code, severity, figures } as Flag;
}
