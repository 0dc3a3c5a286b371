/**
 * Readings of containers that never ran.
 */

import type { Reading } from "../../platform/counters.ts";
import type { ContainerState } from "../../platform/engine.ts";
import type { SocketReading } from "../../model/container.ts";

export const SOCKETS: SocketReading = {
  tcpInUse: 4,
  tcpTimeWait: 1,
  tcpCloseWait: 0,
  descriptors: 9,
};

export function reading({
  atMs = 1000,
  seconds = 1,
  throttledSeconds = null,
  usage = 100,
  kernel = 10,
  network = null,
}: {
  atMs?: number;
  seconds?: number;
  throttledSeconds?: number | null;
  usage?: number;
  kernel?: number | null;
  network?: Reading["network"];
} = {}): Reading {
  return {
    atMs,
    cpu: {
      userSeconds: seconds,
      systemSeconds: 0,
      totalSeconds: seconds,
      throttledSeconds,
      throttledPeriods: null,
    },
    memory: {
      usageBytes: usage,
      workingSetBytes: usage - 1,
      rssBytes: usage - 2,
      kernelBytes: kernel,
      socketBytes: null,
      highWaterBytes: usage + 1000,
    },
    network,
    oomKills: null,
  };
}

/** @returns of one that runs */
export function state(changes: Partial<ContainerState> = {}): ContainerState {
  return {
    id: "1a",
    name: "p-nginx-1",
    service: "nginx",
    image: "nginx:1",
    running: true,
    exitCode: 0,
    outOfMemory: false,
    restarts: 0,
    startedAt: "2026-11-22T00:00:00Z",
    pid: 1,
    sharesNetwork: false,
    address: "172.18.0.2",
    ...changes,
  };
}
