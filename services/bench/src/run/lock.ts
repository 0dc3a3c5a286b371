/**
 * One run at a time: two would measure each other.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { OWN_ENGINE } from "../platform/engine.ts";
import { UserError } from "../errors.ts";

interface Holder {
  /** its folder */
  run: string;
  /** in which it runs */
  container: string;
  /** in that container */
  pid: number;
}

/**
 * @param directory the project's
 * @param run folder of the run that wants it
 * @returns left: a run that ended without giving it back
 * @throws {UserError} when another run is under way
 */
export async function lock(
  directory: string,
  run: string,
): Promise<{ release: () => void; left: Holder | null }> {
  const file = fileOf(directory);
  mkdirSync(join(directory, ".bench"), { recursive: true });
  const content = JSON.stringify({ run, container: hostname(), pid: process.pid });
  const release = () => rmSync(file, { force: true });
  try {
    writeFileSync(file, content, { flag: "wx" });
    return { release, left: null };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const left = await refuseSecond(directory);
  writeFileSync(file, content);
  return { release, left };
}

/**
 * @param directory the project's
 * @returns a run that ended without giving the lock back
 * @throws {UserError} when another run is under way
 */
export async function refuseSecond(directory: string): Promise<Holder | null> {
  const left = read(fileOf(directory));
  if (!left || !(await isAlive(left))) return left;
  throw new UserError(
    `a run is under way: ${left.run}`,
    "Two at once would disturb each other. Wait for its end, or stop it with Ctrl-C there.",
  );
}

function fileOf(directory: string): string {
  return join(directory, ".bench/run.lock");
}

/** @returns null: it cannot be read, as after a crash of the machine */
function read(file: string): Holder | null {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

async function isAlive({ container, pid }: Holder) {
  if (container !== hostname())
    return (await OWN_ENGINE.inspect([container])).some(({ running }) => running);
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch {
    return false;
  }
}
