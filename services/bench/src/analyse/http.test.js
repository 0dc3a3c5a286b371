import assert from "node:assert/strict";
import { test } from "node:test";
import { readPublished } from "./claims.js";
import { findingsOf } from "./gates.js";
import { analyse } from "./index.js";
import { measuresOf } from "./measures.js";
import {
  FILES_PARAMETERS,
  filesResults,
  HTTP_PARAMETERS,
  httpRecord,
  httpResults,
  spoil,
} from "./testing/http.js";
import { POLICY, workloadFor } from "./testing/results.js";

/** @import { CellRecord } from "../model/cell.ts" */
/** @import { Requests } from "../model/load.ts" */
/** @import { Results } from "../model/record.ts" */
/** @import { Setting } from "./types.js" */

const policy = /** @type {any} */ (POLICY);
const PUBLISHED = new URL("../../../../battles/published/", import.meta.url).pathname;

/**
 * @param {(record: CellRecord) => void} change
 * @param {Parameters<typeof httpRecord>[0]} [cell]
 */
function findingsAfter(change, cell) {
  const record = httpRecord(cell);
  change(record);
  const options = {
    workload: workloadFor(record),
    policy,
    keyType: "ecdsa",
    isControl: record.proxy === "none",
  };
  return findingsOf(record, options);
}

/** @param {CellRecord} record */
function requestsOf({ requests }) {
  assert.ok(requests);
  return requests;
}

/**
 * @param {Results} results
 * @param {string} [published]
 */
function analysed(results, published) {
  const study = published ? readPublished(`${PUBLISHED}${published}.yaml`) : null;
  return analyse(results, { policy, published: study });
}

/**
 * @param {ReturnType<typeof analysed>} analysis
 * @param {(setting: Setting) => boolean} isWanted
 * @param {string} key
 */
function comparison({ settings }, isWanted, key) {
  const setting = settings.find(isWanted);
  assert.ok(setting);
  const found = setting.comparisons.find(({ measure }) => measure === key);
  assert.ok(found, key);
  return found;
}

const isSpring = (/** @type {Setting} */ { scenario }) => scenario === "http-spring";

/** @param {Partial<Requests>} change */
function measuresAfter(change) {
  const record = httpRecord({}, { requests: 30_000, seconds: 30, cpuUs: 60, serverCpuUs: 90 });
  Object.assign(requestsOf(record), change);
  return measuresOf(record, workloadFor(record));
}

test("requests per second are of good answers, responses of all", () => {
  const good = measuresAfter({});
  assert.equal(good.requests_per_second, 1000);
  assert.equal(good.non_2xx_percent, 0);
  assert.equal(good.request_ms_mean, 400);
  assert.equal(Math.round(good.proxy_cpu_us_per_request), 60);
  assert.ok(Math.abs(good.servers_cpu_seconds - 4.5) < 1e-9);
  assert.ok(!("request_ms_p999" in good) && !("cpu_us_per_connection" in good));
  const bad = measuresAfter({ non2xx: 27_000, socketErrors: { read: 30, timeout: 60 } });
  // A timeout is of an answer that came, but too late.
  assert.equal(bad.requests_per_second, (30_000 - 27_000 - 60) / 30);
  assert.equal(bad.responses_per_second, 1000);
  assert.equal(bad.non_2xx_percent, 90);
  assert.equal(bad.socket_errors_per_1000_requests, 3);
  // ab counts an error's other length once more.
  const ab = measuresAfter({ non2xx: 300, socketErrors: { length: 300, receive: 0 } });
  assert.equal(ab.requests_per_second, (30_000 - 300) / 30);
});

test("a good cell of HTTP has no findings, whatever stands in the proxy's place", () => {
  const files = { scenario: "files", parameters: FILES_PARAMETERS };
  for (const proxy of ["none", "nginx"]) {
    assert.deepEqual(
      findingsAfter(() => {}, { proxy }),
      [],
    );
  }
  for (const proxy of ["none", "haproxy", "nginx-files"]) {
    const record = httpRecord(
      { ...files, proxy },
      { requests: 5000, seconds: 5, cpuUs: 100, serverCpuUs: 100 },
    );
    assert.deepEqual(
      findingsOf(record, {
        workload: workloadFor(record),
        policy,
        keyType: "ecdsa",
        isControl: proxy === "none",
      }),
      [],
    );
  }
});

test("bad answers are a finding that lets the cell count; a few are a note", () => {
  const [many, ...others] = findingsAfter(spoil);
  assert.equal(others.length, 0);
  assert.equal(`${many.gate} ${many.severity}`, "bad-answers weak");
  assert.deepEqual(many.figures, {
    bad: 220_803,
    asked: 240_003,
    percent: (100 * 220_803) / 240_003,
    limit: 0.1,
  });
  const [few] = findingsAfter((record) => {
    requestsOf(record).socketErrors = { read: 2 };
  });
  assert.equal(`${few.gate} ${few.severity}`, "bad-answers note");
});

test("as many answers as were asked for", () => {
  const cell = { scenario: "files", parameters: FILES_PARAMETERS };
  const after = (/** @type {Partial<Requests>} */ change) => {
    const record = httpRecord(cell, { requests: 5000, seconds: 5, cpuUs: 100 });
    Object.assign(requestsOf(record), change);
    return findingsOf(record, {
      workload: workloadFor(record),
      policy,
      keyType: "ecdsa",
      isControl: false,
    }).map(({ gate }) => gate);
  };
  assert.deepEqual(after({}), []);
  assert.deepEqual(after({ completed: 4990 }), ["request-count"]);
  assert.deepEqual(after({ completed: 5001 }), ["request-count"]);
  // Five that never came.
  assert.deepEqual(after({ completed: 4995, socketErrors: { connect: 5 } }), ["bad-answers"]);
});

test("requests that did not pass the proxy on both sides void the cell", () => {
  const cell = { scenario: "files", parameters: { ...FILES_PARAMETERS, FILE_BYTES: 30192 } };
  const gates = (/** @type {number} */ share, /** @type {string} */ proxy) => {
    const record = httpRecord({ ...cell, proxy }, { requests: 5000, seconds: 5, cpuUs: 100 });
    const { network } = record.containers[proxy];
    assert.ok(network);
    // A server has the files; a proxy gets them first.
    network.rxBytes *= share;
    return findingsOf(record, {
      workload: workloadFor(record),
      policy,
      keyType: "ecdsa",
      isControl: false,
    }).map(({ gate, severity }) => `${gate} ${severity}`);
  };
  assert.deepEqual(gates(0.3, "haproxy"), ["bypassed invalid"]);
  assert.deepEqual(gates(0.3, "nginx-files"), []);
  assert.deepEqual(
    findingsAfter((record) => (record.containers.nginx.network = null)).map(({ gate }) => gate),
    ["bypass-unknown"],
  );
});

test("a generator of one thread is judged by the one core that it can use, and its times alone are void", () => {
  const busy = (/** @type {CellRecord} */ record) => {
    record.containers["load-1"].cpu.totalSeconds = 0.9 * (record.totalSeconds ?? NaN);
  };
  assert.deepEqual(findingsAfter(busy), []);
  const results = filesResults({
    sizes: [12],
    schemes: ["ws"],
    change: (record) => {
      if (record.proxy === "nginx-files") busy(record);
    },
  });
  const analysis = analysed(results);
  const cells = analysis.cells.filter(({ record }) => record.proxy === "nginx-files");
  assert.ok(cells.length > 0 && cells.every(({ counted }) => counted));
  const row = (/** @type {string} */ key) =>
    analysis.settings[0].comparisons
      .find(({ measure }) => measure === key)
      ?.rows.find(({ proxy }) => proxy === "nginx-files");
  const { missing = [] } = row("request_ms_mean") ?? {};
  assert.deepEqual(
    missing.map((one) => one.kind === "voided" && one.finding.gate),
    ["generator-busy"],
  );
  assert.ok(row("servers_cpu_seconds")?.median);
});

test("who answers with errors ranks behind all others, whatever is better about it", () => {
  const analysis = analysed(
    httpResults({
      rounds: 4,
      change: (record) => {
        if (record.proxy !== "nginx" || record.scenario !== "http-spring") return;
        spoil(record);
        Object.assign(record.requestMs ?? {}, { mean: 1 });
      },
    }),
  );
  const { rows, findings } = comparison(analysis, isSpring, "request_ms_mean");
  const nginx = rows.find(({ proxy }) => proxy === "nginx");
  assert.equal(nginx?.rank, 3);
  assert.equal(Math.round(nginx?.badPercent ?? 0), 92);
  assert.ok(findings.some(({ gate }) => gate === "ranked-last"));
  // An error that is quicker than the control does not make the control slow.
  assert.doesNotMatch(findings.map(({ gate }) => gate).join(), /control-slower/);
  // Nor is what it adds to a request told.
  const verdict = analysis.verdicts.find(
    ({ question, scope }) => question === "added" && scope.scenario === "http-spring",
  );
  assert.ok(verdict?.question === "added" && verdict.measure === "request_ms_mean");
  assert.deepEqual(Object.keys(verdict.answers[0].comparison.relations), [
    "haproxy-tcp",
    "haproxy",
  ]);
});

test("what is told of bad answers: how many, which, and what the logs say and usually mean", () => {
  const { badAnswers } = analysed(
    httpResults({ change: (record) => record.proxy === "nginx" && spoil(record) }),
  );
  assert.deepEqual(
    badAnswers.map(({ proxy, cells }) => [proxy, cells]),
    [
      ["nginx", { bad: 2, all: 2 }],
      ["nginx", { bad: 2, all: 2 }],
    ],
  );
  const [{ percent, statuses, socketErrors, causes }] = badAnswers;
  assert.equal(Math.round(percent), 92);
  assert.deepEqual(statuses, [{ status: "502", count: 3600 }]);
  assert.deepEqual(socketErrors, [{ kind: "read", count: 6 }]);
  assert.deepEqual(
    causes.map(({ service, count }) => [service, count]),
    [
      ["nginx", 442_000],
      ["echo", 4],
    ],
  );
  assert.equal(causes[0].usual, "out-of-ports");
  assert.equal(causes[1].usual, null);
  assert.deepEqual(analysed(httpResults({ rounds: 1 })).badAnswers, []);
});

test("a line in a log is explained only where it names the cause", () => {
  const explained = (/** @type {string} */ line) =>
    analysed(
      httpResults({
        rounds: 1,
        change: (record) => {
          if (record.proxy !== "nginx") return;
          spoil(record);
          requestsOf(record).causes = [{ service: "nginx", line, count: 1 }];
        },
      }),
    ).badAnswers[0].causes[0].usual;
  for (const [line, usual] of [
    ["1024 worker_connections are not enough", "worker-connections"],
    ["accept4() failed (24: Too many open files)", "descriptors"],
    ["no live upstreams while connecting to upstream", "no-live-upstreams"],
    ["http~ echo/<NOSRV> 0/-1/-1/-1/0 503 217", "no-live-servers"],
    ["connect() failed (111: Connection refused)", "refused"],
    ["recv() failed (104: Connection reset by peer)", "closed-in-use"],
    ["upstream timed out (110: Connection timed out)", "timed-out"],
  ])
    assert.equal(explained(line), usual);
  assert.equal(explained("GET /hello 502"), null);
});

test("files: what a server costs is proxy and server together, and the control is one of them", () => {
  const analysis = analysed(filesResults({ sizes: [12, 30192, 786432] }));
  const isWanted = (/** @type {Setting} */ { scheme, parameters }) =>
    scheme === "wss" && parameters.FILE_BYTES === 12;
  const { rows } = comparison(analysis, isWanted, "servers_cpu_seconds");
  const none = rows.find(({ proxy }) => proxy === "none");
  assert.equal(none?.rank, null);
  assert.ok(rows.find(({ proxy }) => proxy === "hitch")?.toControl);
  const measures = analysis.settings[0].comparisons.map(({ measure }) => measure);
  assert.ok(!measures.includes("proxy_cpu_us_per_request"));
  assert.ok(!measures.includes("handshake_ms_mean"));
  // nginx-files is faster than the control: nothing is wrong with that.
  const times = comparison(analysis, isWanted, "request_ms_mean");
  assert.doesNotMatch(times.findings.map(({ gate }) => gate).join(), /control-slower/);
  const quickest = analysis.verdicts.filter(
    (verdict) => verdict.question === "best" && verdict.measure === "request_ms_mean",
  );
  assert.deepEqual(
    quickest.map(({ scope, answers }) => [
      scope.parameters,
      answers.map(({ settings: [{ scheme }] }) => scheme).join(" "),
    ]),
    [
      [{ FILE_BYTES: 12 }, "ws wss"],
      [{ FILE_BYTES: 786432 }, "ws wss"],
    ],
  );
});

test("CPU by place counts no cell whose CPU is void", () => {
  const results = filesResults();
  const { cpuByPlace } = analysed({ ...results, plan: { ...results.plan, sideBySide: true } });
  assert.deepEqual(cpuByPlace, []);
});

test("CPU by place: front, TLS of its own and server, summed over sizes by round", () => {
  const { cpuByPlace } = analysed(filesResults());
  const [sum] = cpuByPlace;
  assert.deepEqual(
    sum.settings.map(({ scheme, parameters }) => [scheme, parameters.FILE_BYTES]),
    [12, 2216, 4879, 30192, 786432].map((bytes) => ["ws", bytes]),
  );
  assert.deepEqual(
    cpuByPlace.map(({ settings }) => settings.length),
    [5, 5, ...Array(10).fill(1)],
  );
  const row = (/** @type {string} */ name) => sum.rows.find(({ proxy }) => proxy === name);
  assert.deepEqual(
    row("haproxy-tcp-hitch")?.places.map(({ place, service }) => [place, service]),
    [
      ["front", "haproxy-tcp-hitch"],
      ["tls", "haproxy-tcp-hitch-tls"],
      ["server", "echo"],
    ],
  );
  assert.deepEqual(
    row("nginx-files")?.places.map(({ place }) => place),
    ["server"],
  );
  assert.deepEqual(
    row("none")?.places.map(({ place, service }) => [place, service]),
    [["server", "none"]],
  );
  // It has one size of five: no sum of those.
  assert.deepEqual(row("node-hello"), { proxy: "node-hello", places: [], total: null });
  const places = row("haproxy-tcp-hitch")?.places ?? [];
  const whole = places.reduce((all, { total }) => all + total.value, 0);
  assert.ok(Math.abs(whole / (row("haproxy-tcp-hitch")?.total?.value ?? NaN) - 1) < 0.02);
  for (const { total, user, system } of places)
    assert.ok(Math.abs((user + system) / total.value - 1) < 0.02);
});

test("claims about all files together rest on their sum, and are told over http and https", () => {
  const names = ["none", "hitch", "nginx-files"];
  const results = filesResults({ rounds: 6, names, sizes: [12, 786432] });
  const { published } = analysed(results, "cloudparty-2013");
  const told = (/** @type {RegExp} */ claim) => {
    const found = published?.claims.find((one) => claim.test(one.claim));
    assert.ok(found);
    return found;
  };
  const cpu = told(/costs more CPU than a TLS terminator/);
  assert.equal(cpu.outcome, "no longer");
  for (const { figures } of [cpu, told(/HTTPS costs nginx many times/)]) {
    const [{ at }] = figures;
    assert.ok(Array.isArray(at) && at.length === 2);
  }
  const missing = analysed(filesResults({ sizes: [12], schemes: ["ws"] }), "cloudparty-2013");
  const https = missing.published?.claims.filter(({ rule }) => rule?.at.scheme === "wss") ?? [];
  assert.ok(https.length > 0 && https.every(({ figures }) => figures.length === 0));
});

test("claims of the comparison by wrk, errors counted as they were then", () => {
  const results = httpResults({
    rounds: 6,
    names: ["none", "nginx", "haproxy-tcp"],
    change: (record) => {
      if (record.proxy === "nginx" && record.scenario === "http-spring") spoil(record);
    },
  });
  const claims = analysed(results, "wrk-nginx-haproxy").published?.claims ?? [];
  assert.deepEqual(
    claims.map(({ outcome }) => outcome),
    ["no longer", "no longer", "no longer", "no longer", "holds", "holds", "inconclusive"],
  );
});

test("a record that is older than HTTP reads as one without", () => {
  const { requests, requestMs, ...older } = httpRecord({ parameters: HTTP_PARAMETERS });
  const measures = measuresOf(/** @type {CellRecord} */ (older), workloadFor(older));
  assert.ok(requests && requestMs);
  assert.ok(!("requests_per_second" in measures) && !("request_ms_mean" in measures));
});
