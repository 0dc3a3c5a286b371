/**
 * FINDINGS.md: what the published runs found, in plain words, each with its figures and its report.
 *
 * @import { PublishedRun } from "../analyse/claim-table.js"
 * @import { Found, RunContest } from "../analyse/found.js"
 * @import { Contest } from "../analyse/types.js"
 * @import { ClaimEntry } from "./claim-rows.js"
 * @import { GlanceCell } from "./glance.js"
 */
import { foundIn, isSurprising, namedIn, quotientIn, stormAnswers } from "../analyse/found.js";
import { seenCosts } from "../analyse/networks.js";
import { counted, times } from "../numbers.js";
import { connectionsAtATime } from "../plan/workload.js";
import { claimCounts, dayOf } from "./claim-rows.js";
import { contestText, titleText } from "./contest-texts.js";
import { gapsOf } from "./glance.js";
import { plain } from "./markdown.js";
import { withoutBuffers } from "./memory-texts.js";
import { networkSentence, networkTitle } from "./network-texts.js";
import { eventTitle } from "./survival-texts.js";
import { bracketed, capital, nameOfProxy, timesWithInterval, tyingText } from "./words.js";

/** A short page. */
const MOST = 10;

/**
 * @typedef {object} Ends the proxies with the lowest and the highest figure, in words
 * @property {string} low
 * @property {string} high
 * @property {string} lowAmount
 * @property {string} highAmount
 * @property {string} times the highest to the lowest
 */

/** What costs, by measure: times are no findings, as in a closed loop they are those of a queue. @type {Record<string, string>} */
const COSTS = {
  cpu_us_per_message: "A message costs",
  cpu_us_per_handshake: "A handshake with its close costs",
  cpu_us_per_connection: "A short connection costs",
  proxy_cpu_us_per_request: "A request costs",
};

/** What is carried, by measure. @type {Record<string, string>} */
const CARRIED = {
  connections_per_second: "short connections",
  messages_per_second: "messages",
  requests_per_second: "requests",
};

/** @type {Record<string, string>} */
const TLS_COSTS = {
  cpu_us_per_message: "a message",
  cpu_us_per_handshake: "a handshake with its close",
  cpu_us_per_connection: "a short connection",
  proxy_cpu_us_per_request: "a request",
};

/** @type {Record<string, string>} */
const HANDSHAKES = {
  resumed: "A resumed handshake costs, with its connection,",
  rsa: "A handshake with an RSA key costs, beside one with an ECDSA key,",
  tls12: "A handshake of TLS 1.2 costs, beside one of TLS 1.3,",
};

/** Null: it is no finding. @type {Partial<Record<Contest["question"], (contest: RunContest, ends: Ends) => string | null>>} */
const SENTENCES = {
  best: ({ measure }, { low, high, times }) =>
    measure.key in COSTS
      ? `${COSTS[measure.key]} ${times} times the CPU through ${high} that it costs through ${low}`
      : measure.key in CARRIED
        ? `Where proxy, server and load share the machine, it carries ${times} times the ${CARRIED[measure.key]} a second with ${high} that it carries with ${low}`
        : null,
  delay: ({ detail }, { low, high, times }) =>
    `At the same rate the 99th percentile of ${detail === "echo" ? "an echo" : "a handshake"} is ${times} times as long through ${high} as through ${low}`,
  memory: (_, { low, high, times }) =>
    `A held connection takes ${times} times the memory in ${high} that it takes in ${low}`,
  tls: ({ measure }, { low, high, lowAmount, highAmount }) =>
    measure.key in TLS_COSTS
      ? `With TLS ${TLS_COSTS[measure.key]} costs ${high} ${highAmount} the CPU that it costs without, and ${low} ${lowAmount}`
      : null,
  handshake: ({ detail }, { low, high, lowAmount, highAmount }) =>
    `${HANDSHAKES[detail]} ${low} ${lowAmount} the CPU, and ${high} ${highAmount}`,
  footprint: ({ run, detail, measure, at }, { low, high, lowAmount, highAmount }) => {
    const end = withoutBuffers(run.analysis, measure.key);
    if (detail === "baseline" || !Array.isArray(at))
      return `Warmed up and without a connection ${high} takes ${highAmount} of memory, and ${low} ${lowAmount}${end}`;
    const [{ workload }] = at;
    const open = counted(connectionsAtATime(workload), "connection");
    return `With ${open} ${workload.holdsConnections ? "held" : "at a time"} ${high} grows by ${highAmount} of memory, and ${low} by ${lowAmount}${end}`;
  },
  capacity: ({ at }, { low, high, lowAmount, highAmount }) =>
    `With the tail under a limit, ${highAmount} ${Array.isArray(at) && at[0].workload.holdsConnections ? "messages" : "handshakes"} a second go through ${high}, and ${lowAmount} through ${low}`,
  lost: (contest, { low, high, lowAmount, highAmount }) => {
    const most = highAmount === "100 %" ? "all" : `${highAmount} of the`;
    return `${eventText(contest)}: ${most} open connections are lost through ${high}, ${noneOr(lowAmount)} through ${low}`;
  },
  failed: (contest, { low, high, lowAmount, highAmount }) =>
    `${eventText(contest)}: ${highAmount} of the new handshakes fail through ${high}, ${noneOr(lowAmount)} through ${low}`,
  newcomers: (contest, { low, high, lowAmount, highAmount }) =>
    `${eventText(contest)}: the server that starts gets ${noneOr(lowAmount)} of the new connections through ${low}, ${highAmount} through ${high}`,
  stall: (_, { low, high, lowAmount, highAmount }) =>
    `A client that does not read costs ${high} ${highAmount} of memory, and ${low} ${noneOr(lowAmount)}`,
  course: ({ measure }, { high, highAmount }) =>
    `${measure.title.split(",")[0]} of ${high}: ${highAmount} more after an hour at a steady rate`,
  leak: (_, { high, highAmount }) =>
    `${highAmount} connections that their clients had dropped are kept by ${high}`,
};

/** @param {string} amount with its unit */
function noneOr(amount) {
  return amount.startsWith("0 ") ? "none" : amount;
}

/**
 * @param {RunContest} contest about an event
 * @returns {string} what is done
 */
function eventText({ run, detail }) {
  const events = run.analysis.survivals.flatMap((setting) => setting.events);
  const event = events.find((one) => one.event === detail);
  return event ? eventTitle(event) : detail;
}

/**
 * @param {PublishedRun[]} runs the newest first
 * @param {ClaimEntry[]} claims
 * @returns {string} Markdown
 */
export function renderFindings(runs, claims) {
  const told = claims.filter(({ state }) => state === "no longer" || state === "holds");
  const gaps = gapsOf(runs);
  const blocks = [
    "# What we found",
    "First what no table of costs would lead one to expect: what becomes of connections, an order that TLS turns round, what one setting, one more program or Docker's network changes; then the largest differences. Only those that are seen are told: by tests over six rounds or more, by intervals that lie apart (those of ratios from 1), or, of storms, where no repetition was as quick as any without a proxy. Ratios compare within a run. Variants that tie with their original are left out, but for one that ratios are to. Made by `./bench publish`, and by `npm run generate` in `services/bench`, from the records of the published runs; not edited by hand.",
    ...findingBlocks(runs),
    "## What others claimed",
    `${plain(claimCounts(claims))} All of them: [README.md](README.md#claims-of-others).`,
    told
      .toSorted((a, b) => Number(b.state === "no longer") - Number(a.state === "no longer"))
      .map(
        ({ claim, by, state, today, run }) =>
          `- **${state}**: ${plain(claim)} (${plain(by)}). ${plain(today)} [${run}](${run}/report.md)`,
      )
      .join("\n"),
    ...(gaps.length > 0
      ? [
          "## Not measured yet",
          gaps.map(({ title, gap }) => `- ${plain(`${title}: ${gap}`)}`).join("\n"),
        ]
      : []),
  ];
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

/**
 * @param {PublishedRun[]} runs
 * @returns {string[]} a block a finding
 */
function findingBlocks(runs) {
  const found = foundIn(runs, titleText).flatMap((schemes) => {
    const sentence = sentenceOf(schemes);
    if (sentence === null) return [];
    const [first] = schemes;
    const details = schemes.map(detailText);
    return [{ sentence, details, kind: kindOf(first), isUnlikeCosts: isSurprising(first) }];
  });
  /** @type {Map<string, number>} */
  const kinds = new Map();
  const all = [
    ...found.filter(({ isUnlikeCosts }) => isUnlikeCosts),
    ...runs.flatMap(networkFinding).toSorted((a, b) => b.ratio - a.ratio),
    ...found.filter(({ isUnlikeCosts }) => !isUnlikeCosts),
  ].map((one) => {
    const before = kinds.get(one.kind) ?? 0;
    kinds.set(one.kind, before + 1);
    return { ...one, before };
  });
  if (all.length === 0) return ["No published run shows a difference yet."];
  // Events are many, and some are alike: of each kind the strongest, and others of it where there is room.
  const told = all.toSorted((a, b) => a.before - b.before).slice(0, MOST);
  return all
    .filter((one) => told.includes(one))
    .map(({ sentence, details }, i) =>
      [
        `${i + 1}. **${plain(capital(sentence))}.**`,
        ...details.map((detail) => `   - ${detail}`),
      ].join("\n"),
    );
}

/**
 * @param {PublishedRun} run
 * @returns {{sentence: string, details: string[], kind: string, ratio: number}[]} what Docker's network costs at most, a detail a setting; empty:
 *   nothing is seen
 */
function networkFinding(run) {
  const { analysis } = run;
  const seen = seenCosts(analysis.networkCosts);
  if (seen.length === 0) return [];
  const details = [...Map.groupBy(seen, ({ cost }) => cost)].map(([cost, rows]) => {
    const ratios = rows.map(
      ({ proxy, ratio }) =>
        `${bracketed(nameOfProxy(analysis.results, proxy))} ${timesWithInterval(ratio)}`,
    );
    return `${plain(`${networkTitle(analysis, cost)}: ${ratios.join("; ")}.`)} ${link(run)}`;
  });
  const [most] = seen;
  const sentence = networkSentence(analysis, most, COSTS[most.measure]);
  return [{ sentence, details, kind: "network", ratio: most.ratio.value }];
}

/**
 * @param {Found} found
 * @returns {string} the same for what is told alike
 */
function kindOf(found) {
  const { kind, contest } = found;
  const { question, measure, detail } = contest;
  if (isSurprising(found)) return `${kind} ${question}`;
  return `${question} ${question === "best" ? measure.key : question === "delay" ? detail : ""}`;
}

/**
 * @param {Found[]} schemes of one question, the strongest first
 * @returns {string | null} without a full stop; null: it is no finding
 */
function sentenceOf([found, other]) {
  const { kind, contest, low, high } = found;
  const { results } = contest.run.analysis;
  const { rows, load } = contestText(contest.run.analysis, contest);
  const amountOf = (/** @type {string} */ name) =>
    amountText(rows.find(({ proxy }) => proxy === name)?.cell);
  const nameOf = (/** @type {string} */ name) => nameOfProxy(results, name);
  const [lowAmount, highAmount] = [amountOf(low.proxy), amountOf(high.proxy)];
  // Several may have the same figure: of an event as a rule all or none of the connections.
  const namesOf = (/** @type {string} */ amount) =>
    tyingText(
      results,
      rows.filter(({ cell }) => amountText(cell) === amount).map(({ proxy }) => proxy),
    );
  const isOfAll = kind === "apart" && contest.measure.unit === "%";
  const ends = {
    ...{ lowAmount, highAmount, times: times(quotientIn(found)) },
    low: isOfAll ? namesOf(lowAmount) : nameOf(low.proxy),
    high: isOfAll ? namesOf(highAmount) : nameOf(high.proxy),
  };
  const sentence = SENTENCES[contest.question]?.(contest, ends) ?? null;
  if (kind === "storm") {
    const answers = stormAnswers(contest);
    const toControl = answers.find(({ proxy }) => proxy === high.proxy)?.toControl ?? NaN;
    const same = answers.filter(({ isSlower }) => isSlower === false).map(({ proxy }) => proxy);
    const rest =
      same.length > 0
        ? `; through ${tyingText(results, same)} no difference from that is seen`
        : "";
    return `When all connections are cut at once (${load}), 99 % are back after ${highAmount} through ${ends.high}, ${times(toControl)} times what it takes without a proxy${rest}`;
  }
  if (sentence === null || kind === "apart") return sentence;
  const scheme = tlsText(contest.scheme);
  const withScheme = `${capital(scheme)} ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
  if (kind === "turned")
    return `${withScheme}; ${tlsText(other.contest.scheme)} nothing is seen to cost less than ${ends.high}`;
  const proxies = results.proxies.filter(({ name }) => name === low.proxy || name === high.proxy);
  if (kind === "same-work") {
    const done = proxies.flatMap(({ sameWorkAs }) => sameWorkAs ?? []);
    return `${withScheme}; ${done.map((one) => tlsText(one.scheme)).join()} both do the same work`;
  }
  const differs = proxies.flatMap(({ name, variantOf }) =>
    variantOf ? `${nameOf(name)} has ${variantOf.differs}` : [],
  );
  return `${sentence}; ${differs.join("; ")}`;
}

/** @param {Contest["scheme"]} scheme */
function tlsText(scheme) {
  return scheme === "wss" ? "with TLS" : "without TLS";
}

/** @param {GlanceCell | undefined} cell */
function amountText(cell) {
  return cell?.amount || cell?.text || "";
}

/**
 * @param {Found} found
 * @returns {string} Markdown: every figure, with its interval; of a pair its own, where ratios are to no third
 */
function detailText({ kind, contest, low, high }) {
  const { run } = contest;
  const { scheme, load, rows } = contestText(run.analysis, contest);
  const best = contest.cells.filter(({ isBest }) => isBest).map(({ proxy }) => proxy);
  const isPair = kind === "variant" && best.length === 0;
  const named = isPair ? [low.proxy, high.proxy] : [...best, ...namedIn(contest)];
  const figures = rows
    .filter(({ proxy, sortBy }) => sortBy !== null && named.includes(proxy))
    .map(({ title, cell: { text, spread, amount } }) => {
      const own = text === "×1" ? amount : text;
      return `${bracketed(title)} ${own}${spread ? ` (${spread})` : ""}`;
    });
  return `${plain(`${scheme}, ${load}: ${figures.join("; ")}.`)} ${link(run)}`;
}

/** @param {PublishedRun} run */
function link(run) {
  return `[${plain(dayOf(run))}](${run.name}/report.md)`;
}
