/**
 * Requests that were not answered well: how many, by which proxy, and what its logs say about it.
 */
import { badAnswers } from "./readings.ts";
import { mostFirst } from "./figures.ts";
import type { Extra, JudgedCell } from "../model/comparison.ts";

/**
 * Of requests over HTTP. A proxy with more bad answers is not ranked before one without: an error
 * is quick to give. Below it are the few connections that a generator counts as broken when it
 * ends.
 */
export const BAD_ANSWERS_LIMIT_PERCENT = 0.1;

/**
 * What usually causes a line in a log. The first that fits: those of a named limit before those of
 * a mere symptom.
 */
const USUAL_CAUSES: { line: RegExp; usual: string }[] = [
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
 * @param cells of one setting and proxy
 * @returns empty where all were answered well
 */
export function badAnswersOf(cells: JudgedCell[]): Pick<Extra, "count" | "of" | "causes"> {
  const all = cells.flatMap(({ record }) => record.requests ?? []);
  const bad = all.filter((one) => badAnswers(one).bad > 0);
  if (bad.length === 0) return {};
  const sums = all.map(badAnswers);
  const lines = bad.flatMap(({ causes }) => causes);
  const logged = Map.groupBy(lines, ({ service, line }) => {
    const usual = USUAL_CAUSES.find((one) => one.line.test(line))?.usual;
    return `${service}: ${line}${usual ? ` (${usual})` : ""}`;
  });
  return {
    count: sums.reduce((sum, one) => sum + one.bad, 0),
    of: sums.reduce((sum, one) => sum + one.asked, 0),
    causes: [
      ...mostFirst(bad.map(({ statuses }) => statuses)),
      ...mostFirst(bad.map(({ socketErrors }) => socketErrors)),
      ...mostFirst([...logged].map(([what, own]) => ({ [what]: sumOf(own) }))),
    ],
  };
}

function sumOf(counted: { count: number }[]) {
  return counted.reduce((sum, { count }) => sum + count, 0);
}

/**
 * @param cells of one setting
 * @returns share of its requests in counted cells that were not answered well, in %
 */
export function badPercentOf(cells: JudgedCell[], proxy: string): number {
  const requests = cells
    .filter(({ counted, record }) => counted && record.proxy === proxy)
    .flatMap(({ record }) => record.requests ?? [])
    .map(badAnswers);
  const asked = requests.reduce((sum, one) => sum + one.asked, 0);
  return asked > 0 ? (100 * requests.reduce((sum, { bad }) => sum + bad, 0)) / asked : 0;
}

/**
 * @param badPercent of a proxy
 * @returns its figures are those of errors too
 */
export function answersBadly(badPercent: number): boolean {
  return badPercent > BAD_ANSWERS_LIMIT_PERCENT;
}
