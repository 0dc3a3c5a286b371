/**
 * Servers behind the proxies other than the echo server, and the tools of the load that asks them.
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { setup } from "../../src/commands/setup.ts";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { check } from "../../src/platform/subprocess.ts";
import { until } from "../../src/platform/wait.ts";
import { lab, LabProject, projectDirectory } from "../lab.ts";
import {
  assertSharedConnections,
  bringUp,
  client,
  socketsOf,
  startProxy,
  waitForProxy,
} from "../requests.ts";
import type { TestContext } from "node:test";
import type { Scheme } from "../../src/model/plan.ts";

before(() => setup(projectDirectory, () => {}, { backends: ["node-web", "spring"] }));

const BOTH: readonly Scheme[] = ["ws", "wss"];

for (const [backend, proxies] of [
  [
    "node-web",
    {
      nginx: ["/hello"],
      "haproxy-tcp-hitch": ["/hello", "/files/2216"],
      none: ["/hello", "/files/786432"],
    },
  ],
  ["spring", { nginx: ["/hello"], "haproxy-tcp-hitch": ["/hello"] }],
] as const) {
  test(`${backend} answers through ${Object.keys(proxies).join(", ")}`, async (t) => {
    const { name, env } = lab(t, { env: { BACKEND: backend, SERVER_WORKERS: "2" } });
    for (const [profile, paths] of Object.entries(proxies)) {
      await t.test(profile, async (t) => {
        const options = { name, env, profile };
        const project = Object.assign(new LabProject(projectDirectory, options), { name });
        const ca = await bringUp(t, project, profile, BOTH);
        if (backend === "node-web" && profile === "nginx")
          await assertSharedConnections(t, project, { name: profile, schemes: BOTH, ca }, "/hello");
        await assertAnswers(t, { ca, schemes: BOTH, paths });
        const all = await OWN_ENGINE.containersOf(name);
        const own = all.filter(({ service }) => service !== "echo");
        await OWN_ENGINE.remove(own.map((container) => container.name));
      });
    }
  });
}

async function assertAnswers(
  t: TestContext,
  { ca, schemes, paths }: { ca: string; schemes: readonly Scheme[]; paths: readonly string[] },
) {
  for (const scheme of schemes) {
    const { get } = client(t, scheme, ca);
    for (const path of paths) assert.equal(await get(path), 200, `${scheme} ${path}`);
    assert.equal(await get("/nothing"), 404);
  }
}

test("spring's instances share the port; it ends when one does, and at once when told", async (t) => {
  const knobs = { BACKEND: "spring", SERVER_WORKERS: "2" };
  const { project, ca } = await startProxy(t, "none", ["ws"], knobs);
  await assertAnswers(t, { ca, schemes: ["ws"], paths: ["/hello"] });
  const listening = async () => {
    const sockets = await socketsOf(project, "none");
    return sockets.split("\n").filter((line) => /^ *\d+: \w+:1F90 \S+ 0A /.test(line)).length;
  };
  assert.equal(await until(Date.now() + 20_000, listening, (count) => count === 2), 2);
  const id = (await project.check(["ps", "--quiet", "none"])).trim();
  await project.check(["exec", "--no-TTY", "none", "sh", "-c", killOne("java")]);
  assert.equal((await check(["docker", "wait", id])).trim(), "1");
  assert.match(await project.check(["logs", "none"]), /an instance ended with status 137/);

  await project.check(["up", "--detach", "--no-deps", "none"]);
  await waitForProxy(["ws"]);
  const again = (await project.check(["ps", "--quiet", "none"])).trim();
  await project.check(["stop", "--timeout", "30", "none"]);
  // 137 would be: killed after those 30 s.
  const status = ["docker", "inspect", "--format", "{{.State.ExitCode}}", again];
  assert.equal((await check(status)).trim(), "0");
});
test("the load generator has its tools, and what its programs import", async (t) => {
  const project = lab(t);
  const run = (entrypoint: string[], ...args: string[]) =>
    project.run(["run", "--rm", "--no-deps", "--no-TTY", ...entrypoint, "load-http", ...args]);
  assert.match((await run(["--entrypoint", "wrk"], "--version")).output, /^wrk .*epoll/m);
  assert.match((await run(["--entrypoint", "ab"], "-V")).output, /ApacheBench, Version/);
  const script = "import('ws').then(({ WebSocket }) => console.log(WebSocket.name))";
  const { code, stdout } = await run(["--entrypoint", "node"], "--eval", script);
  assert.deepEqual([code, stdout.trim()], [0, "WebSocket"]);
});

/** @returns script for sh that kills the first process which runs it */
function killOne(program: string): string {
  return `for p in /proc/[0-9]*; do [ "$(cat "$p/comm")" = ${program} ] && kill -9 "\${p#/proc/}" && exit; done; exit 1`;
}
