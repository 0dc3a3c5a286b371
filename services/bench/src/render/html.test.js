import assert from "node:assert/strict";
import { test } from "node:test";
import { html, trusted } from "./html.js";

test("values are escaped in text and in attributes, markup of its own is not", () => {
  const hostile = `"><img src=x onerror='a&b'>`;
  const inner = html`<b title="${hostile}">${hostile}</b>`;
  const escaped = "&quot;&gt;&lt;img src=x onerror=&#39;a&amp;b&#39;&gt;";
  assert.equal(html`<p>${inner}</p>`.toString(), `<p><b title="${escaped}">${escaped}</b></p>`);
});

test("lists are joined; null, undefined and false are left out, and 0 is not", () => {
  /** @type {import("./html.js").Piece[]} */
  const list = ["a<", null, undefined, false, 0, trusted("<br>")];
  assert.equal(html`${list}`.toString(), "a&lt;0<br>");
});
