import assert from "node:assert/strict";
import { test } from "node:test";
import { workloadFor } from "../analyse/testing/results.js";
import { renderHtml } from "./report-html.js";
import { renderMarkdown } from "./report-markdown.js";
import { sampleAnalysis } from "./testing/analysis.js";

/** @import { Multiplexing, Setting } from "../analyse/types.js" */

/** @param {number} streams @returns {Setting} */
function setting(streams) {
  const parameters = { CONNECTIONS: 500, STREAMS: streams, MESSAGE_BYTES: 64 };
  const of = { scenario: "multiplexed", parameters };
  return { ...of, key: "", scheme: "wss", workload: workloadFor(of), comparisons: [] };
}

/** @type {Multiplexing} */
const MULTIPLEXING = {
  setting: setting(100),
  beside: setting(0),
  measures: [
    {
      measure: "handshake_ms_mean",
      rows: [
        {
          proxy: "haproxy",
          shared: 2,
          own: 8,
          ratio: { value: 0.25, interval: [0.2, 0.3], rounds: null },
        },
      ],
    },
    {
      measure: "cpu_us_per_connection",
      rows: ["haproxy", "nginx"].map((proxy) => ({
        proxy,
        shared: 50,
        own: 100,
        ratio: { value: 0.5, interval: null, rounds: null },
      })),
    },
  ],
};

test("a row a proxy: what it costs to share, beside connections of its own", () => {
  const sample = sampleAnalysis();
  const analysis = { ...sample.analysis, multiplexing: [MULTIPLEXING] };
  const text = renderMarkdown(analysis).replaceAll("\\", "");
  const [, section] = text.split("## WebSockets that share a connection");
  assert.match(section, /### 500 connections, 100 on an HTTP\/2 connection, 64 bytes a message/);
  assert.match(section, /\| Proxy \| Handshaken, mean \| CPU per connection \|/);
  assert.match(
    section,
    /\| HAProxy \| 2\.00 ms, with its own 8\.00 ms: 0\.25 times \(0\.20 to 0\.30\) \| 50\.0 µs, with its own 100 µs: 0\.50 times \|/,
  );
  assert.match(section, /\| nginx \| – \| 50\.0 µs/);
  const page = renderHtml(analysis, { curves: sample.curves });
  assert.match(page, /id="multiplexed"[^]*100 on an HTTP\/2 connection/);
});

test("without such settings there is no such section", () => {
  const { analysis, curves } = sampleAnalysis();
  assert.doesNotMatch(renderMarkdown(analysis), /share a connection/);
  assert.doesNotMatch(renderHtml(analysis, { curves }), /share a connection/);
});
