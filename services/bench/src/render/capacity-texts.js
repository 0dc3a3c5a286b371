/**
 * The most that proxies carried under a promise, in words and as a table.
 *
 * @import { Analysis, CapacityAnswer, CapacityPoint, CapacitySetting } from "../analyse/types.js"
 */
import { counted, figure, NONE, number, rankText } from "../numbers.js";
import { FRESH_CELLS } from "../analyse/capacities.js";
import { resolutionOf } from "../plan/plan.js";
import { CONTROL } from "../plan/proxies.js";
import { schemeName } from "../plan/workload.js";
import { aboveOf } from "../statistics/capacity-search.js";
import { list, titleOfProxy } from "./words.js";

/** What of a promise broke. */
const BROKEN = { p99: "p99", failures: "failures", sending: "sending what was due" };

/** The columns after the proxy's name. */
export const COLUMNS = [
  { title: "Rate", unit: "a second" },
  { title: "Rank", unit: "" },
  { title: "Rate per budgeted core", unit: "a second" },
  { title: "Work per budgeted core", unit: "× reference" },
  { title: "Broke first", unit: "" },
  { title: "CPU where it broke", unit: "% of budget" },
  { title: "Generator at the rate", unit: "% of machine" },
  { title: "Confirmed", unit: "" },
];

/**
 * @param {Omit<CapacitySetting, "answers">} setting
 * @returns {string} `handshakes, wss`
 */
export function capacityTitle({ scheme, workload }) {
  return `${whatIsDue({ workload })}, ${schemeName({ scheme, workload })}`;
}

/** @param {Pick<CapacitySetting, "workload">} setting */
function whatIsDue({ workload }) {
  const { holdsConnections, connections = 0, messageBytes = 0 } = workload;
  if (!holdsConnections) return "handshakes";
  return `messages of ${counted(messageBytes, "byte")} on ${counted(connections, "held connection")}`;
}

/**
 * @param {Analysis} analysis
 * @returns {string} what was promised, and what the proxies had for it
 */
export function promiseText({ results: { plan } }) {
  const { promise, proxyCpus } = plan;
  if (!promise) return "";
  const { sloMs, failedPercent, sentPercent } = promise;
  const resolution = resolutionOf(promise);
  const abovePercent = Math.round(100 * (aboveOf(resolution) - 1));
  const budget =
    proxyCpus > 0
      ? `Each proxy had ${counted(proxyCpus, "core")} of CPU time, all its containers together`
      : "No proxy had a CPU budget";
  return `The highest rate at which, over a whole test, p99 from when it was due stays at or under ${number(sloMs)} ms, at most ${number(failedPercent)} % fail, and ${number(sentPercent)} % of what was due is sent. ${budget}. The search doubles the rate until it fails, then divides what is left to ${number(100 * resolution)} %, in one life of the containers. Confirmed: then ${FRESH_CELLS} fresh cells at that rate kept the promise, and ${FRESH_CELLS} at ${number(abovePercent)} % above did not; else the answer is a range. Where ranges overlap, no difference is seen, and the rank is shared. Who is known to carry "at least" less than another's lowest rate has no rank: it may be anywhere.`;
}

/**
 * @param {CapacityAnswer} answer
 * @returns {string} `322 to 336 a second`
 */
export function rateText({ kind, low, high, isLimited, why, points }) {
  const limit = limitText(points.filter(({ rate }) => low === null || rate > low));
  if (points.length === 0) return why ? `not measured: ${why}` : "not measured";
  switch (kind) {
    case "confirmed":
      return `${number(low ?? NaN)} to ${number(high ?? NaN)}`;
    case "range":
      return `between ${number(low ?? NaN)} and ${number(high ?? NaN)}`;
    case "at-least":
      return `at least ${number(low ?? NaN)}${isLimited ? `: ${limit}` : ""}`;
    case "below":
      return `below ${number(high ?? NaN)}`;
    case "unknown":
      return `not known: ${limit} at every rate`;
  }
}

/**
 * @param {CapacityPoint[]} points
 * @returns {string} `the generator was the limit`
 */
function limitText(points) {
  const limits = [...new Set(points.flatMap(({ limits }) => limits))];
  return `${list(limits.map((limit) => `the ${limit}`))} ${limits.length > 1 ? "were" : "was"} the limit`;
}

/**
 * @param {Analysis} analysis
 * @param {CapacitySetting} setting
 * @returns {{proxy: string, title: string, cells: string[]}[]} cells: as COLUMNS
 */
export function capacityRows({ results }, { answers }) {
  return answers.map((answer) => {
    const { proxy, perCore, againstReference, brokeFirst, budgetPercent, generatorPercent } =
      answer;
    const ends = [perCore.low, perCore.high].map((end) => (end === null ? NONE : figure(end)));
    return {
      proxy,
      title: titleOfProxy(results, proxy),
      cells: [
        rateText(answer),
        rankText(answer.rank, answer.ties.length > 0) || NONE,
        ends.every((end) => end === NONE) ? NONE : ends.join(" to "),
        figure(againstReference ?? undefined),
        list(brokeFirst.map((one) => BROKEN[one])) || NONE,
        figure(budgetPercent ?? undefined),
        figure(generatorPercent ?? undefined),
        confirmedText(answer),
      ],
    };
  });
}

/** @param {CapacityAnswer} answer */
function confirmedText({ kind, fresh, points }) {
  if (kind === "confirmed") return "yes";
  const all = points.filter(({ isFresh }) => isFresh);
  if (all.length === 0) return "no fresh cells";
  const kept = all.slice(0, fresh.at).filter(({ verdict }) => verdict === "holds").length;
  const broken = all.slice(fresh.at).filter(({ verdict }) => verdict === "fails").length;
  return `no: kept in ${kept} of ${fresh.at}, broken above in ${broken} of ${fresh.above}`;
}

/**
 * Whether the budget's own throttling breaks the promise shows where there is no proxy.
 *
 * @param {CapacitySetting} setting
 * @returns {string | null} null: the control was not held back, or did not keep the promise
 */
export function controlText({ answers }) {
  const atRate = answers.find(({ proxy }) => proxy === CONTROL)?.atRate;
  if (!atRate?.throttled || atRate.p99Ms === null) return null;
  return `The control, an echo server with the same budget and no proxy, was held back for ${figure(atRate.throttled)} s in each second at ${number(atRate.rate)} a second, and its p99 was ${figure(atRate.p99Ms)} ms: the budget by itself does not break the promise.`;
}

/**
 * Where a budget is small beside what one operation costs, the rate is as much its figure as the proxy's.
 *
 * @param {Analysis} analysis
 * @param {CapacitySetting} setting
 * @returns {string | null} null: every proxy had used up its budget where it broke the promise
 */
export function stretchedText({ results }, { answers, workload }) {
  const { promise, proxyCpus } = results.plan;
  const stretched = answers.flatMap(({ proxy, stretchedMs, budgetPercent }) =>
    stretchedMs === null || proxy === CONTROL
      ? []
      : `${titleOfProxy(results, proxy)} (${figure(budgetPercent ?? undefined)} % used; ${figure(stretchedMs)} ms a ${workload.holdsConnections ? "message" : "handshake"})`,
  );
  if (!promise || stretched.length === 0) return null;
  return `p99 broke before the budget was used up: ${list(stretched)}. The time is what one takes at ${counted(proxyCpus, "core")}; where it is no small part of ${number(promise.sloMs)} ms, a few that come at once break the promise, whatever CPU time is left. With a larger budget (--proxy-cpus) these rates per core are higher: read them as the least.`;
}
