/**
 * Fingerprints of files.
 */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * @param path a file, or a folder with all below it but `node_modules`, tests, names that
 *   begin with a dot, and texts for people (`.md`)
 * @returns of names and contents, 16 hexadecimal digits; `absent` where there is none
 */
export function fingerprint(path: string): string {
  if (!existsSync(path)) return "absent";
  const hash = createHash("sha256");
  const files = statSync(path).isDirectory() ? filesBelow(path) : [path];
  for (const file of files)
    hash
      .update(`${relative(path, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  return hash.digest("hex").slice(0, 16);
}

/** Folders and files that change no figure. */
const ASIDE = /^(node_modules|test|\..*|.*\.md)$/;

/** @returns sorted */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !ASIDE.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
}
