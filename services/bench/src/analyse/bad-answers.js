/**
 * Requests that were not answered well: how many, by which proxy, and what its logs say about it.
 */
import { badAnswers } from "./measures.js";

/** @import { Requests } from "../model/load.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { AnalysedCell, BadAnswers, Row, Setting, UsualCause } from "./types.js" */

/**
 * Of requests over HTTP. A proxy with more bad answers is not ranked before one without: an error is quick to give. Below it are the
 * few connections that a generator counts as broken when it ends.
 */
export const BAD_ANSWERS_LIMIT_PERCENT = 0.1;

/**
 * What usually causes a line in a log. The first that fits: those of a named limit before those of a mere symptom.
 *
 * @type {{line: RegExp, usual: UsualCause}[]}
 */
const USUAL_CAUSES = [
  { line: /cannot assign requested address|EADDRNOTAVAIL/i, usual: "out-of-ports" },
  { line: /worker_connections are not enough/i, usual: "worker-connections" },
  { line: /too many open files|EMFILE|ENFILE/i, usual: "descriptors" },
  { line: /no live upstreams/i, usual: "no-live-upstreams" },
  { line: /<NOSRV>|has no server available|no server is available/i, usual: "no-live-servers" },
  { line: /\bsQ(--|\b)/, usual: "queue-timeout" },
  { line: /connection refused|ECONNREFUSED/i, usual: "refused" },
  {
    line: /upstream prematurely closed|connection reset by peer|ECONNRESET|EPIPE|broken pipe|socket hang up/i,
    usual: "closed-in-use",
  },
  { line: /timed out|ETIMEDOUT|\bs[CH]--/i, usual: "timed-out" },
];

/**
 * @param {Results} results
 * @param {Setting[]} settings
 * @param {AnalysedCell[]} cells
 * @returns {BadAnswers[]} the worst first
 */
export function badAnswersOf({ plan }, settings, cells) {
  return settings
    .flatMap((setting) =>
      plan.proxies.flatMap((proxy) => {
        const requests = cells
          .filter((cell) => cell.setting === setting.key && cell.record.proxy === proxy)
          .flatMap(({ record }) => record.requests ?? []);
        const bad = requests.filter((one) => badAnswers(one).bad > 0);
        return bad.length > 0 ? [told(proxy, setting, requests, bad)] : [];
      }),
    )
    .sort((a, b) => b.percent - a.percent);
}

/**
 * @param {string} proxy
 * @param {Setting} setting
 * @param {Requests[]} all
 * @param {Requests[]} bad
 * @returns {BadAnswers}
 */
function told(proxy, setting, all, bad) {
  const sums = all.map(badAnswers).reduce((a, b) => ({
    bad: a.bad + b.bad,
    asked: a.asked + b.asked,
  }));
  const causes = Map.groupBy(
    bad.flatMap(({ causes }) => causes),
    ({ service, line }) => JSON.stringify([service, line]),
  );
  return {
    proxy,
    setting,
    cells: { bad: bad.length, all: all.length },
    ...sums,
    percent: (100 * sums.bad) / sums.asked,
    statuses: counts(bad.map(({ statuses }) => statuses)).map(([status, count]) => ({
      status,
      count,
    })),
    socketErrors: counts(bad.map(({ socketErrors }) => socketErrors)).map(([kind, count]) => ({
      kind,
      count,
    })),
    causes: [...causes.values()]
      .map((same) => ({
        ...same[0],
        count: same.reduce((sum, { count }) => sum + count, 0),
        usual: USUAL_CAUSES.find(({ line }) => line.test(same[0].line))?.usual ?? null,
      }))
      .sort((a, b) => b.count - a.count),
  };
}

/**
 * @param {Record<string, number>[]} records
 * @returns {[string, number][]} sums above 0, the greatest first
 */
function counts(records) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const [name, n] of records.flatMap(Object.entries))
    sums.set(name, (sums.get(name) ?? 0) + n);
  return [...sums].filter(([, n]) => n > 0).sort(([, a], [, b]) => b - a);
}

/**
 * @param {AnalysedCell[]} cells of one setting
 * @param {string} proxy
 * @returns {number} share of its requests in counted cells that were not answered well, in %
 */
export function badPercentOf(cells, proxy) {
  const requests = cells
    .filter(({ counted, record }) => counted && record.proxy === proxy)
    .flatMap(({ record }) => record.requests ?? [])
    .map(badAnswers);
  const asked = requests.reduce((sum, one) => sum + one.asked, 0);
  return asked > 0 ? (100 * requests.reduce((sum, { bad }) => sum + bad, 0)) / asked : 0;
}

/**
 * @param {Pick<Row, "badPercent">} row
 * @returns {boolean} its figures are those of errors too
 */
export function answersBadly({ badPercent }) {
  return badPercent > BAD_ANSWERS_LIMIT_PERCENT;
}
