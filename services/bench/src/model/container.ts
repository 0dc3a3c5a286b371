/**
 * What the counters of a container say over the measured phase.
 */
import type { Static } from "typebox";
import * as shape from "./shapes.ts";

export const Role = shape.oneOf(["proxy", "echo", "load", "observer", "reference"]);
export type Role = Static<typeof Role>;

export const MemoryReading = shape.object(
  {
    usageBytes: shape.amount("all that the cgroup is charged for"),
    workingSetBytes: shape.amount(
      "usage without inactive file cache, as cAdvisor and Kubernetes define it",
    ),
    rssBytes: shape.amount("anonymous memory"),
    kernelBytes: shape.nullable(shape.amount(), "null: not counted by this kernel"),
    socketBytes: shape.nullable(shape.amount(), "null: not counted by this kernel"),
  },
  "one reading, in bytes",
);
export interface MemoryReading extends Static<typeof MemoryReading> {}

export const SocketReading = shape.object(
  {
    tcpInUse: shape.nullable(
      shape.count(),
      "TCP sockets of IPv4 and IPv6, listening and half closed ones among them, without those in TIME_WAIT",
    ),
    tcpTimeWait: shape.nullable(shape.count(), "in TIME_WAIT"),
    tcpCloseWait: shape.nullable(
      shape.count(),
      "closed by the other side, and still held by this one: what a leak looks like",
    ),
    descriptors: shape.nullable(
      shape.count(),
      "open files of all processes, sockets among them; since Linux 6.2",
    ),
  },
  "one reading of what a container holds open; null: it could not be read, or the TCP sockets are another container's or the machine's, whose network it shares",
);
export interface SocketReading extends Static<typeof SocketReading> {}

export const NetworkReading = shape.object({
  rxBytes: shape.amount(),
  txBytes: shape.amount(),
  rxPackets: shape.amount(),
  txPackets: shape.amount(),
});
export interface NetworkReading extends Static<typeof NetworkReading> {}

const SETTLED = "settleSeconds of its scenario after the load has ended; null: not read";

export const ContainerRecord = shape.object({
  role: Role,
  image: shape.text("as in the configuration"),
  machine: shape.optional(
    shape.text("that it ran on, as in hosts.yaml; absent: there is one alone"),
  ),
  cpu: shape.object(
    {
      userSeconds: shape.amount(),
      systemSeconds: shape.amount(),
      totalSeconds: shape.amount(),
      throttledSeconds: shape.amount(),
    },
    "CPU time between the edges of the measured phase, from cgroup counters",
  ),
  memory: shape.nullable(
    shape.object({
      baseline: shape.described(
        MemoryReading,
        "before the load began: warmed up, no connection yet; of the load itself, the first sample",
      ),
      mean: MemoryReading,
      peak: shape.described(MemoryReading, "each the highest sample, every 250 ms"),
      highWaterBytes: shape.nullable(
        shape.amount(),
        "the kernel's own, of usage since the container started",
      ),
      after: shape.nullable(MemoryReading, SETTLED),
    }),
    "null: the container's cgroup was gone before it could be read",
  ),
  network: shape.nullable(
    NetworkReading,
    "between the edges; null: it shares another container's network, or the machine's",
  ),
  sockets: shape.nullable(
    shape.object({
      baseline: shape.described(SocketReading, "before the load began"),
      from: shape.described(SocketReading, "first edge"),
      to: shape.described(SocketReading, "last edge"),
      after: shape.nullable(SocketReading, SETTLED),
    }),
    "null: load or observer",
  ),
});
export interface ContainerRecord extends Static<typeof ContainerRecord> {}
