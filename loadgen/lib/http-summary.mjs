/**
 * The end of a load of HTTP requests: a table for people, and one line of JSON for programs.
 */

/**
 * @typedef {object} HttpRun what a generator counted
 * @property {number} completed requests that were answered, whatever the status
 * @property {number} non2xx
 * @property {Record<string, number>} statuses of a second pass; {}: there was none
 * @property {Record<string, number>} socketErrors
 * @property {RequestMs | null} requestMs null: nothing was answered
 * @property {number} totalMs
 *
 * @typedef {Record<"count" | "mean" | "sd" | "min" | "median" | "p90" | "p95" | "p99" | "max", number>} RequestMs
 *
 * @typedef {object} HttpSummary
 * @property {Record<string, string>} tags
 * @property {Record<string, unknown>} parameters
 * @property {Pick<HttpRun, "completed" | "non2xx" | "statuses" | "socketErrors">} requests
 * @property {RequestMs | null} requestMs
 * @property {number} totalMs
 * @property {{completed: number, failed: number} | null} reference what went to the reference proxy beside it, in no other figure. failed:
 *   error answers, and socket errors; null: nothing did
 * @property {{version: string, cipher: string, group: string} | null} tls what the generator says was negotiated; null: no TLS, or it
 *   does not say
 */

/**
 * @param {string} title
 * @param {import("./node.mjs").Scenario} scenario
 * @param {HttpRun} run
 * @param {{reference?: HttpRun | null, tls?: HttpSummary["tls"], notes?: string[]}} [about] reference: that of a second generator
 */
export function printHttpSummary(title, scenario, run, about = {}) {
  const { reference = null, tls = null, notes = [] } = about;
  const { tags, parameters, scheme } = scenario;
  const { completed, non2xx, statuses, socketErrors, requestMs, totalMs } = run;
  /** @type {HttpSummary} */
  const summary = {
    tags,
    parameters: { ...parameters, SCHEME: scheme },
    requests: { completed, non2xx, statuses, socketErrors },
    requestMs,
    totalMs,
    reference: reference && {
      completed: reference.completed,
      failed: reference.non2xx + sumOf(reference.socketErrors),
    },
    tls,
  };
  console.log(`${table(title, summary, notes)}\nSUMMARY ${JSON.stringify(summary)}`);
}

/** Columns of the table. */
const SHOWN = /** @type {const} */ (["mean", "sd", "min", "median", "p90", "p95", "p99", "max"]);

/**
 * @param {string} title
 * @param {HttpSummary} summary
 * @param {string[]} notes
 */
function table(title, { tags, requests, requestMs, totalMs, reference, tls }, notes) {
  const { completed, non2xx, statuses, socketErrors } = requests;
  const seconds = totalMs / 1000;
  const errors = counted(socketErrors);
  const shown = counted(statuses);
  return [
    "",
    `${title}: ${tags.proxy}, ${tags.scheme}`,
    "",
    `  requests        ${completed} answered, ${non2xx} of them neither 2xx nor 3xx${shown ? ` (of a second pass: ${shown})` : ""}`,
    `  socket errors   ${errors || "none"}`,
    ...(reference
      ? [`  reference       ${reference.completed} answered, ${reference.failed} failed`]
      : []),
    ...(tls ? [`  TLS             ${tls.version}, ${tls.cipher}, ${tls.group}`] : []),
    `  total           ${seconds.toFixed(2)} s, ${Math.round(completed / seconds)} requests/s`,
    "",
    `  ms              ${SHOWN.map((name) => name.padStart(9)).join("")}`,
    `  request         ${SHOWN.map((name) => (requestMs ? requestMs[name].toFixed(2) : "–").padStart(9)).join("")}`,
    ...notes.map((note) => `  ${note}`),
    "",
  ].join("\n");
}

/** @param {Record<string, number>} counts */
function sumOf(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * @param {Record<string, number>} counts
 * @returns {string} those that are not 0: `3 read, 12 timeout`
 */
function counted(counts) {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}
