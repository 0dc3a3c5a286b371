/**
 * What ApacheBench prints, read strictly: a figure that is not where it should be is an error, not a zero.
 *
 * It prints most times in whole ms. Percentiles are in its CSV to the µs, the standard deviation to 0.1 ms; the mean is its "Time per request": what each of the CONCURRENCY
 * slots took for a request, in which is what ab itself took between two of them.
 */

/** @typedef {import("./http-summary.mjs").HttpRun} HttpRun */

/** The lines of its CSV: from 0 % to 100 %. */
const CSV_LINES = 101;

/**
 * @param {string} stdout of ab -q
 * @param {string} csv what -e wrote
 * @param {number} bytes that each answer should have
 * @returns {{run: HttpRun, tls: {version: string, cipher: string, group: string} | null}}
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
  return {
    run: {
      completed,
      non2xx,
      statuses: {},
      socketErrors: failed > 0 ? failures(stdout, explained) : {},
      requestMs: completed > 0 ? requestMs(stdout, csv, completed) : null,
      totalMs:
        1000 * count(stdout, /^Time taken for tests: +([\d.]+) seconds$/m, "Time taken for tests"),
    },
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
 * @param {string} stdout
 * @param {string} csv
 * @param {number} completed
 */
function requestMs(stdout, csv, completed) {
  const times = new Map(
    [...csv.matchAll(/^(\d+),([\d.]+)$/gm)].map(([, percent, ms]) => [Number(percent), Number(ms)]),
  );
  if (!csv.startsWith("Percentage served,Time in ms\n") || times.size !== CSV_LINES)
    throw unknown("its CSV of percentiles", csv);
  const at = (/** @type {number} */ percent) => Number(times.get(percent));
  return {
    count: completed,
    mean: count(stdout, /^Time per request: +([\d.]+) \[ms\] \(mean\)$/m, "Time per request"),
    sd: count(stdout, /^Total: +\d+ +\d+ +([\d.]+) +\d+ +\d+$/m, "Total of Connection Times"),
    min: at(0),
    median: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    max: at(100),
  };
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
