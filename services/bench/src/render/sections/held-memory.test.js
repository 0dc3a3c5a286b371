import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error: jsdom ships no types.
import { JSDOM } from "jsdom";
import { analyse } from "../../analyse/index.js";
import { idleResults, results } from "../../analyse/testing/results.js";
import { renderHtml } from "../index.js";

/** @param {import("../../model/record.ts").Results} of */
function pageOf(of) {
  return new JSDOM(renderHtml(analyse(of, { policy: null }), { curves: {} })).window.document;
}

test("memory over held connections: a chart, slopes with intervals, and where a proxy ended and why", () => {
  const document = pageOf(
    idleResults({
      rounds: 2,
      skip: ({ proxy, parameters }) =>
        proxy === "haproxy" && parameters.CONNECTIONS > 4000 ? "<b>needs</b> descriptors" : null,
    }),
  );
  const section = document.querySelector("section[aria-labelledby=slopes]");
  assert.ok(section);
  assert.ok(section.querySelector("figure svg"));
  const rows = [...section.querySelectorAll("tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim()),
  );
  assert.equal(rows.length, 3);
  const [control, nginx, haproxy] = rows;
  assert.match(control[0], /no proxy.*its echo server/);
  assert.match(nginx[1], /^25\.0/);
  assert.match(nginx[1], /25\.0–25\.0$/);
  assert.deepEqual(nginx.slice(4), ["42,90042,900–43,000", "20.020.0–20.0", "110", "5,000", ""]);
  assert.deepEqual(haproxy.slice(7), ["4,000", "5,000: <b>needs</b> descriptors"]);
});

test("too few points for an interval say so, and a part that is not counted", () => {
  const document = pageOf(
    idleResults({
      counts: [1000, 2000, 3000, 4000],
      change: ({ containers }) => {
        for (const { memory } of Object.values(containers))
          if (memory) memory.mean.kernelBytes = null;
      },
    }),
  );
  const text = document.querySelector("section[aria-labelledby=slopes]").textContent;
  assert.match(text, /too few points for an interval/);
  assert.match(text, /this kernel does not count it/);
});

test("a run without held connections has no such section", () => {
  assert.equal(pageOf(results()).querySelector("#slopes"), null);
});
