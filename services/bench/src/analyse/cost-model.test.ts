import assert from "node:assert/strict";
import { test } from "node:test";
import { accuracyOf, checkedMixes, predictionsOf } from "./cost-check.ts";
import { costModel, costsOf, machineSpeed, measuredIn, outsideOf } from "./cost-model.ts";
import { bytesOf, coresOf, costRun, TRUTHS } from "./testing/costs.ts";
import type { Load } from "./cost-model.ts";

const BASE = costRun("cost");
const MIXED = costRun("mixed");
const mixes = measuredIn(MIXED).filter(({ isMix }) => isMix);
const model = costModel(BASE);

const isNear = (value: number | undefined, expected: number, within: number) =>
  assert.ok(Math.abs(Number(value) / expected - 1) <= within, `${value}, expected ${expected}`);

test("twelve mixed loads, of which the model has seen none, cost what their parts cost", () => {
  assert.equal(mixes.length, 12);
  for (const { load } of mixes)
    for (const { proxy, cores, bytes } of costsOf(model, load)) {
      isNear(cores?.value, coresOf(TRUTHS[proxy], load), 1e-6);
      isNear(bytes?.value, bytesOf(TRUTHS[proxy], load), 1e-6);
    }
});

test("with figures that are off by up to 8 %, intervals hold the truth, and are no wider than needed", () => {
  const noisy = costModel(costRun("cost", { spread: 0.08 }));
  const told = mixes.flatMap(({ load }) =>
    costsOf(noisy, load).flatMap(({ proxy, cores, bytes }) => [
      { estimate: cores, truth: coresOf(TRUTHS[proxy], load) },
      { estimate: bytes, truth: bytesOf(TRUTHS[proxy], load) },
    ]),
  );
  const inside = told.filter(
    ({ estimate, truth }) => Number(estimate?.low) <= truth && truth <= Number(estimate?.high),
  );
  assert.ok(inside.length >= 0.8 * told.length, `${inside.length} of ${told.length}`);
  for (const { estimate, truth } of told) {
    isNear(estimate?.value, truth, 0.1);
    assert.ok(Number(estimate?.high) - Number(estimate?.low) < 0.3 * truth);
  }
});

test("no mixed load is among what a model rests on", () => assert.deepEqual(costModel(MIXED), {}));

test("a proxy with too few settings has no cost, others have theirs; so has a scheme", () => {
  const isWanted = ({ proxy, scenario }: { proxy: string; scenario: string }) =>
    proxy !== "haproxy" || scenario === "arrivals";
  const own = costModel(costRun("cost", { isWanted }));
  const [nginx, haproxy] = costsOf(own, mixes[0].load);
  assert.deepEqual([haproxy.proxy, haproxy.cores], ["haproxy", null]);
  assert.ok(nginx.cores);
  const plain = costModel(costRun("cost", { isWanted: ({ scheme }) => scheme === "ws" }));
  assert.deepEqual(costsOf(plain, { ...mixes[0].load, scheme: "wss" }), []);
});

test("what lies outside of all that was measured is named", () => {
  const load: Load = {
    ...{ scheme: "ws", connections: 4000, messagesPerSecond: 1000 },
    ...{ messageBytes: 4000, newPerSecond: 150 },
  };
  const named = (changes: Partial<Load>) =>
    outsideOf(model, { ...load, ...changes }).map(({ what, limit }) => `${what} ${limit}`);
  assert.deepEqual(named({}), []);
  assert.deepEqual(named({ connections: 4001, messageBytes: 4001 }), [
    "connections 4000",
    "messageBytes 4000",
  ]);
  assert.deepEqual(named({ scheme: "wss" }), ["newPerSecond 60"]);
  assert.deepEqual(named({ messagesPerSecond: 10, newPerSecond: 1 }), ["leastPerSecond 50"]);
  assert.deepEqual(named({ messagesPerSecond: 0, newPerSecond: 0 }), []);
});

test("how fast a machine is, the reference tells in the settings that two runs share", () => {
  const truths = { nginx: TRUTHS.nginx };
  const calibration = costRun("calibrate", { speed: 0.8, truths });
  const speed = machineSpeed(calibration, BASE);
  isNear(speed?.value, 0.8, 1e-6);
  const [unscaled] = costsOf(model, mixes[0].load);
  const [scaled] = costsOf(model, mixes[0].load, speed?.value);
  isNear(scaled.cores?.high ?? 0, 0.8 * Number(unscaled.cores?.high), 1e-6);
  assert.deepEqual(scaled.bytes, unscaled.bytes);
  const wss = costRun("cost", { isWanted: ({ scheme }) => scheme === "wss" });
  assert.equal(machineSpeed(calibration, wss), null);
});

test("predictions against measurements: every mix and proxy, misses too", () => {
  const predictions = predictionsOf(model, mixes, { battle: "mixed", now: new Date() });
  const dearer: typeof TRUTHS = {
    ...TRUTHS,
    haproxy: { ...TRUTHS.nginx, cpu: TRUTHS.nginx.cpu.map((k) => 2 * k) },
  };
  const checked = checkedMixes(predictions, costRun("mixed", { truths: dearer, speed: 1.5 }));
  assert.equal(checked.length, 12);
  for (const { reference } of checked) isNear(reference ?? 0, 1.5, 1e-6);
  for (const { load, proxies } of checked)
    for (const { proxy, cores } of proxies)
      isNear(
        1 + Number(cores?.errorPercent) / 100,
        coresOf(TRUTHS[proxy], load) / coresOf(dearer[proxy], load),
        1e-6,
      );
  const of = 12;
  assert.deepEqual(
    accuracyOf(checked).map(({ proxy, cores, bytes }) => [
      proxy,
      cores.within,
      cores.of,
      bytes.within,
    ]),
    [
      ["nginx", of, of, of],
      ["haproxy", 0, of, 0],
    ],
  );
  // One that was not measured is no hit, and no miss.
  const isWanted = ({ proxy }: { proxy: string }) => proxy === "nginx";
  const [, haproxy] = accuracyOf(checkedMixes(predictions, costRun("mixed", { isWanted })));
  assert.deepEqual(
    [haproxy.proxy, haproxy.cores],
    ["haproxy", { within: 0, of: 0, medianPercent: null }],
  );
});
