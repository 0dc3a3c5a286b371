import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "../platform/engine.ts";
import { filesOf, relocated, samplesIn, shipFiles } from "./shipped-files.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { Result } from "../platform/subprocess.ts";

const DIRECTORY = "/home/me/bench";
const THERE = "/var/lib/docker/volumes/p-files/_data";

const CONFIG: ComposeConfig = {
  name: "p",
  networks: { default: { name: "p_default" } },
  volumes: { "certs-ecdsa": { name: "p_certs-ecdsa" }, run: { name: "p_run" } },
  services: {
    nginx: {
      volumes: [
        {
          type: "bind",
          source: `${DIRECTORY}/proxies/nginx/nginx.conf`,
          target: "/etc/nginx/nginx.conf",
          read_only: true,
          bind: { create_host_path: true },
        },
        { type: "volume", source: "certs-ecdsa", target: "/certs", read_only: true },
        { type: "volume", source: "run", target: "/run/bench" },
        { type: "bind", source: "/sys", target: "/sys" },
      ],
    },
    echo: {},
    load: { volumes: [{ type: "bind", source: `${DIRECTORY}/loadgen`, target: "/loadgen" }] },
  },
};

test("on another machine nothing is mounted from this one's folder", () => {
  const { services, networks } = relocated(CONFIG, {
    directory: DIRECTORY,
    network: "over-all",
    files: THERE,
  });
  assert.deepEqual(networks.default, { name: "over-all", external: true });
  const bind = { create_host_path: false };
  assert.deepEqual(services.nginx.volumes, [
    {
      type: "bind",
      source: `${THERE}/files/proxies/nginx/nginx.conf`,
      target: "/etc/nginx/nginx.conf",
      read_only: true,
      bind,
    },
    { type: "bind", source: `${THERE}/certs-ecdsa`, target: "/certs", read_only: true, bind },
    { type: "volume", source: "run", target: "/run/bench" },
    { type: "bind", source: "/sys", target: "/sys" },
  ]);
  assert.deepEqual(services.echo, {});
  assert.equal(services.load.volumes?.[0].source, `${THERE}/files/loadgen`);
  assert.equal(samplesIn(THERE), `${THERE}/samples`);
});

test("on this machine the files stay, and the network is that over all", () => {
  const here = relocated(CONFIG, { directory: DIRECTORY, network: "over-all", files: null });
  assert.deepEqual(here.services, CONFIG.services);
  assert.equal(here.networks.default.name, "over-all");
});

test("files and certificates that the services of a machine mount are brought there, in a volume with a label", async () => {
  assert.deepEqual(filesOf(CONFIG, DIRECTORY, ["load", "nginx", "echo"]), [
    "loadgen",
    "proxies/nginx/nginx.conf",
  ]);
  const commands: string[][] = [];
  const run = async (command: string[]): Promise<Result> => {
    commands.push(command);
    return { code: 0, stdout: `${THERE}\n`, stderr: "", output: "" };
  };
  const engine = new Engine(["docker", "--host", "ssh://two"], run);
  const site = { name: "two", engine, isHere: false, cores: 4 };
  const place = await shipFiles(
    site,
    { config: CONFIG, directory: DIRECTORY, services: ["nginx"], keyTypes: ["ecdsa"] },
    run,
  );
  assert.equal(place, THERE);
  const [created, , files, certificates] = commands.map((words) => words.join(" "));
  assert.equal(
    created,
    "docker --host ssh://two volume create --label ws-proxy-bench.run=p p-files",
  );
  assert.match(files, /tar -c -C \/home\/me\/bench -- proxies\/nginx\/nginx\.conf docker --host /);
  // The key of the authority stays here.
  assert.match(certificates, /p_certs-ecdsa:\/from:ro .*--exclude=\.\/ca\.key/);
});

test("a machine that takes no files is named", async () => {
  const run = async (): Promise<Result> => ({ code: 0, stdout: THERE, stderr: "", output: "" });
  const site = { name: "two", engine: new Engine(["docker"], run), isHere: false, cores: 4 };
  const about = {
    config: CONFIG,
    directory: DIRECTORY,
    services: ["nginx"],
    keyTypes: [] as "ecdsa"[],
  };
  await assert.rejects(
    shipFiles(site, about, async () => ({ ...(await run()), code: 1, output: "no space left" })),
    { message: /to the machine two$/, next: "no space left" },
  );
});
