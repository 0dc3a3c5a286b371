/**
 * What ApacheBench prints, read strictly: a figure that is not where it should be is an error, not a zero.
 *
 * It prints most times in whole ms. Percentiles are in its CSV to the µs, the standard deviation to 0.1 ms; the mean is its "Time per request": what each of the CONCURRENCY
 * slots took for a request, in which is what ab itself took between two of them.
 */

/**
 * @typedef {import("./http-summary.mjs").HttpRun} HttpRun
 * @typedef {import("./http-summary.mjs").RequestMs} RequestMs
 *
 * @typedef {object} AbRun
 * @property {HttpRun} run
 * @property {number[]} percentilesMs from 0 % to 100 %; empty: nothing was answered
 * @property {{version: string, cipher: string, group: string} | null} tls
 */

/** The lines of its CSV: from 0 % to 100 %. */
const CSV_LINES = 101;

/**
 * @param {string} stdout of ab -q
 * @param {string} csv what -e wrote
 * @param {number} bytes that each answer should have
 * @returns {AbRun}
 * @throws {Error} that names what is missing
 */
export function readAb(stdout, csv, bytes) {
  const completed = count(stdout, /^Complete requests: +(\d+)$/m, "Complete requests");
  const failed = count(stdout, /^Failed requests: +(\d+)$/m, "Failed requests");
  // Printed only where there are some.
  const non2xx = Number(/^Non-2xx responses: +(\d+)$/m.exec(stdout)?.[1] ?? 0);
  const firstBytes = count(stdout, /^Document Length: +(\d+) bytes$/m, "Document Length");
  // Of another length than the first answer is an error page beside good answers; or, where an error page came first, a good one.
  const explained = firstBytes === bytes ? non2xx : completed - non2xx;
  const percentilesMs = completed > 0 ? percentilesOf(csv) : [];
  return {
    run: {
      completed,
      non2xx,
      statuses: {},
      socketErrors: failed > 0 ? failures(stdout, explained) : {},
      requestMs: completed > 0 ? requestMs(stdout, percentilesMs, completed) : null,
      totalMs:
        1000 * count(stdout, /^Time taken for tests: +([\d.]+) seconds$/m, "Time taken for tests"),
    },
    percentilesMs,
    tls: tlsOf(stdout),
  };
}

/**
 * @param {string} stdout of ab -v 2
 * @returns {Record<string, number>} how often each status came that is no 2xx
 */
export function readStatuses(stdout) {
  /** @type {Record<string, number>} */
  const statuses = {};
  for (const [, status] of stdout.matchAll(/^WARNING: Response code not 2xx \((\d{3})\)$/gm))
    statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}

/**
 * @param {string} stdout
 * @param {number} explained answers of another length, which are counted elsewhere
 */
function failures(stdout, explained) {
  const kinds = /^ +\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)$/m;
  const [, connect, receive, length, exceptions] = found(stdout, kinds, "kinds of failures");
  return {
    connect: Number(connect),
    receive: Number(receive),
    length: Math.max(0, Number(length) - explained),
    exceptions: Number(exceptions),
  };
}

/**
 * @param {string} csv
 * @returns {number[]} ms from 0 % to 100 %
 */
function percentilesOf(csv) {
  const times = new Map(
    [...csv.matchAll(/^(\d+),([\d.]+)$/gm)].map(([, percent, ms]) => [Number(percent), Number(ms)]),
  );
  if (!csv.startsWith("Percentage served,Time in ms\n") || times.size !== CSV_LINES)
    throw unknown("its CSV of percentiles", csv);
  return Array.from({ length: CSV_LINES }, (_, percent) => Number(times.get(percent)));
}

/**
 * @param {string} stdout
 * @param {number[]} percentilesMs
 * @param {number} completed
 * @returns {RequestMs}
 */
function requestMs(stdout, percentilesMs, completed) {
  return {
    count: completed,
    mean: count(stdout, /^Time per request: +([\d.]+) \[ms\] \(mean\)$/m, "Time per request"),
    sd: count(stdout, /^Total: +\d+ +\d+ +([\d.]+) +\d+ +\d+$/m, "Total of Connection Times"),
    ...shownOf((percent) => percentilesMs[percent]),
  };
}

/**
 * @param {(percent: number) => number} at ms
 * @returns {Pick<RequestMs, "min" | "median" | "p90" | "p95" | "p99" | "max">}
 */
function shownOf(at) {
  return { min: at(0), median: at(50), p90: at(90), p95: at(95), p99: at(99), max: at(100) };
}

/**
 * Several that ran beside one another as one. Their percentiles are those of all their requests together, as far as a hundred points of
 * each tell: between two points the requests are taken to lie evenly.
 *
 * @param {AbRun[]} parts one at least, with nothing else asked of one than of another
 * @returns {HttpRun}
 */
export function mergeAb(parts) {
  if (parts.length === 1) return parts[0].run;
  const runs = parts.map(({ run }) => run);
  const sum = (/** @type {(run: HttpRun) => number} */ of) =>
    runs.reduce((total, run) => total + of(run), 0);
  const kinds = new Set(runs.flatMap(({ socketErrors }) => Object.keys(socketErrors)));
  return {
    completed: sum(({ completed }) => completed),
    non2xx: sum(({ non2xx }) => non2xx),
    statuses: {},
    socketErrors: Object.fromEntries(
      [...kinds].map((kind) => [kind, sum(({ socketErrors }) => socketErrors[kind] ?? 0)]),
    ),
    requestMs: mergedMs(parts),
    totalMs: Math.max(...runs.map(({ totalMs }) => totalMs)),
  };
}

/**
 * @param {AbRun[]} parts
 * @returns {RequestMs | null}
 */
function mergedMs(parts) {
  const answered = parts.flatMap(({ run: { requestMs }, percentilesMs }) =>
    requestMs ? [{ ...requestMs, percentilesMs }] : [],
  );
  if (answered.length === 0) return null;
  const all = answered.reduce((sum, { count }) => sum + count, 0);
  const weighted = (/** @type {(part: typeof answered[number]) => number} */ of) =>
    answered.reduce((sum, part) => sum + part.count * of(part), 0) / all;
  const mean = weighted((part) => part.mean);
  const ends = answered.flatMap(({ percentilesMs }) => percentilesMs);
  const range = /** @type {const} */ ([Math.min(...ends), Math.max(...ends)]);
  const share = (/** @type {number} */ ms) =>
    weighted(({ percentilesMs }) => shareBelow(percentilesMs, ms));
  return {
    count: all,
    mean,
    // The variance within each, and that of their means.
    sd: Math.sqrt(weighted((part) => part.sd ** 2 + (part.mean - mean) ** 2)),
    ...shownOf((percent) => firstWhere(range, (ms) => 100 * share(ms) >= percent)),
  };
}

/**
 * @param {number[]} percentilesMs
 * @param {number} ms
 * @returns {number} share of its requests that took no longer: 0 to 1
 */
function shareBelow(percentilesMs, ms) {
  const above = percentilesMs.findIndex((value) => value > ms);
  if (above <= 0) return above < 0 ? 1 : 0;
  const [from, to] = [percentilesMs[above - 1], percentilesMs[above]];
  return (above - 1 + (ms - from) / (to - from)) / (CSV_LINES - 1);
}

/**
 * @param {readonly [number, number]} range
 * @param {(value: number) => boolean} isReached true from some value of the range on
 * @returns {number} that value, to the ns where these are ms
 */
function firstWhere([low, high], isReached) {
  let [from, to] = [low, high];
  if (isReached(from)) return from;
  while (to - from > 1e-6) {
    const middle = (from + to) / 2;
    if (isReached(middle)) to = middle;
    else from = middle;
  }
  return to;
}

/** @param {string} stdout */
function tlsOf(stdout) {
  if (!stdout.includes("SSL/TLS Protocol:")) return null;
  const [, version, cipher] = found(
    stdout,
    /^SSL\/TLS Protocol: +([^,\n]+),([^,\n]+),\d+,\d+$/m,
    "SSL/TLS Protocol",
  );
  const [, group] = found(stdout, /^Server Temp Key: +([^ ,\n]+).*$/m, "Server Temp Key");
  return { version, cipher, group };
}

/**
 * @param {string} stdout
 * @param {RegExp} pattern
 * @param {string} what
 */
function count(stdout, pattern, what) {
  return Number(found(stdout, pattern, what)[1]);
}

/**
 * @param {string} stdout
 * @param {RegExp} pattern
 * @param {string} what
 */
function found(stdout, pattern, what) {
  const match = pattern.exec(stdout);
  if (!match) throw unknown(`"${what}"`, stdout);
  return match;
}

/**
 * @param {string} what
 * @param {string} text
 */
function unknown(what, text) {
  return new Error(
    `ab's output cannot be read: ${what} is not there as ab 2.4 prints it, in: ${text.trim().slice(-600)}`,
  );
}
