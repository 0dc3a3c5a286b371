import assert from "node:assert/strict";
import { test } from "node:test";
import { analyse } from "./index.js";
import { POLICY, results } from "./testing/results.js";

const policy = /** @type {any} */ (POLICY);

/**
 * @param {RegExp} question
 * @param {Parameters<typeof results>[0]} [options]
 * @param {import("./types.js").Analysis["noiseFloor"]} [noiseFloor]
 */
function answer(question, options, noiseFloor) {
  const { verdicts } = analyse(results(options), { policy, noiseFloor });
  const found = verdicts.filter((verdict) => question.test(verdict.question));
  assert.equal(
    found.length,
    1,
    `${question}: ${verdicts.map((verdict) => verdict.question).join(" ")}`,
  );
  return found[0];
}

const CPU_WS = /^Which proxy costs least CPU per handshake over ws\?$/;

test("a tie in front, and the rest with its ratio", () => {
  const { answer: text, caveats } = answer(CPU_WS);
  assert.match(
    text,
    /^At 2,000 connections, 100 at a time: no difference seen between (nginx|HAProxy) and (nginx|HAProxy): .* µs \(19\d to 20\d\) and .* µs \(\d+ to \d+\); http-proxy 3\.\d\d times \(3\.\d\d to 3\.\d\d\) as much as (nginx|HAProxy)\.$/,
  );
  assert.deepEqual(caveats, []);
});

test("one in front", () => {
  const { answer: text } = answer(CPU_WS, {
    proxies: {
      none: {},
      nginx: { cpuUsPerHandshake: 220 },
      haproxy: {},
      "http-proxy": { cpuUsPerHandshake: 700 },
    },
  });
  assert.match(
    text,
    /: HAProxy costs least, \d+ µs \(\d+ to \d+\); nginx 1\.\d\d times \(.*\) as much and http-proxy 3\.\d\d times \(.*\)\.$/,
  );
});

test("a tie of all says what would have been seen", () => {
  const { answer: text } = answer(CPU_WS, { proxies: { none: {}, nginx: {}, haproxy: {} } });
  assert.match(
    text,
    /no difference seen between the proxies: .*; one of 1\.0\d times would have been seen in 4 of 5 such runs\.$/,
  );
});

test("a tie behind the best is told", () => {
  const { answer: text } = answer(CPU_WS, {
    proxies: { none: {}, nginx: { cpuUsPerHandshake: 100 }, haproxy: {}, "http-proxy": {} },
  });
  assert.match(
    text,
    /nginx costs least.*, no difference seen between (HAProxy and http-proxy|http-proxy and HAProxy)\.$/,
  );
});

test("few rounds are not called tested", () => {
  const few = answer(CPU_WS, { rounds: 3 });
  assert.match(few.answer, /\(rounds from \d+ to \d+\).*\(by range over 3 rounds, not tested\)\.$/);
  assert.match(few.caveats.join(), /1 pair in 10/);
  const one = answer(CPU_WS, { rounds: 1 });
  assert.match(
    one.answer,
    /: a single round, so no ranking: (nginx|HAProxy) \d+ µs, (nginx|HAProxy) \d+ µs and http-proxy \d+ µs\.$/,
  );
});

test("what is missing, weak, or otherwise with fewer connections is a caveat", () => {
  const options = {
    connections: [2000, 10000],
    /** @type {NonNullable<Parameters<typeof results>[0]>["change"]} */
    change: (record, { proxy, parameters }) => {
      if (proxy === "http-proxy" && parameters.CONNECTIONS === 10000) return [];
      if (proxy === "nginx" && parameters.CONNECTIONS === 2000)
        record.containers.nginx.cpu.totalSeconds *= 2;
      return [record];
    },
  };
  const { answer: text, caveats } = answer(CPU_WS, options);
  assert.match(text, /^At 10,000 connections/);
  assert.deepEqual(caveats, [
    "http-proxy has no figure: not run yet",
    "with 2,000 connections rank 1 is HAProxy",
  ]);
});

test("a difference that a copy of a proxy shows as well means nothing", () => {
  const proxies = { none: {}, nginx: { cpuUsPerHandshake: 210 }, haproxy: {} };
  const floor = (/** @type {number} */ ratio) => ({
    run: "aa",
    proxy: "nginx",
    ratios: { cpu_us_per_handshake: ratio },
  });
  const small = answer(CPU_WS, { proxies }, floor(1.08));
  assert.match(
    small.caveats.join(),
    /nginx against a copy of itself came out 1\.08 times apart: the difference of nginx/,
  );
  assert.deepEqual(answer(CPU_WS, { proxies }, floor(1.01)).caveats, []);
});

test("TLS: wss against ws of each proxy, paired by round", () => {
  const { answer: text, caveats } = answer(/^What does TLS cost in CPU per handshake\?$/);
  assert.match(text, /: over wss against ws, .*2\.\d\d times \(2\.\d\d to 2\.\d\d\).* and .*\.$/);
  for (const title of ["nginx", "HAProxy", "http-proxy"]) assert.match(text, new RegExp(title));
  assert.doesNotMatch(text, /no proxy/);
  assert.match(caveats.join(), /full handshake/);
});

test("what a proxy adds to the control's time", () => {
  const question = /^How much time does a proxy add to a handshake over ws\?$/;
  const { answer: text } = answer(question, {
    proxies: { none: {}, nginx: { handshakeMs: 20.1 }, haproxy: { handshakeMs: 25 } },
  });
  assert.match(
    text,
    /: the control took (19|20)\.?\d* ms; HAProxy adds [45]\.?\d* ms, 1\.2\d times \(.*\) the control; no difference from it seen for nginx\.$/,
  );
});

test("a control that was slower answers nothing", () => {
  const { answer: text } = answer(/add to a handshake over ws\?/, {
    proxies: { none: { handshakeMs: 30 }, nginx: {}, haproxy: {} },
  });
  assert.match(
    text,
    /: cannot be told: the control \(.*\) was slower than nginx \(.*\) and HAProxy \(.*\): here it bounds nothing/,
  );
});

test("with one round, what is added is untested", () => {
  const { answer: text } = answer(/add to an echo over ws\?/, { rounds: 1 });
  assert.match(text, /the control took .*; a single round, so untested: nginx \+.* ms, HAProxy/);
});

test("many messages are asked about by the message", () => {
  const parameters = { CONNECTIONS: 2000, CONCURRENCY: 100, MESSAGES: 100, MESSAGE_BYTES: 1024 };
  const { answer: text } = answer(
    /^Which proxy costs least CPU per message over ws, 100 messages a connection\?$/,
    { parameters },
  );
  assert.match(text, / µs /);
});

test("memory in its unit, throughput without one", () => {
  assert.match(answer(/least memory over ws\?/).answer, /3\d(\.\d)? MB \(29\.\d to 30\.\d\)/);
  const throughput = answer(/most connections per second over ws\?/).answer;
  assert.match(throughput, /http-proxy 0\.4\d times \(.*\) as many as/);
});

test("nothing counted, nothing claimed", () => {
  const { verdicts } = analyse(results({ change: () => [] }), { policy });
  assert.ok(verdicts.length > 0);
  for (const { answer: text } of verdicts) assert.match(text, /cannot be told/);
});
