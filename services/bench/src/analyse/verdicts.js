/**
 * Questions, and the sentence that answers each. A sentence claims no difference that its comparison does not show.
 */
import { CONTROL } from "../proxies.js";
import { ratioOf, relationsToControl, titleOfProxy, valuesByRound } from "./compare.js";
import { measure } from "./measures.js";
import { amount, counted, list, number, range, times, timesWithInterval } from "./words.js";

/** @import { Results, Scheme } from "../record/types.js" */
/** @import { AnalysedCell, Analysis, Comparison, Finding, Measure, Row, Setting, Verdict } from "./types.js" */

/** @typedef {Pick<Analysis, "results" | "settings" | "cells" | "noiseFloor">} Analysed */

/**
 * A question that a ranking answers.
 *
 * @typedef {object} Contest
 * @property {string} measure
 * @property {string} question without the setting
 * @property {string} leads what the best does: `costs least`
 * @property {string} unitWord after a ratio: `as much`
 */

/** @type {Record<"cpu" | "cpuMessages" | "memory" | "throughput", Contest>} */
const CONTESTS = {
  cpu: {
    measure: "cpu_us_per_handshake",
    question: "Which proxy costs least CPU per handshake",
    leads: "costs least",
    unitWord: "as much",
  },
  cpuMessages: {
    measure: "cpu_us_per_message",
    question: "Which proxy costs least CPU per message",
    leads: "costs least",
    unitWord: "as much",
  },
  memory: {
    measure: "proxy_memory_peak_usage_bytes",
    question: "Which proxy needs least memory",
    leads: "needs least",
    unitWord: "as much",
  },
  throughput: {
    measure: "connections_per_second",
    question: "Which proxy carries most connections per second",
    leads: "carries most",
    unitWord: "as many",
  },
};

/**
 * @param {Analysed} analysed
 * @returns {Verdict[]} each about the setting with the most connections of its kind
 */
export function verdictsOf(analysed) {
  const families = familiesOf(analysed.settings);
  /** @type {(kind: (family: Family) => Verdict[]) => Verdict[]} */
  const each = (kind) => families.flatMap(kind);
  return [
    ...each((family) => [contestVerdict(analysed, family, cpuContest(family))]),
    ...tlsVerdicts(analysed, families),
    ...each((family) => [addedVerdict(analysed, family, "handshake_ms_mean", "a handshake")]),
    ...each((family) => [addedVerdict(analysed, family, "echo_latency_ms_mean", "an echo")]),
    ...each((family) => [contestVerdict(analysed, family, CONTESTS.memory)]),
    ...each((family) => [contestVerdict(analysed, family, CONTESTS.throughput)]),
  ];
}

/**
 * Settings that differ in the number of connections alone.
 *
 * @typedef {object} Family
 * @property {string} key without the scheme
 * @property {Scheme} scheme
 * @property {Setting} largest with the most connections
 * @property {Setting[]} others
 * @property {string} where `over ws`, and what tells it from the other families
 */

/**
 * @param {Setting[]} settings
 * @returns {Family[]}
 */
function familiesOf(settings) {
  const key = (/** @type {Setting} */ { scenario, parameters: { CONNECTIONS, ...rest } }) =>
    JSON.stringify([scenario, Object.entries(rest).sort()]);
  const scenarios = new Set(settings.map(({ scenario }) => scenario));
  const kinds = new Set(settings.map(key));
  return [...Map.groupBy(settings, (setting) => `${setting.scheme} ${key(setting)}`).values()].map(
    (family) => {
      const sorted = family.toSorted(
        (a, b) => (b.parameters.CONNECTIONS ?? 0) - (a.parameters.CONNECTIONS ?? 0),
      );
      // A larger setting that nothing could be counted in answers no question.
      const largest = sorted.find(hasFigures) ?? sorted[0];
      const { scenario, scheme, parameters } = largest;
      const details = [
        scenarios.size > 1 && scenario,
        parameters.MESSAGES > 1 && `${number(parameters.MESSAGES)} messages a connection`,
        kinds.size > 1 &&
          parameters.MESSAGE_BYTES &&
          `${number(parameters.MESSAGE_BYTES)} bytes each`,
      ].filter((detail) => detail);
      return {
        key: key(largest),
        scheme,
        largest,
        others: family.filter((setting) => setting !== largest),
        where: [`over ${scheme}`, ...details].join(", "),
      };
    },
  );
}

/** @param {Setting} setting */
function hasFigures({ comparisons }) {
  return comparisons.some(({ rows }) =>
    rows.some(({ proxy, median }) => proxy !== CONTROL && median),
  );
}

/** @param {Family} family */
function cpuContest({ largest }) {
  return largest.parameters.MESSAGES > 1 ? CONTESTS.cpuMessages : CONTESTS.cpu;
}

/**
 * @param {Setting} setting
 * @param {string} key
 * @returns {Comparison}
 */
function comparisonIn({ comparisons }, key) {
  const found = comparisons.find((comparison) => comparison.measure === key);
  if (!found) throw new Error(`${key} is not compared`);
  return found;
}

/**
 * @param {Setting} setting
 * @returns {string} the beginning of an answer
 */
function at({ parameters: { CONNECTIONS: connections, CONCURRENCY: concurrency } }) {
  if (!connections) return "";
  return `At ${number(connections)} connections${concurrency ? `, ${number(concurrency)} at a time` : ""}: `;
}

/**
 * @param {Analysed} analysed
 * @param {Family} family
 * @param {Contest} contest
 * @returns {Verdict}
 */
function contestVerdict(analysed, family, contest) {
  const comparison = comparisonIn(family.largest, contest.measure);
  const order = orderedRows(comparison);
  const sentence = contestSentence(analysed.results, comparison, order, contest);
  return {
    question: `${contest.question} ${family.where}?`,
    answer: `${at(family.largest)}${sentence}.`,
    caveats: [
      ...caveatsOf(analysed.results, comparison),
      ...otherLeaders(analysed.results, family, contest.measure, leadersOf(order)),
      ...insideNoise(analysed, comparison, order),
    ],
  };
}

/**
 * @param {Comparison} comparison
 * @returns {Row[]} of proxies with a figure, the best rank first, then the better median
 */
function orderedRows({ rows, measure: key }) {
  const sign = measure(key).better === "lower" ? 1 : -1;
  return rows
    .filter(({ proxy, median }) => proxy !== CONTROL && median)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0) || sign * (valueOf(a) - valueOf(b)));
}

/** @param {Row} row with a figure */
function valueOf({ median }) {
  return median?.value ?? NaN;
}

/**
 * @param {Row[]} order
 * @returns {string[]} proxies of the first rank
 */
function leadersOf(order) {
  return order.filter(({ rank }) => rank === 1).map(({ proxy }) => proxy);
}

/**
 * @param {Results} results
 * @param {Comparison} comparison
 * @param {Row[]} order
 * @param {Contest} contest
 * @returns {string}
 */
function contestSentence(results, comparison, order, contest) {
  const title = (/** @type {Row} */ { proxy }) => titleOfProxy(results, proxy);
  const figure = (/** @type {Row} */ row) => figureText(row, measure(contest.measure));
  if (order.length === 0) return "cannot be told, as no proxy has a cell that counts";
  if (order.length === 1)
    return `only ${title(order[0])} has cells that count: ${figure(order[0])}`;
  const each = list(order.map((row) => `${title(row)} ${figure(row)}`));
  if (order[0].rank === null) return `a single round, so no ranking: ${each}`;

  const leaders = order.filter(({ rank }) => rank === 1);
  const rest = order.slice(leaders.length);
  const seen = comparison.detectableRatio;
  if (rest.length === 0) {
    const power = seen ? `; ${differenceSeen(seen)}` : "";
    return `no difference seen between the proxies: ${each}${power}`;
  }
  const first =
    leaders.length === 1
      ? `${title(leaders[0])} ${contest.leads}, ${figure(leaders[0])}`
      : `no difference seen between ${list(leaders.map(title))}: ${list(leaders.map((row) => `${title(row)} ${figure(row)}`))}`;
  const reference = leaders.length > 1 ? ` as ${title(leaders[0])}` : "";
  const others = rest.map((row, i) => {
    if (!row.toBest) return `${title(row)} ${figure(row)}`;
    const ratio = `${title(row)} ${timesWithInterval(row.toBest)}`;
    return i === 0 ? `${ratio} ${contest.unitWord}${reference}` : ratio;
  });
  const ties = [...new Set(rest.map(({ rank }) => rank))]
    .map((rank) => rest.filter((row) => row.rank === rank))
    .filter((group) => group.length > 1)
    .map((group) => `, no difference seen between ${list(group.map(title))}`);
  const isRange = rest.every(({ p }) => p === null);
  const how = isRange ? ` (by range over ${rounds(order)}, not tested)` : "";
  return `${first}; ${list(others)}${ties.join("")}${how}`;
}

/** @param {Row[]} rows */
function rounds(rows) {
  return counted(Math.max(...rows.map(({ values }) => values.length)), "round");
}

/** @param {number} ratio */
function differenceSeen(ratio) {
  return `one of ${times(ratio)} times would have been seen in 4 of 5 such runs`;
}

/**
 * @param {Row} row with a figure
 * @param {Pick<Measure, "unit">} measure
 * @returns {string} `190 µs (185 to 195)`; without an interval `(rounds from 185 to 195)`
 */
function figureText({ median, values }, measure) {
  if (!median) return "no figure";
  const text = amount(median.value, measure);
  if (median.interval) return `${text} (${range(median.interval, median.value, measure)})`;
  if (values.length < 2) return text;
  const ends = range([Math.min(...values), Math.max(...values)], median.value, measure);
  return `${text} (rounds from ${ends})`;
}

/**
 * @param {Results} results
 * @param {Comparison} comparison
 * @returns {string[]}
 */
function caveatsOf(results, { rows, findings }) {
  const missing = rows
    .filter(({ proxy }) => proxy !== CONTROL)
    .flatMap((row) =>
      row.missing ? [`${titleOfProxy(results, row.proxy)} has no figure: ${row.missing}`] : [],
    );
  const serious = findings
    .filter(({ gate, severity }) => severity === "weak" || gate === "few-rounds")
    .map(({ message }) => message);
  return [...missing, ...serious];
}

/**
 * @param {Results} results
 * @param {Family} family
 * @param {string} key
 * @param {string[]} leaders
 * @returns {string[]} where fewer connections put others first
 */
function otherLeaders(results, { others }, key, leaders) {
  if (leaders.length === 0) return [];
  return others.flatMap((setting) => {
    const there = leadersOf(orderedRows(comparisonIn(setting, key)));
    if (there.length === 0 || isSame(there, leaders)) return [];
    const names = list(there.map((name) => titleOfProxy(results, name)));
    return [`with ${number(setting.parameters.CONNECTIONS)} connections rank 1 is ${names}`];
  });
}

/**
 * @param {string[]} a
 * @param {string[]} b
 */
function isSame(a, b) {
  return a.length === b.length && a.every((name) => b.includes(name));
}

/**
 * @param {Analysed} analysed
 * @param {Comparison} comparison
 * @param {Row[]} order
 * @returns {string[]} when a difference is claimed that is no larger than that of a proxy from its own copy
 */
function insideNoise({ results, noiseFloor }, comparison, order) {
  const floor = noiseFloor?.ratios[comparison.measure];
  if (!noiseFloor || !floor) return [];
  const small = order.filter(({ rank, toBest }) => {
    if (rank === null || rank === 1 || !toBest) return false;
    return Math.max(toBest.value, 1 / toBest.value) <= floor;
  });
  if (small.length === 0) return [];
  const names = list(small.map(({ proxy }) => titleOfProxy(results, proxy)));
  return [
    `${noiseFloor.proxy} against a copy of itself came out ${times(floor)} times apart: the difference of ${names} from the best is no larger and means nothing`,
  ];
}

/**
 * What a proxy adds to the control's time.
 *
 * @param {Analysed} analysed
 * @param {Family} family
 * @param {string} key
 * @param {string} what
 * @returns {Verdict}
 */
function addedVerdict({ results }, family, key, what) {
  const comparison = comparisonIn(family.largest, key);
  return {
    question: `How much time does a proxy add to ${what} ${family.where}?`,
    answer: `${at(family.largest)}${addedSentence(results, comparison)}.`,
    caveats: caveatsOf(results, comparison),
  };
}

/**
 * @param {Results} results
 * @param {Comparison} comparison
 * @returns {string}
 */
function addedSentence(results, { measure: key, rows, findings }) {
  const of = measure(key);
  const control = rows.find(({ proxy }) => proxy === CONTROL);
  const proxies = rows.filter(({ proxy, median }) => proxy !== CONTROL && median);
  if (!control?.median) return "cannot be told, as the control has no cell that counts";
  if (proxies.length === 0) return "cannot be told, as no proxy has a cell that counts";
  const slower = findings.find(({ gate }) => gate === "control-slower");
  if (slower) return `cannot be told: ${slower.message}`;

  const { value } = control.median;
  const relations = relationsToControl(of, rows);
  const title = (/** @type {Row} */ { proxy }) => titleOfProxy(results, proxy);
  const ratioText = (/** @type {Row} */ { toControl }) =>
    toControl ? `, ${timesWithInterval(toControl)} the control` : "";
  const difference = (/** @type {Row} */ row) => amount(valueOf(row) - value, of);
  const base = `the control took ${amount(value, of)}`;
  if ([control, ...proxies].every((row) => row.values.length === 1))
    return `${base}; a single round, so untested: ${proxies.map((row) => `${title(row)} ${signed(valueOf(row) - value, of)}`).join(", ")}`;

  const adding = proxies
    .filter(({ proxy }) => relations.get(proxy) === "worse")
    .sort((a, b) => valueOf(a) - valueOf(b));
  const same = proxies.filter((row) => !adding.includes(row));
  return [
    base,
    ...adding.map(
      (row, i) => `${title(row)} ${i === 0 ? "adds " : ""}${difference(row)}${ratioText(row)}`,
    ),
    ...(same.length > 0 ? [`no difference from it seen for ${list(same.map(title))}`] : []),
  ].join("; ");
}

/**
 * @param {number} value
 * @param {Pick<Measure, "unit">} measure
 */
function signed(value, measure) {
  return `${value > 0 ? "+" : ""}${amount(value, measure)}`;
}

/**
 * @param {Analysed} analysed
 * @param {Family[]} families
 * @returns {Verdict[]}
 */
function tlsVerdicts({ results, cells }, families) {
  return families
    .filter(({ scheme }) => scheme === "ws")
    .flatMap((plain) => {
      const secured = families.find(({ scheme, key }) => scheme === "wss" && key === plain.key);
      const setting = secured && sameLoad(plain, secured);
      if (!setting) return [];
      const { ws, wss } = setting;
      const contest = cpuContest(plain);
      const of = (/** @type {Setting} */ { key }, /** @type {string} */ proxy) =>
        valuesByRound(
          cells.filter((cell) => cell.setting === key),
          proxy,
          contest.measure,
        );
      const ratios = results.plan.proxies
        .filter((proxy) => proxy !== CONTROL)
        .flatMap((proxy) => {
          const ratio = ratioOf(of(wss, proxy), of(ws, proxy), results.plan.seed);
          return ratio ? [{ proxy, ratio }] : [];
        })
        .sort((a, b) => a.ratio.value - b.ratio.value);
      const per = contest === CONTESTS.cpu ? "handshake" : "message";
      const sentence = list(
        ratios.map(
          ({ proxy, ratio }) => `${titleOfProxy(results, proxy)} ${timesWithInterval(ratio)}`,
        ),
      );
      return [
        {
          question: `What does TLS cost in CPU per ${per}${plain.where.replace("over ws", "")}?`,
          answer:
            ratios.length > 0
              ? `${at(ws)}over wss against ws, ${sentence}.`
              : `${at(ws)}cannot be told, as no proxy has cells that count over both.`,
          caveats: [
            ...(ratios.some(({ ratio }) => !ratio.interval)
              ? ["too few rounds for intervals: single ratios"]
              : []),
            "every connection made a full handshake; clients that resume sessions pay less",
          ],
        },
      ];
    });
}

/**
 * @param {Family} plain
 * @param {Family} secured
 * @returns {{ws: Setting, wss: Setting} | null} the most connections that both have
 */
function sameLoad(plain, secured) {
  const pairs = [plain.largest, ...plain.others].flatMap((ws) => {
    const wss = [secured.largest, ...secured.others].find(
      (other) => other.parameters.CONNECTIONS === ws.parameters.CONNECTIONS,
    );
    return wss && hasFigures(ws) && hasFigures(wss) ? [{ ws, wss }] : [];
  });
  return (
    pairs.toSorted((a, b) => b.ws.parameters.CONNECTIONS - a.ws.parameters.CONNECTIONS)[0] ?? null
  );
}
