/**
 * Single processes of containers, by the numbers that the host has for them. As counters.ts it
 * reads /proc alone, as an ordinary user.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * State, and parent, in /proc/<pid>/stat: after the name, which may hold anything
 * (proc_pid_stat(5)).
 */
const STAT = /^\d+ \(.*\) (\S) (\d+) /s;

export interface Worker {
  /** on the host */
  pid: number;
  /** in its container */
  inner: number;
  /** on the host */
  parent: number;
}

/**
 * @param root where the host's /proc is mounted
 * @returns false too when it has ended, and its parent has not taken note yet
 */
export function isRunning(pid: number, root = "/host"): boolean {
  const state = statOf(pid, root)?.state;
  return state !== undefined && state !== "Z" && state !== "X";
}

/**
 * The size of /proc/<pid>/fd is the number of open files since Linux 6.2; before it is 0 for all,
 * and any of them is as good.
 *
 * @param pids of containers
 * @param mains those of them that are a container's first process
 * @returns of the children of the first processes the one with the most open files; null: there is
 *   none
 */
export function busiestChild(pids: number[], mains: number[], root = "/host"): Worker | null {
  const [busiest] = pids
    .flatMap((pid) => {
      const { parent = 0 } = statOf(pid, root) ?? {};
      const inner = innerPid(pid, root);
      if (inner === null || !mains.includes(parent) || !isRunning(pid, root)) return [];
      return { worker: { pid, inner, parent }, files: openFiles(pid, root) };
    })
    .sort((a, b) => b.files - a.files || a.worker.pid - b.worker.pid);
  return busiest?.worker ?? null;
}

/** @returns null: there is no such process */
function statOf(pid: number, root: string): { state: string; parent: number } | null {
  const [, state, parent] = read(pid, root, "stat")?.match(STAT) ?? [];
  return state === undefined ? null : { state, parent: Number(parent) };
}

/**
 * @returns in the innermost of its PID namespaces, the last number of NSpid (proc_pid_status(5));
 *   null: it has ended
 */
function innerPid(pid: number, root: string): number | null {
  const numbers = read(pid, root, "status")?.match(/^NSpid:(.*)$/m)?.[1];
  return numbers === undefined ? null : Number(numbers.trim().split(/\s+/).at(-1));
}

function openFiles(pid: number, root: string) {
  try {
    return statSync(join(root, "/proc", String(pid), "fd")).size;
  } catch {
    // It has ended, or may not be looked at (hidepid).
    return 0;
  }
}

/** @returns null: there is no such process */
function read(pid: number, root: string, file: string): string | null {
  try {
    return readFileSync(join(root, "/proc", String(pid), file), "utf8");
  } catch {
    return null;
  }
}
