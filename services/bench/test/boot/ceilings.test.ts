/**
 * Where proxies stop, with a tenth of the numbers and less: each ceiling of docs/ceilings.md that a
 * container can have shows as that page says, and is gone after the fix that it names.
 */
import assert from "node:assert/strict";
import { lookup } from "node:dns";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../../../../loadgen/lib/client.mjs";
import { Echoes } from "../../../../loadgen/lib/echoes.mjs";
import { copyOfProject, lab, readAvailableProxies } from "../lab.ts";
import { bringUp, untilAllServe } from "../requests.ts";
import type { TestContext } from "node:test";

/** Of a handshake, where some are to fail, and where none is. */
const LIMIT_MS = 4_000;
const PATIENT_MS = 30_000;
/** From the last handshake until all echoes are there, or what is to break has broken. */
const SETTLE_MS = 1_000;
const TARGET = { host: "proxy", port: 8080, url: "ws://proxy:8080/", lookup, secureContext: null };

interface Ceiling {
  title: string;
  proxy: string;
  /** a line of its configuration, and what stands in its place */
  line?: [file: string, from: string, to: string];
  /** of its container */
  container?: object;
  connections: number;
  /** how some fail or end, as loadgen/lib/client.mjs says: some do each */
  symptoms: RegExp[];
  /** of the proxy; left out: it says nothing */
  log?: RegExp;
  /** the symptom that the log does not explain at its usual level */
  unexplained?: RegExp;
  /** of services, which is the fix; left out: what the suite itself has */
  fix?: Record<string, object>;
  /** of the fix, behind the proxy */
  servers?: number;
}

/** Both limits: the soft one is raised to the hard one (proxies/raise-limits.sh). */
const FEW_DESCRIPTORS = { ulimits: { nofile: 256 } };
/** Of a hundred one is taken by what waits for the proxy. */
const FEW_PORTS = { sysctls: { "net.ipv4.ip_local_port_range": "40000 40099" } };

const CEILINGS: Ceiling[] = [
  {
    title: "worker_connections counts both sides",
    proxy: "nginx",
    line: ["events.conf", "worker_connections 16384", "worker_connections 100"],
    connections: 60,
    symptoms: [/^(status 500|reset|end)$/],
    log: /100 worker_connections are not enough/,
  },
  {
    title: "descriptors",
    proxy: "nginx",
    container: FEW_DESCRIPTORS,
    connections: 150,
    symptoms: [/^(status 50\d|timeout)$/],
    log: /24: Too many open files/,
  },
  {
    title: "ports towards one server, more of them",
    proxy: "nginx",
    container: FEW_PORTS,
    connections: 120,
    symptoms: [/^status 50\d$/],
    log: /99: Cannot assign requested address/,
  },
  {
    title: "ports towards one server, more servers",
    proxy: "nginx",
    container: FEW_PORTS,
    connections: 120,
    symptoms: [/^status 50\d$/],
    log: /99: Cannot assign requested address/,
    fix: { nginx: FEW_PORTS, echo: { deploy: { replicas: 2 } } },
    servers: 2,
  },
  {
    title: "memory",
    proxy: "nginx",
    container: { mem_limit: "24m", memswap_limit: "24m" },
    connections: 1500,
    symptoms: [/^(reset|end)$/],
    log: /exited on signal 9/,
  },
  {
    title: "maxconn",
    proxy: "haproxy",
    line: ["haproxy.cfg", "fd-hard-limit 65536", "maxconn 100"],
    connections: 120,
    symptoms: [/^timeout$/],
  },
  {
    title: "maxconn, which follows from the descriptors",
    proxy: "haproxy",
    container: FEW_DESCRIPTORS,
    connections: 150,
    symptoms: [/^timeout$/],
  },
  {
    title: "circuit breakers",
    proxy: "envoy",
    line: [
      "envoy.yaml",
      "max_connections: 1000000, max_pending_requests: 1000000, max_requests: 1000000",
      "max_connections: 100, max_pending_requests: 100, max_requests: 100",
    ],
    // A hundred are open, a hundred wait, and the rest are refused.
    connections: 220,
    symptoms: [/^timeout$/, /^status 503$/],
  },
  {
    title: "descriptors",
    proxy: "caddy",
    container: FEW_DESCRIPTORS,
    connections: 150,
    symptoms: [/^(status 50\d|timeout)$/],
    log: /too many open files/,
  },
  {
    title: "descriptors",
    proxy: "traefik",
    container: FEW_DESCRIPTORS,
    connections: 150,
    symptoms: [/^(status 50\d|timeout)$/],
    log: /too many open files/,
    // On a busy machine it accepts more than it can carry on; the log names those at level debug.
    unexplained: /^status 502$/,
  },
  {
    title: "descriptors",
    proxy: "http-proxy",
    container: FEW_DESCRIPTORS,
    connections: 150,
    symptoms: [/^(reset|end|timeout)$/],
  },
];

const { unavailable } = await readAvailableProxies();

for (const ceiling of CEILINGS) {
  const { proxy, title, container, connections, symptoms, log, unexplained, fix, servers } =
    ceiling;
  test(`${proxy}: ${title}`, { skip: unavailable.get(proxy) }, async (t) => {
    const directory = copyOfProject(t);
    const env = { PROXY_WORKERS: "1", ECHO_WORKERS: "1" };
    const start = async (t: TestContext, services?: Record<string, object>) => {
      const project = lab(t, { profile: proxy, directory, env, services });
      await bringUp(t, project, proxy, ["ws"]);
      return project;
    };
    const takeBack = limit(directory, ceiling);
    await t.test(`${connections} connections are too many`, async (t) => {
      const project = await start(t, container && { [proxy]: container });
      const { open, how } = await hold(t, connections, LIMIT_MS);
      const said = (await project.run(["logs", "--no-log-prefix", proxy])).output;
      const found = `${open} open; ${JSON.stringify(how)}`;
      t.diagnostic(found);
      assert.ok(open > 0 && open < connections, found);
      for (const symptom of symptoms)
        assert.ok(
          Object.keys(how).some((one) => symptom.test(one)),
          `${symptom}: ${found}\n${said}`,
        );
      if (log && !Object.keys(how).every((one) => unexplained?.test(one)))
        assert.match(said, log, found);
    });
    takeBack();
    await t.test(`${connections} connections after the fix`, async (t) => {
      const project = await start(t, fix);
      if (servers) await untilAllServe(project, servers);
      assert.deepEqual(await hold(t, connections, PATIENT_MS), { open: connections, how: {} });
    });
  });
}

/** @returns takes it back */
function limit(directory: string, { proxy, line }: Ceiling): () => void {
  if (!line) return () => {};
  const [name, from, to] = line;
  const file = join(directory, "proxies", proxy, name);
  const original = readFileSync(file, "utf8");
  assert.ok(original.includes(from), `${file}: no ${from}`);
  writeFileSync(file, original.replace(from, to));
  return () => writeFileSync(file, original);
}

/**
 * Opens connections one after the other, and sends a message on each.
 *
 * @returns open: those on which it was echoed and that are still open; how: others failed or ended
 */
async function hold(t: TestContext, connections: number, timeoutMs: number) {
  const how: Record<string, number> = {};
  const count = (one: string) => (how[one] = (how[one] ?? 0) + 1);
  const all: { client: Client; echoes: Echoes }[] = [];
  t.after(() => all.forEach(({ client }) => client.reset()));
  const waiting: Promise<void>[] = [];
  for (let number = 0; number < connections; number++) {
    const client = new Client(TARGET, { timeoutMs });
    const echoes = new Echoes(client, { number, message: String, onEcho: () => {} });
    client.onEnd = count;
    all.push({ client, echoes });
    waiting.push(
      client.opened.then((failedBy) => {
        if (failedBy === null) echoes.send(performance.now());
        else count(failedBy);
      }),
    );
    await sleep(2);
  }
  await Promise.all(waiting);
  await sleep(SETTLE_MS);
  const open = all.filter(({ client, echoes }) => client.isOpen && echoes.received === 1).length;
  return { open, how };
}
