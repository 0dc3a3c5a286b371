/**
 * Single processes of containers, by the numbers that the host has for them. As counters.js it reads /proc alone, as an ordinary user.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** State, and parent, in /proc/<pid>/stat: after the name, which may hold anything (proc_pid_stat(5)). */
const STAT = /^\d+ \(.*\) (\S) (\d+) /s;

/**
 * @typedef {object} Worker
 * @property {number} pid on the host
 * @property {number} inner in its container
 * @property {number} parent on the host
 */

/**
 * @param {number} pid
 * @param {string} [root] where the host's /proc is mounted
 * @returns {boolean} false too when it has ended, and its parent has not taken note yet
 */
export function isRunning(pid, root = "/host") {
  const state = statOf(pid, root)?.state;
  return state !== undefined && state !== "Z" && state !== "X";
}

/**
 * The size of /proc/<pid>/fd is the number of open files since Linux 6.2; before it is 0 for all, and any of them is as good.
 *
 * @param {number[]} pids of containers
 * @param {number[]} mains those of them that are a container's first process
 * @param {string} [root]
 * @returns {Worker | null} of the children of the first processes the one with the most open files; null: there is none
 */
export function busiestChild(pids, mains, root = "/host") {
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

/**
 * @param {number} pid
 * @param {string} root
 * @returns {{state: string, parent: number} | null} null: there is no such process
 */
function statOf(pid, root) {
  const [, state, parent] = read(pid, root, "stat")?.match(STAT) ?? [];
  return state === undefined ? null : { state, parent: Number(parent) };
}

/**
 * @param {number} pid
 * @param {string} root
 * @returns {number | null} in the innermost of its PID namespaces, the last number of NSpid (proc_pid_status(5)); null: it has ended
 */
function innerPid(pid, root) {
  const numbers = read(pid, root, "status")?.match(/^NSpid:(.*)$/m)?.[1];
  return numbers === undefined ? null : Number(numbers.trim().split(/\s+/).at(-1));
}

/**
 * @param {number} pid
 * @param {string} root
 */
function openFiles(pid, root) {
  try {
    return statSync(join(root, "/proc", String(pid), "fd")).size;
  } catch {
    // It has ended, or may not be looked at (hidepid).
    return 0;
  }
}

/**
 * @param {number} pid
 * @param {string} root
 * @param {string} file
 * @returns {string | null} null: there is no such process
 */
function read(pid, root, file) {
  try {
    return readFileSync(join(root, "/proc", String(pid), file), "utf8");
  } catch {
    return null;
  }
}
