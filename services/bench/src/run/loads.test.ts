import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "../platform/engine.ts";
import { Loads } from "./loads.ts";
import type { Workload, PlannedCell } from "../model/plan.ts";
import type { RunContext } from "./run-context.ts";
import type { CellProject } from "./placement.ts";

test("what runs on a machine that is lost is given up, and its log says so", async () => {
  // As docker over ssh when that machine has lost its power: neither the program nor the connection
  // ends.
  const engine = new Engine(["sh", "-c", "echo started; exec sleep 600"]).within(50);
  const { signal } = new AbortController();
  const context = {
    placement: { siteOfLoad: () => ({ name: "one", engine, isHere: false }) },
    signal,
  };
  const cell = { scenario: "idle", scheme: "ws", round: 1, proxy: "nginx" };
  const workload = { runner: "k6", backend: "echo", parameterNames: {}, referenceShare: 0 };
  const loads = new Loads(cell as unknown as PlannedCell, workload as unknown as Workload, {
    context: context as unknown as RunContext,
    project: {} as CellProject,
    scratch: "/nowhere",
    hostNetwork: null,
  });
  loads.names = ["p-load-1"];
  loads.start("load", {}, 1, {});
  const [[name, log], ...others] = await loads.logs({ limitMs: 300 });
  assert.deepEqual(others, []);
  assert.equal(name, "load-1");
  assert.match(log, /^started\ngiven up after \d\.\d s\n$/);
});
