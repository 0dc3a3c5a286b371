import assert from "node:assert/strict";
import { test } from "node:test";
import { limitsOfMachines } from "./limits.ts";
import type { Limits } from "../machine/limits.ts";
import type { Role } from "./file.ts";

const OWN: Limits = {
  cores: 2,
  memoryBytes: 1e9,
  availableBytes: 1e8,
  softDescriptors: 1024,
  descriptorsPerProcess: 20_000,
  fileMax: 1000,
  filesOpen: 10,
  conntrackMax: 100,
  conntrackCount: 1,
  pidMax: 1000,
  portRange: { from: 1024, to: 65535 },
};

/** @param about probe: what a container there says; null: none can */
function engine(
  roles: Role[],
  { cores, memory, probe }: { cores: number; memory: number; probe: string | null },
): any {
  return {
    machine: { roles },
    info: { NCPU: cores, MemTotal: memory },
    run: async () => ({ code: probe === null ? 1 : 0, stdout: probe ?? "" }),
  };
}

test("cores are the proxy's, the rest is that of the smallest machine which carries something", async () => {
  const limits = await limitsOfMachines(
    [
      engine(["proxy"], {
        cores: 8,
        memory: 16e9,
        probe: "1024 1048576\nnet.ipv4.ip_local_port_range 1024 65535\n",
      }),
      engine(["servers", "load"], {
        cores: 4,
        memory: 32e9,
        probe:
          "1024 unlimited\nnet.netfilter.nf_conntrack_max 262144\nnet.ipv4.ip_local_port_range 32768\t60999\n",
      }),
      engine(["observe"], { cores: 2, memory: 2e9, probe: "1024 4096\n" }),
    ],
    OWN,
  );
  assert.deepEqual(limits, {
    ...OWN,
    cores: 8,
    memoryBytes: 16e9,
    availableBytes: null,
    descriptorsPerProcess: 1_048_576,
    fileMax: null,
    filesOpen: null,
    conntrackMax: 262_144,
    conntrackCount: null,
    pidMax: null,
    hostPortRange: { from: 32_768, to: 60_999 },
  });
});

test("where no container tells, descriptors are believed to be those of here", async () => {
  const limits = await limitsOfMachines(
    [engine(["proxy", "servers", "load"], { cores: 8, memory: 16e9, probe: null })],
    OWN,
  );
  assert.equal(limits.descriptorsPerProcess, 20_000);
  assert.equal(limits.conntrackMax, null);
  assert.equal(limits.hostPortRange, null);
});
