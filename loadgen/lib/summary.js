/**
 * The end of a run: a table for people, and one line of JSON for programs.
 */

/** Statistics that every latency gets. Set it as k6's `options.summaryTrendStats`. */
export const trendStats = ["count", "avg", "min", "med", "p(90)", "p(95)", "p(99)", "p(99.9)", "max"];

/**
 * @param {any} data what k6 passes to handleSummary
 * @param {{title: string, tags: Record<string, string>, parameters: Record<string, unknown>, causes: string[], notes?: string[]}} run
 * @returns {{stdout: string}} what handleSummary returns
 */
export function summarise(data, { title, tags, parameters, causes, notes = [] }) {
  const values = (name) => data.metrics[name]?.values ?? {};
  const count = (name) => values(name).count ?? 0;
  const failedByCause = Object.fromEntries(
    causes.map((cause) => [cause, count(`connections_failed{cause:${cause}}`)]).filter(([, n]) => n > 0),
  );
  const summary = {
    tags,
    parameters,
    connections: { opened: count("connections_opened"), failed: count("connections_failed"), failedByCause },
    messagesEchoed: count("messages_echoed"),
    totalMs: values("total_ms").max ?? null,
    handshakeMs: values("handshake_ms"),
    echoLatencyMs: values("echo_latency_ms"),
  };
  return { stdout: `${table(title, summary, notes)}\nSUMMARY ${JSON.stringify(summary)}\n` };
}

function table(title, { tags, connections, messagesEchoed, totalMs, handshakeMs, echoLatencyMs }, notes) {
  const causes = Object.entries(connections.failedByCause).map(([cause, n]) => `${n} ${cause}`);
  const seconds = totalMs / 1000;
  return [
    "",
    `${title}: ${tags.proxy}, ${tags.scheme}`,
    "",
    `  connections     ${connections.opened} opened, ${connections.failed} failed${causes.length ? ` (${causes.join(", ")})` : ""}`,
    `  messages        ${messagesEchoed} echoed`,
    `  total           ${totalMs === null ? "not reached" : `${seconds.toFixed(2)} s, ${Math.round(connections.opened / seconds)} connections/s`}`,
    "",
    `  ms              ${trendStats.slice(1).map((name) => name.padStart(9)).join("")}`,
    latencyRow("handshake", handshakeMs),
    latencyRow("echo latency", echoLatencyMs),
    ...notes.map((note) => `  ${note}`),
    "",
  ].join("\n");
}

function latencyRow(title, values) {
  const cells = trendStats.slice(1).map((name) => (values.count ? values[name].toFixed(2) : "–").padStart(9));
  return `  ${title.padEnd(16)}${cells.join("")}`;
}
