/**
 * What voids or weakens the figures of one cell.
 */
import { FOREIGN_LIMIT_PERCENT, STEAL_LIMIT_PERCENT } from "../record/disturbance.ts";
import { generatorCores } from "../record/generator-cores.ts";
import { GENERATOR_LIMIT_PERCENT, MACHINE_LIMIT_PERCENT } from "../record/promise.ts";
import { BAD_ANSWERS_LIMIT_PERCENT } from "./bad-answers.ts";
import { measuresOf } from "./measures.ts";
import {
  badAnswers,
  goodAnswers,
  held,
  LEAST_REQUEST_BYTES,
  proxyNetwork,
  reachesServer,
} from "./readings.ts";
import { isOnHostNetwork } from "../plan/network.ts";
import { CONTROL } from "../plan/proxies.ts";
import { connectionsAtATime, FAILED_LIMIT_PERCENT, isExperiment } from "../plan/workload.ts";
import type { TlsPolicy } from "../model/environment.ts";
import type { Plan, Workload } from "../model/plan.ts";
import type { CellRecord } from "../model/cell.ts";
import type { ReferenceLoad } from "../model/load.ts";
import type { NetworkReading } from "../model/container.ts";
import type { JudgedCell, MeasureKind } from "../model/comparison.ts";
import type { Flag, FlagCode, FlagOf } from "../model/flag.ts";

/**
 * What cgroup v1 counts user and system time in (cpuacct.stat, in USER_HZ: kernel,
 * cgroup-v1/cpuacct.rst; 100 per second, man 7 time). At each edge of the measured phase one tick may
 * be on the wrong side.
 */
const TICK_SECONDS = 0.01;
/** Two ticks may be so much of the proxy's CPU time. */
const RESOLUTION_LIMIT_PERCENT = { invalid: 40, weak: 20 };
/** Of the sends of an open loop. */
const LATE_LIMIT_PERCENT = 5;
const DROPPED_LIMIT_PERCENT = 1;
/** What a generator at its limit makes slow; what the proxy costs is another matter. */
const TIMES: MeasureKind[] = ["time", "rate"];
const isTime = (kind: MeasureKind) => TIMES.includes(kind);
const isCpu = (kind: MeasureKind) => kind === "cpu";
const isTimeOrCpu = (kind: MeasureKind) => isTime(kind) || isCpu(kind);

/** Which measures a flag of a cell is about; codes that are not here are about all. */
const ABOUT: Partial<Record<FlagCode, (kind: MeasureKind) => boolean>> = {
  "generator-busy": isTime,
  // Of a closed loop, a comparison says it itself.
  saturated: isTime,
  "too-short": isCpu,
  steal: isTimeOrCpu,
  "side-by-side": isTimeOrCpu,
  "foreign-load": isTimeOrCpu,
  "machine-index": isTimeOrCpu,
  // A proxy with bad answers ranks last, and its comparison says so.
  "bad-answers": () => false,
  late: isTime,
  dropped: isTimeOrCpu,
  "machine-unknown": isTimeOrCpu,
};

/**
 * Of proxies side by side. What the others used is foreign to a cell, and not distinguishable from
 * other programs.
 */
export const BESIDE: Flag = {
  code: "side-by-side",
  severity: "note",
  figures: {},
  voids: [...TIMES, "cpu"],
};

/**
 * Beyond what k6 counted, the echo server may have seen this many connections and messages of other
 * clients.
 */
const STRAYS = 5;

/** @returns empty for a cell that did not end well: it counts for nothing anyway */
export function flagsOf(
  record: CellRecord,
  {
    workload,
    policy,
    plan: { keyType, sideBySide: isBeside },
    profile,
  }: {
    /** of that cell */
    workload: Workload;
    /** of certs/policy.json; null: what TLS negotiated is not judged */
    policy: TlsPolicy | null;
    plan: Pick<Plan, "keyType" | "sideBySide">;
    /** of the cell, as planned */
    profile: string | undefined;
  },
): Flag[] {
  // What a search measures is in its probes, each with a judgement of its own.
  if (record.status !== "ok" || record.probes) return [];
  const measures = measuresOf(record, workload);
  const isWss = record.scheme === "wss";
  // An echo server takes the proxy's place.
  const isControl = profile === CONTROL;
  // Connections end and containers restart in it: counts at both edges may differ, and what is not
  // sent is its outcome.
  if (isExperiment(workload))
    return [
      ...generatorBusy(record, workload, measures),
      ...taken("steal", measures.steal_percent, STEAL_LIMIT_PERCENT),
      ...taken("foreign-load", measures.foreign_cpu_percent, FOREIGN_LIMIT_PERCENT),
      ...(isWss && policy ? wrongTls(record, workload, { policy, keyType }) : []),
      ...unlikePlanned(record, { ...measures, sends_dropped_percent: 0 }),
    ];
  return [
    ...generatorBusy(record, workload, measures),
    ...machineBusy(workload, measures),
    // Of the control, the CPU time is not compared.
    ...(isControl && workload.compares !== "servers" ? [] : tooShort(record, workload, measures)),
    ...taken("steal", measures.steal_percent, STEAL_LIMIT_PERCENT),
    ...(isBeside
      ? [BESIDE]
      : taken("foreign-load", measures.foreign_cpu_percent, FOREIGN_LIMIT_PERCENT)),
    ...(isWss && policy ? wrongTls(record, workload, { policy, keyType }) : []),
    ...(workload.protocol === "http"
      ? [
          ...requestsBypassed(record, workload, isControl),
          ...requestsMiscounted(record, workload),
          ...answeredBadly(record),
        ]
      : [
          ...bypassed(record, workload, isControl ? 1 : 2),
          ...miscounted(record, workload, isControl),
        ]),
    ...notHeld(record, workload),
    ...failedConnections(record),
    ...unlikePlanned(record, measures),
    ...gaps(record, measures),
  ];
}

/**
 * @param flag of a cell that counts
 * @param kind of a measure
 * @returns the cell's figure under that measure does not count
 */
export function isVoidedBy({ voids = [] }: Flag, kind: MeasureKind): boolean {
  return voids.includes(kind);
}

/**
 * @param flag of a cell
 * @param kind of a measure
 * @returns it weakens that measure
 */
export function weakens(flag: Flag, kind: MeasureKind): boolean {
  return flag.severity === "weak" && isAbout(flag, kind);
}

/**
 * @param flag of a cell
 * @param kind of a measure
 * @returns with it the cell says nothing of that measure
 */
export function invalidates(flag: Flag, kind: MeasureKind): boolean {
  return flag.severity === "invalid" && isAbout(flag, kind);
}

/** What takes CPU time from a cell makes it slow, and leaves its memory as it is. */
export function countsForMemory({ record, flags }: JudgedCell): boolean {
  return record.status === "ok" && !flags.some((one) => invalidates(one, "memory"));
}

/**
 * @param flag of a cell
 * @param kind of a measure
 * @returns what it found changes that measure
 */
function isAbout({ code }: Pick<Flag, "code">, kind: MeasureKind): boolean {
  return ABOUT[code]?.(kind) ?? true;
}

/**
 * What was found in single cells, summed up: once a code.
 *
 * @param all cells that were looked at
 */
export function summedUp(found: { record: CellRecord; flag: Flag }[], all: number): Flag[] {
  const kinds = Map.groupBy(found, ({ flag: { code, severity } }) => `${code} ${severity}`);
  return [...kinds.values()].map((same) => {
    const { record, flag } = same[0];
    const affected = new Set(same.map((each) => each.record)).size;
    return { ...flag, cells: { affected, all, first: record.id } };
  });
}

/**
 * Where it has fewer threads than there are cores, those are at their end while the others' cores
 * are not: its times are void, what the proxy cost is not.
 */
function generatorBusy(
  record: CellRecord,
  workload: Workload,
  { generator_cpu_percent: percent }: Record<string, number>,
): Flag[] {
  if (!(percent > GENERATOR_LIMIT_PERCENT)) return [];
  const { loadCores } = record;
  const figures = { percent, limit: GENERATOR_LIMIT_PERCENT };
  const cores = generatorCores(record, workload);
  if (cores < loadCores) {
    return [
      {
        code: "generator-busy",
        severity: "weak",
        figures: { ...figures, cores, isBounded: true },
        voids: TIMES,
      },
    ];
  }
  return [
    {
      code: "generator-busy",
      severity: "invalid",
      figures: { ...figures, cores: loadCores, isBounded: false },
    },
  ];
}

/**
 * In a closed loop such times are a queue's: they stand, under that name. In an open loop they
 * should have been a delay at a rate, and are not.
 */
function machineBusy(
  workload: Workload,
  { machine_busy_percent: percent }: Record<string, number>,
): Flag[] {
  if (!(percent > MACHINE_LIMIT_PERCENT)) return [];
  const { loop } = workload;
  const atATime = connectionsAtATime(workload);
  return [
    {
      code: "saturated",
      severity: "weak",
      figures: { percent, limit: MACHINE_LIMIT_PERCENT, loop, atATime },
      ...(loop === "open" && { voids: TIMES }),
    },
  ];
}

/**
 * Of connections that are held, memory is asked first, and a proxy that hardly does anything is an
 * answer: that voids nothing.
 */
function tooShort(
  record: CellRecord,
  workload: Workload,
  { proxy_cpu_seconds: own, servers_cpu_seconds: both }: Record<string, number>,
): Flag[] {
  const seconds = workload.compares === "servers" ? both : own;
  if (seconds === undefined) return [];
  const percent = (100 * 2 * TICK_SECONDS) / seconds;
  const severity = severityOf(percent, RESOLUTION_LIMIT_PERCENT);
  if (!severity) return [];
  const isHeld = held(record) !== null;
  const repeats = workload.protocol === "http" ? "requests" : "connections";
  return [
    {
      code: "too-short",
      severity: isHeld ? "note" : severity,
      figures: {
        cpuSeconds: seconds,
        tickSeconds: TICK_SECONDS,
        percent,
        limit: RESOLUTION_LIMIT_PERCENT[severity],
        repeats: isHeld ? null : repeats,
      },
    },
  ];
}

function severityOf(percent: number | undefined = 0, limits: { invalid: number; weak: number }) {
  if (percent > limits.invalid) return "invalid";
  return percent > limits.weak ? "weak" : null;
}

/** @param percent of the machine's CPU time */
function taken(
  code: "steal" | "foreign-load",
  percent: number | undefined,
  limits: { invalid: number; weak: number },
): Flag[] {
  const severity = severityOf(percent, limits);
  if (percent === undefined || !severity) return [];
  return [{ code, severity, figures: { percent, limit: limits[severity] } }];
}

/**
 * The client that asked offers all that the policy allows, and more: whoever follows the policy
 * chose the policy's best. A scenario about TLS says itself what it asks for.
 */
function wrongTls(
  { tls }: CellRecord,
  { tlsVersion, rsaBits, resumed = 0 }: Workload,
  { policy, keyType }: { policy: TlsPolicy; keyType: string },
): Flag[] {
  if (!tls) return [{ code: "tls-unknown", severity: "invalid", figures: {} }];
  const version = tlsVersion === undefined ? policy.maxVersion : `TLSv${tlsVersion}`;
  const key = rsaBits === undefined ? keyType : rsaBits === 0 ? "ecdsa" : `rsa ${rsaBits}`;
  const ciphers = version === "TLSv1.3" ? policy.cipherSuitesTls13 : policy.ciphersTls12;
  const session = resumed === 0 ? "new" : "resumed";
  // A session of TLS 1.2 that is resumed exchanges no key (RFC 5246, 7.3).
  const hasGroup = version === "TLSv1.3" || resumed === 0;
  const isOfLoad = tlsVersion !== undefined;
  const checks: [FlagOf<"tls">["figures"]["what"], string, boolean, string[]][] = [
    ["version", tls.version, tls.version === version, [version]],
    ["cipher", tls.cipher, ciphers.includes(tls.cipher), ciphers],
    ["group", tls.group, !hasGroup || policy.groups.includes(tls.group), policy.groups],
    ["key", tls.keyType, tls.keyType.toLowerCase().startsWith(key), [key]],
    ["session", tls.resumed ? "resumed" : "new", tls.resumed === (resumed !== 0), [session]],
  ];
  return checks
    .filter(([, , holds]) => !holds)
    .map(([what, found, , expected]) => ({
      code: "tls",
      severity: "invalid",
      figures: { what, found, expected, isOfLoad },
    }));
}

/**
 * Every byte of a message passes the proxy's interface twice each way: client to proxy to echo, and
 * back. A connection that is opened in the measured phase has at least a SYN and a segment with
 * data in each direction on each side, and those are packets of their own (RFC 9293).
 *
 * @param sides on which the proxy has connections: client, and echo server
 */
function bypassed(record: CellRecord, workload: Workload, sides: 1 | 2): Flag[] {
  const { messageBytes = 0 } = workload;
  const bytes = sides * (record.messagesEchoed ?? 0) * messageBytes;
  const opened = held(record) === null ? (record.connections?.opened ?? 0) : 0;
  const packets = sides * 2 * opened;
  const least = { rxBytes: bytes, txBytes: bytes, rxPackets: packets, txPackets: packets };
  return belowLeast(record, least, workload);
}

/**
 * A good answer has a request's bytes on its way in and its own on its way out, and both once more
 * where a server is behind the proxy. A closed loop has a packet each way for each, and two where
 * each opens a connection of its own.
 */
function requestsBypassed(record: CellRecord, workload: Workload, isControl: boolean): Flag[] {
  const { fileBytes = 0, requests: asked } = workload;
  const { requests } = record;
  if (!requests) return [];
  const hasServer = !isControl && reachesServer(record);
  const bodies = (goodAnswers(record) ?? 0) * fileBytes;
  const packets = requests.completed * (asked === undefined ? 1 : 2);
  const least = {
    rxBytes: requests.completed * LEAST_REQUEST_BYTES + (hasServer ? bodies : 0),
    txBytes: bodies + (hasServer ? (goodAnswers(record) ?? 0) * LEAST_REQUEST_BYTES : 0),
    rxPackets: packets,
    txPackets: packets,
  };
  return belowLeast(record, least, workload);
}

function belowLeast(record: CellRecord, least: NetworkReading, workload: Workload): Flag[] {
  const network = proxyNetwork(record);
  if (!network) {
    // There nothing can be counted for one container, and nothing else had the proxy's ports when
    // the run began.
    const severity = isOnHostNetwork(workload) ? "note" : "weak";
    return [{ code: "bypass-unknown", severity, figures: {} }];
  }
  return (["rxBytes", "txBytes", "rxPackets", "txPackets"] as const)
    .filter((what) => network[what] < least[what])
    .map((what) => ({
      code: "bypassed",
      severity: "invalid",
      figures: { what, found: network[what], least: least[what] },
    }));
}

function miscounted(record: CellRecord, workload: Workload, isControl: boolean): Flag[] {
  const { echoWorkers, connections, messagesEchoed } = record;
  // What failed may have reached the server, and had its message echoed.
  const limit = STRAYS + (connections?.failed ?? 0);
  // An echo server of its own takes the control's place.
  const beside: Partial<ReferenceLoad> = (!isControl && record.reference) || {};
  const { connections: others = 0, held: othersHeld = others, messages: theirs = 0 } = beside;
  if (!echoWorkers) return [{ code: "echo-count-unknown", severity: "weak", figures: {} }];
  // Those that are held were opened before.
  const before = held(record) === null ? 0 : (workload.connections ?? 0) + othersHeld;
  const checks: ["connections" | "messages", number, number][] = [
    ["connections", sum(echoWorkers, "connections"), (connections?.opened ?? 0) + others - before],
    ["messages", sum(echoWorkers, "messages"), (messagesEchoed ?? 0) + theirs],
  ];
  return checks
    .filter(([, echo, load]) => echo < load || echo > load + limit)
    .map(([what, echo, generator]) => ({
      code: "echo-count",
      severity: "invalid",
      figures: { what, echo, generator, limit },
    }));
}

/** @returns where a number of requests was asked for */
function requestsMiscounted({ requests }: CellRecord, { requests: planned }: Workload): Flag[] {
  if (!requests || planned === undefined) return [];
  const { asked } = badAnswers(requests);
  // What never came may have been tried again.
  if (requests.completed <= planned && asked >= planned) return [];
  return [
    {
      code: "request-count",
      severity: "invalid",
      figures: {
        answers: requests.completed,
        unanswered: asked - requests.completed,
        asked: planned,
      },
    },
  ];
}

/** The cell counts: that a proxy answers with errors is a result. */
function answeredBadly({ requests }: CellRecord): Flag[] {
  if (!requests) return [];
  const { bad, asked } = badAnswers(requests);
  if (bad === 0) return [];
  const percent = (100 * bad) / asked;
  const limit = BAD_ANSWERS_LIMIT_PERCENT;
  return [
    {
      code: "bad-answers",
      severity: percent > limit ? "weak" : "note",
      figures: { bad, asked, percent, limit },
    },
  ];
}

function notHeld({ connectionsHeld }: CellRecord, { connections: asked = 0 }: Workload): Flag[] {
  if (!connectionsHeld) return [];
  const { from, to } = connectionsHeld;
  if (Math.min(from, to) >= asked) return [];
  return [{ code: "not-held", severity: "invalid", figures: { from, to, asked } }];
}

/** So few that the cell did not fail: above the limit it has. */
function failedConnections({ connections }: CellRecord): Flag[] {
  if (!connections?.failed) return [];
  const { failed, asked } = connections;
  const figures = { failed, asked, percent: (100 * failed) / asked, limit: FAILED_LIMIT_PERCENT };
  return [{ code: "failed", severity: "note", figures }];
}

/**
 * What an open loop did not send when it was due is in no latency, or in one with the generator's
 * delay: the others are survivors.
 */
function unlikePlanned(
  { sends }: CellRecord,
  { sends_late_percent: late, sends_dropped_percent: dropped }: Record<string, number>,
): Flag[] {
  const flags: Flag[] = [];
  const due = sends?.due ?? 0;
  if (late > LATE_LIMIT_PERCENT) {
    const figures = { percent: late, limit: LATE_LIMIT_PERCENT, due };
    flags.push({ code: "late", severity: "weak", figures, voids: TIMES });
  }
  if (dropped > DROPPED_LIMIT_PERCENT) {
    const figures = { percent: dropped, limit: DROPPED_LIMIT_PERCENT, due };
    flags.push({ code: "dropped", severity: "weak", figures, voids: TIMES });
  }
  return flags;
}

function sum(workers: NonNullable<CellRecord["echoWorkers"]>, what: "connections" | "messages") {
  return workers.reduce((total, worker) => total + worker[what], 0);
}

function gaps(
  { machine }: CellRecord,
  { proxy_memory_peak_usage_bytes: memory }: Record<string, number>,
): Flag[] {
  const flags: Flag[] = [];
  if (memory === undefined) flags.push({ code: "memory-unknown", severity: "note", figures: {} });
  if (!machine) flags.push({ code: "machine-unknown", severity: "weak", figures: {} });
  return flags;
}
