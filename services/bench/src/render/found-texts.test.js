import assert from "node:assert/strict";
import { test } from "node:test";
import { stallResults, stormResults, survivalResults } from "../analyse/testing/experiments.js";
import { onBothNetworks } from "../analyse/testing/networks.js";
import { results } from "../analyse/testing/results.js";
import { renderFindings } from "./found-texts.js";
import { publishedRun, RUNS } from "./testing/published.js";

const LOST = publishedRun(
  "survival",
  survivalResults({
    proxies: {
      none: { none: {}, reload: {} },
      haproxy: { none: {}, reload: {} },
      nginx: { none: {}, reload: { ends: [{ afterMs: 100, how: "reset", count: 2000 }] } },
    },
  }),
);

/** @import { Results } from "../model/record.ts" */

/** @type {import("./claim-rows.js").ClaimEntry} */
const CLAIM = {
  claim: "A is <lighter> than B",
  by: "Somebody, 2013",
  state: "no longer",
  today: "A to B 2.00 times.",
  run: "survival",
};

test("findings are sentences, each with its figures and its report, the largest difference first", () => {
  const text = renderFindings([LOST, ...RUNS.slice(0, -1)], [CLAIM]);
  assert.match(
    text,
    /^1\. \*\*Reload: a reload after a change of the configuration: all open connections are lost through nginx, none through HAProxy\.\*\*$/m,
  );
  assert.match(
    text,
    /^\d+\. \*\*A short connection costs \S+ times the CPU through \S.* that it costs/m,
  );
  const found = text.match(/^\d+\. \*\*/gm) ?? [];
  assert.ok(found.length > 3 && found.length <= 10, String(found.length));
  for (const line of text.split("\n").filter((line) => line.startsWith("   - ")))
    assert.match(line, /\]\([a-z]+\/report\.md\)$/);
  assert.doesNotMatch(text, /\b(undefined|NaN|null|Infinity)\b/);
  assert.match(text, /^- \*\*no longer\*\*: A is \\<lighter\\> than B/m);
});

test("what is not seen is no finding, and what is not measured is said", () => {
  const text = renderFindings([publishedRun("short", results({ rounds: 2 }))], []);
  assert.match(text, /No published run shows a difference yet\./);
  assert.match(text, /^- Memory a held connection, ws: not measured/m);
});

/**
 * @param {Results} made
 * @param {Record<string, Partial<Results["proxies"][number]>>} [changes] by name of a proxy, to its record
 * @returns {string[]} the sentences, in order
 */
function sentences(made, changes = {}) {
  const proxies = made.proxies.map((one) => ({ ...one, ...changes[one.name] }));
  const text = renderFindings([publishedRun("made", { ...made, proxies })], []);
  return [...text.matchAll(/^\d+\. \*\*(.*)\.\*\*$/gm)].map(([, sentence]) => sentence);
}

test("a proxy in which a client that does not read takes nothing: none, as of the shares", () => {
  const stall = { sent: 10e6, heldBack: true, p99Ms: /** @type {[number, number]} */ ([3, 3]) };
  const made = stallResults(
    {
      none: { ...stall, grown: 0 },
      nginx: { ...stall, grown: 0 },
      haproxy: { ...stall, grown: 2.5e6 },
    },
    { rounds: 6 },
  );
  assert.deepEqual(sentences(made), [
    "A client that does not read costs HAProxy 2.50 MB of memory, and nginx none",
  ]);
});

test("what Docker's network costs is a finding where it is seen, and none where it is not", () => {
  const text = (/** @type {number} */ cost) =>
    renderFindings([publishedRun("network", onBothNetworks({ cost }))], []);
  const found = text(1.5);
  const [sentence] = found.match(/^\d+\. .* on the network that Docker makes .*$/m) ?? [];
  assert.match(
    sentence ?? "",
    /^\d+\. \*\*A short connection costs \S+ 1\.5\d times the CPU on the network that Docker makes that it costs on the machine's own\.\*\*$/,
  );
  assert.match(
    found,
    /^ {3}- 2,000 short-lived connections, wss: .*nginx 1\.\d+ times \(1\.\d+ to 1\.\d+\).* \[network of \S+\]\(network\/report\.md\)$/m,
  );
  assert.doesNotMatch(text(1), /on the network that Docker makes/);
  const both = [1.3, 1.5].map((cost) => publishedRun(`network${cost}`, onBothNetworks({ cost })));
  const [first] =
    renderFindings(both, []).match(/costs \S+ \S+ times the CPU on the network/g) ?? [];
  assert.match(first ?? "", / 1\.[45]\d times/);
});

const SLOTS = {
  title: "nginx, 4,096 slots",
  variantOf: { proxy: "nginx", differs: "fewer slots, a quarter" },
};

test("a variant is told with what it differs in; one that ties is not named, in figures either", () => {
  const proxies = { nginx: {}, slots: { peakBytes: 60e6 }, haproxy: { cpuUsPerHandshake: 500 } };
  const made = results({ proxies, schemes: ["ws"] });
  const [first, ...rest] = sentences(made, { slots: SLOTS });
  assert.match(
    first,
    /^(Warmed up and without a connection|With 100 connections at a time) nginx \(4,096 slots\) \S.* \d\S* MB of memory, and nginx \S.*; nginx \(4,096 slots\) has fewer slots, a quarter$/,
  );
  const cpu = rest.find((sentence) => sentence.startsWith("A short connection")) ?? "";
  assert.match(cpu, /through HAProxy that it costs through nginx$/);
  const renamed = made.proxies.map((one) => (one.name === "slots" ? { ...one, ...SLOTS } : one));
  const text = renderFindings([publishedRun("made", { ...made, proxies: renamed })], []);
  const [details] = text.match(/short connection costs.*\n {3}- .*/) ?? [];
  // The one that ratios are to is there in any case.
  assert.match(
    details ?? "",
    /: (nginx \(4,096 slots\) \d+ µs; )?nginx (\d+ µs|×[^;]*); HAProxy ×\d\.\d\d [^;]* \[made of /,
  );
});

test("what TLS turns round, and what it costs to end it in a program of its own, are told with both schemes", () => {
  const dear = { cpuUsPerHandshake: 500 };
  const sameWorkAs = { proxy: "haproxy", scheme: /** @type {const} */ ("ws") };
  const proxies = { nginx: {}, haproxy: {}, "haproxy-hitch": dear };
  const [pair] = sentences(results({ proxies }), { "haproxy-hitch": { sameWorkAs } });
  assert.match(
    pair,
    /^With TLS a short connection costs 2\.\d\d times the CPU through HAProxy \+ hitch that it costs through HAProxy; without TLS both do the same work$/,
  );
  const ws = results({ proxies: { nginx: {}, haproxy: dear }, schemes: ["ws"] });
  const wss = results({ proxies: { nginx: {}, haproxy: {} }, schemes: ["wss"] });
  const plan = { ...ws.plan, cells: [...ws.plan.cells, ...wss.plan.cells] };
  const [turned] = sentences({ ...ws, plan, cells: [...ws.cells, ...wss.cells] });
  assert.match(
    turned,
    /^Without TLS a short connection costs 2\.\d\d times the CPU through HAProxy that it costs through nginx; with TLS nothing is seen to cost less than HAProxy$/,
  );
});

test("storms are told beside the control, events by what is done", () => {
  /** @type {(factor: number) => Parameters<typeof stormResults>[0][string]} */
  const back = (factor) => Array(4).fill({ seconds: [0.5 * factor, factor, 1.5 * factor] });
  assert.deepEqual(sentences(stormResults({ none: back(1), nginx: back(1), haproxy: back(2) })), [
    "When all connections are cut at once (2,000 connections, back at once), 99 % are back after 2,000 ms through HAProxy, 2.00 times what it takes without a proxy; through nginx no difference from that is seen",
  ]);
  const servers = (/** @type {number} */ connections) => [
    { address: "10.0.0.1", connections: 500 - connections, isNew: false },
    { address: "10.0.0.2", connections, isNew: true },
  ];
  const failed = [{ second: 1, count: 12, cause: "refused" }];
  const told = sentences(
    survivalResults({
      proxies: {
        nginx: { none: {}, "backend-scale": { failed, echoShare: servers(10) } },
        haproxy: { none: {}, "backend-scale": { echoShare: servers(250) } },
      },
    }),
  );
  const event = "Backend-scale: a third server appears behind the proxy";
  assert.deepEqual(told, [
    `${event}: the server that starts gets 2.00 % of the new connections through nginx, 50.0 % through HAProxy`,
    `${event}: 1.00 % of the new handshakes fail through nginx, none through HAProxy`,
  ]);
});
