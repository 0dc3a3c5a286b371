import assert from "node:assert/strict";
import { test } from "node:test";
import { OWN_ENGINE } from "../platform/engine.ts";
import { cpuShares } from "./cpu-shares.ts";
import { OwnMachine } from "./placement.ts";
import { state } from "./testing/readings.ts";

test("on one machine all is on the engine of ./bench itself", async () => {
  const here = new OwnMachine();
  assert.deepEqual(here.networks, []);
  assert.equal(here.siteOf().engine, OWN_ENGINE);
  assert.equal(here.siteOfLoad().engine, OWN_ENGINE);
  const containers = here.containers();
  assert.equal(containers.own, containers, "an event can act on them");
  assert.deepEqual(await here.ready(), {});
  assert.deepEqual(here.shares({ ownCores: 8, proxyCpus: 2 }), cpuShares(8, 2));
  assert.equal(here.nameOf(state({ service: "cadvisor" })), "cadvisor");
  const [{ ports }] = here.listening();
  assert.deepEqual(ports, [8080, 8443, 18_081, 18_443, 18_080, 6565]);
});
