import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Project } from "../platform/compose.ts";
import { Engine } from "../platform/engine.ts";
import { checkConfig } from "./config-check.ts";

const PROXY = { name: "mine", configChecks: [{ command: ["mine", "-t"] }] };

test("a config check that does not end is given up, named, and its container removed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "check-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const asked = join(folder, "asked");
  // Stands in for docker: what runs once never ends.
  const client = `echo "$*" >>${asked}; case " $* " in *" run "*) echo serving; exec sleep 600 ;; esac`;
  const engine = new Engine(["sh", "-c", client, "docker"]);
  await assert.rejects(checkConfig(new Project(folder, { engine }), PROXY, 300), {
    message: /^the config check of mine, mine -t, still runs after 0\.3 s:\nserving\ngiven up/,
    next: /entrypoint of mine must run the command that it gets/,
  });
  assert.ok(existsSync(asked));
  const lines = readFileSync(asked, "utf8").trim().split("\n");
  const name = lines.find((line) => line.includes(" run "))?.match(/--name (\S+)/)?.[1];
  assert.equal(lines.at(-1), `rm --force --volumes ${name}`);
});
