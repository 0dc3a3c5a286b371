import assert from "node:assert/strict";
import { test } from "node:test";
import { Project } from "../platform/compose.ts";
import { Engine } from "../platform/engine.ts";
import { SpreadPlacement } from "./placement.ts";
import { state } from "../run/testing/readings.ts";
import type { Result } from "../platform/subprocess.ts";
import type { Site } from "../run/placement.ts";

function siteOf(
  name: string,
  {
    cores = 8,
    isHere = false,
    run = () => ({}),
  }: { cores?: number; isHere?: boolean; run?: (command: string[]) => Partial<Result> } = {},
): Site {
  const engine = new Engine(["docker", "--host", `ssh://${name}`], async (command) => ({
    ...{ code: 0, stdout: "", stderr: "", output: "" },
    ...run(command),
  }));
  return { name, engine, isHere, cores };
}

const OWN = siteOf("runner", { isHere: true, cores: 2 });

function spread(sites?: Partial<Record<"proxy" | "servers" | "load", Site>>) {
  const proxy = siteOf("one");
  const both = siteOf("two");
  return new SpreadPlacement({
    sites: { proxy, servers: both, load: both, observe: OWN, ...sites },
    network: "over-all",
  });
}

test("each service is where its role is, and a proxy's companions are with it", () => {
  const placement = spread();
  assert.deepEqual(
    placement.sites.map(({ name }) => name),
    ["one", "two", "runner"],
  );
  for (const [service, name] of Object.entries({
    nginx: "one",
    "haproxy-hitch-tls": "one",
    reference: "one",
    none: "one",
    echo: "two",
    load: "two",
  }))
    assert.equal(placement.siteOfService(service).name, name, service);
  assert.equal(placement.carrierOf("observer"), OWN);
  assert.equal(placement.carrierOf("reference").name, "one");
});

test("on the machines' own network each finds the others at their addresses, and itself at home", () => {
  const proxy = { ...siteOf("one"), address: "10.0.0.11" };
  const both = { ...siteOf("two"), address: "10.0.0.12" };
  const placement = spread({ proxy, servers: both, load: both });
  assert.deepEqual(placement.addressesOn(proxy), {
    ...{ proxy: "127.0.0.1", echo: "10.0.0.12", reference: "127.0.0.1" },
  });
  assert.deepEqual(placement.addressesOn(both), {
    ...{ proxy: "10.0.0.11", echo: "127.0.0.1", reference: "10.0.0.11" },
  });
  assert.deepEqual(
    placement.listening().map(({ name, ports }) => [name, ports]),
    [
      ["one", [8080, 8443, 18_081, 18_443]],
      ["two", [18_080, 6565]],
    ],
  );
});

test("a proxy alone on its machine has all of its cores, unless its budget is less", () => {
  const share = (placement: SpreadPlacement, proxyCpus: number) => {
    const { env, loadCores } = placement.shares({ proxyCpus });
    const { PROXY_CPUSET, REFERENCE_CPUSET, ECHO_CPUSET, LOAD_CPUSET } = env;
    return [PROXY_CPUSET, REFERENCE_CPUSET, ECHO_CPUSET, LOAD_CPUSET, loadCores];
  };
  // Servers and load share a machine of eight.
  assert.deepEqual(share(spread(), 0), ["", "", "0-1", "2-7", 6]);
  assert.deepEqual(share(spread(), 2), ["0-1", "2-7", "0-1", "2-7", 6]);
  const apart = spread({ load: siteOf("three", { cores: 16 }) });
  assert.deepEqual(share(apart, 0), ["", "", "", "", 16]);
  assert.deepEqual(share(apart, 8), ["0-7", "", "", "", 16]);
  const small = siteOf("two", { cores: 2 });
  assert.deepEqual(share(spread({ servers: small, load: small }), 0), ["", "", "", "", 2]);
});

test("an engine that is lost is named with its machine", async () => {
  const proxy = siteOf("one", {
    run: () => ({ code: 1, stdout: "[]", stderr: "cannot connect", output: "cannot connect" }),
  });
  const placement = spread({ proxy });
  await assert.rejects(placement.inspect(["1a"]), {
    kind: "engine",
    message: "the Docker engine of the machine one does not answer: cannot connect",
  });
  assert.equal(
    await placement.silence(),
    "the Docker engine of the machine one does not answer: cannot connect",
  );
});

test("what observes is on every machine, and is called after those that are not this one", () => {
  const placement = spread();
  const cadvisor = state({ service: "cadvisor" });
  assert.equal(placement.nameOf({ ...cadvisor, machine: "one" }, "observer"), "cadvisor-one");
  assert.equal(placement.nameOf({ ...cadvisor, machine: "runner" }, "observer"), "cadvisor");
  assert.equal(placement.nameOf({ ...cadvisor, machine: "one" }, "proxy"), "cadvisor");
  assert.equal(placement.carrierOf("observer", "cadvisor-one", "one").name, "one");
  assert.equal(placement.carrierOf("observer", "influxdb", "runner"), OWN);
});

test("no wait for a machine whose engine never answers is endless, and the others continue", async () => {
  // As docker over ssh when that machine has lost its power.
  const engine = new Engine(["sh", "-c", "exec sleep 600"]).within(300);
  const placement = spread({ proxy: { ...siteOf("one"), engine } });
  const message =
    /^the Docker engine of the machine one does not answer: given up after \d+\.\d s$/;
  await assert.rejects(placement.containersOf("p"), { kind: "engine", message });
  assert.match((await placement.silence()) ?? "", message);
  assert.deepEqual(await placement.containersOf("p"), [], "of the others");
  assert.equal(await placement.logOf({ name: "p-nginx-1", service: "nginx" }), null);
  assert.equal(await placement.logOf({ name: "p-echo-1", service: "echo" }), "");
  await placement.remove(["p-nginx-1"]);
  const project = new Project("/tmp", { engine, limitMs: 300 });
  await assert.rejects(project.check(["up"]), {
    message: "docker compose up ended with status 124",
  });
});

test("several load machines have the load containers in turn, and the smallest bounds them all", () => {
  const small = siteOf("front-1", { cores: 4 });
  const large = siteOf("front-2", { cores: 16 });
  const placement = new SpreadPlacement({
    sites: { proxy: siteOf("one"), servers: siteOf("two"), load: small, observe: OWN },
    network: "over-all",
    loads: [small, large],
  });
  assert.deepEqual(
    placement.sites.map(({ name }) => name),
    ["one", "two", "front-1", "runner", "front-2"],
  );
  assert.deepEqual(
    [1, 2, 3].map((number) => placement.siteOfLoad(number)),
    [small, large, small],
  );
  assert.equal(placement.carrierOf("load", "load-2"), large);
  assert.ok(placement.carries(large, "load") && !placement.carries(large, "echo"));
  assert.ok(placement.carries(placement.siteOf("servers"), "echo"));
  const { env, loadCores } = placement.shares({ proxyCpus: 2 });
  assert.equal(loadCores, 8);
  assert.deepEqual(
    [env.PROXY_CPUSET, env.REFERENCE_CPUSET, env.ECHO_CPUSET, env.LOAD_CPUSET],
    ["0-1", "2-7", "", ""],
  );
});

test("a part of a proxy that shares the server's network is where the server is, and one that shares the proxy's with the proxy", () => {
  const two = siteOf("two");
  const placement = new SpreadPlacement({
    sites: { proxy: siteOf("one"), servers: two, load: two, observe: OWN },
    network: "over-all",
    services: {
      "haproxy-tcp-hitch-tls": { image: "hitch", network_mode: "service:echo" },
      "haproxy-hitch-tls": { image: "hitch", network_mode: "service:haproxy-hitch" },
    },
  });
  assert.equal(placement.carrierOf("proxy", "haproxy-tcp-hitch-tls"), two);
  assert.equal(placement.carrierOf("proxy", "haproxy-tcp-hitch").name, "one");
  assert.equal(placement.siteOfService("haproxy-hitch-tls").name, "one");
});
