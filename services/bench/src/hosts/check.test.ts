import assert from "node:assert/strict";
import { test } from "node:test";
import { examineHosts, judgeClock, judgeEngines } from "./check.ts";
import { isReached, reachEngines } from "./engines.ts";
import { fakeEngines, INFO, MACHINES } from "./testing/engines.ts";
import type { Finding } from "../machine/advice.ts";

/** @param silent options that lead to engines that do not answer */
async function judged(differences: Parameters<typeof fakeEngines>[0], silent: string[] = []) {
  const fakes = fakeEngines(differences);
  fakes.silent = new Set(silent);
  return judgeEngines(await reachEngines(MACHINES, fakes.run));
}

/** @returns what is not as it should be */
function faults(findings: Finding[]): string[] {
  return findings.flatMap(({ severity, setting, found }) =>
    severity === "ok" ? [] : [`${severity} ${setting}: ${found}`],
  );
}

test("engines that are alike have no fault, and a line each says what they are", async () => {
  const findings = await judged({});
  assert.deepEqual(faults(findings), []);
  const { found } = findings.find(({ setting }) => setting === "back: machine") ?? {};
  assert.equal(found, "8 cores, 16.0 GiB, for servers");
});

for (const [title, info, expected] of [
  ["another version", { ServerVersion: "20.10.24" }, ["warn back: engine: 20.10.24"]],
  ["another architecture", { Architecture: "aarch64" }, ["stop back: architecture: aarch64"]],
  [
    "no counters",
    { CgroupDriver: "none" },
    ["stop back: counters of containers: no cgroup for each container (rootless, cgroup v2)"],
  ],
  [
    "the engine of another machine",
    { ID: "front" },
    ["stop back: engine's id: that of front", "stop front: engine's id: that of back"],
  ],
] as [string, object, string[]][]) {
  test(`an engine with ${title}`, async () => {
    const findings = await judged({ back: { info: { ...INFO, ID: "back", ...info } } });
    assert.deepEqual(faults(findings), expected);
    for (const { severity, expected, why, fix } of findings)
      if (severity !== "ok") assert.ok(expected && why && fix);
  });
}

test("an engine that does not answer is named with docker's words, and the others are judged", async () => {
  const findings = await judged({ front: { info: { ServerVersion: "20.10.24" } } }, [
    "ssh://me@middle",
  ]);
  assert.deepEqual(faults(findings), [
    "stop middle: engine: no answer",
    "warn front: engine: 20.10.24",
  ]);
  const [{ why, fix }] = findings;
  assert.match(why, /Cannot connect to the Docker daemon/);
  assert.match(fix, /^docker --host ssh:\/\/me@middle info/);
});

for (const [offsetMs, uncertaintyMs, severity] of [
  [9, 0.5, "ok"],
  [-9, 0.5, "ok"],
  [9.8, 0.5, "warn"],
  [10.2, 0.5, "warn"],
  [10.6, 0.5, "stop"],
  [-10.6, 0.5, "stop"],
  [0, 40, "warn"],
] as const) {
  test(`a clock ${offsetMs} ms ± ${uncertaintyMs} away: ${severity}`, () => {
    const finding = judgeClock({ machine: MACHINES[0] }, { offsetMs, uncertaintyMs });
    assert.equal(finding.severity, severity);
    assert.equal(finding.found, `${offsetMs.toFixed(2)} ms ± ${uncertaintyMs.toFixed(2)}`);
  });
}

test("before a join: what is missing on each machine, and what brings it", async () => {
  const fakes = fakeEngines();
  const engines = await reachEngines(MACHINES, fakes.run);
  const bench = "ws-proxy-bench/bench";
  const images = new Map(
    engines.map((engine) => [
      engine,
      engine.machine.name === "front"
        ? { missing: [bench], nowhere: ["nginx"] }
        : { missing: [bench], nowhere: [] },
    ]),
  );
  const findings = await examineHosts(engines.filter(isReached), images);
  assert.deepEqual(
    faults(findings).filter((line) => / (front|runner):/.test(line)),
    [
      "stop front: Swarm: not joined",
      `stop front: images: missing or different: ${bench}; missing on both machines: nginx`,
      "note front: ports, limits, clock, network: not looked at",
      "stop runner: Swarm: not joined",
      `stop runner: images: missing or different: ${bench}`,
      "note runner: ports, limits, clock, network: not looked at",
    ],
  );
  const fix = (of: string) => findings.find(({ setting }) => setting === of)?.fix;
  assert.equal(fix("front: Swarm"), "./bench hosts join");
  assert.equal(fix("front: images"), "./bench setup, then ./bench hosts join");
  assert.deepEqual(fakes.changes, [], "a check changes nothing");
});
