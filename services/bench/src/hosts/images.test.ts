import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../errors.ts";
import { run } from "../platform/subprocess.ts";
import { copyImages, imagesFor, imagesOn } from "./images.ts";
import { isReached, reachEngines } from "./engines.ts";
import { fakeEngines, MACHINES } from "./testing/engines.ts";
import type { ComposeConfig } from "../platform/compose.ts";
import type { Role } from "./file.ts";

const BENCH = "ws-proxy-bench/bench";

const CONFIG = {
  name: "ws-proxy-bench",
  networks: {},
  services: {
    certs: { image: BENCH },
    echo: { image: "echo" },
    load: { image: "k6" },
    "load-http": { image: "load-http", profiles: ["load-http"] },
    reference: { image: "nginx", profiles: ["reference"] },
    nginx: { image: "nginx", profiles: ["nginx"] },
    "haproxy-hitch": { image: "haproxy", profiles: ["haproxy-hitch"] },
    "haproxy-hitch-tls": { image: "hitch", profiles: ["haproxy-hitch"] },
    influxdb: { image: "influxdb" },
    grafana: { image: "grafana", profiles: ["no-local-image"] },
    renderer: { image: "renderer", profiles: ["render"] },
    cadvisor: { image: "cadvisor" },
  },
} as ComposeConfig;

for (const [roles, expected] of [
  [["proxy"], ["nginx", "haproxy", "hitch"]],
  [["servers"], ["echo"]],
  [["load"], ["k6", "load-http"]],
  [["observe"], ["influxdb"]],
  [
    ["proxy", "servers"],
    ["echo", "nginx", "haproxy", "hitch"],
  ],
] as [Role[], string[]][]) {
  test(`images of a machine for ${roles.join(" and ")}`, () => {
    assert.deepEqual(imagesFor(CONFIG, { roles }, ["nginx", "haproxy-hitch"]), [
      BENCH,
      ...expected,
      "cadvisor",
    ]);
  });
}

test("a part of a proxy that stands beside the server has its image where the server is", () => {
  const beside = { image: "hitch", profiles: ["tcp"], network_mode: "service:echo" };
  const config = { ...CONFIG, services: { ...CONFIG.services, "tcp-tls": beside } };
  const of = (role: Role) => imagesFor(config, { roles: [role] }, ["tcp"]);
  assert.ok(of("servers").includes("hitch"));
  assert.ok(!of("proxy").includes("hitch"));
});

test("of the proxies only those that are to be measured, and the reference", () => {
  const images = imagesFor(CONFIG, { roles: ["proxy"] }, ["none"]);
  assert.deepEqual(images, [BENCH, "nginx", "cadvisor"]);
});

test("an image is missing that is not there, or another one; and nowhere, if it is not here either", async () => {
  const images = new Map([
    ["same", "a"],
    ["older", "b"],
    ["theirs", "c"],
  ]);
  const fakes = fakeEngines({ middle: { images } });
  const [engine] = (await reachEngines(MACHINES, fakes.run)).filter(isReached);
  const here = new Map([
    ["same", '"a"'],
    ["older", '"b2"'],
    ["absent", '"d"'],
  ]);
  assert.deepEqual(await imagesOn(engine, ["same", "older", "theirs", "absent", "nothing"], here), {
    missing: ["older", "absent"],
    nowhere: ["nothing"],
  });
});

test("a copy to a machine that falls silent is given up; one that only lasts is not", async () => {
  const [engine] = await reachEngines(MACHINES, fakeEngines().run);
  const lasting = (seconds: string) =>
    ((_, options) => run(["sleep", seconds], options)) as typeof run;
  const patience = { intervalMs: 50 };
  let asked = 0;
  const answering = {
    ...engine,
    run: async () => (asked++, { code: 0, stdout: "", stderr: "", output: "" }),
  };
  await copyImages([BENCH], answering, lasting("0.5"), patience);
  assert.ok(asked > 1);

  const silent = {
    ...engine,
    run: () => Promise.reject(new UserError("middle: no answer within 60 s to: docker version")),
  };
  await assert.rejects(copyImages([BENCH], silent, lasting("600"), patience), {
    message: "middle: no answer within 60 s to: docker version",
  });
  const limited = { ...patience, limitMs: 200 };
  await assert.rejects(copyImages([BENCH], answering, lasting("600"), limited), {
    message: "1 images could not be copied to middle",
    next: /^given up after 0\.\d s\n/,
  });
});
