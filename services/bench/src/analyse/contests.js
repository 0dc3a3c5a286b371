/**
 * Everything that a run says about proxies, question by question, one figure a proxy: so that runs of any battle can be laid out alike.
 */
import { CONTROL } from "../plan/proxies.js";
import { measure } from "./measures.js";
import { PER_CONNECTION } from "./operation-costs.js";
import {
  cellsOf,
  delayCells,
  HELD,
  rateCell,
  shareCells,
  slopeCells,
  toReference,
  unranked,
} from "./overview.js";

/** @import { Workload } from "../model/plan.ts" */
/** @import { Analysis, BestAnswer, Contest, CoursePart, DelayKind, Finding, Measure, MemoryAnswer, Missing, OverviewCell, ProxyRatio, Rounds, Share, SurvivalFigures, Verdict } from "./types.js" */

/** @typedef {Omit<OverviewCell, "toReference">} Cell */

/**
 * @param {Analysis} analysis
 * @returns {Contest[]} those with a figure: as the verdicts are ordered, then what is no comparison of costs
 */
export function contestsOf(analysis) {
  const { verdicts, capacities, courses, survivals, storms, stalls } = analysis;
  const found = [
    ...verdicts.flatMap((verdict) => ofVerdict(analysis, verdict)),
    ...courses.flatMap(({ setting, rows }) =>
      rows[0].parts.map(({ what }, i) => ({
        ...about("course", GROWTH[what], what),
        ...restingOn(
          [setting],
          contenders(rows).map(({ proxy, parts, missing }) =>
            unranked(proxy, parts[i].perHour, missing),
          ),
        ),
      })),
    ),
    ...capacities.map(({ answers, ...setting }) => ({
      ...about("capacity", rateMeasure(setting.workload)),
      ...restingOn([setting], contenders(answers).map(rateCell)),
    })),
    ...survivals.flatMap(({ events, ...setting }) =>
      events
        .filter(({ isControl }) => !isControl)
        .flatMap(({ event, answers }) =>
          EVENT_SHARES.map(({ question, measure, shareIn }) => ({
            ...about(question, measure, event),
            ...restingOn([setting], shareCells(answers, shareIn)),
          })),
        ),
    ),
    ...storms.map(({ answers, ...setting }) => ({
      ...about("storm", BACK),
      ...restingOn(
        [setting],
        contenders(answers).map((one) => roundsCell(one, one.figures?.ms.p99)),
      ),
    })),
    ...stalls.map(({ answers, ...setting }) => ({
      ...about("stall", STALLED),
      ...restingOn(
        [setting],
        contenders(answers).map((one) => roundsCell(one, one.figures?.bytes.all)),
      ),
    })),
  ];
  return found.filter(({ cells }) => cells.some(({ value }) => value));
}

/** What is told of each event. @type {{question: Contest["question"], measure: Measure, shareIn: (figures: SurvivalFigures) => Share | null}[]} */
const EVENT_SHARES = [
  {
    question: "lost",
    measure: {
      key: "lost",
      title: "Connections lost",
      unit: "%",
      better: "lower",
      description: "Of those open at the event, by the end of the watch.",
    },
    shareIn: ({ lost }) => lost,
  },
  {
    question: "failed",
    measure: {
      key: "failed",
      title: "New handshakes failed",
      unit: "%",
      better: "lower",
      description: "Of those from the event on.",
    },
    shareIn: ({ probes }) => probes.failed,
  },
  {
    question: "newcomers",
    measure: {
      key: "newcomers",
      title: "New connections that a server got which was started",
      unit: "%",
      better: "higher",
      description: "Of those through the proxy from the event on.",
    },
    shareIn: ({ servers }) => servers?.newcomers ?? null,
  },
];

/** What a proxy has before a load, and what it grows by under it. @type {Record<"baseline" | "growth", Measure>} */
const FOOTPRINTS = {
  baseline: measure("proxy_memory_baseline_usage_bytes"),
  growth: measure("proxy_memory_growth_bytes"),
};

/** @type {Measure} */
const BACK = {
  key: "back_ms_p99",
  title: "Until 99 % are back",
  unit: "ms",
  better: "lower",
  description: "Since all connections were cut at once.",
};

/** @type {Measure} */
const STALLED = {
  key: "bytes_per_stalled",
  title: "Memory a stalled client costs",
  unit: "bytes",
  better: "lower",
  description:
    "The proxy's highest while they do not read, less the mean before, divided by their number.",
};

/** @type {Measure} */
const LEFT = {
  key: "left",
  title: "Connections kept",
  unit: "",
  better: "lower",
  description:
    "Sockets or descriptors more than before, some seconds after the last client had gone.",
};

/** @type {Record<CoursePart["what"], Measure>} */
const GROWTH = {
  usageBytes: growth("Memory, more in an hour", "bytes"),
  rssBytes: growth("Anonymous memory, more in an hour", "bytes"),
  tcpInUse: growth("Sockets, more in an hour", ""),
  descriptors: growth("Descriptors, more in an hour", ""),
};

/**
 * @param {string} title
 * @param {string} unit
 * @returns {Measure}
 */
function growth(title, unit) {
  const description = "Slope over time under a steady load.";
  return { key: "growth", title, unit, better: "lower", description };
}

/**
 * @param {Contest["question"]} question
 * @param {Measure} measure
 * @param {string} [detail]
 */
function about(question, measure, detail = measure.key) {
  return { question, measure, detail };
}

/**
 * @param {Workload} workload
 * @returns {Measure}
 */
function rateMeasure({ holdsConnections }) {
  return measure(holdsConnections ? "messages_per_second" : "connections_per_second");
}

/**
 * @param {Contest["at"]} at
 * @param {Cell[]} cells
 * @param {Finding[]} [caveats]
 * @returns {Pick<Contest, "at" | "scheme" | "cells" | "isFirstLook" | "caveats">}
 */
function restingOn(at, cells, caveats = []) {
  return {
    at,
    scheme: (Array.isArray(at) ? at[0] : at).scheme,
    cells: cells.map((cell) => ({ ...cell, toReference: null })),
    isFirstLook: false,
    caveats,
  };
}

/**
 * @param {Analysis} analysis
 * @param {Verdict} verdict
 * @returns {Contest[]} one a scheme
 */
function ofVerdict(analysis, verdict) {
  const withShared = (/** @type {Finding[]} */ own) => [...own, ...verdict.caveats];
  switch (verdict.question) {
    case "best":
    case "added":
      return verdict.answers.map((answer) => ofComparison(analysis, verdict, answer));
    case "delay":
      return verdict.answers.map(({ delay, settings, caveats }) => ({
        ...about("delay", measure(P99[verdict.kind]), verdict.kind),
        ...restingOn(settings, delayCells(delay.rows), withShared(caveats)),
      }));
    case "memory":
      return verdict.answers.flatMap((answer) => {
        const { slopes, caveats } = answer;
        // Held connections tell more than what is open at a time.
        if (!slopes) return footprintsOf(answer, withShared(caveats));
        const cells = slopeCells(slopes.parts[0].rows, ({ slope }) => slope);
        return [
          { ...about("memory", measure(HELD)), ...restingOn(slopes, cells, withShared(caveats)) },
        ];
      });
    case "tls":
      return verdict.answers.map(({ settings, ratios, caveats }) => ({
        ...about("tls", inTimes(measure(verdict.measure))),
        ...restingOn(settings, contenders(ratios).map(ratioCell), withShared(caveats)),
      }));
    case "handshake":
      return verdict.answers.map(({ settings, ratios, caveats }) => ({
        ...about("handshake", inTimes(measure(PER_CONNECTION)), verdict.kind),
        ...restingOn(settings, contenders(ratios).map(ratioCell), withShared(caveats)),
      }));
    case "leak":
      return verdict.answers.map(({ settings, left, caveats }) => ({
        ...about("leak", LEFT),
        ...restingOn(
          settings,
          left.map((one) => unranked(one.proxy, { value: one.left, interval: null })),
          withShared(caveats),
        ),
      }));
    case "self":
    case "noise":
      return [];
  }
}

/** @type {Record<DelayKind, string>} */
const P99 = { handshake: "handshake_ms_p99", echo: "echo_latency_ms_p99" };

/**
 * @param {Analysis} analysis
 * @param {Extract<Verdict, {question: "best" | "added"}>} verdict
 * @param {BestAnswer} answer
 * @returns {Contest}
 */
function ofComparison(analysis, { question, measure: key, caveats }, answer) {
  const { settings, comparison } = answer;
  return {
    ...about(question, measure(key)),
    ...restingOn(settings, [], [...answer.caveats, ...caveats]),
    cells: cellsOf(comparison).map((cell) => ({
      ...cell,
      toReference: toReference(analysis, settings, { name: key, proxy: cell.proxy }),
    })),
    isFirstLook: comparison.findings.some(({ gate }) => gate === "few-rounds"),
  };
}

/**
 * @param {MemoryAnswer} answer
 * @param {Finding[]} caveats
 * @returns {Contest[]}
 */
function footprintsOf({ settings, footprints }, caveats) {
  return /** @type {const} */ (["baseline", "growth"]).map((part) => ({
    ...about("footprint", FOOTPRINTS[part], part),
    ...restingOn(
      settings,
      footprints.map(({ proxy, [part]: { median, values, missing } }) => ({
        ...unranked(proxy, median, missing),
        values,
      })),
      caveats,
    ),
  }));
}

/**
 * @param {Measure} of
 * @returns {Measure} that of a ratio of it
 */
function inTimes(of) {
  return { ...of, unit: "times" };
}

/**
 * @param {ProxyRatio} ratio
 * @returns {Cell}
 */
function ratioCell({ proxy, ratio: { value, interval, rounds } }) {
  return { ...unranked(proxy, { value, interval }), values: rounds ?? [] };
}

/**
 * @param {{proxy: string, missing: Missing[]}} answer
 * @param {Rounds | null} [rounds]
 * @returns {Cell}
 */
function roundsCell({ proxy, missing }, rounds) {
  if (!rounds) return unranked(proxy, null, missing);
  const { median, values } = rounds;
  return { ...unranked(proxy, { value: median, interval: null }), values };
}

/**
 * @template {{proxy: string}} T
 * @param {T[]} answers
 */
function contenders(answers) {
  return answers.filter(({ proxy }) => proxy !== CONTROL);
}
