import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../platform/subprocess.ts";
import { onHostNetwork, PORTS, PORTS_OF_ROLE, ROLE_OF_NAME } from "./host-network.ts";

const root = join(import.meta.dirname, "../../../..");

const CONFIG = {
  name: "p",
  networks: { default: { name: "p_default" } },
  services: {
    nginx: {
      environment: { PROXY_WORKERS: "2" },
      networks: { default: { aliases: ["proxy"] } },
      sysctls: { "net.core.somaxconn": "65535" },
    },
    haproxy: { networks: { default: null } },
    echo: {
      environment: { ECHO_WORKERS: "2", ECHO_PROXY_PROTOCOL_PORT: "8081" },
      networks: { default: null },
    },
    reference: { command: ["nginx", "-c", "/reference.conf"], networks: { default: null } },
    load: { command: ["k6"], networks: { default: null }, sysctls: { a: "1" } },
    influxdb: { networks: { default: null } },
  },
};

/** As on the machine of the proxy, where the servers have one of their own. */
const addresses = { proxy: "127.0.0.1", echo: "10.0.0.12", reference: "127.0.0.1" };

const about = { proxies: ["nginx"], addresses, bench: "172.17.0.5" };
const { services } = onHostNetwork(CONFIG, about);

test("the measured path has no network of its own, and finds its names on the machines; what observes stays", () => {
  for (const service of [services.nginx, services.echo, services.reference, services.load]) {
    assert.equal(service.network_mode, "host");
    assert.ok(!("networks" in service) && !("sysctls" in service));
    assert.deepEqual(service.extra_hosts, [
      "proxy:127.0.0.1",
      "echo:10.0.0.12",
      "reference:127.0.0.1",
      "bench:172.17.0.5",
    ]);
  }
  // Another proxy is not started.
  assert.equal(services.haproxy, CONFIG.services.haproxy);
  assert.equal(services.influxdb, CONFIG.services.influxdb);
});

test("no two listen on one port", () => {
  const { proxy, reference, server, k6 } = PORTS;
  const all = [...Object.values(proxy), ...Object.values(reference), server, k6];
  assert.equal(new Set(all).size, all.length);
  assert.deepEqual(Object.values(PORTS_OF_ROLE).flat().sort(), all.sort());
  assert.deepEqual(Object.keys(ROLE_OF_NAME), Object.keys(addresses));
  assert.deepEqual(services.nginx.environment, {
    PROXY_WORKERS: "2",
    SERVER_PORT: String(server),
  });
  assert.deepEqual(services.echo.environment, { ECHO_WORKERS: "2", ECHO_PORT: String(server) });
  assert.deepEqual(services.load.command, ["k6"]);
});

test("the reference proxy has its configuration, with other ports", async () => {
  const [, , script] = services.reference.command ?? [];
  const file = join(root, "services/reference/reference.conf");
  const sed = script.replace("/reference.conf", file).replace(/>.*/, "");
  const { stdout, code } = await run(["sh", "-c", sed]);
  assert.equal(code, 0);
  const before = readFileSync(file, "utf8").split("\n");
  const changed = stdout.split("\n").flatMap((line, i) => (line === before[i] ? [] : line.trim()));
  assert.deepEqual(changed, [
    `server echo:${PORTS.server};`,
    `listen ${PORTS.reference.ws}     backlog=65535 reuseport;`,
    `listen ${PORTS.reference.wss} ssl backlog=65535 reuseport;`,
  ]);
});
