/**
 * Machines for tests: the folder recorded/ is what the runner's container saw on a virtual machine
 * with 2 cores, Linux 6.18, cgroup v1 and Docker 20.10.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import type { Result, run as Run } from "../../platform/subprocess.ts";

/** What `probeEngine`'s container wrote on the same machine. */
export const RECORDED_PROBE = `1024 20000
net.core.netdev_max_backlog 1000
net.core.rmem_max 4194304
net.core.wmem_max 4194304
net.ipv4.tcp_mem 287901\t383868\t575802
net.netfilter.nf_conntrack_max 262144
net.netfilter.nf_conntrack_count 212
net.bridge.bridge-nf-call-iptables 1
`;

/** The part of `docker info` about counters, on the same machine. */
export const RECORDED_INFO = {
  ID: "2b0d5e7c",
  CgroupDriver: "cgroupfs",
  CgroupVersion: "1",
  MemoryLimit: true,
};

/**
 * @param probe what the container of `probeEngine` writes; null: it does not run
 * @param info of `docker info`
 * @returns an engine's answers
 */
export function engineWith(
  probe: string | null,
  info: object = RECORDED_INFO,
): (command: string[]) => Partial<Result> {
  return ([, command]) =>
    command === "info"
      ? { stdout: JSON.stringify({ ...RECORDED_INFO, ...info }) }
      : probe === null
        ? { code: 125 }
        : { stdout: probe };
}

/**
 * @param changes content of a file by its path; null: the file is not there
 * @returns the recorded machine so changed
 */
export function machine(
  t: TestContext,
  changes: Record<string, string | null> = {},
): { root: string; sys: string } {
  const root = mkdtempSync(join(tmpdir(), "machine-"));
  t.after(() => rmSync(root, { recursive: true }));
  cpSync(join(import.meta.dirname, "recorded"), root, { recursive: true });
  for (const [path, content] of Object.entries(changes)) {
    const file = join(root, path);
    if (content === null) rmSync(file);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  }
  return { root, sys: join(root, "sys") };
}

/** @returns a stand-in for `run`, and what it was asked */
export function fakeRun(answer: (command: string[]) => Partial<Result>): {
  run: typeof Run;
  commands: string[][];
} {
  const commands: string[][] = [];
  return {
    commands,
    async run(command) {
      commands.push(command);
      const { code = 0, stdout = "", stderr = "" } = answer(command);
      return { code, stdout, stderr, output: stdout + stderr };
    },
  };
}
