import assert from "node:assert/strict";
import { test } from "node:test";
import { doorIn } from "./relay.ts";

/** Of a container on an attachable overlay: the bridge is its way out. */
const ROUTE = [
  "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
  "eth0\t000012C6\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0",
  "eth1\t00000000\t010012AC\t0003\t0\t0\t0\t00000000\t0\t0\t0",
  "eth1\t000012AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0",
  "",
].join("\n");

/** @param addresses by interface */
function interfacesWith(addresses: Record<string, string>) {
  return Object.fromEntries(
    Object.entries({ lo: "127.0.0.1", ...addresses }).map(([name, address]) => [
      name,
      [
        {
          ...{ address, family: "IPv4" as const, internal: name === "lo" },
          ...{ netmask: "255.255.0.0", mac: "02:00:00:00:00:01", cidr: null },
        },
      ],
    ]),
  );
}

test("the way out leads to the machine, the other interface to all machines", () => {
  const interfaces = interfacesWith({ eth0: "198.18.0.7", eth1: "172.18.0.3" });
  assert.deepEqual(doorIn(ROUTE, interfaces), {
    machine: "172.18.0.1",
    bench: "172.18.0.3",
    inside: "198.18.0.7",
  });
});

test("a container that is on one network alone is none", () => {
  assert.throws(() => doorIn(ROUTE, interfacesWith({ eth1: "172.18.0.3" })), /not both on/);
  assert.throws(() => doorIn("", interfacesWith({ eth0: "198.18.0.7" })), /not both on/);
});
