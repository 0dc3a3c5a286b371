import assert from "node:assert/strict";
import { test } from "node:test";
import { html, trusted } from "./markup.ts";
import type { Piece } from "./markup.ts";

test("values are escaped in text and in attributes, markup of its own is not", () => {
  const hostile = `"><img src=x onerror='a&b'>`;
  const inner = html`<b title="${hostile}">${hostile}</b>`;
  const escaped = "&quot;&gt;&lt;img src=x onerror=&#39;a&amp;b&#39;&gt;";
  assert.equal(html`<p>${inner}</p>`.toString(), `<p><b title="${escaped}">${escaped}</b></p>`);
});

test("lists are joined; null, undefined and false are left out, and 0 is not", () => {
  const list: Piece[] = ["a<", null, undefined, false, 0, trusted("<br>")];
  assert.equal(html`${list}`.toString(), "a&lt;0<br>");
});

test("the template's indentation is left out, that of a value is kept", () => {
  const code = "if (a)\n    b();";
  const made = html`<p>
    <code>${code}</code>
    end
  </p>`;
  assert.equal(made.toString(), `<p>\n<code>${code}</code>\nend\n</p>`);
});

test("a fraction has seven digits, a whole number all of its own", () => {
  const made = html`<td data-value="${509.82121400000005}" data-count="${1234567890123}"></td>`;
  assert.equal(made.toString(), `<td data-value="509.8212" data-count="1234567890123"></td>`);
});
