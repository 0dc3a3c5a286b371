import assert from "node:assert/strict";
import { test } from "node:test";
import { CAPABILITIES, matrixOf } from "./capabilities.ts";
import { checksOf } from "./checks.ts";
import type { CheckResult } from "./conform.ts";

const result = (
  id: string,
  scheme: "ws" | "wss",
  more: Partial<CheckResult> = {},
): CheckResult => ({
  ...{ id, scheme, title: id, ok: true, expected: "", actual: "" },
  ...more,
});

/** @returns all checks passed, but for those that are named by scheme and id */
function resultsWith(changes: Record<string, Partial<CheckResult>>) {
  return (["ws", "wss"] as const).flatMap((scheme) =>
    checksOf("websockets", { scheme, websocketsOverHttp2: true }).map(({ id }) =>
      result(id, scheme, changes[`${scheme} ${id}`]),
    ),
  );
}

/** @returns texts of a row */
function rowOf(tables: ReturnType<typeof matrixOf>, title: string) {
  return tables[0].rows
    .map((row) => row.map(({ text }) => text))
    .find(([first]) => first === title);
}

test("every check that a row views is one", () => {
  const known = resultsWith({}).map(({ id }) => id);
  const viewed = Object.values(CAPABILITIES).flatMap(({ checks }) => checks);
  assert.deepEqual(
    viewed.filter((id) => !known.includes(id)),
    [],
  );
});

for (const [what, changes, mark] of [
  ["passed over both schemes", {}, "✓"],
  ["failed over both", { "ws subprotocol": { ok: false }, "wss subprotocol": { ok: false } }, "✗"],
  ["failed over one", { "wss subprotocol": { ok: false } }, "✗ wss"],
  ["failed over the other, of what is not tuned", { "ws subprotocol": { untuned: true } }, "✗ ws"],
  ["answered with no", { "ws subprotocol": { no: "none" } }, "✗ ws"],
  ["skipped over one", { "ws subprotocol": { skipped: "for a reason" } }, "✓"],
  [
    "skipped over both",
    { "ws subprotocol": { skipped: "why" }, "wss subprotocol": { skipped: "why" } },
    "–",
  ],
] as const)
  test(`the mark of a check ${what}`, () => {
    const tables = matrixOf([{ title: "Proxy", results: resultsWith(changes) }], 3_000);
    assert.deepEqual(rowOf(tables, "Subprotocols pass"), ["Subprotocols pass", mark]);
  });

test("a row says for how long connections were idle", () => {
  const tables = matrixOf([{ title: "Proxy", results: resultsWith({}) }], 65_000);
  assert.ok(rowOf(tables, "Idle connection stays open for 65 s"));
});

test("a remark stands below", () => {
  const remark = "1 of 2 connections stood still";
  const results = resultsWith({ "wss h2-stalled": { title: "one not read", remark } });
  const [{ footnotes }] = matrixOf([{ title: "HAProxy", results }], 3_000);
  assert.deepEqual(footnotes, [`HAProxy: one not read: ${remark}.`]);
});

const LINES = {
  idle: { found: ["nginx.conf:5 proxy_read_timeout 1d;"], missing: [] },
  upgrade: { found: [], missing: ["proxy_set_header Upgrade"] },
};

test("of one proxy, the lines are a column; a missing directive is named where it is wanting", () => {
  const lacks = resultsWith({ "ws handshake": { ok: false } });
  const one = { title: "nginx", results: lacks, lines: LINES };
  const baseline = { title: "suite's", results: resultsWith({}) };
  const tables = matrixOf([one, baseline], 3_000);
  assert.equal(tables.length, 1);
  const rows = ["WebSockets over HTTP/1.1", "Idle connection stays open for 3 s", "TLS 1.3"];
  assert.deepEqual(
    rows.map((row) => rowOf(tables, row)?.slice(1)),
    [
      ["✗ ws", "✓", "no proxy_set_header Upgrade"],
      ["✓", "✓", "nginx.conf:5 proxy_read_timeout 1d;"],
      ["✓", "✓", ""],
    ],
  );
});

test("of several, the lines are a table of their own", () => {
  const results = resultsWith({});
  const more = { idle: { found: ["haproxy.cfg:7 timeout tunnel 1d"], missing: [] } };
  const [, { rows }] = matrixOf(
    [
      { title: "without files", results, lines: {} },
      { title: "nginx", results, lines: LINES },
      { title: "HAProxy", results, lines: more },
    ],
    3_000,
  );
  assert.deepEqual(
    rows.map((row) => row.map(({ text }) => text)),
    [
      ["nginx", "Idle connection stays open for 3 s", "nginx.conf:5 proxy_read_timeout 1d;"],
      ["HAProxy", "Idle connection stays open for 3 s", "haproxy.cfg:7 timeout tunnel 1d"],
    ],
  );
});

test("six proxies a table, the legend once", () => {
  const checked = Array.from({ length: 7 }, (_, i) => ({
    title: `Proxy ${i + 1}`,
    results: resultsWith({}),
  }));
  const [first, second, ...others] = matrixOf(checked, 3_000);
  assert.deepEqual([first.head.length, second.head.length, others], [7, 2, []]);
  assert.deepEqual([second.head[1].title, second.note], ["Proxy 7", ""]);
  assert.match(first.note, /yes/);
});
