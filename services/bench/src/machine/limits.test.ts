import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { CONTAINER_SETTINGS, describeDescriptors, readLimits } from "./limits.ts";
import { fakeRun, machine, RECORDED_PROBE } from "./testing/host.ts";

test("limits of the recorded machine", async (t) => {
  const { run, commands } = fakeRun(() => ({ stdout: RECORDED_PROBE }));
  assert.deepEqual(await readLimits({ ...machine(t), run }), {
    cores: 2,
    memoryBytes: 24684092 * 1024,
    availableBytes: 23433284 * 1024,
    softDescriptors: 1024,
    descriptorsPerProcess: 20000,
    fileMax: 2466177,
    filesOpen: 1937,
    conntrackMax: 262144,
    conntrackCount: 212,
    pidMax: 4194304,
    portRange: { from: 1024, to: 65535 },
    hostPortRange: null,
  });
  // The container's own namespace would show conntrack_count 0.
  assert.match(commands[0].join(" "), /^docker run --rm --network host /);
});

test("ports of the machine's own network are those of its own setting", async (t) => {
  const told = `${RECORDED_PROBE}net.ipv4.ip_local_port_range 32768\t60999\n`;
  const { run } = fakeRun(() => ({ stdout: told }));
  const { portRange, hostPortRange } = await readLimits({ ...machine(t), run });
  assert.deepEqual(hostPortRange, { from: 32768, to: 60999 });
  assert.deepEqual(portRange, { from: 1024, to: 65535 });
});

test("an engine without a limit grants what the kernel allows", async (t) => {
  const { run } = fakeRun(() => ({
    stdout: RECORDED_PROBE.replace("1024 20000", "unlimited unlimited"),
  }));
  const limits = await readLimits({ ...machine(t), run });
  assert.deepEqual([limits.softDescriptors, limits.descriptorsPerProcess], [1048576, 1048576]);
});

for (const [soft, hard, expected] of [
  [1024, 20000, "soft limit 1,024, hard limit 20,000; raised to the hard one"],
  [1024, 1024, "soft limit 1,024, hard limit 1,024"],
] as const) {
  test(`descriptors in words: ${expected}`, () => {
    const limits = { softDescriptors: soft, descriptorsPerProcess: hard };
    assert.equal(describeDescriptors(limits), expected);
  });
}

test("without the conntrack module there is no limit of it", async (t) => {
  const { run } = fakeRun(() => ({ stdout: RECORDED_PROBE.replace(/^net\.netfilter.*\n/gm, "") }));
  const { conntrackMax, conntrackCount } = await readLimits({ ...machine(t), run });
  assert.deepEqual([conntrackMax, conntrackCount], [null, null]);
});

test("an engine that refuses the container leaves its limits unknown", async (t) => {
  const { run } = fakeRun(() => ({ code: 125, stderr: "not with user namespaces" }));
  const limits = await readLimits({ ...machine(t), run });
  assert.deepEqual([limits.softDescriptors, limits.descriptorsPerProcess], [null, null]);
  assert.equal(limits.cores, 2);
  assert.match(describeDescriptors(limits), /^not known: /);
});

test("the Compose files set what the preflight and the doctor count on", () => {
  const root = join(import.meta.dirname, "../../../..");
  const compose = parse(readFileSync(join(root, "compose.yaml"), "utf8"), { merge: true });
  const proxy = parse(readFileSync(join(root, "proxies/proxy.yaml"), "utf8"));
  const range = "net.ipv4.ip_local_port_range";
  const queue = "net.core.somaxconn";
  assert.equal(compose.services.load.sysctls[range], CONTAINER_SETTINGS[range]);
  assert.equal(String(compose.services.echo.sysctls[queue]), CONTAINER_SETTINGS[queue]);
  assert.equal(proxy.services.proxy.sysctls[range], CONTAINER_SETTINGS[range]);
  assert.equal(String(proxy.services.proxy.sysctls[queue]), CONTAINER_SETTINGS[queue]);
});
