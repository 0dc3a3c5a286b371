/**
 * Requests that were not answered well, in words: how many, and what the logs say about it.
 */
import { answersBadly } from "../analyse/bad-answers.js";
import { count, counted, number } from "../numbers.js";
import { list, settingTitle, titleOfProxy } from "./words.js";

/** @import { Analysis, UsualCause } from "../analyse/types.js" */

/** @type {Record<UsualCause, string>} */
const USUAL_CAUSES = {
  "out-of-ports":
    "out of ports: the proxy opens a connection to the server for each request, and each closed one blocks its port for 60 s (TIME_WAIT). Keep-alive connections to the server avoid it",
  "worker-connections":
    "nginx's limit worker_connections: a proxied request takes two of them, one to the client and one to the server",
  descriptors: "the limit of file descriptors: a proxied request takes two of them",
  "no-live-upstreams":
    "nginx marks the server as failed after failed requests (max_fails), and for 10 s (fail_timeout) answers 502 without trying it",
  "no-live-servers": "HAProxy had no server marked up, and answers 503 by itself",
  "queue-timeout":
    "the request waited in HAProxy's queue for a free connection to the server until timeout queue, and was answered 503 (termination state sQ)",
  refused: "the server refused the connection: it did not listen, or was just restarted",
  "closed-in-use":
    "the other side closed a connection that was still in use: often a kept one that the server closes just as the next request is sent on it",
  "timed-out": "the server did not answer or accept within the proxy's timeout",
};

/**
 * @param {Pick<Analysis, "results" | "settings" | "badAnswers">} analysis
 * @returns {{proxy: string, isMany: boolean, what: string, details: string[], causes: {line: string, explanation: string}[]}[]} isMany:
 *   so many that the proxy ranks behind the others
 */
export function badAnswerTexts({ results, settings, badAnswers }) {
  return badAnswers.map((one) => {
    const { proxy, setting, cells, bad, asked, percent, statuses, socketErrors, causes } = one;
    return {
      proxy,
      isMany: answersBadly({ badPercent: percent }),
      what: `${titleOfProxy(results, proxy)}, ${settingTitle(setting, settings)}: ${count(bad)} of ${counted(asked, "request")} failed, ${number(percent)} %, in ${count(cells.bad)} of ${counted(cells.all, "cell")}`,
      details: [
        ...(statuses.length > 0
          ? [
              `Status codes, counted in a second pass: ${list(statuses.map(({ status, count: n }) => `${status} (${count(n)})`))}`,
            ]
          : []),
        ...(socketErrors.length > 0
          ? [
              `Socket errors: ${list(socketErrors.map(({ kind, count: n }) => `${kind} ${count(n)}`))}`,
            ]
          : []),
        ...(causes.length === 0 ? ["The logs of proxy and server do not mention it"] : []),
      ],
      causes: causes.map(({ service, line, count: n, usual }) => ({
        line: `${service}, ${n === 1 ? "once" : `${count(n)} times`}: ${line}`,
        explanation: usual ? USUAL_CAUSES[usual] : "",
      })),
    };
  });
}
