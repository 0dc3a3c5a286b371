import assert from "node:assert/strict";
import { test } from "node:test";
import { isDisturbed, takenByOthers } from "./disturbance.ts";
import type { Probe } from "../model/cell.ts";

const measured = { fromMs: 0, toMs: 10_000 };

function used({
  cores,
  foreignSeconds,
  stealSeconds = 0,
}: {
  cores: number;
  foreignSeconds: number;
  stealSeconds?: number;
}) {
  return { cores, busySeconds: 5, stealSeconds, foreignSeconds, benchSeconds: 0 };
}

test("what others took is a share of the machine's CPU time", () => {
  const machine = used({ cores: 2, foreignSeconds: 2, stealSeconds: 1 });
  assert.deepEqual(takenByOthers({ machine, measured }), { steal: 5, foreign: 10 });
  assert.equal(takenByOthers({ machine: null, measured }), null);
  assert.equal(isDisturbed({ machine, measured }), false);
});

test("a search is disturbed by what others may have broken, not by what it kept in spite of them", () => {
  const [quiet, busy] = [0, 10].map((foreignSeconds) => used({ cores: 2, foreignSeconds }));
  const probe = (rate: number, verdict: Probe["verdict"], machine = busy) =>
    ({ rate, verdict, machine, measured }) as Probe;
  for (const [probes, expected] of [
    [[probe(100, "holds"), probe(200, "fails")], false],
    [[probe(100, "holds"), probe(200, "limited"), probe(200, "limited")], true],
    [[probe(100, "limited"), probe(100, "holds")], false],
    [[probe(100, "limited", quiet)], false],
  ] as const)
    assert.equal(isDisturbed({ machine: null, measured: null, probes: [...probes] }), expected);
});

test("of several machines the one counts where others took most", () => {
  const machine = used({ cores: 2, foreignSeconds: 0 });
  const machines = { proxy: machine, load: used({ cores: 8, foreignSeconds: 40 }) };
  assert.equal(takenByOthers({ machine, machines, measured })?.foreign, 50);
  assert.equal(isDisturbed({ machine, machines, measured }), true);
});
