/**
 * What the network between two machines of hosts.yaml gives: ping and iperf3, from their packages
 * in this program's image.
 */
import { randomBytes } from "node:crypto";
import { UserError } from "../errors.ts";
import { until } from "../platform/wait.ts";
import { BENCH_IMAGE, HARDENED } from "../machine/engine.ts";
import { askEngine, withRole } from "./engines.ts";
import { MARK, NETWORK } from "./swarm.ts";
import type { HostEngine, ReachedEngine } from "./engines.ts";

/** host: that of the machines themselves */
export type Network = "overlay" | "host";

interface Speed {
  /** mean of 20 pings; null: no answer to them */
  roundTripMs: number | null;
  /** of one TCP connection, as received */
  bitsPerSecond: number;
  retransmits: number;
}

const PINGS = 20;
/** What ping ends with when it cannot send; without an answer it is 1. */
const NO_NAME = 2;
/** Other engines hear of a new name a moment later. */
const NAME_LIMIT_MS = 10_000;
const SECONDS = 3;
/** What iperf3 listens on. */
const PORT = 5201;

/** @returns from and to: the ways that a benchmark's traffic takes between machines */
export function linksOf<T extends HostEngine>(engines: T[]): [T, T][] {
  const [proxy] = withRole(engines, "proxy");
  const [servers] = withRole(engines, "servers");
  const ways = [...withRole(engines, "load").map((load) => [load, proxy]), [proxy, servers]] as [
    T,
    T,
  ][];
  return ways.filter(([from, to]) => from && to && from !== to);
}

/** @returns where the other machines reach it; null: not known before it has joined */
export function addressOf({ machine: { address, host = "" }, info }: ReachedEngine): string | null {
  if (address !== undefined) return address;
  if (info.Swarm.NodeAddr) return info.Swarm.NodeAddr;
  return /^(ssh|tcp):/.test(host) ? new URL(host).hostname.replace(/^\[|\]$/g, "") : null;
}

/**
 * Loads both machines for 4 s.
 *
 * @throws {UserError} when it cannot be measured: no way between them, no container there
 */
export async function measureLink(
  from: ReachedEngine,
  to: ReachedEngine,
  network: Network,
): Promise<Speed> {
  const name = `${NETWORK}-link-${randomBytes(4).toString("hex")}`;
  const target = network === "overlay" ? name : addressOf(to);
  if (target === null) {
    throw new UserError(
      `the address of ${to.machine.name} is not known`,
      "Give it an address in the file, or run ./bench hosts join, after which its engine knows it.",
    );
  }
  const there = ["--label", MARK, "--network", network === "overlay" ? NETWORK : "host"];
  const alias = network === "overlay" ? ["--network-alias", name] : [];
  const client = ["run", "--rm", "--name", `${name}-client`, ...there, ...HARDENED];
  try {
    await askEngine(to, [
      ...["run", "--detach", "--rm", "--name", name, ...there, ...alias, ...HARDENED],
      ...["--tmpfs", "/tmp", "--entrypoint", "iperf3", BENCH_IMAGE, "--server"],
      ...["--port", String(PORT)],
    ]);
    const pings = ["-n", "-q", "-c", String(PINGS), "-i", "0.05", "-W", "1", target];
    const ping = await until(
      Date.now() + NAME_LIMIT_MS,
      () =>
        from.run([
          ...["docker", ...client, "--user", "0:0", "--cap-add", "NET_RAW"],
          ...["--entrypoint", "ping", BENCH_IMAGE, ...pings],
        ]),
      ({ code }) => code !== NO_NAME,
    );
    const iperf = await from.run([
      ...["docker", ...client, "--tmpfs", "/tmp", "--entrypoint", "iperf3", BENCH_IMAGE, "--json"],
      ...["--client", target, "--port", String(PORT), "--time", String(SECONDS)],
      ...["--connect-timeout", "5000"],
    ]);
    return { roundTripMs: roundTripOf(ping.stdout), ...throughputOf(iperf) };
  } finally {
    // One that was given up may run on; where the machine is silent, a message has said so.
    await Promise.allSettled([
      to.run(["docker", "rm", "--force", name]),
      from.run(["docker", "rm", "--force", `${name}-client`]),
    ]);
  }
}

/**
 * @param output of ping -q
 * @returns mean in ms
 */
export function roundTripOf(output: string): number | null {
  const mean = output.match(/= [\d.]+\/([\d.]+)\/[\d.]+\/[\d.]+ ms/)?.[1];
  return mean === undefined ? null : Number(mean);
}

/**
 * @param result of iperf3 --json
 * @throws {UserError} with its own words
 */
export function throughputOf({
  stdout,
  output,
}: {
  stdout: string;
  output: string;
}): Pick<Speed, "bitsPerSecond" | "retransmits"> {
  const start = stdout.indexOf("{");
  if (start < 0) throw new UserError(output.trim());
  const { error, end } = JSON.parse(stdout.slice(start));
  if (error) throw new UserError(error);
  return {
    bitsPerSecond: end.sum_received.bits_per_second,
    retransmits: end.sum_sent.retransmits,
  };
}

export function describeSpeed({ roundTripMs, bitsPerSecond, retransmits }: Speed): string {
  const roundTrip = roundTripMs === null ? "no answer to ping" : `${roundTripMs.toFixed(3)} ms`;
  const gigabits = bitsPerSecond / 1e9;
  const rate =
    gigabits >= 1 ? `${gigabits.toFixed(1)} Gbit/s` : `${(gigabits * 1000).toFixed(0)} Mbit/s`;
  return `${roundTrip}, ${rate}, ${retransmits} retransmits`;
}
