/**
 * What ./bench looks up for `try` on the host: folders that are mounted, and a git revision.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { check } from "../src/platform/subprocess.ts";
import type { TestContext } from "node:test";

const SCRIPT = join(import.meta.dirname, "try.sh");

/** @returns a project, and beside it a folder of a user with two files, in that a repository */
async function folders(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), "try-test-"));
  t.after(() => rmSync(root, { recursive: true }));
  const [project, caller] = [join(root, "project"), join(root, "caller")];
  mkdirSync(join(project, "proxies/haproxy"), { recursive: true });
  mkdirSync(join(caller, "conf"), { recursive: true });
  writeFileSync(join(caller, "conf/nginx.conf"), "old");
  const git = ["git", "-C", caller, "-c", "user.name=a", "-c", "user.email=a@example.org"];
  for (const args of [
    ["init", "--quiet"],
    ["add", "."],
    ["commit", "--quiet", "--message=a"],
  ])
    await check([...git, ...args]);
  writeFileSync(join(caller, "conf/nginx.conf"), "new");
  const call = async (name: string, ...words: string[]) =>
    (
      await check(["sh", "-c", `. ${SCRIPT}; "$@"`, "sh", name, ...words], {
        env: { caller_dir: caller, project_dir: project },
        cwd: project,
      })
    )
      .split("\n")
      .filter(Boolean);
  return { project, caller, call };
}

test("the folders of what is named are mounted, each once, and none of the project", async (t) => {
  const { project, caller, call } = await folders(t);
  const words = [
    "try",
    "nginx",
    "conf/nginx.conf",
    "--against=conf",
    "--json",
    join(project, "proxies"),
  ];
  assert.deepEqual(await call("tried_folders", ...words), [join(caller, "conf")]);
});

test("a revision of the file is put beside, of a folder the folder", async (t) => {
  const { project, call } = await folders(t);
  const at = join(project, ".bench/against");
  const file = await call("tried_revision", "try", "nginx", "conf/nginx.conf", "--against", "HEAD");
  assert.deepEqual(file, [join(at, "nginx.conf")]);
  assert.equal(readFileSync(file[0], "utf8"), "old");
  assert.deepEqual(await call("tried_revision", "try", "nginx", "conf", "--against=HEAD"), [at]);
});

test("a file, a proxy or an image is no revision", async (t) => {
  const { call } = await folders(t);
  for (const other of ["conf/nginx.conf", "haproxy", "nginx:1.29"])
    assert.deepEqual(await call("tried_revision", "try", "nginx", "conf", "--against", other), []);
});
