/**
 * All that a typed value is called: figures, settings, flags, and why something is missing. Tables,
 * not sentences of their own.
 */
import type {
  Comparison,
  Comparisons,
  Estimate,
  Figure,
  Measure,
  Missing,
  Setting,
} from "../model/comparison.ts";
import type { Flag, FlagCode, FlagFigures } from "../model/flag.ts";
import { counted, figure, NONE, number, range, shownUnit, times } from "../numbers.ts";
import { CONTROL } from "../plan/proxies.ts";
import { schemeName } from "../plan/workload.ts";
import { list, MEANINGS, parameterText } from "./load-text.ts";

export { list } from "./load-text.ts";
import type { Meaning } from "../model/plan.ts";

/** With a capital letter; of a text that begins with no name. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `2026-11-25 00:26 UTC` */
export function time(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}

// Figures

/** What of a measure decides how its values are shown; kind: left out, they are no counts. */
type Shown = Pick<Measure, "unit"> & Partial<Pick<Measure, "kind">>;

/** How the values of one column are shown, all in one unit. */
export interface Scale {
  unit: string;
  divisor: number;
  text(value: number): string;
  /** A span is its ends. */
  of(estimate: Estimate): string;
  /** Empty: it has no ends. */
  ends(estimate: Estimate): string;
}

/** @param values of the whole column, which decide between kB and MB */
export function scaleOf(measure: Shown, values: number[]): Scale {
  const scale = scaleOfUnit(measure, values);
  const of = (estimate: Estimate) =>
    isSpan(estimate)
      ? bothEnds(estimate.low, estimate.high, scale.text)
      : scale.text(estimate.value);
  return { ...scale, of };
}

function scaleOfUnit(measure: Shown, values: number[]): Omit<Scale, "of"> {
  if (measure.unit === "times") return unitless((value) => `${times(value)}×`, times);
  // 7 of 14, not 7.00 of 14.0.
  if (measure.kind === "count" && measure.unit === "") return unitless(number);
  const { unit, divisor } = shownUnit(measure.unit, values);
  return {
    unit,
    divisor,
    text: (value) => figure(value / divisor),
    ends: ({ value, low, high }) =>
      low !== null && high !== null
        ? range([low / divisor, high / divisor], value / divisor, between(low))
        : bothEnds(low, high, (end) => figure(end / divisor)),
  };
}

/** @param end of one end; left out: as `text` */
function unitless(text: Scale["text"], end = text): Omit<Scale, "of"> {
  return { unit: "", divisor: 1, text, ends: ({ low, high }) => bothEnds(low, high, end) };
}

/** `336–400`, `-2 to 5`, `from 917`, `up to 50` */
export function bothEnds(
  low: number | null,
  high: number | null,
  text: (end: number) => string,
): string {
  if (low !== null && high !== null) return `${text(low)}${between(low)}${text(high)}`;
  if (low !== null) return `from ${text(low)}`;
  return high !== null ? `up to ${text(high)}` : "";
}

/** A dash before or after a minus is hard to read. */
function between(low: number): string {
  return low < 0 ? " to " : "–";
}

/** `259 µs`, `34.0 kB`, `2.66×` */
export function amount(value: number, measure: Shown): string {
  const { unit, text } = scaleOf(measure, [value]);
  return unit === "" ? text(value) : `${text(value)} ${unit}`;
}

/** The same of an estimate, which may be a span. */
export function amountOf(estimate: Estimate, measure: Shown): string {
  const { unit, of } = scaleOf(measure, [estimate.value]);
  return unit === "" ? of(estimate) : `${of(estimate)} ${unit}`;
}

/**
 * Its ends are shown, and no value: that of a search without fresh cells is somewhere between them;
 * what happened to connections that had one fate lies between two events, and in the middle of them
 * lies nothing.
 */
export function isSpan({ basis, low, high }: Estimate): boolean {
  return basis === "bracket" || (basis === "events" && low !== high);
}

export function loopText({ loop, atATime }: NonNullable<Comparison["load"]>): string {
  if (loop === "open") return "set rate";
  return atATime === 1 ? "one at a time" : "closed loop";
}

/** `closed loop, machine 99 % busy`; empty: it does not matter to the measure, or is not known. */
export function loadOf({ load }: Pick<Comparison, "load">): string {
  if (!load) return "";
  return [
    loopText(load),
    load.busyPercent !== null && `machine ${Math.round(load.busyPercent)} % busy`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** `0.97 ms`; `up to 3.01 ms`, where it may be nothing. */
export function addedText(added: Estimate, measure: Shown): string {
  const most = mostAdded(added);
  return most === null ? amount(added.value, measure) : `up to ${amount(most, measure)}`;
}

/** Of a difference whose interval includes 0 the upper end; null: it does not. */
export function mostAdded({ low, high }: Pick<Estimate, "low" | "high">): number | null {
  return low === null || high === null || low > 0 || high < 0 ? null : high;
}

/** A tie says little where rounds could not have shown a difference of less. */
const LOW_POWER = 1.2;

/** `1.60×`, below which differences may be missed; empty: those are small, or nothing is tested. */
export function lowPowerOf({ detectable }: Pick<Comparison, "detectable">): string {
  return detectable !== null && detectable > LOW_POWER ? `${times(detectable)}×` : "";
}

/** What the ends of an estimate are, by its basis. */
export const BASES: Record<Estimate["basis"], string> = {
  ci95: "95 % interval",
  range: "lowest and highest round",
  bracket: "95 % interval that fresh cells did not confirm",
  exact: "95 % interval",
  events: "lowest and highest event",
};

/** Figures of proxies that have one, without the control. */
export function proxiesIn({ figures }: Comparison): Figure[] {
  return figures.filter(({ role, estimate }) => role === "proxy" && estimate);
}

type Ranked = Pick<Figure, "role" | "rank" | "toBest">;

/** Best, or tied for best: nobody is measurably better. */
export function isBest(one: Ranked, among: Ranked[]): boolean {
  return one.role === "proxy" && one.rank === 1 && !isUnplaced(one, among);
}

/**
 * Its rounds differ so much that it ties with the best, while a proxy that measured better does
 * not: its rank would contradict its figure.
 */
export function isUnplaced({ rank, toBest }: Ranked, among: Ranked[]): boolean {
  if (rank === null || !toBest) return false;
  const distance = Math.abs(Math.log(toBest.value));
  return among.some(
    (other) =>
      other.toBest &&
      other.rank !== null &&
      other.rank > rank &&
      Math.abs(Math.log(other.toBest.value)) < distance,
  );
}

// Names

export interface Named {
  proxies: Comparisons["proxies"];
  settings: Comparisons["settings"];
}

export function titleOfProxy({ proxies, settings }: Named, name: string): string {
  const all = Object.values(settings);
  // Among file servers, what stands behind the proxies is one of them.
  if (
    name === CONTROL &&
    all.length > 0 &&
    all.every(({ workload }) => workload.compares === "servers")
  )
    return "Node, files in memory";
  return proxies.find((proxy) => proxy.name === name)?.title ?? name;
}

/** Said only where nothing else tells two settings apart. */
const ASIDE: Meaning[] = [
  "timeoutSeconds",
  "seed",
  "threads",
  "settleSeconds",
  "poisson",
  "backoffSeconds",
];

/**
 * The one name of a setting, or of a pool of them: what differs from the others, and the scheme.
 * `2,000 connections, wss`
 *
 * @param keys of the settings
 * @param settings from which it is to be told apart
 */
export function settingTitle(
  keys: string[],
  settings: Comparisons["settings"],
  { scheme = true } = {},
): string {
  const own = keys.map((key) => settings[key]);
  const [first] = own;
  const all = Object.values(settings);
  const peers = all.filter(({ scenario }) => scenario === first.scenario);
  const valuesOf = (name: string, among: Setting[]) => [
    ...new Set(among.map(({ parameters }) => parameters[name])),
  ];
  // What a pool has all of tells it from nothing.
  const differs = (name: string, among: Setting[]) =>
    valuesOf(name, among).some((value) => !valuesOf(name, own).includes(value));
  const { workload } = first;
  const isAside = (meaning: Meaning) =>
    ASIDE.includes(meaning) || (meaning === "connectionsPerSecond" && workload.holdsConnections);
  const meanings = MEANINGS.filter((meaning) => !isAside(meaning));
  const told = meanings.flatMap((meaning) => workload.parameterNames[meaning] ?? []);
  // A figure of one at a time, or without Docker's network, is no other's, wherever it stands.
  const { concurrency, hostNetwork } = workload;
  const isOwn = (name: string) =>
    (concurrency === 1 && name === workload.parameterNames.concurrency) ||
    (hostNetwork === 1 && name === workload.parameterNames.hostNetwork);
  const known = told.filter((name) => isOwn(name) || differs(name, peers));
  const twins = peers.filter(
    (peer) =>
      peer.scheme === first.scheme &&
      !own.includes(peer) &&
      !known.some((name) => differs(name, [peer])),
  );
  const others = Object.keys(first.parameters).filter(
    (name) => !told.includes(name) && differs(name, twins),
  );
  const parts = [
    ...(peers.length < all.length ? [first.scenario] : []),
    ...[...known, ...others].map((name) =>
      parameterText(first.workload, name, valuesOf(name, own)),
    ),
  ];
  return [...parts, ...(scheme || parts.length === 0 ? [schemeName(first)] : [])].join(", ");
}

// Why a figure is missing

/** In a cell of a table. */
export const MISSING_SHORT: Record<Missing["kind"], string> = {
  "not-run": NONE,
  unreadable: NONE,
  "no-common-round": NONE,
  uncounted: NONE,
  "few-counts": NONE,
  "none-passed": "none passed",
  "few-samples": "void",
  unsupported: "n/a",
  skipped: "skipped",
  failed: "failed",
  invalid: "void",
  voided: "void",
};

/** By the plan, or by what this machine cannot do. */
export function isSkipped(missing: Missing): boolean {
  return (
    missing.kind === "skipped" || (missing.kind === "failed" && missing.cause.kind === "skipped")
  );
}

/** As a footnote. */
export function missingText(missing: Missing, title: (proxy: string) => string): string {
  switch (missing.kind) {
    case "not-run":
      return "not measured yet";
    case "unreadable":
      return "could not be read";
    case "no-common-round":
      return "no round has a valid cell in every setting that it is derived from";
    case "uncounted":
      return "this kernel does not count it";
    case "few-counts":
      return `${missing.counts} of at least ${missing.least} connection counts measured`;
    case "none-passed":
      return `no rate that was judged passed; the lowest that failed: ${number(missing.rate)} per second`;
    case "few-samples":
      return `a p99 takes ${number(missing.least)} samples, and no rate had as many`;
    case "unsupported":
      return missing.why.replace(/^has none: /, "");
    case "skipped":
      return `skipped: ${missing.why}`;
    case "failed":
      return missing.cause.kind === "skipped"
        ? `skipped: ${missing.cause.message}`
        : `failed (${missing.cause.kind}): ${missing.cause.message}`;
    case "invalid":
    case "voided":
      return flagText(missing.flag, title);
  }
}

// Flags

/** What analysis says of a comparison in other words than of a cell. */

interface Naming {
  title: (proxy: string) => string;
  severity: Flag["severity"];
}

const FIGURES_OF: Record<FlagFigures["bypassed"]["what"], string> = {
  rxBytes: "bytes received",
  txBytes: "bytes sent",
  rxPackets: "packets received",
  txPackets: "packets sent",
};

/** A row for every code. Of a cell first, then of a comparison, then of the run. */
const FLAGS: { [C in FlagCode]: (figures: FlagFigures[C], naming: Naming) => string } = {
  "generator-busy": ({ percent, limit, cores }) =>
    `Load generator used ${number(percent)} % of its ${counted(cores, "core")} (limit ${limit} %): times and throughput do not count`,
  "too-short": ({ cpuSeconds, tickSeconds, percent, limit }) =>
    `The proxy used ${number(cpuSeconds)} s of CPU, counted in steps of ${tickSeconds} s: uncertain by ${number(percent)} % (limit ${limit} %)`,
  saturated: ({ percent, limit, loop, atATime }) =>
    loop === "closed"
      ? `Times are mostly queueing, not the proxy's own: closed loop, ${number(atATime)} at a time, machine ${number(percent)} % busy (limit ${limit} %)`
      : `Machine ${number(percent)} % busy (limit ${limit} %) in an open loop: times and throughput do not count`,
  steal: ({ percent, limit }) =>
    `The hypervisor took ${number(percent)} % of the CPU time (limit ${limit} %)`,
  "foreign-load": ({ percent, limit }) =>
    `Other programs used ${number(percent)} % of the machine (limit ${limit} %)`,
  "machine-index": ({ percent, limit, medianUs }) =>
    `The machine was ${number(Math.abs(percent))} % ${percent > 0 ? "slower" : "faster"} than usual in this setting (limit ${limit} %; the reference usually costs ${figure(medianUs)} µs)`,
  tls: ({ what, found, expected, isOfLoad }) =>
    `TLS ${what} was ${found}; ${isOfLoad ? "the load asks for" : "the policy asks for"} ${expected.join(" or ")}`,
  "tls-unknown": () => "The negotiated TLS parameters were not recorded",
  bypassed: ({ what, found, least }) =>
    `Only ${number(found)} ${FIGURES_OF[what]} by the proxy, of at least ${number(least)}: traffic bypassed it`,
  "bypass-unknown": () =>
    "The proxy's network counters could not be read: whether traffic bypassed it was not checked",
  "echo-count": ({ what, echo, generator, limit }) =>
    `The echo server counted ${number(echo)} ${what}, the generator ${number(generator)} (limit ${limit} more)`,
  "echo-count-unknown": () =>
    "The echo server's counts could not be read: whether the load reached it was not checked",
  "request-count": ({ answers, unanswered, asked }) =>
    `${number(answers)} answers and ${number(unanswered)} unanswered requests do not add up to ${number(asked)}`,
  "bad-answers": ({ bad, asked, percent, limit }, { severity }) =>
    `${number(bad)} of ${number(asked)} requests failed, ${number(percent)} %${
      severity === "weak" ? ` (limit ${limit} %): times include those of error answers` : ""
    }`,
  "not-held": ({ from, to, asked }) =>
    `${number(from)} connections open at the start and ${number(to)} at the end, of ${number(asked)} to be held`,
  failed: ({ failed, asked, percent, limit }) =>
    `${number(failed)} of ${number(asked)} connections failed, ${number(percent)} % (limit ${limit} %)`,
  late: ({ percent, limit, due }) =>
    `${number(percent)} % of ${number(due)} sends left more than 10 ms late (limit ${limit} %): times and throughput do not count`,
  dropped: ({ percent, limit, due }) =>
    `${number(percent)} % of ${number(due)} sends were dropped (limit ${limit} %): times and throughput do not count`,
  "memory-unknown": () => "The proxy's memory could not be read",
  "machine-unknown": () =>
    "The machine's counters could not be read: steal and other load are unknown",
  "side-by-side": () =>
    "All proxies of a round ran at once: memory, sockets and descriptors count; CPU and times do not",

  "few-rounds": ({ rounds, least, enough, onePairIn }) => {
    if (rounds < least) return `Not ranked: ${counted(rounds, "round")} of at least ${least}`;
    const how =
      rounds < enough
        ? `Preliminary: ${rounds} of ${enough} rounds`
        : "Ranked by range, not tested";
    return onePairIn === null
      ? how
      : `${how}; two equal proxies would differ in 1 of ${number(onePairIn)} cases`;
  },
  survivors: ({ proxies }, { title }) =>
    `Not ranked: no valid measurement of ${list(proxies.map(title))}, and the rest are survivors`,
  "missing-rounds": ({ most, proxies }, { title }) =>
    `Fewer rounds: ${list(proxies.map(({ proxy, rounds }) => `${title(proxy)} (${rounds} of ${most})`))}`,
  "lacks-settings": ({ proxies }, { title }) =>
    `${[...Map.groupBy(proxies, ({ connections }) => list(connections.map(number)))]
      .map(
        ([counts, own]) =>
          `${list(own.map(({ proxy }) => title(proxy)))} not measured at ${counts} connections`,
      )
      .join(", ")}; pairs are compared where both were`,
  "left-out": ({ proxies, connections }, { title }) =>
    `${list(connections.map(number))} connections left out: no valid measurement of ${list(proxies.map(title))}`,
  opposite: ({ pairs }, { title }) =>
    pairs
      .map(({ proxies: [first, second], better }) => {
        const [one, other] = better.map((connections) => list(connections.map(number)));
        return `${title(first)} beats ${title(second)} at ${one} connections and loses at ${other}`;
      })
      .join("; "),
  "ranked-last": ({ limit, proxies }, { title }) =>
    `Ranked last, as more than ${limit} % of requests failed: ${list(
      proxies.map(({ proxy, badPercent }) => `${title(proxy)} (${number(badPercent)} %)`),
    )}`,
  spread: ({ limit, proxies }, { title }) =>
    `Rounds differ much (middle half over ${limit} % of the median): ${list(
      proxies.map(({ proxy, percent }) => `${title(proxy)} ${number(percent)} %`),
    )}`,
  "control-slower": ({ proxies }, { title }) =>
    `The control was slower than ${list(proxies.map(({ proxy }) => title(proxy)))}: what a proxy adds is unknown`,
  "control-own": () => "The control's figure is the cost of its own server: no ratio to it",
  "control-beside": () => "The control ends TLS in Node itself: no baseline",
  "out-of-order": ({ proxies }, { title }) =>
    `Not all that was sent came in its order: ${list(proxies.map(title))}`,
  leak: ({ proxies, connections, limit }, { title }) =>
    `Kept after ${number(connections)} clients had gone (limit ${limit} %): ${list(
      proxies.map(({ proxy, left }) => `${title(proxy)} ${number(left)}`),
    )}`,
  "engine-restart": ({ proxies }, { title }) =>
    `Not the proxy's own time: the container engine started ${list(proxies.map(title))} again, and its network`,
  "by-second": () => "New connections were recorded by the second: times are up to 1 s too long",
  "one-process": () => "By construction: the share that the fullest process carries",
  "control-took-all": () => "Without a proxy the sender was not held back either",
  "common-counts": ({ least, most }) =>
    `Compared only at ${number(least)} to ${number(most)} connections, which all carried. "to": the most that a proxy was measured with`,
  "no-slope": ({ proxies }, { title }) =>
    `Too few connection counts for ${list(proxies.map(title))}`,
  "few-points": ({ proxies, points }) =>
    `Not ranked: ${points} points are too few to tell ${counted(proxies, "slope")} apart`,
  queue: ({ percent, limit, atATime }) =>
    `Mostly queueing, not the proxy's own time: closed loop, ${number(atATime)} at a time, machine up to ${number(percent)} % busy (limit ${limit} %)`,
  "inside-noise": ({ proxies, ratio }, { title }) =>
    `The lead over ${list(proxies.map(title))} is within the noise of two equal proxies (${times(ratio)}×)`,
  "full-handshakes": () => "Every connection made a full handshake; resumed sessions cost less",

  incomplete: ({ open, planned }) =>
    `Interrupted: ${open} of ${counted(planned, "cell")} have not run`,
  "shared-cores": ({ cores, busyPercent }) =>
    `Load, proxy and server share ${counted(cores, "core")}, ${number(busyPercent)} % busy: only ratios hold elsewhere`,
  "one-machine": ({ names }) =>
    `${list(names)} are engines of one machine: no link lies between them`,
  unobserved: ({ proxies }, { title }) =>
    `${list(proxies.map(title))} ran without InfluxDB and cAdvisor: the difference includes their cost`,
  variants: ({ variants }, { title }) =>
    variants
      .map(
        ({ proxy, of, differs }) => `${title(proxy)} is ${title(of)} with one change: ${differs}`,
      )
      .join("; "),
  "client-chooses-cipher": ({ proxies }, { title }) =>
    `With ${list(proxies.map(title))} the client chooses the TLS 1.3 cipher; here it chose the policy's`,
};

/** Without a full stop. */
export function flagText(
  { code, figures, severity, cells }: Flag,
  title: (proxy: string) => string,
): string {
  const row = FLAGS[code as FlagCode] as ((figures: unknown, naming: Naming) => string) | undefined;
  const text = row ? row(figures, { title, severity }) : code;
  if (!cells) return text;
  return `${text}: ${cells.affected} of ${counted(cells.all, "cell")}, first ${cells.first}`;
}
