import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findingParts,
  findingSentence,
  findingText,
  missingText,
  plainReason,
  tellFindings,
} from "./findings.js";

/** @import { Finding, FindingOf, Gate, Missing } from "../analyse/types.js" */

const title = (/** @type {string} */ name) => `«${name}»`;

/** One of each gate, and its sentence. @type {{[G in Gate]: [Omit<FindingOf<G>, "gate">, string]}} */
const CASES = {
  "generator-busy": [
    {
      severity: "invalid",
      figures: { percent: 86.04, limit: 80, cores: 2, isBounded: false },
    },
    "the generator used 86 % of its 2 cores (limit 80 %): latencies and throughput are limited by it",
  ],
  "too-short": [
    {
      severity: "weak",
      figures: { cpuSeconds: 0.08, tickSeconds: 0.01, percent: 25, limit: 20, repeats: "requests" },
    },
    "the proxy used 0.08 s of CPU: a tick of 0.01 s at each end is 25 % of that (limit 20 %); more requests make the phase longer",
  ],
  saturated: [
    { severity: "weak", figures: { percent: 96.04, limit: 90, loop: "closed", atATime: 100 } },
    "closed loop, 100 at a time, machine saturated: time in the queue (96 % busy, limit 90 %)",
  ],
  steal: [
    { severity: "weak", figures: { percent: 5, limit: 2 } },
    "steal took 5 % of the machine's CPU time (limit 2 %)",
  ],
  "foreign-load": [
    { severity: "weak", figures: { percent: 30, limit: 10 } },
    "other programs used 30 % of the machine's CPU time (limit 10 %)",
  ],
  "machine-index": [
    { severity: "weak", figures: { percent: -31.2, limit: 25, medianUs: 187.3 } },
    "the reference proxy cost 31.2 % less CPU time than in the median cell of the setting, 187 µs (limit 25 %): the machine was faster",
  ],
  tls: [
    {
      severity: "invalid",
      figures: { what: "key", found: "rsa 2048", expected: ["ecdsa"], isOfLoad: false },
    },
    "TLS key was rsa 2048, the policy says ecdsa: proxies cannot be compared",
  ],
  "tls-unknown": [
    { severity: "invalid", figures: {} },
    "what TLS negotiated was not recorded, so ciphers may differ",
  ],
  bypassed: [
    { severity: "invalid", figures: { what: "rxPackets", found: 900, least: 8000 } },
    "900 packets received by the proxy, but this load needs at least 8,000: traffic did not pass it",
  ],
  "bypass-unknown": [
    { severity: "weak", figures: {} },
    "the proxy's network counters could not be read: that the traffic passed it was not checked",
  ],
  "echo-count": [
    {
      severity: "invalid",
      figures: { what: "connections", echo: 2006, generator: 2000, limit: 5 },
    },
    "the echo server counted 2,006 connections, the generator 2,000 (limit 5 more)",
  ],
  "echo-count-unknown": [
    { severity: "weak", figures: {} },
    "the echo server's own counts could not be read: that the load reached it was not checked",
  ],
  "request-count": [
    { severity: "invalid", figures: { answers: 4990, unanswered: 5, asked: 5000 } },
    "the generator counted 4,990 answers and 5 that never came, of 5,000 requests",
  ],
  "bad-answers": [
    { severity: "weak", figures: { bad: 220_803, asked: 240_003, percent: 92, limit: 0.1 } },
    "220,803 of 240,003 requests failed, 92 % (limit 0.1 %): latencies include those of error responses",
  ],
  "not-held": [
    { severity: "invalid", figures: { from: 999, to: 1000, asked: 1000 } },
    "the echo server had 999 connections open at the start of the measured phase and 1,000 at its end, of 1,000 that should be held",
  ],
  failed: [
    { severity: "note", figures: { failed: 1, asked: 2000, percent: 0.05, limit: 0.1 } },
    "1 of 2,000 connections failed, 0.05 % (above 0.1 % the cell has failed): they are in no latency",
  ],
  late: [
    { severity: "weak", figures: { percent: 6, limit: 5, due: 5000 } },
    "6 % of 5,000 sends left more than 10 ms late (limit 5 %): times and throughput do not count",
  ],
  dropped: [
    { severity: "weak", figures: { percent: 2, limit: 1, due: 5000 } },
    "2 % of 5,000 sends were dropped (limit 1 %): the load was lower than planned, and times and throughput do not count",
  ],
  "memory-unknown": [{ severity: "note", figures: {} }, "the proxy's memory could not be read"],
  "machine-unknown": [
    { severity: "weak", figures: {} },
    "the machine's own counters could not be read: steal and foreign load are not known",
  ],
  "side-by-side": [
    { severity: "note", figures: {} },
    "the other proxies of its round ran at the same time: its memory, sockets and descriptors are its own, CPU and times do not count",
  ],
  "few-rounds": [
    { severity: "note", figures: { rounds: 4, least: 4, enough: 6, onePairIn: 35 } },
    "A first look, 4 rounds of the 6 that a verdict takes: ranked by range and not tested, so that two equal proxies would rank apart in 1 of 35 cases",
  ],
  survivors: [
    { severity: "weak", figures: { proxies: ["nginx", "haproxy"] } },
    "The others are not ranked, as they are survivors: measured, but void: «nginx» and «haproxy»",
  ],
  "missing-rounds": [
    { severity: "weak", figures: { most: 7, proxies: [{ proxy: "nginx", rounds: 6 }] } },
    "Some lack rounds, and with fewer than the 7 of others a difference is less likely to be seen: «nginx» 6",
  ],
  "ranked-last": [
    { severity: "weak", figures: { limit: 0.1, proxies: [{ proxy: "nginx", badPercent: 92 }] } },
    "More than 0.1 % of the requests failed, and a proxy with so many ranks last: «nginx» 92 %",
  ],
  spread: [
    {
      severity: "weak",
      figures: {
        limit: 25,
        proxies: [
          { proxy: "none", percent: 27.1 },
          { proxy: "nginx", percent: 30 },
        ],
      },
    },
    "The middle half of the rounds spans more than 25 % of the median: «none» 27.1 % and «nginx» 30 %",
  ],
  "control-slower": [
    {
      severity: "weak",
      figures: {
        measure: "total_seconds",
        control: 7,
        proxies: [{ proxy: "nginx", value: 5.012 }],
      },
    },
    "The control was slower than a proxy, so it is no baseline, and what a proxy adds is not known: control 7.00 s, «nginx» 5.01 s",
  ],
  "control-own": [
    { severity: "note", figures: {} },
    "The control's figure is the cost of its own server, not of a proxy: it has no rank, and no ratio to it is given",
  ],
  "control-beside": [
    { severity: "note", figures: {} },
    "The control ends TLS in Node's own thread: it stands beside the proxies and bounds nothing",
  ],
  "no-slope": [
    {
      severity: "weak",
      figures: {
        rows: [
          {
            proxy: "nginx",
            missing: { kind: "few-counts", counts: 3, least: 4 },
            ended: { connections: 3000, next: 4000, why: { kind: "not-run" } },
          },
          { proxy: "haproxy", missing: { kind: "uncounted" }, ended: null },
        ],
      },
    },
    "Not measured: no slope: «nginx», as 3 of at least 4 connection counts have a counted cell; 4,000 connections: not run yet; «haproxy», as this kernel does not count it",
  ],
  "slope-rule": [
    { severity: "note", figures: { confidence: 0.95 } },
    "In brackets the 95 % interval of a slope over the counts of connections (Theil–Sen): it needs no rounds. Two differ where their intervals, widened until all hold together at 95 %, do not overlap",
  ],
  "few-points": [
    { severity: "weak", figures: { proxies: 4, points: 5 } },
    "Not ranked: for 4 slopes, one of 5 points is too uncertain; more counts of connections, or another round, would do",
  ],
  queue: [
    { severity: "weak", figures: { percent: 98.5, limit: 90, atATime: 100 } },
    "Closed loop, 100 at a time, machine saturated: time in the queue: up to 98.5 % busy, limit 90 %",
  ],
  "no-figure": [
    {
      severity: "weak",
      figures: { proxies: ["nginx", "haproxy"], missing: [{ kind: "not-run" }] },
    },
    "No figure for «nginx» and «haproxy»: not run yet",
  ],
  "lacks-settings": [
    {
      severity: "weak",
      figures: {
        proxies: [
          { proxy: "nginx", connections: [10_000] },
          { proxy: "haproxy", connections: [2000, 5000] },
        ],
      },
    },
    "Some have no figure with some numbers of connections: each two are compared over those that both have, and a figure is of its own alone: «nginx» none with 10,000; «haproxy» none with 2,000 and 5,000",
  ],
  "left-out": [
    { severity: "weak", figures: { proxies: ["nginx"], connections: [10_000] } },
    "What was measured with 10,000 connections is left out: figures of «nginx» are void there, and the others survivors",
  ],
  opposite: [
    {
      severity: "weak",
      figures: { pairs: [{ proxies: ["nginx", "haproxy"], better: [[2000, 5000], [10_000]] }] },
    },
    "«nginx» and «haproxy» differ in opposite directions: «nginx» is better with 2,000 and 5,000 connections, «haproxy» with 10,000",
  ],
  "inside-noise": [
    {
      severity: "weak",
      figures: {
        proxies: ["nginx"],
        ratio: 1.08,
        floor: {
          run: "2026-aa-nginx",
          proxy: "nginx",
          connections: [1000],
          scenarios: ["short-lived"],
          rounds: 6,
          ratios: { cpu_us_per_connection: 1.08 },
        },
      },
    },
    "The difference of «nginx» from the best is no larger than the noise floor: 1.08 times with 1,000 connections",
  ],
  "full-handshakes": [
    { severity: "note", figures: {} },
    "Every connection made a full handshake; resumed sessions cost less",
  ],
  "whole-connections": [
    { severity: "note", figures: {} },
    "Both include connection, upgrade, message and close: for the handshake alone the ratio is further from 1",
  ],
  incomplete: [
    { severity: "weak", figures: { open: 8, planned: 48 } },
    "8 of 48 cells have not run: medians rest on fewer rounds than planned",
  ],
  "shared-cores": [
    { severity: "note", figures: { cores: 2, busyPercent: 97.4 } },
    "Load, proxy and echo server shared 2 cores, 97.4 % busy (median over cells): latencies and connections per second are those of this machine with everything on it; CPU times are those of this machine at that hour, and what holds are the ratios between proxies within this run",
  ],
  "one-machine": [
    { severity: "note", figures: { names: ["back", "front", "middle"] } },
    "back, front and middle are engines of one machine: no link lies between them, and what one takes the others miss",
  ],
  unobserved: [
    { severity: "note", figures: { proxies: ["nginx-copy"] } },
    "«nginx-copy» ran without InfluxDB and cAdvisor: the difference to the others includes their cost",
  ],
  variants: [
    {
      severity: "note",
      figures: { variants: [{ proxy: "nginx-16k", of: "nginx", differs: "a buffer of 16k" }] },
    },
    "«nginx-16k» is «nginx» but for this: a buffer of 16k",
  ],
  "client-chooses-cipher": [
    { severity: "note", figures: { proxies: ["envoy"] } },
    "With «envoy» the client chooses the cipher of TLS 1.3, as the TLS library has no setting for it: the load prefers that of the policy and got it, other clients may get another",
  ],
};

for (const [gate, [finding, sentence]] of Object.entries(CASES))
  test(`a finding in words: ${gate}`, () => {
    const whole = /** @type {Finding} */ ({ gate, ...finding });
    assert.equal(findingText(whole, title), sentence);
    assert.deepEqual(tellFindings([whole], title), [
      { severity: finding.severity, message: sentence },
    ]);
  });

test("what else a gate may have found", () => {
  const { figures } = CASES["too-short"][0];
  assert.equal(
    findingText({
      gate: "too-short",
      severity: "note",
      figures: { ...figures, repeats: null },
    }),
    "the proxy used 0.08 s of CPU, which is known to 0.02 s: its CPU figure is an order of magnitude",
  );
  assert.match(
    findingText({
      gate: "generator-busy",
      severity: "weak",
      figures: { percent: 90, limit: 80, cores: 1, isBounded: true },
    }),
    /^the generator used 90 % of the 1 core that it can use \(limit 80 %\): times and throughput /,
  );
  assert.match(
    findingText({
      gate: "saturated",
      severity: "weak",
      figures: { percent: 96, limit: 90, loop: "open", atATime: 1000 },
    }),
    /^open loop, machine saturated .*: times and throughput do not count$/,
  );
  assert.match(
    findingText({
      gate: "tls",
      severity: "invalid",
      figures: { what: "version", found: "TLSv1.3", expected: ["a", "b"], isOfLoad: true },
    }),
    /^TLS version was TLSv1\.3, this load asks for a or b: /,
  );
  assert.equal(
    findingText({
      gate: "bad-answers",
      severity: "note",
      figures: { bad: 2, asked: 2000, percent: 0.1, limit: 0.1 },
    }),
    "2 of 2,000 requests failed, 0.1 %",
  );
  const rounds = (/** @type {number} */ rounds) =>
    findingText({
      gate: "few-rounds",
      severity: "note",
      figures: { rounds, least: 4, enough: 6, onePairIn: null },
    });
  assert.equal(rounds(1), "A single round: below 4 nothing is ranked");
  assert.equal(rounds(3), "Only 3 rounds: below 4 nothing is ranked");
  assert.equal(rounds(5), "A first look, 5 rounds of the 6 that a verdict takes: tested");
});

test("what was found in cells says in how many, and its figures stay apart from what it shares with others", () => {
  /** @type {Finding} */
  const steal = {
    gate: "steal",
    severity: "weak",
    figures: { percent: 4, limit: 2 },
    cells: { affected: 1, all: 24, first: "r1-nginx" },
  };
  assert.equal(
    findingSentence({ message: findingText(steal) }),
    "1 of 24 cells, such as r1-nginx: steal took 4 % of the machine's CPU time (limit 2 %).",
  );
  assert.deepEqual(findingParts({ gate: "missing-rounds", ...CASES["missing-rounds"][0] }, title), {
    message:
      "Some lack rounds, and with fewer than the 7 of others a difference is less likely to be seen",
    figures: "«nginx» 6",
  });
});

test("why a figure is missing, each reason once", () => {
  /** @type {Missing} */
  const failed = {
    kind: "failed",
    cause: { kind: "out-of-memory", message: "the kernel ended nginx" },
  };
  /** @type {Missing} */
  const invalid = {
    kind: "invalid",
    finding: { gate: "tls-unknown", severity: "invalid", figures: {} },
  };
  assert.equal(
    missingText([failed, failed, invalid, { kind: "skipped", why: "needs 40,000 descriptors" }]),
    "out-of-memory: the kernel ended nginx; what TLS negotiated was not recorded, so ciphers may differ; skipped: needs 40,000 descriptors",
  );
  /** @type {Finding} */
  const late = { gate: "late", ...CASES.late[0] };
  assert.equal(missingText([{ kind: "voided", finding: late }]), CASES.late[1]);
  assert.equal(missingText([{ kind: "unreadable" }]), "could not be read");
  assert.equal(missingText([{ kind: "not-run" }]), "not run yet");
  assert.equal(missingText([]), "");
  assert.equal(plainReason(failed), "the kernel ended nginx");
});
