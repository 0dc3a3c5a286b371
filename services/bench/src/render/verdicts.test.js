import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "../analyse/index.js";
import { tlsResults } from "../analyse/testing/http.js";
import { POLICY, results, selfResults } from "../analyse/testing/results.js";
import { findingText } from "./findings.js";
import { verdictTexts } from "./verdicts.js";
import { titleOfProxy } from "./words.js";

/** @import { LeakAnswer } from "../analyse/types.js" */

const policy = /** @type {any} */ (POLICY);

/**
 * @param {Parameters<typeof results>[0]} [options]
 * @param {import("../analyse/types.js").NoiseFloor | null} [noiseFloor]
 */
const analysed = (options, noiseFloor) =>
  verdictTexts(analyse(results(options), { policy, noiseFloor }));

/**
 * @param {RegExp} question
 * @param {string} over
 * @param {Parameters<typeof results>[0]} [options]
 * @param {import("../analyse/types.js").NoiseFloor | null} [noiseFloor]
 */
function answer(question, over, options, noiseFloor) {
  const { lead, verdicts } = analysed(options, noiseFloor);
  const found = verdicts.filter((verdict) => question.test(verdict.question));
  assert.equal(found.length, 1, `${question}: ${verdicts.map((one) => one.question).join(" ")}`);
  const own = found[0].answers.find((one) => one.over === over);
  assert.ok(own, `${over}: ${found[0].answers.map((one) => one.over).join(" ")}`);
  return { lead, verdict: found[0], text: own.text, caveats: own.caveats };
}

const CPU = /^Which proxy costs least CPU per connection\?$/;
const HANDSHAKE = /^How much time does a proxy add to a handshake\?$/;

test("each question once, with an answer a scheme", () => {
  const { verdicts } = analysed();
  assert.deepEqual(
    verdicts.map(({ question, answers }) => [question, answers.map(({ over }) => over).join(" ")]),
    [
      ["Which proxy costs least CPU per connection?", "ws wss"],
      ["What does TLS cost in CPU per connection?", "wss / ws"],
      ["How much time does a proxy add to a handshake?", "ws"],
      ["How much time does a proxy add to an echo?", "ws"],
      ["How much memory does a proxy have before and under this load?", "ws wss"],
      ["Which proxy carries most connections per second?", "ws wss"],
    ],
  );
  const single = analysed({ schemes: ["wss"] }).verdicts;
  assert.deepEqual(
    single.map(({ answers }) => answers.map(({ over }) => over).join(" ")),
    ["wss", "wss", "wss"],
  );
});

const NO_REFERENCE =
  "No reference proxy shared the load: how fast the machine was in each cell is not known, and µs of CPU time are that machine's at that hour.";

test("load, brackets and how a difference is seen are said once, above", () => {
  assert.deepEqual(analysed().lead, [
    "All answers are for 2,000 connections, 100 at a time, closed loop.",
    "In brackets: the 95 % interval over 6 rounds.",
    NO_REFERENCE,
    "A difference is seen where Mann–Whitney's test finds it at the 5 % level, corrected for all pairs of a comparison.",
  ]);
  const several = analysed({ connections: [2000, 10000, 5000] });
  assert.equal(
    several.lead[0],
    "All answers are for 2,000, 5,000 and 10,000 connections, 100 at a time, closed loop.",
  );
  assert.match(several.lead[1], /^Several numbers of connections are answered for together: /);
  assert.match(
    several.lead.join(" "),
    /where van Elteren's stratified test .* finds it at the 5 %/,
  );
  for (const { answers } of several.verdicts)
    for (const { text } of answers) assert.doesNotMatch(text, /10,000/);
  const [{ singles }] = several.verdicts[0].answers;
  assert.deepEqual(
    singles.map(({ over }) => over),
    ["2,000 connections", "5,000 connections", "10,000 connections"],
  );
  for (const { text } of singles) assert.match(text, /http-proxy 3\.\d\d times/);
});

test("where the load differs, each answer names its own", () => {
  const { lead, verdicts } = analysed({
    connections: [2000, 10000],
    change: (record, { scheme, parameters }) =>
      scheme === "wss" && parameters.CONNECTIONS === 10000 ? [] : [record],
  });
  assert.equal(lead[0], "Each answer names its load.");
  assert.deepEqual(
    verdicts[0].answers.map(({ over }) => over),
    [
      "ws, 2,000 and 10,000 connections, 100 at a time, closed loop",
      "wss, 2,000 connections, 100 at a time, closed loop",
    ],
  );
  assert.equal(
    verdicts[1].answers[0].over,
    "wss / ws, 2,000 connections, 100 at a time, closed loop",
  );
});

test("a tie in front, and the rest with its ratio", () => {
  const { text, caveats } = answer(CPU, "ws");
  assert.match(
    text,
    /^No difference seen between (nginx|HAProxy) \d+ µs \(19\d to 20\d\) and (nginx|HAProxy) \d+ µs \(\d+ to \d+\); http-proxy 3\.\d\d times \(3\.\d\d to 3\.\d\d\) as much as (nginx|HAProxy)\.$/,
  );
  assert.deepEqual(caveats, []);
});

test("one in front", () => {
  const { text } = answer(CPU, "ws", {
    proxies: {
      none: {},
      nginx: { cpuUsPerHandshake: 220 },
      haproxy: {},
      "http-proxy": { cpuUsPerHandshake: 700 },
    },
  });
  assert.match(
    text,
    /^HAProxy costs least, \d+ µs \(\d+ to \d+\); nginx 1\.\d\d times \(.*\) as much and http-proxy 3\.\d\d times \(.*\)\.$/,
  );
});

test("a tie of all says what would have been seen", () => {
  const { text } = answer(CPU, "ws", { proxies: { none: {}, nginx: {}, haproxy: {} } });
  assert.match(
    text,
    /^No difference seen between .*; a difference of 1\.0\d times would have been seen with a probability of 80 %\.$/,
  );
});

test("a tie behind the best is told, and a name keeps its small letter", () => {
  const { text } = answer(CPU, "ws", {
    proxies: { none: {}, nginx: { cpuUsPerHandshake: 100 }, haproxy: {}, "http-proxy": {} },
  });
  assert.match(
    text,
    /^nginx costs least.*, no difference seen between (HAProxy and http-proxy|http-proxy and HAProxy)\.$/,
  );
});

test("few rounds are not called tested, and what is in brackets is their range", () => {
  const few = answer(CPU, "ws", { rounds: 4 });
  assert.match(
    few.text,
    / µs \(\d+ to \d+\) and .*; http-proxy 3\.\d\d times \(3\.\d\d to 3\.\d\d\)/,
  );
  assert.deepEqual(few.lead.slice(1), [
    "In brackets: the lowest and the highest round, as 4 are too few for a 95 % interval.",
    NO_REFERENCE,
    "A first look, 4 rounds of the 6 that a verdict takes: ranked by range and not tested, so that two equal proxies would rank apart in 1 of 35 cases.",
  ]);
  assert.deepEqual([few.caveats, few.verdict.caveats], [[], []]);
  const one = answer(CPU, "ws", { rounds: 1 });
  assert.match(
    one.text,
    /^Not ranked: (nginx|HAProxy) \d+ µs, (nginx|HAProxy) \d+ µs and http-proxy \d+ µs\.$/,
  );
  assert.match(one.lead.join(" "), /A single round: below 4 nothing is ranked/);
});

test("where only some have an interval, a range says that it is one", () => {
  const { lead, text } = answer(CPU, "ws", {
    change: (record, { proxy, round }) => (proxy === "http-proxy" && round > 4 ? [] : [record]),
  });
  assert.match(lead[1], /the 95 % interval or, where it says rounds, /);
  assert.match(text, /µs \(\d+ to \d+\).*http-proxy 3\.\d\d times \(rounds 3\.\d\d to 3\.\d\d\)/);
});

test("a tie with the best is no tie of the others", () => {
  const handshakes = [
    { nginx: 102, haproxy: 106, "http-proxy": 90 },
    { nginx: 102.2, haproxy: 106.2, "http-proxy": 91 },
    { nginx: 102.4, haproxy: 106.4, "http-proxy": 92 },
    { nginx: 102.6, haproxy: 106.6, "http-proxy": 110 },
    { nginx: 102.8, haproxy: 106.8, "http-proxy": 120 },
    { nginx: 103, haproxy: 107, "http-proxy": 130 },
  ];
  const { text } = answer(CPU, "ws", {
    change: (record, { proxy, round }) => {
      const us = /** @type {Record<string, number>} */ (handshakes[round - 1])[proxy] ?? 100;
      record.containers[proxy].cpu.totalSeconds = (us * 2000) / 1e6;
      return [record];
    },
  });
  assert.match(
    text,
    /^No difference seen between http-proxy 101 µs \(90 to 130\) and any of nginx 10\d µs \(102 to 103\) and HAProxy 10\d µs \(106 to 107\)/,
  );
});

test("what is missing with some connections is a caveat, and opposite differences are in the answer itself", () => {
  const { text, verdict, lead } = answer(CPU, "ws", {
    connections: [2000, 5000, 10000],
    change: (record, { proxy, parameters: { CONNECTIONS } }) => {
      if (proxy === "http-proxy" && CONNECTIONS === 10000) return [];
      if (proxy === "nginx")
        record.containers.nginx.cpu.totalSeconds *= CONNECTIONS < 10000 ? 2 : 0.5;
      return [record];
    },
  });
  assert.match(
    text,
    /^No difference seen between HAProxy .* and nginx .*; http-proxy .*; but nginx and HAProxy differ in opposite directions: nginx is better with 10,000 connections, HAProxy with 2,000 and 5,000\.$/,
  );
  assert.match(
    [...verdict.caveats, ...lead].join(),
    /each two are compared over those that both have.*http-proxy none with 10,000/,
  );
});

test("what holds for one scheme alone says so, and what for one answer stays with it", () => {
  const { lead, verdicts } = analysed({
    change: (record, { proxy, scheme }) => (proxy === "nginx" && scheme === "wss" ? [] : [record]),
  });
  assert.equal(lead.at(-1), "No figure for nginx: not run yet (over wss).");
  assert.ok(verdicts.every(({ answers }) => answers.every(({ caveats }) => caveats.length === 0)));
  const wide = analysed({
    change: (record, { round, scheme }) => {
      if (scheme === "wss") record.totalSeconds = 5 * round;
      return [record];
    },
  });
  const handshake = wide.verdicts.find(({ question }) => /connections per second/.test(question));
  assert.deepEqual(handshake?.answers[0].caveats, []);
  assert.match(
    handshake?.answers[1].caveats.join() ?? "",
    /^The middle half of the rounds spans more than 25 % of the median: no proxy \d+(\.\d)? %, nginx /,
  );
});

const FLOOR = {
  run: "2026-aa-nginx",
  proxy: "nginx",
  connections: [1000],
  scenarios: ["short-lived"],
  rounds: 6,
};

test("a difference that a copy of a proxy shows as well means nothing", () => {
  const proxies = { none: {}, nginx: { cpuUsPerHandshake: 210 }, haproxy: {} };
  const floor = (/** @type {number} */ ratio) => ({
    ...FLOOR,
    ratios: { cpu_us_per_connection: ratio, handshake_ms_p99: 3 },
  });
  const small = answer(CPU, "ws", { proxies }, floor(1.08));
  assert.match(
    [...small.caveats, ...small.verdict.caveats].join(),
    /The difference of nginx from the best is no larger than the noise floor: 1\.08 times with 1,000 connections/,
  );
  assert.equal(
    small.lead.at(-1),
    "Noise floor: a difference below 1.08 times in CPU per connection is noise here. By so much nginx differed from a copy of itself, with 1,000 connections over 6 rounds (run 2026-aa-nginx).",
  );
  const large = answer(CPU, "ws", { proxies }, floor(1.01));
  assert.deepEqual([...large.caveats, ...large.verdict.caveats], []);
});

test("TLS: wss against ws of each proxy, paired by round", () => {
  const { text, verdict } = answer(/^What does TLS cost in CPU per connection\?$/, "wss / ws");
  assert.match(text, /2\.\d\d times \(2\.\d\d to 2\.\d\d\).* and .*\.$/);
  for (const title of ["nginx", "HAProxy", "http-proxy"]) assert.match(text, new RegExp(title));
  assert.doesNotMatch(text, /no proxy/);
  assert.match(verdict.caveats.join(), /full handshake/);
});

test("what a proxy adds to the control's time", () => {
  const { text } = answer(HANDSHAKE, "ws", {
    proxies: { none: {}, nginx: { handshakeMs: 20.1 }, haproxy: { handshakeMs: 25 } },
  });
  assert.match(
    text,
    /^The control took (19|20)\.\d ms \(.*\) with p99 \d\d\.\d ms; HAProxy adds [45]\.\d\d ms, 1\.2\d times \(.*\) the control with p99 7\d\.\d ms; no difference from it seen for nginx\.$/,
  );
  const same = answer(HANDSHAKE, "ws", { proxies: { none: {}, nginx: {}, haproxy: {} } });
  assert.match(
    same.text,
    /^No difference seen between the control, \d\d\.\d ms \(.*\) with p99 \d\d\.\d ms, and any proxy\.$/,
  );
});

test("a control that was slower bounds nothing, and the proxies are held against one another", () => {
  const options = {
    proxies: { none: { handshakeMs: 30 }, nginx: {}, haproxy: { handshakeMs: 25 } },
  };
  const { text, caveats } = answer(HANDSHAKE, "ws", options);
  assert.match(
    text,
    /^No answer: the control \(.* ms with p99 .* ms\) was slower than nginx \(.* ms with p99 .* ms\) and HAProxy \(.* ms\), so it is no baseline here; among the proxies, nginx takes least, 2?[01]?9?\d\.?\d ms \(.*\) with p99 .* ms; HAProxy 1\.2\d times \(.*\) as long with p99 .* ms\.$/,
  );
  assert.doesNotMatch(caveats.join(), /control/);
});

test("with one round, what is added is untested", () => {
  const { text } = answer(/add to an echo\?/, "ws", { rounds: 1 });
  assert.match(
    text,
    /^A single round, so untested: the control took .* ms, nginx \+.* ms, HAProxy/,
  );
});

test("many messages alone tell what a connection costs, beside few what a message and a handshake cost", () => {
  const { lead } = answer(CPU, "ws", { messages: [100] });
  assert.match(lead[0], /for 2,000 connections, 100 at a time, 100 messages each, closed loop\.$/);
  const proxies = {
    nginx: { cpuUsPerHandshake: 200, cpuUsPerMessage: 20 },
    haproxy: { cpuUsPerHandshake: 150, cpuUsPerMessage: 30 },
  };
  const both = verdictTexts(analyse(results({ proxies, messages: [1, 100] }), { policy }));
  const cpu = both.verdicts.filter(({ question }) => /CPU/.test(question));
  const tls = cpu.splice(2);
  assert.deepEqual(
    tls.map(({ question, caveats }) => [question, caveats.length]),
    [
      ["What does TLS cost in CPU per handshake and close, 1 message a connection?", 1],
      // No handshake is in it.
      ["What does TLS cost in CPU per message, 100 messages a connection?", 0],
    ],
  );
  assert.deepEqual(
    cpu.map(({ question }) => question),
    [
      "Which proxy costs least CPU per handshake and close, 1 message a connection?",
      "Which proxy costs least CPU per message, 100 messages a connection?",
    ],
  );
  assert.match(cpu[0].answers[0].text, /^HAProxy costs least, 1[45]\d µs .*; nginx 1\.3\d times/);
  assert.match(
    cpu[1].answers[0].text,
    /^nginx costs least, 20\.\d µs .*; HAProxy 1\.[45]\d? ?times/,
  );
});

test("memory in its unit, throughput without one", () => {
  assert.match(
    answer(/How much memory/, "ws").text,
    /nginx (19|20)\.\d MB \((19|20)\.\d to (19|20)\.\d\) and (9|10)\.\d+ MB \(.*\) more/,
  );
  const throughput = answer(/most connections per second\?/, "ws").text;
  assert.match(throughput, /http-proxy 0\.4\d times \(.*\) as many as/);
});

test("nothing counted, nothing claimed", () => {
  const { verdicts } = analysed({ change: () => [] });
  assert.ok(verdicts.length > 0);
  for (const { answers } of verdicts)
    for (const { text } of answers) assert.match(text, /^No answer: /);
});

/** @param {Parameters<typeof selfResults>[0]} [options] */
const self = (options) => verdictTexts(analyse(selfResults(options), { policy }));

test("A/A: a tie says so, and how far apart the two were", () => {
  const { lead, verdicts } = self();
  const [tie, noise] = verdicts;
  assert.equal(tie.question, "Does nginx tie with a copy of itself?");
  for (const { text } of tie.answers)
    assert.match(
      text,
      /^Yes, no difference is seen in any of 9 measures; the furthest apart is .* [01]\.\d\d times \(.*\)\.$/,
    );
  assert.match(
    noise.answers[0].text,
    /up to 1\.0\d+ times in CPU per connection; 1\.0\d+ times in Handshake, mean; /,
  );
  assert.match(
    lead.at(-1) ?? "",
    /at the 5 % level, corrected for all 18 comparisons of this run;/,
  );
  assert.match(self({ rounds: 4 }).lead.at(-1) ?? "", /^Too few rounds to test 18 comparisons: /);
});

test("A/A: a difference is no tie, and one round tells nothing", () => {
  const [{ answers }] = self({ copy: { cpuUsPerHandshake: 240 } }).verdicts;
  assert.match(
    answers[0].text,
    /^No, a difference is seen in 1 of 9 measures: CPU per connection 1\.\d\d times \(1\.\d\d to 1\.\d\d\)\.$/,
  );
  const [single] = self({ rounds: 1 }).verdicts;
  assert.match(single.answers[0].text, /^No answer: with fewer than 4 rounds/);
});

test("A/A: a copy that ran without observers tells their cost, and no noise", () => {
  const run = selfResults({ schemes: ["ws"] });
  for (const cell of run.plan.cells) cell.observed = cell.proxy !== "nginx-copy";
  const analysis = analyse(run, { policy });
  const { aa, findings } = analysis;
  const { verdicts } = verdictTexts(analysis);
  assert.equal(aa?.unobserved, true);
  assert.equal(verdicts.length, 1);
  assert.match(verdicts[0].question, /with and without its observers/);
  assert.match(
    findings.map((finding) => findingText(finding, (name) => titleOfProxy(run, name))).join(),
    /nginx \(copy\) ran without InfluxDB and cAdvisor/,
  );
});

test("two that cannot be told from the best but differ from each other are not called equal", () => {
  /** @type {Record<string, number[]>} */
  const micros = {
    nginx: [90, 91, 92, 110, 120, 130],
    haproxy: [102, 102.2, 102.4, 102.6, 102.8, 103],
    "http-proxy": [106, 106.2, 106.4, 106.6, 106.8, 107],
  };
  const { text } = answer(CPU, "ws", {
    schemes: ["ws"],
    proxies: { none: {}, nginx: {}, haproxy: {}, "http-proxy": {} },
    change: (record) => {
      const own = micros[record.proxy]?.[record.round - 1];
      const { cpu } = record.containers[record.proxy];
      if (own) cpu.totalSeconds = (own * record.parameters.CONNECTIONS) / 1e6;
      return [record];
    },
  });
  assert.match(
    text,
    /^No difference seen between nginx 101 µs \(.*\) and any of HAProxy 103 µs \(.*\) and http-proxy 107 µs \(.*\); a difference of /,
  );
});

test("kinds of handshakes: what each costs beside the other, and over what", () => {
  const { verdicts } = verdictTexts(analyse(tlsResults(), { policy }));
  assert.deepEqual(
    verdicts.map(({ question }) => question),
    [
      "Which proxy costs least CPU per connection, TLS 1.3, full handshakes, ECDSA key?",
      "What does a resumed handshake cost beside a full one in CPU?",
      "What does a full handshake with an RSA key cost beside one with an ECDSA key in CPU?",
      "What does a full handshake of TLS 1.2 cost beside one of TLS 1.3 in CPU?",
    ],
  );
  const [, resumed, rsa, tls12] = verdicts;
  assert.deepEqual(
    [resumed, rsa, tls12].map(({ answers }) => answers.map(({ over }) => over)),
    [
      [
        "TLS 1.2, ECDSA key",
        "TLS 1.2, RSA-2048 key",
        "TLS 1.3, ECDSA key",
        "TLS 1.3, RSA-2048 key",
      ],
      ["TLS 1.2", "TLS 1.3"],
      ["ECDSA key", "RSA-2048 key"],
    ],
  );
  assert.match(
    resumed.answers[2].text,
    /^hitch 0\.6\d times \(.*\), .* and http-proxy 0\.9\d times/,
  );
  assert.match(resumed.caveats.join(), /for the handshake alone/);
});

/**
 * @param {LeakAnswer["left"]} left
 * @returns {string}
 */
function leakText(left) {
  const analysis = analyse(results({ rounds: 1 }), { policy });
  const answer = {
    settings: [analysis.settings[0]],
    connections: 12_000,
    settleSeconds: 10,
    left,
    caveats: [],
  };
  const scope = { scenario: null, parameters: {}, description: null };
  const { verdicts } = verdictTexts({
    ...analysis,
    verdicts: [{ question: "leak", scope, answers: [answer], caveats: [] }],
  });
  assert.equal(
    verdicts[0].question,
    "Does a proxy keep connections that its clients have dropped?",
  );
  return verdicts[0].answers[0].text;
}

test("connections that are kept: by none, or by whom, how many, and who keeps none", () => {
  const nginx = { proxy: "nginx", left: 0, isLeak: false };
  assert.equal(
    leakText([nginx, { proxy: "http-proxy", left: 0, isLeak: false }]),
    "None does: 10 s after the last of 12,000 connections, no proxy had a socket or descriptor more than before.",
  );
  assert.match(
    leakText([{ ...nginx, left: 3 }]),
    /over 3 sockets or descriptors more than before\.$/,
  );
  assert.equal(
    leakText([
      { proxy: "http-proxy", left: 120, isLeak: true },
      { ...nginx, left: 119 },
    ]),
    "10 s after the last of 12,000 connections, http-proxy had 120 sockets or descriptors more than before (1 %); nginx released them.",
  );
});
