import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { analyse, readPublished } from "../analyse/index.js";
import { claimText, toldClaims } from "./claim-texts.js";
import { filesResults, httpResults, spoil, tlsResults } from "../analyse/testing/http.js";
import { POLICY, results } from "../analyse/testing/results.js";
import { renderHtml, renderMarkdown, renderText } from "./index.js";

/** @param {import("../model/record.ts").Results} of */
function rendered(of) {
  const analysis = analyse(of, { policy: /** @type {any} */ (POLICY) });
  const text = renderHtml(analysis, { curves: {} });
  const { document } = new JSDOM(text).window;
  for (const node of document.body.querySelectorAll("script, style")) node.remove();
  return {
    document,
    visible: squeezed(document.body.textContent),
    markdown: renderMarkdown(analysis),
    terminal: renderText(analysis),
  };
}

/** @param {string} text */
function squeezed(text) {
  return text.replace(/\s+/g, " ").trim();
}

/**
 * @param {any} section
 * @returns {string[][]} cells of its first table
 */
function tableOf(section) {
  return [...section.querySelector("table").querySelectorAll("tr")].map((row) =>
    [...row.cells].map((cell) =>
      squeezed([...cell.childNodes].map((node) => node.textContent).join(" ")),
    ),
  );
}

const spoiled = (/** @type {import("../model/cell.ts").CellRecord} */ record) => {
  if (record.proxy === "nginx" && record.scenario === "http-spring") spoil(record);
};

/** Each is rendered once: that takes its time. */
const RUNS = {
  http: rendered(httpResults({ change: spoiled })),
  files: rendered(filesResults()),
  tls: rendered(tlsResults()),
};

test("nothing reads NaN, undefined, null or [object, and ws is no word of HTTP", () => {
  for (const [name, { document, visible, markdown, terminal }] of Object.entries(RUNS)) {
    for (const shown of [visible, markdown, terminal])
      assert.doesNotMatch(shown, /NaN|undefined|\bnull\b|\[object|Infinity/);
    const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map(({ tagName }) =>
      Number(tagName[1]),
    );
    levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1] + 1));
    assert.equal(document.querySelector("th:not([scope])"), null);
    if (name !== "tls") assert.doesNotMatch(terminal, /\bwss?\b/);
  }
});

test("errors in place of answers stand above everything, with their cause as the logs have it", () => {
  const { document, markdown, terminal } = RUNS.http;
  const callout = document.querySelector("header .callout.bad");
  const text = squeezed(callout.textContent);
  assert.match(
    text,
    /nginx, requests \(http-spring\) .*: [\d,]+ of [\d,]+ requests failed, 92 %, in 2 of 2 cells\. Status codes, counted in a second pass: 502 \(3,600\)\. Socket errors: read 6\./,
  );
  assert.match(
    text,
    /Cannot assign requested address\) while .* Usual cause: out of ports: .* avoid it\./,
  );
  assert.equal(callout.querySelector("dt b"), null);
  assert.ok(markdown.indexOf("## Failed requests") < markdown.indexOf("## Verdicts"));
  assert.match(markdown, /\*\*nginx, requests .* 92 %, in 2 of 2 cells\*\*\./);
  assert.match(terminal, /^FAILED REQUESTS: nginx, .* 92 %/m);
  // The figure itself is marked, in both.
  const marks = [...document.querySelectorAll("table.main .label.invalid")];
  assert.ok(
    marks.length > 0 && marks.every((node) => /^92 % failed$/.test(squeezed(node.textContent))),
  );
  assert.match(markdown, /\*\*92 % failed\*\*/);
});

test("a few bad answers are told in a quieter way, none in no way", () => {
  const few = rendered(
    httpResults({
      change: ({ proxy, requests }) => {
        if (proxy === "haproxy" && requests) requests.socketErrors = { read: 2 };
      },
    }),
  );
  assert.equal(few.document.querySelector(".callout.bad"), null);
  assert.match(
    squeezed(few.document.querySelector(".callout").textContent),
    /HAProxy, requests \(http\) .*: 4 of [\d,]+ requests failed, 0\.000\d+ %, in 2 of 2 cells/,
  );
  assert.doesNotMatch(few.terminal, /FAILED REQUESTS/);
  assert.equal(RUNS.files.document.querySelector(".callout"), null);
});

test("files: sizes beside one another, HTTPS below HTTP, and the same as a chart", () => {
  const { document } = RUNS.files;
  const section = document.querySelector("section[aria-labelledby=files]");
  const [head, ...rows] = tableOf(section);
  assert.deepEqual(head, [
    "Server",
    "Over",
    "12 bytes",
    "2,216 bytes",
    "4,879 bytes",
    "30,192 bytes",
    "786,432 bytes",
  ]);
  const none = rows.filter(([name]) => name.endsWith("Node, files in memory"));
  assert.deepEqual(
    none.map(([, over]) => over),
    ["http", "https"],
  );
  assert.match(none[0][2], /^2\.\d\d /);
  assert.match(none[1][2], /^1[01]\.\d /);
  assert.equal(section.querySelectorAll("figure").length, 2);
  assert.equal(document.querySelector("section[aria-labelledby=tls]"), null);
});

test("CPU by place: sums of all sizes first, each setting folded away", () => {
  const { document, markdown } = RUNS.files;
  assert.match(
    markdown,
    /## CPU by place, s\n\n### files, http, all 5 sizes together\n\n\| Proxy \| Proxy, in front \|.*\n.*\n\| Node, files in memory \| – \| – \| 2\.\d\d \(user /,
  );
  const section = document.querySelector("section[aria-labelledby=places]");
  const [head, ...rows] = tableOf(section);
  assert.deepEqual(head, [
    "Proxy",
    "Proxy, in front s",
    "TLS, a container of its own s",
    "Server s",
    "Together s",
  ]);
  const row = rows.find(([name]) => name.endsWith("haproxy-tcp-hitch"));
  assert.match(row?.[1] ?? "", /user \d\.\d\d \+ kernel \d\.\d\d haproxy-tcp-hitch$/);
  assert.match(row?.[2] ?? "", /haproxy-tcp-hitch-tls$/);
  assert.match(rows.find(([name]) => name.endsWith("node-hello"))?.[4] ?? "", /not in all/);
  assert.equal(section.querySelector("details").open, false);
  assert.equal(rendered(results({ rounds: 1 })).document.querySelector("#places"), null);
});

test("TLS in depth: every kind of handshake a column, and what resuming saves as a ratio", () => {
  const { document } = RUNS.tls;
  const section = document.querySelector("section[aria-labelledby=handshakes]");
  const [head, ...rows] = tableOf(section);
  assert.equal(head.length, 9);
  assert.equal(head[1], "TLS 1.2, ECDSA key full handshakes, µs");
  assert.deepEqual(
    rows.map(([name]) => name),
    ["nginx", "HAProxy", "hitch", "http-proxy"],
  );
  const ratios = tableOf(section.querySelectorAll(".scroll")[1]);
  assert.equal(ratios[0][3], "Resumed / full TLS 1.3, ECDSA key");
  assert.match(ratios[1][3], /^×0\.6\d 0\.6\d\d?–0\.[67]\d/);
  assert.equal(section.querySelectorAll("figure").length, 4);
  assert.equal(RUNS.http.document.querySelector("#handshakes"), null);
});

test("verdicts about requests and files: who answers badly is left out, the control is one of the servers", () => {
  assert.match(
    RUNS.http.terminal,
    /add to a request, http-spring.*\n {2}http +.*left out, as error responses are fast: nginx \[92 % failed\]/,
  );
  const { terminal } = RUNS.files;
  assert.match(
    terminal,
    /All answers are for 5,000 requests, 10 at a time, a connection each, closed loop\./,
  );
  const [, small] = terminal.split("Which way to serve is quickest, files of 12 bytes?\n");
  assert.match(
    small,
    /^ {2}http {2}.*as the control, Node \(files in memory\) 2\.\d\d ms.*\n {2}https /,
  );
  assert.match(terminal, /Which way to serve is quickest, files of 786,432 bytes\?/);
});

test("claims about sums over settings, told over http and https", () => {
  /** @type {(results: import("../model/record.ts").Results, name: string) => string[]} */
  const told = (results, name) => {
    const published = readPublished(
      new URL(`../../../../battles/published/${name}.yaml`, import.meta.url).pathname,
    );
    const analysis = analyse(results, { policy: /** @type {any} */ (POLICY), published });
    assert.ok(analysis.published);
    return toldClaims(analysis.published).map((one) => claimText(one, analysis));
  };
  const names = ["none", "hitch", "nginx-files"];
  const files = told(filesResults({ rounds: 6, names, sizes: [12, 786432] }), "cloudparty-2013");
  for (const text of [
    /^CPU of proxy and server, all 2 settings together: Node, files in memory to hitch 0\.\d\d times/,
    /all 2 settings together: nginx-files to itself over http \d\.\d\d times/,
  ])
    assert.ok(
      files.some((one) => text.test(one)),
      files.join("\n"),
    );
  const missing = told(filesResults({ sizes: [12], schemes: ["ws"] }), "cloudparty-2013");
  assert.doesNotMatch(missing.join(), /https/);
  const wrk = told(
    httpResults({ rounds: 6, names: ["none", "nginx", "haproxy-tcp"], change: spoiled }),
    "wrk-nginx-haproxy",
  );
  assert.match(wrk[2], /^Responses per second, errors counted: haproxy-tcp to nginx 1\.\d\d times/);
});

test("where errors cost less than answers, the best is said to be so of those that answer", () => {
  const cheapErrors = (/** @type {import("../model/cell.ts").CellRecord} */ record) => {
    spoiled(record);
    if (record.proxy !== "nginx" || record.scenario !== "http-spring") return;
    for (const { role, cpu } of Object.values(record.containers))
      if (role === "proxy") cpu.totalSeconds /= 100;
  };
  const { visible } = rendered(httpResults({ rounds: 6, change: cheapErrors }));
  assert.match(
    visible,
    /Of those with no more than 0\.1 % failed, no difference seen between HAProxy .* and haproxy-tcp .*; nginx \[92 % failed\] 0\.01 times/,
  );
  // Nobody who fails has the better figure in these.
  assert.doesNotMatch(RUNS.files.visible, /of those with no more than/);
});
