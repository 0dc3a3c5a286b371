/**
 * The state of the project's repository.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

/** @import { run as Run } from "../platform/docker.js" */

/**
 * @typedef {object} GitState
 * @property {string | null} commit null: no repository, or one without a commit
 * @property {boolean | null} changed files differ from that commit; null: unknown, there is no git program here
 */

/**
 * Reads the commit from the files (gitrepository-layout(5)): the runner's image has no git.
 *
 * @param {string} directory the project's
 * @param {typeof Run} run
 * @returns {Promise<GitState>}
 */
export async function readGit(directory, run) {
  const commit = commitOf(directory);
  return { commit, changed: commit === null ? null : await isChanged(directory, run) };
}

/** @param {string} directory */
function commitOf(directory) {
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

/**
 * @param {string} path `.git`: a folder, or in a further work tree a file that names one
 * @returns {string | null}
 */
function gitFolder(path) {
  if (!existsSync(path)) return null;
  if (statSync(path).isDirectory()) return path;
  const target = read(path)?.match(/^gitdir: (.+)$/)?.[1];
  return target ? resolve(path, "..", target) : null;
}

/** @param {string} path */
function read(path) {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
}

/**
 * @param {string} directory
 * @param {typeof Run} run
 */
async function isChanged(directory, run) {
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
