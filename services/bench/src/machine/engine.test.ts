import assert from "node:assert/strict";
import { test } from "node:test";
import { requireCounters } from "./engine.ts";
import { engineWith, fakeRun, RECORDED_INFO } from "./testing/host.ts";

test("a run needs an engine whose containers have counters", async () => {
  const requireOf = (info: object) =>
    requireCounters(fakeRun(engineWith(null, { ...RECORDED_INFO, ...info })).run);
  await requireOf({});
  await requireOf({ CgroupDriver: "systemd", CgroupVersion: "2" });
  await assert.rejects(requireOf({ CgroupDriver: "none" }), {
    message:
      "this engine does not count the usage of containers: no cgroup for each container (rootless, cgroup v1)",
    next: /docker context use NAME/,
  });
  await assert.rejects(requireOf({ CgroupVersion: "2", MemoryLimit: false }), {
    message: /no memory controller/,
    next: /memory and pids are delegated/,
  });
});

for (const [client, answer] of [
  ["20.10", { code: 1, stderr: "Cannot connect to the Docker daemon\n" }],
  ["28", { code: 1, stdout: '{"ID":""}', stderr: "Cannot connect to the Docker daemon\n" }],
  ["that ends well", { stdout: '{"ServerErrors":["Cannot connect to the Docker daemon"]}' }],
] as const) {
  test(`an engine that does not answer, as a client ${client} tells it`, async () => {
    const { run } = fakeRun(() => answer);
    await assert.rejects(requireCounters(run), {
      message: "the Docker engine does not answer: Cannot connect to the Docker daemon",
    });
  });
}
