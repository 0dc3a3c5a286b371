/** What the pages over published runs say of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { machinesOf } from "./published.ts";
import type { PublishedRun } from "./published.ts";

test("each machine is named once, those of one size together", () => {
  const small = "2 cores, 23.5 GiB";
  const named = (...machines: [cpu: string, size: string][]) =>
    machinesOf([{ runs: machines.map(([cpu, size]) => ({ cpu, size }) as PublishedRun) }]);
  assert.equal(named(["EPYC", small], ["EPYC", small]), "EPYC, 2 cores, 23.5 GiB");
  assert.equal(
    named(["EPYC", small], ["Xeon", small], ["EPYC", "4 cores, 8 GiB"]),
    "EPYC; Xeon; each 2 cores, 23.5 GiB; EPYC, 4 cores, 8 GiB",
  );
});
