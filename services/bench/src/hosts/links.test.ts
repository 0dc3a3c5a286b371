import assert from "node:assert/strict";
import { test } from "node:test";
import { isReached, reachEngines } from "./engines.ts";
import { addressOf, describeSpeed, linksOf, roundTripOf, throughputOf } from "./links.ts";
import { fakeEngines, MACHINES } from "./testing/engines.ts";
import type { Machine } from "./file.ts";

async function engines(machines: Machine[] = MACHINES) {
  return (await reachEngines(machines, fakeEngines().run)).filter(isReached);
}

async function links(machines?: Machine[]) {
  const ways = linksOf(await engines(machines));
  return ways.map((way) => way.map(({ machine }) => machine.name).join(" → "));
}

test("traffic goes from each load machine to the proxy, and from there to the servers", async () => {
  assert.deepEqual(await links(), ["front → middle", "middle → back"]);
  const [middle, back, front] = MACHINES;
  const two = { ...back, roles: ["servers", "load"] as Machine["roles"] };
  assert.deepEqual(await links([middle, two, front]), [
    "back → middle",
    "front → middle",
    "middle → back",
  ]);
  assert.deepEqual(await links([{ name: "one", roles: ["proxy", "servers", "load"] }]), []);
  // A machine that was not reached leaves its ways out.
  assert.deepEqual(await links([middle, front]), ["front → middle"]);
});

test("a machine is reached where the file, its engine, or its engine's address says", async () => {
  const [middle, back, front, runner] = await engines();
  assert.equal(addressOf(back), "10.0.0.12");
  assert.equal(addressOf(middle), "middle");
  assert.equal(addressOf(front), "10.0.0.13");
  assert.equal(addressOf(runner), null);
  runner.info.Swarm.NodeAddr = "10.0.0.14";
  assert.equal(addressOf(runner), "10.0.0.14");
  const [six, file] = await engines([
    { name: "six", host: "tcp://10.0.0.13:2375", roles: ["load"] },
    { name: "file", host: "ssh://me@middle", roles: ["proxy"] },
  ]);
  six.machine.host = "ssh://me@[fd00::2]:22";
  file.machine.host = "unix:///run/docker.sock";
  assert.equal(addressOf(six), "fd00::2");
  assert.equal(addressOf(file), null);
});

test("the mean round trip of ping, or none", () => {
  // iputils 20240905 of Debian trixie.
  const told =
    "20 packets transmitted, 20 received, 0% packet loss, time 971ms\nrtt min/avg/max/mdev = 0.030/0.061/0.118/0.021 ms\n";
  assert.equal(roundTripOf(told), 0.061);
  assert.equal(
    roundTripOf("20 packets transmitted, 0 received, 100% packet loss, time 1000ms\n"),
    null,
  );
});

test("iperf3's throughput as received, or its own words", () => {
  const result = (told: object) => {
    const stdout = JSON.stringify(told);
    return { stdout, output: stdout };
  };
  const end = { sum_sent: { retransmits: 12 }, sum_received: { bits_per_second: 9.41e9 } };
  assert.deepEqual(throughputOf(result({ end })), { bitsPerSecond: 9.41e9, retransmits: 12 });
  assert.throws(() => throughputOf(result({ end: {}, error: "unable to connect" })), {
    message: "unable to connect",
  });
  assert.throws(() => throughputOf({ stdout: "", output: "docker: no such network\n" }), {
    message: "docker: no such network",
  });
});

test("a speed in words", () => {
  const speed = { roundTripMs: 0.0614, bitsPerSecond: 9.41e9, retransmits: 12 };
  assert.equal(describeSpeed(speed), "0.061 ms, 9.4 Gbit/s, 12 retransmits");
  assert.equal(
    describeSpeed({ ...speed, roundTripMs: null, bitsPerSecond: 94.1e6 }),
    "no answer to ping, 94 Mbit/s, 12 retransmits",
  );
});
