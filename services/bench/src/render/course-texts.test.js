import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { POLICY } from "../analyse/testing/results.js";
import { rateResults } from "../analyse/testing/rates.js";
import { courseRows, courseText } from "./course-texts.js";
import { renderMarkdown } from "./report-markdown.js";
import { renderHtml } from "./report-html.js";
import { renderText } from "./report-text.js";

/** @param {number} perHour bytes that the anonymous memory of nginx grows by */
function analysed(perHour) {
  return analyse(
    rateResults({
      scenarios: ["steady"],
      rounds: 1,
      change: (record) => {
        record.course = Array.from({ length: 239 }, (_, i) => ({
          seconds: 15 * (i + 1),
          usageBytes: 30e6 + 1000 * (i % 3),
          rssBytes: 20e6 + (record.proxy === "nginx" ? perHour * (i / 240) : 0) + (i % 2),
          tcpInUse: 2010,
          descriptors: null,
        }));
      },
    }),
    { policy: /** @type {any} */ (POLICY) },
  );
}

test("what grows is said with the proxy, and the row has slope, interval and both ends", () => {
  const analysis = analysed(6e6);
  const [course] = analysis.courses;
  assert.match(
    courseText(analysis, course),
    /^Grows over 59\.8 minutes: nginx: anonymous memory\.$/,
  );
  const [control, nginx] = courseRows(analysis, course);
  assert.equal(control.isControl, true);
  assert.match(
    nginx.cells[1],
    /^6\.\d\d MB \(\d\.\d\d to 6\.\d\d\), from 2\d\.\d MB to 2\d\.\d MB, grows$/,
  );
  assert.equal(nginx.cells[2], "0 (0 to 0), from 2,010 to 2,010");
  assert.equal(nginx.cells[3], "–");
});

test("both reports have it, and one of a short run has not", () => {
  const analysis = analysed(0);
  assert.match(
    renderMarkdown(analysis),
    /## Over time\n\n.*\n\n### .*\n\nNothing is seen to grow over/,
  );
  assert.match(renderHtml(analysis, { curves: {} }), /<h2 id="course">Over time<\/h2>/);
  const short = analyse(rateResults({ rounds: 1 }), { policy: /** @type {any} */ (POLICY) });
  assert.doesNotMatch(renderMarkdown(short), /Over time/);
});

test("of proxies side by side every report begins with what grows, and answers nothing else", () => {
  const { results } = analysed(6e6);
  const analysis = analyse(
    { ...results, plan: { ...results.plan, sideBySide: true } },
    { policy: /** @type {any} */ (POLICY) },
  );
  const told = /100 steady connections, ws: Grows over 59\.8 minutes: nginx: anonymous memory\./;
  assert.match(renderText(analysis).split("\n\n")[1], told);
  const markdown = renderMarkdown(analysis);
  assert.match(markdown.split("\n\n")[1], told);
  assert.doesNotMatch(markdown, /## Verdicts/);
  const page = renderHtml(analysis, { curves: {} });
  assert.match(page, told);
  assert.doesNotMatch(page, /id="verdicts"|by percentile|id="places"/);
});
