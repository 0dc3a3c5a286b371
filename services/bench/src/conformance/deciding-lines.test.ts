import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { decidingLines, DIRECTIVES, linesOf } from "./deciding-lines.ts";

const PROXIES = join(import.meta.dirname, "../../../../proxies");

/** @returns every file of the suite that is mounted there */
function filesIn(folder: string) {
  return readdirSync(PROXIES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const compose = readFileSync(join(PROXIES, name, "compose.yaml"), "utf8");
      return [...compose.matchAll(/\.\/([\w.-]+):(\/[^:"]+):ro/g)]
        .filter(([, , target]) => target.startsWith(folder))
        .map(([, file]) => ({
          name: `${name}/${file}`,
          text: readFileSync(join(PROXIES, name, file), "utf8"),
        }));
    });
}

describe("each directive is in a configuration of the suite", () => {
  for (const [folder, { needs, sets }] of Object.entries(DIRECTIVES)) {
    const files = filesIn(folder);
    for (const directive of new Set([needs, sets].flatMap((some) => Object.values(some)).flat()))
      test(`${folder}: ${directive}`, () => {
        const { upgrade } = linesOf(files, { needs: { upgrade: [directive] }, sets: {} });
        assert.match(upgrade?.found.join() ?? "", /^[\w-]+\/[\w.-]+:\d+ ./);
      });
  }
});

const found = (text: string, directive: string) =>
  linesOf([{ name: "a.conf", text }], { needs: { idle: [directive] }, sets: {} }).idle?.found;

for (const [what, text, directive, lines] of [
  [
    "with its blanks squeezed",
    "x;\n\tproxy_read_timeout   1d;",
    "proxy_read_timeout",
    ["a.conf:2 proxy_read_timeout 1d"],
  ],
  [
    "within a line",
    "location / { proxy_read_timeout 1d; }",
    "proxy_read_timeout",
    ["a.conf:1 location / { proxy_read_timeout 1d; }"],
  ],
  [
    "in any case",
    "  proxyPreserveHost on # why",
    "ProxyPreserveHost On",
    ["a.conf:1 proxyPreserveHost on"],
  ],
  [
    "not in a comment",
    "# proxy_read_timeout 1d;\nx; # proxy_read_timeout 1d;",
    "proxy_read_timeout",
    [],
  ],
  ["not as the end of another", "connectiontimeout=5", "timeout=", []],
  [
    "with the places of others",
    "idle 1\nidle 2\n\nidle 3",
    "idle",
    ["a.conf:1 idle 1 (also a.conf:2, a.conf:4)"],
  ],
] as const)
  test(`a directive is found ${what}`, () => assert.deepEqual(found(text, directive), lines));

test("the files are those that its containers have, by their names", () => {
  const volume = (file: string, target: string) => ({ source: join(PROXIES, file), target });
  const services = {
    "haproxy-hitch": {
      profiles: ["haproxy-hitch"],
      volumes: [volume("haproxy-hitch/haproxy.cfg", "/usr/local/etc/haproxy/haproxy.cfg")],
    },
    "haproxy-hitch-tls": {
      profiles: ["haproxy-hitch"],
      volumes: [volume("haproxy-hitch/hitch.conf", "/etc/hitch/hitch.conf")],
    },
    nginx: { profiles: ["nginx"], volumes: [volume("nginx/nginx.conf", "/etc/nginx/nginx.conf")] },
  };
  const lines = decidingLines({ name: "", services, networks: {} }, "haproxy-hitch");
  assert.match(lines.idle?.found.join() ?? "", /^haproxy\.cfg:\d+ timeout tunnel 1d$/);
  assert.match(lines.tls13?.found.join() ?? "", /^hitch\.conf:\d+ tls-protos = TLSv1\.2 TLSv1\.3$/);
  assert.deepEqual(lines["forwarded-for"]?.missing, []);
});

for (const [what, text, missing] of [
  ["is named", "", ["proxy_set_header Upgrade", "proxy_set_header Connection"]],
  [
    "is named beside one that is there",
    "proxy_set_header Upgrade x;",
    ["proxy_set_header Connection"],
  ],
] as const)
  test(`a directive that is needed ${what}`, () => {
    const lines = linesOf([{ name: "nginx.conf", text }], DIRECTIVES["/etc/nginx/"]);
    assert.deepEqual(lines.upgrade?.missing, missing);
  });

test("another directive stands in for the one that is needed", () => {
  const files = [{ name: "nginx.conf", text: "proxy_timeout 1d;" }];
  const { idle } = linesOf(files, DIRECTIVES["/etc/nginx/"]);
  assert.deepEqual(idle, { found: ["nginx.conf:1 proxy_timeout 1d"], missing: [] });
});
