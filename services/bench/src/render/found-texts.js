/**
 * FINDINGS.md: what the published runs found, in plain words, each with its figures and its report.
 *
 * @import { PublishedRun } from "../analyse/claim-table.js"
 * @import { Found, RunContest } from "../analyse/found.js"
 * @import { Contest } from "../analyse/types.js"
 * @import { ClaimEntry } from "./claim-rows.js"
 * @import { GlanceCell } from "./glance.js"
 */
import { foundIn } from "../analyse/found.js";
import { times } from "../numbers.js";
import { claimCounts, dayOf } from "./claim-rows.js";
import { contestText, titleText } from "./contest-texts.js";
import { gapsOf } from "./glance.js";
import { plain } from "./markdown.js";
import { eventTitle } from "./survival-texts.js";
import { capital, list } from "./words.js";

/** A short page. */
const MOST = 10;
/** Events are many, and some are alike. */
const MOST_OF_A_KIND = 3;

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
  capacity: ({ at }, { low, high, lowAmount, highAmount }) =>
    `With the tail under a limit, ${highAmount} ${Array.isArray(at) && at[0].workload.holdsConnections ? "messages" : "handshakes"} a second go through ${high}, and ${lowAmount} through ${low}`,
  lost: ({ run, detail }, { low, high, lowAmount, highAmount }) => {
    const events = run.analysis.survivals.flatMap((setting) => setting.events);
    const event = events.find((one) => one.event === detail);
    const most = highAmount === "100 %" ? "all" : `${highAmount} of the`;
    return `${event ? eventTitle(event) : detail}: ${most} open connections are lost through ${high}, ${lowAmount === "0 %" ? "none" : lowAmount} through ${low}`;
  },
  storm: (_, { low, high, lowAmount, highAmount }) =>
    `When all connections were cut at once, 99 % are back after ${lowAmount} through ${low}, and after ${highAmount} through ${high}`,
  stall: (_, { low, high, lowAmount, highAmount }) =>
    `A client that does not read costs ${high} ${highAmount} of memory, and ${low} ${lowAmount}`,
  course: ({ measure }, { high, highAmount }) =>
    `${measure.title.split(",")[0]} of ${high}: ${highAmount} more after an hour at a steady rate`,
  leak: (_, { high, highAmount }) =>
    `${highAmount} connections that their clients had dropped are kept by ${high}`,
};

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
    "The largest differences first. Only those that are seen are told: by tests over six rounds or more, or by intervals that lie apart. Ratios compare within a run. Made by `./bench publish`, and by `npm run generate` in `services/bench`, from the records of the published runs; not edited by hand.",
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
  /** @type {Map<Contest["question"], number>} */
  const kinds = new Map();
  const found = foundIn(runs, titleText).flatMap((schemes) => {
    const [{ contest }] = schemes;
    const sentence = sentenceOf(schemes[0]);
    const ofKind = kinds.get(contest.question) ?? 0;
    if (sentence === null || ofKind >= MOST_OF_A_KIND) return [];
    kinds.set(contest.question, ofKind + 1);
    return [{ sentence, schemes }];
  });
  if (found.length === 0) return ["No published run shows a difference yet."];
  return found.slice(0, MOST).map(({ sentence, schemes }, i) => {
    const details = schemes.map((one) => `   - ${detailText(one)}`);
    return [`${i + 1}. **${plain(capital(sentence))}.**`, ...details].join("\n");
  });
}

/**
 * @param {Found} found
 * @returns {string | null} without a full stop; null: it is no finding
 */
function sentenceOf({ contest, low, high }) {
  const make = SENTENCES[contest.question];
  if (!make) return null;
  const { rows } = contestText(contest.run.analysis, contest);
  const amountOf = (/** @type {string} */ name) =>
    amountText(rows.find(({ proxy }) => proxy === name)?.cell);
  const [lowAmount, highAmount] = [amountOf(low.proxy), amountOf(high.proxy)];
  // Several may have the same figure: of an event as a rule all or none of the connections.
  const namesOf = (/** @type {string} */ amount) =>
    list(rows.filter(({ cell }) => amountText(cell) === amount).map(({ title }) => title));
  const ratio =
    (high.ratio ?? low.ratio)?.value ?? Number(high.value?.value) / Number(low.value?.value);
  return make(contest, {
    ...{ low: namesOf(lowAmount), high: namesOf(highAmount), lowAmount, highAmount },
    times: times(ratio > 1 ? ratio : 1 / ratio),
  });
}

/** @param {GlanceCell | undefined} cell */
function amountText(cell) {
  return cell?.amount || cell?.text || "";
}

/**
 * @param {Found} found
 * @returns {string} Markdown: every figure, with its interval
 */
function detailText({ contest }) {
  const { run } = contest;
  const { scheme, load, rows } = contestText(run.analysis, contest);
  const figures = rows
    .filter(({ sortBy }) => sortBy !== null)
    .map(({ title, cell: { text, spread, amount } }) => {
      const own = text === "×1" ? amount : text;
      return `${title} ${own}${spread ? ` (${spread})` : ""}`;
    });
  return `${plain(`${scheme}, ${load}: ${list(figures)}.`)} [${plain(dayOf(run))}](${run.name}/report.md)`;
}
