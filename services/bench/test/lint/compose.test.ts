/**
 * compose.yaml as Compose reads it, without an engine: profiles, pins, limits, hardening.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Project } from "../../src/platform/compose.ts";
import { readProxies } from "../../src/plan/proxies.ts";
import { OF_OTHERS } from "../../src/run/loads.ts";
import { observersOf } from "../../src/run/observers.ts";
import { projectDirectory } from "../lab.ts";

/** Services that no measured connection passes. */
const NOT_MEASURED = [
  "certs",
  "ready",
  "watch",
  "host-ports",
  "cadvisor",
  "influxdb",
  "grafana",
  "renderer",
];

/** Services that go by the parameters: the load, and what a battle does not start. */
const PLAY = ["load", "load-http", "ready", "watch"];

const proxies = readProxies(join(projectDirectory, "proxies"));

test("every folder of proxies/ is included and has a profile of its name", async () => {
  const folders = readdirSync(join(projectDirectory, "proxies"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
  const profiles = (await new Project(projectDirectory).check(["config", "--profiles"]))
    .trim()
    .split("\n");
  assert.deepEqual(proxies.map(({ name }) => name).sort(), folders.sort());
  for (const folder of folders) assert.ok(profiles.includes(folder), `no profile ${folder}`);
});

test("no two proxies have the same colour or title", () => {
  for (const key of ["colour", "title"] as const) {
    const values = proxies.map((proxy) => proxy[key]);
    assert.deepEqual([...new Set(values)], values);
  }
});

for (const { name } of proxies) {
  test(`compose config of profile ${name}`, async () => {
    const { services } = await new Project(projectDirectory, {
      files: ["compose.yaml"],
      profile: name,
    }).config();
    assert.ok(services[name], `profile ${name} has no service ${name}`);
    for (const [service, definition] of Object.entries(services)) {
      const { image, build, ports = [] } = definition;
      const about = `service ${service}: ${JSON.stringify(definition)}`;
      for (const port of ports) assert.equal(port.host_ip, "127.0.0.1", about);
      // Ours have no version, and are built here alone; everything else is pinned to an exact one.
      if (image?.startsWith("ws-proxy-bench/"))
        assert.equal(definition.pull_policy, "never", about);
      else assert.match(image ?? "", /:v?\d+\.\d+\.\d+/, about);
      for (const base of Object.values(build?.args ?? {}))
        assert.match(base, /:\d+\.\d+\.\d+/, about);
      assertHardened(definition, about);
    }
  });
}

test("the reference has an image of its own: a proxy is never divided by itself", async () => {
  for (const file of ["compose.yaml", "offline/compose.yaml"]) {
    const { services } = await new Project(projectDirectory, {
      files: [file],
      profile: "*",
    }).config();
    const { image } = services.reference;
    const users = Object.keys(services).filter((name) => services[name].image === image);
    assert.deepEqual(users, ["reference"], `${image} in ${file}`);
  }
});

test("what observes is labelled, and starts with no profile", async () => {
  const { services } = await new Project(projectDirectory, {
    files: ["compose.yaml"],
    profile: "*",
  }).config();
  assert.deepEqual(observersOf({ services }).sort(), ["cadvisor", "grafana", "influxdb"]);
  const grafana = { ...services.grafana, profiles: ["no-image"] };
  const lacking = observersOf({ services: { ...services, grafana } });
  assert.deepEqual(lacking.sort(), ["cadvisor", "influxdb"]);
});

test("every proxy runs under the same limits", async () => {
  const { services } = await new Project(projectDirectory, { profile: "*" }).config();
  const shared = [
    "cpus",
    "cpu_period",
    "cpu_quota",
    "cgroup_parent",
    "cpuset",
    "mem_limit",
    "pids_limit",
    "stop_signal",
    "stop_grace_period",
    "logging",
  ];
  const limits = (service: any) => JSON.stringify(shared.map((key) => service[key]));
  for (const [name, service] of Object.entries(services)) {
    if (!service.profiles?.some((profile) => proxies.some((proxy) => proxy.name === profile)))
      continue;
    assert.equal(limits(service), limits(services.none), name);
    if (!service.network_mode) {
      assert.deepEqual((service as any).sysctls, (services.none as any).sysctls, name);
    }
  }
});

test("every container of the measured path raises its soft limit of open files first", async () => {
  const { services } = await new Project(projectDirectory, { profile: "*" }).config();
  const measured = Object.entries(services).filter(([name]) => !NOT_MEASURED.includes(name));
  for (const name of ["echo", "load", "load-http", ...proxies.map((proxy) => proxy.name)])
    assert.ok(Object.fromEntries(measured)[name], `no service ${name}`);
  for (const [name, service] of measured) {
    const about = `service ${name}: extend the one of proxies/proxy.yaml, and say in "command" what it runs`;
    const { entrypoint, command, ulimits, volumes = [] } = service;
    assert.deepEqual(entrypoint, ["sh", "/raise-limits.sh"], about);
    assert.ok(command?.length, about);
    // Some engines refuse a number above their own limit.
    assert.equal(ulimits, undefined, about);
    const wrapper = volumes.find(({ target }) => target === "/raise-limits.sh");
    assert.equal(wrapper?.source, join(projectDirectory, "proxies/raise-limits.sh"), about);
  }
});

test("a load's parameters make no other container different, but those that are known to", async () => {
  const configWith = (env: Record<string, string>) =>
    new Project(projectDirectory, { profile: "*", env }).config();
  const { services } = await configWith({});
  const parameters = Object.keys(services.load.environment ?? {}).filter(
    (name) => /^[A-Z_]*$/.test(name) && !OF_OTHERS.includes(name),
  );
  const changed = await configWith(Object.fromEntries(parameters.map((name) => [name, "7"])));
  assert.notDeepEqual(changed.services.load, services.load);
  for (const [name, service] of Object.entries(changed.services))
    if (!PLAY.includes(name)) assert.deepEqual(service, services[name], name);
});

test("where a battle kills it, every container of a proxy has a supervisor, and no other has", async () => {
  const env = { PROXY_ENTRY: "/supervise.sh" };
  const { services } = await new Project(projectDirectory, { profile: "*", env }).config();
  const names = proxies.map((proxy) => proxy.name);
  for (const [name, { entrypoint, volumes = [], profiles }] of Object.entries(services)) {
    if (NOT_MEASURED.includes(name)) continue;
    const isProxy = profiles?.some((profile) => names.includes(profile)) ?? false;
    assert.deepEqual(entrypoint, ["sh", isProxy ? "/supervise.sh" : "/raise-limits.sh"], name);
    if (isProxy)
      assert.ok(
        volumes.some(({ target }) => target === "/supervise.sh"),
        name,
      );
  }
});

function assertHardened(service: any, about: string) {
  assert.ok(!service.privileged, about);
  assert.deepEqual(service.cap_drop, ["ALL"], about);
  assert.deepEqual(service.security_opt, ["no-new-privileges:true"], about);
  assert.ok(service.read_only, about);
  for (const volume of service.volumes ?? []) {
    if (volume.type === "bind")
      assert.ok(volume.read_only, `${about}: ${volume.source} can be written`);
  }
}
