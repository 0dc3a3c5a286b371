import assert from "node:assert/strict";
import { test } from "node:test";
import { isReached, reachEngines } from "./engines.ts";
import { requireImages, requireJoined } from "./ready.ts";
import { joinHosts } from "./swarm.ts";
import { fakeEngines, MACHINES } from "./testing/engines.ts";

test("machines that are not joined are named with what joins them; joined ones are taken", async () => {
  const fakes = fakeEngines();
  const engines = await reachEngines(MACHINES, fakes.run);
  await assert.rejects(requireJoined(engines, "lab.yaml"), {
    message: "middle is not joined with the other machines",
    next: "Join them first: ./bench hosts join --hosts lab.yaml",
  });
  assert.deepEqual(fakes.changes, []);
  await joinHosts(engines.filter(isReached), new Map(), () => {}, fakes.run);
  const joined = await requireJoined(await reachEngines(MACHINES, fakes.run), "lab.yaml");
  assert.deepEqual(
    joined.map(({ machine }) => machine.name),
    ["middle", "back", "front", "runner"],
  );
});

test("a machine that does not answer stops a run before it starts", async () => {
  const fakes = fakeEngines();
  fakes.silent = new Set(["back"]);
  const engines = await reachEngines(MACHINES, fakes.run);
  await assert.rejects(requireJoined(engines, "lab.yaml"), { message: /^back: engine: no answer/ });
});

test("a machine with another image than this one's is named", async () => {
  const [engine] = await reachEngines(MACHINES, fakeEngines().run);
  requireImages(new Map([[engine, { missing: [], nowhere: ["none/of-this-run"] }]]), "lab.yaml");
  assert.throws(
    () => requireImages(new Map([[engine, { missing: ["nginx:1"], nowhere: [] }]]), "lab.yaml"),
    { message: /^middle lacks .*nginx:1$/, next: /hosts join --hosts lab\.yaml$/ },
  );
});
