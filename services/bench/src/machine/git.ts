/**
 * The state of the project's repository.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { run as Run } from "../platform/subprocess.ts";

export interface GitState {
  /** null: no repository, or one without a commit */
  commit: string | null;
  /** files differ from that commit; null: unknown, there is no git program here */
  changed: boolean | null;
}

/**
 * Reads the commit from the files (gitrepository-layout(5)): the runner's image has no git.
 *
 * @param directory the project's
 */
export async function readGit(directory: string, run: typeof Run): Promise<GitState> {
  const commit = commitOf(directory);
  return { commit, changed: commit === null ? null : await isChanged(directory, run) };
}

function commitOf(directory: string) {
  const folder = gitFolder(join(directory, ".git"));
  const head = folder && read(join(folder, "HEAD"));
  if (!head) return null;
  const name = head.match(/^ref: (.+)$/)?.[1];
  if (!name) return head;
  // A further work tree keeps its HEAD to itself and shares the branches.
  const common = resolve(folder, read(join(folder, "commondir")) ?? ".");
  return (
    read(join(common, name)) ??
    read(join(common, "packed-refs"))?.match(new RegExp(`^([0-9a-f]+) ${name}$`, "m"))?.[1] ??
    null
  );
}

/** @param path `.git`: a folder, or in a further work tree a file that names one */
function gitFolder(path: string): string | null {
  if (!existsSync(path)) return null;
  if (statSync(path).isDirectory()) return path;
  const target = read(path)?.match(/^gitdir: (.+)$/)?.[1];
  return target ? resolve(path, "..", target) : null;
}

function read(path: string) {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
}

async function isChanged(directory: string, run: typeof Run) {
  try {
    // The folder may belong to another user than this container's; git would refuse to look at it.
    const command = ["git", "-c", `safe.directory=${directory}`, "status", "--porcelain"];
    const { code, stdout } = await run(command, {
      cwd: directory,
      env: { GIT_OPTIONAL_LOCKS: "0" },
    });
    return code === 0 ? stdout.trim() !== "" : null;
  } catch {
    return null;
  }
}
