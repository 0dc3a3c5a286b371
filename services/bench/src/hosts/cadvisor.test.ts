import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "../platform/engine.ts";
import { cadvisorThere, startFurtherCadvisors } from "./cadvisor.ts";
import type { CountersAgent } from "./agent.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { Result } from "../platform/subprocess.ts";

/** As Compose writes it. */
const CONFIG: ComposeConfig = JSON.parse(`{
  "name": "p",
  "networks": { "default": { "name": "p_default" } },
  "services": {
    "cadvisor": {
      "image": "cadvisor:1",
      "hostname": "cadvisor",
      "command": ["-docker_only"],
      "depends_on": { "influxdb": { "condition": "service_started" } },
      "networks": { "default": null },
      "ports": [{ "target": 8080, "published": "8081", "host_ip": "127.0.0.1" }],
      "volumes": [
        { "type": "bind", "source": "/proc", "target": "/rootfs/proc", "read_only": true },
        { "type": "bind", "source": "/own/docker.sock", "target": "/var/run/docker.sock", "read_only": true, "bind": { "create_host_path": true } },
        { "type": "bind", "source": "/own/root/image", "target": "/rootfs/own/root/image", "read_only": true }
      ]
    },
    "influxdb": { "image": "influxdb:1" }
  }
}`);

test("on another machine it is as here, with that machine's name, engine and network, and no port", () => {
  const there = { name: "front 1", network: "over-all", socket: "/run/docker.sock", root: "/data" };
  const { name, services, networks } = cadvisorThere(CONFIG, there);
  assert.equal(name, "p");
  assert.deepEqual(networks, { default: { name: "over-all", external: true } });
  assert.deepEqual(Object.keys(services), ["cadvisor"]);
  const { hostname, image, command, ports, depends_on, volumes } = services.cadvisor;
  assert.deepEqual([hostname, image, command], ["front-1", "cadvisor:1", ["-docker_only"]]);
  // A port of each would be one too many where two engines share a machine.
  assert.deepEqual([ports, depends_on], [[], {}]);
  assert.deepEqual(
    volumes.map(({ source, target }: any) => [source, target]),
    [
      ["/proc", "/rootfs/proc"],
      ["/run/docker.sock", "/var/run/docker.sock"],
      ["/data/image", "/rootfs/data/image"],
    ],
  );
  assert.deepEqual(volumes[1].bind, { create_host_path: false });
});

/** @param done what it was asked */
function siteOf(
  name: string,
  done: string[],
  answer: (command: string) => Partial<Result> = () => ({}),
) {
  const engine = new Engine(["docker", "--host", `ssh://${name}`], async (command) => {
    const text = command.slice(3).join(" ");
    done.push(`${name}: ${text}`);
    return { code: 0, stdout: "", stderr: "", output: "", ...answer(text) };
  });
  return { name, engine, isHere: name === "own", cores: 4 };
}

test("where it cannot run, a note says so, and nothing of it is left", async () => {
  const done: string[] = [];
  const said: string[] = [];
  const own = siteOf("own", done);
  const one = siteOf("one", done, (command) =>
    command.startsWith("info") ? { code: 1, output: "no engine" } : {},
  );
  // The engine there finds the network once the agent is on it.
  const agent = { ready: async () => void done.push("one: agent") } as unknown as CountersAgent;
  const about = {
    config: CONFIG,
    directory: "/nowhere",
    network: "over-all",
    say: (text: string) => void said.push(text),
    own: own.engine,
  };
  await startFurtherCadvisors([{ site: one, agent }], about);
  assert.equal(done[0], "own: network connect --alias influxdb over-all p-influxdb-1");
  assert.deepEqual(
    said.map((text) => text.replace(/: docker.*: /, ": … ")),
    ["no curves of cAdvisor of the machine one: … no engine"],
  );
  assert.equal(done[1], "one: agent");
  await startFurtherCadvisors([], about);
  assert.equal(done.length, 3, "this machine has its own");
});
