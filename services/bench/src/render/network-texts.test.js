import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { onBothNetworks } from "../analyse/testing/networks.js";
import { renderHtml } from "./report-html.js";
import { renderMarkdown } from "./report-markdown.js";

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
