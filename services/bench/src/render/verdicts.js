/**
 * Questions, and the sentences that answer each. A sentence claims no difference that its comparison does not show. What all
 * of them share is said once, in the lead.
 */
import { counted, number, timesFinely } from "../numbers.js";
import { connectionsOf } from "../plan/load.js";
import { CONTROL } from "../plan/proxies.js";
import { floorTexts } from "../analyse/self-comparison.js";
import { answersBadly } from "../analyse/bad-answers.js";
import { ratiosOf, relationsToControl, titleOfProxy } from "../analyse/settings.js";
import { leaksOf } from "../analyse/leaks.js";
import { measure } from "../analyse/measures.js";
import { comparesHandshakes, comparesServers, schemeName } from "../analyse/scenarios.js";
import { Style } from "./lead.js";
import { findingText } from "./findings.js";
import { missingText } from "./missing.js";
import { amount, amountRange, list, parameterText } from "./words.js";

/** @import { Results, Scheme } from "../record/types.js" */
/** @import { Analysis, Answer, Comparison, Measure, Ratio, Row, Setting, Verdict } from "../analyse/types.js" */
/** @import { Interval } from "../statistics/types.js" */

/**
 * @typedef {Pick<Analysis, "results" | "settings" | "cells" | "handshakes" | "noiseFloor">} Analysed
 * @typedef {Pick<Analysis, "lead" | "verdicts">} Verdicts
 */

/**
 * What the best of a ranking does.
 *
 * @typedef {object} Contest
 * @property {string} measure
 * @property {string} question without what tells it from others of its kind
 * @property {string} leads `costs least`
 * @property {string} unitWord after a ratio: `as much`
 * @property {(scenario: string) => boolean} [applies] left out: it is asked wherever it is compared
 */

/** @param {string} scenario */
const aboutProxies = (scenario) => !comparesServers(scenario);
/** @param {string} scenario */
const aboutConnections = (scenario) => !comparesServers(scenario) && !comparesHandshakes(scenario);

/** One of each list is asked about: the first that is compared. @type {Record<"cpu" | "time" | "memory" | "throughput", Contest[]>} */
const CONTESTS = {
  cpu: [
    {
      measure: "cpu_us_per_message",
      question: "Which proxy costs least CPU per message",
      leads: "costs least",
      unitWord: "as much",
    },
    {
      measure: "cpu_us_per_handshake",
      question: "Which proxy costs least CPU per handshake",
      leads: "costs least",
      unitWord: "as much",
    },
    {
      measure: "proxy_cpu_cores",
      question: "Which proxy costs least CPU while it holds connections",
      leads: "costs least",
      unitWord: "as much",
    },
    {
      measure: "proxy_cpu_us_per_request",
      question: "Which proxy costs least CPU per request",
      leads: "costs least",
      unitWord: "as much",
    },
    {
      measure: "servers_cpu_seconds",
      question: "Which way to serve costs least CPU, proxy and server together",
      leads: "costs least",
      unitWord: "as much",
    },
  ],
  time: [
    {
      measure: "request_ms_mean",
      question: "Which way to serve is quickest",
      leads: "takes least",
      unitWord: "as long",
      applies: comparesServers,
    },
  ],
  memory: [
    {
      measure: "proxy_memory_left_bytes",
      question: "Which proxy keeps least memory after its connections",
      leads: "keeps least",
      unitWord: "as much",
    },
    {
      measure: "proxy_memory_peak_usage_bytes",
      question: "Which proxy needs least memory",
      leads: "needs least",
      unitWord: "as much",
      applies: aboutConnections,
    },
  ],
  throughput: [
    {
      measure: "connections_per_second",
      question: "Which proxy carries most connections per second",
      leads: "carries most",
      unitWord: "as many",
    },
    {
      measure: "messages_per_second",
      question: "Which proxy carries most messages per second",
      leads: "carries most",
      unitWord: "as many",
    },
    {
      measure: "requests_per_second",
      question: "Through which proxy come most good answers per second",
      leads: "carries most",
      unitWord: "as many",
      applies: aboutProxies,
    },
  ],
};

/** Times that a proxy adds to. @type {Contest[]} */
const ADDED = [
  {
    measure: "handshake_ms_mean",
    question: "How much time does a proxy add to a handshake",
    leads: "takes least",
    unitWord: "as long",
  },
  {
    measure: "echo_latency_ms_mean",
    question: "How much time does a proxy add to an echo",
    leads: "takes least",
    unitWord: "as long",
    applies: aboutConnections,
  },
  {
    measure: "request_ms_mean",
    question: "How much time does a proxy add to a request",
    leads: "takes least",
    unitWord: "as long",
    applies: aboutProxies,
  },
];

/**
 * Settings that differ in scheme and number of connections alone.
 *
 * @typedef {object} Kind
 * @property {string} details what tells it from the other kinds; empty where there is one
 * @property {Family[]} families one a scheme
 *
 * @typedef {object} Family
 * @property {Scheme} scheme
 * @property {Setting} largest with the most connections
 * @property {Setting[]} others
 *
 * @typedef {Answer & {scheme: string | null}} Draft scheme: as it is shown; null: it is about both
 * @typedef {{question: string, answers: Draft[], caveats: string[]}} DraftVerdict
 */

/**
 * @param {Analysed} analysed
 * @returns {Verdicts} each answer about the setting with the most connections of its kind and scheme
 */
export function verdictsOf(analysed) {
  const { results, settings } = analysed;
  const kinds = kindsOf(askedAbout(settings), settings);
  const style = new Style(
    results,
    kinds.flatMap(({ families }) => families.map(({ largest }) => largest)),
  );
  /** @type {(choice: Contest[], answer: (family: Family, contest: Contest) => Draft) => DraftVerdict[]} */
  const ask = (choice, answer) => kinds.flatMap((kind) => verdictOf(kind, choice, answer));
  /** @type {(choice: Contest[]) => DraftVerdict[]} */
  const contest = (choice) =>
    ask(choice, (family, of) => contestAnswer(analysed, style, family, of));
  const { shared, verdicts } = told([
    ...leakVerdicts(analysed, style),
    ...contest(CONTESTS.cpu),
    ...kinds.flatMap((kind) => tlsVerdict(analysed, style, kind)),
    ...handshakeVerdicts(analysed, style),
    ...contest(CONTESTS.time),
    ...ADDED.flatMap((added) => ask([added], (family, of) => addedAnswer(style, family, of))),
    ...contest(CONTESTS.memory),
    ...contest(CONTESTS.throughput),
  ]);
  return {
    lead: [...style.lead(settings), ...style.testLead(), ...shared, ...noiseLead(analysed)],
    verdicts,
  };
}

/**
 * Says once what holds for every answer, or for every answer of a scheme, or for every answer of a verdict.
 *
 * @param {DraftVerdict[]} drafts
 * @returns {{shared: string[], verdicts: Verdict[]}}
 */
function told(drafts) {
  const answers = drafts.flatMap((draft) => draft.answers);
  const bySchemes = [...Map.groupBy(answers, ({ scheme }) => scheme)].flatMap(([scheme, own]) =>
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
 * @param {Pick<Answer, "caveats">[]} answers
 * @returns {string[]} those that all have; none where there is a single answer
 */
function commonCaveats(answers) {
  if (answers.length < 2) return [];
  return answers[0].caveats.filter((one) => answers.every(({ caveats }) => caveats.includes(one)));
}

/**
 * A run may have more settings than questions are worth: of files the smallest and the largest are asked about, of handshakes the
 * kind that is usual today. What the others cost beside it is asked on its own.
 *
 * @param {Setting[]} settings
 * @returns {Setting[]}
 */
function askedAbout(settings) {
  const all = (/** @type {string} */ name) =>
    settings.flatMap(({ parameters }) => parameters[name] ?? []);
  const sizes = all("FILE_BYTES");
  const ends = [Math.min(...sizes), Math.max(...sizes)];
  const newest = Math.max(...all("TLS_VERSION"));
  const [leastBits, leastResumed] = ["RSA_BITS", "RESUMED"].map((name) => Math.min(...all(name)));
  return settings.filter(({ scenario, parameters: p }) => {
    if (comparesServers(scenario)) return ends.includes(p.FILE_BYTES);
    if (!comparesHandshakes(scenario)) return true;
    return p.TLS_VERSION === newest && p.RSA_BITS === leastBits && p.RESUMED === leastResumed;
  });
}

/** Parameters that say how many connections there are. */
const HOW_MANY = ["CONNECTIONS", "CHURN_SECONDS"];

/**
 * @param {Setting[]} settings that are asked about
 * @param {Setting[]} all of the run, which they are told from
 * @returns {Kind[]}
 */
function kindsOf(settings, all) {
  const key = (/** @type {Setting} */ { scenario, parameters }) => {
    const rest = Object.entries(parameters).filter(([name]) => !HOW_MANY.includes(name));
    return JSON.stringify([scenario, rest.sort()]);
  };
  const kinds = [...Map.groupBy(settings, key).values()];
  const scenarios = new Set(settings.map(({ scenario }) => scenario));
  return kinds.map((kind) => {
    const { scenario, parameters } = kind[0];
    const differing = Object.entries(parameters).filter(
      ([name, value]) =>
        !HOW_MANY.includes(name) &&
        all.some((other) => other.scenario === scenario && other.parameters[name] !== value),
    );
    const details = [
      ...(scenarios.size > 1 ? [scenario] : []),
      ...differing.map(([name, value]) => parameterText(name, value)),
    ];
    return {
      details: details.map((detail) => `, ${detail}`).join(""),
      families: [...Map.groupBy(kind, ({ scheme }) => scheme)].map(([scheme, family]) => {
        const sorted = family.toSorted(
          (a, b) => (connectionsOf(b.parameters) || 0) - (connectionsOf(a.parameters) || 0),
        );
        // A larger setting that few could be counted in answers no question about the others.
        const most = Math.max(...sorted.map(proxiesWithFigures));
        const largest =
          sorted.find((setting) => 2 * proxiesWithFigures(setting) > most) ?? sorted[0];
        return { scheme, largest, others: family.filter((setting) => setting !== largest) };
      }),
    };
  });
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
function chosenFor({ families: [{ largest }] }, choice) {
  return choice.find(
    ({ measure: key, applies }) =>
      (applies?.(largest.scenario) ?? true) &&
      largest.comparisons.some((comparison) => comparison.measure === key),
  );
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
 * @param {Kind} kind
 * @param {Contest[]} choice
 * @param {(family: Family, contest: Contest) => Draft} answer
 * @returns {DraftVerdict[]} empty where none of them is compared
 */
function verdictOf(kind, choice, answer) {
  const contest = chosenFor(kind, choice);
  if (!contest) return [];
  const question = `${contest.question}${kind.details}?`;
  return [{ question, answers: kind.families.map((one) => answer(one, contest)), caveats: [] }];
}

/**
 * @param {Analysed} analysed
 * @param {Style} style
 * @param {Family} family
 * @param {Contest} contest
 * @returns {Draft}
 */
function contestAnswer(analysed, style, family, contest) {
  const { largest } = family;
  const scheme = schemeName(largest);
  const comparison = comparisonIn(largest, contest.measure);
  const order = orderedRows(comparison);
  const control = comparesServers(largest.scenario) ? controlText(style, comparison) : "";
  return {
    scheme,
    over: style.over(largest, scheme),
    text: style.sentence(`${contestText(style, comparison, order, contest)}${control}`),
    caveats: [
      ...caveatsOf(analysed.results, comparison),
      ...otherLeaders(analysed.results, family, contest.measure, leadersOf(order)),
      ...insideNoise(analysed, comparison, order),
    ],
  };
}

/**
 * @param {Style} style
 * @param {Comparison} comparison in which the control is one of the servers
 */
function controlText(style, { rows, measure: key }) {
  const control = rows.find(({ proxy, median }) => proxy === CONTROL && median);
  if (!control) return "";
  return `; beside them, as the control, ${titleOfProxy(style.results, CONTROL)} ${figureText(style, control, measure(key))}`;
}

/**
 * @param {Comparison} comparison
 * @returns {Row[]} of proxies with a figure, the best rank first, then who answers well, then the better median
 */
function orderedRows({ rows, measure: key }) {
  const sign = measure(key).better === "lower" ? 1 : -1;
  return rows
    .filter(({ proxy, median }) => proxy !== CONTROL && median)
    .sort(
      (a, b) =>
        (a.rank ?? 0) - (b.rank ?? 0) ||
        Number(answersBadly(a)) - Number(answersBadly(b)) ||
        sign * (valueOf(a) - valueOf(b)),
    );
}

/**
 * @param {Results} results
 * @param {Row} row
 * @returns {string} `nginx`, or `nginx [92 % bad answers]`
 */
function markedTitle(results, row) {
  const title = titleOfProxy(results, row.proxy);
  return answersBadly(row) ? `${title} [${number(row.badPercent)} % bad answers]` : title;
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
 * @param {Style} style
 * @param {Comparison} comparison
 * @param {Row[]} order
 * @param {Contest} contest
 * @returns {string}
 */
function contestText(style, comparison, order, contest) {
  const title = (/** @type {Row} */ row) => markedTitle(style.results, row);
  const figure = (/** @type {Row} */ row) => figureText(style, row, measure(contest.measure));
  const named = (/** @type {Row} */ row) => `${title(row)} ${figure(row)}`;
  if (order.length === 0) return "cannot be told, as no proxy has a cell that counts";
  if (order.length === 1)
    return `only ${title(order[0])} has cells that count: ${figure(order[0])}`;
  if (order[0].rank === null) return `a single round, so no ranking: ${list(order.map(named))}`;

  const leaders = order.filter(({ rank }) => rank === 1);
  const rest = order.slice(leaders.length);
  if (rest.length === 0) {
    const seen = comparison.detectableRatio;
    const power = seen ? `; ${differenceSeen(seen)}` : "";
    return `${noDifference(order, named)}${power}`;
  }
  const first =
    leaders.length === 1
      ? `${title(leaders[0])} ${contest.leads}, ${figure(leaders[0])}`
      : noDifference(leaders, named);
  const reference = leaders.length > 1 ? ` as ${title(leaders[0])}` : "";
  const others = rest.map((row, i) => {
    if (!row.toBest) return named(row);
    const ratio = `${title(row)} ${style.ratio(row.toBest)}`;
    return i === 0 ? `${ratio} ${contest.unitWord}${reference}` : ratio;
  });
  const ties = [...new Set(rest.map(({ rank }) => rank))]
    .map((rank) => rest.filter((row) => row.rank === rank))
    .filter((group) => group.length > 1)
    .map((group) => `, ${noDifference(group, title)}`);
  return `${first}; ${list(others)}${ties.join("")}`;
}

/**
 * @param {Row[]} group of one rank, the best first: the others cannot be told from it, but may differ from each other
 * @param {(row: Row) => string} text
 */
function noDifference(group, text) {
  const [best, ...others] = group;
  return group.every(({ ties }) => ties.length === others.length)
    ? `no difference seen between ${list(group.map(text))}`
    : `no difference seen between ${text(best)} and any of ${list(others.map(text))}`;
}

/** @param {number} ratio */
function differenceSeen(ratio) {
  return `one of ${timesFinely(ratio)} times would have been seen in 4 of 5 such runs`;
}

/**
 * @param {Style} style
 * @param {Row} row with a figure
 * @param {Pick<Measure, "unit">} measure
 * @returns {string} `190 µs (185 to 195)`
 */
function figureText(style, { median, values }, measure) {
  if (!median) return "no figure";
  const { value, interval } = median;
  const text = (/** @type {Interval} */ ends) => amountRange(ends, value, measure);
  return `${amount(value, measure)}${style.bracket(interval, extent(values), text)}`;
}

/**
 * @param {number[]} values
 * @returns {Interval | null} null: there is one
 */
function extent(values) {
  return values.length > 1 ? [Math.min(...values), Math.max(...values)] : null;
}

/**
 * @param {Results} results
 * @param {Comparison} comparison
 * @returns {string[]}
 */
function caveatsOf(results, { rows, findings }) {
  const missing = Map.groupBy(
    rows.filter(({ proxy, missing }) => proxy !== CONTROL && missing.length > 0),
    ({ missing }) => missingText(missing),
  );
  const serious = findings.filter(
    ({ gate, severity }) => severity === "weak" || gate === "few-rounds",
  );
  return [
    ...[...missing].map(([why, without]) => {
      const names = list(without.map(({ proxy }) => titleOfProxy(results, proxy)));
      return `No figure for ${names}: ${why}`;
    }),
    ...serious.map((finding) => findingText(finding, (name) => titleOfProxy(results, name))),
  ];
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
  const differing = others.flatMap(({ parameters, comparisons }) => {
    const comparison = comparisons.find((one) => one.measure === key);
    const there = comparison ? leadersOf(orderedRows(comparison)).sort() : [];
    if (there.length === 0 || isSame(there, leaders)) return [];
    const names = list(there.map((name) => titleOfProxy(results, name)));
    return [{ names, connections: number(parameters.CONNECTIONS) }];
  });
  return [...Map.groupBy(differing, ({ names }) => names)].map(
    ([names, settings]) =>
      `With ${list(settings.map(({ connections }) => connections))} connections rank 1 is ${names}`,
  );
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
    `The difference of ${names} from the best is no larger than the noise floor: ${timesFinely(floor)} times with ${noiseFloor.load}`,
  ];
}

/**
 * @param {Analysed} analysed
 * @returns {string[]} the noise floor of what is asked about
 */
function noiseLead({ noiseFloor }) {
  if (!noiseFloor) return [];
  const { run, proxy, load, rounds } = noiseFloor;
  return [
    `A difference below this is noise here: ${floorTexts(noiseFloor).join("; ")}. So much did ${proxy} differ from a copy of itself, with ${load} over ${counted(rounds, "round")} (run ${run}).`,
  ];
}

/**
 * What a proxy adds to the control's time.
 *
 * @param {Style} style
 * @param {Family} family
 * @param {Contest} contest
 * @returns {Draft}
 */
function addedAnswer(style, { largest }, contest) {
  const scheme = schemeName(largest);
  const comparison = comparisonIn(largest, contest.measure);
  // The sentence says it.
  const findings = comparison.findings.filter(({ gate }) => gate !== "control-slower");
  return {
    scheme,
    over: style.over(largest, scheme),
    text: style.sentence(addedText(style, comparison, contest)),
    caveats: caveatsOf(style.results, { ...comparison, findings }),
  };
}

/**
 * @param {Style} style
 * @param {Comparison} comparison
 * @param {Contest} contest
 * @returns {string}
 */
function addedText(style, comparison, contest) {
  const { rows } = comparison;
  const of = measure(contest.measure);
  const control = rows.find(({ proxy }) => proxy === CONTROL);
  const measured = rows.filter(({ proxy, median }) => proxy !== CONTROL && median);
  const bad = measured.filter(answersBadly);
  const proxies = measured.filter((row) => !answersBadly(row));
  if (!control?.median) return "cannot be told, as the control has no cell that counts";
  if (proxies.length === 0) return "cannot be told, as no proxy has a cell that counts";

  const { value } = control.median;
  const relations = relationsToControl(of, rows);
  const title = (/** @type {Row} */ { proxy }) => titleOfProxy(style.results, proxy);
  const faster = proxies.filter(({ proxy }) => relations.get(proxy) === "better");
  if (faster.length > 0) {
    const each = list(faster.map((row) => `${title(row)} (${amount(valueOf(row), of)})`));
    const among = contestText(style, comparison, orderedRows(comparison), contest);
    return `cannot be told, as the control (${amount(value, of)}) was slower than ${each} and bounds nothing here; among the proxies, ${among}`;
  }
  const base = figureText(style, control, of);
  const difference = (/** @type {Row} */ row) => amount(valueOf(row) - value, of);
  if ([control, ...proxies].every((row) => row.values.length === 1)) {
    const each = measured.map(
      (row) => `${markedTitle(style.results, row)} ${signed(valueOf(row) - value, of)}`,
    );
    return `a single round, so untested: the control took ${base}, ${list(each)}`;
  }
  const adding = proxies
    .filter(({ proxy }) => relations.get(proxy) === "worse")
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
        ? `${title(row)} adds ${difference(row)}${ratio && `${ratio} the control`}`
        : `${title(row)} ${difference(row)}${ratio}`;
    }),
    ...(same.length > 0 ? [`no difference from it seen for ${list(same.map(title))}`] : []),
  ]
    .join("; ")
    .concat(badText(style, bad));
}

/**
 * @param {Style} style
 * @param {Row[]} bad
 * @returns {string} who is left out; empty where nobody is
 */
function badText(style, bad) {
  if (bad.length === 0) return "";
  return `; left out, as errors are quick to give: ${list(bad.map((row) => markedTitle(style.results, row)))}`;
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
 * @param {Style} style
 * @param {Kind} kind
 * @returns {DraftVerdict[]} empty unless it ran over both schemes
 */
function tlsVerdict(analysed, style, kind) {
  const { results } = analysed;
  const contest = chosenFor(kind, CONTESTS.cpu);
  const [plain, secured] = ["ws", "wss"].map((name) =>
    kind.families.find(({ scheme }) => scheme === name),
  );
  const pair = contest && plain && secured && sameLoad(plain, secured);
  if (!pair) return [];
  const { ws, wss } = pair;
  const isOpened =
    comparesServers(ws.scenario) ||
    ws.comparisons.some((comparison) => comparison.measure === ADDED[0].measure);
  return [
    {
      question: `What does TLS cost in CPU ${TLS_COSTS[contest.measure]}${kind.details}?`,
      answers: [
        {
          scheme: null,
          over: style.over(ws, `${schemeName(wss)} / ${schemeName(ws)}`),
          text: style.sentence(
            ratioTexts(results, style, ratiosOf(analysed, contest.measure, [wss, ws])),
          ),
          caveats: [],
        },
      ],
      caveats: isOpened
        ? ["Every connection made a full handshake; clients that resume sessions pay less"]
        : [],
    },
  ];
}

/**
 * @param {Results} results
 * @param {Style} style
 * @param {{proxy: string, ratio: Ratio}[]} ratios
 */
function ratioTexts(results, style, ratios) {
  if (ratios.length === 0) return "cannot be told, as no proxy has cells that count over both";
  const sorted = ratios.toSorted((a, b) => a.ratio.value - b.ratio.value);
  return list(
    sorted.map(({ proxy, ratio }) => `${titleOfProxy(results, proxy)} ${style.ratio(ratio)}`),
  );
}

/**
 * @param {Analysed} analysed
 * @param {Style} style
 * @returns {DraftVerdict[]} none: no scenario looked again when its load was over
 */
function leakVerdicts({ results, settings }, style) {
  const answers = leaksOf(results, settings).map(({ setting, text }) => ({
    scheme: schemeName(setting),
    over: style.over(setting, schemeName(setting)),
    text: style.sentence(text),
    caveats: [],
  }));
  if (answers.length === 0) return [];
  return [
    {
      question: "Does a proxy keep connections that its clients have dropped?",
      answers,
      caveats: [],
    },
  ];
}

/**
 * @param {Analysed} analysed
 * @param {Style} style
 * @returns {DraftVerdict[]} empty unless kinds of handshakes were compared
 */
function handshakeVerdicts({ results, handshakes }, style) {
  return handshakes.map(({ question, pairs }) => ({
    question,
    answers: pairs.map(({ setting, over, ratios }) => ({
      scheme: null,
      over: style.over(setting, over),
      text: style.sentence(ratioTexts(results, style, ratios)),
      caveats: [],
    })),
    caveats: [
      "Connection, upgrade, message and close are in both: of the handshake alone the ratio is further from 1",
    ],
  }));
}

/** @type {Record<string, string>} */
const TLS_COSTS = {
  cpu_us_per_message: "per message",
  cpu_us_per_handshake: "per handshake",
  proxy_cpu_cores: "while connections are held",
  proxy_cpu_us_per_request: "per request",
  servers_cpu_seconds: "of proxy and server together",
};

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
    return wss && [ws, wss].every(proxiesWithFigures) ? [{ ws, wss }] : [];
  });
  return (
    pairs.toSorted((a, b) => b.ws.parameters.CONNECTIONS - a.ws.parameters.CONNECTIONS)[0] ?? null
  );
}
