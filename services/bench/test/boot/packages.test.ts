import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FALLBACK } from "../../src/commands/setup.ts";
import { readVersions } from "../../src/machine/versions.ts";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { run } from "../../src/platform/subprocess.ts";
import { atEnd, projectDirectory, uniqueName } from "../lab.ts";

const BASE = "ws-proxy-bench/base:trixie";
const present = await OWN_ENGINE.localImages([BASE]);

test(
  "a suite that is gone: the build says that it falls back, and so do the versions of a run",
  { skip: !present.has(BASE) && "images are pulled here, not built" },
  async (t) => {
    const image = uniqueName();
    // A name that no build before had: what is cached says nothing.
    const suite = uniqueName();
    atEnd(t, () => run(["docker", "image", "rm", image]));
    const args = { BASE_IMAGE: BASE, SUITES: `${suite}/1.30 trixie/1.26` };
    const build = {
      context: join(projectDirectory, "offline"),
      dockerfile: "nginx/Dockerfile",
      args,
    };
    const file = join(mkdtempSync(join(tmpdir(), "packages-")), "compose.json");
    writeFileSync(file, JSON.stringify({ services: { nginx: { image, build } } }));
    const { code, output } = await run([
      "docker",
      "compose",
      "--progress",
      "plain",
      "--file",
      file,
      "build",
    ]);
    assert.equal(code, 0, output);
    assert.equal(output.match(FALLBACK)?.length, 1, output);
    const { reference } = await readVersions({ reference: image }, [], run);
    assert.match(
      reference.origin ?? "",
      new RegExp(`^nginx 1\\.26\\.\\S+ from Debian trixie, as ${suite} has no 1\\.30$`),
    );
    assert.match(reference.version, /^nginx version: nginx\/1\.26\./);
  },
);
