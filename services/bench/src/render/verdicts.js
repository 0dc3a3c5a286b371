/**
 * Verdicts in words: a question, and a sentence for each answer. A sentence claims no difference that its comparison does not
 * show. What all of them share is said once, in the lead.
 */
import { answersBadly, BAD_ANSWERS_LIMIT_PERCENT } from "../analyse/bad-answers.js";
import { measure } from "../analyse/measures.js";
import { ALPHA, LEAST_ROUNDS } from "../analyse/ranking.js";
import { comparesServers } from "../analyse/settings.js";
import { connectionsAtATime, connectionsInAll, isPaced, schemeName } from "../plan/workload.js";
import { counted, figure, number, range, timesFinely } from "../numbers.js";
import { CONTROL } from "../plan/proxies.js";
import { percentileName, signedFigure } from "./delay-texts.js";
import { findingText, onlyRounds } from "./findings.js";
import { indexLead } from "./index-texts.js";
import { Style } from "./lead.js";
import { connectionsText, withoutBuffers } from "./memory-texts.js";
import { p99ComparisonOf } from "./model.js";
import {
  amount,
  amountRange,
  floorLoad,
  handshakesText,
  list,
  nameOfProxy,
  parameterText,
} from "./words.js";

/** @import { AddedAnswer, Analysis, BestAnswer, DelayAnswer, DelayFigure, DelayKind, DelayPercentile, DelayRow, Finding, HandshakeKind, LeakAnswer, Measure, MemoryAnswer, NoiseFloor, ProxyRatio, Row, Scope, SelfComparison, SelfMeasure, Setting, SlopeRow, Verdict } from "../analyse/types.js" */
/** @import { Results } from "../model/record.ts" */
/** @import { Interval } from "../statistics/types.js" */

/**
 * @typedef {object} AnswerText
 * @property {string} over what it is about, in short: `wss`
 * @property {string} text one sentence, its uncertainty included
 * @property {{over: string, text: string}[]} singles what each number of connections says by itself, where several are answered for
 * @property {string[]} caveats what the reader must know before repeating it; without full stops
 *
 * @typedef {object} VerdictText
 * @property {string} question
 * @property {AnswerText[]} answers one a scheme, where the question is not about both
 * @property {string[]} caveats of all of its answers
 *
 * @typedef {AnswerText & {scheme: string | null, isRanked?: boolean}} Draft scheme: as it is shown; null: it is about both;
 *   isRanked: false: it rests on no ranks, and what is said of those of all other answers is not said of it
 *
 * @typedef {object} Words how a ranking is told
 * @property {string} question without what tells it from others of its kind
 * @property {string} leads what the best does: `costs least`
 * @property {string} unit after a ratio: `as much`
 */

const COSTS = { leads: "costs least", unit: "as much" };
const CARRIES = { leads: "carries most", unit: "as many" };
const TAKES = { leads: "takes least", unit: "as long" };

/** By measure. @type {Record<string, Words>} */
const BEST = {
  cpu_us_per_message: { question: "Which proxy costs least CPU per message", ...COSTS },
  cpu_us_per_handshake: {
    question: "Which proxy costs least CPU per handshake and close",
    ...COSTS,
  },
  cpu_us_per_connection: { question: "Which proxy costs least CPU per connection", ...COSTS },
  proxy_cpu_cores: { question: "Which proxy costs least CPU while it holds connections", ...COSTS },
  proxy_cpu_us_per_request: { question: "Which proxy costs least CPU per request", ...COSTS },
  servers_cpu_seconds: {
    question: "Which way to serve costs least CPU, proxy and server together",
    ...COSTS,
  },
  request_ms_mean: { question: "Which way to serve is quickest", ...TAKES },
  proxy_memory_left_bytes: {
    question: "Which proxy keeps least memory after its connections",
    leads: "keeps least",
    unit: "as much",
  },
  connections_per_second: {
    question: "Which proxy carries most connections per second",
    ...CARRIES,
  },
  messages_per_second: { question: "Which proxy carries most messages per second", ...CARRIES },
  requests_per_second: {
    question: "Which proxy carries most successful requests per second",
    ...CARRIES,
  },
};

/** To what a proxy adds time, by measure. @type {Record<string, string>} */
const ADDED = {
  handshake_ms_mean: "a handshake",
  echo_latency_ms_mean: "an echo",
  request_ms_mean: "a request",
};

/** @type {Record<DelayKind, string>} */
const DELAYS = { handshake: "a handshake", echo: "an echo" };

/** @type {Record<string, string>} */
const TLS_COSTS = {
  cpu_us_per_message: "per message",
  cpu_us_per_handshake: "per handshake and close",
  cpu_us_per_connection: "per connection",
  proxy_cpu_cores: "while connections are held",
  proxy_cpu_us_per_request: "per request",
  servers_cpu_seconds: "of proxy and server together",
};

/** @type {Record<HandshakeKind, string>} */
const HANDSHAKES = {
  resumed: "What does a resumed handshake cost beside a full one in CPU?",
  rsa: "What does a full handshake with an RSA key cost beside one with an ECDSA key in CPU?",
  tls12: "What does a full handshake of TLS 1.2 cost beside one of TLS 1.3 in CPU?",
};

/**
 * @param {Pick<Analysis, "results" | "settings" | "machineIndices" | "asked" | "verdicts" | "countsSocketBuffers" | "aa" | "sameWork" | "noiseFloor">} analysis
 * @returns {{lead: string[], verdicts: VerdictText[]}} lead: what all verdicts share, a sentence each
 */
export function verdictTexts(analysis) {
  const { results, asked, verdicts, aa, sameWork, noiseFloor } = analysis;
  const style = new Style(results, asked);
  const titleOf = (/** @type {string} */ name) => nameOfProxy(results, name);
  const told = (/** @type {Finding[]} */ findings) =>
    findings.map((finding) => findingText(finding, titleOf));
  const { shared, verdicts: texts } = sharedOnce(
    verdicts.map((verdict) => ({
      question: questionText(style, verdict, analysis),
      answers: answersOf(style, verdict).map(({ caveats, ...answer }) => ({
        ...answer,
        caveats: told(caveats),
      })),
      caveats: told(verdict.caveats),
    })),
  );
  const judged = aa ? judgedLead(aa) : style.testLead();
  return {
    lead: [
      ...style.lead(),
      ...indexLead(analysis),
      ...judged,
      ...shared,
      ...sameWorkLead(style, sameWork),
      ...noiseLead(noiseFloor),
    ],
    verdicts: texts,
  };
}

/**
 * @param {Style} style
 * @param {Verdict} verdict
 * @param {Pick<Analysis, "countsSocketBuffers">} analysis
 * @returns {string}
 */
function questionText({ results }, verdict, analysis) {
  const details = detailsText(verdict.scope);
  switch (verdict.question) {
    case "leak":
      return "Does a proxy keep connections that its clients have dropped?";
    case "best":
      return `${BEST[verdict.measure].question}${withoutBuffers(analysis, verdict.measure)}${details}?`;
    case "memory": {
      const isHeld = verdict.answers.some(({ order }) => order.length > 0);
      const what = isHeld
        ? "How much memory does a held connection take"
        : "How much memory does a proxy have before and under this load";
      return `${what}${withoutBuffers(analysis)}${details}?`;
    }
    case "added":
      return `How much time does a proxy add to ${ADDED[verdict.measure]}${details}?`;
    case "delay":
      return `What delay does a proxy add to ${DELAYS[verdict.kind]} at this rate${details}?`;
    case "tls":
      return `What does TLS cost in CPU ${TLS_COSTS[verdict.measure]}${details}?`;
    case "handshake":
      return HANDSHAKES[verdict.kind];
    case "self": {
      const title = nameOfProxy(results, verdict.proxy);
      return verdict.unobserved
        ? `Does ${title} measure the same with and without its observers, InfluxDB and cAdvisor?`
        : `Does ${title} tie with a copy of itself?`;
    }
    case "noise":
      return "Which difference is noise here?";
  }
}

/** @param {Scope} scope */
function detailsText({ scenario, parameters, description }) {
  const details = [
    ...(scenario === null ? [] : [scenario]),
    ...Object.entries(parameters).map(([name, value]) => parameterText(description, name, value)),
  ];
  return details.map((detail) => `, ${detail}`).join("");
}

/**
 * @param {Style} style
 * @param {Verdict} verdict
 * @returns {(Omit<Draft, "caveats"> & {caveats: Finding[]})[]}
 */
function answersOf(style, verdict) {
  const { results } = style;
  const one = (
    /** @type {{settings: Setting[], caveats: Finding[]}} */ { settings, caveats },
    /** @type {string} */ text,
  ) => {
    const scheme = schemeName(settings[0]);
    const over = style.over(settings, scheme);
    return { scheme, over, text: style.sentence(text), singles: [], caveats };
  };
  const ratio = (
    /** @type {import("../analyse/types.js").RatioAnswer} */ { settings, ratios, caveats },
    /** @type {string} */ over,
  ) => ({
    scheme: null,
    over: style.over(
      settings.filter(({ scheme }) => scheme === settings[0].scheme),
      over,
    ),
    text: style.sentence(ratioTexts(results, style, ratios)),
    singles: [],
    caveats,
  });
  switch (verdict.question) {
    case "leak":
      return verdict.answers.map((answer) => one(answer, leakText(results, answer)));
    case "best":
      return verdict.answers.map((answer) => ({
        ...one(answer, bestText(style, answer, BEST[verdict.measure])),
        singles: answer.singles.map(({ setting, ...contest }) => ({
          over: counted(connectionsInAll(setting.workload), "connection"),
          text: style.sentence(contestText(style, contest, BEST[verdict.measure])),
        })),
      }));
    case "memory":
      return verdict.answers.map((answer) => ({
        ...one(answer, memoryText(style, answer)),
        isRanked: false,
        ...(answer.order.length > 0 && { over: slopeOver(answer) }),
      }));
    case "added":
      return verdict.answers.map((answer) => one(answer, addedText(style, answer)));
    case "delay":
      return verdict.answers.map((answer) => one(answer, delayText(style, answer)));
    case "tls":
      return verdict.answers.map((answer) =>
        ratio(answer, [...new Set(answer.settings.map(schemeName))].join(" / ")),
      );
    case "handshake":
      return verdict.answers.map((answer) =>
        ratio(answer, handshakesText(verdict.kind, answer.settings[0])),
      );
    case "self":
      return verdict.answers.map((answer) => one(answer, tieText(style, answer.measures)));
    case "noise":
      return verdict.answers.map(({ floor, caveats }) => ({
        scheme: null,
        over: "all",
        singles: [],
        text: `With such a load and as many rounds on this machine, a difference is noise up to ${floorTexts(floor).join("; ")}.`,
        caveats,
      }));
  }
}

/**
 * Says once what holds for every answer, or for every answer of a scheme, or for every answer of a verdict.
 *
 * @param {(Omit<VerdictText, "answers"> & {answers: Draft[]})[]} drafts
 * @returns {{shared: string[], verdicts: VerdictText[]}}
 */
function sharedOnce(drafts) {
  const answers = drafts.flatMap((draft) => draft.answers);
  const sharing = answers.filter(({ isRanked = true }) => isRanked);
  const bySchemes = [...Map.groupBy(sharing, ({ scheme }) => scheme)].flatMap(([scheme, own]) =>
    scheme === null ? [] : [{ scheme, caveats: commonCaveats(own) }],
  );
  const all = new Set(bySchemes.flatMap(({ caveats }) => caveats));
  const shared = [...all].map((caveat) => {
    const having = bySchemes.filter(({ caveats }) => caveats.includes(caveat));
    const where = having.length < bySchemes.length ? ` (over ${having[0].scheme})` : "";
    return `${caveat}${where}.`;
  });
  const left = (/** @type {Draft} */ { scheme, caveats }) => {
    const said = bySchemes.find((one) => one.scheme === scheme)?.caveats ?? [];
    return caveats.filter((caveat) => !said.includes(caveat));
  };
  const verdicts = drafts.map(({ question, answers, caveats }) => {
    const own = answers.map((answer) => ({
      over: answer.over,
      text: answer.text,
      singles: answer.singles,
      caveats: left(answer),
    }));
    const common = commonCaveats(own);
    return {
      question,
      answers: own.map((answer) => ({
        ...answer,
        caveats: answer.caveats.filter((caveat) => !common.includes(caveat)),
      })),
      caveats: [...caveats, ...common],
    };
  });
  return { shared, verdicts };
}

/**
 * @param {Pick<AnswerText, "caveats">[]} answers
 * @returns {string[]} those that all have; none where there is a single answer
 */
function commonCaveats(answers) {
  if (answers.length < 2) return [];
  return answers[0].caveats.filter((one) => answers.every(({ caveats }) => caveats.includes(one)));
}

/**
 * @param {Style} style
 * @param {BestAnswer} answer
 * @param {Words} words
 * @returns {string}
 */
function bestText(style, answer, words) {
  const text = contestText(style, answer, words);
  const { rows, measure: key } = answer.comparison;
  const control = rows.find(({ proxy, median }) => proxy === CONTROL && median);
  // There the control is one of the servers.
  if (!control || !comparesServers(answer.settings[0].workload)) return text;
  const figure = figureText(style, control, measure(key), p99Of(answer, control));
  return `${text}; beside them, as the control, ${nameOfProxy(style.results, CONTROL)} ${figure}`;
}

/**
 * @param {Results} results
 * @param {Row} row
 * @returns {string} `nginx`, or `nginx [92 % failed]`
 */
function markedTitle(results, row) {
  const title = nameOfProxy(results, row.proxy);
  return answersBadly(row) ? `${title} [${number(row.badPercent)} % failed]` : title;
}

/** @param {Row} row with a figure */
function valueOf({ median }) {
  return median?.value ?? NaN;
}

/**
 * @param {Style} style
 * @param {Pick<BestAnswer, "comparison" | "comparisons" | "order">} answer
 * @param {Pick<Words, "leads" | "unit">} words
 * @returns {string}
 */
function contestText(style, answer, words) {
  const { comparison, order } = answer;
  const title = (/** @type {Row} */ row) => markedTitle(style.results, row);
  const figure = (/** @type {Row} */ row) =>
    figureText(style, row, measure(comparison.measure), p99Of(answer, row));
  const named = (/** @type {Row} */ row) => `${title(row)} ${figure(row)}`;
  if (order.length === 0) return "no answer: no proxy has a valid cell";
  if (order.length === 1) return `only ${title(order[0])} has valid cells: ${figure(order[0])}`;
  if (order[0].rank === null) return `not ranked: ${list(order.map(named))}`;

  const opposite = comparison.findings
    .filter(({ gate }) => gate === "opposite")
    .map((finding) => `; but ${findingText(finding, (name) => nameOfProxy(style.results, name))}`)
    .join("");
  const leaders = order.filter(({ rank }) => rank === 1);
  const rest = order.slice(leaders.length);
  if (rest.length === 0) {
    const seen = comparison.detectableRatio;
    const power = seen && !opposite ? `; ${differenceSeen(seen)}` : "";
    return `${noDifference(order, named)}${opposite}${power}`;
  }
  // Who answers badly is behind, however little its errors cost: without this, a better figure would stand after the best one.
  const { better } = measure(comparison.measure);
  const sign = better === "lower" ? -1 : 1;
  const isBehind = rest.some(
    (row) => answersBadly(row) && sign * valueOf(row) > sign * valueOf(leaders[0]),
  );
  const among = isBehind
    ? `of those with no more than ${number(BAD_ANSWERS_LIMIT_PERCENT)} % failed, `
    : "";
  const first =
    leaders.length === 1
      ? `${title(leaders[0])} ${words.leads}, ${figure(leaders[0])}`
      : noDifference(leaders, named);
  const reference = leaders.length > 1 ? ` as ${title(leaders[0])}` : "";
  const others = rest.map((row, i) => {
    if (!row.toBest) return named(row);
    const ratio = `${title(row)} ${style.ratio(row.toBest)}`;
    const tail = tailText(p99Of(answer, row), measure(comparison.measure));
    return `${i === 0 ? `${ratio} ${words.unit}${reference}` : ratio}${tail}`;
  });
  return `${among}${first}; ${list(others)}${tiesText(rest, title)}${opposite}`;
}

/**
 * @param {SlopeRow} row with a slope
 * @returns {string} `10.2 kB a connection (10.0 to 10.5), 105,000 connections a GiB (102,000 to 107,000)`
 */
function slopeText({ slope, connectionsPerGiB }) {
  if (!slope) return "no slope";
  const { value, interval } = slope;
  const bytes = { unit: "bytes" };
  const ends = interval ? ` (${amountRange(interval, value, bytes)})` : "";
  const perGiB = connectionsPerGiB
    ? `, ${connectionsText(connectionsPerGiB)} connections a GiB`
    : "";
  return `${amount(value, bytes)} a connection${ends}${perGiB}`;
}

/**
 * @param {Style} style
 * @param {MemoryAnswer} answer
 * @returns {string}
 */
function memoryText(style, answer) {
  const { order } = answer;
  if (order.length === 0) return footprintText(style, answer);
  const title = (/** @type {SlopeRow} */ { proxy }) => nameOfProxy(style.results, proxy);
  const named = (/** @type {SlopeRow} */ row) => `${title(row)} ${slopeText(row)}`;
  const beside = order.map((row) => {
    const { baseline, points } = row;
    const last = points.at(-1);
    if (!baseline || !last) return title(row);
    const [before, more] = [baseline.value, last.growthBytes].map((value) =>
      amount(value, { unit: "bytes" }),
    );
    return `${title(row)} ${before} and ${more} more with ${number(last.connections)} held`;
  });
  return `${slopeOrder(order, title, named)}. Beside it, not ranked and in none of these, the baseline: ${list(beside)}`;
}

/**
 * @param {MemoryAnswer} answer with a slope
 * @returns {string} `ws, 1,000 to 50,000 connections held`: a slope is of no single load
 */
function slopeOver({ settings: [setting], order }) {
  const counts = order.flatMap(({ points }) => points.map(({ connections }) => connections));
  const ends = [Math.min(...counts), Math.max(...counts)].map(number);
  return `${schemeName(setting)}, ${ends.join(" to ")} connections held`;
}

/**
 * @param {SlopeRow[]} order
 * @param {(row: SlopeRow) => string} title
 * @param {(row: SlopeRow) => string} named with its figures
 * @returns {string}
 */
function slopeOrder(order, title, named) {
  if (order.length === 1) return `only ${title(order[0])} has a slope: ${slopeText(order[0])}`;
  if (order[0].rank === null) return `not ranked: ${order.map(named).join("; ")}`;
  const leaders = order.filter(({ rank }) => rank === 1);
  const rest = order.slice(leaders.length);
  const first =
    leaders.length > 1
      ? noDifference(leaders, named)
      : `${title(leaders[0])} takes least, ${slopeText(leaders[0])}`;
  return [first, ...rest.map(named)].join("; ") + tiesText(rest, title);
}

/**
 * @param {Style} style
 * @param {MemoryAnswer} answer
 * @returns {string}
 */
function footprintText(style, { settings: [{ workload }], footprints }) {
  if (footprints.length === 0) return "no answer: no proxy has a valid cell";
  const atATime = counted(connectionsAtATime(workload), "connection");
  const load = isPaced(workload)
    ? "this load"
    : `${atATime} ${workload.holdsConnections ? "held" : "at a time"}`;
  const each = footprints.map(({ proxy, baseline, growth }) => {
    const [before, more] = [baseline, growth].map((row) =>
      figureText(style, row, { unit: "bytes" }, null),
    );
    return `${nameOfProxy(style.results, proxy)} ${before} and ${more} more`;
  });
  return `not ranked, as the baseline is mostly configuration and the growth that of ${load}: ${list(each)}`;
}

/**
 * @template {{rank: number | null, ties: string[]}} Ranked
 * @param {Ranked[]} rest those below the best
 * @param {(row: Ranked) => string} title
 * @returns {string} who of them shares a rank
 */
function tiesText(rest, title) {
  return [...new Set(rest.map(({ rank }) => rank))]
    .map((rank) => rest.filter((row) => row.rank === rank))
    .filter((group) => group.length > 1)
    .map((group) => `, ${noDifference(group, title)}`)
    .join("");
}

/**
 * @template {{ties: string[]}} Ranked
 * @param {Ranked[]} group of one rank, the best first: the others cannot be told from it, but may differ from each other
 * @param {(row: Ranked) => string} text
 */
function noDifference(group, text) {
  const [best, ...others] = group;
  return group.every(({ ties }) => ties.length === others.length)
    ? `no difference seen between ${list(group.map(text))}`
    : `no difference seen between ${text(best)} and any of ${list(others.map(text))}`;
}

/** @param {number} ratio */
function differenceSeen(ratio) {
  return `a difference of ${timesFinely(ratio)} times would have been seen with a probability of 80 %`;
}

/**
 * @param {Style} style
 * @param {Row} row with a figure
 * @param {Pick<Measure, "unit">} measure
 * @param {number | null} p99 null: it is not a mean of times
 * @returns {string} `190 µs (185 to 195)`, `1.2 ms (1.1 to 1.3) with p99 3.4 ms`
 */
function figureText(style, { median, values }, measure, p99) {
  if (!median) return "no figure";
  const { value, interval } = median;
  const text = (/** @type {Interval} */ ends) => amountRange(ends, value, measure);
  return `${amount(value, measure)}${style.bracket(interval, extent(values), text)}${tailText(p99, measure)}`;
}

/**
 * @param {Pick<BestAnswer, "comparison" | "comparisons">} answer
 * @param {Pick<Row, "proxy">} row
 * @returns {number | null} the 99th percentile of what it tells the mean of; null: it tells no mean of times
 */
function p99Of({ comparison, comparisons }, { proxy }) {
  const rows = p99ComparisonOf({ comparisons }, comparison.measure)?.rows ?? [];
  return rows.find((row) => row.proxy === proxy)?.median?.value ?? null;
}

/**
 * @param {number | null} p99
 * @param {Pick<Measure, "unit">} measure
 * @returns {string} ` with p99 3.4 ms`, as commas part proxies; empty where there is none
 */
function tailText(p99, measure) {
  return p99 === null ? "" : ` with p99 ${amount(p99, measure)}`;
}

/**
 * @param {number[]} values
 * @returns {Interval | null} null: there is one
 */
function extent(values) {
  return values.length > 1 ? [Math.min(...values), Math.max(...values)] : null;
}

/**
 * @param {Style} style
 * @param {SelfComparison[]} sameWork
 * @returns {string[]} a sentence a pair: how far apart in CPU, or in what there is, with the most connections
 */
function sameWorkLead(style, sameWork) {
  return sameWork.flatMap(({ proxy, copy, settings }) => {
    const last = settings.filter(({ measures }) => measures.length > 0).at(-1);
    if (!last) return [];
    const told = last.measures.find(({ measure: key }) => key.includes("cpu")) ?? last.measures[0];
    const { ratio, differs, detectableRatio: seen } = told;
    const names = [copy, proxy].map((name) => nameOfProxy(style.results, name));
    const judged =
      differs === null
        ? "too few rounds to see any difference"
        : `${differs ? "A DIFFERENCE IS SEEN, where there is none" : "no difference is seen"}${seen === null ? "" : `, and ${differenceSeen(seen)}`}`;
    return [
      `Noise floor of this run: ${names[0]} did the same work as ${names[1]} over ${schemeName(last.setting)}, and ${measure(told.measure).title} was ${style.ratio(ratio)} as much; ${judged}.`,
    ];
  });
}

/**
 * @param {NoiseFloor | null} noiseFloor
 * @returns {string[]} the noise floor of what is asked about
 */
function noiseLead(noiseFloor) {
  if (!noiseFloor) return [];
  const { run, proxy, rounds } = noiseFloor;
  return [
    `Noise floor: a difference below ${floorTexts(noiseFloor).join("; ")} is noise here. By so much ${proxy} differed from a copy of itself, with ${floorLoad(noiseFloor)} over ${counted(rounds, "round")} (run ${run}).`,
  ];
}

/**
 * What a proxy adds to the control's time.
 *
 * @param {Style} style
 * @param {AddedAnswer} answer
 * @returns {string}
 */
function addedText(style, answer) {
  const { comparison, control } = answer;
  const { rows, relations } = comparison;
  const of = measure(comparison.measure);
  const measured = rows.filter(({ proxy, median }) => proxy !== CONTROL && median);
  const bad = measured.filter(answersBadly);
  const proxies = measured.filter((row) => !answersBadly(row));
  if (!control?.median) return "no answer: the control has no valid cell";
  if (proxies.length === 0) return "no answer: no proxy has a valid cell";

  const { value } = control.median;
  const title = (/** @type {Row} */ { proxy }) => nameOfProxy(style.results, proxy);
  const tail = (/** @type {Row} */ row) => tailText(p99Of(answer, row), of);
  const faster = proxies.filter(({ proxy }) => relations[proxy] === "better");
  if (faster.length > 0) {
    const each = list(
      faster.map((row) => `${title(row)} (${amount(valueOf(row), of)}${tail(row)})`),
    );
    const among = contestText(style, answer, TAKES);
    return `no answer: the control (${amount(value, of)}${tail(control)}) was slower than ${each}, so it is no baseline here; among the proxies, ${among}`;
  }
  const base = figureText(style, control, of, p99Of(answer, control));
  const difference = (/** @type {Row} */ row) => amount(valueOf(row) - value, of);
  const rounds = Math.max(...[control, ...proxies].map(({ values }) => values.length));
  if (rounds < LEAST_ROUNDS) {
    const each = proxies.map(
      (row) => `${title(row)} ${signed(valueOf(row) - value, of)}${tail(row)}`,
    );
    return `${onlyRounds(rounds)}, so untested: the control took ${base}, ${list(each)}${badText(style, bad)}`;
  }
  const adding = proxies
    .filter(({ proxy }) => relations[proxy] === "worse")
    .sort((a, b) => valueOf(a) - valueOf(b));
  const same = proxies.filter((row) => !adding.includes(row));
  if (adding.length === 0) {
    const none = same.length > 1 ? "any proxy" : title(same[0]);
    return `no difference seen between the control, ${base}, and ${none}${badText(style, bad)}`;
  }
  return [
    `the control took ${base}`,
    ...adding.map((row, i) => {
      const ratio = row.toControl ? `, ${style.ratio(row.toControl)}` : "";
      return i === 0
        ? `${title(row)} adds ${difference(row)}${ratio && `${ratio} the control`}${tail(row)}`
        : `${title(row)} ${difference(row)}${ratio}${tail(row)}`;
    }),
    ...(same.length > 0 ? [`no difference from it seen for ${list(same.map(title))}`] : []),
  ]
    .join("; ")
    .concat(badText(style, bad));
}

/**
 * @param {Style} style
 * @param {DelayAnswer} answer
 * @returns {string} what each proxy adds to the control's percentiles; where that bounds nothing, each one's own
 */
function delayText(style, { delay: { rows, isAdded } }) {
  const title = (/** @type {DelayRow} */ { proxy }) => nameOfProxy(style.results, proxy);
  const told = (
    /** @type {DelayRow} */ { percentiles },
    /** @type {(one: DelayPercentile) => string | null} */ textOf,
  ) => {
    const texts = percentiles.flatMap((one) => {
      const text = textOf(one);
      return text === null ? [] : [`${text} at ${percentileName(one.p)}`];
    });
    return texts.length > 0 ? list(texts) : "too few latencies";
  };
  const own = (/** @type {DelayRow} */ row) =>
    told(row, ({ ms }) => ms && `${figure(ms.value)} ms${delayBracket(style, ms, ms.value)}`);
  const added = (/** @type {DelayRow} */ row) =>
    told(row, ({ ms, added: one, relation }) => {
      if (!ms || !one) return null;
      const notes = relation === "same" ? ["no difference seen"] : [];
      return `${signedFigure(one.value, ms.value)} ms${delayBracket(style, one, ms.value, notes)}`;
    });
  const control = rows.find(({ proxy }) => proxy === CONTROL);
  const proxies = rows
    .filter(({ proxy, samples }) => proxy !== CONTROL && samples > 0)
    .sort((a, b) => (a.percentiles[0].ms?.value ?? 0) - (b.percentiles[0].ms?.value ?? 0));
  if (proxies.length === 0) return "no answer: no proxy has a valid cell";
  const of = isAdded ? added : own;
  const each = proxies.map((row) => `${title(row)} ${of(row)}`).join("; ");
  if (!control || control.samples === 0)
    return `${noControlText(control)}, so nothing is told of what is added: ${each}`;
  return isAdded
    ? `the control took ${own(control)}; to that, ${each}`
    : `in all, as the control is no baseline over TLS: ${each}; beside them, ${title(control)} ${own(control)}`;
}

/**
 * @param {DelayRow | undefined} control
 * @returns {string} why it has no figure
 */
function noControlText(control) {
  return control?.missing.some(({ kind }) => kind === "skipped")
    ? "the control was left out"
    : "the control has no valid cell";
}

/**
 * @param {Style} style
 * @param {DelayFigure} told
 * @param {number} beside whose decimals the ends have
 * @param {string[]} [notes]
 * @returns {string} ` (0.19 to 0.23, no difference seen)`
 */
function delayBracket(style, { interval, rounds }, beside, notes = []) {
  return style.bracket(interval, rounds, (ends) =>
    [range(ends, beside, " to "), ...notes].join(", "),
  );
}

/**
 * @param {Style} style
 * @param {Row[]} bad
 * @returns {string} who is left out; empty where nobody is
 */
function badText(style, bad) {
  if (bad.length === 0) return "";
  return `; left out, as error responses are fast: ${list(bad.map((row) => markedTitle(style.results, row)))}`;
}

/**
 * @param {number} value
 * @param {Pick<Measure, "unit">} measure
 */
function signed(value, measure) {
  return `${value > 0 ? "+" : ""}${amount(value, measure)}`;
}

/**
 * @param {Results} results
 * @param {Style} style
 * @param {ProxyRatio[]} ratios
 */
function ratioTexts(results, style, ratios) {
  if (ratios.length === 0) return "no answer: no proxy has valid cells over both";
  const sorted = ratios.toSorted((a, b) => a.ratio.value - b.ratio.value);
  return list(
    sorted.map(({ proxy, ratio }) => `${nameOfProxy(results, proxy)} ${style.ratio(ratio)}`),
  );
}

/**
 * @param {Results} results
 * @param {LeakAnswer} answer
 */
function leakText(results, { connections, settleSeconds, left }) {
  const title = (/** @type {{proxy: string}} */ { proxy }) => nameOfProxy(results, proxy);
  const after = `${settleSeconds} s after the last of ${counted(connections, "connection")}`;
  const more = (/** @type {number} */ n) =>
    `${counted(n, "socket or descriptor", "sockets or descriptors")} more than before`;
  const leaking = left.filter(({ isLeak }) => isLeak);
  const clean = left.filter(({ isLeak }) => !isLeak);
  const most = Math.max(0, ...clean.map((one) => one.left));
  if (leaking.length === 0) {
    return most === 0
      ? `None does: ${after}, no proxy had ${more(1).replace("1 ", "a ")}`
      : `None does: ${after}, no proxy had over ${more(most)}`;
  }
  const kept = leaking.map(
    (one) =>
      `${title(one)} had ${more(one.left)} (${Math.round((100 * one.left) / connections)} %)`,
  );
  const rest = clean.length > 0 ? `; ${list(clean.map(title))} released them` : "";
  return `${after}, ${list(kept)}${rest}`;
}

/** @param {number} ratio in either direction */
function apart(ratio) {
  return Math.max(ratio, 1 / ratio);
}

/**
 * @param {Style} style
 * @param {SelfMeasure[]} measures
 */
function tieText(style, measures) {
  if (measures.length === 0) return "no answer: not both have valid cells";
  if (measures.every(({ differs }) => differs === null))
    return `no answer: with fewer than ${LEAST_ROUNDS} rounds no difference can be seen`;
  const told = (/** @type {SelfMeasure} */ { measure: key, ratio }) =>
    `${measure(key).title} ${style.ratio(ratio)}`;
  const differing = measures.filter(({ differs }) => differs);
  if (differing.length > 0)
    return `no, a difference is seen in ${number(differing.length)} of ${counted(measures.length, "measure")}: ${differing.map(told).join("; ")}`;
  const [furthest] = measures.toSorted((a, b) => apart(b.ratio.value) - apart(a.ratio.value));
  return `yes, no difference is seen in any of ${counted(measures.length, "measure")}; the furthest apart is ${told(furthest)}`;
}

/**
 * @param {SelfComparison} comparison
 * @returns {string[]} how a difference is seen
 */
function judgedLead({ method, settings }) {
  const comparisons = counted(settings.flatMap(({ measures }) => measures).length, "comparison");
  const alone = "; in the tables of figures each is judged by itself.";
  if (method === "test")
    return [
      `A difference is seen where Mann–Whitney's test finds it at the ${number(100 * ALPHA)} % level, corrected for all ${comparisons} of this run${alone}`,
    ];
  if (method === "range")
    return [
      `Too few rounds to test ${comparisons}: a difference is seen where all rounds of one lie below all of the other's${alone}`,
    ];
  return [];
}

/** What the noise floor is told of, in this order. */
const TOLD = [
  "cpu_us_per_connection",
  "cpu_us_per_handshake",
  "cpu_us_per_message",
  "handshake_ms_mean",
  "echo_latency_ms_mean",
  "connections_per_second",
];

/**
 * @param {NoiseFloor} floor
 * @returns {string[]} `CPU per connection 1.02 times`, of what verdicts are about
 */
function floorTexts({ ratios }) {
  return TOLD.flatMap((key) =>
    key in ratios ? [`${timesFinely(ratios[key])} times in ${measure(key).title}`] : [],
  );
}
