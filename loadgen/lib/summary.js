/**
 * The end of a run: a table for people, and one line of JSON for programs.
 */

/** Statistics that every latency gets. Set it as k6's `options.summaryTrendStats`. */
export const trendStats = [
  "count",
  "avg",
  "min",
  "med",
  "p(90)",
  "p(95)",
  "p(99)",
  "p(99.9)",
  "max",
];

/**
 * @typedef {Record<string, number>} Values of one metric, by the name of the statistic
 * @typedef {{metrics: Record<string, {values: Values}>}} SummaryData the part of what k6 passes to handleSummary
 *
 * @typedef {object} Sends of an open loop: messages, or connections where they are what is due
 * @property {number} due
 * @property {number} late started, but later than the scenario allows
 * @property {number} dropped not started: too many were still under way, or the time was over
 *
 * @typedef {object} Summary
 * @property {Record<string, string>} tags
 * @property {Record<string, unknown>} parameters
 * @property {{opened: number, failed: number, failedByCause: Record<string, number>}} connections
 * @property {number} messagesEchoed
 * @property {{opened: number, failed: number, messagesEchoed: number, held?: number} | null} reference what went to the reference proxy
 *   beside it, in no other figure; held: of those opened; null: nothing did
 * @property {Sends | null} sends null: the next message is sent when the last has come back, so none is ever due
 * @property {number | null} totalMs null: the run was cut short
 * @property {Values} handshakeMs
 * @property {Values} echoLatencyMs
 * @property {Part[]} [parts] of one that plays several loads, one after the other
 * @property {import("../../services/bench/src/model/load.ts").SurvivalOfLoad} [survival] of a scenario that watches connections end
 * @property {import("../../services/bench/src/model/load.ts").Storm} [storm] of one whose clients all come back at once
 * @property {import("../../services/bench/src/model/load.ts").SlowReadersOfLoad} [slowReaders] of one with clients that do not read
 */

/**
 * @typedef {Pick<Summary, "messagesEchoed" | "totalMs" | "handshakeMs" | "echoLatencyMs"> & {part: string, opened: number, failed: number}} Part
 */

/**
 * @param {string} part as the tag of its scenario has it
 * @returns {string[]} what of its samples the summary is made of
 */
export function metricsOfPart(part) {
  return [...COUNTERS, ...TRENDS].map((metric) => ofPart(metric, part));
}

const COUNTERS = ["connections_opened", "connections_failed", "messages_echoed"];
const TRENDS = ["handshake_ms", "echo_latency_ms", "total_ms"];

/**
 * @param {string} metric
 * @param {string} part
 */
function ofPart(metric, part) {
  return `${metric}{part:${part}}`;
}

/**
 * @param {SummaryData} data
 * @param {string} part
 * @returns {Part}
 */
function partOf({ metrics }, part) {
  const [opened, failed, messagesEchoed] = COUNTERS.map((metric) =>
    countOf({ metrics }, ofPart(metric, part)),
  );
  const [handshakeMs, echoLatencyMs, total] = TRENDS.map(
    (metric) => metrics[ofPart(metric, part)]?.values ?? {},
  );
  const totalMs = total.count ? total.max : null;
  return { part, opened, failed, messagesEchoed, totalMs, handshakeMs, echoLatencyMs };
}

/**
 * @param {SummaryData} data
 * @param {object} run
 * @param {string} run.title
 * @param {Record<string, string>} run.tags
 * @param {Record<string, unknown>} run.parameters
 * @param {string[]} run.causes
 * @param {(data: SummaryData) => Sends} [run.sendsOf] of an open loop: what was due, whatever became of it
 * @param {string[]} [run.notes]
 * @param {string[]} [run.parts] played one after the other, as the tag of their scenarios has them: the table has a row for each
 * @param {Pick<Summary, "survival" | "storm" | "slowReaders">} [run.own] what this scenario alone has to tell
 * @returns {{stdout: string}} what handleSummary returns
 */
export function summarise(data, run) {
  const { title, tags, parameters, causes, sendsOf, notes = [], parts, own } = run;
  /** @type {(name: string) => Values} */
  const values = (name) => data.metrics[name]?.values ?? {};
  /** @type {(name: string) => number} */
  const count = (name) => countOf(data, name);
  /** @type {Record<string, number>} */
  const failedByCause = {};
  for (const cause of causes) {
    const failed = count(`connections_failed{cause:${cause}}`);
    if (failed > 0) failedByCause[cause] = failed;
  }
  /** @type {Summary} */
  const summary = {
    tags,
    parameters,
    connections: {
      opened: count("connections_opened"),
      failed: count("connections_failed"),
      failedByCause,
    },
    messagesEchoed: count("messages_echoed"),
    reference: referenceOf(data),
    sends: sendsOf?.(data) ?? null,
    // In turns of its own the reference proxy stands in nobody's way.
    totalMs:
      "total_ms" in data.metrics ? values("total_ms").max - countOf(data, "reference_ms") : null,
    handshakeMs: values("handshake_ms"),
    echoLatencyMs: values("echo_latency_ms"),
    ...(parts && { parts: parts.map((part) => partOf(data, part)) }),
    ...own,
  };
  const text = summary.parts
    ? partsTable(title, summary, summary.parts)
    : table(title, summary, notes);
  return { stdout: `${text}\nSUMMARY ${JSON.stringify(summary)}\n` };
}

/**
 * @param {SummaryData} data
 * @returns {Summary["reference"]}
 */
function referenceOf(data) {
  const count = (/** @type {string} */ what) => countOf(data, `reference_${what}`);
  const [opened, failed, held] = [count("opened"), count("failed"), count("held")];
  if (opened + failed === 0) return null;
  return { opened, failed, messagesEchoed: count("echoed"), ...(held > 0 && { held }) };
}

/**
 * @param {SummaryData} data
 * @param {string} name of a counter
 * @returns {number} 0: nothing was added to it
 */
export function countOf({ metrics }, name) {
  return metrics[name]?.values.count ?? 0;
}

/**
 * @param {SummaryData} data
 * @returns {Sends} as a script has counted them itself: sends_due, sends_late, sends_dropped
 */
export function countedSends(data) {
  const count = (/** @type {string} */ what) => countOf(data, `sends_${what}`);
  return { due: count("due"), late: count("late"), dropped: count("dropped") };
}

/**
 * @param {number} sampleEvery
 * @returns {string[]} notes on latencies of which not every one is recorded
 */
export function samplingNote(sampleEvery) {
  return sampleEvery > 1 ? [`echo latency: one of ${sampleEvery} messages of a connection`] : [];
}

/**
 * @param {string} title
 * @param {Summary} summary
 * @param {Part[]} parts
 */
function partsTable(title, { tags, connections }, parts) {
  const ms = (/** @type {Values} */ values, /** @type {string} */ name) =>
    values.count ? values[name].toFixed(1) : "–";
  const rows = [
    ["", "", "", "", "", "connect ms", "", "echo ms", ""],
    ["", "opened", "failed", "echoed", "seconds", "p50", "p99", "p50", "p99"],
    ...parts.map(
      ({ part, opened, failed, messagesEchoed, totalMs, handshakeMs, echoLatencyMs }) => [
        ...[part, opened, failed, messagesEchoed].map(String),
        totalMs === null ? "–" : (totalMs / 1000).toFixed(1),
        ...[handshakeMs, echoLatencyMs].flatMap((values) => [
          ms(values, "med"),
          ms(values, "p(99)"),
        ]),
      ],
    ),
  ];
  const causes = Object.entries(connections.failedByCause).map(([cause, n]) => `${n} ${cause}`);
  return [
    "",
    `${title}: ${tags.proxy}, ${tags.scheme}`,
    "",
    ...rows.map(([part, ...cells]) =>
      `  ${part.padEnd(20)}${cells.map((cell) => cell.padStart(11)).join("")}`.trimEnd(),
    ),
    ...(causes.length > 0 ? ["", `  failed: ${causes.join(", ")}`] : []),
    "",
  ].join("\n");
}

/**
 * @param {string} title
 * @param {Summary} summary
 * @param {string[]} notes
 */
function table(
  title,
  { tags, connections, messagesEchoed, sends, totalMs, handshakeMs, echoLatencyMs },
  notes,
) {
  const causes = Object.entries(connections.failedByCause).map(([cause, n]) => `${n} ${cause}`);
  const seconds = (totalMs ?? Number.NaN) / 1000;
  return [
    "",
    `${title}: ${tags.proxy}, ${tags.scheme}`,
    "",
    `  connections     ${connections.opened} opened, ${connections.failed} failed${causes.length ? ` (${causes.join(", ")})` : ""}`,
    `  messages        ${messagesEchoed} echoed`,
    ...(sends
      ? [`  sends           ${sends.due} due, ${sends.late} late, ${sends.dropped} dropped`]
      : []),
    `  total           ${totalMs === null ? "not reached" : `${seconds.toFixed(2)} s, ${Math.round(connections.opened / seconds)} connections/s`}`,
    "",
    `  ms              ${trendStats
      .slice(1)
      .map((name) => name.padStart(9))
      .join("")}`,
    latencyRow("handshake", handshakeMs),
    latencyRow("echo latency", echoLatencyMs),
    ...notes.map((note) => `  ${note}`),
    "",
  ].join("\n");
}

/**
 * @param {string} title
 * @param {Values} values
 */
function latencyRow(title, values) {
  const cells = trendStats
    .slice(1)
    .map((name) => (values.count ? values[name].toFixed(2) : "–").padStart(9));
  return `  ${title.padEnd(16)}${cells.join("")}`;
}
