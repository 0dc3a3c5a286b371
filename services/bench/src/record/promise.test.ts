import assert from "node:assert/strict";
import { test } from "node:test";
import { cellRecord, containerRecord } from "../analyse/testing/results.ts";
import { judge } from "./promise.ts";
import type { CellRecord } from "../model/cell.ts";
import type { LatencySummary } from "../model/load.ts";

const PROMISE = { sloMs: 50, failedPercent: 0.1, sentPercent: 99 };
const GOOD = cellRecord();
/** 5 s on two cores. */
const MACHINE = { cores: 2, busySeconds: 3, stealSeconds: 0, foreignSeconds: 0, benchSeconds: 0.1 };

function latency(p99: number) {
  return { ...GOOD.handshakeMs, p99 } as LatencySummary;
}

/** @param changes to 2,000 connections that were all due, opened in time, on an idle generator */
function judged(
  changes?: Partial<CellRecord>,
  { holdsConnections = false }: { holdsConnections?: boolean } = {},
) {
  const record = {
    ...GOOD,
    handshakeMs: latency(20),
    echoLatencyMs: latency(20),
    sends: { due: 2000, late: 0, dropped: 0 },
    machine: MACHINE,
    ...changes,
  };
  return judge(record, PROMISE, { holdsConnections, generatorCores: 2 });
}

/** @param failed of 2,000 */
function failures(failed: number) {
  return { asked: 2000, opened: 2000 - failed, failed, failedByCause: { timeout: failed } };
}

/** @param cpuSeconds of 10 that there were */
function generator(cpuSeconds: number) {
  const load = containerRecord({ role: "load", cpuSeconds });
  return { containers: { ...GOOD.containers, "load-1": load } };
}

const ALL_BUT_LATE = { handshakeMs: latency(50), connections: failures(2) };
const SLOW = { handshakeMs: latency(80) };
const SLOW_ECHO = { echoLatencyMs: latency(60) };
const NOTHING = { handshakeMs: null, connections: null, sends: null };

function few(p99: number) {
  return { handshakeMs: { ...latency(p99), count: 298 } };
}

/** What is not as in a good cell, and what of the promise is broken by what limit. */
for (const [what, changes, broken, limits = [], about = {}] of [
  ["just kept", { ...ALL_BUT_LATE, sends: { due: 2000, late: 0, dropped: 20 } }, []],
  ["a slow handshake", { handshakeMs: latency(50.1) }, ["p99"]],
  ["failures", { connections: failures(3) }, ["failures"]],
  ["too little sent", { sends: { due: 2000, late: 0, dropped: 21 } }, ["sending"]],
  ["a slow echo where handshakes are judged", SLOW_ECHO, []],
  ["a slow echo on held connections", SLOW_ECHO, ["p99"], [], { holdsConnections: true }],
  ["298 handshakes, none late", few(20), [], ["samples"]],
  ["298 handshakes, some late", few(80), ["p99"], ["samples"]],
  ["298 handshakes, and failures", { ...few(80), connections: failures(3) }, ["p99", "failures"]],
  ["nothing was counted", NOTHING, ["p99", "failures", "sending"]],
  ["a generator just not at its limit", { ...SLOW, ...generator(7.9) }, ["p99"]],
  ["a busy generator", { ...SLOW, ...generator(8.1) }, ["p99"], ["generator"]],
  [
    "a late generator",
    { ...SLOW, sends: { due: 2000, late: 21, dropped: 0 } },
    ["p99"],
    ["generator"],
  ],
  ["a busy machine", { ...SLOW, machine: { ...MACHINE, busySeconds: 9.1 } }, ["p99"], ["machine"]],
  [
    "a machine of others, outside",
    { ...SLOW, machine: { ...MACHINE, stealSeconds: 1.1 } },
    ["p99"],
    ["machine"],
  ],
  [
    "a machine of others, inside",
    { ...SLOW, machine: { ...MACHINE, foreignSeconds: 2.1 } },
    ["p99"],
    ["machine"],
  ],
  [
    "kept, all at their limits",
    { ...generator(9.9), machine: { ...MACHINE, busySeconds: 9.9 } },
    [],
  ],
] as [string, Partial<CellRecord>, string[], string[]?, { holdsConnections?: boolean }?][])
  test(`a promise: ${what}`, () => {
    const verdict = limits.length > 0 ? "limited" : broken.length === 0 ? "holds" : "fails";
    assert.deepEqual(judged(changes, about), { verdict, broken, limits });
  });
