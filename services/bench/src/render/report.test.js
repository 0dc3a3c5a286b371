import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { gunzipSync } from "node:zlib";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { analyse } from "../analyse/index.js";
import { isRanked } from "../analyse/settings.js";
import { POLICY, results as madeUp, selfResults } from "../analyse/testing/results.js";
import { renderHtml, renderMarkdown, renderText } from "./index.js";
import { findingParts, findingText, tellFindings } from "./findings.js";
import { runState, settingFindings, time } from "./model.js";
import { claimText, toldClaims, untoldText } from "./claim-texts.js";
import { verdictTexts } from "./verdicts.js";
import { capital, settingTitle, titleOfProxy } from "./words.js";
import { sampleAnalysis } from "./testing/analysis.js";

/** @import { Analysis } from "../analyse/types.js" */

/** @type {[string, Parameters<typeof sampleAnalysis>[0]][]} */
const SAMPLES = [
  ["a complete battle", {}],
  ["an interrupted run", { interrupted: true }],
  ["two rounds, without intervals", { rounds: 2 }],
  ["one round over wss alone", { rounds: 1, connections: [5000], schemes: ["wss"] }],
  ["the control alone", { proxies: ["none"] }],
  ["no control", { proxies: ["nginx", "haproxy"] }],
];

/** @param {Parameters<typeof sampleAnalysis>[0]} [options] */
function rendered(options) {
  const { analysis, curves } = sampleAnalysis(options);
  const text = renderHtml(analysis, { curves });
  const { document } = new JSDOM(text).window;
  return {
    analysis,
    curves,
    text,
    document,
    markdown: renderMarkdown(analysis),
    terminal: renderText(analysis),
  };
}

/**
 * @param {any} document
 * @returns {string} what a reader sees, spaces made one
 */
function visibleText(document) {
  const copy = document.body.cloneNode(true);
  for (const node of copy.querySelectorAll("script, style")) node.remove();
  return squeezed(copy.textContent);
}

/**
 * @param {any} document
 * @returns {any} the record that the report offers to save
 */
function recordIn(document) {
  const [, base64] = document.getElementById("results").href.split("base64,");
  return JSON.parse(gunzipSync(Buffer.from(base64, "base64")).toString());
}

/** @param {string} text */
function squeezed(text) {
  return text.replace(/\s+/g, " ").trim();
}

for (const [name, options] of SAMPLES) {
  suite(name, () => {
    const { analysis, text, document, markdown, terminal } = rendered(options);
    const { results, settings, cells, findings } = analysis;
    const { lead, verdicts } = verdictTexts(analysis);
    const titleOf = (/** @type {string} */ name) => titleOfProxy(results, name);
    const answers = verdicts.flatMap((verdict) => verdict.answers);
    const visible = visibleText(document);

    test("every proxy, setting, verdict, finding, claim and cell is there", () => {
      const expected = [
        results.plan.title,
        results.run.command,
        ...results.proxies.map(({ title }) => title),
        ...settings.map((setting) => settingTitle(setting, settings)),
        ...lead,
        ...verdicts.flatMap(({ question, caveats }) => [question, ...caveats]),
        ...answers.flatMap(({ over, text, caveats }) => [over, text, ...caveats]),
        ...tellFindings(findings, titleOf).map(({ message }) => message),
        ...settings.flatMap(({ comparisons }) =>
          comparisons.flatMap((comparison) =>
            comparison.findings.flatMap((finding) => Object.values(findingParts(finding, titleOf))),
          ),
        ),
        ...(analysis.published
          ? [
              untoldText(analysis.published),
              ...toldClaims(analysis.published).flatMap((told) => [
                told.claim.claim,
                claimText(told, analysis),
              ]),
            ]
          : []),
        ...cells.flatMap(({ record, findings }) => [
          record.id,
          ...(record.cause ? [record.cause.message] : []),
          ...findings.map((finding) => capital(findingText(finding))),
        ]),
        ...results.environment.advice.map(({ fix }) => fix),
        ...Object.values(results.environment.details).flatMap((group) =>
          Object.values(group).flatMap((value) => (value === null ? [] : String(value))),
        ),
      ];
      for (const one of expected) assert.ok(visible.includes(squeezed(one)), one);
    });

    test("nothing reads NaN, undefined, null or [object", () => {
      for (const shown of [visible, markdown, terminal]) {
        assert.doesNotMatch(shown, /NaN|undefined|\bnull\b|\[object|Infinity/);
      }
      assert.doesNotMatch(
        text.replace(/<script[^]*?<\/script>|href="data:[^"]*"/g, ""),
        /="[^"]*(NaN|undefined)/,
      );
    });

    test("nothing is loaded from elsewhere", () => {
      assert.equal(document.querySelector("script[src], img, iframe, object, embed, video"), null);
      for (const { href } of document.querySelectorAll("link")) assert.equal(href, "data:,");
      assert.doesNotMatch(text, /@import|url\(/);
    });

    test("the data are inside", () => {
      assert.deepEqual(recordIn(document), results);
    });

    test("headings go down one at a time, header cells have a scope, ids are unique", () => {
      const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((node) =>
        Number(node.tagName[1]),
      );
      assert.equal(levels[0], 1);
      levels.forEach((level, i) => assert.ok(i === 0 || level <= levels[i - 1] + 1));
      assert.equal(document.querySelector("th:not([scope])"), null);
      const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
    });

    test("every chart has a title and a description; every table is in a box of its own", () => {
      for (const svg of document.querySelectorAll("figure svg")) {
        assert.ok(svg.querySelector("title").textContent && svg.querySelector("desc").textContent);
      }
      for (const table of document.querySelectorAll("table")) assert.ok(table.closest(".scroll"));
    });

    test("the Markdown has verdicts, a table a setting, claims and the command", () => {
      for (const { over, text } of answers) assert.ok(markdown.includes(`- ${over}: ${text}`));
      const tables = markdown.match(/^\| --- .*\|$/gm) ?? [];
      assert.equal(tables.length, settings.length + (analysis.published ? 1 : 0));
      assert.ok(markdown.includes(results.run.command));
      // A number sign and a figure is a link to an issue on GitHub.
      assert.doesNotMatch(markdown, /#\d/);
    });

    test("the terminal has what all share, and the answers below their questions", () => {
      for (const line of lead) assert.ok(terminal.includes(line));
      for (const { question, answers } of verdicts) {
        const lines = terminal.slice(terminal.indexOf(question)).split("\n");
        assert.equal(lines[0], question);
        answers.forEach(({ over, text }, i) => {
          assert.ok(lines[i + 1].startsWith(`  ${over} `) && lines[i + 1].endsWith(text));
        });
      }
    });
  });
}

suite("the main table", () => {
  /** @param {Analysis} analysis */
  const cellsOf = (analysis) => {
    const { document } = new JSDOM(renderHtml(analysis, { curves: {} })).window;
    const [table] = document.querySelectorAll("table.main");
    return [...table.querySelectorAll("tr")].map((row) =>
      [...row.cells].map((cell) =>
        squeezed([...cell.childNodes].map((node) => node.textContent).join(" ")),
      ),
    );
  };

  test("shows median, interval, ratio and shared rank, with the control first and apart", () => {
    const { analysis } = sampleAnalysis();
    const [handshake] = analysis.settings[0].comparisons;
    Object.assign(handshake.rows[1], {
      median: { value: 42.961, interval: [41.239, 44.961] },
      toControl: { value: 1.3749, interval: [1.3, 1.4] },
      rank: 2,
      ties: ["haproxy"],
    });
    Object.assign(handshake.rows[0], { median: { value: 31.04, interval: [30, 32] } });
    const rows = cellsOf(analysis);
    assert.deepEqual(rows[0].slice(0, 3), [
      "Proxy",
      "Handshaken, mean ms · × control",
      "Latency, mean ms · × control",
    ]);
    assert.deepEqual(rows[1].slice(0, 2), ["no proxy control", "31.0 30.0–32.0 p99 93.0"]);
    assert.deepEqual(rows[2].slice(0, 2), ["nginx", "43.0 2 = 41.2–45.0 ×1.37 p99 130"]);
    const { document } = new JSDOM(renderHtml(analysis, { curves: {} })).window;
    assert.equal(document.querySelectorAll("table.main")[0].tBodies.length, 2);
  });

  test("a missing figure is a dash with its reason, bytes are MB, a lone rank has no =", () => {
    const { analysis } = sampleAnalysis();
    const memory = analysis.settings[0].comparisons.find(
      ({ measure }) => measure === "proxy_memory_growth_bytes",
    );
    assert.ok(memory);
    Object.assign(memory.rows[1], {
      values: [],
      median: null,
      rank: null,
      missing: [{ kind: "skipped", why: "needs descriptors" }],
    });
    Object.assign(memory.rows[2], {
      median: { value: 12_345_678, interval: null },
      rank: 1,
      ties: [],
    });
    memory.rows[2].values = [12e6, 13e6];
    const rows = cellsOf(analysis);
    assert.match(String(rows[0].at(-1)), /MB/);
    assert.equal(rows[2].at(-1), "– 1");
    assert.equal(rows[3].at(-1), `12.3 1 12.0–13.0 ${rows[3].at(-1)?.split(" ").at(-1)}`);
    assert.match(
      visibleText(new JSDOM(renderHtml(analysis, { curves: {} })).window.document),
      /1 – skipped: needs descriptors/,
    );
  });
});

test("findings of one gate are told in one sentence, what they share once", () => {
  const { analysis } = sampleAnalysis();
  const [setting] = analysis.settings;
  const findings = settingFindings(analysis, setting);
  assert.deepEqual(findings, [
    {
      severity: "weak",
      message:
        "The middle half of the rounds spans more than 25 % of the median: Handshaken, mean (nginx 17 %); Latency, mean (nginx 20 %); Total (nginx 13 %); Handshaken, p99 (nginx 16 %)",
    },
    {
      severity: "note",
      message:
        "The control's figure is the cost of its own server, not of a proxy: it has no rank, and no ratio to it is given (CPU per connection; Memory growth, without socket buffers)",
    },
  ]);
  /** @type {import("../analyse/types.js").Finding} */
  const few = {
    gate: "few-rounds",
    severity: "note",
    figures: { rounds: 4, least: 4, enough: 6, onePairIn: 35 },
  };
  for (const comparison of setting.comparisons) comparison.findings = [few];
  assert.deepEqual(settingFindings(analysis, setting), [
    {
      severity: "note",
      message:
        "A first look, 4 rounds of the 6 that a verdict takes: ranked by range and not tested, so that two equal proxies would rank apart in 1 of 35 cases (all measures)",
    },
  ]);
});

test("below a table is what weakens its own measures, in a sentence; notes are folded away", () => {
  const { document } = rendered();
  const [first] = document.querySelectorAll("#figures ~ .findings");
  assert.equal(first.children.length, 1);
  const text = squeezed(first.textContent);
  assert.match(
    text,
    /^weak The middle half .* of the median: Handshaken, mean \(.*Total \(.*\)\.$/,
  );
  assert.doesNotMatch(text, /p99/);
});

test("an interrupted run names what is missing", () => {
  const { analysis, document } = rendered({ interrupted: true });
  const { results } = analysis;
  const recorded = new Set(results.cells.map(({ id }) => id));
  const missing = results.plan.cells.filter(({ id, skip }) => !recorded.has(id) && skip === null);
  assert.ok(missing.length > 0);
  const header = squeezed(document.querySelector("header").textContent);
  assert.match(
    header,
    new RegExp(`Interrupted: ${missing.length} of 180 planned cells have not run`),
  );
  for (const { id } of missing) assert.ok(header.includes(id));
  assert.doesNotMatch(visibleText(rendered().document), /Interrupted/);
});

test("a run that ended before spoiled cells were run again says how many", () => {
  const { results } = sampleAnalysis().analysis;
  const last = results.cells.at(-1);
  assert.ok(last?.machine);
  const spoiled = { ...last, machine: { ...last.machine, stealSeconds: 1e6 } };
  const cells = [...results.cells.slice(0, -1), spoiled];
  const sentence = (/** @type {string | null} */ endedAt) =>
    runState({ ...results, cells, run: { ...results.run, endedAt } }).sentence;
  assert.match(sentence(null), /^Interrupted: 0 of .*; 1 cell to be run again, as others/);
  assert.doesNotMatch(sentence("2026-01-31T23:59:00.000Z"), /again/);
});

test("the control's CPU is not drawn among the proxies'", () => {
  const { document } = rendered();
  const cpu = [...document.querySelectorAll("figure desc")].filter((node) =>
    node.textContent.startsWith("CPU per connection"),
  );
  assert.ok(cpu.length > 0);
  for (const node of cpu) assert.doesNotMatch(node.textContent, /no proxy/);
});

test("without curves the report says so", () => {
  const { analysis } = sampleAnalysis();
  const { document } = new JSDOM(renderHtml(analysis, { curves: {} })).window;
  assert.match(visibleText(document), /No curve was recorded/);
  assert.doesNotMatch(visibleText(document), /Memory over time/);
});

test("hostile text stays text, in HTML and in Markdown", () => {
  const hostile = `</script><img src=x onerror=alert(1)>"'|\`<!--`;
  const { analysis, document, markdown } = rendered({ hostile });
  assert.equal(document.querySelector("img, [onerror]"), null);
  assert.equal(document.querySelectorAll("script").length, 1);
  const benign = rendered().document;
  assert.equal(document.querySelectorAll("*").length, benign.querySelectorAll("*").length);
  assert.ok(visibleText(document).includes(`fought again${hostile}`));
  assert.deepEqual(recordIn(document), analysis.results);
  const outside = markdown.replace(/^```[^]*?^```$/gm, "");
  assert.doesNotMatch(outside, /(?<!\\)</);
  // A row of a table has as many cells as its head: no bar splits one.
  const [head, , ...rows] = markdown.split("\n").filter((line) => line.startsWith("| "));
  const bars = (/** @type {string} */ line) => line.match(/(?<!\\)\|/g)?.length;
  assert.ok(rows.length > 0 && bars(rows[0]) === bars(head));
});

test("an address that is no web address does not become a link", () => {
  const { analysis, curves } = sampleAnalysis();
  assert.ok(analysis.published);
  analysis.published.source = "javascript:alert(1)";
  const { document } = new JSDOM(renderHtml(analysis, { curves })).window;
  for (const link of document.querySelectorAll("a")) assert.doesNotMatch(link.href, /^javascript/);
});

suite("an A/A run", () => {
  const analysis = analyse(selfResults({ spread: 0.1 }), { policy: /** @type {any} */ (POLICY) });
  const { document } = new JSDOM(renderHtml(analysis, { curves: {} })).window;
  const visible = visibleText(document);

  test("says that it is one, and has the noise floor as its first table", () => {
    assert.match(
      squeezed(document.querySelector("header").textContent),
      /A\/A run, which measures noise: nginx, a copy of it and the control in 2 settings, 6 rounds/,
    );
    const [table] = document.querySelectorAll("main table");
    assert.ok(table.classList.contains("self"));
    const rows = [...table.tBodies[0].rows].map((row) => squeezed(row.textContent));
    const ranked = analysis.settings[0].comparisons.filter(({ measure }) => isRanked(measure));
    assert.equal(rows.length, ranked.length);
    const cpu = rows.find((row) => row.startsWith("CPU per connection, µs"));
    assert.match(
      cpu ?? "",
      /^CPU per connection, µs ×[01]\.\d{3}[01]\.\d{3}–[01]\.\d{3} tie 1\.000 /,
    );
    assert.ok(renderMarkdown(analysis).includes("## Noise floor"));
  });

  test("does not miss a noise floor, and does not ask what TLS costs", () => {
    assert.equal(document.getElementById("tls"), null);
    assert.doesNotMatch(visible, /No proxy was compared with a copy of itself/);
    assert.doesNotMatch(visible, /NaN|undefined|\bnull\b|\[object|Infinity/);
  });

  test("a run without such a pair says that it has no noise floor of its own", () => {
    const other = analyse(madeUp(), { policy: /** @type {any} */ (POLICY) });
    const page = new JSDOM(renderHtml(other, { curves: {} })).window.document;
    assert.match(
      squeezed(page.getElementById("noise")?.closest("section")?.textContent ?? ""),
      /No two proxies of this run do the same work: it has no noise floor of its own\./,
    );
    assert.equal(page.querySelector("table.self"), null);
  });
});

test("a real analysis of few rounds, of one, and of nothing that counts is rendered", () => {
  for (const options of [{ rounds: 2 }, { rounds: 1 }, { change: () => [] }]) {
    const analysis = analyse(madeUp(options), { policy: /** @type {any} */ (POLICY) });
    const { document } = new JSDOM(renderHtml(analysis, { curves: {} })).window;
    for (const shown of [visibleText(document), renderMarkdown(analysis), renderText(analysis)])
      assert.doesNotMatch(shown, /NaN|undefined|\bnull\b|\[object|Infinity/);
  }
});

test("two charts are drawn for a phone and for a desktop, three for either at once", () => {
  const counts = (/** @type {number[]} */ connections) => {
    const { document } = rendered({ connections, schemes: ["ws"] });
    const [charts] = document.querySelectorAll('[aria-labelledby="charts"] .charts');
    return [".narrow", ".wide"].map((size) => charts.querySelectorAll(`${size} svg`).length);
  };
  assert.deepEqual(counts([2000, 5000]), [2, 2]);
  assert.deepEqual(counts([2000, 5000, 10000]), [3, 0]);
});

test("times of day", () => {
  assert.equal(time("2026-01-31T23:07:59Z"), "2026-01-31 23:07 UTC");
  assert.equal(time(null), "–");
});
