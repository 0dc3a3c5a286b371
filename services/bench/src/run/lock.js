/**
 * One run at a time: two would measure each other.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { OWN_ENGINE } from "../platform/docker.js";
import { UserError } from "../errors.js";

/**
 * @typedef {object} Holder
 * @property {string} run its folder
 * @property {string} container in which it runs
 * @property {number} pid in that container
 */

/**
 * @param {string} directory the project's
 * @param {string} run folder of the run that wants it
 * @returns {Promise<{release: () => void, left: Holder | null}>} left: a run that ended without giving it back
 * @throws {UserError} when another run is under way
 */
export async function lock(directory, run) {
  const file = join(directory, ".bench/run.lock");
  mkdirSync(join(directory, ".bench"), { recursive: true });
  const content = JSON.stringify({ run, container: hostname(), pid: process.pid });
  const release = () => rmSync(file, { force: true });
  try {
    writeFileSync(file, content, { flag: "wx" });
    return { release, left: null };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const left = read(file);
  if (left && (await isAlive(left))) {
    throw new UserError(
      `a run is under way: ${left.run}`,
      "Two at once would measure each other. Wait for its end, or stop it with Ctrl-C there.",
    );
  }
  writeFileSync(file, content);
  return { release, left };
}

/**
 * @param {string} file
 * @returns {Holder | null} null: it cannot be read, as after a crash of the machine
 */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

/** @param {Holder} holder */
async function isAlive({ container, pid }) {
  if (container !== hostname())
    return (await OWN_ENGINE.inspect([container])).some(({ running }) => running);
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch {
    return false;
  }
}
