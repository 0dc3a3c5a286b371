/**
 * Engines that give a container 1024 descriptors as the soft limit and more as the hard one, as
 * current ones do; and every proxy at once, side by side, with connections that are idle for longer
 * than the time-outs that are common by default.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { readLimits } from "../../src/machine/limits.ts";
import { preflight } from "../../src/machine/preflight.ts";
import { OWN_ENGINE } from "../../src/platform/engine.ts";
import { run } from "../../src/platform/subprocess.ts";
import { readBattle } from "../../src/plan/battle.ts";
import { makePlan } from "../../src/plan/plan.ts";
import {
  differsInFilesAlone,
  joinProject,
  lab,
  PROC,
  projectDirectory,
  readAvailableProxies,
  runLoad,
} from "../lab.ts";
import { waitForAnswer } from "../requests.ts";
import type { Proxy } from "../../src/plan/proxies.ts";
import type { TestContext } from "node:test";

const LOAD_SERVICES = ["load", "load-http"];
const SOFT_LIMIT = 1024;
/** More than the soft limit lets a process open, and a proxied one takes two. */
const CONNECTIONS = 1200;
/** 60 s is the default of nginx, Apache httpd and most load balancers. */
const IDLE_MS = 65_000;
const WRAPPER = join(projectDirectory, "proxies/raise-limits.sh");

const { proxies, unavailable, config } = await readAvailableProxies();
const websocketProxies = proxies.filter(
  ({ name, serves, tuned }) => tuned && serves === "websockets" && !unavailable.has(name),
);

test("all proxies at once, under a low soft limit: many connections, and idle ones for 65 s", async (t) => {
  const hard = (await readLimits()).descriptorsPerProcess ?? 0;
  const project = await startAll(t, { soft: SOFT_LIMIT, hard });
  const ends = websocketProxies.flatMap(({ name, schemes }) =>
    schemes.map((scheme) => ({ name, scheme, url: `${scheme}://${name}:${PORTS[scheme]}/` })),
  );
  const idle = await Promise.all(
    ends.map(async (end) => ({ ...end, socket: await openSocket(t, end.url) })),
  );
  const openedMs = performance.now();

  const containers = await OWN_ENGINE.containersOf(project.name);
  for (const { service, pid } of containers.filter(({ running }) => running)) {
    await t.test(`${service} starts with its hard limit`, () => {
      const file = readFileSync(join(PROC, String(pid), "limits"), "utf8");
      assert.match(file, new RegExp(`^Max open files +${hard} +${hard} `, "m"));
    });
  }
  for (const service of LOAD_SERVICES) {
    await t.test(`${service} starts with its hard limit`, async () => {
      const command = ["sh", "-c", "ulimit -S -n"];
      const options = ["--rm", "--no-deps", "--no-TTY"];
      assert.equal(
        (await project.check(["run", ...options, service, ...command])).trim(),
        `${hard}`,
      );
    });
  }
  for (const { name, schemes } of websocketProxies.filter(hasOwnLimits)) {
    await t.test(`${name} holds ${CONNECTIONS} connections`, async () => {
      const { code, output, summary } = await runLoad(project, {
        TARGET_HOST: name,
        SCHEME: schemes[0],
        // The certificate says "proxy", which is the name of all of them here.
        K6_INSECURE_SKIP_TLS_VERIFY: "true",
      });
      assert.equal(code, 0, output);
      assert.deepEqual(summary.connections, {
        opened: CONNECTIONS,
        failed: 0,
        failedByCause: {},
      });
    });
  }

  await sleep(Math.max(0, IDLE_MS - (performance.now() - openedMs)));
  for (const { name, scheme, socket } of idle) {
    await t.test(
      `${name}, ${scheme}: a connection that was idle for 65 s still echoes`,
      async () => {
        assert.equal(socket.readyState, WebSocket.OPEN, "it was closed");
        const answer = once(socket, "message", { signal: AbortSignal.timeout(5000) });
        socket.send("still here");
        assert.equal(String((await answer)[0]), "still here");
      },
    );
  }
});

test("preflight reads both limits of the engine, and refuses what the hard one does not hold", async () => {
  const limited = (ulimit: string) =>
    readLimits({
      run: ([docker, command, ...args], options) =>
        run([docker, command, "--ulimit", `nofile=${ulimit}`, ...args], options),
    });
  const battle = readBattle(projectDirectory, "nginx-idle", { proxies });
  const plan = makePlan(battle, { rounds: 1 }, { proxies, say: () => {} });
  const about = { proxies, services: {}, workers: { proxy: 2, echo: 2 } };

  const low = await limited("512:1024");
  assert.deepEqual([low.softDescriptors, low.descriptorsPerProcess], [512, 1024]);
  const refused = preflight(plan, low, about).cells.flatMap(({ skip }) => skip ?? []);
  assert.ok(refused.length > 0, "no cell was refused");
  for (const reason of refused)
    assert.match(
      reason,
      /^needs [\d,]+ descriptors .*; the engine's hard limit is 1,024 per process \(soft: 512\)$/,
    );

  const soft = await limited("1024:20000");
  assert.deepEqual([soft.softDescriptors, soft.descriptorsPerProcess], [1024, 20000]);
  const both = await limited("20000:20000");
  assert.deepEqual(
    preflight(plan, soft, about).cells.map(({ skip }) => Boolean(skip)),
    preflight(plan, both, about).cells.map(({ skip }) => Boolean(skip)),
  );
});

for (const shell of ["sh", "busybox sh"]) {
  test(`${shell}: the wrapper raises the soft limit, and becomes the command`, async () => {
    const program = `sh -c 'echo "$(ulimit -S -n) $(ulimit -H -n) $$"'`;
    const script = `ulimit -S -n 100; echo $$; exec ${shell} ${WRAPPER} ${program}`;
    const { code, stdout, output } = await run(["sh", "-c", script]);
    assert.equal(code, 0, output);
    const [before, after] = stdout.trim().split("\n");
    const [soft, hard, pid] = after.split(" ");
    assert.deepEqual([soft, pid], [hard, before]);
  });

  test(`${shell}: without a command the wrapper says what is missing`, async () => {
    const { code, stderr } = await run([...shell.split(" "), WRAPPER]);
    assert.equal(code, 2);
    assert.match(stderr, /no command\. Say in compose\.yaml what to run/);
  });
}

const PORTS = { ws: 8080, wss: 8443 };

/** @returns else it is another with a file more, and opens as many connections as that one */
function hasOwnLimits({ name, variantOf, descriptorLimit }: Proxy): boolean {
  if (!variantOf || !differsInFilesAlone({ name, variantOf }, config)) return true;
  const original = proxies.find((proxy) => proxy.name === variantOf.proxy);
  return descriptorLimit !== original?.descriptorLimit;
}

/** @returns with one echo server behind all proxies, each of which answers */
async function startAll(
  t: TestContext,
  nofile: { soft: number; hard: number },
): Promise<ReturnType<typeof lab>> {
  const { services } = await lab(t, { profile: "*" }).config();
  const names = websocketProxies.map(({ name }) => name);
  const parts = Object.keys(services).filter((service) =>
    services[service].profiles?.some((profile) => names.includes(profile)),
  );
  const project = lab(t, {
    profile: "*",
    env: {
      // One process must hold them all.
      ECHO_WORKERS: "1",
      SCENARIO: "idle",
      CONNECTIONS: String(CONNECTIONS),
      CONNECTIONS_PER_SECOND: "1000",
      HOLD_SECONDS: "1",
      INTERVAL_SECONDS: "0",
      TIMEOUT_SECONDS: "10",
    },
    services: Object.fromEntries(
      ["echo", ...parts, ...LOAD_SERVICES].map((service) => [service, { ulimits: { nofile } }]),
    ),
  });
  await project.check(["up", "--detach", "echo", ...parts]);
  await joinProject(t, project.name);
  await Promise.all(
    websocketProxies.flatMap(({ name, schemes }) =>
      schemes.map(async (scheme) => {
        const protocol = scheme === "wss" ? "https" : "http";
        await waitForAnswer(`${protocol}://${name}:${PORTS[scheme]}/healthz`);
      }),
    ),
  );
  return project;
}

async function openSocket(t: TestContext, url: string) {
  const socket = new WebSocket(url, { rejectUnauthorized: false });
  t.after(() => socket.terminate());
  await once(socket, "open");
  // That it was closed is what the test looks at.
  socket.on("error", () => {});
  return socket;
}
