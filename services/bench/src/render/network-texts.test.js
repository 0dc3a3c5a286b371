import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { onBothNetworks } from "../analyse/testing/networks.js";
import { renderHtml } from "./report-html.js";
import { renderMarkdown } from "./report-markdown.js";

test("over several machines a report calls it the overlay", () => {
  const results = onBothNetworks({ cost: 1.25, dockers: 2 });
  const analysis = analyse(results, { policy: null });
  const text = renderMarkdown(analysis).replaceAll("\\", "");
  assert.doesNotMatch(text, /Docker's network/);
  const [, section] = text.split("## What the overlay costs");
  assert.match(section, /The same load on the overlay over all machines \(VXLAN/);
  assert.match(section, /\| nginx \| [\d.]+ µs, on the machines' own network [\d.]+ µs: 1\.2/);
  const page = renderHtml(analysis, { curves: {} });
  assert.match(page, /<h2 id="network-cost">What the overlay costs</);
  assert.match(page, /2,000 short-lived connections, the overlay, ws/);
});

test("a report says what Docker's network costs each proxy, and which network a figure is of", () => {
  const analysis = analyse(onBothNetworks({ cost: 1.25 }), { policy: null });
  const text = renderMarkdown(analysis).replaceAll("\\", "");
  const [, section] = text.split("## What Docker's network costs");
  assert.match(section, /### 2,000 short-lived connections, ws/);
  assert.match(section, /\| Proxy \| CPU per connection \|/);
  assert.match(
    section,
    /\| nginx \| [\d.]+ µs, on the machine's own [\d.]+ µs: 1\.2\d times \(1\.\d\d to 1\.\d\d\) \|/,
  );
  const page = renderHtml(analysis, { curves: {} });
  assert.match(page, /id="network-cost"/);
  assert.match(page, /2,000 short-lived connections, the machine(’|'|&#39;)s own network, ws/);
  assert.match(page, /On the machine(’|'|&#39;)s own network nobody counts/);
});
