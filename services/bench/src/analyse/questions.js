/**
 * Questions that a run answers, the settings that each is about, and the figures that answer it.
 */
import { CONTROL } from "../plan/proxies.js";
import { connectionsInAll, rateName, sizeNames, without } from "../plan/workload.js";
import { answersBadly } from "./bad-answers.js";
import { leaksOf } from "./leaks.js";
import { measure } from "./measures.js";
import { PER_CONNECTION, PER_HANDSHAKE, PER_MESSAGE } from "./operation-costs.js";
import { comparesServers, CONFIDENCE, ratiosOf } from "./settings.js";
import { slopesAround } from "./slopes.js";

/** @import { Meaning, Scheme, Workload } from "../model/plan.ts" */
/** @import { Analysis, BestAnswer, Comparison, DelayKind, Finding, FindingOf, PlannedPool, Pool, Row, Scope, Setting, Slopes, Verdict } from "./types.js" */

/**
 * @typedef {Pick<Analysis, "results" | "settings" | "pools" | "cells" | "slopes" | "handshakes" | "delays" | "noiseFloor">} Analysed
 *
 * @typedef {object} Contest
 * @property {string} measure
 * @property {(workload: Workload) => boolean} [applies] left out: it is asked wherever it is compared
 * @property {DelayKind} [delay] what is told in place of a mean at a set rate
 */

/** @param {Workload} workload */
const aboutProxies = (workload) => !comparesServers(workload);
/** @param {Workload} workload */
const aboutConnections = ({ compares }) => compares === "proxies";

/** Which proxy is best: one of each list is asked about, the first that is compared. @satisfies {Record<string, Contest[]>} */
const CONTESTS = {
  cpu: [
    { measure: PER_MESSAGE },
    { measure: PER_HANDSHAKE },
    { measure: PER_CONNECTION },
    { measure: "proxy_cpu_cores" },
    { measure: "proxy_cpu_us_per_request" },
    { measure: "servers_cpu_seconds" },
  ],
  time: [{ measure: "request_ms_mean", applies: comparesServers }],
  memoryLeft: [{ measure: "proxy_memory_left_bytes" }],
  throughput: [
    { measure: "connections_per_second" },
    { measure: "messages_per_second" },
    { measure: "requests_per_second", applies: aboutProxies },
  ],
};

/** Times that a proxy adds to. @type {Contest[]} */
const ADDED = [
  { measure: "handshake_ms_mean", delay: "handshake" },
  { measure: "echo_latency_ms_mean", applies: aboutConnections, delay: "echo" },
  { measure: "request_ms_mean", applies: aboutProxies },
];

/**
 * Settings that differ in scheme and number of connections alone.
 *
 * @typedef {object} Kind
 * @property {Scope} scope what tells it from the other kinds
 * @property {Family[]} families one a scheme
 *
 * @typedef {object} Family
 * @property {Scheme} scheme
 * @property {Pool} pool
 */

/** What a proxy has before the load, and what it grows by. */
const FOOTPRINT = ["proxy_memory_baseline_usage_bytes", "proxy_memory_growth_bytes"];

/** Gates of comparisons of times that tell nothing of what a proxy adds. */
const NO_DELAY = ["queue", "control-beside"];

/** @type {Scope} */
const WHOLE_RUN = { scenario: null, parameters: {}, description: null };

/**
 * @param {Analysed} analysed
 * @returns {Pick<Analysis, "asked" | "verdicts">} one answer from all settings of a kind and scheme
 */
export function verdictsOf(analysed) {
  const kinds = kindsOf(askedAbout(analysed.settings), analysed);
  const best = (/** @type {Contest[]} */ choice) =>
    kinds.flatMap((kind) => bestVerdict(analysed, kind, choice));
  return {
    asked: kinds.flatMap(({ families }) => families.map(({ pool }) => pool)),
    verdicts: [
      ...leakVerdict(analysed),
      ...best(CONTESTS.cpu),
      ...kinds.flatMap((kind) => tlsVerdict(analysed, kind)),
      ...handshakeVerdicts(analysed),
      ...best(CONTESTS.time),
      ...ADDED.flatMap((added) => kinds.flatMap((kind) => timeVerdict(analysed, kind, added))),
      ...best(CONTESTS.memoryLeft),
      ...kinds.flatMap((kind) => memoryVerdict(analysed, kind)),
      ...best(CONTESTS.throughput),
    ],
  };
}

/**
 * A run may have more settings than questions are worth: of files the smallest and the largest are asked about, of handshakes the
 * kind that is usual today. What the others cost beside it is asked on its own.
 *
 * @param {Setting[]} settings
 * @returns {Setting[]}
 */
function askedAbout(settings) {
  const all = (/** @type {Meaning} */ meaning) =>
    settings.flatMap(({ workload }) => workload[meaning] ?? []);
  const sizes = all("fileBytes");
  const ends = [Math.min(...sizes), Math.max(...sizes)];
  // Of what the scenario does not vary, there is one value or none.
  const isUsual = (/** @type {number | undefined} */ value, /** @type {number} */ usual) =>
    value === undefined || value === usual;
  const newest = Math.max(...all("tlsVersion"));
  const leastBits = Math.min(...all("rsaBits"));
  const leastResumed = Math.min(...all("resumed"));
  return settings.filter(({ workload }) => {
    const { compares, fileBytes, tlsVersion, rsaBits, resumed } = workload;
    if (compares === "servers") return fileBytes === undefined || ends.includes(fileBytes);
    if (compares !== "handshakes") return true;
    return (
      isUsual(tlsVersion, newest) && isUsual(rsaBits, leastBits) && isUsual(resumed, leastResumed)
    );
  });
}

/**
 * @param {Setting[]} settings that are asked about
 * @param {Analysed} analysed with all settings of the run, which they are told from
 * @returns {Kind[]}
 */
function kindsOf(settings, { results, settings: all, pools }) {
  const rest = (/** @type {Setting} */ { parameters, workload }) =>
    Object.entries(without(parameters, sizeNames(workload)));
  const key = (/** @type {Setting} */ setting) =>
    JSON.stringify([setting.scenario, rest(setting).sort()]);
  const kinds = [...Map.groupBy(settings, key).values()];
  const scenarios = new Set(settings.map(({ scenario }) => scenario));
  return kinds.map((kind) => {
    const { scenario } = kind[0];
    const differing = rest(kind[0]).filter(([name, value]) =>
      all.some((other) => other.scenario === scenario && other.parameters[name] !== value),
    );
    return {
      scope: {
        scenario: scenarios.size > 1 ? scenario : null,
        parameters: Object.fromEntries(differing),
        description: results.plan.scenarios[scenario],
      },
      families: ofMostRounds(
        pools.filter((pool) => pool.settings.some((setting) => kind.includes(setting))),
      ).map((pool) => ({ scheme: pool.settings[0].scheme, pool: ofMeasured(pool) })),
    };
  });
}

/**
 * @param {PlannedPool[]} pools of one kind
 * @returns {PlannedPool[]} one a scheme: what a battle gives fewer rounds, no answer needs
 */
function ofMostRounds(pools) {
  return [...Map.groupBy(pools, ({ settings }) => settings[0].scheme).values()].map(
    (own) => own.toSorted((a, b) => b.rounds - a.rounds)[0],
  );
}

/**
 * @param {Pool} pool
 * @returns {Pool} without settings that no proxy has a figure in; whole where that is so of all
 */
function ofMeasured({ settings, comparisons }) {
  const measured = settings.filter(proxiesWithFigures);
  return { settings: measured.length > 0 ? measured : settings, comparisons };
}

/**
 * @param {Setting} setting
 * @returns {number} how many have a figure in one comparison or more
 */
function proxiesWithFigures({ comparisons }) {
  const rows = comparisons.flatMap(({ rows }) => rows);
  const known = rows.filter(({ proxy, median }) => proxy !== CONTROL && median);
  return new Set(known.map(({ proxy }) => proxy)).size;
}

/**
 * @param {Kind} kind
 * @param {Contest[]} choice
 * @returns {Contest | undefined} the first that is compared
 */
function chosenFor({ families: [{ pool }] }, choice) {
  return choice.find(
    ({ measure: key, applies }) =>
      (applies?.(pool.settings[0].workload) ?? true) &&
      pool.comparisons.some((comparison) => comparison.measure === key),
  );
}

/**
 * @param {Analysed} analysed
 * @param {Kind} kind
 * @param {Contest[]} choice
 * @returns {Verdict[]} empty where none of them is compared
 */
function bestVerdict(analysed, kind, choice) {
  const contest = chosenFor(kind, choice);
  if (!contest) return [];
  const { measure } = contest;
  const answers = kind.families.map((family) => {
    const answer = contestIn(family.pool, measure);
    const { comparison, order } = answer;
    const caveats = [...caveatsOf(comparison), ...insideNoise(analysed, comparison, order)];
    return { ...answer, caveats };
  });
  return [{ question: "best", measure, scope: kind.scope, answers, caveats: [] }];
}

/**
 * @param {Analysed} analysed
 * @param {Kind} kind
 * @param {Contest} added
 * @returns {Verdict[]} empty where it is not compared
 */
function timeVerdict({ delays }, kind, added) {
  const settings = kind.families.flatMap(({ pool }) => pool.settings);
  const own = delays.filter((one) => one.kind === added.delay && settings.includes(one.setting));
  if (own.length === 0 || !added.delay) return addedVerdict(kind, added);
  const answers = own.map((delay) => {
    const { setting } = delay;
    const comparison = contestIn(
      { settings: [setting], comparisons: setting.comparisons },
      added.measure,
    ).comparison;
    // What differs from the control is told with each figure.
    const findings = comparison.findings.filter(({ gate }) => gate !== "control-slower");
    return { settings: [setting], delay, caveats: caveatsOf({ ...comparison, findings }) };
  });
  return [{ question: "delay", kind: added.delay, scope: kind.scope, answers, caveats: [] }];
}

/**
 * @param {Kind} kind
 * @param {Contest} added
 * @returns {Verdict[]} empty where it is not compared
 */
function addedVerdict(kind, added) {
  if (!chosenFor(kind, [added])) return [];
  const answers = kind.families.flatMap(({ pool }) => {
    const contest = contestIn(pool, added.measure);
    const { comparison } = contest;
    // Time in a queue is no delay, and beside a control that bounds nothing nothing is added to it.
    if (comparison.findings.some(({ gate }) => NO_DELAY.includes(gate))) return [];
    // The answer says it.
    const findings = comparison.findings.filter(({ gate }) => gate !== "control-slower");
    const answer = {
      ...contest,
      control: comparison.rows.find(({ proxy, median }) => proxy === CONTROL && median) ?? null,
      caveats: caveatsOf({ ...comparison, findings }),
    };
    return [answer];
  });
  if (answers.length === 0) return [];
  const { measure: key } = added;
  return [{ question: "added", measure: key, scope: kind.scope, answers, caveats: [] }];
}

/**
 * What connections take, told by a slope; without one, what a proxy has before the load and how it grows, of which nothing is the best.
 *
 * @param {Analysed} analysed
 * @param {Kind} kind
 * @returns {Verdict[]} empty where it is not about connections, or asks what is left of them
 */
function memoryVerdict({ slopes: all }, kind) {
  const [{ workload }] = kind.families[0].pool.settings;
  if (!aboutConnections(workload) || chosenFor(kind, CONTESTS.memoryLeft)) return [];
  const answers = kind.families.map(({ pool }) => {
    const slopes = slopesAround(all, pool.settings[0]);
    const rows = slopes?.parts[0].rows.filter(({ proxy }) => proxy !== CONTROL) ?? [];
    const order = rows
      .filter(({ slope }) => slope)
      .sort(
        (a, b) => (a.rank ?? 0) - (b.rank ?? 0) || (a.slope?.value ?? 0) - (b.slope?.value ?? 0),
      );
    // What is held at once differs between them, or not at all.
    const [most] = pool.settings.slice(-1);
    const told = workload.holdsConnections
      ? { settings: [most], comparisons: most.comparisons }
      : pool;
    const [baseline, growth] = FOOTPRINT.map((key) => contestIn(told, key).comparison);
    const footprints = growth.rows.flatMap((row, i) =>
      row.proxy !== CONTROL && row.median
        ? [{ proxy: row.proxy, baseline: baseline.rows[i], growth: row }]
        : [],
    );
    const caveats = order.length > 0 && slopes ? slopeCaveats(slopes) : caveatsOf(growth);
    return { settings: told.settings, slopes, order, footprints, caveats };
  });
  // At a set rate one asks for delay and cost; what a proxy has is no answer there, but in the tables.
  if (rateName(workload) !== null && answers.every(({ order }) => order.length === 0)) return [];
  /** @type {Finding[]} */
  const caveats = answers.some(({ slopes }) => slopes?.parts[0].rows.some(({ rank }) => rank))
    ? [{ gate: "slope-rule", severity: "note", figures: { confidence: CONFIDENCE } }]
    : [];
  return [{ question: "memory", scope: kind.scope, answers, caveats }];
}

/**
 * @param {Slopes} slopes
 * @returns {Finding[]} that reach an answer which rests on them
 */
function slopeCaveats({ parts: [{ rows }], unranked }) {
  const without = rows.filter(({ proxy, slope }) => proxy !== CONTROL && !slope);
  return [
    ...(without.length > 0
      ? [
          {
            gate: /** @type {const} */ ("no-slope"),
            severity: /** @type {const} */ ("weak"),
            figures: { rows: without },
          },
        ]
      : []),
    ...(unranked ? [unranked] : []),
  ];
}

/**
 * @param {Pool} pool
 * @param {string} key of a measure that it compares
 * @returns {Omit<BestAnswer, "caveats">}
 */
function contestIn({ settings, comparisons }, key) {
  const of = (/** @type {Comparison[]} */ all) => all.find((one) => one.measure === key);
  const comparison = of(comparisons);
  if (!comparison) throw new Error(`${key} is not compared`);
  const singles = settings.flatMap((setting) => {
    const own = of(setting.comparisons);
    return own && settings.length > 1
      ? [{ setting, comparison: own, comparisons: setting.comparisons, order: orderedRows(own) }]
      : [];
  });
  return { settings, comparison, comparisons, singles, order: orderedRows(comparison) };
}

/**
 * @param {Comparison} comparison
 * @returns {Row[]} of proxies with a figure, the best rank first, then who answers well, then the better median
 */
function orderedRows({ rows, measure: key }) {
  const sign = measure(key).better === "lower" ? 1 : -1;
  const value = (/** @type {Row} */ { median, toBest }) => toBest?.value ?? median?.value ?? NaN;
  return rows
    .filter(({ proxy, median }) => proxy !== CONTROL && median)
    .sort(
      (a, b) =>
        Number(a.rank === null) - Number(b.rank === null) ||
        (a.rank ?? 0) - (b.rank ?? 0) ||
        Number(answersBadly(a)) - Number(answersBadly(b)) ||
        sign * (value(a) - value(b)),
    );
}

/**
 * @param {Comparison} comparison
 * @returns {Finding[]} that reach an answer which rests on it
 */
function caveatsOf({ rows, findings }) {
  const without = rows.filter(({ proxy, missing }) => proxy !== CONTROL && missing.length > 0);
  const missing = Map.groupBy(without, (row) => JSON.stringify(row.missing));
  return [
    ...[...missing.values()].map((same) => ({
      gate: /** @type {const} */ ("no-figure"),
      severity: /** @type {const} */ ("weak"),
      figures: { proxies: same.map(({ proxy }) => proxy), missing: same[0].missing },
    })),
    // That two differ in opposite directions is part of the answer.
    ...findings.filter(
      ({ gate, severity }) => gate !== "opposite" && (severity === "weak" || gate === "few-rounds"),
    ),
  ];
}

/**
 * @param {Analysed} analysed
 * @param {Comparison} comparison
 * @param {Row[]} order
 * @returns {FindingOf<"inside-noise">[]} when a difference is claimed that is no larger than that of a proxy from its own copy
 */
function insideNoise({ noiseFloor }, comparison, order) {
  const ratio = noiseFloor?.ratios[comparison.measure];
  if (!noiseFloor || !ratio) return [];
  const small = order.filter(({ rank, toBest }) => {
    if (rank === null || rank === 1 || !toBest) return false;
    return Math.max(toBest.value, 1 / toBest.value) <= ratio;
  });
  if (small.length === 0) return [];
  const figures = { proxies: small.map(({ proxy }) => proxy), ratio, floor: noiseFloor };
  return [{ gate: "inside-noise", severity: "weak", figures }];
}

/**
 * @param {Analysed} analysed
 * @param {Kind} kind
 * @returns {Verdict[]} empty unless it ran over both schemes
 */
function tlsVerdict(analysed, kind) {
  const contest = chosenFor(kind, CONTESTS.cpu);
  const [plain, secured] = ["ws", "wss"].map((name) =>
    kind.families.find(({ scheme }) => scheme === name),
  );
  const pairs = plain && secured ? sameLoad(plain.pool, secured.pool) : [];
  if (!contest || pairs.length === 0) return [];
  const [[, { workload, comparisons }]] = pairs;
  const hasHandshake =
    contest.measure !== PER_MESSAGE &&
    (comparesServers(workload) ||
      comparisons.some((comparison) => comparison.measure === ADDED[0].measure));
  const ratios = ratiosOf(analysed, contest.measure, pairs);
  return [
    {
      question: "tls",
      measure: contest.measure,
      scope: kind.scope,
      answers: [{ settings: pairs.flat(), ratios, caveats: [] }],
      caveats: hasHandshake ? [{ gate: "full-handshakes", severity: "note", figures: {} }] : [],
    },
  ];
}

/**
 * @param {Pool} plain
 * @param {Pool} secured
 * @returns {[wss: Setting, ws: Setting][]} with as many connections
 */
function sameLoad(plain, secured) {
  return plain.settings.flatMap((ws) => {
    const wss = secured.settings.find(
      (other) => connectionsInAll(other.workload) === connectionsInAll(ws.workload),
    );
    /** @type {[Setting, Setting][]} */
    const pairs = wss && [ws, wss].every(proxiesWithFigures) ? [[wss, ws]] : [];
    return pairs;
  });
}

/**
 * @param {Analysed} analysed
 * @returns {Verdict[]} none: no scenario looked again when its load was over
 */
function leakVerdict({ settings }) {
  const answers = leaksOf(settings).map((leaks) => ({ ...leaks, caveats: [] }));
  if (answers.length === 0) return [];
  return [{ question: "leak", scope: WHOLE_RUN, answers, caveats: [] }];
}

/**
 * @param {Analysed} analysed
 * @returns {Verdict[]} empty unless kinds of handshakes were compared
 */
function handshakeVerdicts({ handshakes }) {
  return handshakes.map(({ kind, pairs }) => ({
    question: "handshake",
    kind,
    scope: WHOLE_RUN,
    answers: pairs.map(({ setting, beside, ratios }) => ({
      settings: [setting, beside],
      ratios,
      caveats: [],
    })),
    caveats: [{ gate: "whole-connections", severity: "note", figures: {} }],
  }));
}
