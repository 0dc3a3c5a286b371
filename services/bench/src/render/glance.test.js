import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { rateResults } from "../analyse/testing/rates.js";
import { recorded, recordedRounds } from "../analyse/testing/recorded.js";
import { results } from "../analyse/testing/results.js";
import { choiceByUse, choiceText, glanceOf, loadText, rankedOf } from "./glance.js";
import { renderHtml } from "./report-html.js";
import { renderMarkdown } from "./report-markdown.js";
import { renderText } from "./report-text.js";
import { bracketed } from "./words.js";

test("whom to choose, by what was measured, and what was not", () => {
  const analysis = recorded("balancerbattle");
  const glance = glanceOf(analysis);
  assert.ok(glance);
  assert.match(
    glance.sentence,
    /^Choose nginx: best in CPU per connection \(ws and wss\); not measured here: CPU per message, handshake p99 at a set rate, echo p99 at a set rate, memory a held connection, connections a GiB and connections lost at a reload\.$/,
  );
  assert.deepEqual(
    glance.columns.map(({ title }) => title),
    ["CPU per connection, ws", "CPU per connection, wss"],
  );
  assert.deepEqual(
    glance.gaps.map(({ title, gap }) => [title, gap]),
    [
      ["CPU per message, ws", "not measured: ./bench run balancerbattle"],
      ["Handshake p99 at a set rate, ws", "not measured: ./bench run latency"],
      ["Echo p99 at a set rate, ws", "not measured: ./bench run latency"],
      ["Memory a held connection, ws", "not measured: ./bench run nginx-idle"],
      ["Connections a GiB", "not measured: ./bench run nginx-idle"],
      ["Connections lost at a reload, ws", "not measured: ./bench run survival"],
    ],
  );
  const [, haproxy, hitch] = glance.columns[0].cells;
  assert.deepEqual(
    [haproxy, hitch].map(({ text, spread, rank }) => [text, spread, rank]),
    [
      ["×1.10", "1.07–1.13", "2 ="],
      ["×1.11", "1.06–1.15", "2 ="],
    ],
  );
  const [row] = renderMarkdown(analysis).match(/^\| HAProxy \|.*$/m) ?? [];
  assert.match(row ?? "", /^\| HAProxy \| ×1\.10 \(1\.07–1\.13\), 20\d µs, rank 2 = \| ×1\.0/);
  const lines = renderText(analysis).split("\n");
  assert.ok(lines.some((line) => /^HAProxy +×1\.10 \(1\.07–1\.13\) +×1\.05/.test(line)));
  const page = renderHtml(analysis, { curves: {} });
  assert.ok(page.indexOf("Choose nginx") < page.indexOf("<nav"));
  // Two columns of four proxies; what was not measured is a list below.
  assert.equal(page.match(/<svg class="bar"/g)?.length, 8);
  const [list] = page.match(/<details class="gaps">.*?<\/details>/s) ?? [];
  assert.equal(list?.match(/<li>/g)?.length, 6);
  assert.match(list ?? "", /<li>Connections a GiB: not measured: \.\/bench run nginx-idle<\/li>/);
});

test("what is not measured over one scheme alone is named with it, as over the other", () => {
  const glance = glanceOf(analyse(results({ schemes: ["ws"] }), { policy: null }));
  assert.match(
    glance?.sentence ?? "",
    /CPU per connection \(ws\); not measured here: CPU per connection \(wss\), CPU per message, /,
  );
});

test("where different proxies lead, or none is ranked, the sentence chooses none", () => {
  const memory = glanceOf(recorded("idle-memory"));
  assert.match(
    memory?.sentence ?? "",
    /^Choose HAProxy or HAProxy \+ hitch: no difference seen in memory a held connection \(ws\) and connections a GiB \(ws\); not ranked: CPU per message \(ws\), memory a held connection \(wss\) and connections a GiB \(wss\); not measured here: CPU per handshake, handshake p99 at a set rate, echo p99 at a set rate and connections lost at a reload\.$/,
  );
  const quick = glanceOf(recordedRounds("quick", 4));
  assert.match(quick?.sentence ?? "", /\. A first look: too few rounds for a verdict\.$/);
  assert.match(quick?.columns[0].cells[1].spread ?? "", /^rounds \d\.\d\d–\d\.\d\d$/);
  const few = glanceOf(recorded("nginx-idle"));
  assert.match(few?.sentence ?? "", /^No proxy can be chosen by this run, as it ranks none/);
  assert.ok(few?.columns.every(({ cells }) => cells.every(({ text }) => !text.startsWith("×"))));
});

test("a slope says how many were held, and that not every proxy carried the most", () => {
  const { slopes } = recorded("idle-memory");
  assert.deepEqual(slopes.map(loadText), [
    "slope over up to 9,000 to 50,000 held, as many as each carries here",
    "slope over up to 5,000 held",
  ]);
  const [{ parts, ...family }] = slopes;
  const none = parts.map((part) => ({
    ...part,
    rows: part.rows.map((row) => ({ ...row, slope: null })),
  }));
  assert.equal(loadText({ ...family, parts: none }), "slope over up to 50,000 held");
});

test("of two loads that name different proxies, the column says whose it is, and who is best with the other", () => {
  const cheap = { addedMs: 0.2, cpuUs: 200 };
  const dear = { addedMs: 0.2, cpuUs: 300 };
  const small = rateResults({ scenarios: ["steady"], proxies: { nginx: cheap, haproxy: dear } });
  const large = rateResults({ scenarios: ["steady"], proxies: { nginx: dear, haproxy: cheap } });
  for (const cell of [...large.plan.cells, ...large.cells]) {
    cell.id += "-larger";
    cell.parameters = { ...cell.parameters, MESSAGE_BYTES: 72 };
  }
  const both = {
    ...small,
    plan: { ...small.plan, cells: [...small.plan.cells, ...large.plan.cells] },
    cells: [...small.cells, ...large.cells],
  };
  const told = glanceOf(analyse(both, { policy: null }));
  assert.match(told?.sentence ?? "", /nginx.*best in CPU per message \(ws, not with every load\)/);
  assert.match(
    told?.legend ?? "",
    / CPU per message, ws, stands for 500 messages of 64 bytes a second; best is HAProxy with 500 messages of 72 bytes a second\.$/,
  );
  const alone = glanceOf(analyse(small, { policy: null }));
  assert.doesNotMatch(`${alone?.sentence} ${alone?.legend}`, /not with every load|stands for/);
});

/** Made up: whom one chooses, where some are variants of others. */
const PROXIES = [
  { name: "envoy", title: "Envoy" },
  { name: "nginx", title: "nginx" },
  { name: "slots", title: "nginx, 4,096 slots", variantOf: { proxy: "nginx", differs: "slots" } },
  {
    name: "buffer",
    title: "nginx, 16k buffer",
    variantOf: { proxy: "nginx", differs: "a buffer" },
  },
].map((proxy) => ({ ...proxy, colour: "#000000", parts: [] }));

/**
 * @param {Record<string, string[]>} leaders by column: of its first rank
 * @param {typeof choiceText} [textOf]
 * @returns {string} the choice
 */
function choiceAmong(leaders, textOf = choiceText) {
  const columns = Object.entries(leaders).map(([key, first]) => ({
    ...{ key, protocol: /** @type {const} */ ("websocket"), scheme: /** @type {const} */ ("ws") },
    ...{ at: [], otherwise: [] },
    cells: /** @type {any[]} */ (
      PROXIES.map(({ name }) => ({ proxy: name, rank: first.includes(name) ? 1 : 4 }))
    ),
  }));
  const nameOf = (/** @type {string} */ name) =>
    bracketed(PROXIES.find((proxy) => proxy.name === name)?.title ?? "");
  return textOf(columns, { proxies: PROXIES, nameOf });
}

test("a column in which one is left out that may carry more chooses nobody", () => {
  const cell = (/** @type {object} */ about) => /** @type {any} */ ({ rank: null, ...about });
  const column = (/** @type {object[]} */ ...cells) =>
    /** @type {any} */ ({ cells: cells.map(cell) });
  const decided = column({ rank: 1 }, { rank: 1, isAtLeast: true }, {});
  const open = column({ rank: 1 }, { isAtLeast: true });
  assert.deepEqual(rankedOf([decided, open, column({})]), [decided]);
});

test("by use: who is first in all columns of one, and nobody where different ones are", () => {
  const byUse = (/** @type {Record<string, string[]>} */ leaders) =>
    choiceAmong(leaders, choiceByUse);
  assert.equal(
    byUse({
      ...{ handshake: ["nginx", "slots"], connection: ["envoy", "nginx"], message: ["envoy"] },
      ...{ "handshake-p99": ["envoy", "nginx", "slots", "buffer"], held: ["slots"] },
    }),
    "No proxy is best in all: nginx for short connections (CPU, ws); Envoy for messages (CPU, ws); nginx (4,096 slots) for held connections (memory, ws); Envoy or nginx for a low p99 at a set rate (ws)",
  );
  assert.equal(
    byUse({ handshake: ["nginx"], connection: ["envoy"] }),
    "No proxy is best in all: for short connections (CPU, ws) it depends on the measure",
  );
  assert.equal(
    byUse({ connection: ["nginx", "slots"], message: ["nginx", "envoy"] }),
    "Choose nginx, best or tied with the best in all that was measured",
  );
});

test("whom to choose: a variant is not named beside its original, and a clause says so", () => {
  const clause = "variants that tie with their original are not named";
  assert.equal(
    choiceAmong({ connection: ["envoy", "nginx", "slots"], message: ["nginx", "slots", "buffer"] }),
    `Choose nginx: Envoy and nginx tie in CPU per connection (ws); best in CPU per message (ws); ${clause}`,
  );
  assert.equal(
    choiceAmong({ connection: ["nginx", "slots", "envoy"] }),
    `Choose Envoy or nginx: no difference seen in CPU per connection (ws); ${clause}`,
  );
});

test("whom to choose: a variant is named where its original is not beside it, and beside it where it alone is best in all", () => {
  assert.equal(
    choiceAmong({ connection: ["slots"], message: ["slots", "envoy"] }),
    "Choose nginx (4,096 slots): best in CPU per connection (ws); Envoy and nginx (4,096 slots) tie in CPU per message (ws)",
  );
  assert.equal(
    choiceAmong({ connection: ["slots"], message: ["slots", "nginx"] }),
    "Choose nginx (4,096 slots): best in CPU per connection (ws); nginx and nginx (4,096 slots) tie in CPU per message (ws)",
  );
  assert.equal(
    choiceAmong({ connection: ["buffer"], message: ["nginx", "slots"] }),
    "No proxy is best in all: nginx (16k buffer) is best in CPU per connection (ws); nginx is best in CPU per message (ws); variants that tie with their original are not named",
  );
});

test("whom to choose: without variants nothing is left out", () => {
  assert.equal(
    choiceAmong({ connection: ["envoy", "nginx"] }),
    "Choose Envoy or nginx: no difference seen in CPU per connection (ws)",
  );
});
