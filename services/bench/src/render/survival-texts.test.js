import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { analyse } from "../analyse/index.js";
import { stallResults, stormResults, survivalResults } from "../analyse/testing/experiments.js";
import { experimentSentences, experimentTexts } from "./experiment-texts.js";
import { renderHtml } from "./report-html.js";
import { renderMarkdown } from "./report-markdown.js";
import { renderText } from "./report-text.js";
import { resultsCsv } from "./results-csv.js";
import { matrixOf } from "./survival-texts.js";

/** @import { Outcome } from "../analyse/testing/experiments.js" */
/** @import { Results } from "../model/record.ts" */

const EVERY_TENTH = { ends: [{ afterMs: 300, how: "reset", count: 200 }] };
const ALL = { ends: [{ afterMs: 100, how: "close 1006", count: 2000 }] };
const FAILING = { failed: [{ second: 0, count: 20, cause: "refused" }] };

/** @param {Results} results */
function analysed(results) {
  return analyse(results, { policy: null });
}

/**
 * @param {Outcome} reload of nginx
 * @param {Outcome} [none]
 * @returns {string} what is said of it
 */
function said(reload, none = {}) {
  const results = survivalResults({ proxies: { nginx: { none, reload } } });
  const texts = experimentTexts(analysed(results));
  return String(texts.find(({ title }) => title.startsWith("Reload"))?.answers[0].text);
}

/** Four proxies, three events. */
function battle() {
  return survivalResults({
    proxies: {
      none: { none: {}, reload: "has none: it cannot reload", stop: { ...ALL, ...FAILING } },
      nginx: {
        none: {},
        reload: {
          ...{ newGenerationMs: 310, megabytes: [40, 84, 84], processes: [3, 5, 5] },
          old: { goneMs: null, atEnd: 2, leaked: 0 },
        },
        stop: { ...ALL, ...FAILING },
      },
      haproxy: { none: {}, reload: EVERY_TENTH, stop: ALL },
      "http-proxy": {
        none: {},
        reload: "has none: it cannot reload",
        stop: { ...ALL, ...FAILING },
      },
    },
  });
}

test("a proxy that keeps all says of how many, and what its old processes take", () => {
  assert.equal(
    said({
      newGenerationMs: 310,
      megabytes: [40, 84, 84],
      old: { goneMs: null, atEnd: 2, leaked: 0 },
    }),
    "kept all 10,000 (below 0.0369 % lost), and no new handshake failed; new configuration after 0.310 s; its old processes stayed until the last client left, 2.10 times the memory meanwhile",
  );
  assert.match(
    said({ old: { goneMs: 10_100, atEnd: 0, leaked: 0 } }),
    /; old processes gone after 10\.1 s$/,
  );
});

test("a reload that renews nothing is named, however much it kept", () => {
  const old = { generations: ["1"] };
  assert.match(said(old), /^kept all 10,000 .*; the new configuration NEVER ANSWERED$/);
  const renewed = { generations: ["1", "2"], newGenerationMs: 200 };
  const run = survivalResults({ proxies: { nginx: { none: {}, reload: renewed } } });
  const one = run.cells.find(({ id }) => id === "r3-nginx-holding-ws-reload")?.survival;
  assert.ok(one);
  one.newGenerationMs = null;
  const reload = experimentTexts(analysed(run)).find(({ title }) => title.startsWith("Reload"));
  assert.match(
    String(reload?.answers[0].text),
    /; new configuration after 0\.200 s; the new configuration NEVER ANSWERED in 1 of 5 repetitions$/,
  );
  // Nothing is asked of an event that renews nothing, nor told of a proxy that does not say which configuration answers.
  const results = survivalResults({ proxies: { nginx: { none: old, reload: {} } } });
  for (const { answers } of experimentTexts(analysed(results)))
    for (const { text } of answers) assert.doesNotMatch(text, /NEVER ANSWERED/);
});

test("every tenth connection that is dropped is named, with how, when and how sure", () => {
  assert.equal(
    said({ ...EVERY_TENTH, lost: 40 }),
    "lost 1,000 of 10,000 (10.0 %, 9.42 to 10.6), all within 1 s: 1,000 by reset; 200 messages of 700,000 not echoed",
  );
  assert.match(
    said({
      ends: [
        { afterMs: 300, how: "close 1001 going away", count: 20 },
        { afterMs: 25_000, how: "timeout", count: 10 },
      ],
    }),
    /^lost 150 of 10,000 .*, all within 60 s: 100 closed with 1001 \(going away\), 50 fell silent/,
  );
});

test("a leaked old process is named", () => {
  assert.match(
    said({ ...ALL, old: { goneMs: null, atEnd: 2, leaked: 1 } }),
    /; 1 old process LEAKED: still there with no connection left$/,
  );
});

test("a control that loses as many as the event: no event is blamed for it", () => {
  const few = { ends: [{ afterMs: 300, how: "reset", count: 3 }], ...FAILING };
  const text = said(few, few);
  assert.match(
    text,
    /^lost 15 of 10,000 .*: 15 by reset, which cannot be told from cells without an event; /,
  );
  assert.match(
    text,
    /new handshakes failed for 1 s, .*, which cannot be told from cells without an event$/,
  );
  const results = survivalResults({ proxies: { nginx: { none: few, reload: few } } });
  const { rows, sentences } = matrixOf(analysed(results), analysed(results).survivals[0]);
  const [, reload] = rows[0].fields;
  assert.deepEqual(
    [reload.level, reload.note, reload.survived],
    [0, "as without an event", "99.85 %"],
  );
  assert.match(
    sentences.join(" "),
    /Without an event nginx lost 15 of 10,000 .*What cannot be told from that is blamed on no event\./,
  );
});

test("survivors that were silent, slow handshakes, and a server that gets its share", () => {
  const text = said({
    silenceMs: 4200,
    slow: 3,
    echoShare: [
      { address: "a", connections: 900, isNew: false },
      { address: "b", connections: 300, isNew: true },
    ],
  });
  assert.match(text, /survivors silent for up to 4\.20 s; 15 new handshakes slow; /);
  assert.match(
    text,
    /the server that started got 25\.0 % of 6,000 new connections, one of 2 servers/,
  );
});

test("the matrix: survived and failed in each field, the worst marked, has none where there is none", () => {
  const analysis = analysed(battle());
  const { columns, rows, sentences } = matrixOf(analysis, analysis.survivals[0]);
  assert.deepEqual(
    columns.map(({ event }) => event),
    ["none", "reload", "stop"],
  );
  assert.deepEqual(
    rows.map(({ proxy, fields }) => [
      proxy,
      ...fields.map(({ survived, failed, level, isWorst }) =>
        [survived, failed, level, isWorst && "worst"]
          .filter((x) => x !== false && x !== null)
          .join("|"),
      ),
    ]),
    [
      ["none", "100 %|0 % fail|0", "has none|", "0 %|1.67 % fail|4"],
      ["nginx", "100 %|0 % fail|0", "100 %|0 % fail|0", "0 %|1.67 % fail|4|worst"],
      ["haproxy", "100 %|0 % fail|0", "90.0 %|0 % fail|2|worst", "0 %|0 % fail|4"],
      ["http-proxy", "100 %|0 % fail|0", "has none|", "0 %|1.67 % fail|4|worst"],
    ],
  );
  assert.deepEqual(sentences, [
    "Connections were kept in reload by nginx. Every proxy lost some in stop.",
    "Without an event none of 40,000 connections ended, and no new handshake failed.",
  ]);
});

test("the first screen of the report is the matrix; each event has a curve, a sentence and figures", () => {
  const analysis = analysed(battle());
  const page = renderHtml(analysis, { curves: {} });
  const { document } = new JSDOM(page).window;
  const fields = [...document.querySelectorAll("header table.matrix td")];
  assert.equal(fields.length, 12);
  for (const field of fields)
    assert.match(field.textContent, /%|has none/, "colour never stands alone");
  assert.equal(document.querySelectorAll("td.worst .mark").length, 3);
  assert.ok(page.indexOf('<table class="matrix"') < page.indexOf("<nav"));
  const titles = [...document.querySelectorAll("figcaption")].map(({ textContent }) => textContent);
  for (const event of ["none", "reload", "stop"])
    for (const curve of ["Connections open", "New handshakes that failed", "Memory of the proxy"])
      assert.ok(titles.includes(`${curve}, ${event}`), `${curve}, ${event}`);
  assert.match(document.body.textContent, /HUP to the proxy/);
  assert.match(document.body.textContent, /no proxy and http-proxy have none: it cannot reload\./);
  assert.equal(document.querySelector("#verdicts"), null);
});

test("the short report, the terminal and the CSV have it too; none reads NaN or undefined", () => {
  const results = battle();
  const analysis = analysed(results);
  const [page, markdown, terminal] = [
    renderHtml(analysis, { curves: {} }).replace(
      /<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>/g,
      "",
    ),
    renderMarkdown(analysis),
    renderText(analysis),
  ];
  for (const text of [page, markdown, terminal]) {
    assert.doesNotMatch(text, /NaN|undefined|\[object|\bnull\b/);
    assert.match(text, /lost 1,000 of 10,000 \(10\.0.%, 9\.42 to 10\.6\)/);
    assert.match(text, /Without an event none of 40,000 connections ended/);
  }
  assert.match(
    markdown,
    /\| HAProxy \| 100 %, new: 0 % fail \| \*\*90\.0 %\*\*, new: 0 % fail, \*\*worst\*\* \|/,
  );
  assert.match(page, /3 proxies and the control in 3 events, 5 rounds/);
  assert.match(page, /10 cells of events that a proxy has none of/);
  const [header, ...rows] = resultsCsv(results)
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  const reload =
    rows.find((row) => row[header.indexOf("id")] === "r1-haproxy-holding-ws-reload") ?? [];
  const of = (/** @type {string} */ name) => reload[header.indexOf(name)];
  assert.deepEqual(
    [
      "event",
      "connections_lost_percent",
      "connections_alive_1_s_percent",
      "event_memory_peak_bytes",
    ].map(of),
    ["reload", "10", "90", "40000000"],
  );
});

test("a storm: how long, and how long this machine takes at all", () => {
  const rounds = (/** @type {number} */ slower) =>
    [1, 1.1, 1, 1.1].map((off) => ({
      seconds: /** @type {[number, number, number]} */ ([0.4, 0.8, 1].map((s) => s * slower * off)),
    }));
  const analysis = analysed(
    stormResults({ none: rounds(1), nginx: rounds(2), haproxy: rounds(1.05) }),
  );
  const [{ answers, title }] = experimentTexts(analysis);
  assert.equal(title, "Everyone comes back: 2,000 connections, back at once, ws");
  const text = (/** @type {string} */ of) => answers.find(({ name }) => name === of)?.text ?? "";
  assert.match(
    text("no proxy"),
    /^50 % back after 0\.420 s \(0\.400–0\.440\), 99 % after 0\.840 s .*; how fast this machine can at all$/,
  );
  assert.match(text("nginx"), /; 2\.00 times as long to 99 % as without a proxy$/);
  assert.match(
    text("HAProxy"),
    /; 1\.05 times .*, which is not told from it: machine and generator were the limit$/,
  );
  for (const report of [
    renderHtml(analysis, { curves: {} }),
    renderMarkdown(analysis),
    renderText(analysis),
  ]) {
    assert.match(report, /2\.00.times as long to 99.% as without a proxy/);
    assert.match(report, /In every storm all connections came back through every proxy\./);
    assert.match(
      report,
      /in times of what it took without a proxy: nginx\s2\.00\sand HAProxy\s1\.05\./,
    );
    assert.doesNotMatch(report.replace(/<script[\s\S]*?<\/script>/g, ""), /NaN|undefined|\[object/);
  }
});

test("slow readers: unbounded buffering is named, and not where it is not the proxy's", () => {
  const bounded = {
    sent: 2e6,
    heldBack: true,
    grown: 90_000,
    p99Ms: /** @type {[number, number]} */ ([2, 2.4]),
  };
  const taking = { ...bounded, sent: 67_108_864, heldBack: false };
  const texts = (/** @type {Parameters<typeof stallResults>[0]} */ proxies) =>
    Object.fromEntries(
      experimentTexts(analysed(stallResults(proxies)))[0].answers.map(({ name, text }) => [
        name,
        text,
      ]),
    );
  const told = texts({ none: bounded, nginx: bounded, haproxy: { ...taking, grown: 66e6 } });
  assert.equal(
    told.nginx,
    "bounded: held the sender back after 2.00 MB a connection; 90.0 kB of memory a stalled connection (user 60.0 kB, kernel 30.0 kB); p99 of the others 2.40 ms, 1.20 times the 2.00 ms before; all delivered in order once they read again",
  );
  assert.match(
    told.HAProxy,
    /^NOT BOUNDED: the proxy buffered what was sent, 67\.1 MB a connection/,
  );
  const none = texts({ nginx: { ...bounded, grown: -9000 } });
  assert.match(none.nginx, /; no memory seen that they take; /);
  const cut = texts({ nginx: { ...bounded, ends: { reset: 3 } } });
  assert.match(cut.nginx, /; of those that did not read ended 6 by reset$/);
  const same = texts({ none: { ...taking, grown: 0 }, nginx: { ...taking, grown: 0 } });
  assert.match(same.nginx, /neither did the server without a proxy: nothing is told of the proxy/);
  const analysis = analysed(stallResults({ none: bounded, nginx: bounded }));
  for (const report of [
    renderHtml(analysis, { curves: {} }),
    renderMarkdown(analysis),
    renderText(analysis),
  ]) {
    assert.match(report, /held the sender back after 2\.00.MB/);
    assert.match(report, /Every proxy holds the sender back/);
    assert.match(
      report,
      /Most memory that a stalled connection took, without socket buffers: nginx\s90\.0.kB\./,
    );
  }
  const sentences = (/** @type {Parameters<typeof stallResults>[0]} */ proxies) =>
    experimentSentences(analysed(stallResults(proxies)));
  assert.deepEqual(
    sentences({ none: bounded, nginx: bounded, haproxy: { ...taking, grown: 66e6 } }),
    [
      "NOT BOUNDED: HAProxy buffered all that a client was sent that does not read.",
      "Most memory that a stalled connection took, without socket buffers: HAProxy 66.0 MB and nginx 90.0 kB.",
    ],
  );
  // Neither bounded nor unbounded: nothing is said of it.
  assert.deepEqual(
    sentences({ none: { ...taking, grown: 0 }, nginx: { ...taking, grown: 0 } }),
    [],
  );
});

test("who does not come back after a storm is named first", () => {
  const seconds = /** @type {[number, number, number | null]} */ ([0.4, 0.8, null]);
  const own = [{ seconds: /** @type {[number, number, number]} */ ([0.4, 0.8, 1]) }];
  const results = stormResults({ none: own, nginx: [{ seconds, missing: 5 }] });
  assert.deepEqual(experimentSentences(analysed(results)), [
    "Not all connections came back through nginx.",
    "Until 99 % were back it took, in times of what it took without a proxy: nginx 1.00 (too few repetitions to tell them apart).",
  ]);
});

test("who kept all is named without variants of the same, and they are said to be there", () => {
  const kept = { none: {}, reload: {} };
  const made = survivalResults({
    proxies: { nginx: kept, slots: kept, haproxy: kept, envoy: { none: {}, reload: ALL } },
  });
  const variantOf = { proxy: "nginx", differs: "fewer slots" };
  const proxies = made.proxies.map((one) => (one.name === "slots" ? { ...one, variantOf } : one));
  const analysis = analysed({ ...made, proxies });
  const [sentence] = matrixOf(analysis, analysis.survivals[0]).sentences;
  assert.equal(sentence, "Connections were kept in reload by nginx and HAProxy, with variants.");
});
